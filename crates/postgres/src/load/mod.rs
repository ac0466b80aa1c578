//! Sessions that speak the protocol of PostgreSQL.

mod classify;
mod prepared;
mod wire;

use crate::client::login_options;
use crate::protocol::LoginOptions;
use engine::{Account, LoadError, LoadSpec, SocketLoad};
use std::sync::Arc;
use system::Login;
use system::load::PartRun;
use workload::program::Program;

pub use classify::operation_error;
pub use wire::{PostgresWire, TRANSACTIONS};

/// One client of a load.
pub type ProgramSession<const BY_STATEMENT: bool> = sql::ProgramSession<PostgresWire, BY_STATEMENT>;

/// Runs a part of a load whose clients run a program.
pub(super) fn run_part(
    program: Program,
    by_statement: bool,
    seed: u64,
    spec: &LoadSpec,
    login: &Login,
    run: &mut PartRun<'_>,
) -> Result<Account, LoadError> {
    let statements = Arc::new(sql::Statements::new(program, seed, spec.clients));
    let options = LoginOptions {
        application_name: crate::LOAD_NAME,
        ..login_options(login.address(), login.credentials())
    };
    let wire = PostgresWire::new(options, &statements);
    // Decided here, once, and not for every statement.
    if by_statement {
        let session =
            |client| ProgramSession::<true>::new(wire.clone(), Arc::clone(&statements), client);
        run.with(&SocketLoad { spec, session })
    } else {
        let session =
            |client| ProgramSession::<false>::new(wire.clone(), Arc::clone(&statements), client);
        run.with(&SocketLoad { spec, session })
    }
}
