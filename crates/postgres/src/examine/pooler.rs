//! A pooler between weighin and the server, and what it does not pass on.

use crate::client::{ClientError, Connection, connect};
use crate::facts::value;
use model::{Failure, FailureKind, Test, Workload};
use std::time::Duration;
use system::{Examination, Login};

const PROCESS: &str = "SELECT pg_backend_pid()";
/// How long it is waited for an answer that may not come.
const ANSWER_LIMIT: Duration = Duration::from_secs(5);

/// What its sessions are.
enum Pooled {
    /// Each has a process of the server's as long as it is open.
    Sessions,
    /// Each has one as long as a transaction takes.
    Transactions { keeps_prepared: bool },
}

pub(super) fn check(
    login: &Login,
    control: &mut Connection,
    examination: &mut Examination<'_>,
) -> Result<(), Failure> {
    let Some(pooled) = find(login, control)? else { return Ok(()) };
    let (endpoint, found) = (control.endpoint().to_string(), &mut *examination.found);
    let workloads = || examination.study.tests.iter().filter_map(Test::workload);
    let kind = match pooled {
        Pooled::Sessions => "a pooler",
        Pooled::Transactions { .. } => "a pooler that shares the server's sessions by transactions",
    };
    found.note(
        format!("{endpoint} is {kind}: it is measured too, and the server sees its connections"),
        "",
    );
    if matches!(pooled, Pooled::Transactions { keeps_prepared: false })
        && workloads().any(prepares_statements)
    {
        found.error(Failure::new(
            FailureKind::NotPermitted,
            format!(
                "the pooler at {endpoint} shares the server's sessions by transactions and keeps no \
                 prepared statements, and the study prepares some"
            ),
            "set prepared = false with the test, update PgBouncer to 1.21 with \
             max_prepared_statements, or connect to the server itself",
        ));
    }
    if workloads().any(sql::only_reads) {
        found.keep(Connection::open_to_read(login).map(drop))?;
    }
    Ok(())
}

fn prepares_statements(workload: &Workload) -> bool {
    match workload {
        Workload::Oltp(oltp) => oltp.prepared,
        workload => workload.transactions().is_some_and(|own| own.prepared),
    }
}

/// A pooler tells a number of its own for the process that serves a session.
fn find(login: &Login, control: &mut Connection) -> Result<Option<Pooled>, Failure> {
    let own = control.backend_process().to_string();
    match value(control, PROCESS) {
        Some(process) if process != own => pooled(login).map(Some),
        _ => Ok(None),
    }
}

/// Two sessions at once: where the second begins a transaction on the process that has just served the
/// first, the first has none of its own, and what it prepared there is out of its reach.
fn pooled(login: &Login) -> Result<Pooled, Failure> {
    let failed = |error: ClientError| error.failure("cannot find out what the pooler shares");
    let (mut one, mut other) = (connect(login)?, connect(login)?);
    one.set_answer_limit(ANSWER_LIMIT);
    let name = host::random_hex(6).map_err(|error| {
        Failure::new(FailureKind::Other, format!("cannot make a name: {error}"), "")
    })?;
    one.prepare(&name, "SELECT 1").map_err(failed)?;
    let served = value(&mut one, PROCESS);
    other.execute("BEGIN").map_err(failed)?;
    if value(&mut other, PROCESS) != served {
        return Ok(Pooled::Sessions);
    }
    // Where the pooler has one process alone, nobody answers before the transaction ends.
    let keeps_prepared = !matches!(one.find_prepared(&name), Err(ClientError::Server(_)));
    other.execute("ROLLBACK").map_err(failed)?;
    // It would stay with the process; where another one gets this, it does.
    let _ = one.execute(&format!("DEALLOCATE \"{name}\""));
    Ok(Pooled::Transactions { keeps_prepared })
}
