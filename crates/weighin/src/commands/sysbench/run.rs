use super::checks;
use super::drivers::{Driver, DriverName};
use super::fairness::Tallies;
use super::report::{Checkpoints, Figures, Lines, text};
use super::request::{ARRIVALS, Request};
use super::servers::Servers;
use crate::commands::Outcome;
use crate::exit::CliError;
use crate::messages::tell;
use crate::progress::waiting;
use crate::{Exit, signals};
use campaign::GeneratorProcesses;
use engine::{
    Address, DryLoad, Limit, LoadError, LoadSpec, OpenLoop, OperationError, Progress, Schedule,
    SessionError, SocketLoad,
};
use model::{ErrorClass, LoadResult, OltpMix, Stop, Workload};
use sql::{ProgramSession, SqlKind, Statements};
use std::path::PathBuf;
use std::sync::Arc;
use workload::oltp::{BulkLimit, program_in};

/// Runs the load and prints what sysbench would.
pub(super) fn run<D: Driver>(request: &Request) -> Outcome {
    request.say(&text::options(request))?;
    match request.dry_run {
        true => without_server::<D>(request),
        false => on_servers::<D>(request),
    }
}

fn on_servers<D: Driver>(request: &Request) -> Outcome {
    let servers = Servers::reach::<D>(request)?;
    let seed = request.seed.number();
    let (statements, events) = statements::<D>(request, seed);
    let addresses = servers.addresses.clone();
    let spec = LoadSpec { tls: servers.logins[0].tls()?, ..spec(request, addresses, events, seed) };
    let mut watched = servers.watch()?;
    request.say(text::initializing(request.generation))?;
    let mut printer = Printer::new(request);
    let tallies = printer.tallies.clone();
    let mut on_progress = |progress: Progress<'_>| {
        if let (Progress::Started(at), Some((_, observation))) = (&progress, &mut watched) {
            observation.started(*at, &spec.schedule, GeneratorProcesses::default(), None);
        }
        printer.progress(progress);
    };
    let stop = signals::stop();
    // Threads are dealt to the servers in turns, as connections are.
    let workload = Workload::Oltp(request.workload.clone());
    let wires = servers.logins.iter().map(|login| D::wire(login, &workload, &statements));
    let wires: Vec<<D as SqlKind>::Wire> = wires.collect::<Result<_, _>>()?;
    let of = |client: u32| (wires[client as usize % wires.len()].clone(), statements.clone());
    let outcome = if request.options.flag("weighin-statements") {
        let session = |client| {
            let (wire, statements) = of(client);
            tallies.count(ProgramSession::<_, true>::new(wire, statements, client), client)
        };
        engine::run(&SocketLoad { spec: &spec, session }, &stop, &mut on_progress)
    } else {
        let session = |client| {
            let (wire, statements) = of(client);
            tallies.count(ProgramSession::<_, false>::new(wire, statements, client), client)
        };
        engine::run(&SocketLoad { spec: &spec, session }, &stop, &mut on_progress)
    };
    let load = match outcome {
        Ok(load) => load,
        Err(LoadError::Stopped) => return Err(CliError::interrupted("")),
        Err(LoadError::Session(SessionError::Refused(error))) => {
            return Err(refused(request, &error, &servers.names()));
        }
        Err(error) => return Err(sql::load_failure::<D>(&error, &servers.logins[0]).into()),
    };
    printer.finish(&load)?;
    let (unfinished, dropped) = (load.ledger.timed_out, load.ledger.dropped);
    tell_dropped(dropped);
    if let Some((mut target, observation)) = watched {
        let (sampling, _) = observation.end(target.as_mut(), Some(&load))?;
        checks::tell_doubts(request, target.as_mut(), load, sampling)?;
    }
    if unfinished == 0 {
        return Ok(Exit::Done);
    }
    let waited = request.shutdown.after.as_secs_f64();
    Err(CliError::unavailable(
        match request.shutdown.forced {
            true => format!(
                "the limit of time has expired: shut down with {unfinished} events unfinished"
            ),
            false => format!(
                "{unfinished} events were not answered within {waited} s after the time was over"
            ),
        },
        D::LOOK,
    ))
}

/// Measures the client alone: every answer comes at once, from nowhere.
fn without_server<D: Driver>(request: &Request) -> Outcome {
    let seed = request.seed.number();
    let (statements, events) = statements::<D>(request, seed);
    let spec = spec(request, vec![Address::Unix(PathBuf::new())], events, seed);
    request.say(text::initializing(request.generation))?;
    let mut printer = Printer::new(request);
    let tallies = printer.tallies.clone();
    let mut on_progress = |progress: Progress<'_>| printer.progress(progress);
    let stop = signals::stop();
    let wire = D::dry(&statements);
    let outcome = if request.options.flag("weighin-statements") {
        let session = |client| {
            let session = ProgramSession::<_, true>::new(wire.clone(), statements.clone(), client);
            tallies.count(session, client)
        };
        engine::run(&DryLoad { spec: &spec, session }, &stop, &mut on_progress)
    } else {
        let session = |client| {
            let session = ProgramSession::<_, false>::new(wire.clone(), statements.clone(), client);
            tallies.count(session, client)
        };
        engine::run(&DryLoad { spec: &spec, session }, &stop, &mut on_progress)
    };
    let load = match outcome {
        Ok(load) => load,
        Err(LoadError::Stopped) => return Err(CliError::interrupted("")),
        Err(error) => return Err(CliError::unavailable(error.to_string(), "")),
    };
    printer.finish(&load)?;
    tell_dropped(load.ledger.dropped);
    Ok(Exit::Done)
}

fn tell_dropped(dropped: u64) {
    if dropped > 0 {
        tell(&format!(
            "weighin: {dropped} events that had arrived were not begun: the threads did not keep up \
             with --rate"
        ));
    }
}

/// The load that a command line asks for, in the engine's terms.
fn spec(request: &Request, addresses: Vec<Address>, events: Option<u64>, seed: u64) -> LoadSpec {
    LoadSpec {
        delay: None,
        addresses,
        tls: None,
        clients: request.threads,
        workers: request.workers,
        io: None,
        schedule: Schedule {
            warmup: request.warmup,
            limit: Limit::LastReply { duration: request.time, events },
            turns: None,
        },
        open: request.rate.map(|rate| OpenLoop {
            rate: rate.into(),
            process: ARRIVALS.process,
            course: Vec::new(),
            max_waiting: ARRIVALS.max_waiting as usize,
            drops_late: true,
            seed,
        }),
        reconnect_after: request.reconnect_after,
        policy: request.policy.clone(),
        drain_limit: request.shutdown.after,
        // Whoever forces it wants what there is of the run.
        fails_unanswered: !request.shutdown.forced,
        enough: Stop::default(),
        connect_limit: request.connect_limit,
    }
}

/// Prints what there is to print while the load runs, and at its end.
struct Printer<'r> {
    request: &'r Request,
    tallies: Tallies,
    lines: Lines,
    checkpoints: Checkpoints,
    /// The first thing that could not be printed.
    printed: Result<(), CliError>,
}

impl<'r> Printer<'r> {
    fn new(request: &'r Request) -> Self {
        Self {
            request,
            tallies: Tallies::new(request.threads),
            lines: Lines::new(request.report_interval, request.warmup),
            checkpoints: Checkpoints::new(&request.checkpoints, request.warmup),
            printed: Ok(()),
        }
    }

    fn progress(&mut self, progress: Progress<'_>) {
        let (request, tallies) = (self.request, &self.tallies);
        let text = match progress {
            Progress::Started(at) => {
                tallies.measure_from(at + request.warmup);
                text::started(request.generation).to_owned()
            }
            Progress::Interval(interval, statements) => {
                let line = self.lines.add(interval, statements, tallies.counts());
                let mut text = line.map(|line| text::line(request, &line)).unwrap_or_default();
                if let Some(stretch) = self.checkpoints.add(interval, statements, tallies) {
                    text.push_str(&text::checkpoint(request, &stretch));
                }
                text
            }
            Progress::Waiting(limit) => {
                tell(&waiting(limit));
                String::new()
            }
        };
        if self.printed.is_ok() {
            self.printed = request.say(&text);
        }
    }

    fn finish(self, load: &LoadResult) -> Result<(), CliError> {
        let request = self.request;
        self.printed?;
        let rest = self.checkpoints.rest(load, &self.tallies);
        let figures = Figures::new(request, &rest);
        request.say(&text::ended(request, load, rest.latencies(), &figures))?;
        request.say(&text::statistics(request, &figures))?;
        request.say(&text::more(request, load))
    }
}

/// What the threads run, and the limit of events as the engine counts them: to it a statement that
/// inserts many rows is one.
fn statements<D: Driver>(request: &Request, seed: u64) -> (Arc<Statements>, Option<u64>) {
    let program = program_in(&request.workload, &D::wording());
    let ready = |program| Arc::new(Statements::new(program, seed, request.threads));
    match (request.workload.mix, request.events) {
        (OltpMix::BulkInsert, Some(rows)) => {
            let limit = BulkLimit::new(rows, request.threads);
            let operations = limit.statements();
            (ready(program.with_bulk_limit(&Arc::new(limit))), Some(operations))
        }
        (_, events) => (ready(program), events),
    }
}

/// An error of the server that ends the run.
fn refused(request: &Request, error: &OperationError, servers: &str) -> CliError {
    let OperationError { class, code, message, .. } = error;
    let goes_on = match request.driver {
        DriverName::Mysql => {
            format!("--mysql-ignore-errors={code} lets the run go on after such errors")
        }
        DriverName::Pgsql => "see what the server has against it in its log".to_owned(),
    };
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
    CliError::unavailable(format!("the server said: {message} (error {code}) at {servers}"), help)
}
