//! The command line of weighin: arguments, signals, progress, exit codes. Everything else lives
//! in the other crates of the workspace.

mod arguments;
mod check_output;
mod checks;
mod commands;
mod exit;
mod load_output;
mod log;
mod messages;
mod metrics;
mod output;
mod passing;
mod prices;
mod progress;
mod raster;
mod signals;
mod slo_output;
mod stores;
#[doc(hidden)]
pub mod systems;
mod understand;
mod view;

use arguments::{Arguments, Command};
use clap::Parser;
use exit::Exit;
use std::process::ExitCode;

#[doc(hidden)]
pub use understand::understand;

/// Does what the command line of this process says.
pub fn run() -> ExitCode {
    messages::gate_panics(view::uncover_for_good);
    systems::register();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return messages::tell_usage(&error).into(),
    };
    // A load generator ends with its pipe.
    match arguments.command {
        Command::LoadGenerator | Command::RemoteLoadGenerator | Command::Agent(_) => {}
        Command::InstanceKeeper => signals::pass_over(),
        // Until it is stopped is as long as it is asked to serve: that is no interruption.
        Command::Serve(_) => listen(Exit::Done),
        _ => listen(Exit::Interrupted),
    }
    let outcome = match arguments.command {
        Command::Demo(arguments) => commands::demo(&arguments),
        Command::Init(arguments) => commands::init(&arguments),
        Command::Check(arguments) => commands::check(&arguments),
        Command::Plan(arguments) => commands::plan(&arguments),
        Command::Run(arguments) => commands::run(&arguments),
        Command::Report(arguments) => commands::report(&arguments),
        Command::Chart(arguments) => commands::chart(&arguments),
        Command::Compare(arguments) => commands::compare(&arguments),
        Command::Gate(arguments) => commands::gate(&arguments),
        Command::History(arguments) => commands::history(&arguments),
        Command::Serve(arguments) => commands::serve(&arguments),
        Command::Merge(arguments) => commands::merge(&arguments),
        Command::Advise(arguments) => commands::advise(&arguments),
        Command::Import(arguments) => commands::import(&arguments),
        Command::Load(arguments) => commands::load(&arguments),
        Command::Prepare(arguments) => commands::prepare(&arguments),
        Command::Cleanup(arguments) => commands::cleanup(&arguments),
        Command::Sysbench(arguments) => commands::sysbench(&arguments),
        Command::Schema => commands::schema(),
        Command::Reference(arguments) => commands::reference(&arguments),
        Command::Completions(arguments) => commands::completions(&arguments),
        Command::Man(arguments) => commands::man(&arguments),
        Command::Hosts(arguments) => commands::hosts(&arguments),
        Command::Agent(arguments) => commands::agent(&arguments),
        Command::Seed(arguments) => commands::seed(&arguments),
        Command::LoadGenerator => commands::load_generator(),
        Command::InstanceKeeper => commands::instance_keeper(),
        Command::RemoteLoadGenerator => commands::remote_load_generator(),
    };
    host::forget_kept();
    match outcome {
        Ok(exit) => exit.into(),
        Err(error) => {
            error.print();
            error.exit().into()
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Hears signals, after one of which the process ends with that code, and tells what takes long.
fn listen(stopped: Exit) {
    signals::listen(stopped);
    // Without a thread for it nobody is told what takes long, and all else goes on.
    let _ = host::listen(log::tell_wait);
}
