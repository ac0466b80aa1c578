use crate::picked::{MOST_BYTES, Picked};
use crate::{Control, ControlError};
use model::{Failure, FailureKind, SqlSyntax, System, Transactions, Workload};
use std::sync::Arc;
use workload::oltp::{Wording, program_in};
use workload::own;
use workload::program::{Program, Values, ValuesBuilder, ValuesError};
use workload::script::{Need, Needed, Parsed, ScriptError};

/// The first column of the answer to a query.
pub type Column = Vec<Option<Vec<u8>>>;

/// How workloads are read that run on a system.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    pub system: System,
    pub wording: Wording,
    /// Appends a text as the server takes one.
    pub quote: fn(&[u8], &mut Vec<u8>),
}

/// The values of a script that a query gives.
///
/// # Errors
/// When the server refuses.
pub(crate) fn ask_column<C: Control>(control: &mut C, sql: &str) -> Result<Column, Failure> {
    let asked = format!("cannot have the values of a script («{sql}»)");
    let rows = control.rows_long(sql).map_err(|error| error.failure(&asked))?;
    Ok(rows.into_iter().map(|row| row.into_iter().next().flatten()).collect())
}

impl Reader {
    /// A workload as what clients run. Values that scripts pick from are the first column of the answers
    /// to queries, which `ask` gives.
    ///
    /// # Errors
    /// `NotPermitted` for one that is not of SQL, `Statement` where values are not to be had; what `ask`
    /// gives.
    pub fn program(
        &self,
        workload: &Workload,
        ask: &mut dyn FnMut(&str) -> Result<Column, Failure>,
    ) -> Result<Program, Failure> {
        self.with_values(workload, &mut |need| values(need, ask))
    }

    /// The same without any values: what can be said of it without a server.
    ///
    /// # Errors
    /// As [`Self::program`].
    pub fn outline(&self, workload: &Workload) -> Result<Program, Failure> {
        self.with_values(workload, &mut |_| Ok(Arc::default()))
    }

    /// The same with values as far as queries that only read give them: enough to look at statements.
    ///
    /// # Errors
    /// As [`Self::program`].
    pub fn sampled<C: Control>(
        &self,
        workload: &Workload,
        control: &mut C,
    ) -> Result<Program, Failure> {
        let mut ask = |sql: &str| match own::query_only_reads(sql) {
            false => Ok(Column::new()),
            true => ask_column(control, sql),
        };
        self.with_values(workload, &mut |need| Ok(values(need, &mut ask).unwrap_or_default()))
    }

    /// The values that scripts pick from, in the order in which they need them.
    ///
    /// # Errors
    /// As [`Self::program`].
    pub(crate) fn picked(
        &self,
        workload: &Workload,
        ask: &mut dyn FnMut(&str) -> Result<Column, Failure>,
    ) -> Result<Vec<Picked>, Failure> {
        let Workload::Transactions(own) = workload else { return Ok(Vec::new()) };
        let needed = self.read(own)?;
        needed.needs().iter().map(|need| values(need, ask).map(Picked)).collect()
    }

    /// A workload as what clients run, with the values that were asked before.
    ///
    /// # Errors
    /// As [`Self::program`]; where these are not those of the workload.
    pub(crate) fn with_picked(
        &self,
        workload: &Workload,
        picked: &[Picked],
    ) -> Result<Program, Failure> {
        let mut picked = picked.iter();
        self.with_values(workload, &mut |need| match picked.next() {
            Some(values) => Ok(Arc::clone(&values.0)),
            None => Err(refused(&need.failed("its values did not come with the load", ""))),
        })
    }

    fn with_values(
        &self,
        workload: &Workload,
        get: &mut dyn FnMut(&Need) -> Result<Arc<Values>, Failure>,
    ) -> Result<Program, Failure> {
        match workload {
            Workload::Transactions(own) => Ok(own::program(own, self.read(own)?.with_values(get)?)),
            other => other.oltp().map(|oltp| program_in(oltp, &self.wording)),
        }
    }

    /// Scripts as the system reads them; the study has read them before.
    fn read(&self, own: &Transactions) -> Result<Parsed, Failure> {
        let syntax = self.system.facts().sql.copied().unwrap_or(SqlSyntax::STANDARD);
        own::parse(own, syntax).map_err(|error| refused(&error))
    }
}

fn refused(error: &ScriptError) -> Failure {
    Failure::new(FailureKind::Statement, error.to_string(), "correct the script")
}

fn values(
    need: &Need,
    ask: &mut dyn FnMut(&str) -> Result<Column, Failure>,
) -> Result<Arc<Values>, Failure> {
    let sql = match &need.needed {
        Needed::Query { sql } => sql,
        Needed::Column { .. } => {
            let help = "take the values from a query: a load has no files with it";
            return Err(refused(&need.failed("values of a file are not to be had here", help)));
        }
    };
    let mut builder = ValuesBuilder::new(MOST_BYTES);
    let missing = |error: ValuesError| {
        refused(&need.failed(&error.to_string(), "have the query give other rows"))
    };
    for value in ask(sql)?.iter().filter_map(Option::as_deref) {
        builder.push(value).map_err(missing)?;
    }
    builder.finish().map(Arc::new).map_err(missing)
}
