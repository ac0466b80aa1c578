use super::server::{login, workload};
use super::{Outcome, print};
use crate::Exit;
use crate::arguments::{ArrivalsName, IoName, LoadArguments, OnError, OnLoss};
use crate::exit::CliError;
use crate::load_output::LoadOutput;
use crate::signals;
use campaign::{Order, check_limits, measure, tables};
use engine::{Action, ErrorPolicy, Limit, OpenLoop, Schedule};
use model::{ArrivalProcess, IoMethod, Workload};
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
    let mut control = login.control()?;
    tables::check(control.sql()?, &oltp)?;
    check_limits(&mut control, &workload, arguments.clients)?;
    let order = Order {
        workload: &workload,
        clients: arguments.clients,
        workers: arguments.workers,
        io: match arguments.io {
            IoName::Auto => None,
            IoName::Epoll => Some(IoMethod::Epoll),
            IoName::IoUring => Some(IoMethod::IoUring),
        },
        schedule: Schedule { warmup: arguments.warmup, limit: limit(arguments) },
        open: open_loop(arguments),
        policy: policy(arguments),
        by_statement: arguments.statements,
        seed: arguments.tables.seed,
        server_pid: None,
        sample_every: SAMPLE_EVERY,
    };
    let stop = signals::stop();
    let measured = measure(&login, &mut control, &order, &stop, &mut |_| {})?
        .ok_or_else(|| CliError::interrupted(""))?;
    let result = LoadOutput::new(&measured, &arguments.percentiles);
    print(&if arguments.json { result.json()? } else { result.text(arguments) })?;
    Ok(Exit::Done)
}

/// When to end. A rate is judged in a window: what comes back later has not kept up. Otherwise
/// every transaction that the server saw is counted, as sysbench does.
fn limit(arguments: &LoadArguments) -> Limit {
    match (arguments.duration, arguments.events, arguments.rate) {
        (duration, None, Some(_)) => Limit::Window(duration.unwrap_or(DEFAULT_DURATION)),
        (None, None, None) => Limit::LastReply { duration: Some(DEFAULT_DURATION), events: None },
        (duration, events, _) => Limit::LastReply { duration, events },
    }
}

fn open_loop(arguments: &LoadArguments) -> Option<OpenLoop> {
    arguments.rate.map(|rate| OpenLoop {
        rate,
        process: match arguments.arrivals {
            ArrivalsName::Poisson => ArrivalProcess::Poisson,
            ArrivalsName::Uniform => ArrivalProcess::Uniform,
        },
        max_waiting: arguments.max_waiting,
        seed: arguments.tables.seed,
    })
}

fn policy(arguments: &LoadArguments) -> ErrorPolicy {
    ErrorPolicy {
        codes: Vec::new(),
        conflict: action(arguments.on_conflict),
        connection: match arguments.on_lost_connection {
            OnLoss::Reconnect => Action::Reconnect,
            OnLoss::Stop => Action::Stop,
        },
        other: action(arguments.on_error),
    }
}

fn action(named: OnError) -> Action {
    match named {
        OnError::Ignore => Action::Ignore,
        OnError::Retry => Action::Retry,
        OnError::Reconnect => Action::Reconnect,
        OnError::Stop => Action::Stop,
    }
}
