//! Sessions of the load engine.

use engine::{Account, LoadError, LoadSpec};
use model::Oltp;
use system::Login;
use system::load::PartRun;

pub(super) fn run_part(
    _workload: &Oltp,
    _by_statement: bool,
    _seed: u64,
    _spec: &LoadSpec,
    _login: &Login,
    _run: &mut PartRun<'_>,
) -> Result<Account, LoadError> {
    Err(LoadError::Tls("there are no sessions for PostgreSQL".to_owned()))
}
