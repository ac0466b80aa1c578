//! Groups: a primary with replicas. What weighin tells the members of one and asks of them, in words
//! that hold for every system.

use super::login::Login;
use host::{CommandOrder, Host, size_in_words};
use model::{ControlAct, Failure, FailureKind, ReplicationControl, Stop, TableContents, Workload};
use std::fmt::{self, Debug};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long one wait for a replica lasts, between two looks at whether it still gets on.
const WAIT: Duration = Duration::from_millis(500);
/// How long a replica may stand still before it is given up.
const STANDSTILL_LIMIT: Duration = Duration::from_secs(120);
/// How long a command of the user may take that controls a replica.
const COMMAND_LIMIT: Duration = Duration::from_secs(300);

/// How far a member has come, as its system writes it down.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position(pub String);

/// How far one position is beyond another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Distance {
    Transactions(u64),
    /// Of the log, where that counts no transactions.
    Bytes(u64),
}

impl Distance {
    pub fn amount(self) -> u64 {
        match self {
            Self::Transactions(amount) | Self::Bytes(amount) => amount,
        }
    }

    pub fn transactions(self) -> Option<u64> {
        match self {
            Self::Transactions(transactions) => Some(transactions),
            Self::Bytes(_) => None,
        }
    }
}

impl fmt::Display for Distance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Transactions(amount) => write!(f, "{amount} transactions"),
            Self::Bytes(amount) => f.write_str(&size_in_words(*amount)),
        }
    }
}

/// A connection to a member of a group, as primary or as replica.
pub trait Member: Debug + Send {
    /// The last transaction that it has written to its log, for its replicas to wait for.
    ///
    /// # Errors
    /// When it does not tell, or keeps no log that could be replicated.
    fn written(&mut self) -> Result<Position, Failure>;

    /// The last transaction of its primary that it has applied.
    ///
    /// # Errors
    /// When it does not tell.
    fn applied(&mut self) -> Result<Position, Failure>;

    /// Makes it a replica of a private server, from where it is, and has it begin.
    ///
    /// # Errors
    /// When it refuses.
    fn follow(&mut self, primary: &Login) -> Result<(), Failure>;

    /// Ends the applying of what was received; receiving goes on.
    ///
    /// # Errors
    /// When it refuses, or the account may not.
    fn stop_applier(&mut self) -> Result<(), Failure>;

    /// Begins it again.
    ///
    /// # Errors
    /// As [`Self::stop_applier`].
    fn start_applier(&mut self) -> Result<(), Failure>;

    /// Readies a member of a private group for the end of its server, the replicas before the primary: it
    /// stops what would keep the server from ending. It takes its part up again when it is started.
    ///
    /// # Errors
    /// When it refuses.
    fn prepare_end(&mut self) -> Result<(), Failure>;

    /// Waits until it has applied everything up to that position of its primary, for `limit` at most;
    /// whether it has. Returns within [`Self::wait_resolution`] of the moment.
    ///
    /// # Errors
    /// When it does not answer.
    fn wait_for(&mut self, position: &Position, limit: Duration) -> Result<bool, Failure>;

    /// Ends the receiving of what the primary writes, and says up to where it has received.
    ///
    /// # Errors
    /// As [`Self::stop_applier`].
    fn stop_receiver(&mut self) -> Result<Position, Failure>;

    /// Lets a replica that has applied what it received follow nobody, and take writes. Where nobody
    /// will follow it (`alone`), its commits wait for no replica.
    ///
    /// # Errors
    /// When it refuses.
    fn promote(&mut self, alone: bool) -> Result<(), Failure>;

    /// Lets it take no further writes; returns when those under way have ended.
    ///
    /// # Errors
    /// When it refuses.
    fn take_no_writes(&mut self) -> Result<(), Failure>;

    /// What it says of itself as a replica.
    ///
    /// # Errors
    /// When it does not answer.
    fn replica_state(&mut self) -> Result<ReplicaState, Failure>;

    /// Runs a statement of the user.
    ///
    /// # Errors
    /// When the server has something against it.
    fn run(&mut self, statement: &str) -> Result<(), Failure>;

    /// Makes a row for heartbeats where there is none.
    ///
    /// # Errors
    /// `ForeignTables` when somebody else's table is in its place, or the account may not.
    fn prepare_heartbeat(&mut self) -> Result<(), Failure>;

    /// Writes that number into it.
    ///
    /// # Errors
    /// When it refuses.
    fn beat(&mut self, number: u64) -> Result<(), Failure>;

    /// The number that it has written, or as a replica applied.
    ///
    /// # Errors
    /// When it does not tell.
    fn last_beat(&mut self) -> Result<u64, Failure>;

    /// How far one position is beyond another; `None` where they do not tell, or it is behind.
    fn distance(&self, from: &Position, to: &Position) -> Option<Distance>;

    /// Bytes that it has written to its log; `None` where it does not tell.
    fn log_bytes(&mut self) -> Option<u64>;

    /// To how many seconds [`Self::wait_for`] meets the moment at which that is applied.
    ///
    /// # Errors
    /// When it does not tell.
    fn wait_resolution(&mut self, position: &Position) -> Result<f64, Failure>;

    /// What the tables of a load hold.
    ///
    /// # Errors
    /// When they cannot be read.
    fn contents(&mut self, workload: &Workload) -> Result<TableContents, Failure>;

    /// Forgets logs that every member has applied, so that they take no space.
    ///
    /// # Errors
    /// When it refuses.
    fn forget_logs(&mut self) -> Result<(), Failure>;
}

/// What a server says of itself as a replica.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplicaState {
    /// It has a primary.
    pub is_replica: bool,
    /// It is connected to its primary, or trying.
    pub receives: bool,
    pub applies: bool,
    /// Why it does not, in the server's words. As they came: not to be shown without
    /// [`model::text`].
    pub error: Option<String>,
}

/// Connections to all members of a group.
#[derive(Debug)]
pub struct Group {
    pub primary: Box<dyn Member>,
    /// At least one.
    pub replicas: Vec<Replica>,
}

/// A replica, with what controls it.
#[derive(Debug)]
pub struct Replica {
    /// For messages.
    pub name: String,
    pub member: Box<dyn Member>,
    pub control: ReplicationControl,
    /// Where commands of the user run.
    pub host: Arc<dyn Host>,
    /// What these find in their environment.
    pub variables: Vec<(&'static str, String)>,
    pub stop: Stop,
}

impl Group {
    /// Waits until every replica has applied all that the primary has written so far.
    ///
    /// # Errors
    /// `Replication` when one does not apply, or stands still; [`Failure::stopped`].
    pub fn bring_in_step(&mut self, stop: &Stop) -> Result<(), Failure> {
        let goal = self.primary.written()?;
        self.replicas.iter_mut().try_for_each(|replica| replica.bring_to(&goal, stop))
    }
}

impl Replica {
    /// Waits until it has applied everything up to a position of its primary.
    ///
    /// # Errors
    /// As [`Group::bring_in_step`].
    pub fn bring_to(&mut self, goal: &Position, stop: &Stop) -> Result<(), Failure> {
        let mut since = (self.member.applied()?, Instant::now());
        while !self.member.wait_for(goal, WAIT)? {
            if stop.is_requested() {
                return Err(Failure::stopped());
            }
            self.check()?;
            let position = self.member.applied()?;
            if position != since.0 {
                since = (position, Instant::now());
            } else if since.1.elapsed() > STANDSTILL_LIMIT {
                let message = format!(
                    "{} has applied nothing for {} s and is behind its primary",
                    self.name,
                    STANDSTILL_LIMIT.as_secs()
                );
                let remedy = "see on the replica what it waits for, such as a lock or a full disk";
                return Err(Failure::new(FailureKind::Replication, message, remedy));
            }
        }
        Ok(())
    }

    /// Whether it receives and applies.
    ///
    /// # Errors
    /// `Replication` where it does not, with the server's reason.
    pub fn check(&mut self) -> Result<(), Failure> {
        let ReplicaState { is_replica, receives, applies, error } = self.member.replica_state()?;
        let name = &self.name;
        let remedy = "remove the cause on the replica, and start its replication again";
        let (message, remedy) = match error {
            _ if !is_replica => (
                format!("{name} replicates from no server"),
                "name only replicas of the target's `url` in `replicas`",
            ),
            Some(error) => (format!("replication to {name} is broken: {error}"), remedy),
            None if !applies => (format!("{name} does not apply what it receives"), remedy),
            None if !receives => (format!("{name} does not receive from its primary"), remedy),
            None => return Ok(()),
        };
        Err(Failure::new(FailureKind::Replication, message, remedy))
    }

    /// Ends the applying of what was received, the user's way where there is one.
    ///
    /// # Errors
    /// When that does not work; [`Failure::stopped`].
    pub fn stop_applier(&mut self) -> Result<(), Failure> {
        match self.control.stop_applier.clone() {
            Some(act) => self.act(act),
            None => self.member.stop_applier(),
        }
    }

    /// Begins it again.
    ///
    /// # Errors
    /// As [`Self::stop_applier`].
    pub fn start_applier(&mut self) -> Result<(), Failure> {
        match self.control.start_applier.clone() {
            Some(act) => self.act(act),
            None => self.member.start_applier(),
        }
    }

    fn act(&mut self, act: ControlAct) -> Result<(), Failure> {
        match act {
            ControlAct::Statement(sql) => self.member.run(&sql),
            ControlAct::Command(words) => {
                let variables = self.variables.clone();
                let order = CommandOrder { words, variables, limit: COMMAND_LIMIT };
                self.host.user_command(order, &self.stop)?.run().map(drop)
            }
        }
    }
}
