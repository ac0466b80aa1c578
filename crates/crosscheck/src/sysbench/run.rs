use super::arguments::{Task, arguments};
use super::config::password_line;
use super::output::figures;
use super::{Driver, Server, Sysbench};
use crate::{Measured, SqlLoad, libpq};
use host::{Finished, ProgramOrder};
use model::{Failure, FailureKind, Oltp};
use std::time::Duration;

/// How long sysbench may take beyond the load itself: to connect a thousand clients, and to wait
/// for what is under way.
const EXTRA_TIME: Duration = Duration::from_secs(120);
/// How long making or dropping tables may take.
const LONGEST_PREPARATION: Duration = Duration::from_secs(6 * 3600);
/// Lines of complaint that a message repeats; with many threads each says the same.
const COMPLAINTS: usize = 2;

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
        let figures = figures(&finished.stdout, &finished.usage);
        let figures = figures.map_err(|why| self.0.not_understood(&why))?;
        Ok(Some(Measured::from_finished(figures, &finished)))
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
