//! Finding background work in a server's counters, and interventions in the marks of a trial.

use super::ServerEvent;
use super::readings::{Step, steps};
use findings::EventKind;
use model::{ActResult, BackgroundWork, Mark, Sampling, TrialRecord, signal};

/// The counters of one kind of child process.
struct Child {
    kind: EventKind,
    /// 1 while it is at work.
    running: &'static str,
    /// How many were started; counted just before the fork.
    started: &'static str,
    /// Bytes that the last one caused to be copied.
    cow: &'static str,
}

const CHILDREN: [Child; 2] = [
    Child {
        kind: EventKind::Snapshot,
        running: signal::SNAPSHOT_RUNNING,
        started: signal::SNAPSHOTS,
        cow: signal::SNAPSHOT_COPIED,
    },
    Child {
        kind: EventKind::LogRewrite,
        running: signal::LOG_REWRITE_RUNNING,
        started: signal::LOG_REWRITES,
        cow: signal::LOG_REWRITE_COPIED,
    },
];

/// How much later than its time a reading may have been taken, in seconds: the sampler waits for
/// half of its interval, which is a second.
const READ_LATE: f64 = 0.5;

/// All background work that the counters of a trial show, in order of kind, then of time. Work that
/// began and ended between two readings shows where the server counts it.
pub(crate) fn events(record: &TrialRecord) -> Vec<ServerEvent> {
    let steps = steps(&record.sampling);
    let mut events: Vec<ServerEvent> =
        CHILDREN.iter().flat_map(|child| of_child(child, &steps)).collect();
    let others: Vec<ServerEvent> =
        record.interventions().filter_map(|mark| attribute(&mut events, mark)).collect();
    events.extend(delayed(&steps));
    events.extend(others);
    events
}

/// Whether the counters would have shown work of that kind.
pub(crate) fn would_show(sampling: &Sampling, kind: EventKind) -> bool {
    let child = CHILDREN.iter().find(|child| child.kind == kind);
    child.is_some_and(|child| {
        steps(sampling).iter().any(|step| step.running(child.running).is_some())
    })
}

/// The kind of event that work leads to.
pub(crate) fn kind_of(work: BackgroundWork) -> EventKind {
    match work {
        BackgroundWork::Snapshot => EventKind::Snapshot,
        BackgroundWork::LogRewrite => EventKind::LogRewrite,
    }
}

fn of_child(child: &Child, steps: &[Step<'_>]) -> Vec<ServerEvent> {
    let mut events: Vec<ServerEvent> = Vec::new();
    let mut open: Option<ServerEvent> = None;
    for step in steps {
        let Some((was, is)) = step.running(child.running) else { continue };
        if was && open.is_none() {
            open = Some(begun(child.kind, (None, step.from)));
        }
        let started = step.growth(child.started).unwrap_or(0).max(u64::from(!was && is));
        // How long the fork took is known of the last one, and so is what was copied.
        let fork_ms = fork_ms(step).filter(|_| started == 1);
        let beginning =
            || ServerEvent { fork_ms, ..begun(child.kind, (Some(step.from), step.until)) };
        let mut over = Vec::new();
        if was && (!is || started > 0) {
            over.extend(open.take());
        }
        // The last one that was started is still at work where any is.
        let within = started - u64::from(is && started > 0);
        over.extend((0..within).map(|_| beginning()));
        let last = over.pop();
        events.extend(over.into_iter().map(|event| ended(event, step, None)));
        events.extend(last.map(|event| ended(event, step, step.at_end(child.cow))));
        if is && started > 0 {
            open = Some(beginning());
        }
    }
    if let Some(last) = steps.last()
        && let Some(mut event) = open
    {
        event.ended = (last.until, None);
        events.push(event);
    }
    events
}

fn begun(kind: EventKind, began: (Option<f64>, f64)) -> ServerEvent {
    let ended = (began.1, None);
    let (fork_ms, cow_bytes) = (None, None);
    ServerEvent { kind, began, ended, intervention: None, fork_ms, cow_bytes, delayed: 0 }
}

fn ended(event: ServerEvent, step: &Step<'_>, cow_bytes: Option<u64>) -> ServerEvent {
    let earliest = event.began.0.unwrap_or(step.from).max(step.from);
    ServerEvent { ended: (earliest, Some(step.until)), cow_bytes, ..event }
}

/// How long the fork of a step took; `None` where there may have been several.
fn fork_ms(step: &Step<'_>) -> Option<f64> {
    let only = step.growth(signal::FORKS).is_none_or(|forks| forks == 1);
    step.at_end(signal::LAST_FORK_MICROS).filter(|_| only).map(|micros| micros as f64 / 1e3)
}

/// Gives the event that an intervention led to its name: the first of its kind that may have begun
/// when the intervention did. Where there is none, the intervention is an event of its own.
fn attribute(events: &mut [ServerEvent], mark: &Mark) -> Option<ServerEvent> {
    let at = mark.at_seconds;
    let until = mark.until_seconds.unwrap_or(at);
    let intervention = Some(mark.name.clone());
    let done = mark.result == Some(ActResult::Done);
    let fits = |event: &&mut ServerEvent| {
        mark.result != Some(ActResult::Failed)
            && mark.work.map(kind_of) == Some(event.kind)
            && event.intervention.is_none()
            && event.began.0.is_some_and(|from| from <= at + READ_LATE)
            && event.began.1 + READ_LATE >= at
    };
    let Some(event) = events.iter_mut().find(fits) else {
        let began = begun(EventKind::Intervention, (Some(at), at));
        return Some(ServerEvent { ended: (until, Some(until)), intervention, ..began });
    };
    event.intervention = intervention;
    event.began = (Some(at), at);
    if done {
        event.ended.1 = Some(event.ended.1.map_or(until, |latest| latest.min(until)));
        event.ended.0 = event.ended.0.min(until);
    }
    event.ended.0 = event.ended.0.max(at);
    None
}

/// Syncs that came late, those of readings that follow one another together.
fn delayed(steps: &[Step<'_>]) -> Vec<ServerEvent> {
    let mut events: Vec<ServerEvent> = Vec::new();
    for step in steps {
        let late = step.growth(signal::DELAYED_SYNCS).unwrap_or(0);
        if late == 0 {
            continue;
        }
        match events.last_mut().filter(|event| event.ended.1 == Some(step.from)) {
            Some(event) => {
                event.ended = (step.from, Some(step.until));
                event.delayed += late;
            }
            None => events.push(ServerEvent {
                ended: (step.from, Some(step.until)),
                delayed: late,
                ..begun(EventKind::DelayedSync, (Some(step.from), step.until))
            }),
        }
    }
    events
}
