//! Limits of the server on time that a study may meet.

use super::Server;
use model::{Needs, Test};
use std::time::Duration;
use system::Examination;

/// The longest that statements of a transaction take on a server that works.
const OF_TRANSACTIONS: Duration = Duration::from_secs(5);

pub(super) fn check(server: &mut Server<'_>, needs: &Needs, examination: &mut Examination<'_>) {
    statements(server, needs, examination);
    idle(server, examination);
}

/// A limit in milliseconds; `None` where there is none.
fn limit(server: &mut Server<'_>, name: &str) -> Option<Duration> {
    let sql = format!("SELECT setting FROM pg_settings WHERE name = '{name}'");
    let millis = server.value(&sql)?.parse().ok().filter(|&millis| millis > 0)?;
    Some(Duration::from_millis(millis))
}

/// What the server cuts off that takes long.
fn statements(server: &mut Server<'_>, needs: &Needs, examination: &mut Examination<'_>) {
    let longest = needs.longest_statement.unwrap_or(OF_TRANSACTIONS);
    for name in ["statement_timeout", "transaction_timeout"] {
        let Some(limit) = limit(server, name).filter(|&limit| limit < longest) else { continue };
        examination.found.warn(
            format!(
                "the server ends statements after {} s ({name}), and the study lets them take {} s",
                limit.as_secs_f64(),
                longest.as_secs_f64()
            ),
            format!("ALTER USER … SET {name} = 0: what is cut off is counted as failed"),
        );
    }
    if let Some(limit) = limit(server, "lock_timeout").filter(|&limit| limit < OF_TRANSACTIONS) {
        examination.found.note(
            format!(
                "statements that wait for a lock for {} s fail (lock_timeout)",
                limit.as_secs_f64()
            ),
            "ALTER USER … SET lock_timeout = 0, unless the study is about it",
        );
    }
}

/// Connections that wait: the one for control during a trial, and those of an open loop.
fn idle(server: &mut Server<'_>, examination: &mut Examination<'_>) {
    let loads = examination.study.tests.iter().filter_map(Test::load);
    let longest = loads.map(|load| load.warmup + load.duration).max().unwrap_or_default();
    if let Some(limit) = limit(server, "idle_session_timeout").filter(|&limit| limit < longest) {
        examination.found.warn(
            format!(
                "the server closes connections that were idle for {} s (idle_session_timeout), and a \
                 trial takes {} s: weighin cannot read the server's counters after it, and clients that \
                 wait are cut off",
                limit.as_secs_f64(),
                longest.as_secs()
            ),
            "ALTER USER … SET idle_session_timeout = 0 for the time of the study",
        );
    }
    let name = "idle_in_transaction_session_timeout";
    if let Some(limit) = limit(server, name).filter(|&limit| limit < Duration::from_secs(1)) {
        examination.found.warn(
            format!(
                "the server closes connections that do nothing within a transaction for {} s ({name}): a \
                 client that is slow for a moment is cut off",
                limit.as_secs_f64()
            ),
            format!("ALTER USER … SET {name} = 0 for the time of the study"),
        );
    }
}
