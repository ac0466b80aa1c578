//! What servers of every kind have in common: private ones and such that run already, logins, and
//! when their data is made.

mod commands;
mod examine;
mod failover;
mod group;
mod kind;
mod own_data;
mod private;
mod restart;
mod running;
mod tools;
mod volume;

pub use self::kind::{ServerKind, Setting, Work, Workloads};
use self::own_data::{OwnDataRecord, check_undo};
use self::private::{PrivateServers, endpoint_variables, has_container};
use self::running::{Machine, Running, Whereabouts, ssh_host};
use self::tools::tools;
use self::volume::check_volume;
use crate::Outliner;
use crate::client::{LoginEnvironment, SecretRules, UsualLogin, Variable};
use crate::group::Group;
use crate::lag::with_lag;
use crate::load::{PipedLogin, PreparedLoad, ServerLoad};
use crate::registry;
use crate::{
    CleanedUp, Examination, Examined, Holding, Hosts, LoadRequest, Login, Perform, Prepared,
    Preparing, ProbedServer, SamplingScope, StatementSession, System, TargetHandle, unsuitable,
};
use engine::{Address, LoadSpec, Stop};
use host::recipe::PrivateServerKind;
use host::{CounterSource, Host, ProcessClue, ServerAct, this_machine};
use model::{
    BackgroundWork, CacheState, CrossCheckFigures, DataState, FailoverCause, Failure, FailureKind,
    Place, Proxy, Restore, ServerAddress, ServerCounters, ServerFacts, Statement, StatementAnswer,
    StatementPlan, Study, TableContents, Target, Test, Trial, Workload,
};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Longest time in which all clients must have logged in.
const CONNECT_LIMIT: Duration = Duration::from_secs(60);
/// How long to wait for replies after the last operation began.
const DRAIN_LIMIT: Duration = Duration::from_secs(30);
/// How long the sampling connection waits for an answer.
const COUNTER_TIMEOUT: Duration = Duration::from_secs(10);
/// How often it is asked how long an answer takes.
const PINGS: usize = 8;

/// All servers of a kind.
pub struct Servers<K>(PhantomData<K>);

impl<K: ServerKind> Servers<K> {
    pub const NEW: Self = Self(PhantomData);
}

impl<K: ServerKind> System for Servers<K> {
    fn kind(&self) -> model::System {
        K::SYSTEM
    }

    fn private_servers(&self) -> Vec<&'static PrivateServerKind> {
        [K::PRIVATE].into_iter().chain(K::POOLER).collect()
    }

    fn clean_up(&self, login: &Login, also: &[String]) -> Result<CleanedUp, Failure> {
        K::Workloads::clean_up(login, &mut K::connect(login)?, also)
    }

    fn outline(&self, login: &Login) -> Result<Box<dyn Outliner>, Failure> {
        K::Workloads::outline(login)
    }

    fn usual_login(
        &self,
        address: &ServerAddress,
        environment: &LoginEnvironment<'_>,
    ) -> Result<UsualLogin, Failure> {
        K::usual_login(address, environment)
    }

    fn completed_url(
        &self,
        url: &str,
        says_tls: bool,
        variable: Variable<'_>,
    ) -> Result<Option<String>, String> {
        K::completed_url(url, says_tls, variable)
    }

    fn log_in(
        &self,
        address: &ServerAddress,
        environment: &LoginEnvironment<'_>,
    ) -> Result<Login, Failure> {
        K::log_in(&environment.rules.with_paths(address), environment)
    }

    fn reach(&self, login: Login) -> Result<Box<dyn TargetHandle>, Failure> {
        Ok(reach::<K>(login))
    }

    fn read_load(&self, document: serde_json::Value) -> serde_json::Result<PreparedLoad> {
        serde_json::from_value::<ServerLoad<<K::Workloads as Workloads<K>>::Clients>>(document)
            .map(PreparedLoad::from)
    }

    fn check_feasible(&self, study: &Study, target: &Target, hosts: &Hosts) -> Result<(), Failure> {
        tools::<K>(study, target, hosts)?;
        check_volume(study, target, hosts)?;
        check_undo(study, target, hosts)?;
        let cold = study.tests.iter().find(|test| test.cache == CacheState::Cold);
        match (cold, &target.place) {
            (_, Place::Storage(_) | Place::Imported) => Err(target.out_of_reach()),
            (Some(cold), Place::Server(_)) => restart::check(cold, target, hosts),
            (Some(cold), Place::Sandbox(_)) => crate::cold::check_root(cold, target, hosts),
            (None, _) => Ok(()),
        }
    }

    fn telling_settings(&self) -> &'static [&'static str] {
        K::TELLING_SETTINGS
    }

    fn hold(
        &self,
        target: &Target,
        holding: &mut Holding<'_>,
    ) -> Result<Box<dyn TargetHandle>, Failure> {
        Ok(Box::new(Server::<K> {
            target: Some(target.clone()),
            host: holding.hosts.for_target(target),
            load_host: Arc::clone(&holding.hosts.load),
            secrets: Arc::clone(&holding.hosts.secrets),
            login: None,
            replica_logins: Vec::new(),
            private: None,
            running: Running::default(),
            unit_is_server: false,
            diverged: false,
            over_socket: has_container(holding.study),
            proxy_pid: None,
            stop: holding.stop.clone(),
            control: None,
            data_for: None,
            own_data: OwnDataRecord::default(),
            tools: tools::<K>(holding.study, target, holding.hosts)?,
        }))
    }
}

/// A server that runs already.
pub fn reach<K: ServerKind>(login: Login) -> Box<dyn TargetHandle> {
    Box::new(Server::<K> {
        target: None,
        host: None,
        stop: login.stop().clone(),
        login: Some(login),
        load_host: this_machine(),
        secrets: Arc::default(),
        replica_logins: Vec::new(),
        private: None,
        running: Running::default(),
        unit_is_server: false,
        diverged: false,
        over_socket: false,
        proxy_pid: None,
        control: None,
        data_for: None,
        own_data: OwnDataRecord::default(),
        tools: BTreeMap::new(),
    })
}

/// A server that weighin holds: a private one, or one that runs already.
#[derive(Debug)]
struct Server<K: ServerKind> {
    /// Absent for a load by hand.
    target: Option<Target>,
    /// The machine that it is on, where that is known.
    host: Option<Arc<dyn Host>>,
    /// The machine that makes the load.
    load_host: Arc<dyn Host>,
    /// What may be sent to a server that runs already.
    secrets: Arc<SecretRules>,
    /// Once it is up.
    login: Option<Login>,
    /// Likewise, of its replicas.
    replica_logins: Vec<Login>,
    private: Option<PrivateServers>,
    /// Where the others run, once they have been reached.
    running: Running,
    /// The unit of systemd that restarts it was seen to be the server, or the study is trusted in that.
    unit_is_server: bool,
    /// What private members hold may differ, or they no longer replicate as they should.
    diverged: bool,
    /// A private server is reached over its socket, because another of the study is in a container.
    over_socket: bool,
    /// The process of what loads go through, where that runs on the machine that makes them.
    proxy_pid: Option<u32>,
    stop: Stop,
    /// While it is up.
    control: Option<K::Connection>,
    /// The load that data was last made sure of for.
    data_for: Option<Work<K>>,
    /// What is known of data of the user's own.
    own_data: OwnDataRecord<K>,
    /// By the name of the test, where it asks for a cross-check.
    tools: BTreeMap<String, K::Tool>,
}

impl<K: ServerKind> Server<K> {
    /// Starts private servers; finds out how to log in.
    fn start(&mut self) -> Result<(), Failure> {
        let Some(target) = &self.target else { return Ok(()) };
        match &target.place {
            Place::Storage(_) | Place::Imported => return Err(target.out_of_reach()),
            Place::Server(spec) => {
                if let Some(host) = self.ssh_host() {
                    host.reach()?;
                }
                self.login = Some(self.login_to(&spec.address)?);
                let replicas = spec.replicas.iter().map(|address| self.login_to(address));
                self.replica_logins = replicas.collect::<Result<_, Failure>>()?;
            }
            Place::Sandbox(spec) => {
                let Some(host) = &self.host else { return Err(target.out_of_reach()) };
                host.reach()?;
                let private = PrivateServers::start(
                    host.as_ref(),
                    target,
                    spec,
                    (self.over_socket, K::REPLICAS_ARE_COPIES),
                    &self.stop,
                )?;
                self.private = Some(private);
            }
        }
        self.has_started()
    }

    /// The machine of a server that runs already, where the study says how to reach it.
    fn ssh_host(&self) -> Option<&Arc<dyn Host>> {
        ssh_host(self.target.as_ref(), self.host.as_ref())
    }

    fn login_to(&self, address: &ServerAddress) -> Result<Login, Failure> {
        // The password of a private server is weighin's own.
        let own = SecretRules::command_line(false);
        let rules = if self.private.is_some() { &own } else { self.secrets.as_ref() };
        Ok(registry::log_in(K::SYSTEM, address, rules)?.stopped_by(&self.stop))
    }

    fn login(&self) -> Result<&Login, Failure> {
        self.login.as_ref().ok_or_else(not_started)
    }

    /// How to log in, and a connection, which is opened where there is none.
    fn connected(&mut self) -> Result<(&Login, &mut K::Connection), Failure> {
        let login = self.login.as_mut().ok_or_else(not_started)?;
        let control = match &mut self.control {
            Some(control) => control,
            none => {
                let mut control = K::connect(login)?;
                *login = login.encrypted_as(K::encryption(&control));
                if self.private.is_none() {
                    let own = ssh_host(self.target.as_ref(), self.host.as_ref());
                    let (load, own) = (self.load_host.as_ref(), own.map(Arc::as_ref));
                    self.running.primary = Whereabouts::find::<K>(load, own, &mut control)?;
                }
                none.insert(control)
            }
        };
        Ok((login, control))
    }

    /// How loads log in to what is before the server, and where that is; absent where they go to the
    /// server itself. Logs in there, and finds the process that answers.
    fn through_proxy(&mut self) -> Result<Option<(Login, Address)>, Failure> {
        let Some(target) = &self.target else { return Ok(None) };
        let Some(proxy) = target.path.as_ref().and_then(|path| path.proxy.clone()) else {
            return Ok(None);
        };
        let (address, own) = match (proxy, &target.place, &mut self.private, &self.host) {
            (Proxy::Running(endpoint), Place::Server(spec), ..) => {
                (ServerAddress { endpoint, ..spec.address.clone() }, None)
            }
            (Proxy::Private(program), Place::Sandbox(_), Some(private), Some(host)) => {
                private.proxy(program, host.as_ref(), target, &self.stop)?
            }
            _ => return Ok(None),
        };
        // As for any other place: whether a password may be sent there depends on it.
        let login = self.login_to(&address)?;
        let connection = K::connect(&login)?;
        let ends = connection.ends();
        let found = ends.as_ref().ok().filter(|ends| own.is_none() && ends.on_one_machine());
        let found = found.and_then(|ends| self.load_host.running_server(ends, &ProcessClue::Any));
        self.proxy_pid = own.or(found.map(|proxy| proxy.pid));
        let address = login.address_of(ends)?;
        Ok(Some((login, address)))
    }

    fn make(&mut self, work: &Work<K>, preparing: &mut Preparing<'_>) -> Result<Prepared, Failure> {
        preparing.is_private = self.private.is_some();
        let undone = self.undo_by_command(work, preparing)?;
        let (login, control) = self.connected()?;
        let prepared = match undone {
            Some(undone) => undone,
            None => K::Workloads::prepare(login, control, work, preparing)?,
        };
        self.bring_in_step()?;
        self.data_for = Some(work.clone());
        self.has_made(work, preparing.repeat)?;
        Ok(prepared)
    }

    /// Brings the server to the state of its caches, with the data of a load.
    fn ready_for(
        &mut self,
        work: Option<&Work<K>>,
        cache: CacheState,
        preparing: &mut Preparing<'_>,
    ) -> Result<(), Failure> {
        let Some(work) = work else { return self.bring_to(cache) };
        // Before the caches are brought to their state, which looking at data would change.
        if K::KEEPS_DATA && !self.has_data_for(work) {
            self.bring_to(CacheState::Warm)?;
            self.make(work, preparing)?;
        } else if self.must_restore(work, preparing.repeat) {
            self.restore(work, preparing)?;
        }
        self.bring_to(cache)?;
        self.begins_use(work, cache, preparing.repeat)?;
        if !K::KEEPS_DATA {
            self.make(work, preparing)?;
        }
        Ok(())
    }

    fn has_data_for(&self, work: &Work<K>) -> bool {
        self.data_for.as_ref().is_some_and(|there| K::Workloads::same_data(there, work))
    }
}

impl<K: ServerKind> TargetHandle for Server<K> {
    fn bring_up(&mut self) -> Result<(), Failure> {
        self.start()?;
        self.connected()
            .map(drop)
            .map_err(|failure| private::explain(self.target.as_ref(), failure))?;
        // Whether it lets loads through is known before the first of them.
        self.through_proxy().map(drop)
    }

    fn examine(&mut self, examination: &mut Examination<'_>) -> Result<Examined, Failure> {
        self.look(examination)
    }

    fn facts(&mut self) -> Result<ServerFacts, Failure> {
        let program = self.private.as_ref().map(|private| private.primary.state().program.clone());
        let facts = K::facts(self.connected()?.1)?;
        let own = self.host().filter(|host| host.name() != self.load_host.name());
        let host = own.map(|host| host.facts());
        Ok(ServerFacts { program, host, ..facts })
    }

    fn prepare(
        &mut self,
        workload: &Workload,
        preparing: &mut Preparing<'_>,
    ) -> Result<Prepared, Failure> {
        let work = work::<K>(workload)?;
        self.make(work, preparing)
    }

    fn check_load(
        &mut self,
        workload: &Workload,
        clients: u32,
        preparing: &mut Preparing<'_>,
    ) -> Result<(), Failure> {
        let work = work::<K>(workload)?;
        let (login, control) = self.connected()?;
        K::Workloads::check_data(login, control, work, preparing)?;
        K::check_limits(control, work, clients, 0)
    }

    fn ready(
        &mut self,
        workload: Option<&Workload>,
        cache: CacheState,
        preparing: &mut Preparing<'_>,
    ) -> Result<(), Failure> {
        let work = workload.map(work::<K>).transpose()?;
        if self.private.as_ref().is_some_and(PrivateServers::is_lost) {
            self.end_private();
            self.start()?;
        }
        if !self.diverged {
            match self.ready_for(work, cache, preparing) {
                Err(failure) if self.has_diverged(&failure) => self.diverged = true,
                done => return done,
            }
        }
        self.make_group_anew()?;
        self.ready_for(work, cache, preparing)
    }

    fn load(&mut self, request: &LoadRequest<'_>) -> Result<PreparedLoad, Failure> {
        let work = work::<K>(request.workload)?;
        let delay = self.target.as_ref().and_then(Target::delay);
        let through = self.through_proxy()?;
        let (login, control) = self.connected()?;
        let (login, address) = match &through {
            Some((login, address)) => (login, address.clone()),
            None => (login, login.address_of(control.ends())?),
        };
        let spec = LoadSpec {
            addresses: vec![address],
            delay,
            tls: None,
            clients: request.clients,
            workers: request.workers,
            io: request.io,
            schedule: request.schedule,
            open: request.open.clone(),
            reconnect_after: request.reconnect_after,
            policy: request.policy.clone(),
            drain_limit: DRAIN_LIMIT,
            fails_unanswered: true,
            enough: request.enough.clone(),
            connect_limit: CONNECT_LIMIT,
        };
        let clients = K::Workloads::clients(login, work, request)?;
        Ok(ServerLoad { spec, clients, login: PipedLogin(login.clone()) }.into())
    }

    fn loaded(&mut self, workload: &Workload) {
        if let Some(work) = K::Workloads::work(workload) {
            self.own_data.is_changed |= self.restores(work) != Restore::None;
        }
    }

    fn answers(&mut self, workload: &Workload, seed: u64) -> Result<Vec<StatementAnswer>, Failure> {
        self.answers_to(work::<K>(workload)?, seed)
    }

    fn data_state(&mut self, workload: &Workload) -> Result<Option<DataState>, Failure> {
        self.state_of(work::<K>(workload)?)
    }

    fn forget_data(&mut self) {
        self.data_for = None;
    }

    fn round_trip(&mut self) -> Option<Duration> {
        let (_, control) = self.connected().ok()?;
        let ask = |_| {
            let asked = Instant::now();
            K::ping(control)?;
            Some(asked.elapsed())
        };
        (0..PINGS).map(ask).collect::<Option<Vec<_>>>()?.into_iter().min()
    }

    fn data_bytes(&mut self) -> Option<u64> {
        K::data_bytes(self.connected().ok()?.1)
    }

    fn counters(&mut self) -> Option<ServerCounters> {
        let ends_pooled = self.private.is_some() && self.proxy_pid.is_some();
        K::counters_at_rest(self.connected().ok()?.1, ends_pooled)
    }

    fn counter_reader(&mut self) -> Result<Option<CounterSource>, Failure> {
        let mut connection = K::connect(self.login()?)?;
        connection.set_answer_limit(COUNTER_TIMEOUT);
        K::begin_sampling(&mut connection)?;
        let counters: CounterSource = Box::new(move || K::counters(&mut connection));
        if self.replica_logins.is_empty() {
            return Ok(Some(counters));
        }
        with_lag(self.group_of(&self.stop)?, counters).map(Some)
    }

    fn network_address(&mut self) -> Result<Option<SocketAddr>, Failure> {
        let (login, control) = self.connected()?;
        let address = login.address_of(control.ends());
        self.control = None;
        Ok(address?.network())
    }

    fn host(&self) -> Option<&dyn Host> {
        match self.running.machine() {
            Some(Machine::LoadHost) => Some(self.load_host.as_ref()),
            Some(Machine::Own) | None => self.host.as_deref(),
        }
    }

    fn sampling_scope(&self) -> SamplingScope {
        let scope = match &self.private {
            Some(private) => private.sampling_scope(),
            None => self.running.sampling_scope(),
        };
        SamplingScope { proxy_pid: self.proxy_pid, ..scope }
    }

    fn statement_session(
        &mut self,
        statement: &Statement,
        stop: &Stop,
    ) -> Result<Box<dyn StatementSession>, Failure> {
        K::Workloads::statement_session(&self.login()?.clone().stopped_by(stop), statement)
    }

    fn probed_servers(
        &mut self,
        cause: &FailoverCause,
        stop: &Stop,
    ) -> Result<Vec<Arc<dyn ProbedServer>>, Failure> {
        // Whatever becomes of the failover, members hold the same only when they are made anew.
        self.diverged |= self.is_private_group();
        self.prepare_loss(cause)?;
        self.probed(stop)
    }

    fn take_primary_away(
        &mut self,
        cause: &FailoverCause,
        step: &mut dyn FnMut(&str),
    ) -> Result<(), Failure> {
        self.lose_primary(cause, step)
    }

    fn bring_old_primary_back(&mut self) -> Result<(), Failure> {
        let Some(private) = &mut self.private else { return Ok(()) };
        private.primary.act(ServerAct::Reconnect)?;
        private.primary.act(ServerAct::Thaw)?;
        private.primary.act(ServerAct::StartAgain)
    }

    fn end_failover(&mut self) {
        self.end_group();
    }

    fn background_work(
        &mut self,
        work: BackgroundWork,
        limit: Duration,
        stop: &Stop,
    ) -> Result<Perform, Failure> {
        K::background_work(&self.login()?.clone().stopped_by(stop), work, limit)
    }

    fn variables(&self) -> Vec<(&'static str, String)> {
        let name = self.target.iter().map(|target| ("WEIGHIN_TARGET", target.name.clone()));
        // On another machine it is no process of this one.
        let elsewhere = self.target.as_ref().is_some_and(|target| target.ssh_host().is_some());
        let pid = self
            .private
            .iter()
            .filter(|_| !elsewhere)
            .map(|private| private.primary.state().pid.to_string());
        let pid = pid.map(|pid| ("WEIGHIN_SERVER_PID", pid));
        name.chain(pid).chain(self.login.iter().flat_map(endpoint_variables)).collect()
    }

    fn group(&mut self, stop: &Stop) -> Result<Group, Failure> {
        self.group_of(stop)
    }

    fn cross_check_tool(&self, test: &Test) -> Option<String> {
        self.tools.get(&test.name).map(K::tool_name)
    }

    fn cross_check(
        &mut self,
        trial: &Trial,
        test: &Test,
        stop: &Stop,
    ) -> Result<CrossCheckFigures, Failure> {
        self.connected()?;
        let (Some(control), Some(tool)) = (self.control.take(), self.tools.get(&test.name)) else {
            return Err(crate::cannot_check("no tool", &format!("the test {}", test.name)));
        };
        K::cross_check(tool, self.login()?, control, trial, test.runnable_load()?, stop)
    }

    fn contents(&mut self, workload: &Workload) -> Result<Option<TableContents>, Failure> {
        let Some(work) = K::Workloads::work(workload).filter(|work| self.has_data_for(work)) else {
            return Ok(None);
        };
        if self.control.is_none() {
            self.bring_to(CacheState::Warm)?;
        }
        K::Workloads::contents(self.connected()?.1, work)
    }

    fn plans(&mut self, test: &str, workload: &Workload) -> Result<Vec<StatementPlan>, Failure> {
        let work = work::<K>(workload)?;
        K::Workloads::plans(self.connected()?.1, test, work)
    }

    fn release(&mut self) -> Result<(), Failure> {
        self.control = None;
        self.prepare_end(PrivateServers::stops_after_trials);
        self.private.as_mut().map_or(Ok(()), PrivateServers::release)
    }

    /// With why a private server has ended, if that is behind it.
    fn explain(&mut self, failure: Failure) -> Failure {
        self.diverged |= self.has_diverged(&failure);
        let lost = matches!(failure.kind, FailureKind::ServerLost | FailureKind::Unreachable);
        let Some(private) = self.private.as_mut().filter(|_| !failure.is_stop()) else {
            return failure;
        };
        let words = if lost { private.last_words() } else { None };
        let said_so = failure.kind == FailureKind::DiskFull;
        let words = words.or_else(|| private.full_disk(self.host.as_deref()?, said_so));
        let Some(words) = words else { return failure };
        let kind = match words.kind {
            kind @ (FailureKind::DiskFull | FailureKind::HostLost) => kind,
            _ => FailureKind::ServerLost,
        };
        Failure::new(kind, format!("{}; {}", failure.message, words.message), words.remedy)
    }
}

/// The part of a workload that servers of a kind can run.
fn work<K: ServerKind>(workload: &Workload) -> Result<&Work<K>, Failure> {
    K::Workloads::work(workload)
        .ok_or_else(|| unsuitable(workload, &format!("{} servers", K::SYSTEM)))
}

fn not_started() -> Failure {
    Failure::new(FailureKind::Unreachable, "the server has not been started", "")
}
