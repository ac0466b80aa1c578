use crate::connect;
use model::{Failure, System, Workload};
use sql::{Column, Reader};
use system::Login;
use workload::oltp::Wording;
use workload::program::Program;

/// How workloads are read that run here.
pub(crate) fn reader() -> Reader {
    Reader { system: System::Mysql, wording: Wording::default() }
}

/// A workload as what clients run; values that scripts pick from are asked of the server.
///
/// # Errors
/// As [`Reader::program`]; where the server cannot be asked.
pub(crate) fn program(workload: &Workload, login: &Login) -> Result<Program, Failure> {
    let mut control = None;
    reader().program(workload, &mut |sql| {
        let control = match &mut control {
            Some(control) => control,
            none => none.insert(connect(login)?),
        };
        let asked = format!("cannot have the values of a script («{sql}»)");
        let rows = control.query_long(sql).map_err(|error| error.failure(&asked))?.rows;
        let first = |row: Vec<Option<Vec<u8>>>| row.into_iter().next().flatten();
        Ok(rows.into_iter().map(first).collect::<Column>())
    })
}
