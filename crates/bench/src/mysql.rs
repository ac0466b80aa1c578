//! MariaDB: weighin against sysbench on the same tables.

mod arena;
mod preparation;
mod script;

use crate::arguments::{Arguments, Transport, Workload};
use crate::markdown::{Figure, Table, preparations};
use crate::pair::{Pair, alternate};
use crate::reading::Reading;
use crate::runner::{Runner, Say};
use arena::{Arena, table_arguments};
use model::Oltp;
use report::numbers::count;
use std::time::Duration;

pub(crate) use preparation::{Preparation, PreparationPairs};

/// What the ratios of a section are against.
const SYSBENCH: &str = "sysbench";

/// Runs all cells; `say` is given the text as it comes about.
pub(crate) fn run(runner: &Runner, arguments: &Arguments, say: Say<'_>) -> anyhow::Result<()> {
    let arena = Arena::open(runner)?;
    say(&format!("\n## MariaDB, against sysbench\n\n{}", arena.describe()?))?;
    if arguments.preparations > 0 {
        say(&preparations(&preparation::measure(&arena, arguments)?))?;
    }
    arena.prepare(&arena.tables(arguments.table_size), 2)?;
    for workload in &arguments.workload {
        for transport in &arguments.transport {
            let table = Table {
                title: format!("{}, {}", workload.mix().name(), transport.name()),
                other: SYSBENCH,
                levels: &["clients"],
                figures: Figure::of_servers("transactions", "query"),
            };
            say(&table.heading())?;
            for clients in &arguments.clients {
                let cell = measure(&arena, arguments, (*workload, *transport, *clients))?;
                say(&table.row(&[count((*clients).into())], &cell))?;
            }
        }
    }
    script::run(&arena, arguments, say)
}

/// All pairs of one cell.
fn measure(
    arena: &Arena<'_>,
    arguments: &Arguments,
    (workload, transport, clients): (Workload, Transport, u32),
) -> anyhow::Result<Vec<Pair<Reading>>> {
    let oltp = Oltp {
        mix: workload.mix(),
        transaction: workload.mix().transaction(),
        ..arena.tables(arguments.table_size)
    };
    let mut options = table_arguments(&oltp);
    let seconds = arguments.seconds_of(clients);
    options.extend([
        format!("--workload={}", workload.mix().name()),
        format!("--clients={clients}"),
        format!("--duration={seconds}s"),
        "--json".to_owned(),
    ]);
    let duration = Duration::from_secs(seconds.into());
    alternate(
        arguments.pairs,
        || Reading::of_weighin(&arena.weighin("load", transport, &options)?),
        || Ok(Reading::of_tool(&arena.sysbench_load(&oltp, transport, clients, duration)?)),
    )
}
