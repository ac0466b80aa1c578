//! PostgreSQL.

mod changes;
pub mod client;
mod counters;
mod examine;
mod facts;
#[doc(hidden)]
pub mod fuzzing;
mod limits;
pub mod load;
mod names;
mod own_data;
mod private;
mod probe;
pub mod protocol;
mod replication;
mod statements;
pub mod tables;

use crate::client::Connection;
pub use crate::client::connect;
use crate::load::SqlClients;
pub use crate::load::load_failure;
use crate::own_data::Database;
use crosscheck::sysbench::Sysbench;
use engine::Stop;
use host::recipe::PrivateServerKind;
use host::{Ends, Host, ProcessClue};
use model::{
    BrokenInvariant, CrossCheckFigures, Failure, Restore, ServerAddress, ServerCounters,
    ServerFacts, Statement, StatementAnswer, TableContents, Target, Trial, Workload,
};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use system::client::{Credentials, LoginEnvironment, UsualLogin};
use system::group::Member;
use system::{
    Examination, LoadRequest, Login, Prepared, Preparing, ProbedServer, Seen, ServerKind, Servers,
    Setting, StatementSession, cannot_check,
};

/// The servers as a system.
pub static SYSTEM: Servers<Postgres> = Servers::NEW;

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
    const REPLICAS_ARE_COPIES: bool = true;
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
        match workload {
            Workload::Transactions(own) => {
                let connections = tables::filling_connections();
                sql::own_data::prepare(&Database(login), own, preparing, connections)
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
        system::own_data::mark_used(&Database(login))
    }

    fn count_rows(login: &Login, workload: &Workload) -> Result<Vec<(String, u64)>, Failure> {
        match workload.transactions().is_some_and(|own| own.change_data) {
            true => system::own_data::count_rows(&Database(login)),
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
        system::own_data::answers(&Database(login), &program, seed, login.stop())
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
        let broken = system::own_data::check_invariants(&Database(login), invariants)?;
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

    /// Where a server takes no writes, none of its accounts writes.
    fn probe_login(login: &Login) -> Result<Login, Failure> {
        Ok(login.clone())
    }

    fn probed(login: Login) -> Result<Arc<dyn ProbedServer>, Failure> {
        Ok(Arc::new(probe::Probed::new(login)))
    }

    fn statement_session(
        login: &Login,
        statement: &Statement,
    ) -> Result<Box<dyn StatementSession>, Failure> {
        Ok(Box::new(statements::Session::open(login, statement)?))
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

/// Drops all that weighin made of own data in the database of a login, and returns its names.
///
/// # Errors
/// When the server refuses.
pub fn clean_up_own_data(login: &Login) -> Result<Vec<String>, Failure> {
    system::own_data::clean_up(&Database(login))
}
