//! Redis: weighin against memtier_benchmark and redis-benchmark on the same keys.

mod arena;

use crate::arguments::Arguments;
use crate::markdown::{Figure, Table};
use crate::pair::alternate;
use crate::reading::Reading;
use crate::runner::{Runner, Say, told};
use arena::Arena;
use crosscheck::Measured;
use crosscheck::key_value::{Memtier, RedisBenchmark};
use model::KeyValue;
use report::numbers::count;

/// Clients, and commands that each sends together.
const LEVELS: [(u32, u32); 3] = [(200, 1), (1000, 1), (200, 10)];

/// Runs all cells; `say` is given the text as it comes about.
pub(crate) fn run(runner: &Runner, arguments: &Arguments, say: Say<'_>) -> anyhow::Result<()> {
    let host = host::this_machine();
    let memtier = match &arguments.memtier {
        Some(path) => Some(Memtier::at(&host, path.clone()).map_err(told)?),
        None => Memtier::find(&host).ok(),
    };
    let redis_benchmark = RedisBenchmark::find(&host).map_err(told)?;
    let arena = Arena::open(runner, arguments.seconds)?;
    let tools = match &memtier {
        Some(memtier) => format!("{}, {}", memtier.name(), redis_benchmark.name()),
        None => format!("{}; memtier_benchmark was not there", redis_benchmark.name()),
    };
    let KeyValue { keys, value_size, .. } = KeyValue::default();
    say(&format!(
        "\n## Redis, against memtier_benchmark and redis-benchmark\n\n- {tools}\n{}- one thread of \
         weighin, two of the others; {} keys, values of {value_size}\n",
        arena.describe()?,
        count(keys.into()),
    ))?;
    arena.prepare(&KeyValue::default())?;
    if let Some(memtier) = &memtier {
        let load = |workload: &KeyValue, clients| arena.memtier(memtier, workload, clients);
        let half = ("half writes", (1, 1));
        compare(&arena, arguments.pairs, half, ("memtier_benchmark", &load), say)?;
    }
    // It cannot do both.
    let load =
        |workload: &KeyValue, clients| arena.redis_benchmark(&redis_benchmark, workload, clients);
    for one in [("only writes", (1, 0)), ("only reads", (0, 1))] {
        compare(&arena, arguments.pairs, one, ("redis-benchmark", &load), say)?;
    }
    Ok(())
}

/// A tool's load of a workload by so many clients.
type Load<'a> = &'a dyn Fn(&KeyValue, u32) -> anyhow::Result<Measured>;

/// All levels of one mixture of writes and reads against one tool.
fn compare(
    arena: &Arena<'_>,
    pairs: u32,
    (title, sets_to_gets): (&str, (u32, u32)),
    (other, load): (&'static str, Load<'_>),
    say: Say<'_>,
) -> anyhow::Result<()> {
    let table = Table {
        title: format!("Keys and values, {title}, against {other}"),
        other,
        levels: &["clients", "pipeline"],
        figures: Figure::of_servers("operations", "command"),
    };
    say(&table.heading())?;
    for (clients, pipeline) in LEVELS {
        let workload = KeyValue { sets_to_gets, pipeline, ..KeyValue::default() };
        let cell = alternate(
            pairs,
            || Reading::of_weighin(&arena.load(&workload, clients)?),
            || Ok(Reading::of_tool(&load(&workload, clients)?)),
        )?;
        say(&table.row(&[clients, pipeline].map(|level| count(level.into())), &cell))?;
    }
    Ok(())
}
