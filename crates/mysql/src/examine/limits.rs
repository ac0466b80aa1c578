//! Limits of the server that a study may meet: on time, files and cached tables.

use super::Server;
use model::{Failure, FailureKind, Needs, Study, Test};
use std::time::Duration;
use system::{Examination, connections};

/// Files of a server besides one for each connection: tables, logs, temporary files.
const OTHER_FILES: u64 = 100;
/// The longest wait for the network that a client should not exceed by being busy.
const LEAST_NETWORK_TIMEOUT: u64 = 5;

pub(super) fn check(server: &mut Server<'_>, needs: &Needs, examination: &mut Examination<'_>) {
    files(server, examination);
    statements(server, needs, examination);
    idle(server, examination);
}

fn files(server: &Server<'_>, examination: &mut Examination<'_>) {
    let clients = most_clients(examination.study);
    let tables = sql::data::test_tables(examination.study).map(|oltp| u64::from(oltp.tables)).max();
    let needed = clients + tables.unwrap_or(0) + OTHER_FILES;
    let endpoint = server.control.endpoint();
    if let Some(limit) = server.number("open_files_limit").filter(|&limit| limit > 0)
        && limit < needed
    {
        examination.found.error(Failure::new(
            FailureKind::TooFewConnections,
            format!(
                "the server at {endpoint} may open {limit} files and sockets (open_files_limit), and \
                 {clients} clients and their tables need {needed}"
            ),
            format!(
                "start it with open_files_limit = {needed} (LimitNOFILE of its systemd unit), or run \
                 fewer clients"
            ),
        ));
    }
    if let Some(cached) = server.number("table_open_cache").filter(|&cached| cached < clients) {
        examination.found.warn(
            format!(
                "the server keeps {cached} tables open (table_open_cache), and {clients} clients use \
                 at least one each: it will open and close tables all the time"
            ),
            format!("SET GLOBAL table_open_cache = {}, or run fewer clients", clients * 2),
        );
    }
}

/// What the server cuts off that takes long.
fn statements(server: &mut Server<'_>, needs: &Needs, examination: &mut Examination<'_>) {
    let Some(longest) = needs.longest_statement else { return };
    // Of the session: an account may have a limit of its own.
    for (name, unit) in [
        ("max_statement_time", Duration::from_secs(1)),
        ("max_execution_time", Duration::from_millis(1)),
    ] {
        let sql = format!("SELECT @@SESSION.{name}");
        let limit = server.value(&sql).and_then(|value| value.parse::<f64>().ok());
        let Some(limit) = limit.filter(|&limit| limit > 0.0) else { continue };
        let limit = unit.mul_f64(limit.min(1e9));
        if limit < longest {
            examination.found.warn(
                format!(
                    "the server ends statements after {} s ({name}), and the study lets them take {} s",
                    limit.as_secs_f64(),
                    longest.as_secs_f64()
                ),
                format!(
                    "SET GLOBAL {name} = 0 (or without MAX_STATEMENT_TIME in CREATE USER), or a \
                     shorter `timeout` in the test: what is cut off is a trial that failed"
                ),
            );
        }
    }
}

/// Connections that wait: the one for control during a trial, and those of an open loop.
fn idle(server: &Server<'_>, examination: &mut Examination<'_>) {
    let loads = examination.study.tests.iter().filter_map(Test::load);
    let longest = loads.map(|load| load.warmup + load.duration).max().unwrap_or_default();
    if let Some(limit) = server.number("wait_timeout").filter(|&limit| limit < longest.as_secs()) {
        let needed = longest.as_secs() + 60;
        examination.found.warn(
            format!(
                "the server closes connections that were idle for {limit} s (wait_timeout), and a \
                 trial takes {} s: weighin cannot read the server's counters after it, and clients \
                 that wait are cut off",
                longest.as_secs()
            ),
            format!("SET GLOBAL wait_timeout = {needed} for the time of the study"),
        );
    }
    for name in ["net_read_timeout", "net_write_timeout"] {
        if let Some(limit) = server.number(name).filter(|&limit| limit < LEAST_NETWORK_TIMEOUT) {
            examination.found.warn(
                format!("the server gives up a connection that stalls for {limit} s ({name})"),
                format!("SET GLOBAL {name} = 30 for the time of the study"),
            );
        }
    }
}

/// The most connections at a time, weighin's own among them.
fn most_clients(study: &Study) -> u64 {
    let of_test = |test: &Test| {
        let (_, clients) = test.most_clients()?;
        let acts = test.load().map_or(0, |load| load.interventions.len());
        Some(connections::needed(clients, acts))
    };
    study.tests.iter().filter_map(of_test).max().unwrap_or(0)
}
