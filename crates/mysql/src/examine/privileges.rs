//! Rights on the server as a whole that the user's own statements take. Preparing such a statement
//! does not look at them, so that what takes the same right and changes nothing is run in its place.

use super::Server;
use super::rights::account;
use host::random_hex;
use model::{Failure, FailureKind, Needs};
use system::Diagnostics;

/// The account lacks a right on the server as a whole.
const DENIED: u16 = 1227;
/// What has a right of its own in MySQL 8, which cannot be tried without doing it.
const OF_THEIR_OWN: [&str; 3] = ["STATUS", "USER_RESOURCES", "OPTIMIZER_COSTS"];
/// Words that say how a FLUSH is logged, and not what is flushed.
const LOGGING: [&str; 2] = ["NO_WRITE_TO_BINLOG", "LOCAL"];

/// Rights on the server as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Privilege {
    /// To see what others do, and InnoDB's own state.
    Process,
    /// To flush tables, for which MySQL has a right of its own as well.
    FlushTables,
    /// To flush or reset anything else.
    Reload,
}

impl Privilege {
    /// What a statement takes; `None` where none of these, or where that cannot be tried.
    fn from_statement(sql: &str) -> Option<Self> {
        let upper = sql.to_uppercase();
        let mut words = upper.split_whitespace().filter(|word| !LOGGING.contains(word));
        match (words.next()?, words.next().unwrap_or_default()) {
            ("FLUSH", "TABLE" | "TABLES") => Some(Self::FlushTables),
            ("FLUSH", what) if OF_THEIR_OWN.contains(&what) => None,
            ("FLUSH" | "RESET", _) => Some(Self::Reload),
            ("SHOW", "ENGINE") => Some(Self::Process),
            _ if upper.contains("INFORMATION_SCHEMA.INNODB_") => Some(Self::Process),
            _ => None,
        }
    }

    fn name(self, said: &str) -> &'static str {
        match self {
            Self::Process => "PROCESS",
            // From MySQL 8.0.23 on, whose message names it.
            Self::FlushTables if said.contains("FLUSH_TABLES") => "FLUSH_TABLES",
            Self::FlushTables | Self::Reload => "RELOAD",
        }
    }

    /// A statement that takes it and changes nothing, also not the binary log.
    fn attempt(self, is_mariadb: bool) -> String {
        let none = format!("weighin_none_{}", random_hex(8).unwrap_or_default());
        match self {
            Self::Process => "SHOW ENGINE INNODB STATUS".to_owned(),
            // Replication by that name is not there, which the server says once it has looked at rights.
            Self::Reload if !is_mariadb => {
                format!("FLUSH NO_WRITE_TO_BINLOG RELAY LOGS FOR CHANNEL '{none}'")
            }
            Self::FlushTables | Self::Reload => format!("FLUSH NO_WRITE_TO_BINLOG TABLES {none}"),
        }
    }
}

pub(super) fn check(server: &mut Server<'_>, needs: &Needs, found: &mut Diagnostics) {
    for (name, sql) in &needs.own_statements {
        let Some(privilege) = Privilege::from_statement(sql) else { continue };
        let Some(said) = denied(server, privilege) else { continue };
        let (right, account) = (privilege.name(&said), account(server));
        found.error(Failure::new(
            FailureKind::AccessDenied,
            format!("the statement {name} takes the right {right}, which the account {account} lacks: {said}"),
            format!("as an administrator: GRANT {right} ON *.* TO {account}"),
        ));
    }
}

/// Whether the account sees the connections of others.
pub(super) fn sees_others(server: &mut Server<'_>) -> bool {
    denied(server, Privilege::Process).is_none()
}

/// What the server says where the account lacks a right.
fn denied(server: &mut Server<'_>, privilege: Privilege) -> Option<String> {
    let attempt = privilege.attempt(server.is_mariadb());
    let error = match privilege {
        Privilege::Process => server.control.query(&attempt).map(drop),
        Privilege::FlushTables | Privilege::Reload => server.control.execute(&attempt).map(drop),
    };
    error.err().filter(|error| error.code() == Some(DENIED)).map(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_statement_takes_is_seen_by_its_words() {
        use Privilege::{FlushTables, Process, Reload};
        for (sql, takes) in [
            ("FLUSH TABLES WITH READ LOCK", Some(FlushTables)),
            ("flush local tables t for export", Some(FlushTables)),
            ("FLUSH LOGS", Some(Reload)),
            ("RESET MASTER", Some(Reload)),
            ("FLUSH STATUS", None),
            ("SHOW ENGINE INNODB STATUS", Some(Process)),
            ("SELECT * FROM information_schema.innodb_trx", Some(Process)),
            ("SELECT 1", None),
            ("", None),
        ] {
            assert_eq!(Privilege::from_statement(sql), takes, "{sql}");
        }
    }
}
