//! Weighin against the tools that do the same, on the machine at hand: `make bench`.
//!
//! Both run as whole processes on one private server and the same data, in alternation
//! (weighin first, then the other first, and so on), so that what drifts hits both. What a
//! process used is what the kernel says when it has ended.

mod arguments;
mod disk;
mod machine;
mod markdown;
mod mysql;
mod pair;
mod postgres;
mod private_server;
mod reading;
mod redis;
mod runner;
mod sampling;
mod short_study;
mod view;

use anyhow::{Context, bail};
use arguments::{Arguments, Suite};
use clap::Parser;
use runner::Runner;
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
    let runner = Runner::new(&arguments.weighin)?;
    let mut text = machine::describe(&runner, arguments)?;
    show(&text)?;
    let mut say = |more: &str| {
        text += more;
        show(more)
    };
    for suite in &arguments.suite {
        match suite {
            Suite::Mysql => mysql::run(&runner, arguments, &mut say)?,
            Suite::Postgres => postgres::run(&runner, arguments, &mut say)?,
            Suite::Redis => redis::run(&runner, arguments, &mut say)?,
            Suite::Disk => disk::run(&runner, arguments, &mut say)?,
            Suite::View => view::run(&runner, arguments, &mut say)?,
            Suite::Sampling => sampling::run(&runner, arguments, &mut say)?,
        }
    }
    if let Some(path) = &arguments.out {
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

fn show(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    if out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err() {
        bail!("nobody reads the results");
    }
    Ok(())
}
