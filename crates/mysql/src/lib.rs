//! MariaDB and MySQL.

mod changes;
pub mod client;
mod control;
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

pub use crate::client::connect;
use crate::client::{Connection, login_failure, resolve_server_key, server_failure, server_key};
use crate::load::MysqlWire;
pub use crate::protocol::LoginOptions;
use crate::protocol::{LoginError, ServerError};
use crate::tables::Rows;
use crosscheck::sysbench::Sysbench;
use engine::{OperationError, Stop};
use host::ProcessClue;
use host::recipe::PrivateServerKind;
use model::{Endpoint, Failure, Oltp, ServerAddress, ServerCounters, ServerFacts, Tls, Workload};
use sql::{Reader, SqlKind, SqlWorkloads, Statements};
use system::client::{Credentials, Limits, LoginEnvironment, UsualLogin};
use system::group::Member;
use system::own_data::SqlServer;
use system::{Examination, Examined, Login, ServerKind, Servers, Setting};

/// The servers as a system.
pub static SYSTEM: Servers<Mysql> = Servers::NEW;

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
    type Workloads = SqlWorkloads;
    type Tool = Sysbench;

    const SYSTEM: model::System = model::System::Mysql;
    const PRIVATE: &'static PrivateServerKind = &private::KIND;
    const KEEPS_DATA: bool = true;
    const TELLING_SETTINGS: &'static [&'static str] = facts::TELLING;

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

    fn open_within(login: &Login, limits: Limits, stop: &Stop) -> Result<Connection, Failure> {
        Connection::open_within(login.address(), login.credentials(), limits, stop)
    }

    fn process_clue(connection: &mut Connection) -> Result<Option<ProcessClue>, Failure> {
        facts::process_clue(connection)
    }

    fn facts(connection: &mut Connection) -> Result<ServerFacts, Failure> {
        facts::server_facts(connection)
    }

    fn data_bytes(connection: &mut Connection) -> Option<u64> {
        counters::data_bytes(connection)
    }

    fn settle(connection: &mut Connection) -> Result<(), Failure> {
        // Newer versions of MariaDB know it; MySQL does in debug builds alone.
        match connection.execute_long("SET GLOBAL innodb_log_checkpoint_now = 1") {
            Ok(_) => Ok(()),
            Err(error) if error.code().is_some() => Ok(()),
            Err(error) => Err(error.failure("cannot make a checkpoint")),
        }
    }

    fn ping(connection: &mut Connection) -> Option<()> {
        connection.ping().ok()
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
        limits::check_limits(connection, workload, clients, interventions)
    }

    fn examine(
        login: &Login,
        connection: &mut Connection,
        setting: &Setting<'_>,
        examination: &mut Examination<'_>,
    ) -> Result<Examined, Failure> {
        examine::examine(login, connection, setting, examination)
    }

    fn member(login: &Login) -> Result<Box<dyn Member>, Failure> {
        Ok(Box::new(replication::Server::open(login)?))
    }

    fn probe_login(login: &Login) -> Result<Login, Failure> {
        probe::make_account(login)
    }
}

impl SqlKind for Mysql {
    type Wire = MysqlWire;
    type LoginError = LoginError;
    type Rows<'a> = Rows<'a>;

    const READER: Reader = load::READER;
    const LOOK: &'static str = "see with SHOW PROCESSLIST what the server is waiting for";

    fn database(login: &Login) -> Box<dyn SqlServer + '_> {
        Box::new(own_data::Database(login))
    }

    fn rows<'a>(login: &'a Login, workload: &'a Oltp, seed: u64) -> Rows<'a> {
        Rows { login, workload, seed }
    }

    fn wire(
        login: &Login,
        workload: &Workload,
        statements: &Statements,
    ) -> Result<MysqlWire, Failure> {
        let wire = MysqlWire::new(login_options(login)?, statements);
        Ok(if sql::only_reads(workload) { wire.reading_only() } else { wire })
    }

    fn login_failure(error: &LoginError, login: &Login) -> Failure {
        login_failure(error, login.address(), login.credentials())
    }

    fn statement_failure(error: &OperationError, doing: &str) -> Failure {
        server_failure(&server_error(error), doing)
    }
}

/// The server's error as its protocol has it.
fn server_error(error: &OperationError) -> ServerError {
    ServerError {
        code: error.code.parse().unwrap_or(0),
        sql_state: error.sql_state.as_bytes().try_into().unwrap_or(*b"HY000"),
        message: error.message.clone(),
    }
}
