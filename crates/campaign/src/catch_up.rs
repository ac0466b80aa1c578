//! The task `catch_up`: stops the appliers of a group's replicas, has a backlog written on the primary,
//! starts the appliers, and takes the time until the replicas have applied it.

use crate::Measurement;
use crate::hosts::{HostObservation, Watches};
use crate::measure::reading;
use crate::task::{Context, Done};
use crate::trial_clock::seconds_from;
use engine::{Limit, Schedule, run};
use host::{MeasuredPhase, SamplerOptions};
use model::{
    Backlog, CatchUp, Failure, FailureKind, Figure, Load, Mark, Metric, Outcome, Sample, Sampling,
    Stop,
};
use std::time::{Duration, Instant};
use system::group::{Distance, Group, Position};
use system::{LoadRequest, TargetHandle};

/// Longest time between two samples: the curve of lag is made of them.
const MAX_SAMPLE_EVERY: Duration = Duration::from_millis(250);
/// How long one wait for a replica lasts, between two looks at whether it still gets on.
const WAIT: Duration = Duration::from_millis(500);
/// Transactions by which the size of one becomes known, where a backlog is of so many bytes.
const FIRST_TRANSACTIONS: u64 = 200;
/// The clock of figures is read to so many seconds.
const CLOCK_RESOLUTION: f64 = 1e-6;

/// What was written, and when.
struct Written {
    began: Instant,
    ended: Instant,
    /// Where the primary was before.
    from: Position,
    /// Where it is since.
    to: Position,
    /// Transactions that the load was told succeeded.
    acknowledged: u64,
    log_bytes: Option<u64>,
}

/// Runs a trial on a group that is ready for it, whose replicas are in step.
///
/// # Errors
/// `Replication` when a replica does not apply, or its data differ from those of the primary in the
/// end; `TimedOut` when the backlog is not written or not applied in time; what a load fails with;
/// [`Failure::stopped`]. Appliers are started again, as far as the replicas can be reached.
pub(crate) fn run_trial(
    target: &mut dyn TargetHandle,
    task: &CatchUp,
    seed: u64,
    context: &Context<'_>,
) -> Result<Done, Failure> {
    let mut group = target.group(context.stop)?;
    let done = Attempt { target, task, seed, context }.run(&mut group);
    if done.is_err() {
        // A replica that is not weighin's must not stay as it is, whatever happened. The stop, if it
        // was that, must not end these waits.
        if let Ok(mut group) = target.group(&Stop::default()) {
            for replica in &mut group.replicas {
                let _ = replica.start_applier();
            }
        }
    }
    done
}

struct Attempt<'a, 'c> {
    target: &'a mut dyn TargetHandle,
    task: &'a CatchUp,
    seed: u64,
    context: &'a Context<'c>,
}

impl Attempt<'_, '_> {
    fn run(&mut self, group: &mut Group) -> Result<Done, Failure> {
        let Context { study, host, .. } = *self.context;
        let counters = self.target.counter_reader()?;
        let mut watches = Watches::begin(host, self.target, false, &[])?;
        let before = self.target.counters();
        let origin = Instant::now();
        let every = study.sample_every.min(MAX_SAMPLE_EVERY);
        let options = |counters| SamplerOptions {
            counters,
            ..SamplerOptions::of_host(every, origin, vec![MeasuredPhase::WHOLE])
        };
        watches.sample(options(counters), &[]);
        let mut timed = || {
            group.replicas.iter_mut().try_for_each(|replica| replica.stop_applier())?;
            let written = self.write(group)?;
            let mut applying = Watches::begin(host, self.target, false, &[])?;
            let started = Instant::now();
            applying.sample(options(None), &[]);
            group.replicas.iter_mut().try_for_each(|replica| replica.start_applier())?;
            let caught_up = self.wait(group, &written.to, started)?;
            let HostObservation { samples, target_host, .. } = applying.end()?;
            let samples = target_host.map_or(samples, |own| own.samples);
            Ok((written, started, caught_up, samples))
        };
        let timed: Result<_, Failure> = timed();
        let after = (Instant::now(), self.target.counters());
        let seen = watches.end();
        let (written, started, caught_up, applying) = timed?;
        let HostObservation { samples, account, disks, target_host, .. } = seen?;
        self.compare(group)?;

        let sampling = Sampling {
            samples,
            before: reading(origin, origin, before),
            after: reading(origin, after.0, after.1),
            account,
            volume: disks,
            target_host,
            ..Sampling::default()
        };
        let at = |moment| seconds_from(origin, moment);
        let moment =
            |name, moment| Mark { until_seconds: None, ..Mark::span(name, at(moment), 0.0) };
        let outcome = Outcome {
            figures: figures(group, &written, caught_up - started, &applying)?,
            marks: vec![
                Mark::span("backlog written", at(written.began), at(written.ended)),
                moment("applier started", started),
                moment("caught up", caught_up),
            ],
            ..Outcome::default()
        };
        Ok(Done { outcome, sampling, search: None })
    }

    /// Has the backlog written.
    fn write(&mut self, group: &mut Group) -> Result<Written, Failure> {
        let from = group.primary.written()?;
        let log_before = group.primary.log_bytes();
        let began = Instant::now();
        let grown = |group: &mut Group| {
            group.primary.log_bytes().zip(log_before).and_then(|(now, then)| now.checked_sub(then))
        };
        let acknowledged = match self.task.backlog {
            Backlog::Transactions(count) => self.load(Some(count), self.task.timeout, 0)?,
            Backlog::Time(length) => self.load(None, length, 0)?,
            Backlog::Bytes(wanted) => {
                let (mut done, mut next, mut turn) = (0, FIRST_TRANSACTIONS, 0);
                loop {
                    done += self.load(Some(next), self.task.timeout, turn)?;
                    let bytes = grown(group).ok_or_else(no_log_sizes)?;
                    if bytes >= wanted {
                        break done;
                    }
                    if began.elapsed() > self.task.timeout {
                        return Err(self.not_written(done));
                    }
                    let each = (bytes / done.max(1)).max(1);
                    (next, turn) = (((wanted - bytes) / each).max(1), turn + 1);
                }
            }
        };
        let ended = Instant::now();
        let to = group.primary.written()?;
        let log_bytes = grown(group);
        Ok(Written { began, ended, from, to, acknowledged, log_bytes })
    }

    /// Runs a load of so many transactions, or of that time; how many succeeded. Every `turn` has
    /// random streams of its own.
    fn load(
        &mut self,
        transactions: Option<u64>,
        length: Duration,
        turn: u64,
    ) -> Result<u64, Failure> {
        let Context { host, stop, .. } = *self.context;
        let CatchUp { workload, level, .. } = self.task;
        let load = Load::new(workload.clone(), vec![*level], Duration::ZERO, length);
        let limit = match transactions {
            Some(_) => Limit::LastReply { duration: Some(length), events: transactions },
            None => Limit::Window(length),
        };
        let seed = self.seed.wrapping_add(turn);
        let schedule = Schedule { warmup: Duration::ZERO, limit, turns: None };
        let request =
            LoadRequest { schedule, ..Measurement::for_load(&load, *level, seed, host).load };
        let prepared = self.target.load(&request)?;
        let result = run(prepared.runner(), stop, &mut |_| {});
        let load = result.map_err(|error| prepared.failure(&error))?;
        if transactions.is_some_and(|wanted| load.ended() < wanted) {
            return Err(self.not_written(load.ended()));
        }
        Ok(load.measure.transactions)
    }

    fn not_written(&self, transactions: u64) -> Failure {
        let limit = self.task.timeout.as_secs_f64();
        Failure::new(
            FailureKind::TimedOut,
            format!(
                "within {limit} s no more than {transactions} transactions of the backlog were written"
            ),
            "raise `timeout` in the test, use more `clients`, or write a smaller backlog",
        )
    }

    /// Waits until every replica has applied everything up to there; when the last one had.
    fn wait(
        &self,
        group: &mut Group,
        goal: &Position,
        started: Instant,
    ) -> Result<Instant, Failure> {
        let Group { primary, replicas } = group;
        for replica in replicas {
            while !replica.member.wait_for(goal, WAIT)? {
                if self.context.stop.is_requested() {
                    return Err(Failure::stopped());
                }
                replica.check()?;
                if started.elapsed() > self.task.timeout {
                    let left = primary.distance(&replica.member.applied()?, goal);
                    let left = left
                        .map_or(String::new(), |left| format!(": {left} of the backlog were left"));
                    let limit = self.task.timeout.as_secs_f64();
                    return Err(Failure::new(
                        FailureKind::TimedOut,
                        format!("{} did not catch up within {limit} s{left}", replica.name),
                        "raise `timeout` in the test, write a smaller backlog, or let the replica \
                         apply in parallel",
                    ));
                }
            }
        }
        Ok(Instant::now())
    }

    /// Whether the replicas hold what their primary does.
    fn compare(&self, group: &mut Group) -> Result<(), Failure> {
        let expected = group.primary.contents(&self.task.workload)?;
        for replica in &mut group.replicas {
            let found = replica.member.contents(&self.task.workload)?;
            if found != expected {
                let (rows, name) = (found.rows, &replica.name);
                let what = match found.rows == expected.rows {
                    true => format!("{rows} rows, with other contents"),
                    false => format!("{rows} rows in place of {}", expected.rows),
                };
                return Err(Failure::new(
                    FailureKind::Replication,
                    format!("the data of {name} differ from those of its primary: {what}"),
                    "find out who writes to the replica; binlog_format = \"ROW\" replicates what \
                     statements do differently on each server",
                ));
            }
        }
        Ok(())
    }
}

fn no_log_sizes() -> Failure {
    Failure::new(
        FailureKind::NotPermitted,
        "the primary does not tell how large its binary logs are",
        "set backlog_transactions or backlog_time in place of backlog_bytes",
    )
}

fn figures(
    group: &mut Group,
    written: &Written,
    took: Duration,
    applying: &[Sample],
) -> Result<Vec<Figure>, Failure> {
    let Written { began, ended, from, to, acknowledged, log_bytes } = written;
    let mut resolution = CLOCK_RESOLUTION;
    for replica in &mut group.replicas {
        resolution = resolution.max(replica.member.wait_resolution(to)?);
    }
    let (writing, took) = ((*ended - *began).as_secs_f64(), took.as_secs_f64());
    let counted = group.primary.distance(from, to).and_then(Distance::transactions);
    let transactions = counted.unwrap_or(*acknowledged) as f64;
    // Of a quotient: the relative error is that of the divisor.
    let per_second = |metric, value: f64| {
        Figure::measured(metric, value / took, value / took * (resolution / took))
    };
    let mut figures = vec![
        Figure::measured(Metric::CatchUpTime, took, resolution),
        per_second(Metric::LagApplied, writing),
        per_second(Metric::ApplyRate, transactions),
        Figure::measured(Metric::BacklogTransactions, transactions, 0.0),
        Figure::measured(Metric::BacklogTime, writing, CLOCK_RESOLUTION),
    ];
    let bytes = |bytes: &u64| Figure::measured(Metric::BacklogSize, *bytes as f64, 0.0);
    figures.extend(log_bytes.iter().map(bytes));
    figures.extend(replica_cpu(applying));
    Ok(figures)
}

/// What the processes of the replicas used; `None` where they are elsewhere.
fn replica_cpu(samples: &[Sample]) -> Option<Figure> {
    let (mut used, mut seconds) = (0.0, 0.0);
    for sample in samples {
        let length = sample.length.as_secs_f64();
        used += sample.replicas?.cpus * length;
        seconds += length;
    }
    // The kernel counts in ticks of 10 ms.
    let percent = |used: f64| 100.0 * used / seconds;
    (seconds > 0.0).then(|| Figure::measured(Metric::ReplicaCpu, percent(used), percent(0.01)))
}
