//! pgbench: run with its own scripts on the tables that weighin uses, and its report read.

use crate::printed::Printed;
use crate::program::{Program, ToolSpec};
use crate::{Address, Measured, SqlLoad, libpq};
use host::{Finished, Host, ProgramOrder};
use import::Pgbench as Report;
use model::{CrossCheckFigures, Failure, FailureKind, SetValue, Transactions};
use std::sync::Arc;
use std::time::Duration;
use workload::script::builtin;

const PGBENCH: ToolSpec = ToolSpec {
    programs: &["pgbench"],
    wanted: "pgbench 11 or later",
    version,
    remedy: "install it (Debian and Ubuntu: the package postgresql-contrib or postgresql-client), or \
             leave out `cross_check`",
};

/// The scripts that it has itself, as weighin has them.
const OWN: [&str; 3] = ["tpcb-like", "simple-update", "select-only"];
/// How long it may take beyond the load itself, to connect a thousand clients and to end.
const EXTRA_TIME: Duration = Duration::from_secs(120);
/// Threads, where it has as many clients.
const THREADS: u32 = 2;

/// The installed pgbench.
#[derive(Clone, Debug)]
pub struct Pgbench(Program);

/// Where a server is and who logs in. `Debug` does not show the password.
#[derive(Clone)]
pub struct PgbenchServer {
    pub address: Address,
    pub user: String,
    /// Empty for none.
    pub password: Vec<u8>,
    pub database: String,
    pub encryption: libpq::Encryption,
}

impl std::fmt::Debug for PgbenchServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { address, user, database, .. } = self;
        write!(f, "PgbenchServer({user} at {address:?}, database {database})")
    }
}

impl Pgbench {
    /// Finds pgbench on the `PATH` of a host.
    ///
    /// # Errors
    /// `MissingProgram` when it is not there, or too old.
    pub fn find(host: &Arc<dyn Host>) -> Result<Self, Failure> {
        Program::find(host, &PGBENCH).map(Self)
    }

    /// Name and version, such as `pgbench 15.18`.
    pub fn name(&self) -> String {
        self.0.name()
    }

    /// Why it cannot run a workload; `None` when it can.
    pub fn unsupported(workload: &Transactions) -> Option<&'static str> {
        let own =
            |text: &str| OWN.iter().any(|name| builtin(name).is_some_and(|it| it.text == text));
        let mut all = workload.transactions.iter();
        if !all.clone().all(|one| own(&one.script.text)) {
            Some("it is given only the scripts that it has itself (builtin:tpcb-like and such)")
        } else if all.any(|one| one.think_time.is_some()) {
            Some("it has no pauses between transactions")
        } else {
            None
        }
    }

    /// Runs a load and reads what it prints; `None` when `stop` said so. The password is not on its
    /// command line.
    ///
    /// # Errors
    /// What it complains of; `TimedOut` when it does not end; when its report is not understood.
    pub fn load(
        &self,
        server: &PgbenchServer,
        workload: &Transactions,
        load: SqlLoad,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Measured>, Failure> {
        let input = libpq::password_line(&server.password);
        let arguments = arguments(server, workload, load);
        let limit = load.duration + EXTRA_TIME;
        let slow = "see in pg_stat_activity what the server is waiting for";
        let order = ProgramOrder { input: &input, ..self.0.order(&arguments, limit) };
        let Some(finished) = self.0.run(&order, slow, stop)? else { return Ok(None) };
        if !finished.status.success() {
            return Err(complaint(&finished));
        }
        let figures = figures(&finished).map_err(|why| self.0.not_understood(&why))?;
        Ok(Some(Measured::from_finished(figures, &finished)))
    }
}

fn arguments(server: &PgbenchServer, workload: &Transactions, load: SqlLoad) -> Vec<String> {
    let PgbenchServer { address, user, database, encryption, .. } = server;
    let (host, port) = libpq::place(address, encryption);
    let mut arguments = vec![
        "--no-vacuum".to_owned(),
        format!("--host={host}"),
        format!("--port={port}"),
        format!("--username={user}"),
        format!("--client={}", load.clients),
        format!("--jobs={}", THREADS.min(load.clients)),
        format!("--time={}", load.duration.as_millis().div_ceil(1000).max(1)),
        format!("--protocol={}", if workload.prepared { "prepared" } else { "simple" }),
    ];
    arguments.extend(load.seed.map(|seed| format!("--random-seed={seed}")));
    arguments.extend(load.rate.map(|rate| format!("--rate={rate}")));
    for one in &workload.transactions {
        let name =
            OWN.iter().find(|name| builtin(name).is_some_and(|own| own.text == one.script.text));
        arguments.extend(name.map(|name| format!("--builtin={name}@{}", one.weight)));
    }
    for (name, value) in &workload.set {
        arguments.push(format!("--define={name}={}", defined(value)));
    }
    let words = libpq::database(database, address, encryption);
    arguments.push(format!("{words} passfile='/dev/stdin'"));
    arguments
}

fn defined(value: &SetValue) -> String {
    match value {
        SetValue::Integer(number) => number.to_string(),
        SetValue::Double(number) => number.to_string(),
        SetValue::Text(text) => text.clone(),
    }
}

fn figures(finished: &Finished) -> Result<CrossCheckFigures, String> {
    let printed = Printed::read("pgbench", &Report, &finished.stdout)?;
    let transactions = printed.number("transactions")?.value as u64;
    let rate = printed.number("transactions_per_s")?;
    let mean = printed.milliseconds("latency_avg").ok_or("pgbench printed no mean latency")?;
    Ok(CrossCheckFigures {
        transactions,
        // It counts no statements.
        queries: 0,
        errors: 0,
        elapsed: Duration::from_secs_f64(transactions as f64 / rate.value.max(1e-9)),
        transactions_per_second: rate.value,
        parts: Vec::new(),
        latency_mean_ms: mean,
        latency_p95_ms: None,
        cpu_seconds: finished.usage.cpu().as_secs_f64(),
        peak_rss_bytes: finished.usage.peak_rss_bytes,
        rate_rounding: 1.0 / transactions.max(1) as f64,
        percentile_rounding: 0.0,
    })
}

/// What pgbench said when it gave up.
fn complaint(finished: &Finished) -> Failure {
    let said = finished.stderr.lines().filter_map(|line| line.strip_prefix("pgbench: error: "));
    match said.take(2).collect::<Vec<_>>().join("; ") {
        none if none.is_empty() => Failure::new(
            FailureKind::Other,
            format!("pgbench ended with {}", finished.status),
            "run the same pgbench by hand to see all that it says",
        ),
        said => {
            let (kind, remedy) = libpq::trouble(&said);
            Failure::new(kind, format!("pgbench gave up: {said}"), remedy)
        }
    }
}

/// `15.18` of `pgbench (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)`.
fn version(says: &str) -> Option<&str> {
    let version = says.strip_prefix("pgbench (PostgreSQL) ")?.split_whitespace().next()?;
    let major = version.split(|c: char| !c.is_ascii_digit()).next()?.parse::<u32>().ok()?;
    (major >= 11).then_some(version)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{OwnData, Script, ScriptTransaction};
    use std::collections::BTreeMap;

    fn transactions(texts: &[(&str, u32)]) -> Transactions {
        let transaction = |&(text, weight): &(&str, u32)| ScriptTransaction {
            name: "one".to_owned(),
            script: Script { origin: "one".to_owned(), text: text.to_owned(), columns: Vec::new() },
            weight,
            think_time: None,
            slo: None,
            retry: false,
        };
        Transactions {
            transactions: texts.iter().map(transaction).collect(),
            set: BTreeMap::from([("scale".to_owned(), SetValue::Integer(7))]),
            prepared: true,
            writes: false,
            change_data: true,
            data: OwnData::default(),
        }
    }

    fn server() -> PgbenchServer {
        PgbenchServer {
            address: Address::Tcp(([127, 0, 0, 1], 5433).into()),
            user: "ann".to_owned(),
            password: b"secret".to_vec(),
            database: "shop".to_owned(),
            encryption: libpq::Encryption::Off,
        }
    }

    #[test]
    fn its_own_scripts_are_named_with_their_weights_and_no_password_is_shown() {
        let texts: Vec<String> = OWN[1..].iter().map(|name| builtin(name).unwrap().text).collect();
        let workload = transactions(&[(&texts[0], 1), (&texts[1], 9)]);
        assert_eq!(Pgbench::unsupported(&workload), None);
        let duration = Duration::from_millis(1500);
        let load = SqlLoad { clients: 4, rate: Some(50), duration, seed: Some(3) };
        let line = arguments(&server(), &workload, load).join(" ");
        for part in [
            "--builtin=simple-update@1 --builtin=select-only@9",
            "--define=scale=7",
            "--protocol=prepared",
            "--time=2",
            "--rate=50",
            "passfile='/dev/stdin'",
        ] {
            assert!(line.contains(part), "{part}: {line}");
        }
        assert!(!line.contains("secret") && !format!("{:?}", server()).contains("secret"));
    }

    #[test]
    fn what_it_cannot_be_given_is_said() {
        let own = builtin(OWN[0]).unwrap().text;
        assert!(Pgbench::unsupported(&transactions(&[("SELECT 1;", 1)])).is_some());
        let mut pausing = transactions(&[(&own, 1)]);
        pausing.transactions[0].think_time = Some(Duration::from_secs(1));
        assert!(Pgbench::unsupported(&pausing).is_some());
    }

    #[test]
    fn versions_are_told_apart() {
        let says = "pgbench (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)";
        assert_eq!(version(says), Some("15.18"));
        assert_eq!(version("pgbench (PostgreSQL) 9.6.1"), None);
        assert_eq!(version("pgbench-tools 15"), None);
    }
}
