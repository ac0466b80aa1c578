//! PostgreSQL.

pub mod client;
mod counters;
mod examine;
mod facts;
mod limits;
pub mod load;
mod private;
pub mod protocol;
pub mod tables;

use crate::client::{Connection, LOOK, login_failure, server_failure};
use crate::load::SqlClients;
use crate::protocol::ServerError;
use crosscheck::sysbench::Sysbench;
use engine::{LoadError, SessionError, Stop};
use host::recipe::PrivateServerKind;
use host::{Ends, Host, ProcessClue};
use model::{
    CrossCheckFigures, Failure, ServerAddress, ServerCounters, ServerFacts, TableContents, Target,
    Trial, Workload,
};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use system::client::{Credentials, Limits, LoginEnvironment, UsualLogin};
use system::{
    Examination, LoadRequest, Login, Prepared, Preparing, Seen, ServerKind, Servers, Setting,
    cannot_check, server_load_failure,
};

/// What sessions are called in the server's lists.
pub(crate) const APPLICATION_NAME: &str = "weighin";
/// Those of the clients of a load.
pub(crate) const LOAD_NAME: &str = "weighin load";

/// The servers as a system.
pub static SYSTEM: Servers<Postgres> = Servers::NEW;

/// Opens a connection for control work.
///
/// # Errors
/// When the server cannot be reached or refuses.
pub fn connect(login: &Login) -> Result<Connection, Failure> {
    Connection::open_within(login.address(), login.credentials(), Limits::default(), login.stop())
}

/// Servers that speak the protocol of PostgreSQL.
#[derive(Debug)]
pub struct Postgres;

impl ServerKind for Postgres {
    type Connection = Connection;
    type Work = Workload;
    type Tool = Sysbench;
    type Clients = SqlClients;

    const SYSTEM: model::System = model::System::Postgres;
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
            (a, b) => a == b,
        }
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
        let usual = client::usual_login(address, environment)?;
        let credentials = Credentials::find(address, usual, environment)?;
        Login::with_credentials(Self::SYSTEM, address.clone(), credentials)
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

    fn counters_at_rest(connection: &mut Connection) -> Option<ServerCounters> {
        counters::read_at_rest(connection).ok()
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
    ) -> Result<Seen, Failure> {
        examine::examine(login, connection, setting, examination)
    }

    fn prepare(
        login: &Login,
        connection: &mut Connection,
        workload: &Workload,
        preparing: &mut Preparing<'_>,
    ) -> Result<Prepared, Failure> {
        match workload.oltp() {
            Ok(oltp) => tables::prepare(login, connection, oltp, preparing),
            // Scripts run on what is there.
            Err(_) => Ok(Prepared::nothing()),
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

    fn clients(workload: &Workload, request: &LoadRequest<'_>) -> SqlClients {
        SqlClients {
            workload: workload.clone(),
            by_statement: request.by_statement,
            seed: request.seed,
        }
    }

    fn tool(
        _host: &Arc<dyn Host>,
        _: &Workload,
        _target: &Target,
        test: &str,
    ) -> Result<Sysbench, Failure> {
        Err(cannot_check("sysbench", &format!("the test {test} on PostgreSQL")))
    }

    fn tool_name(tool: &Sysbench) -> String {
        tool.name()
    }

    fn cross_check(
        tool: &Sysbench,
        _login: &Login,
        _connection: Connection,
        _trial: &Trial,
        _load: &model::Load,
        _stop: &Stop,
    ) -> Result<CrossCheckFigures, Failure> {
        Err(cannot_check(&tool.name(), "PostgreSQL"))
    }
}

/// Turns what ended a load early into a failure that says how to fix it.
pub fn load_failure(error: &LoadError, login: &Login) -> Failure {
    match error {
        LoadError::Session(SessionError::Login(reason)) => {
            if let Some(error) = reason.downcast_ref() {
                return login_failure(error, login.address(), login.credentials());
            }
            if let Some(failure) = reason.downcast_ref::<Failure>() {
                return failure.clone();
            }
        }
        LoadError::Session(SessionError::Prepare { statement, error }) => {
            let refusal = ServerError::of_state(&error.code, &error.message);
            return server_failure(&refusal, &format!("cannot prepare «{statement}»"));
        }
        _ => {}
    }
    server_load_failure(error, &login.address().endpoint, LOOK)
}
