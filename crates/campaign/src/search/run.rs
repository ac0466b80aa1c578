use super::next::Ground;
use crate::{Control, Login, Measured, Order, measure};
use engine::{Limit, OpenLoop, Schedule, Stop};
use model::{
    Arrivals, Failure, FailureKind, Latencies, LoadResult, Search, SearchAnswer, SearchOver,
    SearchStep, Slo, StepVerdict,
};
use std::time::Duration;

/// Most transactions per second that are offered: more than any one client machine can.
const HIGHEST_RATE: f64 = 1e7;
/// A step is at most so many times as long as asked for, where transactions come slowly.
const LONGEST: f64 = 4.0;

/// What is searched for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// The bound on latency.
    pub slo: Slo,
    /// What is varied to reach it.
    pub over: SearchOver,
    /// How the transactions of a rate arrive.
    pub arrivals: Arrivals,
}

/// How far a search is.
#[derive(Clone, Copy, Debug)]
pub enum SearchProgress<'a> {
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

/// Searches for the highest load that keeps a bound. `order` says what is run: its `clients` are
/// the connections of every rate, or the most clients to try; its schedule is that of every step,
/// measured for longer where the bounded figure takes more transactions than come in that time.
///
/// # Errors
/// When a step did not run to its end; `Ok(None)` when [`Stop`] asked it not to.
pub fn search(
    login: &Login,
    control: &mut Control,
    order: &Order<'_>,
    goal: &Goal,
    stop: &Stop,
    observe: &mut dyn FnMut(SearchProgress<'_>),
) -> Result<Option<Searched>, Failure> {
    let mut load = |order: &Order<'_>| measure(login, control, order, stop, &mut |_| {});
    let (ground, capacity) = match goal.over {
        SearchOver::Clients => (Ground::clients(order.clients), None),
        SearchOver::Rate => {
            let Some(closed) = load(order)? else { return Ok(None) };
            let capacity = closed.load.measure.transactions_per_second();
            if capacity <= 0.0 {
                return Err(nothing_done(order));
            }
            observe(SearchProgress::Capacity(capacity));
            (Ground::rates(capacity, HIGHEST_RATE), Some(capacity))
        }
    };
    let mut steps: Vec<SearchStep> = Vec::new();
    let mut results: Vec<Measured> = Vec::new();
    while let Some(next) = ground.next(&goal.slo, &steps) {
        let Some(measured) = load(&of_step(order, goal, next, &steps))? else { return Ok(None) };
        let earlier = steps.iter().position(|step| step.load == next);
        let earlier = earlier.and_then(|place| results.get(place)).map(|earlier| &earlier.load);
        let step = judged(&goal.slo, next, &measured.load, earlier);
        observe(SearchProgress::Step { goal, step: &step });
        steps.push(step);
        results.push(measured);
    }
    let deciding = Search::deciding_step(&steps, &goal.slo).filter(|&place| place < results.len());
    let Some(place) = deciding else { return Err(nothing_done(order)) };
    let measured = results.swap_remove(place);
    let answer = SearchAnswer::of(&steps);
    let search = Search { over: goal.over, slo: goal.slo, capacity, steps, answer };
    Ok(Some(Searched { search, measured }))
}

fn nothing_done(order: &Order<'_>) -> Failure {
    Failure::new(
        FailureKind::TimedOut,
        format!(
            "not one {} of {} clients succeeded in the time measured",
            order.workload.operation().one,
            order.clients
        ),
        "measure for longer, or with fewer clients",
    )
}

/// The load of one step. Every step has random streams of its own: rows that the step before has
/// just read are in the caches.
fn of_step<'a>(order: &Order<'a>, goal: &Goal, load: f64, steps: &[SearchStep]) -> Order<'a> {
    let seed = order.seed.wrapping_add(1 + steps.len() as u64);
    let expected = match (goal.over, steps.last()) {
        (SearchOver::Rate, _) => Some(load),
        // More clients get no less done, and fewer in proportion.
        (SearchOver::Clients, Some(last)) => Some(last.achieved * (load / last.load).min(1.0)),
        (SearchOver::Clients, None) => None,
    };
    let mut order =
        Order { seed, schedule: lengthened(order.schedule, goal, expected), ..order.clone() };
    match goal.over {
        // A search never tries more clients than the order has.
        SearchOver::Clients => order.clients = (load as u32).min(order.clients),
        SearchOver::Rate => {
            order.open = Some(OpenLoop {
                rate: load,
                process: goal.arrivals.process,
                max_waiting: goal.arrivals.max_waiting as usize,
                seed,
            });
        }
    }
    // Every generator needs a client.
    order.generators = order.generators.min(order.clients);
    order
}

/// A schedule that measures enough transactions for the bounded figure, as far as that takes no
/// more than [`LONGEST`] times as long.
fn lengthened(schedule: Schedule, goal: &Goal, expected_rate: Option<f64>) -> Schedule {
    let (Limit::Window(window), Some(rate)) = (schedule.limit, expected_rate) else {
        return schedule;
    };
    let seconds = window.as_secs_f64();
    let wanted = f64::from(goal.slo.figure.transactions_wanted()) / rate.max(f64::MIN_POSITIVE);
    let length = Duration::from_secs_f64(wanted.clamp(seconds, LONGEST * seconds));
    Schedule { limit: Limit::Window(length), ..schedule }
}

/// What a step found; `earlier` is the run of the same load that it repeats.
fn judged(slo: &Slo, load: f64, result: &LoadResult, earlier: Option<&LoadResult>) -> SearchStep {
    let figure_ms = slo.figure.of(&result.latencies);
    let decides = earlier.map_or(figure_ms, |earlier| {
        let mut both = Latencies::new();
        both.merge(&earlier.latencies);
        both.merge(&result.latencies);
        slo.figure.of(&both)
    });
    let verdict = match decides {
        _ if result.is_overloaded() => StepVerdict::FellBehind,
        None => StepVerdict::FellBehind,
        Some(ms) if slo.is_kept_by(ms) => StepVerdict::Kept,
        Some(_) => StepVerdict::Missed,
    };
    SearchStep {
        load,
        achieved: result.measure.transactions_per_second(),
        figure_ms,
        repeated: earlier.is_some(),
        verdict,
        measured: result.measure.elapsed,
    }
}
