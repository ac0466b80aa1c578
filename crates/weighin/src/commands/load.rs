use super::server::{login, workload};
use super::{Outcome, print};
use crate::Exit;
use crate::arguments::LoadArguments;
use crate::exit::CliError;
use crate::load_output::LoadOutput;
use crate::signals;
use campaign::{Order, check_limits, measure, tables};
use engine::{Limit, Schedule};
use model::Workload;
use std::time::Duration;

/// How long to measure where neither a time nor a number of transactions is given.
const DEFAULT_DURATION: Duration = Duration::from_secs(10);
/// Time between two samples.
const SAMPLE_EVERY: Duration = Duration::from_secs(1);

/// Runs one load by hand.
pub(crate) fn load(arguments: &LoadArguments) -> Outcome {
    let login = login(&arguments.server)?;
    let oltp = workload(&arguments.tables, arguments.workload, arguments.range_size);
    let workload = Workload::Oltp(oltp.clone());
    let mut control = login.connect()?;
    tables::check(&mut control, &oltp)?;
    check_limits(&mut control, &workload, arguments.clients)?;
    let duration = match (arguments.duration, arguments.events) {
        (None, None) => Some(DEFAULT_DURATION),
        (duration, _) => duration,
    };
    let order = Order {
        workload: &workload,
        clients: arguments.clients,
        workers: arguments.workers,
        schedule: Schedule {
            warmup: arguments.warmup,
            limit: Limit::LastReply { duration, events: arguments.events },
        },
        seed: arguments.tables.seed,
        server_pid: None,
        sample_every: SAMPLE_EVERY,
    };
    let stop = signals::stop();
    let measured = measure(&login, &mut control, &order, &stop, &mut |_| {})?
        .ok_or_else(|| CliError::interrupted(""))?;
    let result = LoadOutput::new(&measured);
    print(&if arguments.json { result.json()? } else { result.text(arguments) })?;
    Ok(Exit::Done)
}
