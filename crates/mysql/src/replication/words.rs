use std::time::Duration;

/// The setting of MySQL that says whether transactions get global ids.
pub(super) const GTID_MODE: &str = "gtid_mode";
/// Settings of MySQL by which several threads apply, under their old and new names.
pub(super) const PARALLEL_APPLIER: &str = "SHOW GLOBAL VARIABLES WHERE Variable_name IN \
    ('slave_parallel_workers', 'replica_parallel_workers', \
    'slave_checkpoint_period', 'replica_checkpoint_period')";

/// What replication is called by a server of some version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Words {
    flavour: Flavour,
    pub(super) start: &'static str,
    pub(super) stop: &'static str,
    pub(super) start_applier: &'static str,
    pub(super) stop_applier: &'static str,
    pub(super) stop_receiver: &'static str,
    /// Ends what a server does as a replica before it is ended itself.
    pub(super) stop_for_end: &'static str,
    /// Gives the connections by which it sends to replicas that have to be ended before it is.
    pub(super) senders: Option<&'static str>,
    /// Ends its being a replica.
    pub(super) forget_primary: &'static str,
    pub(super) replica_status: &'static str,
    pub(super) log_status: &'static str,
    /// What a server has written or applied, as global transaction ids, and whether transactions get
    /// any.
    pub(super) position: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flavour {
    MariaDb,
    /// MySQL up to 5.7.4, which waits by another function.
    Early,
    /// MySQL up to 8.0.22; whether replicas may ask for the key by which passwords are encrypted
    /// (8.0.4).
    Master {
        has_key: bool,
    },
    /// MySQL from 8.0.23 on.
    Source,
}

const MARIADB: Words = Words {
    flavour: Flavour::MariaDb,
    start: "START SLAVE",
    stop: "STOP SLAVE",
    start_applier: "START SLAVE SQL_THREAD",
    stop_applier: "STOP SLAVE SQL_THREAD",
    stop_receiver: "STOP SLAVE IO_THREAD",
    // Told to end while it applies in parallel, it kills appliers that wait for one another, and may wait
    // for them for many minutes.
    stop_for_end: "STOP SLAVE SQL_THREAD",
    senders: None,
    forget_primary: "RESET SLAVE ALL",
    replica_status: "SHOW ALL SLAVES STATUS",
    log_status: "SHOW MASTER STATUS",
    // No SELECT, which the load's are counted against.
    position: "SHOW GLOBAL VARIABLES LIKE 'gtid_current_pos'",
};
const MYSQL_MASTER: Words = Words {
    flavour: Flavour::Master { has_key: true },
    replica_status: "SHOW SLAVE STATUS",
    // Told to end while it sends, it first waits for 8 s for all threads that do not, one of its own among
    // them, which keeps a processor busy meanwhile (its scheduler of events).
    stop_for_end: "STOP SLAVE",
    senders: Some(
        "SELECT ID FROM information_schema.PROCESSLIST WHERE COMMAND LIKE 'Binlog Dump%'",
    ),
    position: "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('gtid_executed', 'gtid_mode')",
    ..MARIADB
};
const MYSQL_SOURCE: Words = Words {
    flavour: Flavour::Source,
    start: "START REPLICA",
    stop: "STOP REPLICA",
    start_applier: "START REPLICA SQL_THREAD",
    stop_applier: "STOP REPLICA SQL_THREAD",
    stop_receiver: "STOP REPLICA IO_THREAD",
    stop_for_end: "STOP REPLICA",
    forget_primary: "RESET REPLICA ALL",
    replica_status: "SHOW REPLICA STATUS",
    ..MYSQL_MASTER
};

impl Words {
    /// Those of a server that gives its version so.
    pub(super) fn for_version(version: &str) -> Self {
        if version.to_ascii_lowercase().contains("mariadb") {
            return MARIADB;
        }
        let mut numbers = version.split(|c: char| !c.is_ascii_digit()).map(str::parse);
        let mut next = || numbers.next().and_then(Result::ok).unwrap_or(0_u32);
        let version = (next(), next(), next());
        match version {
            _ if version < (5, 7, 5) => Words { flavour: Flavour::Early, ..MYSQL_MASTER },
            _ if version < (8, 0, 4) => {
                Words { flavour: Flavour::Master { has_key: false }, ..MYSQL_MASTER }
            }
            _ if version < (8, 0, 23) => MYSQL_MASTER,
            // `SHOW MASTER STATUS` went with 8.4.
            _ if version >= (8, 2, 0) => {
                Words { log_status: "SHOW BINARY LOG STATUS", ..MYSQL_SOURCE }
            }
            _ => MYSQL_SOURCE,
        }
    }

    /// Makes a server the replica of another, from where it is. The password has no quotation marks.
    pub(super) fn follow(&self, host: &str, port: u16, user: &str, password: &str) -> String {
        let (change, who, from) = match self.flavour {
            // From 11.4 on it would demand TLS, which private servers are started without.
            Flavour::MariaDb => {
                ("CHANGE MASTER TO", "MASTER", "MASTER_USE_GTID = slave_pos, MASTER_SSL = 0")
            }
            Flavour::Early | Flavour::Master { has_key: false } => {
                ("CHANGE MASTER TO", "MASTER", "MASTER_AUTO_POSITION = 1")
            }
            Flavour::Master { has_key: true } => (
                "CHANGE MASTER TO",
                "MASTER",
                "MASTER_AUTO_POSITION = 1, GET_MASTER_PUBLIC_KEY = 1",
            ),
            Flavour::Source => (
                "CHANGE REPLICATION SOURCE TO",
                "SOURCE",
                "SOURCE_AUTO_POSITION = 1, GET_SOURCE_PUBLIC_KEY = 1",
            ),
        };
        format!(
            "{change} {who}_HOST = '{host}', {who}_PORT = {port}, {who}_USER = '{user}', \
             {who}_PASSWORD = '{password}', {who}_CONNECT_RETRY = 1, {from}"
        )
    }

    /// Waits until transactions are applied, and gives 0 where that was within the limit.
    pub(super) fn wait(&self, position: &str, limit: Duration) -> String {
        let position: String =
            position.chars().filter(|c| c.is_ascii_alphanumeric() || ",:-".contains(*c)).collect();
        match self.flavour {
            Flavour::MariaDb => {
                format!("SELECT MASTER_GTID_WAIT('{position}', {})", limit.as_secs_f64())
            }
            // It gives how many it waited for, and -1 when the time is over.
            Flavour::Early => format!(
                "SELECT IF(WAIT_UNTIL_SQL_THREAD_AFTER_GTIDS('{position}', {}) >= 0, 0, 1)",
                limit.as_secs().max(1)
            ),
            // Whole seconds, at least one: none would be no limit.
            Flavour::Master { .. } | Flavour::Source => format!(
                "SELECT WAIT_FOR_EXECUTED_GTID_SET('{position}', {})",
                limit.as_secs().max(1)
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_says_which_words_a_server_knows() {
        let of = Words::for_version;
        assert_eq!(of("10.11.6-MariaDB-0+deb12u1-log"), MARIADB);
        assert_eq!(of("11.4.2-MariaDB"), MARIADB);
        assert_ne!(of("5.7.44-log"), MYSQL_MASTER);
        assert_eq!(of("8.0.22"), MYSQL_MASTER);
        assert_eq!(of("8.0.36"), MYSQL_SOURCE);
        assert_eq!(of("8.4.3").stop_applier, "STOP REPLICA SQL_THREAD");
        assert_eq!(of("8.4.3").stop_for_end, "STOP REPLICA");
        assert!(of("8.4.3").senders.is_some() && of("5.7.44").senders.is_some());
        assert_eq!(of("8.4.3").log_status, "SHOW BINARY LOG STATUS");
        assert_eq!(of("9.1.0").replica_status, "SHOW REPLICA STATUS");
    }

    #[test]
    fn followers_are_told_where_the_primary_is() {
        let sql =
            Words::for_version("10.11.6-MariaDB").follow("127.0.0.1", 20_000, "replica", "s3cret");
        assert!(sql.starts_with("CHANGE MASTER TO MASTER_HOST = '127.0.0.1'"), "{sql}");
        assert!(sql.ends_with("MASTER_USE_GTID = slave_pos, MASTER_SSL = 0"), "{sql}");
        let sql = Words::for_version("8.4.3").follow("127.0.0.1", 20_000, "replica", "s3cret");
        assert!(sql.starts_with("CHANGE REPLICATION SOURCE TO SOURCE_HOST"), "{sql}");
        assert!(sql.contains("SOURCE_AUTO_POSITION = 1"), "{sql}");
        let sql = Words::for_version("8.0.15").follow("127.0.0.1", 20_000, "replica", "s3cret");
        assert!(sql.ends_with("MASTER_AUTO_POSITION = 1, GET_MASTER_PUBLIC_KEY = 1"), "{sql}");
        let sql = Words::for_version("5.7.44-log").follow("127.0.0.1", 20_000, "replica", "s3cret");
        assert!(sql.ends_with("MASTER_AUTO_POSITION = 1"), "{sql}");
    }

    #[test]
    fn waits_are_in_the_words_of_the_server() {
        let wait =
            |version: &str| Words::for_version(version).wait("0-1-9", Duration::from_millis(1500));
        assert_eq!(wait("11.4.2-MariaDB"), "SELECT MASTER_GTID_WAIT('0-1-9', 1.5)");
        let early = "SELECT IF(WAIT_UNTIL_SQL_THREAD_AFTER_GTIDS('0-1-9', 1) >= 0, 0, 1)";
        assert_eq!(wait("5.6.14-log"), early);
        assert_eq!(wait("8.4.3"), "SELECT WAIT_FOR_EXECUTED_GTID_SET('0-1-9', 1)");
    }
}
