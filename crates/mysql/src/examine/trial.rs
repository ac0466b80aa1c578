//! What an account may do, tried out with a table of weighin's own where the server, or a proxy before
//! it, gives no clear answer to statements on a table that does not exist.

use super::Server;
use super::rights::{Answer, Right, answer};
use crate::{connect, tables};
use host::random_hex;
use model::{Failure, FailureKind, Stop};
use std::collections::BTreeSet;

/// Tries rights that take a table; what came of each. Nothing where the account may not remove the
/// table again, or that is not known either.
///
/// # Errors
/// When the server is lost, or the table could not be removed.
pub(super) fn try_out(
    server: &mut Server<'_>,
    rights: &BTreeSet<Right>,
) -> Result<Vec<(Right, Answer)>, Failure> {
    // Without it the name might be somebody's.
    let Ok(random) = random_hex(8) else { return Ok(Vec::new()) };
    let name = format!("weighin_trial_{random}");
    let remove = format!("DROP TABLE IF EXISTS {name}");
    // It is not there yet: who may not remove it makes none.
    match answer(server.control.execute(&remove))? {
        Answer::May => {}
        Answer::ReadOnly(said) => return Ok(vec![(Right::Create, Answer::ReadOnly(said))]),
        Answer::Denied | Answer::Unclear(_) => return Ok(Vec::new()),
    }
    let tried = on_table(server, rights, &name);
    remove_table(server, &name, &remove)?;
    tried
}

/// Over another connection where the first is lost, also when somebody asked to stop.
fn remove_table(server: &mut Server<'_>, name: &str, sql: &str) -> Result<(), Failure> {
    if server.control.execute(sql).is_ok() {
        return Ok(());
    }
    let login = server.login.clone().stopped_by(&Stop::default());
    let removed = connect(&login).and_then(|mut other| {
        other.execute(sql).map(drop).map_err(|error| error.failure("DROP TABLE was refused"))
    });
    removed.map_err(|failure| {
        let database = &login.address().database;
        Failure::new(
            FailureKind::Statement,
            format!(
                "the table {name}, with which weighin tried what the account may do, could not be \
                 removed from the database {database}: {failure}"
            ),
            format!("remove it: {sql}"),
        )
    })
}

/// Makes the table and tries one right after another on it.
fn on_table(
    server: &mut Server<'_>,
    rights: &BTreeSet<Right>,
    name: &str,
) -> Result<Vec<(Right, Answer)>, Failure> {
    let made = answer(server.control.execute(&tables::trial_table(name)))?;
    if !matches!(made, Answer::May) {
        return Ok(vec![(Right::Create, made)]);
    }
    let mut tried = vec![(Right::Create, made)];
    // Rows first, then what changes the table, and what removes it last.
    for &right in rights.iter().filter(|right| **right != Right::Create) {
        let done = match right {
            Right::Select => server.control.query(&right.on(name)).map(|_| 0),
            _ => server.control.execute(&right.on(name)),
        };
        tried.push((right, answer(done)?));
    }
    Ok(tried)
}
