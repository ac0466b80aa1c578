//! States of a server that cost a load time, or save it, for another reason than the study's.

use super::{Server, warn_if};
use model::Needs;
use system::{DataPlan, Diagnostics};

pub(super) fn check(
    server: &mut Server<'_>,
    needs: &Needs,
    plan: &DataPlan,
    found: &mut Diagnostics,
) {
    let writes = needs.writes() || plan.to_make() > 0;
    if needs.writes() {
        durability(server, found);
    }
    if writes {
        warn_if(
            found,
            server.is_off("autovacuum"),
            "autovacuum is off: dead rows stay, tables grow, and later trials are slower than earlier ones",
            "ALTER SYSTEM SET autovacuum = on; SELECT pg_reload_conf()",
        );
    }
    statement_logs(server, found);
    builds(server, found);
    wraparound(server, found);
}

/// Whether a transaction that was acknowledged survives: nothing else makes servers differ as much.
fn durability(server: &Server<'_>, found: &mut Diagnostics) {
    // On a private server the study has chosen it.
    if server.setting.is_private {
        return;
    }
    warn_if(
        found,
        server.is_off("fsync"),
        "fsync is off: nothing of what was acknowledged is sure to survive the machine, and writes cost \
         less than on any server in use",
        "ALTER SYSTEM SET fsync = on; SELECT pg_reload_conf()",
    );
    warn_if(
        found,
        server.is_off("full_page_writes"),
        "full_page_writes is off: a page that is half written when the machine goes down is lost, and \
         writes cost less after checkpoints",
        "ALTER SYSTEM SET full_page_writes = on, unless the file system writes whole pages or none",
    );
    if server.is_off("synchronous_commit") {
        found.note(
            "commits are acknowledged before they are on disk (synchronous_commit = off): the last ones \
             before a crash are lost",
            "SET synchronous_commit = on for the account, unless the study is about it",
        );
    }
    if server.is_off("data_checksums") {
        found.note("pages have no checksums (data_checksums = off)", "");
    }
}

/// Logs that get every statement.
fn statement_logs(server: &Server<'_>, found: &mut Diagnostics) {
    for (name, logs) in [
        ("log_statement", server.text("log_statement") == "all"),
        ("log_min_duration_statement", server.text("log_min_duration_statement") == "0"),
        ("log_duration", server.text("log_duration") == "on"),
    ] {
        warn_if(
            found,
            logs,
            &format!(
                "the server writes every statement to its log ({name}), which costs each of them"
            ),
            &format!("ALTER SYSTEM RESET {name}; SELECT pg_reload_conf()"),
        );
    }
}

fn builds(server: &Server<'_>, found: &mut Diagnostics) {
    warn_if(
        found,
        server.text("debug_assertions") == "on",
        "the server is a debug build (debug_assertions), which is slower than what people run",
        "measure a release build",
    );
}

/// Below so many transactions the server freezes old rows with all its force.
const NEAR_WRAPAROUND: u64 = 200_000_000;

fn wraparound(server: &mut Server<'_>, found: &mut Diagnostics) {
    let sql = "SELECT 2147483647 - max(age(datfrozenxid)) FROM pg_database";
    let left = server.value(sql).and_then(|left| left.parse::<u64>().ok());
    if let Some(left) = left.filter(|&left| left < NEAR_WRAPAROUND) {
        found.warn(
            format!(
                "{left} transactions are left until their numbers run out (wraparound): the server is \
                 busy freezing old rows, or will refuse writes"
            ),
            "VACUUM FREEZE the databases with the oldest datfrozenxid first",
        );
    }
}
