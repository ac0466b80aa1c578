use crate::generators::Generators;
use crate::sessions::{Sessions, Work};
use crate::storage;
use crate::trigger::Armed;
use crate::{Control, Door, Login, load_failure};
use engine::{
    ErrorPolicy, Limit, LoadError, LoadSpec, OpenLoop, Progress, Schedule, Session, Stop,
    available_workers, run,
};
use model::{
    CounterReading, Failure, FailureKind, Interval, IoMethod, LoadResult, Sampling, ServerCounters,
    Trigger, Workload,
};
use sample::{OpenAccount, Sampler, SamplerOptions};
use std::time::{Duration, Instant};

/// Longest time in which all clients must have logged in.
const CONNECT_LIMIT: Duration = Duration::from_secs(60);
/// How long to wait for replies after the last operation began.
const DRAIN_LIMIT: Duration = Duration::from_secs(30);
/// How long the sampling connection waits for an answer.
const COUNTER_PATIENCE: Duration = Duration::from_secs(10);
/// How long the server may take to count what connections did that have just ended.
const SETTLING: Duration = Duration::from_secs(2);
/// How often it is asked.
const SETTLING_POLL: Duration = Duration::from_millis(10);

/// One load to run and measure.
#[derive(Clone, Debug)]
pub struct Order<'a> {
    /// What to run.
    pub workload: &'a Workload,
    /// Connections; of storage reads and writes that each virtual machine keeps in flight.
    pub clients: u32,
    /// Processes that make the load together; at most as many as clients. With more than one, the
    /// program must answer to [`crate::GENERATOR_COMMAND`].
    pub generators: u32,
    /// Threads of each of them that drive the connections; a good number for so many clients when
    /// absent.
    pub workers: Option<u32>,
    /// How to move bytes; the best that is permitted when absent.
    pub io: Option<IoMethod>,
    /// Warm-up, measuring and end.
    pub schedule: Schedule,
    /// Arrivals at a rate; a closed loop when absent.
    pub open: Option<OpenLoop>,
    /// Which errors are survived, and how.
    pub policy: ErrorPolicy,
    /// Whether to keep the latencies of each kind of statement apart.
    pub by_statement: bool,
    /// Seeds all random streams.
    pub seed: u64,
    /// The server process, where it runs on this host.
    pub server_pid: Option<u32>,
    /// Time between two samples.
    pub sample_every: Duration,
    /// What the server is told to do meanwhile.
    pub trigger: Option<Trigger>,
    /// The disks that the server's data directory stands on, where they are known.
    pub volume: Vec<String>,
}

/// What a load did, and what was sampled meanwhile.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The load engine's account.
    pub load: LoadResult,
    /// Host and server, before, while and after it ran.
    pub sampling: Sampling,
}

/// Runs one load with sampling beside it. `on_interval` is shown each second as it ends.
///
/// # Errors
/// When the load did not run to its end, or [`Stop`] asked it not to (`Ok(None)`).
pub fn measure(
    door: &mut Door<'_>,
    order: &Order<'_>,
    stop: &Stop,
    on_interval: &mut dyn FnMut(&Interval),
) -> Result<Option<Measured>, Failure> {
    match (door, order.workload) {
        (Door::Server(login, control), _) => on_server(login, control, order, stop, on_interval),
        (Door::Volumes(volumes), Workload::Storage(storage)) => {
            storage::measure(volumes, storage, order, stop, on_interval)
        }
        (Door::Volumes(_), workload) => Err(Failure::new(
            FailureKind::NotPermitted,
            format!("{} needs a server, and these are volumes", workload.name()),
            "choose the workload storage, or another target",
        )),
    }
}

fn on_server(
    login: &Login,
    control: &mut Control,
    order: &Order<'_>,
    stop: &Stop,
    on_interval: &mut dyn FnMut(&Interval),
) -> Result<Option<Measured>, Failure> {
    let spec = LoadSpec {
        address: login.address_of(control.peer())?,
        tls: login.tls(),
        clients: order.clients,
        workers: order
            .workers
            .unwrap_or_else(|| (available_workers(order.clients) / order.generators.max(1)).max(1)),
        io: order.io,
        schedule: order.schedule,
        open: order.open.clone(),
        policy: order.policy.clone(),
        drain_limit: DRAIN_LIMIT,
        connect_limit: CONNECT_LIMIT,
    };
    let work = Work {
        workload: order.workload,
        clients: order.clients,
        by_statement: order.by_statement,
        seed: order.seed,
    };
    let mut sampling_connection = Some(login.control()?);
    let mut trigger = match order.trigger {
        Some(trigger) => Some((trigger, login.control()?)),
        None => None,
    };
    let account = OpenAccount::open(order.server_pid);
    let before = (Instant::now(), control.counters());
    let mut started = None;
    let (mut sampler, mut armed) = (None, None);
    let generators = match order.generators {
        0 | 1 => None,
        count => Some(Generators::start(&spec, work, login, count)?),
    };
    let companions = generators.as_ref().map(Generators::pids).unwrap_or_default();
    let mut on_progress = |progress: Progress<'_>| match progress {
        Progress::Started(origin) => {
            started = Some(origin);
            sampler = sampling_connection
                .take()
                .map(|connection| start_sampler(order, origin, connection, &companions));
            let measured = order.schedule.warmup;
            armed = trigger.take().map(|(t, control)| Armed::arm(t, control, origin, measured));
        }
        Progress::Interval(interval, _) => on_interval(interval),
    };
    let outcome = match generators {
        Some(generators) => generators.run(stop, &mut on_progress),
        None => {
            let whole = Whole { spec: &spec, stop, progress: &mut on_progress };
            match work.hand_to(login, whole)? {
                Ok(load) => Ok(Some(load)),
                Err(LoadError::Stopped) => Ok(None),
                Err(error) => Err(load_failure(&error, login)),
            }
        }
    };
    let load = outcome.as_ref().ok().and_then(Option::as_ref);
    let triggered = armed.and_then(Armed::disarm);
    let after = settled(control, before.1.as_ref(), load);
    let account = account.close();
    let samples = sampler.map(Sampler::stop).unwrap_or_default();
    let Some(load) = outcome? else { return Ok(None) };
    let origin = started.unwrap_or(before.0);
    let reading = |(at, counters): (Instant, Option<_>)| {
        counters.map(|counters| CounterReading { at_seconds: seconds_from(origin, at), counters })
    };
    let sampling = Sampling {
        samples,
        before: reading(before),
        after: reading(after),
        account,
        triggered,
        volume: order.volume.clone(),
    };
    Ok(Some(Measured { load, sampling }))
}

/// Runs a load in this process, with sessions of whichever kind.
struct Whole<'a> {
    spec: &'a LoadSpec,
    stop: &'a Stop,
    progress: &'a mut dyn FnMut(Progress<'_>),
}

impl Sessions for Whole<'_> {
    type Outcome = Result<LoadResult, LoadError>;

    fn take<S: Session>(self, session: impl Fn(u32) -> S + Sync) -> Self::Outcome {
        run(self.spec, session, self.stop, self.progress)
    }
}

fn start_sampler(
    order: &Order<'_>,
    origin: Instant,
    mut connection: Control,
    companions: &[u32],
) -> Sampler {
    connection.set_answer_limit(COUNTER_PATIENCE);
    Sampler::start(SamplerOptions {
        every: order.sample_every,
        origin,
        measured: measured_phase(&order.schedule),
        server_pid: order.server_pid,
        companions: companions.to_vec(),
        counters: Some(Box::new(move || connection.counters())),
        on_sample: None,
    })
}

/// From when and, where that is known beforehand, until when a load measures.
pub(crate) fn measured_phase(schedule: &Schedule) -> (Duration, Option<Duration>) {
    let end = match schedule.limit {
        Limit::Window(length) => Some(schedule.warmup + length),
        Limit::LastReply { .. } => None,
    };
    (schedule.warmup, end)
}

/// Reads the counters after a load. A server adds the counts of a connection that has ended to its
/// totals a moment after it took them out of those of the living: as long as it seems to have
/// counted fewer statements than it acknowledged, it is asked again, for a while.
fn settled(
    control: &mut Control,
    before: Option<&ServerCounters>,
    load: Option<&LoadResult>,
) -> (Instant, Option<ServerCounters>) {
    let deadline = Instant::now() + SETTLING;
    loop {
        let (at, after) = (Instant::now(), control.counters());
        let incomplete = before.zip(after.as_ref()).zip(load).is_some_and(|(readings, load)| {
            let (before, after) = readings;
            load.requests.expected().into_iter().any(|(name, acknowledged)| {
                let grown = before.get(name).zip(after.get(name)).map(|(from, to)| to - from);
                grown.is_some_and(|grown| i128::from(grown) < i128::from(acknowledged))
            })
        });
        if !incomplete || at >= deadline {
            return (at, after);
        }
        std::thread::sleep(SETTLING_POLL);
    }
}

/// Seconds from `origin` to `at`, negative when `at` is earlier.
pub(crate) fn seconds_from(origin: Instant, at: Instant) -> f64 {
    match at.checked_duration_since(origin) {
        Some(later) => later.as_secs_f64(),
        None => -origin.duration_since(at).as_secs_f64(),
    }
}
