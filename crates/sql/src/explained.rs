//! What is found where a server explains the statements of a user's own transactions, which runs nothing.

use crate::plan_step::{Refusal, Steps, WholeTable};
use crate::{SampleStatement, SqlKind, sample_statements};
use model::{Failure, FailureKind, StatementPlan, Test, Transactions, Workload, text};
use std::fmt::Display;
use system::{Diagnostics, Examination};

/// Rows from which on reading all of a table is worth a word.
const MANY_ROWS: u64 = 10_000;

/// Characters that are kept of a step of a plan.
const LONGEST_STEP: usize = 300;
/// Steps that are kept of a plan.
const MOST_STEPS: usize = 50;

/// A statement with what the server says of it.
type Explained<K> = (SampleStatement, Steps<K>);

/// The statements of a workload, each with what the server says of it.
fn explained<K: SqlKind>(
    control: &mut K::Connection,
    workload: &Workload,
) -> Result<impl Iterator<Item = Explained<K>>, Failure> {
    let statements = sample_statements(K::READER.sampled(workload, control)?, K::READER.quote);
    Ok(statements.into_iter().map(|statement| {
        let steps = K::explain(control, &statement.sql);
        (statement, steps)
    }))
}

/// The plans of the statements of a user's own in a test, as far as the server gives them.
///
/// # Errors
/// When the workload cannot be run at all.
pub fn plans<K: SqlKind>(
    control: &mut K::Connection,
    test: &str,
    workload: &Workload,
) -> Result<Vec<StatementPlan>, Failure> {
    let plan = |(statement, steps): Explained<K>| {
        let steps = steps.ok()?;
        let kept = steps.iter().take(MOST_STEPS);
        Some(StatementPlan {
            test: test.to_owned(),
            statement: statement.name,
            rows: steps.iter().map(|step| step.rows_read).fold(0, u64::saturating_add),
            steps: kept.map(|step| text::excerpt(&step.words, LONGEST_STEP).into_owned()).collect(),
        })
    };
    if workload.transactions().is_none() {
        return Ok(Vec::new());
    }
    Ok(explained::<K>(control, workload)?.filter_map(plan).collect())
}

/// Whether the server takes the statements of the user's own transactions in a study, and how it would carry
/// them out.
///
/// # Errors
/// What kept it from looking further.
pub fn examine_statements<K: SqlKind>(
    control: &mut K::Connection,
    examination: &mut Examination<'_>,
) -> Result<(), Failure> {
    for workload in examination.study.tests.iter().filter_map(Test::workload) {
        let Some(own) = workload.transactions() else { continue };
        let statements = explained::<K>(control, workload);
        for (statement, steps) in examination.found.keep(statements)?.into_iter().flatten() {
            match steps {
                Ok(steps) => {
                    for table in steps.iter().filter_map(|step| step.whole_table.as_ref()) {
                        whole_table(&statement.name, table, examination.found);
                    }
                }
                Err(error) => {
                    let refusal = K::explain_refusal(&error);
                    judge_refused(&statement, &error, refusal, own, examination.found);
                }
            }
        }
    }
    Ok(())
}

/// What a refusal to explain a statement means for the study.
fn judge_refused(
    statement: &SampleStatement,
    error: &impl Display,
    refusal: Option<Refusal>,
    own: &Transactions,
    found: &mut Diagnostics,
) {
    let name = &statement.name;
    let said = format!("the statement {name} would fail: {error}");
    match refusal {
        Some(Refusal::Denied) => found.error(Failure::new(
            FailureKind::AccessDenied,
            said,
            "grant the account what the message names",
        )),
        // What makes the data comes first.
        Some(Refusal::Missing) if !own.data.is_as_found() => {}
        Some(Refusal::NotExplained) if !statement.prepared => {}
        // Clients prepare it before they begin.
        Some(_) if statement.prepared => found.error(Failure::new(
            FailureKind::Statement,
            said,
            "correct the script; a table that the script itself makes first takes prepared = false",
        )),
        Some(_) => found.warn(said, "correct the script, or expect transactions that fail"),
        None => {}
    }
}

fn whole_table(statement: &str, WholeTable { name, rows }: &WholeTable, found: &mut Diagnostics) {
    if *rows >= MANY_ROWS {
        found.warn(
            format!("the statement {statement} reads all of the table {name}, about {rows} rows"),
            "if that is not meant, add an index on what its WHERE names",
        );
    }
}
