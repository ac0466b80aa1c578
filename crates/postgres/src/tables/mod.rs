//! The tables that an OLTP load runs on.

use crate::client::Connection;
use model::{Failure, FailureKind, Oltp, TableContents};
use system::{Login, Prepared, Preparing};

fn cannot() -> Failure {
    Failure::new(FailureKind::NotPermitted, "weighin makes no tables on PostgreSQL", "")
}

pub fn prepare(
    _login: &Login,
    _connection: &mut Connection,
    _oltp: &Oltp,
    _preparing: &mut Preparing<'_>,
) -> Result<Prepared, Failure> {
    Err(cannot())
}

pub fn check(_connection: &mut Connection, _oltp: &Oltp) -> Result<(), Failure> {
    Err(cannot())
}

pub(super) fn are_finished(_connection: &mut Connection, _oltp: &Oltp) -> Result<bool, Failure> {
    Ok(false)
}

pub(super) fn contents(
    _connection: &mut Connection,
    _oltp: &Oltp,
) -> Result<TableContents, Failure> {
    Err(cannot())
}
