//! Statements whose time is taken, in words.

use crate::{numbers, view};
use analyse::Analysis;
use model::{CacheState, Statement, Test};

/// What stands over figures that are no metrics of the registry.
pub(crate) fn figures_heading(analysis: &Analysis) -> &'static str {
    if view::imported(analysis) { "As printed" } else { "Further figures" }
}

/// What is run in a test, on how much data, and from which cache.
pub(super) fn describe(test: &Test, statement: &Statement) -> String {
    let names: Vec<&str> = statement.statements.iter().map(|timed| timed.name.as_str()).collect();
    let what = match names.as_slice() {
        [one] => format!("The statement {one}"),
        several => format!("The statements {}, one after another", several.join(", ")),
    };
    let data = statement.data.as_ref().and_then(|data| data.oltp().ok());
    let tables = data.map_or(String::new(), |tables| {
        format!(
            " on {} of {} rows",
            numbers::counted(tables.tables as usize, "table"),
            numbers::count(tables.table_size.into())
        )
    });
    let caches = match (test.cache, statement.warmup_runs) {
        (CacheState::Cold, _) => "from cold caches".to_owned(),
        (CacheState::Warm, 0) => "without a run before".to_owned(),
        (CacheState::Warm, runs) => {
            format!("after {}", numbers::counted(runs as usize, "untimed run"))
        }
    };
    let limit = numbers::duration(statement.timeout);
    format!("{what}{tables}, {caches}, each within {limit} at most")
}
