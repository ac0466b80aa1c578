//! States of a server that cost a load time, or save it, for another reason than the study's.

use super::Server;
use model::{Access, Failure, FailureKind, Needs};
use system::DataPlan;
use system::Diagnostics;
use workload::oltp::DEFAULT_ENGINE;

pub(super) fn check(
    server: &mut Server<'_>,
    needs: &Needs,
    plan: &DataPlan,
    found: &mut Diagnostics,
) {
    if plan.to_make() > 0 {
        engine(server, found);
    }
    if needs.access.contains(&Access::Read) {
        query_cache(server, found);
    }
    statement_logs(server, found);
    if server.control.server_version().to_lowercase().contains("debug") {
        found.warn(
            format!(
                "the server is a debug build ({}), which is several times slower than what people run",
                server.control.server_version()
            ),
            "measure a release build",
        );
    }
    if needs.writes() && !has_redo_log(server) {
        found.warn(
            "the redo log is disabled: writes are not durable and cost less than on any server in use",
            "ALTER INSTANCE ENABLE INNODB REDO_LOG",
        );
    }
    events(server, found);
}

/// From 8.0.21 on MySQL has a switch for it, to load data sooner.
fn has_redo_log(server: &mut Server<'_>) -> bool {
    let rows = server.rows("SHOW GLOBAL STATUS LIKE 'Innodb_redo_log_enabled'").unwrap_or_default();
    rows.first().and_then(|row| row.get("Value")).is_none_or(|value| value != "OFF")
}

/// Tables may not be made of the engine that they name, or are made of another without a word.
fn engine(server: &Server<'_>, found: &mut Diagnostics) {
    let is_default = |name: &str| name.trim().eq_ignore_ascii_case(DEFAULT_ENGINE);
    let enforced = server.text("enforce_storage_engine");
    let disabled = server.text("disabled_storage_engines").split(',').any(is_default);
    let (name, remedy) = if !matches!(enforced, "" | "NULL") && !is_default(enforced) {
        (format!("enforce_storage_engine = {enforced}"), "SET GLOBAL enforce_storage_engine = NULL")
    } else if disabled {
        (
            format!("disabled_storage_engines = {}", server.text("disabled_storage_engines")),
            "start the server without it",
        )
    } else {
        return;
    };
    found.error(Failure::new(
        FailureKind::NotPermitted,
        format!(
            "the server at {} makes no tables of {DEFAULT_ENGINE} ({name}), which test tables are of",
            server.control.endpoint()
        ),
        format!("{remedy}, or make the tables beforehand: weighin then uses them as they are"),
    ));
}

fn query_cache(server: &Server<'_>, found: &mut Diagnostics) {
    if server.is_on("query_cache_type")
        && server.number("query_cache_size").is_some_and(|size| size > 0)
    {
        found.warn(
            "the query cache is on: a read that was asked before is answered from it, and not from the \
             tables, as long as nobody writes to them",
            "SET GLOBAL query_cache_type = OFF, unless the study is about it",
        );
    }
}

/// Logs that get every statement.
fn statement_logs(server: &Server<'_>, found: &mut Diagnostics) {
    let kept = server.text("log_output") != "NONE";
    let zero = |name: &str| server.text(name).parse::<f64>().is_ok_and(|seconds| seconds == 0.0);
    let slow = server.is_on("slow_query_log") || server.is_on("log_slow_query");
    let logs = [
        (kept && server.is_on("general_log"), "the general log", "general_log = OFF"),
        (
            kept && slow && (zero("long_query_time") || zero("log_slow_query_time")),
            "the slow query log, whose limit is 0 s",
            "long_query_time = 10",
        ),
        (server.is_on("server_audit_logging"), "the audit log", "server_audit_logging = OFF"),
    ];
    for (_, log, set) in logs.into_iter().filter(|(on, ..)| *on) {
        found.warn(
            format!("every statement of a load is written to {log}: that is measured too"),
            format!("SET GLOBAL {set}, unless the study is about it"),
        );
    }
}

/// Work that the server begins by itself.
fn events(server: &mut Server<'_>, found: &mut Diagnostics) {
    if !server.is_on("event_scheduler") {
        return;
    }
    let sql = "SELECT COUNT(*) FROM information_schema.events WHERE status = 'ENABLED'";
    let count = server.value(sql).and_then(|count| count.parse::<u64>().ok()).unwrap_or(0);
    if count > 0 {
        found.warn(
            format!(
                "the event scheduler is on and runs {count} {} beside the trials, as far as the account \
                 sees",
                if count == 1 { "event" } else { "events" }
            ),
            "SET GLOBAL event_scheduler = OFF for the time of the study",
        );
    }
}
