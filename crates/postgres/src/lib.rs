//! PostgreSQL.

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
mod names;
mod outline;
mod own_data;
mod private;
mod probe;
pub mod protocol;
mod replication;
mod statements;
pub mod tables;
mod tool;

pub use crate::client::connect;
use crate::client::{Connection, LOOK, login_failure, login_options, server_failure};
use crate::load::{Duplicates, PostgresWire};
use crate::names::LOAD_NAME;
use crate::own_data::Database;
use crate::protocol::{LoginError, LoginOptions, ServerError};
use crate::tables::Rows;
pub use crate::tool::SqlTool;
use engine::{OperationError, Stop};
use host::ProcessClue;
use host::recipe::PrivateServerKind;
use model::{Failure, Oltp, ServerAddress, ServerCounters, ServerFacts, Tls, Workload};
use sql::{Reader, SqlKind, SqlWorkloads, Statements};
use system::client::{Limits, LoginEnvironment, UsualLogin, Variable};
use system::group::Member;
use system::own_data::SqlServer;
use system::{Examination, Examined, Login, ServerKind, Servers, Setting};

/// The servers as a system.
pub static SYSTEM: Servers<Postgres> = Servers::NEW;

/// Servers that speak the protocol of PostgreSQL.
#[derive(Debug)]
pub struct Postgres;

impl ServerKind for Postgres {
    type Connection = Connection;
    type Workloads = SqlWorkloads;
    type Tool = SqlTool;

    const SYSTEM: model::System = model::System::Postgres;
    const PRIVATE: &'static PrivateServerKind = &private::KIND;
    const POOLER: Option<&'static PrivateServerKind> = Some(&private::POOLER);
    const KEEPS_DATA: bool = true;
    const REPLICAS_ARE_COPIES: bool = true;
    const TELLING_SETTINGS: &'static [&'static str] = facts::TELLING;

    fn usual_login(
        address: &ServerAddress,
        environment: &LoginEnvironment<'_>,
    ) -> Result<UsualLogin, Failure> {
        client::usual_login(address, environment)
    }

    fn completed_url(
        url: &str,
        says_tls: bool,
        variable: Variable<'_>,
    ) -> Result<Option<String>, String> {
        client::completed_url(url, says_tls, variable)
    }

    fn open_within(login: &Login, limits: Limits, stop: &Stop) -> Result<Connection, Failure> {
        Connection::open_within(login.address(), login.credentials(), limits, stop)
    }

    fn encryption(connection: &Connection) -> Option<Tls> {
        Some(connection.tls().clone())
    }

    fn process_clue(connection: &mut Connection) -> Result<Option<ProcessClue>, Failure> {
        facts::process_clue(connection)
    }

    fn facts(connection: &mut Connection) -> Result<ServerFacts, Failure> {
        facts::server_facts(connection)
    }

    fn begin_sampling(connection: &mut Connection) -> Result<(), Failure> {
        let begun = counters::begin(connection);
        begun.map_err(|error| error.failure("cannot read the server's counters beside a load"))
    }

    fn data_bytes(connection: &mut Connection) -> Option<u64> {
        counters::data_bytes(connection)
    }

    fn settle(connection: &mut Connection) -> Result<(), Failure> {
        match connection.execute_long("CHECKPOINT") {
            Ok(_) => Ok(()),
            Err(error) if error.sql_state() == Some("42501") => Ok(()),
            Err(error) => Err(error.failure("cannot make a checkpoint")),
        }
    }

    fn ping(connection: &mut Connection) -> Option<()> {
        connection.ping().ok()
    }

    fn counters(connection: &mut Connection) -> Option<ServerCounters> {
        counters::read(connection).ok()
    }

    fn counters_at_rest(connection: &mut Connection, ends_pooled: bool) -> Option<ServerCounters> {
        counters::read_at_rest(connection, ends_pooled).ok()
    }

    fn cache_memory(connection: &mut Connection) -> Result<Option<&'static str>, Failure> {
        const SETTING: &str = "pg_prewarm.autoprewarm";
        let reads = facts::variables(connection)?.get(SETTING).is_some_and(|value| value == "on");
        Ok(reads.then_some(SETTING))
    }

    fn check_limits(
        connection: &mut Connection,
        _: &Workload,
        clients: u32,
        interventions: usize,
    ) -> Result<(), Failure> {
        limits::check_limits(connection, clients, interventions)
    }

    fn examine(
        login: &Login,
        connection: &mut Connection,
        setting: &Setting<'_>,
        examination: &mut Examination<'_>,
    ) -> Result<Examined, Failure> {
        examine::examine(login, connection, setting, examination)
    }

    fn examine_proxy(login: &Login, examination: &mut Examination<'_>) -> Result<(), Failure> {
        examine::examine_proxy(login, examination)
    }

    fn member(login: &Login) -> Result<Box<dyn Member>, Failure> {
        Ok(Box::new(replication::Server::open(login)?))
    }

    /// Where a server takes no writes, none of its accounts writes.
    fn probe_login(login: &Login) -> Result<Login, Failure> {
        Ok(login.clone())
    }
}

impl SqlKind for Postgres {
    type Wire = PostgresWire;
    type LoginError = LoginError;
    type Rows<'a> = Rows<'a>;

    const READER: Reader = load::READER;
    const LOOK: &'static str = LOOK;

    fn database(login: &Login) -> Box<dyn SqlServer + '_> {
        Box::new(Database(login))
    }

    fn rows<'a>(login: &'a Login, workload: &'a Oltp, seed: u64) -> Rows<'a> {
        Rows { login, workload, seed }
    }

    fn wire(
        login: &Login,
        workload: &Workload,
        statements: &Statements,
    ) -> Result<PostgresWire, Failure> {
        let options = LoginOptions {
            application_name: LOAD_NAME,
            read_only: sql::only_reads(workload),
            ..login_options(login.address(), login.credentials())
        };
        Ok(PostgresWire::new(options, statements, Duplicates::for_workload(workload)))
    }

    fn login_failure(error: &LoginError, login: &Login) -> Failure {
        login_failure(error, login.address(), login.credentials())
    }

    fn statement_failure(error: &OperationError, doing: &str) -> Failure {
        server_failure(&ServerError::of_state(&error.code, &error.message), doing)
    }
}
