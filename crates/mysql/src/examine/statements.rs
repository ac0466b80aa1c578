//! The user's own statements: whether the server takes them. It is had prepare them, which checks their
//! words and the account's rights and runs nothing.

use super::Server;
use model::{Failure, FailureKind, Needs};
use system::Diagnostics;

/// The account may not.
const DENIED: [u16; 4] = [1044, 1142, 1143, 1227];
/// It cannot be prepared, and can be run nevertheless.
const NOT_PREPARED: u16 = 1295;
/// There is no such table.
const NO_TABLE: u16 = 1146;

/// `makes_data`: tables may be missing that are made before the statements run.
pub(super) fn check(
    server: &mut Server<'_>,
    needs: &Needs,
    makes_data: bool,
    found: &mut Diagnostics,
) {
    for (name, sql) in &needs.own_statements {
        // Several statements in one cannot be prepared.
        let sql = sql.trim().trim_end_matches(';');
        if sql.contains(';') {
            continue;
        }
        let quoted = sql.replace('\\', "\\\\").replace('\'', "\\'");
        let prepared = server.control.execute(&format!("PREPARE weighin FROM '{quoted}'"));
        let Err(error) = prepared else {
            // It ends with the session at the latest.
            let _ = server.control.execute("DEALLOCATE PREPARE weighin");
            continue;
        };
        let said = format!("the statement {name} would fail: {error}");
        match error.code() {
            Some(code) if DENIED.contains(&code) => found.error(Failure::new(
                FailureKind::AccessDenied,
                said,
                "grant the account what the message names",
            )),
            Some(NOT_PREPARED) | None => {}
            Some(NO_TABLE) if makes_data => {}
            Some(_) => {
                found
                    .warn(said, "correct the statement, or expect trials that fail on this target");
            }
        }
    }
}
