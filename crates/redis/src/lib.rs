//! Redis and its kin.

pub mod client;
mod counters;
mod credentials;
mod cross_check;
mod examine;
mod facts;
#[doc(hidden)]
pub mod fuzzing;
mod guest;
mod keys;
mod limits;
pub mod load;
mod private;
pub mod protocol;
mod rights;
mod work;

pub use self::guest::Guest;
use crate::client::{RedisConnection, RedisError, refusal};
use crate::load::{KeyValueCommands, KeyValueSession, RedisLogin};
use crosscheck::key_value::KeyValueTool;
use engine::{Account, LoadError, LoadSpec, PartRun, RunLoad, SessionError, SocketLoad, Stop};
use host::ProcessClue;
use host::recipe::PrivateServerKind;
use model::{
    BackgroundWork, ErrorCount, Failure, FailureKind, KeyValue, ServerAddress, ServerCounters,
    ServerFacts, Workload,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;
use system::client::{Credentials, Limits, LoginEnvironment, UsualLogin};
use system::load::Clients;
use system::{
    CleanedUp, Examination, Examined, LoadRequest, Login, Perform, Prepared, Preparing, ServerKind,
    Servers, Setting, Workloads, server_load_failure,
};

/// The servers as a system.
pub static SYSTEM: Servers<Redis> = Servers::NEW;

/// What the load engine's sessions log in with.
fn session_login(login: &Login) -> RedisLogin {
    let credentials = login.credentials();
    let password = credentials.password().bytes();
    RedisLogin {
        user: Some(credentials.user.clone()).filter(|user| !user.is_empty()),
        password: Some(password.to_vec()).filter(|password| !password.is_empty()),
        database: database(login),
    }
}

/// The number of the logical database, which was checked when the control connection selected it.
fn database(login: &Login) -> u32 {
    login.address().database.parse().unwrap_or(0)
}

/// Servers that speak the protocol of Redis.
#[derive(Debug)]
pub struct Redis;

impl ServerKind for Redis {
    type Connection = RedisConnection;
    type Workloads = Self;
    type Tool = KeyValueTool;

    const SYSTEM: model::System = model::System::Redis;
    const PRIVATE: &'static PrivateServerKind = &private::KIND;
    /// A server that does not save its keys loses them when it starts again.
    const KEEPS_DATA: bool = false;
    const TELLING_SETTINGS: &'static [&'static str] = facts::TELLING;

    fn usual_login(
        _: &ServerAddress,
        environment: &LoginEnvironment<'_>,
    ) -> Result<UsualLogin, Failure> {
        Ok(credentials::usual_login(environment))
    }

    fn log_in(
        address: &ServerAddress,
        environment: &LoginEnvironment<'_>,
    ) -> Result<Login, Failure> {
        let usual = credentials::usual_login(environment);
        let credentials = Credentials::find_for_cleartext(address, &usual, environment)?;
        Login::with_credentials(Self::SYSTEM, address.clone(), credentials)
    }

    fn open_within(login: &Login, limits: Limits, stop: &Stop) -> Result<RedisConnection, Failure> {
        let password = login.credentials().password();
        RedisConnection::open_within(login.address(), password, limits, stop)
    }

    fn process_clue(connection: &mut RedisConnection) -> Result<Option<ProcessClue>, Failure> {
        facts::process_clue(connection)
    }

    fn facts(connection: &mut RedisConnection) -> Result<ServerFacts, Failure> {
        facts::server_facts(connection)
    }

    fn data_bytes(connection: &mut RedisConnection) -> Option<u64> {
        counters::data_bytes(info(connection, "").ok()?)
    }

    fn ping(connection: &mut RedisConnection) -> Option<()> {
        connection.command(&[b"PING"]).ok().map(drop)
    }

    fn counters(connection: &mut RedisConnection) -> Option<ServerCounters> {
        counters::read(connection).ok()
    }

    fn examine(
        login: &Login,
        connection: &mut RedisConnection,
        setting: &Setting<'_>,
        examination: &mut Examination<'_>,
    ) -> Result<Examined, Failure> {
        examine::examine(login, connection, setting, examination)
    }

    fn check_limits(
        connection: &mut RedisConnection,
        _: &KeyValue,
        clients: u32,
        interventions: usize,
    ) -> Result<(), Failure> {
        limits::check_limits(connection, clients, interventions)
    }

    fn background_work(
        login: &Login,
        work: BackgroundWork,
        limit: Duration,
    ) -> Result<Perform, Failure> {
        work::perform(login, work, limit)
    }
}

impl Workloads<Self> for Redis {
    type Work = KeyValue;
    type Clients = KeyValueClients;

    fn work(workload: &Workload) -> Option<&KeyValue> {
        workload.key_value()
    }

    fn same_data(a: &KeyValue, b: &KeyValue) -> bool {
        (a.keys, a.value_size) == (b.keys, b.value_size)
    }

    fn prepare(
        _: &Login,
        connection: &mut RedisConnection,
        keys: &KeyValue,
        preparing: &mut Preparing<'_>,
    ) -> Result<Prepared, Failure> {
        keys::prepare(connection, keys, preparing)
    }

    /// The database holds no keys of others, and is marked so that cleanup knows what the load
    /// writes.
    fn check_data(
        _: &Login,
        connection: &mut RedisConnection,
        keys: &KeyValue,
        preparing: &mut Preparing<'_>,
    ) -> Result<(), Failure> {
        let asked = KeyValue { preload: false, ..keys.clone() };
        keys::prepare(connection, &asked, preparing).map(drop)
    }

    fn clients(
        _: &Login,
        keys: &KeyValue,
        request: &LoadRequest<'_>,
    ) -> Result<KeyValueClients, Failure> {
        Ok(KeyValueClients { workload: keys.clone(), seed: request.seed })
    }

    fn clean_up(
        _: &Login,
        connection: &mut RedisConnection,
        _: &[String],
    ) -> Result<CleanedUp, Failure> {
        keys::cleanup(connection).map(CleanedUp::Keys)
    }
}

/// The clients of a load.
#[derive(Serialize, Deserialize)]
pub struct KeyValueClients {
    pub workload: KeyValue,
    /// Seeds all random streams.
    pub seed: u64,
}

impl Clients for KeyValueClients {
    const SYSTEM: model::System = model::System::Redis;

    fn run_part(
        &self,
        spec: &LoadSpec,
        login: &Login,
        run: &mut PartRun<'_>,
    ) -> Result<Account, LoadError> {
        let commands = Arc::new(KeyValueCommands::new(&self.workload, self.seed, spec.clients));
        let options = session_login(login);
        let session = |client| KeyValueSession::new(options.clone(), Arc::clone(&commands), client);
        SocketLoad { spec, session }.run_part(run)
    }

    fn failure(error: &LoadError, login: &Login) -> Failure {
        load_failure(error, login)
    }

    fn error_remedy(error: &ErrorCount) -> &'static str {
        match refusal(&error.message) {
            (FailureKind::Statement, _) => "",
            (_, remedy) => remedy,
        }
    }
}

/// Turns what ended a load early into a failure that says how to fix it.
pub fn load_failure(error: &LoadError, login: &Login) -> Failure {
    let endpoint = &login.address().endpoint;
    match error {
        LoadError::Session(SessionError::LoginRefused(refused)) => {
            let (kind, remedy) = refusal(&refused.message);
            Failure::new(kind, format!("cannot log in at {endpoint}: {error}"), remedy)
        }
        LoadError::Session(SessionError::Refused(refused)) => {
            let (kind, remedy) = refusal(&refused.message);
            Failure::new(kind, format!("{error} at {endpoint}"), remedy)
        }
        _ => {
            let look = "see with CLIENT LIST and the server's log what it is doing";
            server_load_failure(error, endpoint, look)
        }
    }
}

/// One section of the server's report on itself, or all of it for an empty name: name and value of
/// each line.
fn info(
    connection: &mut RedisConnection,
    section: &str,
) -> Result<Vec<(String, String)>, RedisError> {
    let answer = match section {
        "" => connection.command(&[b"INFO"])?,
        section => connection.command(&[b"INFO", section.as_bytes()])?,
    };
    Ok(report(&answer.text().unwrap_or_default()))
}

/// Name and value of each line of such a report.
pub(crate) fn report(text: &str) -> Vec<(String, String)> {
    text.lines()
        .filter_map(|line| line.trim_end().split_once(':'))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// One value out of such a report.
fn value<'a>(report: &'a [(String, String)], name: &str) -> Option<&'a str> {
    report.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}
