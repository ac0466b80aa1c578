//! Statements whose time is taken, in words.

use crate::{numbers, view};
use analyse::Analysis;
use model::{
    Algorithm, BesideLoad, BuiltInChange, CacheState, Change, SchemaChange, Statement, Test,
};

/// What stands over figures that are no metrics of the registry.
pub(crate) fn figures_heading(analysis: &Analysis) -> &'static str {
    if view::imported(analysis) { "As printed" } else { "Further figures" }
}

/// What stands over and under the table of what loads did while something was done to their targets.
pub(crate) const PROFILE_HEADING: &str = "The load over time";
pub(crate) const PROFILE: &str = "A rate is served from the first of three seconds in a row on in which as much \
    succeeded as was offered, within 1 % and what chance explains, at most 1 % failed, and the median response \
    time was at most twice the one that the rate ends with. It never was where less succeeded in the last \
    quarter of its time. Of several trials the one in the middle, with the first and the last.";
pub(crate) const BEFORE_AND_AFTER_HEADING: &str = "The load before, during and after";
pub(crate) const BEFORE_AND_AFTER: &str = "Before: the whole seconds before it began; during: the seconds that \
    it touched, one at least; after: those after it had ended. The longest wait is that of a single \
    statement of the load which was under way meanwhile, until it was answered, with an error too.";

/// What is run in a test, on how much data, from which cache, and beside which load.
pub(super) fn describe(test: &Test, statement: &Statement) -> String {
    let names: Vec<&str> = statement.statements.iter().map(|timed| timed.name.as_str()).collect();
    let what = match (statement.change(), names.as_slice()) {
        (Some(change), _) => changed(change),
        (None, [one]) => format!("The statement {one}"),
        (None, several) => {
            let names: Vec<String> = several.iter().map(|name| (*name).to_owned()).collect();
            format!("The statements {}, one after another,", numbers::list(&names))
        }
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
        (CacheState::Cold, _) => ", from cold caches".to_owned(),
        (CacheState::Warm, 0) if statement.change().is_some() => String::new(),
        (CacheState::Warm, 0) => ", without a run before".to_owned(),
        (CacheState::Warm, runs) => {
            format!(", after {}", numbers::counted(runs as usize, "untimed run"))
        }
    };
    let limit = numbers::duration(statement.timeout);
    let beside = statement.beside.as_deref().map_or(String::new(), beside);
    let each = if names.len() > 1 { "each " } else { "" };
    format!("{what}{tables}{caches}, {each}within {limit} at most{beside}")
}

/// What a change of the schema does, and how.
fn changed(change: &SchemaChange) -> String {
    let what = match &change.change {
        Change::BuiltIn(BuiltInChange::AddColumn) => "A column DATETIME(6) DEFAULT NULL is added",
        Change::BuiltIn(BuiltInChange::AddIndex) => "An index over 60 characters is added",
        Change::BuiltIn(BuiltInChange::ChangeType) => "An indexed INTEGER is made a BIGINT",
        Change::Own { .. } => "The schema is changed by a statement of the study",
    };
    let how = match change.algorithm {
        Some(Algorithm::Plain) => "as the statement does by itself".to_owned(),
        Some(Algorithm::Concurrently) => "CONCURRENTLY".to_owned(),
        Some(algorithm) => format!("ALGORITHM={}", algorithm.name().to_uppercase()),
        None => "as the server chooses".to_owned(),
    };
    let limit = change
        .lock_timeout
        .map(|limit| format!("; it waits for a lock for {} at most", numbers::duration(limit)));
    format!("{what} ({how}{})", limit.unwrap_or_default())
}

/// The load beside which something runs.
fn beside(beside: &BesideLoad) -> String {
    let alone = if beside.alone { "; first without a load, then" } else { ";" };
    let [before, after] = [beside.before, beside.after].map(numbers::duration);
    format!(
        "{alone} beside {}, which runs {before} before it and {after} after it",
        beside.load.workload.name()
    )
}
