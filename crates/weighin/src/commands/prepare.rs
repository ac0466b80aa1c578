use super::server::login;
use super::workload::{keys_to_make, tables_to_make};
use super::{Outcome, print, storage};
use crate::Exit;
use crate::arguments::PrepareArguments;
use crate::exit::CliError;
use crate::progress::Progress;
use crate::signals;
use campaign::{Login, tables::Prepared};
use model::{Failure, System};
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
        System::Redis => keys(arguments, &login),
        System::MariaDb | System::Storage | System::Unknown => tables(arguments, &login),
    }
}

/// What came of preparing; `None` where it was stopped, wherever it was.
fn unless_stopped(
    prepared: Result<Option<Prepared>, Failure>,
) -> Result<Option<Prepared>, Failure> {
    match prepared {
        Err(failure) if failure.is_stop() => Ok(None),
        other => other,
    }
}

fn tables(arguments: &PrepareArguments, login: &Login) -> Outcome {
    let workload = tables_to_make(arguments)?;
    let mut control = login.connect()?;
    let stop = signals::stop();
    let rows = Progress::start("rows");
    let prepared = campaign::tables::ensure(
        login,
        &mut control,
        &workload,
        arguments.tables.seed,
        arguments.threads.unwrap_or(THREADS),
        &stop,
        &mut |step| rows.show(step),
    );
    rows.finish();
    let Some(prepared) = unless_stopped(prepared)? else {
        return Err(CliError::interrupted(
            "tables that are unfinished are made anew by the next weighin prepare",
        ));
    };
    let total = u64::from(workload.table_size) * u64::from(prepared.made);
    print(&match prepared.made {
        0 => format!("All tables are there ({}).\n", bytes(prepared.bytes)),
        made => format!(
            "Made {made} tables with {} rows ({}) in {}; counted every row.\n",
            count(total),
            bytes(prepared.bytes),
            duration(prepared.elapsed)
        ),
    })?;
    Ok(Exit::Done)
}

fn keys(arguments: &PrepareArguments, login: &Login) -> Outcome {
    let workload = keys_to_make(arguments)?;
    let mut control = login.control()?;
    let stop = signals::stop();
    let progress = Progress::start("keys");
    let prepared = campaign::ensure_keys(
        control.redis()?,
        &workload,
        arguments.tables.seed,
        &stop,
        &mut |step| progress.show(step),
    );
    progress.finish();
    let Some(Prepared { made, bytes: size, elapsed, .. }) = unless_stopped(prepared)? else {
        return Err(CliError::interrupted("the next weighin prepare writes all keys again"));
    };
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
