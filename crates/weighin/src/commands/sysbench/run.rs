use super::checks;
use super::fairness::Tallies;
use super::generation::Release;
use super::report::{Figures, Lines, text};
use super::request::Request;
use crate::commands::Outcome;
use crate::exit::CliError;
use crate::messages::tell;
use crate::{Exit, signals};
use campaign::mysql::{check_limits, connect, load_failure, login_options};
use campaign::{Login, Makers, Observation, reach};
use engine::mysql::{OltpSession, OltpStatements};
use engine::{
    Limit, LoadError, LoadSpec, OpenLoop, OperationError, Progress, Schedule, SessionError,
    SocketLoad,
};
use model::{ArrivalProcess, ErrorClass, OltpMix, Phase, RequestTally, Stop, Study};
use std::sync::Arc;
use target::client::Connection;

/// Events that may wait for a thread where they arrive at a rate. The original ends when its queue
/// of this length is full; here the events that find no place in it are dropped.
const LONGEST_QUEUE: usize = 131_072;

/// Runs the load and prints what sysbench would.
pub(super) fn run(request: &Request) -> Outcome {
    request.say(&text::options(request))?;
    let login = Login::resolve(&request.server)?.stopped_by(&signals::stop());
    let mut control = connect(&login)?;
    check_limits(&mut control, &request.workload, request.threads, 0)?;
    empty_table(&mut control, request)?;
    let seed = request.seed.number();
    let schedule = Schedule {
        warmup: request.warmup,
        limit: Limit::LastReply { duration: request.time, events: request.events },
    };
    let spec = LoadSpec {
        address: login.address_of(control.ends())?,
        tls: login.tls()?,
        clients: request.threads,
        workers: request.workers,
        io: None,
        schedule,
        open: request.rate.map(|rate| OpenLoop {
            rate,
            process: ArrivalProcess::Poisson,
            max_waiting: LONGEST_QUEUE,
            drops_late: true,
            seed,
        }),
        policy: request.policy.clone(),
        drain_limit: request.shutdown.after,
        enough: Stop::default(),
        connect_limit: request.connect_limit,
    };
    drop(control);
    let mut target = reach(login.clone())?;
    let mut observation =
        Observation::begin(target.as_mut(), &host::Local, Study::SAMPLE_EVERY, false, &[])?;
    // Nothing but the load is to be connected while it runs, as with sysbench.
    target.release()?;
    request.say(text::initializing(request.generation))?;
    let statements = Arc::new(OltpStatements::new(&request.workload, seed, request.threads));
    let (options, tallies) = (login_options(&login)?, Tallies::default());
    let mut lines = Lines::new(request.report_interval, request.warmup);
    let mut measured = RequestTally::default();
    let mut printed = Ok(());
    let mut on_progress = |progress: Progress<'_>| {
        let line = match progress {
            Progress::Started(at) => {
                tallies.measure_from(at + request.warmup);
                observation.started(at, &schedule, Makers::default(), None);
                text::started(request.generation).to_owned()
            }
            Progress::Interval(interval, statements) => {
                if interval.phase == Phase::Measure {
                    measured += *statements;
                }
                let line = lines.add(interval, statements, tallies.troubles());
                line.map(|line| text::line(request, &line)).unwrap_or_default()
            }
        };
        if printed.is_ok() {
            printed = request.say(&line);
        }
    };
    let stop = signals::stop();
    let shared = || (options.clone(), Arc::clone(&statements));
    let outcome = if request.options.flag("weighin-statements") {
        let session = |client| {
            let (options, statements) = shared();
            tallies.count(OltpSession::<true>::new(options, statements, client))
        };
        engine::run(&SocketLoad { spec: &spec, session }, &stop, &mut on_progress)
    } else {
        let session = |client| {
            let (options, statements) = shared();
            tallies.count(OltpSession::<false>::new(options, statements, client))
        };
        engine::run(&SocketLoad { spec: &spec, session }, &stop, &mut on_progress)
    };
    printed?;
    let load = match outcome {
        Ok(load) => load,
        Err(LoadError::Stopped) => return Err(CliError::interrupted("")),
        Err(LoadError::Session(SessionError::Refused(error))) => {
            return Err(refused(request, &error, &login));
        }
        Err(error) => return Err(load_failure(&error, &login).into()),
    };
    let figures = Figures::new(request, &load, &measured, &tallies.take(), tallies.troubles());
    request.say(&text::statistics(request, &load, &figures))?;
    let (sampling, _) = observation.end(target.as_mut(), Some(&load))?;
    let (unfinished, dropped) = (load.ledger.timed_out, load.ledger.dropped);
    if dropped > 0 {
        tell(&format!(
            "weighin: {dropped} events that had arrived were not begun: the threads did not keep up \
             with --rate"
        ));
    }
    checks::tell_doubts(request, target.as_mut(), load, sampling)?;
    if request.shutdown.forced && unfinished > 0 {
        return Err(CliError::unavailable(
            format!("the limit of time has expired: shut down with {unfinished} events unfinished"),
            "see with SHOW PROCESSLIST what the server is doing",
        ));
    }
    Ok(Exit::Done)
}

/// An error of the server that ends the run.
fn refused(request: &Request, error: &OperationError, login: &Login) -> CliError {
    let OperationError { class, code, message, .. } = error;
    let goes_on = format!("--mysql-ignore-errors={code} lets the run go on after such errors");
    let writes = &request.workload.transaction;
    let help = match class {
        ErrorClass::Constraint if writes.delete_inserts > 0 && !writes.explicit => format!(
            "two threads deleted the same row and inserted it again at the same time, which without \
             transactions (--skip-trx) is possible: {goes_on}"
        ),
        ErrorClass::Constraint => format!(
            "the tables may hold other rows than were prepared: drop and make them with the commands \
             cleanup and prepare; {goes_on}"
        ),
        _ => goes_on,
    };
    let endpoint = &login.address().endpoint;
    CliError::unavailable(format!("the server said: {message} (error {code}) at {endpoint}"), help)
}

/// Generation 0.4 inserts into an empty table where it does nothing but insert.
fn empty_table(control: &mut Connection, request: &Request) -> Result<(), CliError> {
    if request.generation.tests != Release::V04 || request.workload.mix != OltpMix::Insert {
        return Ok(());
    }
    let table = workload::oltp::name_of(&request.workload, 1);
    control
        .execute_long(&format!("TRUNCATE TABLE {table}"))
        .map_err(|error| error.failure(&format!("cannot empty the table {table}")))?;
    Ok(())
}
