//! MariaDB and MySQL.

mod changes;
pub mod client;
mod counters;
mod cross_check;
mod examine;
mod explain;
mod facts;
#[doc(hidden)]
pub mod fuzzing;
mod limits;
pub mod load;
mod outline;
mod own_data;
pub mod private;
mod probe;
pub mod protocol;
mod replication;
mod session;
mod statements;
pub mod tables;

pub use self::limits::check_limits;
use crate::client::{Connection, login_failure, resolve_server_key, server_failure, server_key};
use crate::load::{ProgramSession, Statements};
pub use crate::protocol::LoginOptions;
use crate::protocol::ServerError;
use crosscheck::sysbench::Sysbench;
use engine::{
    Account, LoadError, LoadSpec, OperationError, SessionError, SocketLoad, Stop, cpus_allowed,
};
use host::recipe::PrivateServerKind;
use host::{Ends, Host, ProcessClue};
use model::{
    BrokenInvariant, CrossCheckFigures, Endpoint, Failure, Restore, ServerAddress, ServerCounters,
    ServerFacts, Statement, StatementAnswer, StatementPlan, TableContents, Target, Tls, Trial,
    Workload,
};
use serde::{Deserialize, Serialize};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use system::client::{Credentials, Limits, LoginEnvironment, UsualLogin};
use system::group::Member;
use system::load::{Clients, PartRun};
use system::{
    Examination, LoadRequest, Login, Outliner, Prepared, Preparing, ProbedServer, Seen, ServerKind,
    Servers, Setting, StatementSession, server_load_failure,
};

/// Most connections that fill tables at the same time, unless told otherwise.
const MAX_CONNECTIONS: u32 = 4;

/// The servers as a system.
pub static SYSTEM: Servers<Mysql> = Servers::NEW;

/// Opens a connection for control work.
///
/// # Errors
/// When the server cannot be reached or refuses.
pub fn connect(login: &Login) -> Result<Connection, Failure> {
    Connection::open_within(login.address(), login.credentials(), Limits::default(), login.stop())
}

/// What the load engine's sessions log in with.
///
/// # Errors
/// `AccessDenied` when the file of a pinned key cannot be read.
pub fn login_options(login: &Login) -> Result<LoginOptions, Failure> {
    let (address, credentials) = (login.address(), login.credentials());
    Ok(LoginOptions {
        user: credentials.user.clone(),
        password: credentials.password().bytes().to_vec(),
        database: Some(address.database.clone()),
        tls: address.tls != Tls::Off,
        compression: address.compression,
        local_transport: matches!(address.endpoint, Endpoint::Socket(_)),
        local_infile: false,
        server_key: server_key(address)?,
        may_reveal: credentials.may_reveal(),
    })
}

/// Servers that speak the protocol of MySQL.
#[derive(Debug)]
pub struct Mysql;

impl ServerKind for Mysql {
    type Connection = Connection;
    type Work = Workload;
    type Tool = Sysbench;
    type Clients = SqlClients;

    const SYSTEM: model::System = model::System::Mysql;
    const PRIVATE: &'static PrivateServerKind = &private::KIND;
    const KEEPS_DATA: bool = true;
    const TELLING_SETTINGS: &'static [&'static str] = facts::TELLING;

    fn work(workload: &Workload) -> Option<&Workload> {
        workload.suits(Self::SYSTEM).then_some(workload)
    }

    fn same_data(a: &Workload, b: &Workload) -> bool {
        match (a, b) {
            (Workload::Oltp(a), Workload::Oltp(b)) => {
                (a.tables, a.table_size, a.distribution) == (b.tables, b.table_size, b.distribution)
            }
            (Workload::Transactions(a), Workload::Transactions(b)) => {
                (&a.data.setup, &a.data.load) == (&b.data.setup, &b.data.load)
            }
            (a, b) => a == b,
        }
    }

    fn outline(login: &Login) -> Result<Box<dyn Outliner>, Failure> {
        Ok(Box::new(outline::Outlined::reach(login)?))
    }

    fn usual_login(
        address: &ServerAddress,
        environment: &LoginEnvironment<'_>,
    ) -> Result<UsualLogin, Failure> {
        client::usual_login(address, environment)
    }

    fn log_in(
        address: &ServerAddress,
        environment: &LoginEnvironment<'_>,
    ) -> Result<Login, Failure> {
        let key = resolve_server_key(address, environment);
        let address = ServerAddress { server_key: key, ..address.clone() };
        server_key(&address)?;
        let usual = client::usual_login(&address, environment)?;
        let credentials = Credentials::find(&address, usual, environment)?;
        Login::with_credentials(Self::SYSTEM, address, credentials)
    }

    fn connect(login: &Login) -> Result<Connection, Failure> {
        connect(login)
    }

    fn ends(connection: &Connection) -> io::Result<Ends> {
        connection.ends()
    }

    fn process_clue(connection: &mut Connection) -> Result<Option<ProcessClue>, Failure> {
        facts::process_clue(connection)
    }

    fn set_answer_limit(connection: &mut Connection, limit: Duration) {
        connection.set_answer_limit(limit);
    }

    fn facts(connection: &mut Connection) -> Result<ServerFacts, Failure> {
        facts::server_facts(connection)
    }

    fn counters(connection: &mut Connection) -> Option<ServerCounters> {
        counters::read(connection).ok()
    }

    fn cache_memory(connection: &mut Connection) -> Result<Option<&'static str>, Failure> {
        const SETTING: &str = "innodb_buffer_pool_load_at_startup";
        let loads = facts::variables(connection)?.get(SETTING).is_some_and(|value| value == "ON");
        Ok(loads.then_some(SETTING))
    }

    fn check_limits(
        connection: &mut Connection,
        workload: &Workload,
        clients: u32,
        interventions: usize,
    ) -> Result<(), Failure> {
        check_limits(connection, workload, clients, interventions)
    }

    fn examine(
        login: &Login,
        connection: &mut Connection,
        setting: &Setting<'_>,
        examination: &mut Examination<'_>,
    ) -> Result<Seen, Failure> {
        examine::examine(login, connection, setting, examination)
    }

    fn prepare(
        login: &Login,
        connection: &mut Connection,
        workload: &Workload,
        preparing: &mut Preparing<'_>,
    ) -> Result<Prepared, Failure> {
        match workload {
            Workload::Transactions(own) => {
                let server = own_data::Database(login);
                sql::own_data::prepare(&server, own, preparing, filling_connections())
            }
            other => tables::prepare(login, connection, other.oltp()?, preparing),
        }
    }

    fn check_data(
        _: &Login,
        connection: &mut Connection,
        workload: &Workload,
        _: &mut Preparing<'_>,
    ) -> Result<(), Failure> {
        match workload.oltp() {
            Ok(oltp) => tables::check(connection, oltp),
            Err(_) => Ok(()),
        }
    }

    fn restore(workload: &Workload) -> Restore {
        let own = workload.transactions().filter(|own| own.change_data);
        own.map_or(Restore::None, |own| own.data.restore)
    }

    fn is_as_found(workload: &Workload) -> bool {
        workload.transactions().is_some_and(|own| own.data.is_as_found())
    }

    fn note_use(login: &Login, _: &Workload) -> Result<(), Failure> {
        system::own_data::mark_used(&own_data::Database(login))
    }

    fn count_rows(login: &Login, workload: &Workload) -> Result<Vec<(String, u64)>, Failure> {
        match workload.transactions().is_some_and(|own| own.change_data) {
            true => system::own_data::count_rows(&own_data::Database(login)),
            false => Ok(Vec::new()),
        }
    }

    fn answers(
        login: &Login,
        workload: &Workload,
        seed: u64,
    ) -> Result<Vec<StatementAnswer>, Failure> {
        if workload.transactions().is_none() {
            return Ok(Vec::new());
        }
        let program = Arc::new(load::program(workload, login)?);
        system::own_data::answers(&own_data::Database(login), &program, seed, login.stop())
    }

    fn invariants(
        login: &Login,
        workload: &Workload,
    ) -> Result<(u32, Vec<BrokenInvariant>), Failure> {
        let own = workload.transactions();
        let invariants = own.map(|own| own.data.invariants.as_slice()).unwrap_or_default();
        if invariants.is_empty() {
            return Ok((0, Vec::new()));
        }
        let broken = system::own_data::check_invariants(&own_data::Database(login), invariants)?;
        Ok((invariants.len() as u32, broken))
    }

    fn contents(
        connection: &mut Connection,
        workload: &Workload,
    ) -> Result<Option<TableContents>, Failure> {
        let Ok(oltp) = workload.oltp() else { return Ok(None) };
        match tables::are_finished(connection, oltp)? {
            true => tables::contents(connection, oltp).map(Some),
            false => Ok(None),
        }
    }

    fn plans(
        connection: &mut Connection,
        test: &str,
        workload: &Workload,
    ) -> Result<Vec<StatementPlan>, Failure> {
        explain::plans(connection, test, workload)
    }

    fn clients(workload: &Workload, request: &LoadRequest<'_>) -> SqlClients {
        SqlClients {
            workload: workload.clone(),
            by_statement: request.by_statement,
            seed: request.seed,
        }
    }

    fn member(login: &Login) -> Result<Box<dyn Member>, Failure> {
        Ok(Box::new(replication::Server::open(login)?))
    }

    fn statement_session(
        login: &Login,
        statement: &Statement,
    ) -> Result<Box<dyn StatementSession>, Failure> {
        Ok(Box::new(statements::Session::open(login, statement)?))
    }

    fn probe_login(login: &Login) -> Result<Login, Failure> {
        probe::make_account(login)
    }

    fn probed(login: Login) -> Result<Arc<dyn ProbedServer>, Failure> {
        Ok(Arc::new(probe::Probed::new(login)))
    }

    fn tool(
        host: &Arc<dyn Host>,
        workload: &Workload,
        target: &Target,
        test: &str,
    ) -> Result<Sysbench, Failure> {
        cross_check::tool(host, workload.oltp()?, target, test)
    }

    fn tool_name(tool: &Sysbench) -> String {
        tool.name()
    }

    fn cross_check(
        tool: &Sysbench,
        login: &Login,
        connection: Connection,
        trial: &Trial,
        load: &model::Load,
        stop: &Stop,
    ) -> Result<CrossCheckFigures, Failure> {
        cross_check::load(tool, login, connection, trial, load, stop)
    }
}

/// The clients of a load.
#[derive(Serialize, Deserialize)]
pub struct SqlClients {
    workload: Workload,
    /// Whether to keep the latencies of each kind of statement apart.
    by_statement: bool,
    /// Seeds all random streams.
    seed: u64,
}

impl Clients for SqlClients {
    const SYSTEM: model::System = model::System::Mysql;

    fn run_part(
        &self,
        spec: &LoadSpec,
        login: &Login,
        run: &mut PartRun<'_>,
    ) -> Result<Account, LoadError> {
        let refused = |failure| SessionError::Login(Box::new(failure));
        let program = load::program(&self.workload, login).map_err(refused)?;
        let statements = Statements::new(program, self.seed, spec.clients);
        // What the texts do not show, such as a function that writes, the server refuses.
        let statements = Arc::new(match self.workload.transactions() {
            Some(own) if !own.change_data => statements.reading_only(),
            _ => statements,
        });
        let options = login_options(login).map_err(refused)?;
        // Decided here, once, and not for every statement.
        if self.by_statement {
            let session = |client| {
                ProgramSession::<true>::new(options.clone(), Arc::clone(&statements), client)
            };
            run.with(&SocketLoad { spec, session })
        } else {
            let session = |client| {
                ProgramSession::<false>::new(options.clone(), Arc::clone(&statements), client)
            };
            run.with(&SocketLoad { spec, session })
        }
    }

    fn failure(error: &LoadError, login: &Login) -> Failure {
        load_failure(error, login)
    }
}

/// Drops all that weighin made of own data in the database of a login, and returns its names.
///
/// # Errors
/// When the server refuses.
pub fn clean_up_own_data(login: &Login) -> Result<Vec<String>, Failure> {
    system::own_data::clean_up(&own_data::Database(login))
}

/// Turns what ended a load early into a failure that says how to fix it.
pub fn load_failure(error: &LoadError, login: &Login) -> Failure {
    let endpoint = &login.address().endpoint;
    match error {
        LoadError::Session(SessionError::Login(reason)) => {
            if let Some(error) = reason.downcast_ref() {
                return login_failure(
                    error,
                    endpoint,
                    &login.address().database,
                    login.credentials(),
                );
            }
            if let Some(failure) = reason.downcast_ref::<Failure>() {
                return failure.clone();
            }
        }
        LoadError::Session(SessionError::Prepare { statement, error }) => {
            return server_failure(&server_error(error), &format!("cannot prepare «{statement}»"));
        }
        _ => {}
    }
    let look = "see with SHOW PROCESSLIST what the server is waiting for";
    server_load_failure(error, endpoint, look)
}

/// The server's error as its protocol has it.
fn server_error(error: &OperationError) -> ServerError {
    ServerError {
        code: error.code.parse().unwrap_or(0),
        sql_state: error.sql_state.as_bytes().try_into().unwrap_or(*b"HY000"),
        message: error.message.clone(),
    }
}

/// Connections that fill tables at the same time, unless told otherwise.
fn filling_connections() -> u32 {
    cpus_allowed().min(MAX_CONNECTIONS)
}
