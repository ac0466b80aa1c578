//! The interfaces behind which systems and their targets stand.

use crate::client::{LoginEnvironment, UsualLogin, Variable};
use crate::group::Group;
use crate::load::PreparedLoad;
use crate::{Diagnostics, Hosts, LoadRequest, Login, Prepared, ProbedServer, Rooms, Step};
use engine::Stop;
use host::recipe::PrivateServerKind;
use host::{CounterSource, Host};
use model::{
    Act, BackgroundWork, CacheState, CrossCheckFigures, DataState, Failover, FailoverCause,
    Failure, FailureKind, Outline, ServerAddress, ServerCounters, ServerFacts, SqlSyntax,
    Statement, StatementAnswer, StatementPlan, Study, TableContents, Target, Test, TimedStatement,
    Trial, Workload,
};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use workload::draft::StatementLog;

/// One kind of server or device.
pub trait System: Sync {
    fn kind(&self) -> model::System;

    /// How its private servers are made, and what of its own is started before one; none where it has none.
    fn private_servers(&self) -> Vec<&'static PrivateServerKind> {
        Vec::new()
    }

    /// Finds what a study asks of a target and this kind of target, or its machine, cannot give.
    ///
    /// # Errors
    /// The first such thing.
    fn check_feasible(&self, study: &Study, target: &Target, hosts: &Hosts) -> Result<(), Failure>;

    /// Takes hold of a target as far as that takes from no other: devices are read, servers are not
    /// started yet. Changes nothing.
    ///
    /// # Errors
    /// When it cannot be used; [`Failure::stopped`].
    fn hold(
        &self,
        target: &Target,
        holding: &mut Holding<'_>,
    ) -> Result<Box<dyn TargetHandle>, Failure>;

    /// Settings by whose difference a comparison misleads most often: durability, logs, memory.
    fn telling_settings(&self) -> &'static [&'static str] {
        &[]
    }

    /// A server of it that is asked what it holds.
    ///
    /// # Errors
    /// `NotPermitted` where that is not known of this system; when the server is not reached.
    fn outline(&self, _login: &Login) -> Result<Box<dyn Outliner>, Failure> {
        Err(no_outline(self.kind()))
    }

    /// A URL with what it leaves open as its own clients find it elsewhere; `None` where there is nothing to
    /// add. Encryption is not added where it is said beside the URL.
    ///
    /// # Errors
    /// Why that cannot be found.
    fn completed_url(
        &self,
        _url: &str,
        _says_tls: bool,
        _variable: Variable<'_>,
    ) -> Result<Option<String>, String> {
        Ok(None)
    }

    /// What its own clients would log in with where an address leaves that open.
    ///
    /// # Errors
    /// When that cannot be read.
    fn usual_login(
        &self,
        _address: &ServerAddress,
        _environment: &LoginEnvironment<'_>,
    ) -> Result<UsualLogin, Failure> {
        Ok(UsualLogin::default())
    }

    /// Finds out how to log in to a server that runs already.
    ///
    /// # Errors
    /// When a secret cannot be found or may not be sent; `NotPermitted` where it has no servers.
    fn log_in(
        &self,
        _address: &ServerAddress,
        _environment: &LoginEnvironment<'_>,
    ) -> Result<Login, Failure> {
        Err(no_server(self.kind()))
    }

    /// Removes what weighin made on a server that runs already, and tables of others that `also` names.
    ///
    /// # Errors
    /// When one that is named is not there or may not go, and whatever the server says; `NotPermitted`
    /// where it has no servers.
    fn clean_up(&self, _login: &Login, _also: &[String]) -> Result<CleanedUp, Failure> {
        Err(no_server(self.kind()))
    }

    /// A server that runs already, for ad hoc loads.
    ///
    /// # Errors
    /// `NotPermitted` where it has no servers.
    fn reach(&self, _login: Login) -> Result<Box<dyn TargetHandle>, Failure> {
        Err(no_server(self.kind()))
    }

    /// Reads the [document](crate::load::SystemLoad::document) of one of its loads.
    ///
    /// # Errors
    /// When it is of no such load.
    fn read_load(&self, document: serde_json::Value) -> serde_json::Result<PreparedLoad>;
}

/// What was removed of what weighin made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CleanedUp {
    /// By name; test tables that weighin did not make are still there.
    Tables { dropped: Vec<String>, kept: Vec<String> },
    /// So many.
    Keys(u64),
}

/// How targets are taken hold of.
pub struct Holding<'a> {
    pub study: &'a Study,
    pub hosts: &'a Hosts,
    /// Volumes that the command line allows to overwrite.
    pub consent: &'a [PathBuf],
    pub stop: &'a Stop,
    /// Told how many bytes of a volume were read.
    pub progress: &'a mut dyn FnMut(Step),
    /// What targets held before will take of file systems.
    pub rooms: Rooms,
}

impl<'a> Holding<'a> {
    pub fn new(
        study: &'a Study,
        hosts: &'a Hosts,
        consent: &'a [PathBuf],
        stop: &'a Stop,
        progress: &'a mut dyn FnMut(Step),
    ) -> Self {
        Self { study, hosts, consent, stop, progress, rooms: Rooms::default() }
    }
}

/// How data is made.
pub struct Preparing<'a> {
    pub seed: u64,
    /// Of the trial that it is for; 0 before all of them.
    pub repeat: u32,
    /// Whether the command line lets weighin write data of the user's own to servers that run already.
    pub may_write: bool,
    /// Whether weighin made the server; the server itself knows that best.
    pub is_private: bool,
    /// Connections that fill tables at the same time; a good number when absent.
    pub connections: Option<u32>,
    pub stop: &'a Stop,
    pub progress: &'a mut dyn FnMut(Step),
}

/// What a run would make of the data of a study's first load, given what is there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DataPlan {
    /// What the data consists of: `table`, `key` or `file`.
    pub noun: &'static str,
    /// How many are there with all that the load needs, and are kept.
    pub keep: usize,
    /// How many of them somebody else made.
    pub foreign: usize,
    /// How many are not there and will be made.
    pub make: usize,
    /// Those of weighin's own that hold something else and will be removed and made anew, in words.
    pub replace: Vec<String>,
    /// Bytes that all of the data takes, with its indexes: about so many where it is to be made.
    pub bytes: u64,
}

impl DataPlan {
    /// How many will be made, those in place of others included.
    pub fn to_make(&self) -> usize {
        self.make + self.replace.len()
    }
}

/// A target being looked at, and what was found.
pub struct Examination<'a> {
    pub study: &'a Study,
    /// The machine that makes the load.
    pub load_host: &'a dyn Host,
    pub found: &'a mut Diagnostics,
}

/// What looking at a target gave besides diagnostics.
#[derive(Debug, Default)]
pub struct Examined {
    /// `None` where the study needs no data of weighin's, or it cannot be made.
    pub data: Option<DataPlan>,
    pub identity: Option<ServerIdentity>,
    /// The tables that are there which statements of the user's own name.
    pub tables: BTreeMap<String, TableDefinition>,
}

/// How a table is made, in words that targets of one system have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableDefinition {
    /// What keeps its rows, such as `InnoDB`.
    pub storage: String,
    /// Such as `unique (id)`, without their names.
    pub indexes: BTreeSet<String>,
    pub triggers: BTreeSet<String>,
}

/// By what a server is told from others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerIdentity {
    /// The same for every way to one server, and another for every server.
    pub server: String,
    /// How the study reaches it: endpoint, encryption, user and database.
    pub way: String,
    /// The name of the machine that it runs on; `None` where that is not known.
    pub machine: Option<String>,
}

/// What is sampled of a target on its machine while a load runs.
#[derive(Clone, Debug, Default)]
pub struct SamplingScope {
    /// The server's process.
    pub server_pid: Option<u32>,
    /// Those of its replicas.
    pub replica_pids: Vec<u32>,
    /// The pooler or proxy that loads go through, where that runs on the machine that leads.
    pub proxy_pid: Option<u32>,
    /// The disks under the data, by kernel name.
    pub disks: Vec<String>,
    /// Where the server keeps its data, where that is known.
    pub data_directory: Option<PathBuf>,
}

/// Carries the act of an intervention out until it has ended; [`Failure::stopped`] says that it was
/// cut off. What it holds is kept until the load has ended.
pub type Perform = Box<dyn FnMut() -> Result<Acted, Failure> + Send>;

/// What an act that ran to its end says of itself.
#[derive(Debug, Default)]
pub struct Acted {
    /// When it really began, where that was later than it was asked for.
    pub began: Option<Instant>,
    pub note: Option<String>,
}

/// A connection that runs the statements of a test.
pub trait StatementSession: Send {
    /// Runs a statement until its last row has arrived, and counts its rows. One that takes too long
    /// is ended on the server.
    ///
    /// # Errors
    /// `TimedOut`, `ServerLost`, or what the server has against it; [`Failure::stopped`].
    fn run(&mut self, timed: &TimedStatement) -> Result<u64, Failure>;

    /// Gets a statement ready, outside the time taken: of a change of the schema, makes sure that it
    /// is weighin's to make.
    ///
    /// # Errors
    /// `ForeignTables` where the table is not weighin's.
    fn prepare(&mut self, _timed: &TimedStatement) -> Result<(), Failure> {
        Ok(())
    }

    /// Takes a change of the schema back, whether it was `made` or failed, so that the next one finds
    /// the same table. Does nothing after other statements.
    ///
    /// # Errors
    /// When it could not be taken back.
    fn undo(&mut self, _timed: &TimedStatement, _made: bool) -> Result<(), Failure> {
        Ok(())
    }

    /// What the server has counted for this session so far.
    ///
    /// # Errors
    /// When it does not answer.
    fn counts(&mut self) -> Result<SessionCounts, Failure>;
}

/// What a server counts for one session.
#[derive(Clone, Debug, Default)]
pub struct SessionCounts {
    /// By the name that the figure has in results; what the server does not count is absent.
    pub counts: Vec<(&'static str, u64)>,
    /// The most bytes of temporary space that were in use at a time, where the server says that.
    pub temporary_bytes: Option<u64>,
    /// How often it wrote to temporary files, however little and briefly.
    pub spills: u64,
}

pub(crate) fn no_outline(kind: model::System) -> Failure {
    Failure::new(
        FailureKind::NotPermitted,
        format!("no workload can be drafted from a target of the kind {kind}"),
        "start from a template: weighin init --list names them",
    )
}

/// A server that says what it holds and is asked. Only reads, and each question takes a short time.
pub trait Outliner {
    /// Its tables and, where that is wanted, the statements that took the most time.
    ///
    /// # Errors
    /// When it does not answer.
    fn outline(&mut self, with_statements: bool) -> Result<Outline, Failure>;

    /// What it has against a statement with a parameter for each value; it does not run it.
    ///
    /// # Errors
    /// When it does not answer.
    fn refuses(&mut self, marked: &str) -> Result<Option<String>, Failure>;

    /// How its statements are written.
    fn syntax(&self) -> SqlSyntax;

    /// What reads the log in which it notes its statements.
    fn log(&self) -> Box<dyn StatementLog>;
}

/// A target that weighin holds.
///
/// Every method may fail because the target is gone or refuses, or with [`Failure::stopped`].
pub trait TargetHandle: Debug + Send {
    /// Starts or reaches it.
    ///
    /// # Errors
    /// When that does not work, with the way to fix it.
    fn bring_up(&mut self) -> Result<(), Failure>;

    /// Looks for whatever would make the tests of a study fail on it, or mislead. It is up. Changes
    /// nothing that is there.
    ///
    /// # Errors
    /// What kept it from looking further.
    fn examine(&mut self, examination: &mut Examination<'_>) -> Result<Examined, Failure>;

    /// What it says of itself.
    ///
    /// # Errors
    /// When it does not answer, or cannot be measured.
    fn facts(&mut self) -> Result<ServerFacts, Failure>;

    /// What was found on it when it was taken hold of, by path.
    fn found(&self) -> Vec<(PathBuf, String)> {
        Vec::new()
    }

    /// Makes sure that the data of a load is there.
    ///
    /// # Errors
    /// When data that is not weighin's is in the way, or cannot be made.
    fn prepare(
        &mut self,
        workload: &Workload,
        preparing: &mut Preparing<'_>,
    ) -> Result<Prepared, Failure>;

    /// Makes sure that a load by hand meets the data that it was made for, and that the target
    /// allows as many clients.
    ///
    /// # Errors
    /// `MissingTables`, `ForeignTables` or `TooFewConnections`, with what to do.
    fn check_load(
        &mut self,
        workload: &Workload,
        clients: u32,
        preparing: &mut Preparing<'_>,
    ) -> Result<(), Failure>;

    /// Brings it to the state that a trial starts from, with the data of a load where it needs that.
    ///
    /// # Errors
    /// When it does not come up, its data cannot be made, or caches cannot be emptied.
    fn ready(
        &mut self,
        workload: Option<&Workload>,
        cache: CacheState,
        preparing: &mut Preparing<'_>,
    ) -> Result<(), Failure>;

    /// The load that is asked for. The target is ready for it.
    ///
    /// # Errors
    /// `NotPermitted` when such a load does not run on it.
    fn load(&mut self, request: &LoadRequest<'_>) -> Result<PreparedLoad, Failure>;

    /// What it answers to the reading statements of a workload of the user's own, with parameters that
    /// follow from a seed. Its data is there.
    ///
    /// # Errors
    /// When it is not reached; [`Failure::stopped`].
    fn answers(
        &mut self,
        _workload: &Workload,
        _seed: u64,
    ) -> Result<Vec<StatementAnswer>, Failure> {
        Ok(Vec::new())
    }

    /// What has become of the data of a workload of the user's own, after a trial; `None` where nothing
    /// is to be looked at.
    ///
    /// # Errors
    /// When it is not reached.
    fn data_state(&mut self, _workload: &Workload) -> Result<Option<DataState>, Failure> {
        Ok(None)
    }

    /// Its data was changed, and not all of that could be taken back: it is looked at again, and made
    /// anew where needed, before the next trial.
    fn forget_data(&mut self) {}

    /// A load has run, to its end or not.
    fn loaded(&mut self, _workload: &Workload) {}

    /// How long it takes to answer what is no work, over a connection like those of a load: the quickest
    /// of several answers. `None` where there is no server, or it does not answer.
    fn round_trip(&mut self) -> Option<Duration> {
        None
    }

    /// Bytes of all tables of its database with their indexes; `None` where it does not tell. Not among
    /// the counters, as asking for it moves some of these.
    fn data_bytes(&mut self) -> Option<u64> {
        None
    }

    /// Its counters; `None` where it does not give them.
    fn counters(&mut self) -> Option<ServerCounters>;

    /// What reads its counters while a load runs; `None` where only both ends are read.
    ///
    /// # Errors
    /// When it cannot be reached.
    fn counter_reader(&mut self) -> Result<Option<CounterSource>, Failure>;

    /// The machine that it is on; `None` where that is not known.
    fn host(&self) -> Option<&dyn Host>;

    /// Where its server answers over TCP; `None` where it does not.
    ///
    /// # Errors
    /// When it does not answer.
    fn network_address(&mut self) -> Result<Option<std::net::SocketAddr>, Failure>;

    fn sampling_scope(&self) -> SamplingScope;

    /// The disks under its data on a machine that makes the load, by kernel name; none where that is
    /// not on it.
    fn disks_on(&self, _host: &str) -> Vec<String> {
        Vec::new()
    }

    /// A session for statements whose time is taken, until `stop` is requested. The target is ready
    /// for them.
    ///
    /// # Errors
    /// `NotPermitted` where it runs no statements.
    fn statement_session(
        &mut self,
        _statement: &Statement,
        _stop: &Stop,
    ) -> Result<Box<dyn StatementSession>, Failure> {
        Err(cannot_do(Act::STATEMENT, model::System::Storage))
    }

    /// Connections to the primary and to every replica, whose waits end when `stop` is requested. The
    /// target is ready: they are in step.
    ///
    /// # Errors
    /// `NotPermitted` where it has no replicas.
    fn group(&mut self, _stop: &Stop) -> Result<Group, Failure> {
        Err(no_replicas("this target"))
    }

    /// Its servers, as the probe of a failover sees them: the primary and its replicas, or the one
    /// address that leads to whichever is the primary. The primary is where it can be taken away in
    /// that way.
    ///
    /// # Errors
    /// `NotPermitted` where it is no server that a failover could be measured of, or cannot be taken
    /// away so.
    fn probed_servers(
        &mut self,
        _cause: &FailoverCause,
        _stop: &Stop,
    ) -> Result<Vec<Arc<dyn ProbedServer>>, Failure> {
        Err(cannot_do(Failover::NAME, model::System::Storage))
    }

    /// Takes the primary away, and has another take its place; `step` is told what was done, as it
    /// is done.
    ///
    /// # Errors
    /// `NotPermitted` where weighin may not do that to it, and whatever fails.
    fn take_primary_away(
        &mut self,
        cause: &FailoverCause,
        _step: &mut dyn FnMut(&str),
    ) -> Result<(), Failure> {
        Err(cannot_do(cause.name(), model::System::Storage))
    }

    /// Has a primary that weighin took away answer again, so that it can be asked what it holds. It
    /// follows nobody, and nobody follows it.
    ///
    /// # Errors
    /// When it does not come back.
    fn bring_old_primary_back(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    /// The trial after which it is not what it was before is over.
    fn end_failover(&mut self) {}

    /// What has it do background work and waits for the end of it, for `limit` at most, or until
    /// `stop` is requested.
    ///
    /// # Errors
    /// `NotPermitted` where it knows no such work.
    fn background_work(
        &mut self,
        work: BackgroundWork,
        _limit: Duration,
        _stop: &Stop,
    ) -> Result<Perform, Failure> {
        Err(cannot_do(work.name(), model::System::Storage))
    }

    /// What commands of the user find in their environment, so that they know which target they are
    /// to act on.
    fn variables(&self) -> Vec<(&'static str, String)>;

    /// The name of the tool that cross-checks a test, where the test asks for one.
    fn cross_check_tool(&self, test: &Test) -> Option<String>;

    /// Runs the load of a trial with that tool. The target is ready for it.
    ///
    /// # Errors
    /// When the tool fails.
    fn cross_check(
        &mut self,
        trial: &Trial,
        test: &Test,
        stop: &Stop,
    ) -> Result<CrossCheckFigures, Failure>;

    /// What the tables of a load hold that weighin has made; `None` where there are none, or others.
    ///
    /// # Errors
    /// When they cannot be read.
    fn contents(&mut self, _workload: &Workload) -> Result<Option<TableContents>, Failure> {
        Ok(None)
    }

    /// How it carries out the statements of a test of the user's own transactions, as far as it says.
    ///
    /// # Errors
    /// When it cannot be asked.
    fn plans(&mut self, _test: &str, _workload: &Workload) -> Result<Vec<StatementPlan>, Failure> {
        Ok(Vec::new())
    }

    /// A trial is over: what must not disturb other targets ends.
    ///
    /// # Errors
    /// When it does not end.
    fn release(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    /// A failure with what the target says of it.
    fn explain(&mut self, failure: Failure) -> Failure {
        failure
    }
}

/// That a tool cannot cross-check something.
pub fn cannot_check(tool: &str, what: &str) -> Failure {
    Failure::new(
        FailureKind::NotPermitted,
        format!("{tool} cannot cross-check {what}"),
        "set cross_check = false in the test",
    )
}

/// That a target is no group.
pub fn no_replicas(target: &str) -> Failure {
    Failure::new(
        FailureKind::NotPermitted,
        format!("{target} has no replicas"),
        "give it some: sandbox = { replicas = 1 }, or replicas = [\"mysql://...\"] beside its url",
    )
}

/// That a kind of target cannot do something.
pub fn cannot_do(act: &str, system: model::System) -> Failure {
    Failure::new(
        FailureKind::NotPermitted,
        format!("targets of the kind {system} do no {act}"),
        format!("choose another target, or another act: {}", Act::suiting(system).join(", ")),
    )
}

/// That a load is of another system.
pub fn unsuitable(workload: &Workload, target: &str) -> Failure {
    Failure::new(
        FailureKind::NotPermitted,
        format!("{} does not run on {target}", workload.name()),
        "choose a workload that suits the target: key_value for Redis, oltp_... for MariaDB and \
         MySQL, storage for volumes",
    )
}

/// That there is no server to log in to.
pub fn no_server(system: model::System) -> Failure {
    Failure::new(
        FailureKind::NotPermitted,
        format!("a target of the kind {system} has no server to log in to"),
        "name a server: mysql://USER@HOST:PORT/DATABASE or redis://HOST:PORT/NUMBER",
    )
}
