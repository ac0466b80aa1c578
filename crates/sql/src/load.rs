//! Loads on one kind of server.

use crate::picked::Picked;
use crate::program::ask_column;
use crate::tables::Maker;
use crate::{
    Column, Control, ExplainKind, OutlineKind, ProbeKind, Reader, Statements, TimedKind, Wire,
    run_part,
};
use engine::{Account, LoadError, LoadSpec, OperationError, PartRun, SessionError};
use model::{Failure, Oltp, Workload};
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::marker::PhantomData;
use std::sync::Arc;
use system::load::Clients;
use system::own_data::SqlServer;
use system::{LoadRequest, Login, ServerKind, server_load_failure};
use workload::program::Program;

/// What all servers of SQL can run.
#[derive(Debug)]
pub struct SqlWorkloads;

/// One kind of server of SQL.
pub trait SqlKind:
    ServerKind<Connection: Control, Workloads = SqlWorkloads>
    + ExplainKind
    + OutlineKind
    + ProbeKind
    + TimedKind
{
    type Wire: Wire + Clone + Sync;
    /// Why a session of a load cannot log in.
    type LoginError: Error + 'static;
    /// How rows get into the tables.
    type Rows<'a>: Maker<Connection = Self::Connection>;

    /// How workloads are read that run here.
    const READER: Reader;
    /// Where to see what a slow server is busy with.
    const LOOK: &'static str;

    /// The database that a login leads to.
    fn database(login: &Login) -> Box<dyn SqlServer + '_>;

    /// Makes the rows of test tables; the seed is that of their values.
    fn rows<'a>(login: &'a Login, workload: &'a Oltp, seed: u64) -> Self::Rows<'a>;

    /// What the clients of a load on a workload speak. The server lets connections of those that change
    /// nothing change nothing: what the texts do not show, such as a function that writes, it refuses.
    ///
    /// # Errors
    /// When a file that the login needs cannot be read.
    fn wire(
        login: &Login,
        workload: &Workload,
        statements: &Statements,
    ) -> Result<Self::Wire, Failure>;

    fn login_failure(error: &Self::LoginError, login: &Login) -> Failure;

    /// The server refused a statement, which kept it from `doing` something.
    fn statement_failure(error: &OperationError, doing: &str) -> Failure;
}

/// A workload as what clients run; values that scripts pick from are asked of the server.
///
/// # Errors
/// As [`Reader::program`]; where the server cannot be asked.
pub(crate) fn program<K: SqlKind>(workload: &Workload, login: &Login) -> Result<Program, Failure> {
    K::READER.program(workload, &mut asking::<K>(login))
}

/// Asks a server for values, over one connection, which it opens when the first are wanted.
fn asking<K: SqlKind>(login: &Login) -> impl FnMut(&str) -> Result<Column, Failure> {
    let mut control = None;
    move |sql| {
        let control = match &mut control {
            Some(control) => control,
            none => none.insert(K::connect(login)?),
        };
        ask_column(control, sql)
    }
}

/// Whether a load changes nothing of a user's own data.
pub fn only_reads(workload: &Workload) -> bool {
    workload.transactions().is_some_and(|own| !own.change_data)
}

/// The clients of a load.
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
pub struct SqlClients<K> {
    workload: Workload,
    /// What its scripts pick from and queries gave, in the order in which they need it. It is asked once
    /// for all load generators, before the server's counters are read.
    picked: Vec<Picked>,
    /// Whether to keep the latencies of each kind of statement apart.
    by_statement: bool,
    /// Seeds all random streams.
    seed: u64,
    #[serde(skip)]
    kind: PhantomData<K>,
}

impl<K: SqlKind> SqlClients<K> {
    /// Those of a load that is asked for; values that scripts pick from are asked of the server.
    ///
    /// # Errors
    /// As [`Reader::program`]; where the server cannot be asked.
    pub fn new(
        login: &Login,
        workload: &Workload,
        request: &LoadRequest<'_>,
    ) -> Result<Self, Failure> {
        let picked = K::READER.picked(workload, &mut asking::<K>(login))?;
        Ok(Self {
            workload: workload.clone(),
            picked,
            by_statement: request.by_statement,
            seed: request.seed,
            kind: PhantomData,
        })
    }
}

impl<K: SqlKind> Clients for SqlClients<K> {
    const SYSTEM: model::System = K::READER.system;

    fn run_part(
        &self,
        spec: &LoadSpec,
        login: &Login,
        run: &mut PartRun<'_>,
    ) -> Result<Account, LoadError> {
        let refused = |failure| SessionError::Login(Box::new(failure));
        let program = K::READER.with_picked(&self.workload, &self.picked).map_err(refused)?;
        let statements = Arc::new(Statements::new(program, self.seed, spec.clients));
        let wire = K::wire(login, &self.workload, &statements).map_err(refused)?;
        run_part(&wire, &statements, self.by_statement, spec, run)
    }

    fn failure(error: &LoadError, login: &Login) -> Failure {
        load_failure::<K>(error, login)
    }
}

/// Turns what ended a load early into a failure that says how to fix it.
pub fn load_failure<K: SqlKind>(error: &LoadError, login: &Login) -> Failure {
    match error {
        LoadError::Session(SessionError::Login(reason) | SessionError::NoRoom(reason)) => {
            if let Some(error) = reason.downcast_ref() {
                return K::login_failure(error, login);
            }
            if let Some(failure) = reason.downcast_ref::<Failure>() {
                return failure.clone();
            }
        }
        LoadError::Session(SessionError::Prepare { statement, error }) => {
            return K::statement_failure(error, &format!("cannot prepare «{statement}»"));
        }
        _ => {}
    }
    server_load_failure(error, &login.address().endpoint, K::LOOK)
}
