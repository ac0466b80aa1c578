use super::server::login;
use super::workload::{keys_to_make, tables_to_make};
use super::{Outcome, print, storage, unless_stopped};
use crate::Exit;
use crate::arguments::PrepareArguments;
use crate::exit::CliError;
use crate::progress::Progress;
use crate::signals;
use campaign::{Login, Prepared, Preparing, TargetHandle, reach};
use model::{System, Workload};
use report::numbers::{bytes, count, duration};

/// Connections that fill tables, unless told otherwise.
const THREADS: u32 = 4;

/// Makes the tables or keys that a load needs.
pub(crate) fn prepare(arguments: &PrepareArguments) -> Outcome {
    if let Some(path) = storage::volume(&arguments.server.url)? {
        return storage::prepare_volume(arguments, path);
    }
    let login = login(&arguments.server)?;
    match login.system() {
        System::Redis => keys(arguments, login),
        System::MariaDb => tables(arguments, login),
        System::Storage | System::Unknown => Err(login.no_server().into()),
    }
}

/// Makes the data of a load with a progress bar in that unit; `again` says what comes of it where
/// that was interrupted.
fn make(
    arguments: &PrepareArguments,
    target: &mut dyn TargetHandle,
    workload: &Workload,
    unit: &'static str,
    again: &str,
) -> Result<Prepared, CliError> {
    let stop = signals::stop();
    let bar = Progress::start(unit);
    let mut preparing = Preparing {
        seed: arguments.tables.seed,
        connections: Some(arguments.threads.unwrap_or(THREADS)),
        stop: &stop,
        progress: &mut |step| bar.show(step),
    };
    let prepared = target.prepare(workload, &mut preparing);
    bar.finish();
    unless_stopped(prepared, again)
}

fn tables(arguments: &PrepareArguments, login: Login) -> Outcome {
    let oltp = tables_to_make(arguments)?;
    let rows = u64::from(oltp.table_size);
    let again = "tables that are unfinished are made anew by the next weighin prepare";
    let mut target = reach(login)?;
    let prepared = make(arguments, target.as_mut(), &Workload::Oltp(oltp), "rows", again)?;
    print(&match prepared.made {
        0 => format!("All tables are there ({}).\n", bytes(prepared.bytes)),
        made => format!(
            "Made {made} tables with {} rows ({}) in {}; counted every row.\n",
            count(rows * u64::from(made)),
            bytes(prepared.bytes),
            duration(prepared.elapsed)
        ),
    })?;
    Ok(Exit::Done)
}

fn keys(arguments: &PrepareArguments, login: Login) -> Outcome {
    let workload = Workload::KeyValue(keys_to_make(arguments)?);
    let again = "the next weighin prepare writes all keys again";
    let mut target = reach(login)?;
    let Prepared { made, bytes: size, elapsed, .. } =
        make(arguments, target.as_mut(), &workload, "keys", again)?;
    print(&match made {
        0 => format!("All keys are there ({} of data on the server).\n", bytes(size)),
        made => format!(
            "Wrote {} keys in {} ({} of data on the server).\n",
            count(made.into()),
            duration(elapsed),
            bytes(size)
        ),
    })?;
    Ok(Exit::Done)
}
