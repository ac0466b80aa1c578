use crate::Address;
use crate::key_value::{Server, THREADS};
use model::{KeyDistribution, KeyOrder, KeyValue, Tls, ValueSize};
use std::fmt::Display;
use std::time::Duration;
use workload::key_value::{KEY_DIGITS, KEY_PREFIX};

/// Why memtier_benchmark cannot run a workload; `None` when it can.
pub(super) fn unsupported(workload: &KeyValue, tls: &Tls) -> Option<&'static str> {
    let whole_seconds = |expiry: Duration| expiry.subsec_nanos() == 0;
    if !matches!(
        workload.order,
        KeyOrder::Sequential
            | KeyOrder::Drawn(KeyDistribution::Uniform | KeyDistribution::Gaussian)
    ) {
        // Its zipfian distribution is over the numbers in the names of keys, and weighin's do not
        // begin at 1.
        Some("draws such keys only evenly or gaussian, or takes them in sequence")
    } else if !workload.expiry.is_none_or(whole_seconds) {
        Some("lets keys expire after whole seconds only")
    } else if *tls == Tls::Verified(None) {
        Some("knows no certificates of the system, only those of a file (tls_ca)")
    } else {
        None
    }
}

/// The keys of weighin as memtier_benchmark names them: a prefix and a number without zeros before
/// it, so the digit that weighin's prefix ends with counts as the first of the number.
fn keys(count: u32) -> (&'static str, u64, u64) {
    let prefix = KEY_PREFIX.trim_end_matches(|c: char| c.is_ascii_digit());
    let lead = KEY_PREFIX[prefix.len()..].parse::<u64>().unwrap_or(0);
    let first = lead * 10_u64.pow(KEY_DIGITS as u32);
    (prefix, first, first + u64::from(count.max(1)) - 1)
}

/// Its arguments for a load whose results go to a file.
pub(super) fn arguments(
    server: &Server,
    workload: &KeyValue,
    clients: u32,
    duration: Duration,
) -> Vec<String> {
    let mut all = Arguments(Vec::new());
    all.server(server);
    let threads = if clients.is_multiple_of(THREADS) { THREADS } else { 1 };
    all.option("threads", threads);
    all.option("clients", clients / threads);
    all.option("test-time", duration.as_millis().div_ceil(1000));
    all.workload(workload);
    // Otherwise all connections ask for the same keys in the same order.
    all.flag("distinct-client-seed");
    all.option("print-percentiles", "50,95,99");
    all.flag("hide-histogram");
    all.option("out-file", "/dev/null");
    all.0
}

struct Arguments(Vec<String>);

impl Arguments {
    fn option(&mut self, name: &str, value: impl Display) {
        self.0.push(format!("--{name}={value}"));
    }

    fn flag(&mut self, name: &str) {
        self.0.push(format!("--{name}"));
    }

    fn server(&mut self, server: &Server) {
        match &server.address {
            Address::Tcp(address) => {
                self.option("server", address.ip());
                self.option("port", address.port());
            }
            Address::Unix(path) => self.option("unix-socket", path.display()),
        }
        if let Some(guest) = &server.guest {
            self.option("authenticate", format_args!("{}:{}", guest.user, guest.password));
        }
        if server.database > 0 {
            self.option("select-db", server.database);
        }
        match &server.tls {
            Tls::Verified(Some(file)) => self.option("cacert", file.display()),
            tls if tls.is_certain() => self.flag("tls-skip-verify"),
            _ => return,
        }
        self.flag("tls");
        self.option("sni", &server.host);
    }

    fn workload(&mut self, workload: &KeyValue) {
        let (sets, gets) = workload.sets_to_gets;
        self.option("ratio", format_args!("{sets}:{gets}"));
        self.option("pipeline", workload.pipeline);
        match workload.value_size {
            ValueSize::Fixed(length) => self.option("data-size", length),
            ValueSize::Between(shortest, longest) => {
                self.option("data-size-range", format_args!("{shortest}-{longest}"));
                self.option("data-size-pattern", "R");
            }
        }
        self.flag("random-data");
        if let Some(seconds) = workload.expiry.map(|expiry| expiry.as_secs()) {
            self.option("expiry-range", format_args!("{seconds}-{seconds}"));
        }
        let (prefix, first, last) = keys(workload.keys);
        self.option("key-prefix", prefix);
        self.option("key-minimum", first);
        self.option("key-maximum", last);
        match workload.order {
            // Each client has a part of its own, as each begins at another place in weighin.
            KeyOrder::Sequential => self.option("key-pattern", "P:P"),
            KeyOrder::Drawn(KeyDistribution::Gaussian) => {
                self.option("key-pattern", "G:G");
                // The standard deviation of a mean of so many uniform draws.
                let draws = f64::from(workload.shape.iterations.max(1));
                let deviation = f64::from(workload.keys) / (12.0 * draws).sqrt();
                self.option("key-stddev", deviation);
                self.option("key-median", (first + last) / 2);
            }
            KeyOrder::Drawn(_) => self.option("key-pattern", "R:R"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key_value::Guest;

    fn server() -> Server {
        Server {
            address: Address::Tcp(([127, 0, 0, 1], 6379).into()),
            database: 0,
            guest: None,
            tls: Tls::Off,
            host: "localhost".to_owned(),
        }
    }

    fn line(workload: &KeyValue, clients: u32) -> String {
        arguments(&server(), workload, clients, Duration::from_millis(2500)).join(" ")
    }

    #[test]
    fn keys_have_the_names_that_weighin_gives_them() {
        let (prefix, first, last) = keys(50);
        for (number, key) in [(first, 0), (last, 49)] {
            assert_eq!(format!("{prefix}{number}"), format!("{KEY_PREFIX}{key:0KEY_DIGITS$}"));
        }
    }

    #[test]
    fn a_load_is_spelled_out() {
        let text = line(&KeyValue { pipeline: 10, ..KeyValue::default() }, 200);
        assert!(text.starts_with("--server=127.0.0.1 --port=6379 --threads=2 --clients=100 "));
        assert!(text.contains(" --test-time=3 --ratio=1:1 --pipeline=10 --data-size=1024 "));
        assert!(text.contains(" --key-pattern=R:R "), "{text}");
        assert!(!text.contains("authenticate") && !text.contains("tls"), "{text}");
        // Three clients cannot be shared out evenly.
        assert!(line(&KeyValue::default(), 3).contains("--threads=1 --clients=3 "));
    }

    #[test]
    fn sizes_expiry_and_distributions_are_passed_on() {
        let workload = KeyValue {
            value_size: ValueSize::Between(100, 1000),
            expiry: Some(Duration::from_secs(60)),
            order: KeyOrder::Drawn(KeyDistribution::Gaussian),
            keys: 120_000,
            ..KeyValue::default()
        };
        assert_eq!(unsupported(&workload, &Tls::Off), None);
        let text = line(&workload, 2);
        for part in ["--data-size-range=100-1000", "--expiry-range=60-60", "--key-stddev=10000 "] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let sequential = KeyValue { order: KeyOrder::Sequential, ..workload };
        assert!(line(&sequential, 2).contains("--key-pattern=P:P"));
    }

    #[test]
    fn a_guest_a_database_a_socket_and_encryption_are_passed_on() {
        let server = Server {
            address: Address::Unix("/run/redis.sock".into()),
            database: 3,
            guest: Some(Guest { user: "guest".to_owned(), password: "once".to_owned() }),
            tls: Tls::Verified(Some("/ca.pem".into())),
            host: "cache.internal".to_owned(),
        };
        let (workload, second) = (KeyValue::default(), Duration::from_secs(1));
        let text = arguments(&server, &workload, 2, second).join(" ");
        assert!(text.starts_with("--unix-socket=/run/redis.sock --authenticate=guest:once "));
        assert!(text.contains("--select-db=3 --cacert=/ca.pem --tls --sni=cache.internal "));
        assert!(!format!("{server:?}").contains("once"));
    }

    #[test]
    fn what_memtier_lacks_is_said() {
        let default = KeyValue::default();
        assert_eq!(unsupported(&default, &Tls::Unverified), None);
        let zipfian = KeyValue { order: KeyOrder::Drawn(KeyDistribution::Zipfian), ..default };
        let brief = KeyValue { expiry: Some(Duration::from_millis(1500)), ..KeyValue::default() };
        for workload in [zipfian, brief] {
            assert!(unsupported(&workload, &Tls::Off).is_some(), "{workload:?}");
        }
        assert!(unsupported(&KeyValue::default(), &Tls::Verified(None)).is_some());
    }
}
