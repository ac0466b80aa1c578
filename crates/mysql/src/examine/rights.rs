//! Whether the account may do what the tests will, and the server lets it.
//!
//! The server itself is asked, which knows roles, wildcards and revoked parts better than any reading
//! of its grants: by statements on a table that does not exist. It looks at rights, and whether it is
//! read-only, before it looks for the table. Statements on tables that do exist are explained and not
//! run.

use super::Server;
use crate::client::{ClientError, Connection};
use crate::connect;
use crate::replication::HEARTBEAT;
use host::random_hex;
use model::{Access, Failure, FailureKind, Needs, Stop};
use sql::Control;
use sql::tables::mark;
use std::collections::{BTreeMap, BTreeSet};
use system::DataPlan;
use system::Diagnostics;

/// The account may not.
const DENIED: [u16; 5] = [1044, 1142, 1143, 1227, 1370];
/// The server, or the transaction, is read-only.
const READ_ONLY: [u16; 3] = [1290, 1792, 1836];

/// Rights of accounts on a database, in the words of GRANT. In this order they can be tried on a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Right {
    Select,
    Insert,
    Update,
    Delete,
    Create,
    Alter,
    Index,
    Drop,
}

impl Right {
    fn for_access(access: Access) -> Self {
        match access {
            Access::Read => Self::Select,
            Access::Insert => Self::Insert,
            Access::Update => Self::Update,
            Access::Delete => Self::Delete,
            Access::Alter => Self::Alter,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Select => "SELECT",
            Self::Insert => "INSERT",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
            Self::Create => "CREATE",
            Self::Drop => "DROP",
            Self::Alter => "ALTER",
            Self::Index => "INDEX",
        }
    }

    /// A statement that takes this right and changes nothing. `there` is a table for those that are
    /// explained, `none` the name of one that does not exist, and neither does one with `2` behind it.
    fn attempt(self, there: &str, none: &str) -> String {
        match self {
            Self::Select => format!("EXPLAIN SELECT 1 FROM {there}"),
            Self::Insert => format!("EXPLAIN INSERT INTO {there} (id) VALUES (0)"),
            Self::Update => format!("EXPLAIN UPDATE {there} SET id = 0 WHERE id = 0"),
            Self::Delete => format!("EXPLAIN DELETE FROM {there} WHERE id = 0"),
            Self::Create => format!("CREATE TABLE {none} LIKE {none}2"),
            Self::Drop => format!("DROP TABLE {none}"),
            Self::Alter => format!("ALTER TABLE {none} COMMENT 'weighin'"),
            Self::Index => format!("CREATE INDEX k ON {none} (k)"),
        }
    }

    /// A statement that takes this right on a table that weighin made to try it
    /// ([`trial_table`]).
    pub(super) fn on(self, table: &str) -> String {
        match self {
            Self::Select => format!("SELECT id FROM {table}"),
            Self::Insert => format!("INSERT INTO {table} VALUES (1, 1)"),
            Self::Update => format!("UPDATE {table} SET k = 2 WHERE id = 1"),
            Self::Delete => format!("DELETE FROM {table} WHERE id = 1"),
            Self::Create => trial_table(table),
            Self::Drop => format!("DROP TABLE {table}"),
            Self::Alter => format!("ALTER TABLE {table} ADD c INT"),
            Self::Index => format!("CREATE INDEX k ON {table} (k)"),
        }
    }
}

/// What makes a table by which it is tried what an account may do.
fn trial_table(name: &str) -> String {
    let columns = "id INT NOT NULL PRIMARY KEY, k INT NOT NULL";
    Connection::definition(name, columns, &mark::of_purpose("a trial of rights"))
}

/// What the server says to an attempt.
pub(super) enum Answer {
    May,
    Denied,
    ReadOnly(String),
    Unclear(String),
}

/// Tries all rights that the tests and making their data take; `makes_own_again` says whether a table of
/// weighin's own takes the place of an earlier one.
pub(super) fn check(
    server: &mut Server<'_>,
    needs: &Needs,
    plan: &DataPlan,
    kept: &[String],
    makes_own_again: bool,
    found: &mut Diagnostics,
) -> Result<(), Failure> {
    let mut rights: BTreeSet<Right> =
        needs.access.iter().map(|&access| Right::for_access(access)).collect();
    if needs.access.contains(&Access::Alter) {
        // A table that is copied is made anew.
        rights.extend([Right::Create, Right::Insert, Right::Index]);
    }
    if plan.to_make() > 0 {
        rights.extend([Right::Create, Right::Insert, Right::Select, Right::Alter, Right::Index]);
    }
    if !plan.replace.is_empty() {
        rights.insert(Right::Drop);
    }
    if needs.own_table {
        rights.insert(Right::Create);
    }
    if makes_own_again {
        rights.insert(Right::Drop);
    }
    if !server.setting.is_private && !server.setting.replicas.is_empty() {
        // By the rows of a table of its own weighin sees how far replicas are behind.
        rights.extend([Right::Select, Right::Insert, Right::Delete]);
        if HEARTBEAT.is_ours(server.control)?.is_none() {
            rights.insert(Right::Create);
        }
    }
    let none = format!("weighin_none_{}", random_hex(8).unwrap_or_default());
    let there = kept.first().map_or(none.as_str(), String::as_str);
    let mut answers = BTreeMap::new();
    for right in rights {
        answers.insert(right, answer(server.control.execute(&right.attempt(there, &none)))?);
    }
    let unclear =
        |(&right, answer): (&Right, &Answer)| matches!(answer, Answer::Unclear(_)).then_some(right);
    let unclear: BTreeSet<Right> = answers.iter().filter_map(unclear).collect();
    // Where the study makes tables itself, so may this.
    let may_try = plan.to_make() > 0 || needs.own_table;
    if !unclear.is_empty() && may_try {
        let tried = try_out(server, &unclear)?;
        answers.extend(tried);
    }
    let mut denied = Vec::new();
    let mut read_only = None;
    for (right, answer) in answers {
        match answer {
            Answer::May => {}
            Answer::Denied => denied.push(right.name()),
            Answer::ReadOnly(said) => read_only = read_only.or(Some(said)),
            Answer::Unclear(said) => found.warn(
                format!("whether the account may {} could not be found out: {said}", right.name()),
                match may_try {
                    true => "look at SHOW GRANTS, or name the server itself in place of a proxy",
                    false => {
                        "look at SHOW GRANTS, or name the server itself in place of a proxy; the study \
                         makes no tables, so that weighin does not try it with one either"
                    }
                },
            ),
        }
    }
    if let Some(said) = read_only {
        found.error(refuses_writes(server, &said));
    }
    if !denied.is_empty() {
        found.error(lacks(server, &denied.join(", ")));
    }
    Ok(())
}

pub(super) fn answer(tried: Result<u64, ClientError>) -> Result<Answer, Failure> {
    let error = match tried {
        Ok(_) => return Ok(Answer::May),
        Err(error) => error,
    };
    Ok(match error.code() {
        // There is no such table: the account may.
        Some(1051 | 1146) => Answer::May,
        Some(code) if DENIED.contains(&code) => Answer::Denied,
        Some(code) if READ_ONLY.contains(&code) => Answer::ReadOnly(error.to_string()),
        Some(_) => Answer::Unclear(error.to_string()),
        None => return Err(error.failure("cannot find out what the account may do")),
    })
}

fn lacks(server: &mut Server<'_>, rights: &str) -> Failure {
    let database = &server.login.address().database;
    let (database, quoted) = (database.clone(), format!("`{}`", database.replace('`', "``")));
    let account = account(server);
    Failure::new(
        FailureKind::AccessDenied,
        format!("the account {account} lacks {rights} on the database {database}"),
        format!("as an administrator: GRANT {rights} ON {quoted}.* TO {account}"),
    )
}

/// The account that the server took the login for, as SQL has it.
pub(super) fn account(server: &mut Server<'_>) -> String {
    let known = server.value("SELECT CURRENT_USER()");
    let known = known.unwrap_or_else(|| server.login.credentials().user.clone());
    let (user, host) = known.rsplit_once('@').unwrap_or((&known, "%"));
    format!("'{user}'@'{host}'")
}

fn refuses_writes(server: &mut Server<'_>, said: &str) -> Failure {
    let on = ["innodb_read_only", "super_read_only", "read_only", "transaction_read_only"];
    let on = on.into_iter().chain(["tx_read_only"]).find(|name| server.is_on(name));
    let remedy = match on {
        Some("innodb_read_only") => {
            "name the server that takes writes, in a cluster of Aurora the writer's endpoint"
                .to_owned()
        }
        Some(name) => format!(
            "name the server that takes writes, where this is a replica; else SET GLOBAL {name} = 0"
        ),
        None => "name a server that takes writes".to_owned(),
    };
    let endpoint = server.control.endpoint();
    let message = format!("the server at {endpoint} does not let this account write: {said}");
    Failure::new(FailureKind::NotPermitted, message, remedy)
}

/// Tries rights that take a table; what came of each. Nothing where the account may not remove the
/// table again, or that is not known either.
///
/// # Errors
/// When the server is lost, or the table could not be removed.
fn try_out(
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
    let made = answer(server.control.execute(&trial_table(name)))?;
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
