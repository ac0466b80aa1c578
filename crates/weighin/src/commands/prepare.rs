use super::load::complete;
use super::workload::refuse;
use super::{Outcome, print, targets, unless_stopped};
use crate::Exit;
use crate::arguments::PrepareArguments;
use crate::messages::shown;
use crate::passing::Progress;
use crate::signals;
use model::{Transactions, Workload};
use report::numbers::{bytes, count, duration};
use system::{Prepared, Preparing};

/// Connections that fill tables, unless told otherwise.
const THREADS: u32 = 4;

/// Makes the tables, keys or files that a load needs.
pub(crate) fn prepare(arguments: &PrepareArguments) -> Outcome {
    let mut line = targets::describe(&arguments.target, &arguments.erase)?;
    // What is done with the data plays no part.
    line.test("workload", line.read_target()?.system.facts().usual_workload);
    arguments.keys.describe(&mut line);
    line.variables(&arguments.variables.set);
    if line.get("built_in").is_some() {
        line.test("workload", Transactions::NAME);
        // Making the data is what the command is for.
        line.test("writes", "true");
    }
    complete(&mut line, targets::is_volume(&arguments.target.url));
    let (target, test) = line.read()?;
    let workload = &test.runnable_load()?.workload;
    refuse("--threads", arguments.threads.is_some(), workload)?;
    refuse("--distribution", line.get("distribution").is_some(), workload)?;
    let (unit, again) = match workload {
        Workload::Oltp(_) => {
            ("rows", "tables that are unfinished are made anew by the next weighin prepare")
        }
        Workload::Transactions(_) => {
            ("rows", "data that is unfinished is made anew by the next weighin prepare")
        }
        Workload::KeyValue(_) => ("keys", "the next weighin prepare writes all keys again"),
        Workload::Storage(_) => ("bytes", "the next weighin prepare fills it from its beginning"),
    };
    let mut target = targets::hold(&target, workload, &arguments.target, &arguments.erase)?;
    let found = target.found().into_iter();
    let found: String =
        found.map(|(path, found)| format!("{}: {found}.\n", shown(&path))).collect();
    let stop = signals::stop();
    let bar = Progress::start(unit);
    let mut preparing = Preparing {
        seed: arguments.seed,
        repeat: 0,
        may_write: true,
        is_private: false,
        connections: Some(arguments.threads.unwrap_or(THREADS)),
        stop: &stop,
        progress: &mut |step| bar.show(step),
    };
    let prepared = target.prepare(workload, &mut preparing);
    bar.finish();
    print(&(found + &made(workload, &unless_stopped(prepared, again)?)))?;
    Ok(Exit::Done)
}

/// What was made, in words.
fn made(workload: &Workload, prepared: &Prepared) -> String {
    let &Prepared { made, elapsed, .. } = prepared;
    let (size, elapsed) = (bytes(prepared.bytes), duration(elapsed));
    match workload {
        Workload::Oltp(_) if made == 0 => format!("All tables are there ({size}).\n"),
        Workload::Oltp(oltp) => format!(
            "Made {made} {} with {} rows ({size}) in {elapsed}; counted every row.\n",
            if made == 1 { "table" } else { "tables" },
            count(u64::from(oltp.table_size) * u64::from(made)),
        ),
        Workload::Transactions(_) if made == 0 => format!("All data is there ({size}).\n"),
        Workload::Transactions(_) => format!(
            "Made the data of {} table{} ({size}) in {elapsed}.\n",
            count(made.into()),
            if made == 1 { "" } else { "s" }
        ),
        Workload::KeyValue(_) if made == 0 => {
            format!("All keys are there ({size} of data on the server).\n")
        }
        Workload::KeyValue(_) => {
            let keys = count(made.into());
            format!("Wrote {keys} keys in {elapsed} ({size} of data on the server).\n")
        }
        Workload::Storage(_) if made == 0 => format!("All data is there ({size}).\n"),
        Workload::Storage(_) => format!(
            "Filled the data of {} virtual machine{} ({size}) in {elapsed}.\n",
            count(made.into()),
            if made == 1 { "" } else { "s" },
        ),
    }
}
