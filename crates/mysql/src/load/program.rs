use crate::client::Connection;
use crate::connect;
use model::{Failure, FailureKind, SqlSyntax, System, Transactions, Workload};
use std::sync::Arc;
use system::Login;
use workload::own;
use workload::program::{Program, Values, ValuesBuilder, ValuesError};
use workload::script::{Need, Needed, Parsed, ScriptError};

/// Memory that the values of one query may take.
const MOST_BYTES: usize = 256 << 20;

/// A workload as what clients run; values that scripts pick from are asked of the server.
///
/// # Errors
/// `NotPermitted` for one that is not of SQL, `Statement` where values are not to be had; where the
/// server cannot be asked for them.
pub(crate) fn program(workload: &Workload, login: &Login) -> Result<Program, Failure> {
    let mut control = None;
    with_values(workload, &mut |need| {
        let control = match &mut control {
            Some(control) => control,
            none => none.insert(connect(login)?),
        };
        values(need, control)
    })
}

/// The same without any values: what can be said of it without a server.
///
/// # Errors
/// As [`program`], the server aside.
pub(crate) fn outline(workload: &Workload) -> Result<Program, Failure> {
    with_values(workload, &mut |_| Ok(Arc::default()))
}

fn with_values(
    workload: &Workload,
    get: &mut dyn FnMut(&Need) -> Result<Arc<Values>, Failure>,
) -> Result<Program, Failure> {
    match workload {
        Workload::Transactions(own) => Ok(own::program(own, read(own)?.with_values(get)?)),
        other => other.oltp().map(workload::oltp::program),
    }
}

/// Scripts as this system reads them; the study has read them before.
fn read(own: &Transactions) -> Result<Parsed, Failure> {
    let syntax = System::Mysql.facts().sql.copied().unwrap_or(SqlSyntax::STANDARD);
    own::parse(own, syntax).map_err(|error| refused(&error))
}

fn refused(error: &ScriptError) -> Failure {
    Failure::new(FailureKind::Statement, error.to_string(), "correct the script")
}

/// The first column of the answer to a query.
fn values(need: &Need, control: &mut Connection) -> Result<Arc<Values>, Failure> {
    let sql = match &need.needed {
        Needed::Query { sql } => sql,
        Needed::Column { .. } => {
            let help = "take the values from a query: a load has no files with it";
            return Err(refused(&need.failed("values of a file are not to be had here", help)));
        }
    };
    let asked = format!("cannot have the values of a script («{sql}»)");
    let rows = control.query_long(sql).map_err(|error| error.failure(&asked))?;
    let mut builder = ValuesBuilder::new(MOST_BYTES);
    let missing = |error: ValuesError| {
        refused(&need.failed(&error.to_string(), "have the query give other rows"))
    };
    for value in rows.rows.iter().filter_map(|row| row.first()?.as_deref()) {
        builder.push(value).map_err(missing)?;
    }
    builder.finish().map(Arc::new).map_err(missing)
}
