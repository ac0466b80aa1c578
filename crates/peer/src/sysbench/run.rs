use super::arguments::{Task, arguments};
use super::config::password_line;
use super::{Server, Sysbench, SysbenchResult, parse};
use crate::child::{self, Ended, Finished, Usage};
use model::{Failure, FailureKind, Oltp};
use std::process::Command;
use std::time::Duration;

/// How long sysbench may take beyond the load itself: to connect a thousand clients, and to wait
/// for what is under way.
const PATIENCE: Duration = Duration::from_secs(120);
/// How long making or dropping tables may take.
const LONGEST_PREPARATION: Duration = Duration::from_secs(6 * 3600);
/// Lines of complaint that a message repeats; with many threads each says the same.
const COMPLAINTS: usize = 2;

/// A load that came to its end.
#[derive(Clone, Debug)]
pub struct Load {
    /// What sysbench printed.
    pub result: SysbenchResult,
    /// What its process used from start to end.
    pub usage: Usage,
    /// From before its start until after its end: connecting included.
    pub elapsed: Duration,
}

impl Sysbench {
    /// Does one task on a server; `None` when `stop` said so. The password is not on its command
    /// line. `seed` makes it draw the same numbers again; otherwise it takes the clock.
    ///
    /// # Errors
    /// What sysbench complains of; `TimedOut` when it does not end.
    pub fn run(
        &self,
        server: &Server,
        workload: &Oltp,
        task: &Task,
        seed: Option<u32>,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Finished>, Failure> {
        let limit = match task {
            Task::Run { duration, .. } => *duration + PATIENCE,
            Task::Prepare { .. } | Task::Cleanup => LONGEST_PREPARATION,
        };
        let password = password_line(&server.password)?;
        let mut command = Command::new(self.program());
        if !password.is_empty() {
            command.arg("--config-file=/dev/stdin");
        }
        command.args(server.arguments()).args(arguments(workload, task, seed));
        match child::run(&mut command, &password, limit, stop) {
            Ok(Ended::Finished(finished)) if finished.status.success() => Ok(Some(finished)),
            Ok(Ended::Finished(finished)) => Err(complaint(&finished)),
            Ok(Ended::Stopped) => Ok(None),
            Ok(Ended::TimedOut) => Err(Failure::new(
                FailureKind::TimedOut,
                format!("sysbench did not end within {} s and was killed", limit.as_secs()),
                "see with SHOW PROCESSLIST what the server is waiting for",
            )),
            Err(error) => Err(Failure::new(
                FailureKind::Other,
                format!("sysbench could not be run: {error}"),
                "check the limits on processes and memory",
            )),
        }
    }

    /// Runs a load and reads what it prints; `None` when `stop` said so. `rate` offers so many
    /// transactions per second (open loop). A duration is rounded up to whole seconds.
    ///
    /// # Errors
    /// As [`Self::run`]; also when its output is not understood.
    pub fn load(
        &self,
        server: &Server,
        workload: &Oltp,
        (clients, rate): (u32, Option<u32>),
        duration: Duration,
        seed: Option<u32>,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Load>, Failure> {
        let task = Task::Run { clients, rate, duration };
        let Some(finished) = self.run(server, workload, &task, seed, stop)? else {
            return Ok(None);
        };
        let Finished { stdout, usage, elapsed, .. } = finished;
        match parse(&stdout) {
            Ok(result) => Ok(Some(Load { result, usage, elapsed })),
            Err(error) => Err(Failure::new(
                FailureKind::Other,
                error.to_string(),
                format!("run {} by hand to see what it prints", self.program().display()),
            )),
        }
    }
}

/// What sysbench said when it gave up.
fn complaint(finished: &Finished) -> Failure {
    let lines = finished.stderr.lines().chain(finished.stdout.lines());
    let mut said: Vec<&str> = Vec::new();
    for line in lines.filter_map(|line| line.strip_prefix("FATAL: ")) {
        if said.len() < COMPLAINTS && !said.contains(&line) {
            said.push(line);
        }
    }
    let (kind, remedy) =
        if said.is_empty() { (FailureKind::Other, "") } else { trouble(&said.join("\n")) };
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
