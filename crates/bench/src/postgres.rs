//! PostgreSQL: weighin against pgbench, with the script select-only on the same tables, and both against what
//! sending and receiving alone takes.

mod arena;
mod bare;

use crate::arguments::{Arguments, Transport};
use crate::markdown::{Figure, Table};
use crate::pair::alternate;
use crate::reading::Reading;
use crate::runner::{Runner, Say};
use arena::Arena;
use report::numbers::{count, figure};
use std::time::Duration;

/// Runs all cells; `say` is given the text as it comes about.
pub(crate) fn run(runner: &Runner, arguments: &Arguments, say: Say<'_>) -> anyhow::Result<()> {
    let arena = Arena::open(runner)?;
    say(&format!("\n## PostgreSQL, against pgbench\n\n{}", arena.describe()?))?;
    arena.prepare()?;
    for transport in &arguments.transport {
        let table = Table {
            title: format!("select-only, prepared, {}", transport.name()),
            other: "pgbench",
            levels: &["clients"],
            figures: vec![
                Figure::Throughput("transactions"),
                Figure::Cpu("transaction"),
                Figure::OwnCpu,
                Figure::Memory,
                Figure::Mean,
                Figure::Beside,
            ],
        };
        say(&table.heading())?;
        for &clients in &arguments.clients {
            let duration = Duration::from_secs(arguments.seconds_of(clients).into());
            let cell = alternate(
                arguments.pairs,
                || Reading::of_weighin(&arena.load(*transport, clients, duration)?),
                || Ok(Reading::of_tool(&arena.pgbench(*transport, clients, duration)?)),
            )?;
            say(&table.row(&[count(clients.into())], &cell))?;
        }
    }
    if arguments.transport.contains(&Transport::Tcp) {
        bare_exchanges(&arena, arguments, say)?;
    }
    Ok(())
}

/// The least that a client of these transactions takes: no program that sends each of them by itself can go
/// below.
fn bare_exchanges(arena: &Arena<'_>, arguments: &Arguments, say: Say<'_>) -> anyhow::Result<()> {
    say(
        "\n### The same bytes and nothing else, TCP\n\nOne thread sends what weighin sends on each \
         connection, waits for the answer of each in the same order, and looks only for its end. Medians.\n\n\
         | clients | transactions/s | CPU µs/transaction | of which not in the kernel |\n|--:|--:|--:|--:|\n",
    )?;
    for &clients in &arguments.clients {
        let duration = Duration::from_secs(arguments.seconds_of(clients).into());
        let mut runs = (0..arguments.pairs)
            .map(|_| arena.bare(clients, duration))
            .collect::<anyhow::Result<Vec<_>>>()?;
        runs.sort_by(|a, b| a.cpu_micros.total_cmp(&b.cpu_micros));
        let median = runs[runs.len() / 2];
        say(&format!(
            "| {} | {} | {} | {} |\n",
            count(clients.into()),
            figure(median.per_second),
            figure(median.cpu_micros),
            figure(median.own_micros)
        ))?;
    }
    Ok(())
}
