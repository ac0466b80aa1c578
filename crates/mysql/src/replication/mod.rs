//! Replication of MariaDB and MySQL: what its statements, functions and columns are called in each
//! version.

mod gtid;
mod heartbeat;
mod words;

use self::words::Words;
use super::connect;
use crate::client::Connection;
use crate::protocol::TextRows;
pub(super) use heartbeat::HEARTBEAT;
use model::{Endpoint, Failure, FailureKind, TableContents, Workload};
use std::cmp::Ordering;
use std::thread;
use std::time::{Duration, Instant};
use system::Login;
use system::group::{Distance, Member, Position, ReplicaState};

/// How often a replica without global transaction ids is asked how far it is.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// The settings by which commits wait until a replica has them: the plugin has an old and a new name.
const SEMI_SYNC: [&str; 2] = ["rpl_semi_sync_master_enabled", "rpl_semi_sync_source_enabled"];

/// A member of a group, by a connection of its own.
#[derive(Debug)]
pub(super) struct Server {
    connection: Connection,
    words: Words,
}

impl Server {
    pub(super) fn open(login: &Login) -> Result<Self, Failure> {
        let connection = connect(login)?;
        let words = Words::for_version(connection.server_version());
        Ok(Self { connection, words })
    }

    fn execute(&mut self, sql: &str, doing: &str) -> Result<(), Failure> {
        let endpoint = self.connection.endpoint().clone();
        let done = self.connection.execute_long(sql).map(drop);
        done.map_err(|error| error.failure(&format!("{endpoint}: {doing}")))
    }

    fn rows(&mut self, sql: &str, doing: &str) -> Result<TextRows, Failure> {
        let endpoint = self.connection.endpoint().clone();
        let rows = self.connection.query(sql);
        rows.map_err(|error| error.failure(&format!("{endpoint}: {doing}")))
    }

    /// The last field of the first row that a query gives; empty for NULL.
    fn field(&mut self, sql: &str, doing: &str) -> Result<String, Failure> {
        let rows = self.rows(sql, doing)?.rows;
        let field = rows.into_iter().next().and_then(|row| row.into_iter().next_back().flatten());
        Ok(String::from_utf8_lossy(&field.unwrap_or_default()).into_owned())
    }

    /// The first row of what the server says of itself as a replica; `None` where it is none.
    fn status(&mut self) -> Result<Option<Status>, Failure> {
        let rows = self.rows(self.words.replica_status, "cannot ask how it replicates")?;
        Ok(Status::from_rows(rows))
    }

    /// Lets commits wait for no replica (semi-synchronous replication), where they do.
    fn wait_for_nobody(&mut self, doing: &str) -> Result<(), Failure> {
        let sql = format!(
            "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('{}') AND Value = 'ON'",
            SEMI_SYNC.join("', '")
        );
        let rows = self.rows(&sql, doing)?.rows;
        for name in rows.into_iter().filter_map(|row| row.into_iter().next().flatten()) {
            let name = SEMI_SYNC.iter().find(|known| known.as_bytes() == name);
            if let Some(name) = name {
                self.execute(&format!("SET GLOBAL {name} = OFF"), doing)?;
            }
        }
        Ok(())
    }

    /// The global transaction ids of what it has written or applied; `None` where transactions get
    /// none.
    fn gtids(&mut self) -> Result<Option<Position>, Failure> {
        let rows = self.rows(self.words.position, "cannot ask how far it is")?.rows;
        let mut gtids = String::new();
        for row in rows {
            let mut fields = row.into_iter().map(Option::unwrap_or_default);
            let (name, value) =
                (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
            let value = String::from_utf8_lossy(&value);
            match name.eq_ignore_ascii_case(words::GTID_MODE.as_bytes()) {
                // What has ids is from before they were turned off.
                true if value.starts_with("OFF") => return Ok(None),
                true => {}
                // MySQL breaks lines between the parts.
                false => gtids = value.replace(['\n', ' '], ""),
            }
        }
        Ok(Some(gtids).filter(|gtids| !gtids.is_empty()).map(Position))
    }

    /// Where it is in its primary's log, without global transaction ids; `None` where it is no
    /// replica.
    fn applied_log(&mut self) -> Result<Option<Log>, Failure> {
        let Some(status) = self.status()? else { return Ok(None) };
        let file = status.text(&["Relay_Master_Log_File", "Relay_Source_Log_File"]);
        let offset = status.text(&["Exec_Master_Log_Pos", "Exec_Source_Log_Pos"]);
        Ok(file.zip(offset.and_then(|offset| offset.parse().ok())).map(|(f, o)| Log(f, o)))
    }

    /// Where it is in its own log; `None` where it has none.
    fn written_log(&mut self) -> Result<Option<Log>, Failure> {
        let rows = self.rows(self.words.log_status, "cannot ask for the end of its binary log")?;
        let Some(status) = Status::from_rows(rows) else { return Ok(None) };
        let offset = status.text(&["Position"]).and_then(|offset| offset.parse().ok());
        Ok(status.text(&["File"]).zip(offset).map(|(file, offset)| Log(file, offset)))
    }
}

impl Member for Server {
    fn written(&mut self) -> Result<Position, Failure> {
        let position = match self.gtids()? {
            Some(gtids) => Some(gtids),
            None => self.written_log()?.as_ref().map(Log::position),
        };
        let endpoint = self.connection.endpoint();
        position.ok_or_else(|| {
            Failure::new(
                FailureKind::Replication,
                format!("{endpoint} writes no binary log, so that nothing replicates"),
                "start it with log_bin, or name the server that the replicas replicate from",
            )
        })
    }

    fn applied(&mut self) -> Result<Position, Failure> {
        if let Some(gtids) = self.gtids()? {
            return Ok(gtids);
        }
        // One that has applied nothing yet is nowhere.
        Ok(self.applied_log()?.as_ref().map(Log::position).unwrap_or_default())
    }

    fn follow(&mut self, primary: &Login) -> Result<(), Failure> {
        let Endpoint::Tcp { host, port } = &primary.address().endpoint else {
            return Err(primary.no_server());
        };
        let user = &primary.credentials().user;
        let password = String::from_utf8_lossy(primary.credentials().password().bytes());
        let sql = self.words.follow(host, *port, user, &password);
        let doing = "cannot become a replica";
        self.execute(self.words.stop, doing)?;
        self.execute(&sql, doing)?;
        self.execute("SET GLOBAL read_only = ON", doing)?;
        self.execute(self.words.start, doing)
    }

    fn stop_applier(&mut self) -> Result<(), Failure> {
        self.execute(self.words.stop_applier, "cannot stop applying")
    }

    fn start_applier(&mut self) -> Result<(), Failure> {
        self.execute(self.words.start_applier, "cannot start applying")
    }

    fn prepare_end(&mut self) -> Result<(), Failure> {
        let doing = "cannot be readied for its end";
        self.execute(self.words.stop_for_end, doing)?;
        let Some(senders) = self.words.senders else { return Ok(()) };
        for row in self.rows(senders, doing)?.rows {
            let id = row.into_iter().next().flatten().unwrap_or_default();
            if let Some(id) = std::str::from_utf8(&id).ok().and_then(|id| id.parse::<u64>().ok()) {
                // One that has ended meanwhile need not be.
                let _ = self.execute(&format!("KILL {id}"), doing);
            }
        }
        Ok(())
    }

    fn wait_for(&mut self, position: &Position, limit: Duration) -> Result<bool, Failure> {
        let doing = "cannot wait for what it applies";
        let Some(goal) = Log::from_position(position) else {
            // A replica of MariaDB that was the primary has written these transactions itself; what it
            // waits for is what it applies.
            if gtid::has_reached(&self.applied()?.0, &position.0) {
                return Ok(true);
            }
            let sql = self.words.wait(&position.0, limit);
            return Ok(self.field(&sql, doing)? == "0");
        };
        let deadline = Instant::now() + limit;
        loop {
            if self.applied_log()?.is_some_and(|applied| applied >= goal) {
                return Ok(true);
            }
            if Instant::now() >= deadline {
                return Ok(false);
            }
            thread::sleep(POLL_INTERVAL);
        }
    }

    fn stop_receiver(&mut self) -> Result<Position, Failure> {
        self.execute(self.words.stop_receiver, "cannot stop receiving")?;
        let Some(status) = self.status()? else { return self.applied() };
        let received = status.text(&["Gtid_IO_Pos", "Retrieved_Gtid_Set"]);
        match received {
            Some(gtid) => Ok(Position(gtid.replace(['\n', ' '], ""))),
            None => {
                let file = status.text(&["Master_Log_File", "Source_Log_File"]);
                let offset = status.text(&["Read_Master_Log_Pos", "Read_Source_Log_Pos"]);
                let log = file.zip(offset.and_then(|offset| offset.parse().ok()));
                // It has received nothing yet.
                log.map_or_else(|| self.applied(), |(file, at)| Ok(Log(file, at).position()))
            }
        }
    }

    fn promote(&mut self, alone: bool) -> Result<(), Failure> {
        let doing = "cannot become the primary";
        self.execute(self.words.stop, doing)?;
        self.execute(self.words.forget_primary, doing)?;
        if alone {
            self.wait_for_nobody(doing)?;
        }
        self.execute("SET GLOBAL read_only = OFF", doing)
    }

    fn take_no_writes(&mut self) -> Result<(), Failure> {
        self.execute("SET GLOBAL read_only = ON", "cannot become read-only")
    }

    fn replica_state(&mut self) -> Result<ReplicaState, Failure> {
        let Some(status) = self.status()? else { return Ok(ReplicaState::default()) };
        let says = |names: &[&str]| status.text(names).is_some_and(|text| text != "No");
        let errors = ["Last_SQL_Error", "Last_IO_Error"];
        let error = errors.iter().find_map(|name| status.text(&[name]));
        let applies = says(&["Slave_SQL_Running", "Replica_SQL_Running"]);
        let receives = says(&["Slave_IO_Running", "Replica_IO_Running"]);
        // A connection that is tried again is no reason to give up.
        let error = error.filter(|_| !applies || !receives);
        Ok(ReplicaState { is_replica: true, receives, applies, error })
    }

    fn run(&mut self, statement: &str) -> Result<(), Failure> {
        let shown: String = statement.chars().take(60).collect();
        self.execute(statement, &format!("«{shown}» failed"))
    }

    fn prepare_heartbeat(&mut self) -> Result<(), Failure> {
        heartbeat::prepare(&mut self.connection)
    }

    fn beat(&mut self, number: u64) -> Result<(), Failure> {
        self.execute(&heartbeat::write(number), "cannot write a heartbeat")
    }

    fn last_beat(&mut self) -> Result<u64, Failure> {
        let text = self.field(&heartbeat::read(), "cannot read the heartbeat")?;
        Ok(text.parse().unwrap_or_default())
    }

    fn distance(&self, from: &Position, to: &Position) -> Option<Distance> {
        gtid::between(&from.0, &to.0).map(Distance::Transactions)
    }

    fn log_bytes(&mut self) -> Option<u64> {
        let logs = self.rows("SHOW BINARY LOGS", "cannot list its binary logs").ok()?;
        let size = logs.columns.iter().position(|column| column == "File_size")?;
        let bytes = |row: &Vec<Option<Vec<u8>>>| {
            std::str::from_utf8(row.get(size)?.as_deref()?).ok()?.parse::<u64>().ok()
        };
        logs.rows.iter().map(bytes).sum()
    }

    fn wait_resolution(&mut self, position: &Position) -> Result<f64, Failure> {
        if Log::from_position(position).is_none() {
            // The server wakes the waiting by itself.
            return Ok(0.001);
        }
        let rows = self.rows(words::PARALLEL_APPLIER, "cannot ask how it applies")?;
        let settings = rows.rows.into_iter().filter_map(|row| {
            let mut fields = row.into_iter().map(Option::unwrap_or_default);
            let (name, value) = (fields.next()?, fields.next()?);
            let name = String::from_utf8(name).ok()?;
            Some((name, std::str::from_utf8(&value).ok()?.parse::<f64>().ok()?))
        });
        let settings: Vec<(String, f64)> = settings.collect();
        let value =
            |part: &str| settings.iter().find(|(name, _)| name.contains(part)).map(|one| one.1);
        // Several threads apply out of order; how far all of them are is written down every so many
        // milliseconds.
        let workers = value("parallel_workers").unwrap_or_default();
        let period = value("checkpoint_period").filter(|_| workers > 0.0).unwrap_or_default();
        Ok(2.0 * POLL_INTERVAL.as_secs_f64() + period / 1e3)
    }

    fn contents(&mut self, workload: &Workload) -> Result<TableContents, Failure> {
        sql::tables::contents(&mut self.connection, workload.oltp()?)
    }

    fn forget_logs(&mut self) -> Result<(), Failure> {
        let doing = "cannot remove old binary logs";
        let Some(Log(file, _)) = self.written_log()? else { return Ok(()) };
        self.execute(&format!("PURGE BINARY LOGS TO '{}'", file.replace('\'', "")), doing)
    }
}

/// A place in a binary log: file and offset.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Log(String, u64);

impl Ord for Log {
    /// The numbers at the end of the names get another digit after 999999.
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |log: &Self| (log.0.len(), log.0.clone(), log.1);
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for Log {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Log {
    fn position(&self) -> Position {
        Position(format!("{} {}", self.0, self.1))
    }

    /// `None` of global transaction ids, in which there is no space.
    fn from_position(position: &Position) -> Option<Self> {
        let (file, offset) = position.0.split_once(' ')?;
        Some(Self(file.to_owned(), offset.parse().ok()?))
    }
}

/// The first row of an answer, by the names of its columns.
struct Status {
    columns: Vec<String>,
    row: Vec<Option<Vec<u8>>>,
}

impl Status {
    fn from_rows(rows: TextRows) -> Option<Self> {
        Some(Self { columns: rows.columns, row: rows.rows.into_iter().next()? })
    }

    /// What is in the first of the columns that is there; empty is nothing.
    fn text(&self, names: &[&str]) -> Option<String> {
        let place = self.columns.iter().position(|column| names.contains(&column.as_str()))?;
        let field = self.row.get(place)?.as_deref()?;
        Some(String::from_utf8_lossy(field).into_owned()).filter(|text| !text.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_a_log_are_in_the_order_in_which_they_were_written() {
        let log = |file: &str, offset| Log(file.to_owned(), offset);
        assert!(log("binlog.000009", 900) < log("binlog.000010", 4));
        assert!(log("binlog.000010", 4) < log("binlog.000010", 1000));
        assert!(log("binlog.999999", 4) < log("binlog.1000000", 4));
        let one = log("binlog.000010", 4);
        assert_eq!(Log::from_position(&one.position()), Some(one));
        assert_eq!(Log::from_position(&Position("0-1-17".to_owned())), None);
        assert_eq!(
            Log::from_position(&Position("3E11FA47-71CA:1-5,3E11FA48-71CA:1-7".to_owned())),
            None
        );
    }

    #[test]
    fn states_are_read_by_either_names() {
        let rows = TextRows {
            columns: ["Replica_IO_Running", "Last_SQL_Error"].map(str::to_owned).into(),
            rows: vec![vec![Some(b"Yes".to_vec()), Some(Vec::new())]],
        };
        let status = Status::from_rows(rows).unwrap();
        assert_eq!(status.text(&["Slave_IO_Running", "Replica_IO_Running"]).unwrap(), "Yes");
        assert_eq!(status.text(&["Last_SQL_Error"]), None);
    }
}
