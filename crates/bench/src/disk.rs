//! Storage: weighin against fio on the same file.

mod volume;

use crate::arguments::Arguments;
use crate::markdown::{Figure, Table};
use crate::pair::alternate;
use crate::reading::Reading;
use crate::runner::{Runner, Say, told};
use crosscheck::storage::{Fio, IoEngine};
use model::{BlockOrder, BlockShare, Storage};
use report::numbers::bytes;
use volume::Volume;

/// Reads and writes under way.
const DEPTH: u32 = 32;
/// What a pattern is called, its block size, share of reads in percent, and order.
const PATTERNS: [(&str, u32, u8, BlockOrder); 3] = [
    ("4 KiB random reads", 4 << 10, 100, BlockOrder::Random),
    ("16 KiB random, 70 % reads", 16 << 10, 70, BlockOrder::Random),
    ("2 MiB sequential reads", 2 << 20, 100, BlockOrder::Sequential),
];
/// How fio hands its requests over, and the options that say so.
const ENGINES: [(IoEngine, &str); 2] = [
    (IoEngine::IoUring, "ioengine=io_uring"),
    (IoEngine::IoUringTuned, "ioengine=io_uring, fixedbufs, registerfiles, norandommap"),
];

/// Runs all cells; `say` is given the text as it comes about.
pub(crate) fn run(runner: &Runner, arguments: &Arguments, say: Say<'_>) -> anyhow::Result<()> {
    let fio = Fio::find(&host::this_machine()).map_err(told)?;
    let volume = Volume::fill(runner, arguments)?;
    let place = host::local::sample::host_facts(Some(&arguments.directory)).sandbox_filesystem;
    say(&format!(
        "\n## Storage, against fio\n\n- {}, one job\n- a file of {} on {}, {DEPTH} reads and writes \
         under way\n",
        fio.name(),
        bytes(volume.bytes()),
        place.as_deref().unwrap_or("an unknown file system"),
    ))?;
    for (engine, options) in ENGINES {
        let table = Table {
            title: format!("Against fio with {options}"),
            other: "fio",
            levels: &["pattern"],
            figures: vec![
                Figure::Throughput("IOs"),
                Figure::Bandwidth,
                Figure::Cpu("IO"),
                Figure::P99,
                Figure::Mean,
                Figure::Memory,
                Figure::Beside,
            ],
        };
        say(&table.heading())?;
        for (pattern, block, read_percent, order) in PATTERNS {
            let storage = Storage {
                blocks: vec![BlockShare { bytes: block, weight: 1 }],
                read_percent,
                order,
                bytes_per_vm: volume.bytes(),
                ..Storage::default()
            };
            let cell = alternate(
                arguments.pairs,
                || Ok(Reading::of_weighin(&volume.weighin(&storage, DEPTH)?)?.in_blocks_of(block)),
                || {
                    let load = volume.fio(&fio, engine, &storage, DEPTH)?;
                    Ok(Reading::of_tool(&load).in_blocks_of(block))
                },
            )?;
            say(&table.row(&[pattern.to_owned()], &cell))?;
        }
    }
    Ok(())
}
