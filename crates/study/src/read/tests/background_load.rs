//! The load beside which statements run.

use crate::keys::value::applies_only_with;
use crate::problem::Problems;
use crate::read::tests::load;
use crate::read::tests::table::{STEADY_WITHIN, TestTable, TimedTable};
use model::system::Feature;
use model::{BesideLoad, CacheState, OltpMix, Statement, Task, Workload};

/// Keys that only a load gives a meaning to.
const OF_LOADS: [&str; 9] = [
    "rate", "clients", "warmup", "arrivals", "load_generators", "load_hosts", "before", "after",
    "alone",
];

/// What is said of the test that runs beside a load.
#[derive(Clone, Copy)]
pub(crate) struct StatementTest<'a> {
    pub table: &'a TestTable,
    pub timed: &'a TimedTable,
    pub cache: CacheState,
}

/// The statements with the load beside them, where the test has one; they find its tables.
pub(crate) fn with_load(
    over: StatementTest<'_>,
    mut statement: Statement,
    problems: &mut Problems,
) -> Option<Statement> {
    let StatementTest { table, timed, cache } = over;
    let Some(written) = &timed.load else {
        for (key, at) in table.places.written_among(&OF_LOADS) {
            applies_only_with(key, at, "workload", "\"oltp_read_write\"", problems);
        }
        return Some(statement);
    };
    if written.work.is_none() {
        let names = OltpMix::REPEATABLE.map(OltpMix::name);
        let at = table.place("workload").unwrap_or_default();
        problems
            .add(
                at,
                format!("statements run beside loads of {} only", Feature::Statements.products()),
            )
            .help(format!("`workload` is {}", crate::problem::names::choices(names)));
        return None;
    }
    if let (CacheState::Cold, Some(at)) = (cache, table.place("cache")) {
        problems
            .add(at, "a load warms the caches that are to be cold")
            .help("leave `cache` out, or take the time of the statements without a load");
    }
    let before = timed.keys.before.value("before", problems);
    let after = timed.keys.after.value("after", problems);
    let Some(Task::Load(mut load)) = load::task(table, written, problems) else { return None };
    if load.placement.is_some() {
        problems
            .add(
                table.place("clients").unwrap_or_default(),
                "levels do not place themselves beside statements",
            )
            .help("give `clients` as numbers: how many clients run beside the statements");
    }
    let steady = table.given(STEADY_WITHIN, problems).filter(|_| load.steady_within.is_some());
    if let Some((key, at)) = steady {
        problems
            .add(at, format!("{key} does not work beside statements"))
            .help("give `warmup` a time, which the load has before the statements");
    }
    load.duration = statement.longest_load(before, after);
    if let (Some(Workload::Oltp(data)), Workload::Oltp(oltp)) =
        (&statement.data, &mut load.workload)
    {
        // As many as the statements have without a load.
        (oltp.tables, oltp.table_size) = (data.tables, data.table_size);
    }
    statement.data = Some(load.workload.clone());
    let alone = timed.keys.alone.value();
    statement.beside = Some(Box::new(BesideLoad { load, before, after, alone }));
    Some(statement)
}
