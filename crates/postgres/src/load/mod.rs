//! Sessions that speak the protocol of PostgreSQL.

mod classify;
mod failure;
#[cfg(test)]
mod peer;
mod prepared;
mod program;
#[cfg(test)]
mod tests;
mod wire;

use crate::client::login_options;
use crate::names::LOAD_NAME;
use crate::protocol::LoginOptions;
use engine::{Account, LoadError, LoadSpec, SessionError};
use model::{Failure, System, Workload};
use serde::{Deserialize, Serialize};
use sql::Statements;
use std::sync::Arc;
use system::Login;
use system::load::{Clients, PartRun};

pub use crate::names::TRANSACTIONS;
pub use classify::{Duplicates, operation_error};
pub use failure::load_failure;
pub(crate) use program::program;
pub use wire::PostgresWire;
pub(crate) use wire::quote;

/// One client of a load.
pub type ProgramSession<const BY_STATEMENT: bool = false> =
    sql::ProgramSession<PostgresWire, BY_STATEMENT>;

/// The clients of a load.
#[derive(Serialize, Deserialize)]
pub struct SqlClients {
    pub(super) workload: Workload,
    /// Whether to keep the latencies of each kind of statement apart.
    pub(super) by_statement: bool,
    /// Seeds all random streams.
    pub(super) seed: u64,
}

impl Clients for SqlClients {
    const SYSTEM: System = System::Postgres;

    fn run_part(
        &self,
        spec: &LoadSpec,
        login: &Login,
        run: &mut PartRun<'_>,
    ) -> Result<Account, LoadError> {
        let program = program(&self.workload, login)
            .map_err(|failure| SessionError::Login(Box::new(failure)))?;
        let statements = Arc::new(Statements::new(program, self.seed, spec.clients));
        let own = self.workload.transactions();
        let options = LoginOptions {
            application_name: LOAD_NAME,
            // What the texts do not show, such as a function that writes, the server refuses.
            read_only: own.is_some_and(|own| !own.change_data),
            ..login_options(login.address(), login.credentials())
        };
        let wire = PostgresWire::new(options, &statements, Duplicates::of(&self.workload));
        sql::run_part(&wire, &statements, self.by_statement, spec, run)
    }

    fn failure(error: &LoadError, login: &Login) -> Failure {
        load_failure(error, login)
    }
}
