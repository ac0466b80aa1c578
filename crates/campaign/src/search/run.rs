use super::next::SearchRange;
use crate::{LoadProgress, Measured, Measurement, measure};
use engine::{Limit, OpenLoop, Schedule, Stop};
use model::{
    Arrivals, Bound, Failure, FailureKind, Latencies, PhaseTotals, Sample, Search, SearchAnswer,
    SearchOver, SearchStep, StepVerdict, Transactions, signal,
};
use std::borrow::Cow;
use std::time::{Duration, Instant};
use system::TargetHandle;

/// Most transactions per second that are offered: more than any one client machine can.
const HIGHEST_RATE: f64 = 1e7;
/// Lag that grows by more over a step goes on growing. Below it heartbeats do not tell.
const GROWTH_MS: f64 = 200.0;
/// Longest time between two samples where lag is bounded: a step is short.
const MAX_LAG_SAMPLE_EVERY: Duration = Duration::from_millis(250);
/// A step is at most so many times as long as asked for, where transactions come slowly.
const LONGEST: f64 = 4.0;
/// Most transactions that may fail where clients are searched for, as a share; of an offered rate as
/// many have to succeed.
const MOST_FAILED: f64 = 0.01;

/// What is searched for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// What the load must meet.
    pub bound: Bound,
    /// What is varied to reach it.
    pub over: SearchOver,
    /// How the transactions of a rate arrive.
    pub arrivals: Arrivals,
}

/// How far a search is.
#[derive(Clone, Copy, Debug)]
pub enum SearchProgress<'a> {
    /// The time of a step is over, and answers to what is under way are waited for, so long at most.
    Waiting(Duration),
    /// A closed loop gave so many transactions per second.
    Capacity(f64),
    /// A step is over.
    Step {
        /// What is searched for.
        goal: &'a Goal,
        /// What the step found.
        step: &'a SearchStep,
    },
}

/// A search that came to its end.
#[derive(Clone, Debug)]
pub struct Searched {
    /// All of its steps, and the answer.
    pub search: Search,
    /// What the step that gave the answer did (see [`Search::deciding_step`]).
    pub measured: Measured,
}

/// Searches for the highest load that meets a bound. `measurement` says what is run: its `clients` are
/// the connections of every rate, or the most clients to try; its schedule is that of every step,
/// measured for longer where the bounded figure takes more transactions than come in that time.
///
/// # Errors
/// When a step did not run to its end; [`Failure::stopped`].
pub fn search(
    target: &mut dyn TargetHandle,
    measurement: &Measurement<'_>,
    goal: &Goal,
    stop: &Stop,
    observe: &mut dyn FnMut(SearchProgress<'_>),
) -> Result<Searched, Failure> {
    let bounds_lag = goal.bound.replica_lag_ms.is_some();
    // What a step has left to the replicas is no lag of the next.
    let wait_for_replicas = |target: &mut dyn TargetHandle| match bounds_lag {
        true => target.group(stop)?.bring_in_step(stop),
        false => Ok(()),
    };
    let mut load = |measurement: &Measurement<'_>,
                    observe: &mut dyn FnMut(SearchProgress<'_>)|
     -> Result<_, Failure> {
        let measured = measure(target, measurement, stop, &mut |progress| {
            if let LoadProgress::Waiting(limit) = progress {
                observe(SearchProgress::Waiting(limit));
            }
        })?;
        let ended = Instant::now();
        wait_for_replicas(target)?;
        Ok((measured, ended.elapsed()))
    };
    let (range, capacity) = match goal.over {
        SearchOver::Clients => (SearchRange::clients(measurement.load.clients), None),
        SearchOver::Rate => {
            let (closed, waited) = load(measurement, observe)?;
            let mut capacity = closed.load.measure.transactions_per_second();
            if capacity <= 0.0 {
                // So much at once that nothing came back in time. One client shows less than there
                // is, and the search goes up from there.
                let mut lightest = measurement.clone();
                (lightest.load.clients, lightest.load.generators) = (1, 1);
                let (closed, _) = load(&lightest, observe)?;
                capacity = closed.load.measure.transactions_per_second();
            }
            if capacity <= 0.0 {
                return Err(nothing_done(measurement));
            }
            observe(SearchProgress::Capacity(capacity));
            // What the replicas took longer for than the primary shows how much they apply.
            let took = closed.load.warmup.elapsed + closed.load.measure.elapsed;
            let share = took.as_secs_f64() / (took + waited).as_secs_f64();
            let start = if bounds_lag { capacity * share } else { capacity };
            (SearchRange::rates(start, HIGHEST_RATE), Some(capacity))
        }
    };
    let mut steps: Vec<SearchStep> = Vec::new();
    let mut results: Vec<Measured> = Vec::new();
    while let Some(next) = range.next(&goal.bound, &steps) {
        let (measured, _) = load(&of_step(measurement, goal, next, &steps), observe)?;
        let earlier = steps.iter().position(|step| step.load == next);
        let earlier = earlier.and_then(|place| results.get(place));
        let own = measurement.load.workload.transactions();
        let step = judged(&goal.bound, own, next, &measured, earlier);
        observe(SearchProgress::Step { goal, step: &step });
        steps.push(step);
        results.push(measured);
    }
    let deciding =
        Search::deciding_step(&steps, &goal.bound).filter(|&place| place < results.len());
    let Some(place) = deciding else { return Err(nothing_done(measurement)) };
    let measured = results.swap_remove(place);
    let answer = SearchAnswer::from_steps(&steps);
    let search = Search { over: goal.over, bound: goal.bound, capacity, steps, answer };
    Ok(Searched { search, measured })
}

fn nothing_done(measurement: &Measurement<'_>) -> Failure {
    Failure::new(
        FailureKind::TimedOut,
        format!(
            "not one {} succeeded in the time measured",
            measurement.load.workload.operation().one
        ),
        "measure for longer, or with a lighter load",
    )
}

/// The load of one step. Every step has random streams of its own: rows that the step before has
/// just read are in the caches.
fn of_step<'a>(
    measurement: &Measurement<'a>,
    goal: &Goal,
    load: f64,
    steps: &[SearchStep],
) -> Measurement<'a> {
    let seed = measurement.load.seed.wrapping_add(1 + steps.len() as u64);
    let expected = match (goal.over, steps.last()) {
        (SearchOver::Rate, _) => Some(load),
        // More clients get no less done, and fewer in proportion.
        (SearchOver::Clients, Some(last)) => Some(last.achieved * (load / last.load).min(1.0)),
        (SearchOver::Clients, None) => None,
    };
    let mut measurement = measurement.clone();
    measurement.load.seed = seed;
    measurement.load.schedule = lengthened(measurement.load.schedule, goal, expected);
    match goal.over {
        // A search never tries more clients than the measurement has.
        SearchOver::Clients => {
            measurement.load.clients = (load as u32).min(measurement.load.clients)
        }
        SearchOver::Rate => {
            measurement.load.open = Some(OpenLoop {
                rate: load,
                process: goal.arrivals.process,
                course: Vec::new(),
                max_waiting: goal.arrivals.max_waiting as usize,
                drops_late: false,
                seed,
            });
        }
    }
    measurement.load.generators = measurement.load.generators.min(measurement.max_generators());
    if goal.bound.replica_lag_ms.is_some() {
        measurement.sample_every = measurement.sample_every.min(MAX_LAG_SAMPLE_EVERY);
    }
    measurement
}

/// A schedule that measures enough transactions for the bounded figure, as far as that takes no
/// more than [`LONGEST`] times as long.
fn lengthened(schedule: Schedule, goal: &Goal, expected_rate: Option<f64>) -> Schedule {
    let (Limit::Window(window), Some(rate)) = (schedule.limit, expected_rate) else {
        return schedule;
    };
    let seconds = window.as_secs_f64();
    let wanted = f64::from(goal.bound.figure().transactions_wanted()) / rate.max(f64::MIN_POSITIVE);
    let length = Duration::from_secs_f64(wanted.clamp(seconds, LONGEST * seconds));
    Schedule { limit: Limit::Window(length), ..schedule }
}

/// What a step found; `earlier` is the run of the same load that it repeats.
fn judged(
    bound: &Bound,
    own: Option<&Transactions>,
    load: f64,
    run: &Measured,
    earlier: Option<&Measured>,
) -> SearchStep {
    let result = &run.load;
    let figure = |latencies: &Latencies| bound.figure().value_in(latencies);
    let figure_ms = figure(&result.latencies);
    let decides = earlier.map_or(figure_ms, |earlier| {
        let mut both = Latencies::new();
        both.merge(&earlier.load.latencies);
        both.merge(&result.latencies);
        figure(&both)
    });
    let cpu_busy = bound.cpu_percent.and_then(|_| busy_share(run));
    let both_busy = match earlier.and_then(busy_share) {
        Some(before) => cpu_busy.map(|now| (before + now) / 2.0),
        None => cpu_busy,
    };
    let cpu_others = bound.cpu_percent.and_then(|_| others_share(run));
    let others_alone = cpu_others.is_some_and(|share| !bound.allows_busy(share));
    let allowed = bound.cpu_percent.is_none() || both_busy.is_some_and(|b| bound.allows_busy(b));
    let lag = bound.replica_lag_ms.and_then(|_| Lag::from_measured(run));
    let both_lag = match earlier.and_then(Lag::from_measured) {
        Some(before) => lag.map(|now| now.mean_with(before)),
        None => lag,
    };
    // What is not seen does not meet a bound.
    let keeps_up =
        bound.replica_lag_ms.is_none_or(|most| both_lag.is_some_and(|lag| lag.is_within(most)));
    let verdict = match decides {
        _ if result.is_overloaded() || is_failing(&result.measure) => StepVerdict::FellBehind,
        None => StepVerdict::FellBehind,
        Some(ms) if bound.slo.is_some_and(|slo| !slo.is_met_by(ms)) => StepVerdict::Missed,
        Some(_) if own.is_some_and(|own| misses(own, run, earlier)) => StepVerdict::Missed,
        Some(_) if !allowed && others_alone => StepVerdict::Disturbed,
        Some(_) if !allowed => StepVerdict::TooBusy,
        Some(_) if !keeps_up => StepVerdict::Lagging,
        Some(_) => StepVerdict::Met,
    };
    SearchStep {
        load,
        achieved: result.measure.transactions_per_second(),
        figure_ms,
        cpu_busy,
        cpu_others,
        lag_ms: lag.map(|lag| lag.most_ms),
        repeated: earlier.is_some(),
        verdict,
        measured: result.measure.elapsed,
    }
}

/// Whether a transaction of the user's own misses the bound that it has for itself.
fn misses(own: &Transactions, run: &Measured, earlier: Option<&Measured>) -> bool {
    own.slos().any(|(one, slo)| {
        let mut latencies = Latencies::new();
        for run in [Some(run), earlier].into_iter().flatten() {
            let named = run.load.by_transaction.iter().find(|named| named.name == one.name);
            named.iter().for_each(|named| latencies.merge(&named.latencies));
        }
        slo.figure.value_in(&latencies).is_some_and(|ms| !slo.is_met_by(ms))
    })
}

/// Whether too many of the transactions failed for the others to tell what the load does: latencies
/// are those of what succeeded, and failing is often the faster.
fn is_failing(measure: &PhaseTotals) -> bool {
    let all = measure.transactions + measure.errors;
    measure.errors as f64 > MOST_FAILED * all as f64
}

/// How far replicas were behind in the measured phase.
#[derive(Clone, Copy, Debug)]
struct Lag {
    most_ms: f64,
    /// By how much they were further behind in its last third than in its first.
    grew_ms: f64,
}

impl Lag {
    /// `None` where nothing was seen of it.
    fn from_measured(run: &Measured) -> Option<Self> {
        let start = run.load.warmup.elapsed.as_secs_f64();
        let length = run.load.measure.elapsed.as_secs_f64();
        let seen = run.sampling.samples.iter().filter_map(|sample| {
            let lag = *sample.counters.as_ref()?.get(signal::REPLICA_LAG)? as f64;
            let at = (sample.at_seconds - start) / length;
            // Samples and phases do not end at the very same moment.
            (0.0..1.1).contains(&at).then_some((at, lag))
        });
        let seen: Vec<(f64, f64)> = seen.collect();
        let mean = |thirds: std::ops::Range<f64>| {
            let lags = seen.iter().filter(|(at, _)| thirds.contains(&(at * 3.0)));
            let lags: Vec<f64> = lags.map(|(_, lag)| *lag).collect();
            (!lags.is_empty()).then(|| lags.iter().sum::<f64>() / lags.len() as f64)
        };
        let grew = mean(0.0..1.0).zip(mean(2.0..f64::MAX)).map(|(first, last)| last - first);
        let most_ms = seen.iter().map(|(_, lag)| *lag).reduce(f64::max)?;
        Some(Self { most_ms, grew_ms: grew.unwrap_or_default() })
    }

    fn mean_with(self, other: Self) -> Self {
        Self {
            most_ms: f64::midpoint(self.most_ms, other.most_ms),
            grew_ms: f64::midpoint(self.grew_ms, other.grew_ms),
        }
    }

    fn is_within(self, most_ms: u64) -> bool {
        self.most_ms <= most_ms as f64 && self.grew_ms <= GROWTH_MS
    }
}

/// Share of the processors' time that was in use in the measured phase: of those that virtual
/// machines share, as the kernel counts it for these; else of all, by the samples that
/// begin and end in the phase; `None` without one.
fn busy_share(run: &Measured) -> Option<f64> {
    if let Some(processors) = run.load.fleet.as_ref().and_then(|fleet| fleet.processors) {
        return Some(processors.busy);
    }
    mean_share(run, |sample| sample.cpu.busy())
}

/// The part of [`busy_share`] that was neither weighin's nor that of what it measures; `None` of processors that
/// only virtual machines have.
fn others_share(run: &Measured) -> Option<f64> {
    if run.load.fleet.as_ref().is_some_and(|fleet| fleet.processors.is_some()) {
        return None;
    }
    let cpus: u32 = match run.sampling.volume_hosts().as_slice() {
        [] => run.sampling.account.processor_use.cpus,
        hosts => hosts.iter().map(|host| host.processor_use.cpus).sum(),
    };
    let share = mean_share(run, |sample| sample.cpu.busy() - sample.own_cpus() / f64::from(cpus));
    // Host and processes are read a moment apart.
    share.filter(|_| cpus > 0).map(|share| share.max(0.0))
}

/// The mean of a share over the samples that begin and end in the measured phase.
fn mean_share(run: &Measured, share: impl Fn(&Sample) -> f64) -> Option<f64> {
    let start = run.load.warmup.elapsed.as_secs_f64();
    let end = start + run.load.measure.elapsed.as_secs_f64();
    let (mut sum, mut seconds) = (0.0, 0.0);
    let samples = match run.sampling.volume_hosts().as_slice() {
        [] => Cow::Borrowed(run.sampling.samples.as_slice()),
        // They make the load.
        _ => run.sampling.target_samples(),
    };
    for sample in samples.iter().filter(|sample| sample.cpu.is_known()) {
        let length = sample.length.as_secs_f64();
        // Samples and phases do not begin at the very same moment.
        let slack = length / 10.0;
        if sample.at_seconds - length >= start - slack && sample.at_seconds <= end + slack {
            sum += share(sample) * length;
            seconds += length;
        }
    }
    (seconds > 0.0).then(|| sum / seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{CpuShares, HostAccount, LoadResult, ProcessUsage, ProcessorUse, Sampling};

    /// A load on 4 processors that used one of them, while all were busy for that share.
    fn ran(busy: f64) -> Measured {
        let mut run = Measured {
            load: LoadResult::default(),
            sampling: Sampling::default(),
            marks: Vec::new(),
            space: host::SpaceUsed::default(),
        };
        run.load.measure.elapsed = Duration::from_secs(2);
        run.load.measure.transactions = 200;
        run.load.latencies.record(Duration::from_millis(1));
        let sample = |at_seconds| Sample {
            at_seconds,
            length: Duration::from_secs(1),
            cpu: CpuShares { user: busy, idle: 1.0 - busy, ..CpuShares::default() },
            client: ProcessUsage { cpus: 1.0, rss_bytes: 1, ..ProcessUsage::default() },
            ..Sample::default()
        };
        let processor_use = ProcessorUse { cpus: 4, ..ProcessorUse::default() };
        run.sampling = Sampling {
            samples: vec![sample(1.0), sample(2.0)],
            account: HostAccount { processor_use, ..HostAccount::default() },
            ..Sampling::default()
        };
        run
    }

    #[test]
    fn a_load_does_not_miss_a_bound_on_processors_that_others_alone_were_beyond() {
        let bound = Bound { cpu_percent: Some(60), ..Bound::default() };
        for (busy, others, verdict) in [
            (0.5, 0.25, StepVerdict::Met),
            (0.8, 0.55, StepVerdict::TooBusy),
            (0.95, 0.70, StepVerdict::Disturbed),
        ] {
            let step = judged(&bound, None, 100.0, &ran(busy), None);
            assert_eq!(step.verdict, verdict, "{step:?}");
            assert!((step.cpu_others.unwrap() - others).abs() < 1e-9, "{step:?}");
        }
    }

    #[test]
    fn a_load_of_which_more_than_one_in_a_hundred_fails_is_too_much() {
        let fails = |transactions, errors| {
            is_failing(&PhaseTotals { transactions, errors, ..PhaseTotals::default() })
        };
        assert!(!fails(0, 0) && !fails(1_000, 0) && !fails(99, 1));
        assert!(fails(98, 1) && fails(600, 400) && fails(0, 1));
    }
}
