use model::{Failure, Transactions, Workload};
use workload::program::Program;

/// A workload as what clients run.
///
/// # Errors
/// `NotPermitted` for one that is not of SQL.
pub(crate) fn program(workload: &Workload) -> Result<Program, Failure> {
    match workload {
        Workload::Transactions(own) => scripts(own),
        other => other.oltp().map(workload::oltp::program),
    }
}

fn scripts(own: &Transactions) -> Result<Program, Failure> {
    todo!()
}
