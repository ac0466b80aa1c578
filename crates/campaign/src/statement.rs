//! The task `statement`: runs statements one after another, changes of the schema among them, and takes
//! the time of each; on a target that does nothing else, or beside a load.

use crate::Measurement;
use crate::generators::GeneratorProcesses;
use crate::intervention::{BesideWork, Job};
use crate::measure::{Measured, Observation, Watched, measure_beside};
use crate::task::{Context, Done};
use crate::trial_clock::seconds_from;
use engine::{Limit, Schedule};
use host::SpaceUsed;
use model::{
    ActResult, BesideLoad, Failure, FailureKind, Figure, FigureNumber, FigureValue, Mark, Metric,
    Outcome, Query, Statement, Stop, Trial,
};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};
use system::{SessionCounts, StatementSession, TargetHandle};

/// How precisely the time of a statement is known, in seconds.
const RESOLUTION: f64 = 1e-6;
/// How often it is looked whether a wait is over.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A statement that ran to its end.
struct Ran {
    name: String,
    began: Instant,
    elapsed: Duration,
    rows: u64,
}

/// What came of statements: those that ran to their end, and what ended the others.
#[derive(Default)]
struct Timed {
    ran: Vec<Ran>,
    failure: Option<Failure>,
    counts: SessionCounts,
}

/// Runs the statements of a trial on a target that is ready for them, with sampling meanwhile.
///
/// # Errors
/// `TimedOut` for a statement that took longer than it may, and was ended on the server;
/// `ServerLost` where the connection was; `NotOffered` or `Statement` where the server refuses one;
/// what the load says that ran beside them; [`Failure::stopped`].
pub(crate) fn run(
    target: &mut dyn TargetHandle,
    statement: &Statement,
    trial: &Trial,
    context: &mut Context<'_>,
) -> Result<Done, Failure> {
    let Some(beside) = statement.beside.as_deref() else { return idle(target, statement, context) };
    let stop = context.stop;
    let alone = match beside.alone {
        false => None,
        true => {
            let mut session = target.statement_session(statement, stop)?;
            warm_up(session.as_mut(), statement)?;
            prepare(session.as_mut(), statement)?;
            let timed = take_times(session.as_mut(), statement);
            take_back(target, statement, &timed, stop)?;
            Some(finished(timed)?)
        }
    };
    with_load(target, statement, (beside, trial), alone, context)
}

/// Runs them where nothing else goes on.
fn idle(
    target: &mut dyn TargetHandle,
    statement: &Statement,
    context: &mut Context<'_>,
) -> Result<Done, Failure> {
    let Context { study, host, stop, .. } = context;
    let mut session = target.statement_session(statement, stop)?;
    warm_up(session.as_mut(), statement)?;
    prepare(session.as_mut(), statement)?;
    let counter_reader = target.counter_reader()?;
    let watched = Watched { space: true, server: false };
    let mut observation = Observation::begin(target, *host, study.sample_every, watched, &[])?;
    let origin = Instant::now();
    let until_done = Limit::LastReply { duration: None, events: None };
    let schedule = Schedule { warmup: Duration::ZERO, limit: until_done, turns: None };
    observation.started(origin, &schedule, GeneratorProcesses::default(), counter_reader);
    let timed = take_times(session.as_mut(), statement);
    let seen = observation.end(target, None);
    take_back(target, statement, &timed, stop)?;
    let (sampling, space) = seen?;
    let timed = finished(timed)?;
    let marks = timed.ran.iter().map(|ran| mark(ran, origin)).collect();
    let outcome = Outcome { figures: figures(&timed, None, space), marks, ..Outcome::default() };
    Ok(Done { outcome, sampling, search: None })
}

/// Runs them beside a load, which begins before them and ends after them.
fn with_load(
    target: &mut dyn TargetHandle,
    statement: &Statement,
    (beside, trial): (&BesideLoad, &Trial),
    alone: Option<Timed>,
    context: &mut Context<'_>,
) -> Result<Done, Failure> {
    let Context { study, hosts, host, stop, on_sample, observe, .. } = context;
    let over = Stop::default();
    let mut session = target.statement_session(statement, &over)?;
    if alone.is_none() {
        warm_up(session.as_mut(), statement)?;
    }
    prepare(session.as_mut(), statement)?;
    let load = &beside.load;
    let load_hosts = hosts.present_load_hosts(study, load, &trial.key.target)?;
    let mut measurement = Measurement {
        sample_every: study.sample_every,
        on_sample: on_sample.cloned(),
        ..Measurement::for_load(load, trial.key.level, trial.seed, *host).made_by(load_hosts)
    };
    measurement.load.by_statement = true;
    // Not for a time: it goes on until it is told that enough was measured.
    measurement.load.schedule.limit =
        Limit::LastReply { duration: Some(load.duration), events: Some(u64::MAX) };
    let (tell, told) = channel();
    let (enough, ended) = (measurement.load.enough.clone(), over.clone());
    let (statements, after) = (statement.clone(), beside.after);
    let job: Job = Box::new(move |origin| {
        let timed = take_times(session.as_mut(), &statements);
        if timed.failure.is_none() {
            let until = Instant::now() + after;
            while Instant::now() < until && !ended.is_requested() {
                thread::sleep(POLL_INTERVAL);
            }
        }
        enough.request();
        let act = |ran| Mark { result: Some(ActResult::Done), ..mark(ran, origin) };
        let marks = timed.ran.iter().map(act).collect();
        // Somebody listens until the load is over.
        let _ = tell.send(timed);
        marks
    });
    let work = BesideWork { at: beside.before, job, over };
    let measured = measure_beside(target, &measurement, Some(work), stop, &mut |progress| {
        observe(progress.into_event(trial));
    });
    let timed = told.try_recv().unwrap_or_default();
    let taken_back = take_back(target, statement, &timed, stop);
    // Where the load failed, that is why the statements were cut off.
    let Measured { load, sampling, marks, space } = measured?;
    taken_back?;
    let timed = finished(timed)?;
    if timed.ran.len() < statement.statements.len() {
        return Err(Failure::new(
            FailureKind::TimedOut,
            "the load was over before the statements had ended",
            "raise `timeout` in the test",
        ));
    }
    let figures = figures(&timed, alone.as_ref(), space);
    let outcome = Outcome { figures, marks, ..Outcome::of_load(load) };
    Ok(Done { outcome, sampling, search: None })
}

fn warm_up(session: &mut dyn StatementSession, statement: &Statement) -> Result<(), Failure> {
    for _ in 0..statement.warmup_runs {
        for timed in &statement.statements {
            session.run(timed)?;
        }
    }
    Ok(())
}

fn prepare(session: &mut dyn StatementSession, statement: &Statement) -> Result<(), Failure> {
    statement.statements.iter().try_for_each(|timed| session.prepare(timed))
}

/// Takes the time of each, up to the first that fails.
fn take_times(session: &mut dyn StatementSession, statement: &Statement) -> Timed {
    let mut timed = Timed::default();
    let mut run = || {
        let counted = session.counts()?;
        for one in &statement.statements {
            let began = Instant::now();
            let rows = session.run(one)?;
            timed.ran.push(Ran { name: one.name.clone(), began, elapsed: began.elapsed(), rows });
        }
        timed.counts = since(session.counts()?, &counted);
        Ok(())
    };
    timed.failure = run().err();
    timed
}

/// What ran, where all did.
fn finished(timed: Timed) -> Result<Timed, Failure> {
    match timed.failure {
        Some(failure) => Err(failure),
        None => Ok(timed),
    }
}

/// Takes changes of the schema back, those that failed included. What cannot be taken back of
/// weighin's own tables is made anew before the next trial.
fn take_back(
    target: &mut dyn TargetHandle,
    statement: &Statement,
    timed: &Timed,
    stop: &Stop,
) -> Result<(), Failure> {
    if statement.change().is_none() {
        return Ok(());
    }
    let undone = target.statement_session(statement, stop).and_then(|mut session| {
        let changes = statement.statements.iter().enumerate().rev();
        changes.into_iter().try_for_each(|(i, change)| session.undo(change, i < timed.ran.len()))
    });
    let Err(failure) = undone else { return Ok(()) };
    target.forget_data();
    let is_own = |query: &Query| match query {
        Query::Change(change) => matches!(change.change, model::Change::Own { .. }),
        Query::BuiltIn(_) | Query::Own(_) => false,
    };
    let own = statement.statements.iter().any(|one| is_own(&one.query));
    match own && timed.failure.is_none() {
        true => Err(failure),
        false => Ok(()),
    }
}

/// What was counted since.
fn since(now: SessionCounts, earlier: &SessionCounts) -> SessionCounts {
    let before = |name| earlier.counts.iter().find(|(n, _)| *n == name).map_or(0, |(_, n)| *n);
    let grown = now.counts.into_iter().map(|(name, n)| (name, n.saturating_sub(before(name))));
    let spills = now.spills.saturating_sub(earlier.spills);
    SessionCounts { counts: grown.collect(), spills, ..now }
}

fn elapsed(timed: &Timed) -> f64 {
    timed.ran.iter().map(|ran| ran.elapsed).sum::<Duration>().as_secs_f64()
}

fn figures(timed: &Timed, alone: Option<&Timed>, space: SpaceUsed) -> Vec<Figure> {
    let Timed { ran, counts, .. } = timed;
    let number = |metric: String, value: f64, unit: &str, resolution: f64| Figure {
        metric,
        value: FigureValue::Number(FigureNumber { value, resolution }),
        unit: unit.to_owned(),
        printed: None,
    };
    let count = |metric: String, count: u64| number(metric, count as f64, "", 0.0);
    let seconds = |metric, timed: &Timed| Figure::measured(metric, elapsed(timed), RESOLUTION);
    let rows: u64 = ran.iter().map(|ran| ran.rows).sum();
    let mut figures = vec![seconds(Metric::Elapsed, timed)];
    figures.extend(alone.map(|alone| seconds(Metric::ElapsedAlone, alone)));
    figures.push(Figure::measured(Metric::RowsReturned, rows as f64, 0.0));
    let bytes =
        |metric, bytes: Option<u64>| bytes.map(|bytes| Figure::measured(metric, bytes as f64, 0.0));
    // Where the session wrote to temporary files and none was seen, they came and went between two looks.
    let seen = space.temporary.filter(|seen| *seen > 0 || counts.spills == 0);
    figures.extend(bytes(Metric::TemporarySpace, counts.temporary_bytes.or(seen)));
    figures.extend(bytes(Metric::DataGrowth, space.data));
    figures.extend(counts.counts.iter().map(|(name, n)| count((*name).to_owned(), *n)));
    if ran.len() > 1 {
        for ran in ran {
            let seconds = ran.elapsed.as_secs_f64();
            figures.push(number(format!("elapsed of {}", ran.name), seconds, "s", RESOLUTION));
            figures.push(count(format!("rows of {}", ran.name), ran.rows));
        }
    }
    figures
}

fn mark(ran: &Ran, origin: Instant) -> Mark {
    let at = seconds_from(origin, ran.began);
    Mark::span(&ran.name, at, at + ran.elapsed.as_secs_f64())
}
