use crate::generators::{GeneratorProcesses, Generators};
use crate::hosts::{HostObservation, Watches};
use crate::intervention::{BesideWork, Interventions};
use crate::together::Member;
use crate::trial_clock::seconds_from;
use engine::{Limit, OpenLoop, Progress, Schedule, Stop, run};
use host::{CounterSource, Holding, Host, MeasuredPhase, SamplerOptions, SpaceUsed};
use model::{
    CounterReading, DataSize, Failure, Interval, Intervention, Level, Load, LoadProfile,
    LoadResult, Mark, Sample, Sampling, ServerCounters, Slice, Study, UnixMillis,
};
use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;
use std::time::{Duration, Instant};
use system::{LoadRequest, TargetHandle};

/// How long the server may take to count what connections did that have just ended.
const SETTLING_TIMEOUT: Duration = Duration::from_secs(2);
/// How often it is asked.
const SETTLING_POLL_INTERVAL: Duration = Duration::from_millis(10);

/// One load to run and measure.
#[derive(Clone, Debug)]
pub struct Measurement<'a> {
    /// What the target is asked for. With more than one load generator, the program must answer to
    /// [`crate::GENERATOR_COMMAND`].
    pub load: LoadRequest<'a>,
    /// Whether the server is asked how far it is, and how large its tables are, before and after: by requests
    /// that it counts.
    pub asks_server: bool,
    /// Time between two samples.
    pub sample_every: Duration,
    /// What is done to the target meanwhile.
    pub interventions: &'a [Intervention],
    /// Is shown every sample of the machine that leads as it is taken.
    pub on_sample: Option<OnSample>,
    /// The longest time that it may run before it is measured, until the debts of its target are level.
    pub steady_within: Option<Duration>,
    /// The loads of other targets that begin at the same moment, where there are any.
    pub(crate) together: Option<Member>,
}

/// Is shown every sample as it is taken, in the thread that takes them: it must be quick.
#[derive(Clone)]
pub struct OnSample(pub Arc<dyn Fn(&Sample) + Send + Sync>);

impl Debug for OnSample {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("OnSample")
    }
}

impl<'a> Measurement<'a> {
    /// The load of a test at a level, as trials run it.
    pub fn for_load(load: &'a Load, level: Level, seed: u64, host: &'a dyn Host) -> Self {
        Self {
            load: LoadRequest {
                workload: &load.workload,
                clients: level.clients,
                generators: load.load_generators,
                workers: None,
                io: None,
                schedule: Schedule { warmup: load.warmup, limit: limit(load), turns: None },
                open: level.rate.map(|rate| OpenLoop {
                    rate: load.profile.as_ref().map_or(rate.into(), LoadProfile::mean_rate),
                    course: load.course(),
                    process: load.arrivals.process,
                    max_waiting: load.arrivals.max_waiting as usize,
                    drops_late: false,
                    seed,
                }),
                reconnect_after: load.reconnect_after,
                policy: load.policy.clone(),
                // Of scripts it is asked which of them decides.
                by_statement: load.workload.transactions().is_some(),
                seed,
                host,
                load_hosts: Vec::new(),
                enough: Stop::default(),
            },
            asks_server: true,
            sample_every: Study::SAMPLE_EVERY,
            interventions: &load.interventions,
            on_sample: None,
            steady_within: load.steady_within,
            together: None,
        }
    }

    /// The same made by those machines, each with its load generators, where there are any.
    pub(crate) fn made_by(mut self, load_hosts: Vec<Arc<dyn Host>>) -> Self {
        self.load.generators *= load_hosts.len().max(1) as u32;
        self.load.load_hosts = load_hosts;
        self
    }

    /// The other machines that make the load with so many generators.
    fn others(&self) -> &[Arc<dyn Host>] {
        let load_hosts = &self.load.load_hosts;
        let needed = load_hosts.len().min(self.load.generators.max(1) as usize);
        load_hosts.get(..needed).unwrap_or_default()
    }

    /// Most processes that can make the load: every one of them needs a client, or on storage a
    /// virtual machine.
    pub fn max_generators(&self) -> u32 {
        let LoadRequest { workload, clients, .. } = &self.load;
        workload.storage().map_or(*clients, |storage| storage.vms)
    }
}

/// What ends a load. A fixed amount of work is all counted, to its last reply.
fn limit(load: &Load) -> Limit {
    match load.operations {
        Some(operations) => {
            Limit::LastReply { duration: Some(load.duration), events: Some(operations) }
        }
        None => Limit::Window(load.duration),
    }
}

/// What a load did, and what was sampled meanwhile.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The load engine's account.
    pub load: LoadResult,
    /// Host and server, before, while and after it ran.
    pub sampling: Sampling,
    /// What came of its interventions, in order of time.
    pub marks: Vec<Mark>,
    /// What the target took of its disks meanwhile, where that was watched.
    pub space: SpaceUsed,
}

/// What a load tells while it is measured.
#[derive(Clone, Copy, Debug)]
pub enum LoadProgress<'a> {
    /// A second has ended.
    Interval(&'a Interval),
    /// Its time is over, and answers to what is under way are waited for, so long at most.
    Waiting(Duration),
}

/// Runs one load with sampling beside it, on a target that is ready for it. Where something runs beside it
/// for its own sake, the space that the target takes is watched.
///
/// # Errors
/// When the load did not run to its end; [`Failure::stopped`].
pub(crate) fn measure_beside(
    target: &mut dyn TargetHandle,
    measurement: &Measurement<'_>,
    beside: Option<BesideWork>,
    stop: &Stop,
    on_progress: &mut dyn FnMut(LoadProgress<'_>),
) -> Result<Measured, Failure> {
    let prepared = target.load(&measurement.load)?;
    let mut counter_reader = Some(target.counter_reader()?);
    let watched = Watched { space: beside.is_some(), server: measurement.asks_server };
    let mut interventions =
        Interventions::prepare(target, measurement.load.host, measurement.interventions, beside)?;
    let others = measurement.others();
    let (host, every) = (measurement.load.host, measurement.sample_every);
    let processors = measurement.together.as_ref().and_then(|member| member.processors.as_deref());
    if let Some(processors) = processors {
        let scope = target.sampling_scope();
        let own = scope.server_pid.into_iter().chain(scope.replica_pids);
        own.into_iter().try_for_each(|pid| processors.add(pid))?;
    }
    let mut observation = Observation::begin(target, host, every, watched, others)?;
    observation.processors = processors.map(|set| Arc::clone(set.holding()));
    let lost = stop.of_part();
    observation.watches.stop_when_lost(&lost);
    let generators = match measurement.load.generators {
        0 | 1 if others.is_empty() && measurement.together.is_none() => None,
        count => {
            let count = count.max(1);
            let generators = Generators::start(host, others, &prepared, count, processors)?;
            Some(generators.beginning_with(measurement.together.clone()))
        }
    };
    let processes = generators.as_ref().map(Generators::processes).unwrap_or_default();
    let mut began_at = None;
    let mut follow = |progress: Progress<'_>| match progress {
        Progress::Started(origin) => {
            began_at = Some(moment(host, origin));
            let counters = counter_reader.take().flatten();
            observation.on_sample = measurement.on_sample.clone();
            observation.started(origin, &measurement.load.schedule, processes.clone(), counters);
            interventions.schedule(origin, measurement.load.schedule.warmup);
        }
        Progress::Interval(interval, _) => on_progress(LoadProgress::Interval(interval)),
        Progress::Waiting(limit) => on_progress(LoadProgress::Waiting(limit)),
    };
    let outcome = match generators {
        Some(generators) => generators.run(&lost, &mut follow),
        None => {
            run(prepared.runner(), &lost, &mut follow).map_err(|error| prepared.failure(&error))
        }
    };
    let marks = interventions.end();
    let mut seen = observation.end(target, outcome.as_ref().ok());
    if let Some(data) = seen.as_mut().ok().and_then(|(sampling, _)| sampling.data.as_mut()) {
        data.rows = measurement.load.workload.rows_made();
    }
    target.loaded(measurement.load.workload);
    let (mut load, (sampling, space)) = match (outcome, seen) {
        (Ok(load), seen) => (load, seen?),
        // What the loss of another machine has stopped, nobody else did.
        (Err(failure), Err(lost)) if failure.is_stop() && !stop.is_requested() => return Err(lost),
        (Err(failure), _) => return Err(failure),
    };
    measurement.together.as_ref().map_or(Ok(()), Member::check)?;
    load.began_at = began_at;
    let schedule = measurement.load.schedule;
    let slices = schedule.turns.map(|turns| turns.slices(schedule.warmup));
    load.slices = slices.into_iter().flatten().map(|(from, until)| Slice { from, until }).collect();
    for error in &mut load.errors {
        error.remedy = prepared.error_remedy(error).to_owned();
    }
    Ok(Measured { load, sampling, marks, space })
}

/// When that is by the clock of this machine: several load generators are told a start to come.
fn moment(host: &dyn Host, at: Instant) -> UnixMillis {
    let (now, instant) = (host.time(), Instant::now());
    let ms = |length: Duration| u64::try_from(length.as_millis()).unwrap_or(u64::MAX);
    let later = ms(at.saturating_duration_since(instant));
    UnixMillis((now.0 + later).saturating_sub(ms(instant.saturating_duration_since(at))))
}

/// What is sampled beside a load, from before it begins.
pub struct Observation {
    watches: Watches,
    sample_every: Duration,
    /// What server and load have to themselves; `None` where they have all.
    processors: Option<Arc<Holding>>,
    round_trip: Option<Duration>,
    data_before: Option<u64>,
    before: (Instant, Option<ServerCounters>),
    started: Option<Instant>,
    on_sample: Option<OnSample>,
}

/// What an [`Observation`] looks at beside the machine.
#[derive(Clone, Copy, Debug)]
pub struct Watched {
    /// The space that the target takes.
    pub space: bool,
    /// How far the server is, and how large its tables are, before and after: by requests that it counts.
    pub server: bool,
}

impl Observation {
    /// Begins to watch this machine, the target's own, and others that make the load.
    ///
    /// # Errors
    /// When another machine cannot be reached; [`Failure::stopped`].
    pub fn begin(
        target: &mut dyn TargetHandle,
        host: &dyn Host,
        sample_every: Duration,
        watched: Watched,
        load_hosts: &[Arc<dyn Host>],
    ) -> Result<Self, Failure> {
        // Of the way that others' requests take nothing is known here.
        let is_near = watched.server && load_hosts.is_empty();
        let round_trip = if is_near { target.round_trip() } else { None };
        let data_before = if watched.server { target.data_bytes() } else { None };
        // A connection tells where a server runs.
        let before = (Instant::now(), target.counters());
        let watches = Watches::begin(host, target, watched.space, load_hosts)?;
        Ok(Self {
            watches,
            sample_every,
            processors: None,
            round_trip,
            data_before,
            before,
            started: None,
            on_sample: None,
        })
    }

    /// The load begins at `origin`. `processes` are the processes that make it besides this one; `counters`
    /// are read with every sample.
    pub fn started(
        &mut self,
        origin: Instant,
        schedule: &Schedule,
        processes: GeneratorProcesses,
        counters: Option<CounterSource>,
    ) {
        self.started = Some(origin);
        let on_sample = self.on_sample.take();
        let options = SamplerOptions {
            companions: processes.here,
            processors: self.processors.clone(),
            counters,
            on_sample: on_sample.map(|OnSample(show)| -> Box<dyn FnMut(&Sample) + Send> {
                Box::new(move |sample| show(sample))
            }),
            ..SamplerOptions::of_host(self.sample_every, origin, measured_phases(schedule))
        };
        self.watches.sample(options, &processes.elsewhere);
    }

    /// The load is over: what was seen of it.
    ///
    /// # Errors
    /// `HostLost` where another machine was lost meanwhile.
    pub fn end(
        self,
        target: &mut dyn TargetHandle,
        load: Option<&LoadResult>,
    ) -> Result<(Sampling, SpaceUsed), Failure> {
        let Self { watches, round_trip, data_before, before, started, .. } = self;
        // Of a load that failed nothing is kept, and a server that hangs would be waited for.
        let after = match load {
            Some(load) => settled(target, before.1.as_ref(), load),
            None => (Instant::now(), None),
        };
        let data_after = load.and(data_before).and_then(|_| target.data_bytes());
        let HostObservation { samples, account, space, disks, target_host, load_hosts } =
            watches.end()?;
        let origin = started.unwrap_or(before.0);
        let sampling = Sampling {
            samples,
            before: reading(origin, before.0, before.1),
            after: reading(origin, after.0, after.1),
            account,
            volume: disks,
            target_host,
            load_hosts,
            round_trip_ms: round_trip.map(|length| length.as_secs_f64() * 1e3),
            data: data_before.zip(data_after).map(|(bytes_before, bytes_after)| DataSize {
                rows: None,
                bytes_before,
                bytes_after,
            }),
        };
        Ok((sampling, space))
    }
}

/// When a load measures.
fn measured_phases(schedule: &Schedule) -> Vec<MeasuredPhase> {
    if let Some(turns) = schedule.turns {
        let slices = turns.slices(schedule.warmup);
        return slices.map(|(from, until)| MeasuredPhase { from, until: Some(until) }).collect();
    }
    let until = match schedule.limit {
        Limit::Window(length) => Some(schedule.warmup + length),
        Limit::LastReply { .. } => None,
    };
    vec![MeasuredPhase { from: schedule.warmup, until }]
}

/// Reads the counters after a load. A server adds the counts of a connection that has ended to its
/// totals a moment after it took them out of those of the living: as long as it seems to have
/// counted fewer statements than it acknowledged, it is asked again, for a while.
fn settled(
    target: &mut dyn TargetHandle,
    before: Option<&ServerCounters>,
    load: &LoadResult,
) -> (Instant, Option<ServerCounters>) {
    let deadline = Instant::now() + SETTLING_TIMEOUT;
    loop {
        let (at, after) = (Instant::now(), target.counters());
        let incomplete = before.zip(after.as_ref()).is_some_and(|(before, after)| {
            load.requests.expected().into_iter().any(|(name, acknowledged)| {
                let grown = before.get(name).zip(after.get(name)).map(|(from, to)| to - from);
                grown.is_some_and(|grown| i128::from(grown) < i128::from(acknowledged))
            })
        });
        if !incomplete || at >= deadline {
            return (at, after);
        }
        std::thread::sleep(SETTLING_POLL_INTERVAL);
    }
}

/// What the counters said at that moment, where they said something.
pub(crate) fn reading(
    origin: Instant,
    at: Instant,
    counters: Option<ServerCounters>,
) -> Option<CounterReading> {
    Some(CounterReading { at_seconds: seconds_from(origin, at), counters: counters? })
}
