//! The task `statement`: runs statements one after another and takes the time of each.

use crate::hosts::scope_on;
use crate::measure::seconds_from;
use crate::systems::{SessionCounts, TargetHandle};
use crate::trial::Done;
use host::{Host, SamplerOptions, Scope, Watched};
use model::{
    CounterReading, Failure, Figure, FigureNumber, FigureValue, Mark, Metric, Outcome, Sampling,
    Statement, Stop, TimedStatement,
};
use std::time::{Duration, Instant};

/// How precisely the time of a statement is known, in seconds.
const RESOLUTION: f64 = 1e-6;

/// A statement that ran to its end.
struct Ran {
    name: String,
    began: Instant,
    elapsed: Duration,
    rows: u64,
}

/// Runs the statements of a trial on a target that is ready for them, with sampling meanwhile.
///
/// # Errors
/// `TimedOut` for a statement that took longer than it may, and was ended on the server;
/// `ServerLost` where the connection was; `Statement` where the server refuses one;
/// [`Failure::stopped`].
pub(crate) fn run(
    target: &mut dyn TargetHandle,
    statement: &Statement,
    sample_every: Duration,
    host: &dyn Host,
    stop: &Stop,
) -> Result<Done, Failure> {
    let mut session = target.statement_session(statement, stop)?;
    for _ in 0..statement.warmup_runs {
        for timed in &statement.statements {
            session.run(timed)?;
        }
    }
    let counter_reader = target.counter_reader()?;
    let scope = scope_on(host, target);
    let server_pid = scope.server_pid;
    let mut watch = host.watch(&Scope { server_pid, temporary_space: true });
    let counted = session.counts()?;
    let before = target.counters();
    let origin = Instant::now();
    watch.sample(SamplerOptions {
        every: sample_every,
        origin,
        measured: (Duration::ZERO, None),
        server_pid,
        replica_pids: scope.replica_pids.clone(),
        companions: Vec::new(),
        counters: counter_reader,
        on_sample: None,
    });
    let mut take_time = |timed: &TimedStatement| {
        let began = Instant::now();
        let rows = session.run(timed)?;
        Ok(Ran { name: timed.name.clone(), began, elapsed: began.elapsed(), rows })
    };
    let done: Result<Vec<Ran>, Failure> = statement.statements.iter().map(&mut take_time).collect();
    let Watched { samples, account, temporary_bytes } = watch.end();
    let done = done?;
    let counts = since(session.counts()?, &counted);
    let after = (Instant::now(), target.counters());
    let reading = |at: Instant, counters: Option<_>| {
        counters.map(|counters| CounterReading { at_seconds: seconds_from(origin, at), counters })
    };
    let sampling = Sampling {
        samples,
        before: reading(origin, before),
        after: reading(after.0, after.1),
        account,
        volume: scope.disks,
    };
    Ok(Done { outcome: outcome(&done, origin, &counts, temporary_bytes), sampling, search: None })
}

/// What was counted since.
fn since(now: SessionCounts, earlier: &SessionCounts) -> SessionCounts {
    let before = |name| earlier.counts.iter().find(|(n, _)| *n == name).map_or(0, |(_, n)| *n);
    let grown = now.counts.into_iter().map(|(name, n)| (name, n.saturating_sub(before(name))));
    SessionCounts { counts: grown.collect(), ..now }
}

fn outcome(done: &[Ran], origin: Instant, counts: &SessionCounts, space: Option<u64>) -> Outcome {
    let number = |metric: String, value: f64, unit: &str, resolution: f64| Figure {
        metric,
        value: FigureValue::Number(FigureNumber { value, resolution }),
        unit: unit.to_owned(),
        printed: None,
    };
    let count = |metric: String, count: u64| number(metric, count as f64, "", 0.0);
    let elapsed: Duration = done.iter().map(|ran| ran.elapsed).sum();
    let rows: u64 = done.iter().map(|ran| ran.rows).sum();
    let mut figures = vec![
        Figure::measured(Metric::Elapsed, elapsed.as_secs_f64(), RESOLUTION),
        Figure::measured(Metric::RowsReturned, rows as f64, 0.0),
    ];
    let bytes = counts.temporary_bytes.or(space);
    let space = |bytes| Figure::measured(Metric::TemporarySpace, bytes as f64, 0.0);
    figures.extend(bytes.map(space));
    figures.extend(counts.counts.iter().map(|(name, n)| count((*name).to_owned(), *n)));
    if done.len() > 1 {
        for ran in done {
            let seconds = ran.elapsed.as_secs_f64();
            figures.push(number(format!("elapsed of {}", ran.name), seconds, "s", RESOLUTION));
            figures.push(count(format!("rows of {}", ran.name), ran.rows));
        }
    }
    let mark = |ran: &Ran| {
        let at = seconds_from(origin, ran.began);
        Mark::span(&ran.name, at, at + ran.elapsed.as_secs_f64())
    };
    Outcome { figures, marks: done.iter().map(mark).collect(), ..Outcome::default() }
}
