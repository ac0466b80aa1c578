use crate::client::connect;
use model::{Failure, System, Workload};
use sql::{Column, Reader};
use system::Login;
use workload::oltp::Wording;
use workload::program::Program;

/// How workloads are read that run here.
const READER: Reader =
    Reader { system: System::Postgres, wording: Wording { begin: "BEGIN", omits_given_ids: true } };

/// A workload as what clients run; values that scripts pick from are asked of the server.
///
/// # Errors
/// As [`Reader::program`]; where the server cannot be asked.
pub(crate) fn program(workload: &Workload, login: &Login) -> Result<Program, Failure> {
    let mut control = None;
    READER.program(workload, &mut |sql| {
        let control = match &mut control {
            Some(control) => control,
            none => none.insert(connect(login)?),
        };
        let asked = format!("cannot have the values of a script («{sql}»)");
        let rows = control.query_long(sql).map_err(|error| error.failure(&asked))?.rows;
        let first = |row: Vec<Option<String>>| Some(row.into_iter().next()??.into_bytes());
        Ok(rows.into_iter().map(first).collect::<Column>())
    })
}
