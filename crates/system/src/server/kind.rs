use crate::client::{Channel, Credentials, Limits, LoginEnvironment, UsualLogin, Variable};
use crate::group::Member;
use crate::load::Clients;
use crate::login::Login;
use crate::own_data::SqlServer;
use crate::{CleanedUp, LoadRequest, Outliner, Prepared};
use crate::{Examination, Examined, Perform, Preparing, ProbedServer, StatementSession, cannot_do};
use engine::Stop;
use host::recipe::PrivateServerKind;
use host::{Host, ProcessClue};
use model::{
    Act, BackgroundWork, CrossCheckFigures, Failover, Failure, ServerAddress, ServerCounters,
    ServerFacts, Statement, StatementPlan, TableContents, Target, Tls, Transactions, Trial,
    Workload,
};
use std::fmt::Debug;
use std::ops::DerefMut;
use std::sync::Arc;
use std::time::Duration;
use workload::program::Program;

/// Where a server stands that is looked at.
pub struct Setting<'a> {
    /// The machine that it is on, where that is known.
    pub host: Option<&'a dyn Host>,
    /// Whether weighin started it.
    pub is_private: bool,
    /// Whether it did so on the machine that makes the load.
    pub is_private_here: bool,
    /// Replicas that the study names.
    pub replicas: &'a [Login],
    /// Whether weighin itself would stop and start their appliers.
    pub controls_appliers: bool,
    /// Whether a test of the study cannot be without that.
    pub needs_appliers: bool,
}

/// What is particular to one kind of server.
pub trait ServerKind: Debug + Send + Sized + Sync + 'static {
    /// A connection for everything but the load.
    type Connection: DerefMut<Target = Channel> + Debug + Send + 'static;
    /// What can be run on it.
    type Workloads: Workloads<Self>;
    /// A tool that cross-checks its loads.
    type Tool: CrossCheckTool<Self>;

    const SYSTEM: model::System;
    /// How private ones are made.
    const PRIVATE: &'static PrivateServerKind;
    /// The program of its own that is started before one, to share its sessions.
    const POOLER: Option<&'static PrivateServerKind> = None;
    /// Whether data is there as before when a server was started again.
    const KEEPS_DATA: bool;
    /// Whether replicas begin as copies of their primary's data directory.
    const REPLICAS_ARE_COPIES: bool = false;
    /// As [`System::telling_settings`](super::System::telling_settings).
    const TELLING_SETTINGS: &'static [&'static str];

    /// As [`System::usual_login`](crate::System::usual_login).
    ///
    /// # Errors
    /// When that cannot be read.
    fn usual_login(
        address: &ServerAddress,
        environment: &LoginEnvironment<'_>,
    ) -> Result<UsualLogin, Failure>;
    /// As [`System::completed_url`](crate::System::completed_url).
    ///
    /// # Errors
    /// Why that cannot be found.
    fn completed_url(
        _url: &str,
        _says_tls: bool,
        _variable: Variable<'_>,
    ) -> Result<Option<String>, String> {
        Ok(None)
    }
    /// As [`System::log_in`](crate::System::log_in).
    ///
    /// # Errors
    /// When a secret cannot be found or may not be sent.
    fn log_in(
        address: &ServerAddress,
        environment: &LoginEnvironment<'_>,
    ) -> Result<Login, Failure> {
        let usual = Self::usual_login(address, environment)?;
        let credentials = Credentials::find(address, usual, environment)?;
        Login::with_credentials(Self::SYSTEM, address.clone(), credentials)
    }
    /// Connects and logs in.
    ///
    /// # Errors
    /// When the server cannot be reached or refuses; [`Failure::stopped`].
    fn open_within(login: &Login, limits: Limits, stop: &Stop)
    -> Result<Self::Connection, Failure>;
    /// The same with the default limits, until the login's own stop.
    ///
    /// # Errors
    /// As [`Self::open_within`].
    fn connect(login: &Login) -> Result<Self::Connection, Failure> {
        Self::open_within(login, Limits::default(), login.stop())
    }
    /// How it is encrypted, where addresses may leave that to the server.
    fn encryption(_connection: &Self::Connection) -> Option<Tls> {
        None
    }
    /// By what its process is told from a proxy that answers in its place.
    ///
    /// # Errors
    /// When the connection is of no use any more; [`Failure::stopped`].
    fn process_clue(connection: &mut Self::Connection) -> Result<Option<ProcessClue>, Failure>;
    fn facts(connection: &mut Self::Connection) -> Result<ServerFacts, Failure>;
    /// Gets a connection ready to read them again and again beside a load, before that begins.
    ///
    /// # Errors
    /// When the connection is of no use any more.
    fn begin_sampling(_connection: &mut Self::Connection) -> Result<(), Failure> {
        Ok(())
    }
    /// Bytes of all tables of the database with their indexes; `None` where the server does not tell.
    fn data_bytes(_connection: &mut Self::Connection) -> Option<u64> {
        None
    }
    /// Data was made: what is left to be written of it is written now, so that it does not fall into a load.
    /// An account that may not ask for that leaves it to the server.
    ///
    /// # Errors
    /// When the connection is of no use any more, or the server fails at it.
    fn settle(_connection: &mut Self::Connection) -> Result<(), Failure> {
        Ok(())
    }
    /// Asks what takes the server no work, and waits for the answer; `None` where none comes.
    fn ping(connection: &mut Self::Connection) -> Option<()>;
    fn counters(connection: &mut Self::Connection) -> Option<ServerCounters>;
    /// The same between loads: of a server whose clients report late what they did, when they have. Where
    /// `ends_pooled`, the server and the pooler before it are weighin's own, and sessions that the pooler
    /// keeps for clients that are gone may be ended so that they report.
    fn counters_at_rest(
        connection: &mut Self::Connection,
        ends_pooled: bool,
    ) -> Option<ServerCounters> {
        let _ = ends_pooled;
        Self::counters(connection)
    }
    /// The setting by which the server reads what was in its cache again when it starts, where it
    /// does.
    fn cache_memory(_connection: &mut Self::Connection) -> Result<Option<&'static str>, Failure> {
        Ok(None)
    }

    /// Looks for whatever would make the tests of a study fail on the server, or mislead.
    ///
    /// # Errors
    /// What kept it from looking further.
    fn examine(
        login: &Login,
        connection: &mut Self::Connection,
        setting: &Setting<'_>,
        examination: &mut Examination<'_>,
    ) -> Result<Examined, Failure>;
    /// The same of what loads go through to it.
    ///
    /// # Errors
    /// As [`Self::examine`].
    fn examine_proxy(_login: &Login, _examination: &mut Examination<'_>) -> Result<(), Failure> {
        Ok(())
    }
    /// Whether the server allows as many connections, and whatever else it limits, as clients and
    /// interventions need.
    fn check_limits(
        connection: &mut Self::Connection,
        work: &Work<Self>,
        clients: u32,
        interventions: usize,
    ) -> Result<(), Failure>;

    /// A member of a group, by a connection of its own.
    fn member(_login: &Login) -> Result<Box<dyn Member>, Failure> {
        Err(cannot_do("replication", Self::SYSTEM))
    }

    /// What has the server do background work and waits for its end, for `limit` at most.
    fn background_work(
        _login: &Login,
        work: BackgroundWork,
        _limit: Duration,
    ) -> Result<Perform, Failure> {
        Err(cannot_do(work.name(), Self::SYSTEM))
    }

    /// Makes an account on a private server that is refused where the server is read-only.
    fn probe_login(_login: &Login) -> Result<Login, Failure> {
        Err(cannot_do(Failover::NAME, Self::SYSTEM))
    }
}

/// A tool that runs the loads of a kind of server as well.
pub trait CrossCheckTool<K: ServerKind>: Debug + Send + Sized {
    /// The tool for a test.
    ///
    /// # Errors
    /// When it is not installed, or cannot do the same.
    fn for_test(
        host: &Arc<dyn Host>,
        work: &Work<K>,
        target: &Target,
        test: &str,
    ) -> Result<Self, Failure>;
    fn tool_name(&self) -> String;
    /// Whether it will be let in.
    ///
    /// # Errors
    /// Why it will not.
    fn check_login(_login: &Login, _connection: &mut K::Connection) -> Result<(), Failure> {
        Ok(())
    }
    /// Runs the load of a trial. The connection is closed before that, where it is not needed.
    ///
    /// # Errors
    /// When the tool fails; [`Failure::stopped`].
    fn run_load(
        &self,
        login: &Login,
        connection: K::Connection,
        trial: &Trial,
        load: &model::Load,
        stop: &Stop,
    ) -> Result<CrossCheckFigures, Failure>;
}

/// What a kind of server can run, on which data, and by which clients.
pub trait Workloads<K: ServerKind>: Debug + 'static {
    /// What its loads are about.
    type Work: Clone + Debug + Send;
    /// The clients of its loads.
    type Clients: Clients;

    /// The part of a workload that it can run; `None` where it cannot.
    fn work(workload: &Workload) -> Option<&Self::Work>;
    /// Whether two loads run on the same data.
    fn same_data(a: &Self::Work, b: &Self::Work) -> bool;

    /// As [`System::outline`](crate::System::outline).
    ///
    /// # Errors
    /// `NotPermitted` where that is not known; when the server is not reached.
    fn outline(_login: &Login) -> Result<Box<dyn Outliner>, Failure> {
        Err(crate::interface::no_outline(K::SYSTEM))
    }
    fn prepare(
        login: &Login,
        connection: &mut K::Connection,
        work: &Self::Work,
        preparing: &mut Preparing<'_>,
    ) -> Result<Prepared, Failure>;
    /// Whether a load by hand meets its data.
    fn check_data(
        login: &Login,
        connection: &mut K::Connection,
        work: &Self::Work,
        preparing: &mut Preparing<'_>,
    ) -> Result<(), Failure>;
    /// The user's own statements and data in a load, where it is of those.
    fn own(_work: &Self::Work) -> Option<&Transactions> {
        None
    }
    /// The database that a login leads to, as that data is made in it.
    ///
    /// # Errors
    /// `NotPermitted` where there is no such data.
    fn database(_login: &Login) -> Result<Box<dyn SqlServer + '_>, Failure> {
        Err(cannot_do("transactions", K::SYSTEM))
    }
    /// What clients run in such a load.
    ///
    /// # Errors
    /// When values of a script cannot be had from the server; as above.
    fn program(_login: &Login, _work: &Self::Work) -> Result<Program, Failure> {
        Err(cannot_do("transactions", K::SYSTEM))
    }
    fn contents(
        _connection: &mut K::Connection,
        _work: &Self::Work,
    ) -> Result<Option<TableContents>, Failure> {
        Ok(None)
    }

    /// As [`TargetHandle::plans`](crate::TargetHandle::plans).
    fn plans(
        _connection: &mut K::Connection,
        _test: &str,
        _work: &Self::Work,
    ) -> Result<Vec<StatementPlan>, Failure> {
        Ok(Vec::new())
    }

    /// The clients of a load that makes this work, with all that they need of the server beforehand.
    ///
    /// # Errors
    /// When the server does not give it.
    fn clients(
        login: &Login,
        work: &Self::Work,
        request: &LoadRequest<'_>,
    ) -> Result<Self::Clients, Failure>;

    /// A session for statements whose time is taken.
    fn statement_session(
        _login: &Login,
        _statement: &Statement,
    ) -> Result<Box<dyn StatementSession>, Failure> {
        Err(cannot_do(Act::STATEMENT, K::SYSTEM))
    }
    /// A server as the probe of a failover sees it.
    fn probed(_login: Login) -> Result<Arc<dyn ProbedServer>, Failure> {
        Err(cannot_do(Failover::NAME, K::SYSTEM))
    }

    /// Removes what weighin made on the server, and tables of others that `also` names.
    ///
    /// # Errors
    /// When one that is named is not there or may not go; whatever the server says.
    fn clean_up(
        login: &Login,
        connection: &mut K::Connection,
        also: &[String],
    ) -> Result<CleanedUp, Failure>;
}

/// What loads on a kind of server are about.
pub type Work<K> = <<K as ServerKind>::Workloads as Workloads<K>>::Work;
