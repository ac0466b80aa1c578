use crate::Address;
use crate::key_value::{Server, THREADS};
use model::{KeyDistribution, KeyOrder, KeyValue, Tls, ValueSize};
use workload::key_value::KEY_PREFIX;

/// What redis-benchmark does in a run: one command over and over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Reads.
    Get,
    /// Writes of values of so many bytes.
    Set {
        /// Length in bytes.
        length: u32,
    },
}

impl Kind {
    /// What a workload comes to.
    ///
    /// # Errors
    /// Why it cannot run it, as the predicate of a sentence about it.
    pub(super) fn for_workload(workload: &KeyValue) -> Result<Self, &'static str> {
        if workload.order != KeyOrder::Drawn(KeyDistribution::Uniform) {
            return Err("draws keys only evenly");
        }
        match (workload.sets_to_gets, workload.value_size) {
            ((0, _), _) => Ok(Self::Get),
            ((_, 0), ValueSize::Fixed(length)) => Ok(Self::Set { length }),
            ((_, 0), ValueSize::Between(..)) => Err("writes values of one length only"),
            _ => Err("either reads or writes and knows no mixture of both"),
        }
    }
}

/// Its arguments for a load. The value of a write is read from standard input, so that it may have
/// any length.
pub(super) fn arguments(
    server: &Server,
    workload: &KeyValue,
    kind: Kind,
    clients: u32,
    requests: u64,
) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut option = |name: &str, value: &dyn std::fmt::Display| {
        all.extend([name.to_owned(), value.to_string()]);
    };
    match &server.address {
        Address::Tcp(address) => {
            option("-h", &address.ip());
            option("-p", &address.port());
        }
        Address::Unix(path) => option("-s", &path.display()),
    }
    if let Some(guest) = &server.guest {
        option("--user", &guest.user);
        option("-a", &guest.password);
    }
    if server.database > 0 {
        option("--dbnum", &server.database);
    }
    if server.tls != Tls::Off {
        option("--sni", &server.host);
    }
    if let Tls::Verified(Some(file)) = &server.tls {
        option("--cacert", &file.display());
    }
    option("-c", &clients);
    option("--threads", &THREADS.min(clients));
    option("-n", &requests);
    option("-P", &workload.pipeline);
    option("-r", &workload.keys);
    match &server.tls {
        Tls::Unverified => all.extend(["--tls", "--insecure"].map(str::to_owned)),
        tls if tls.is_certain() => all.push("--tls".to_owned()),
        _ => {}
    }
    all.push("--csv".to_owned());
    // It puts twelve digits there, as weighin does.
    let key = format!("{KEY_PREFIX}__rand_int__");
    match (kind, workload.expiry) {
        (Kind::Get, _) => all.extend(["GET".to_owned(), key]),
        (Kind::Set { .. }, None) => all.extend(["-x".to_owned(), "SET".to_owned(), key]),
        (Kind::Set { .. }, Some(expiry)) => {
            let milliseconds = expiry.as_millis().max(1).to_string();
            all.extend(["-x".to_owned(), "PSETEX".to_owned(), key, milliseconds]);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key_value::Guest;
    use std::time::Duration;
    use workload::key_value::KEY_DIGITS;

    fn writing() -> KeyValue {
        KeyValue { sets_to_gets: (1, 0), ..KeyValue::default() }
    }

    fn line(server: &Server, workload: &KeyValue) -> String {
        arguments(server, workload, Kind::for_workload(workload).unwrap(), 200, 5000).join(" ")
    }

    #[test]
    fn reads_and_writes_are_commands_on_weighins_keys() {
        let server = Server {
            address: Address::Tcp(([127, 0, 0, 1], 6379).into()),
            database: 0,
            guest: None,
            tls: Tls::Off,
            host: "localhost".to_owned(),
        };
        assert_eq!(KEY_DIGITS, 12, "redis-benchmark writes as many");
        let key = format!("{KEY_PREFIX}__rand_int__");
        let common =
            "-h 127.0.0.1 -p 6379 -c 200 --threads 2 -n 5000 -P 1 -r 100000 --csv".to_owned();
        assert_eq!(line(&server, &writing()), format!("{common} -x SET {key}"));
        let reading = KeyValue { sets_to_gets: (0, 1), ..KeyValue::default() };
        assert_eq!(line(&server, &reading), format!("{common} GET {key}"));
        let brief = KeyValue { expiry: Some(Duration::from_millis(1500)), ..writing() };
        assert_eq!(line(&server, &brief), format!("{common} -x PSETEX {key} 1500"));
    }

    #[test]
    fn a_guest_a_database_a_socket_and_encryption_are_passed_on() {
        let server = Server {
            address: Address::Unix("/run/redis.sock".into()),
            database: 3,
            guest: Some(Guest { user: "guest".to_owned(), password: "once".to_owned() }),
            tls: Tls::Unverified,
            host: "cache.internal".to_owned(),
        };
        let text = line(&server, &writing());
        let login = "-s /run/redis.sock --user guest -a once --dbnum 3 --sni cache.internal";
        assert!(text.starts_with(login) && text.contains("--tls --insecure --csv"), "{text}");
        let server = Server { tls: Tls::Verified(Some("/ca.pem".into())), ..server };
        assert!(line(&server, &writing()).contains("--cacert /ca.pem"));
    }

    #[test]
    fn what_it_lacks_is_said() {
        let mixed = KeyValue::default();
        let lengths = KeyValue { value_size: ValueSize::Between(1, 2), ..writing() };
        let sequential = KeyValue { order: KeyOrder::Sequential, ..writing() };
        for workload in [mixed, lengths, sequential] {
            assert!(Kind::for_workload(&workload).is_err(), "{workload:?}");
        }
    }
}
