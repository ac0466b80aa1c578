use super::server::{login, workload};
use super::{Outcome, print};
use crate::Exit;
use crate::arguments::PrepareArguments;
use crate::exit::CliError;
use crate::progress::Rows;
use crate::signals;
use model::OltpMix;
use report::numbers::{bytes, count, duration};

/// Makes the tables that a load needs.
pub(crate) fn prepare(arguments: &PrepareArguments) -> Outcome {
    let login = login(&arguments.server)?;
    // The mix and the range play no part in the tables.
    let workload = workload(&arguments.tables, OltpMix::ReadWrite, 100);
    let mut control = login.connect()?;
    let stop = signals::stop();
    let rows = Rows::start();
    let prepared = campaign::tables::ensure(
        &login,
        &mut control,
        &workload,
        arguments.tables.seed,
        arguments.threads,
        &stop,
        &mut |step| rows.show(step),
    );
    rows.finish();
    let Some(prepared) = prepared? else {
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
