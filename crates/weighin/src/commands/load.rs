use super::server::login;
use super::workload::{headline, to_load};
use super::{Outcome, print, slo, storage};
use crate::Exit;
use crate::arguments::{ArrivalsName, IoName, LoadArguments, OnError, OnLoss};
use crate::exit::CliError;
use crate::load_output::LoadOutput;
use crate::messages::print_json;
use crate::signals;
use campaign::{Order, Preparing, measure, reach};
use engine::{Action, ErrorPolicy, Limit, OpenLoop, Schedule};
use model::{ArrivalProcess, Arrivals, IoMethod, Study, Workload};
use std::time::Duration;

/// How long to measure where neither a time nor a number of transactions is given.
const DEFAULT_DURATION: Duration = Duration::from_secs(10);

/// Runs one load by hand.
pub(crate) fn load(arguments: &LoadArguments) -> Outcome {
    if let Some(path) = storage::volume(&arguments.server.url)? {
        return storage::load_volume(arguments, path);
    }
    let clients = arguments.clients.unwrap_or_else(|| slo::default_clients(arguments));
    let generators = arguments.generators;
    if generators > clients {
        return Err(CliError::usage(
            format!("{generators} load generators need as many clients, and there are {clients}"),
            format!("add --clients {generators}, or more"),
        ));
    }
    let login = login(&arguments.server)?;
    let workload = to_load(arguments, login.system())?;
    let mut target = reach(login)?;
    let stop = signals::stop();
    let mut preparing = Preparing {
        seed: arguments.tables.seed,
        connections: None,
        stop: &stop,
        progress: &mut |_| {},
    };
    target.check_load(&workload, clients, &mut preparing)?;
    let target = target.as_mut();
    let order = order(arguments, &workload, clients);
    if let Some(goal) = slo::goal(arguments, arrivals(arguments)) {
        return slo::search_by_hand(arguments, target, &order, &goal, &stop);
    }
    let measured = measure(target, &order, &stop, &mut |_| {})?;
    let result = LoadOutput::new(&measured, &workload, &arguments.percentiles);
    match arguments.json {
        true => print_json(&result.json()?)?,
        false => print(&result.text(&headline(&workload)))?,
    }
    Ok(Exit::Done)
}

/// Reads the arguments up to where a server or a volume would be needed.
pub(crate) fn understand(arguments: &LoadArguments) -> Result<(), CliError> {
    let Some(_) = storage::volume(&arguments.server.url)? else {
        let (system, _) = study::parse_url(&arguments.server.url)
            .map_err(|error| CliError::usage(error.to_string(), ""))?;
        let workload = to_load(arguments, system)?;
        let _ = order(arguments, &workload, slo::default_clients(arguments));
        return Ok(());
    };
    storage::understand(arguments)
}

/// What the arguments order, with so many clients.
pub(super) fn order<'a>(
    arguments: &LoadArguments,
    workload: &'a Workload,
    clients: u32,
) -> Order<'a> {
    Order {
        workload,
        clients,
        generators: arguments.generators,
        workers: arguments.workers,
        io: match arguments.io {
            IoName::Auto => None,
            IoName::Epoll => Some(IoMethod::Epoll),
            IoName::IoUring => Some(IoMethod::IoUring),
        },
        schedule: Schedule {
            warmup: arguments.warmup.unwrap_or_else(|| slo::default_warmup(arguments)),
            limit: limit(arguments),
        },
        open: open_loop(arguments),
        policy: policy(arguments),
        by_statement: arguments.statements,
        seed: arguments.tables.seed,
        sample_every: Study::SAMPLE_EVERY,
        trigger: None,
    }
}

/// When to end. A rate is judged in a window: what comes back later has not kept up. Otherwise
/// every transaction that the server saw is counted, as sysbench does.
fn limit(arguments: &LoadArguments) -> Limit {
    if slo::searches(arguments) {
        return Limit::Window(arguments.duration.unwrap_or(slo::STEP));
    }
    match (arguments.duration, arguments.events, arguments.rate) {
        (duration, None, Some(_)) => Limit::Window(duration.unwrap_or(DEFAULT_DURATION)),
        (None, None, None) => Limit::LastReply { duration: Some(DEFAULT_DURATION), events: None },
        (duration, events, _) => Limit::LastReply { duration, events },
    }
}

fn open_loop(arguments: &LoadArguments) -> Option<OpenLoop> {
    arguments.rate.map(|rate| OpenLoop {
        rate,
        process: arrivals(arguments).process,
        max_waiting: arguments.max_waiting as usize,
        seed: arguments.tables.seed,
    })
}

pub(super) fn arrivals(arguments: &LoadArguments) -> Arrivals {
    let process = match arguments.arrivals {
        ArrivalsName::Poisson => ArrivalProcess::Poisson,
        ArrivalsName::Uniform => ArrivalProcess::Uniform,
    };
    Arrivals { process, max_waiting: arguments.max_waiting }
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
