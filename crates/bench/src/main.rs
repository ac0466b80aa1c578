//! Weighin against sysbench on the machine at hand: `make bench`.
//!
//! Both run as whole processes on one private server and the same tables, in alternation
//! (weighin first, then sysbench first, and so on), so that what drifts hits both. What a
//! process used is what the kernel says when it has ended.

mod arena;
mod arguments;
mod contest;
mod machine;
mod markdown;
mod preparation;
mod reading;

use anyhow::{Context, bail};
use arena::Arena;
use arguments::Arguments;
use clap::Parser;
use std::io::{self, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nobody is left to tell if this fails.
            let _ = writeln!(io::stderr(), "bench: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let mut text = machine::describe(arguments)?;
    show(&text)?;
    let arena = Arena::open(&arguments.weighin)?;
    text += &said(machine::versions(&arena)?)?;
    if arguments.preparations > 0 {
        let preparation = preparation::measure(&arena, arguments)?;
        text += &said(markdown::preparation(&preparation))?;
    }
    arena.prepare(&arena.tables(arguments.table_size), 2)?;
    for workload in &arguments.workload {
        for transport in &arguments.transport {
            text += &said(markdown::heading(*workload, *transport))?;
            for clients in &arguments.clients {
                let cell = contest::measure(&arena, arguments, (*workload, *transport, *clients))?;
                text += &said(markdown::row(*clients, &cell))?;
            }
        }
    }
    if let Some(path) = &arguments.out {
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

fn said(text: String) -> anyhow::Result<String> {
    show(&text)?;
    Ok(text)
}

fn show(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    if out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err() {
        bail!("nobody reads the results");
    }
    Ok(())
}
