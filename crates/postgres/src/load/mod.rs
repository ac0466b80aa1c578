//! Sessions that speak the protocol of PostgreSQL.

mod classify;
mod prepared;
mod wire;

use crate::client::login_options;
use crate::protocol::LoginOptions;
use engine::{Account, LoadError, LoadSpec, SocketLoad};
use sql::Statements;
use std::sync::Arc;
use system::Login;
use system::load::PartRun;
use workload::program::Program;

pub use classify::{Duplicates, operation_error};
pub use wire::{PostgresWire, TRANSACTIONS};

/// One client of a load.
pub type ProgramSession<const BY_STATEMENT: bool = false> =
    sql::ProgramSession<PostgresWire, BY_STATEMENT>;

/// Clients that run a program.
pub(super) struct ProgramLoad {
    pub(super) program: Program,
    pub(super) by_statement: bool,
    /// That of the trial.
    pub(super) seed: u64,
    pub(super) duplicates: Duplicates,
}

impl ProgramLoad {
    /// Runs a part of the load.
    ///
    /// # Errors
    /// What ended it early.
    pub(super) fn run_part(
        self,
        spec: &LoadSpec,
        login: &Login,
        run: &mut PartRun<'_>,
    ) -> Result<Account, LoadError> {
        let Self { program, by_statement, seed, duplicates } = self;
        let statements = Arc::new(Statements::new(program, seed, spec.clients));
        let options = LoginOptions {
            application_name: crate::LOAD_NAME,
            ..login_options(login.address(), login.credentials())
        };
        let wire = PostgresWire::new(options, &statements, duplicates);
        // Decided here, once, and not for every statement.
        if by_statement {
            let session =
                |client| ProgramSession::<true>::new(wire.clone(), Arc::clone(&statements), client);
            run.with(&SocketLoad { spec, session })
        } else {
            let session = |client| {
                ProgramSession::<false>::new(wire.clone(), Arc::clone(&statements), client)
            };
            run.with(&SocketLoad { spec, session })
        }
    }
}
