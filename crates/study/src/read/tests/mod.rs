mod background_load;
mod built_in;
mod catch_up;
mod failover;
mod intervention;
pub(crate) mod key_value;
mod level;
mod load;
mod oltp;
mod own_data;
mod placement;
mod profile;
mod schema_change;
mod script_column;
mod slo;
mod statement;
mod storage;
pub(super) mod table;
mod transactions;

use crate::keys::value::name;
use crate::problem::Problems;
use crate::read::tests::table::{STEADY_WITHIN, TaskTable, TestTable};
use model::{CacheState, Task, Test};

/// Validates one `[[test]]`. What it returns are tests only if no problem was noted: one, or one for
/// each algorithm of a schema change.
pub(crate) fn tests(table: &TestTable, problems: &mut Problems) -> Vec<Test> {
    let cache = table.keys.cache.value("cache", problems).unwrap_or(CacheState::Warm);
    let name = table.name().and_then(|(written, at)| name(written, at, "test", problems));
    let of = |task: Option<Task>| task.map(|task| (None, task)).into_iter().collect();
    let tasks: Vec<(Option<&str>, Task)> = match &table.task {
        TaskTable::Load(load) => of(load::task(table, load, problems)),
        TaskTable::Statement(keys, timed) => {
            of(statement::task(table, keys, timed, cache, problems))
        }
        TaskTable::Failover(keys) => of(failover::task(table, keys, cache, problems)),
        TaskTable::CatchUp(keys) => of(catch_up::task(table, keys, cache, problems)),
        TaskTable::SchemaChange(keys, timed) => {
            schema_change::tasks(table, keys, timed, cache, problems)
        }
    };
    if let (CacheState::Cold, Some((key, at))) = (cache, table.given(STEADY_WITHIN, problems)) {
        problems
            .add(
                at,
                format!("{key} does not work with cold caches: the load that settles warms them"),
            )
            .help("leave out either; two tests can have one each");
    }
    let cross_check = match &table.task {
        TaskTable::Load(load) => load.keys.cross_check.value(),
        TaskTable::Statement(..)
        | TaskTable::SchemaChange(..)
        | TaskTable::Failover(_)
        | TaskTable::CatchUp(_) => false,
    };
    let Some(name) = name else { return Vec::new() };
    let test = |(variant, task): (Option<&str>, Task)| {
        let name = variant.map_or_else(|| name.clone(), |variant| format!("{name} {variant}"));
        Test { name, task, cache, cross_check }
    };
    tasks.into_iter().map(test).collect()
}
