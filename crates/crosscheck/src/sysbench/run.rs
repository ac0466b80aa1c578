use super::arguments::{Task, arguments};
use super::config::password_line;
use super::{Driver, Server, Sysbench, SysbenchResult, parse};
use crate::{Measured, SqlLoad, libpq};
use host::{Finished, ProgramOrder, Usage};
use model::{CrossCheckFigures, Failure, FailureKind, Oltp};
use std::time::Duration;

/// How long sysbench may take beyond the load itself: to connect a thousand clients, and to wait
/// for what is under way.
const EXTRA_TIME: Duration = Duration::from_secs(120);
/// How long making or dropping tables may take.
const LONGEST_PREPARATION: Duration = Duration::from_secs(6 * 3600);
/// Lines of complaint that a message repeats; with many threads each says the same.
const COMPLAINTS: usize = 2;

/// How far sysbench's percentile may be off: it counts latencies in 1024 classes, even on the
/// logarithmic scale, from 1 µs to 100 s, and 10^(8/1024) is 1.018.
const PERCENTILE_ROUNDING: f64 = 0.018;

impl Sysbench {
    /// Does one task on a server; `None` when `stop` said so. The password is not on its command
    /// line.
    ///
    /// # Errors
    /// What sysbench complains of; `TimedOut` when it does not end.
    pub fn run(
        &self,
        server: &Server,
        workload: &Oltp,
        task: &Task,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Finished>, Failure> {
        let limit = match task {
            Task::Run(load) => load.duration + EXTRA_TIME,
            Task::Prepare { .. } | Task::Cleanup => LONGEST_PREPARATION,
        };
        let password = password_line(&server.driver, &server.password)?;
        let mut all = Vec::new();
        if !password.is_empty() {
            all.push("--config-file=/dev/stdin".to_owned());
        }
        all.extend(server.arguments());
        all.extend(arguments(&server.driver, workload, task));
        let slow = match server.driver {
            Driver::Mysql { .. } => "see with SHOW PROCESSLIST what the server is waiting for",
            Driver::Pgsql(_) => "see in pg_stat_activity what the server is waiting for",
        };
        let order = ProgramOrder { input: &password, ..self.0.order(&all, limit) };
        match self.0.run(&order, slow, stop)? {
            Some(finished) if !finished.status.success() => {
                Err(complaint(&server.driver, &finished))
            }
            ended => Ok(ended),
        }
    }

    /// Runs a load and reads what it prints; `None` when `stop` said so.
    ///
    /// # Errors
    /// As [`Self::run`]; also when its output is not understood.
    pub fn load(
        &self,
        server: &Server,
        workload: &Oltp,
        load: SqlLoad,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Measured>, Failure> {
        let Some(finished) = self.run(server, workload, &Task::Run(load), stop)? else {
            return Ok(None);
        };
        let result = parse(&finished.stdout);
        let result = result.map_err(|error| self.0.not_understood(&error.to_string()))?;
        let figures = figures(&result, &finished.usage);
        Ok(Some(Measured::from_finished(figures, &finished)))
    }
}

fn figures(result: &SysbenchResult, usage: &Usage) -> CrossCheckFigures {
    CrossCheckFigures {
        transactions: result.transactions,
        queries: result.queries.total,
        errors: result.errors,
        elapsed: result.elapsed,
        transactions_per_second: result.transactions_per_second,
        parts: Vec::new(),
        latency_mean_ms: result.latency_mean_ms,
        latency_p95_ms: result.percentile.map(|percentile| percentile.ms),
        cpu_seconds: usage.cpu().as_secs_f64(),
        peak_rss_bytes: usage.peak_rss_bytes,
        rate_rounding: 1.0 / result.transactions.max(1) as f64,
        percentile_rounding: PERCENTILE_ROUNDING,
    }
}

/// What sysbench said when it gave up.
fn complaint(driver: &Driver, finished: &Finished) -> Failure {
    let lines = finished.stderr.lines().chain(finished.stdout.lines());
    let mut said: Vec<&str> = Vec::new();
    for line in lines.filter_map(|line| line.strip_prefix("FATAL: ")) {
        if said.len() < COMPLAINTS && !said.contains(&line) {
            said.push(line);
        }
    }
    let (kind, remedy) = match driver {
        _ if said.is_empty() => (FailureKind::Other, ""),
        Driver::Mysql { .. } => trouble(&said.join("\n")),
        Driver::Pgsql(_) => libpq::trouble(&said.join("\n")),
    };
    let message = match said.join("; ") {
        none if none.is_empty() => format!("sysbench ended with {}", finished.status),
        said => format!("sysbench gave up: {said}"),
    };
    Failure::new(kind, message, remedy)
}

/// What kind of trouble it is, by the server's and the client library's error codes.
fn trouble(said: &str) -> (FailureKind, &'static str) {
    let code = |codes: &[&str]| {
        codes.iter().any(|code| {
            said.contains(&format!("error {code}")) || said.contains(&format!("error: {code}"))
        })
    };
    if code(&["1045", "1044", "1698"]) {
        (FailureKind::AccessDenied, "check user, password and rights")
    } else if code(&["1049"]) {
        (FailureKind::MissingDatabase, "create the database")
    } else if code(&["1146"]) {
        (FailureKind::MissingTables, "prepare the tables anew with weighin prepare")
    } else if code(&["1040", "1203", "1461"]) {
        (
            FailureKind::TooFewConnections,
            "raise the server's max_connections or max_prepared_stmt_count",
        )
    } else if code(&["2002", "2003", "2005"]) {
        (FailureKind::Unreachable, "see whether the server runs and listens there")
    } else if code(&["2006", "2013", "1053"]) {
        (FailureKind::ServerLost, "see whether the server runs, and look into its error log")
    } else {
        (FailureKind::Other, "run the same sysbench by hand to see all that it says")
    }
}
