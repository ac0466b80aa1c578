//! The probe of a failover: its account, and when a server takes no writes.

use super::connect;
use crate::Mysql;
use crate::client::{ClientError, Connection};
use crate::private::CLIENT_HOSTS;
use host::random_hex;
use model::{Failure, FailureKind};
use sql::ProbeKind;
use system::Login;

/// What servers say that take no writes: a read-only server, one that is a replica, a member of a
/// group that is not the primary, and a read-only transaction.
const READ_ONLY: [u16; 4] = [1290, 1792, 1836, 3100];
/// What servers say of an account that `DROP USER` does not find (`ER_CANNOT_USER`).
const NO_SUCH_ACCOUNT: u16 = 1396;
/// What servers say of a table that `DROP TABLE` does not find (`ER_BAD_TABLE_ERROR`).
const NO_SUCH_TABLE: u16 = 1051;
/// The account of the probe on private servers.
const USER: &str = "weighin_probe";

/// Makes the account of the probe on a private server, outside the binary log: every member has its
/// own.
///
/// # Errors
/// Whatever the server says.
pub(super) fn make_account(administrator: &Login) -> Result<Login, Failure> {
    let random = |error| Failure::new(FailureKind::Other, format!("no random bytes: {error}"), "");
    let password = random_hex(16).map_err(random)?;
    let mut connection = connect(administrator)?;
    let database = &administrator.address().database;
    let accounts = CLIENT_HOSTS.map(|host| format!("{USER}@'{host}'"));
    // A statement may hold the password: it is not shown.
    let refused = |error: ClientError| error.failure("cannot make the account of the probe");
    connection.execute("SET SESSION sql_log_bin = 0").map_err(refused)?;
    for account in accounts {
        // Before 5.7 MySQL does not know IF EXISTS here.
        match connection.execute(&format!("DROP USER {account}")) {
            Err(error) if error.code() != Some(NO_SUCH_ACCOUNT) => return Err(refused(error)),
            _ => {}
        }
        for sql in [
            format!("CREATE USER {account} IDENTIFIED BY '{password}'"),
            format!("GRANT SELECT, INSERT, DELETE, CREATE, DROP ON {database}.* TO {account}"),
        ] {
            connection.execute(&sql).map_err(refused)?;
        }
    }
    Ok(administrator.with_account(USER, &password))
}

impl ProbeKind for Mysql {
    const COLUMNS: &'static str = "id BIGINT UNSIGNED NOT NULL PRIMARY KEY, \
         written_at TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6)";

    fn is_read_only(connection: &mut Connection) -> Result<bool, Failure> {
        let rows = connection.query("SELECT @@global.read_only");
        let rows = rows.map_err(|e| e.failure("cannot ask whether the server is read-only"))?.rows;
        let value = rows.into_iter().flatten().flatten().next().unwrap_or_default();
        if matches!(value.as_slice(), b"0" | b"OFF") {
            return Ok(false);
        }
        // Some accounts write to a read-only server. It looks for the table only where it would drop one.
        let random =
            |error| Failure::new(FailureKind::Other, format!("no random bytes: {error}"), "");
        let none = format!("DROP TABLE weighin_none_{}", random_hex(8).map_err(random)?);
        let dropped = connection.execute(&none);
        Ok(!matches!(dropped, Err(error) if error.code() == Some(NO_SUCH_TABLE)))
    }

    fn takes_none(error: &ClientError) -> bool {
        error.code().is_some_and(|code| READ_ONLY.contains(&code))
    }
}
