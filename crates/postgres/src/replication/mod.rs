//! Streaming replication: positions are places in the log (LSNs).

mod heartbeat;
mod position;

pub(crate) use heartbeat::HEARTBEAT;

use crate::client::{Connection, connect};
use model::{Endpoint, Failure, FailureKind, TableContents, Workload};
use std::thread;
use std::time::{Duration, Instant};
use system::Login;
use system::group::{Distance, Member, Position, ReplicaState};

/// How often a server is asked how far it is.
const POLL_INTERVAL: Duration = Duration::from_millis(2);
/// How long a replica may take to find its primary, and a server to do what it was told.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a replica may take to end its receiver: it looks for that when it has applied what it has.
const RECEIVER_LIMIT: Duration = Duration::from_secs(600);
/// How long a promotion may take, which applies what was received.
const PROMOTION_SECONDS: u64 = 600;
/// The first version that says whether replay has paused, and not only that it will.
const SAYS_PAUSED: u32 = 14;

/// How far a replica has received; from where it began to apply where that is all it has.
const RECEIVED: &str = "greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn())";
/// Whether a server has read all of the log that it has, and nobody sends it more.
const AT_THE_END: &str = "NOT EXISTS (SELECT FROM pg_stat_wal_receiver) \
    AND EXISTS (SELECT FROM pg_stat_activity WHERE backend_type = 'startup' \
    AND wait_event = 'RecoveryRetrieveRetryInterval')";

/// A member of a group, by a connection of its own.
#[derive(Debug)]
pub(crate) struct Server {
    login: Login,
    connection: Connection,
    /// The table of heartbeats has been seen.
    has_heartbeat: bool,
}

impl Server {
    /// What it writes does not wait for replicas, which may have been told to wait.
    pub(crate) fn open(login: &Login) -> Result<Self, Failure> {
        let mut server =
            Self { login: login.clone(), connection: connect(login)?, has_heartbeat: false };
        server.execute("SET synchronous_commit = local", "cannot set the session up")?;
        Ok(server)
    }

    fn execute(&mut self, sql: &str, doing: &str) -> Result<(), Failure> {
        let endpoint = self.connection.endpoint().clone();
        let done = self.connection.execute_long(sql).map(drop);
        done.map_err(|error| error.failure(&format!("{endpoint}: {doing}")))
    }

    /// The fields of the first row that a query gives; empty for NULL.
    fn row(&mut self, sql: &str, doing: &str) -> Result<Vec<String>, Failure> {
        let endpoint = self.connection.endpoint().clone();
        let rows = self.connection.query(sql);
        let rows = rows.map_err(|error| error.failure(&format!("{endpoint}: {doing}")))?.rows;
        let first = rows.into_iter().next().unwrap_or_default();
        Ok(first.into_iter().map(Option::unwrap_or_default).collect())
    }

    fn field(&mut self, sql: &str, doing: &str) -> Result<String, Failure> {
        Ok(self.row(sql, doing)?.into_iter().next().unwrap_or_default())
    }

    fn holds(&mut self, condition: &str, doing: &str) -> Result<bool, Failure> {
        Ok(self.field(&format!("SELECT {condition}"), doing)? == "t")
    }

    /// Waits until that holds; whether it does in time.
    fn wait_until(
        &mut self,
        condition: &str,
        limit: Duration,
        doing: &str,
    ) -> Result<bool, Failure> {
        let deadline = Instant::now() + limit;
        while !self.holds(condition, doing)? {
            if self.login.stop().is_requested() {
                return Err(Failure::stopped());
            }
            if Instant::now() >= deadline {
                return Ok(false);
            }
            thread::sleep(POLL_INTERVAL);
        }
        Ok(true)
    }

    fn late(&self, what: &str) -> Failure {
        let endpoint = self.connection.endpoint();
        let message = format!("{endpoint} {what}");
        let remedy = "see in the log of the server what it waits for";
        Failure::new(FailureKind::Replication, message, remedy)
    }

    fn sets(&mut self, settings: &[(&str, &str)], doing: &str) -> Result<(), Failure> {
        for (name, value) in settings {
            let value = value.replace('\'', "''");
            // The value may hold a password: no message shows the statement.
            self.execute(&format!("ALTER SYSTEM SET {name} = '{value}'"), doing)?;
        }
        self.execute("SELECT pg_reload_conf()", doing)
    }

    fn has_heartbeat(&mut self) -> Result<bool, Failure> {
        if !self.has_heartbeat {
            let there = format!("to_regclass('{}') IS NOT NULL", HEARTBEAT.name);
            self.has_heartbeat = self.holds(&there, "cannot look for the heartbeat")?;
        }
        Ok(self.has_heartbeat)
    }

    /// Has everything that was acknowledged flushed to the log, by a commit that waits for that: one that
    /// was acknowledged before it was on disk may not be in it yet.
    fn flush(&mut self) -> Result<(), Failure> {
        let change = match self.has_heartbeat()? {
            true => heartbeat::stay(),
            false => "SELECT pg_logical_emit_message(true, 'weighin', '')".to_owned(),
        };
        let sql = format!("BEGIN READ WRITE; {change}; COMMIT");
        self.execute(&sql, "cannot write to its log")
    }

    /// Makes a slot for a replica where it has none, so that what this has not received stays.
    fn keep_log_for(&mut self, replica: &str) -> Result<(), Failure> {
        let sql = format!(
            "SELECT pg_create_physical_replication_slot('{replica}', true) WHERE NOT EXISTS \
             (SELECT FROM pg_replication_slots WHERE slot_name = '{replica}')"
        );
        self.execute(&sql, "cannot keep its log for a replica")
    }
}

impl Member for Server {
    fn written(&mut self) -> Result<Position, Failure> {
        self.flush()?;
        let sql = "SELECT pg_current_wal_flush_lsn()";
        self.field(sql, "cannot ask for the end of its log").map(Position)
    }

    fn applied(&mut self) -> Result<Position, Failure> {
        let sql = "SELECT pg_last_wal_replay_lsn()";
        self.field(sql, "cannot ask how far it is").map(Position)
    }

    fn follow(&mut self, primary: &Login) -> Result<(), Failure> {
        let Endpoint::Tcp { host, port } = &primary.address().endpoint else {
            return Err(primary.no_server());
        };
        let doing = "cannot become a replica";
        let name = self.field("SHOW cluster_name", doing)?;
        Self::open(primary)?.keep_log_for(&name)?;
        let user = &primary.credentials().user;
        let password = String::from_utf8_lossy(primary.credentials().password().bytes());
        let server = format!("host={host} port={port} user={user} password={password}");
        self.sets(&[("primary_slot_name", &name), ("primary_conninfo", &server)], doing)
    }

    fn stop_applier(&mut self) -> Result<(), Failure> {
        let doing = "cannot stop applying";
        self.execute("SELECT pg_wal_replay_pause()", doing)?;
        if crate::counters::major(self.connection.server_version()) < SAYS_PAUSED {
            return Ok(());
        }
        match self.wait_until("pg_get_wal_replay_pause_state() = 'paused'", PATIENCE, doing)? {
            true => Ok(()),
            false => Err(self.late("goes on applying, although it was told to pause")),
        }
    }

    fn start_applier(&mut self) -> Result<(), Failure> {
        self.execute("SELECT pg_wal_replay_resume()", "cannot start applying")
    }

    /// Nothing keeps it from ending.
    fn prepare_end(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    fn wait_for(&mut self, position: &Position, limit: Duration) -> Result<bool, Failure> {
        // What was received may end within a record, which nobody applies.
        let goal = position::literal(position);
        let reached = format!(
            "pg_last_wal_replay_lsn() >= {goal} OR ({RECEIVED} >= {goal} AND {AT_THE_END})"
        );
        self.wait_until(&reached, limit, "cannot ask how far it is")
    }

    fn stop_receiver(&mut self) -> Result<Position, Failure> {
        let doing = "cannot stop receiving";
        self.sets(&[("primary_conninfo", "")], doing)?;
        let ended = "NOT EXISTS (SELECT FROM pg_stat_wal_receiver)";
        if !self.wait_until(ended, RECEIVER_LIMIT, doing)? {
            return Err(self.late("goes on receiving, although it was told to end that"));
        }
        self.field(&format!("SELECT {RECEIVED}"), doing).map(Position)
    }

    fn promote(&mut self, _alone: bool) -> Result<(), Failure> {
        // No replica has replicas to wait for.
        let promoted = format!("pg_promote(true, {PROMOTION_SECONDS})");
        match self.holds(&promoted, "cannot become the primary")? {
            true => Ok(()),
            false => Err(self.late("did not become the primary in time")),
        }
    }

    fn take_no_writes(&mut self) -> Result<(), Failure> {
        let doing = "cannot become read-only";
        self.sets(&[("default_transaction_read_only", "on")], doing)?;
        let told = "current_setting('default_transaction_read_only') = 'on'";
        if !self.wait_until(told, PATIENCE, doing)? {
            return Err(self.late("did not read its settings again"));
        }
        // The server takes a new connection only when it has told all the others.
        let now = Self::open(&self.login)?.field("SELECT clock_timestamp()", doing)?;
        let over = format!(
            "NOT EXISTS (SELECT FROM pg_stat_activity WHERE backend_type = 'client backend' \
             AND pid <> pg_backend_pid() AND xact_start < '{now}')"
        );
        match self.wait_until(&over, RECEIVER_LIMIT, doing)? {
            true => Ok(()),
            false => Err(self.late("has a transaction that does not end")),
        }
    }

    fn replica_state(&mut self) -> Result<ReplicaState, Failure> {
        let doing = "cannot ask how it replicates";
        if !self.holds("pg_is_in_recovery()", doing)? {
            return Ok(ReplicaState::default());
        }
        // One that has just been told whom to follow looks for it in a moment.
        let receives = "EXISTS (SELECT FROM pg_stat_wal_receiver)";
        Ok(ReplicaState {
            is_replica: true,
            receives: self.wait_until(receives, PATIENCE, doing)?,
            applies: !self.holds("pg_is_wal_replay_paused()", doing)?,
            error: None,
        })
    }

    fn run(&mut self, statement: &str) -> Result<(), Failure> {
        self.execute(statement, "cannot run the study's statement")
    }

    fn prepare_heartbeat(&mut self) -> Result<(), Failure> {
        heartbeat::prepare(&mut self.connection)
    }

    fn beat(&mut self, number: u64) -> Result<(), Failure> {
        self.execute(&heartbeat::write(number), "cannot write the heartbeat")
    }

    fn last_beat(&mut self) -> Result<u64, Failure> {
        let text = self.field(&heartbeat::read(), "cannot read the heartbeat")?;
        Ok(text.parse().unwrap_or_default())
    }

    fn distance(&self, from: &Position, to: &Position) -> Option<Distance> {
        position::between(from, to).map(Distance::Bytes)
    }

    fn log_bytes(&mut self) -> Option<u64> {
        let sql = "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')";
        self.field(sql, "cannot ask for the end of its log").ok()?.parse().ok()
    }

    fn wait_resolution(&mut self, _: &Position) -> Result<f64, Failure> {
        Ok(2.0 * POLL_INTERVAL.as_secs_f64())
    }

    fn contents(&mut self, workload: &Workload) -> Result<TableContents, Failure> {
        sql::tables::contents(&mut self.connection, workload.oltp()?)
    }

    /// The server removes by itself what no slot keeps.
    fn forget_logs(&mut self) -> Result<(), Failure> {
        Ok(())
    }
}
