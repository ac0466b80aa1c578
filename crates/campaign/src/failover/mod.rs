//! The task `failover`: takes the primary away while a probe writes, and looks for every write
//! afterwards.

mod account;
mod probe;

use self::account::{Account, Compared, Gap, compare};
use self::probe::{Probe, Write, WriteEnd};
use crate::hosts::{HostObservation, Watches};
use crate::task::Done;
use crate::trial_clock::seconds_from;
use host::{CommandOrder, Host, MeasuredPhase, SamplerOptions};
use model::{
    ActResult, Failover, FailoverCause, Failure, FailureKind, Figure, FigureNumber, FigureValue,
    Mark, Metric, Outcome, Sampling, Stop, TimeSeries,
};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
use system::{ProbedServer, TargetHandle, accepting};

/// How long the probe goes on once the rate is back: a relapse would be seen.
const TAIL: Duration = Duration::from_secs(3);
/// How often it is looked whether the rate is back.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);
/// How often a wait looks whether it is to end.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// How long replicas may take to show the table of the probe.
const REPLICA_TIMEOUT: Duration = Duration::from_secs(10);
/// How long each of the first connections to the primary may take: what is measured is how soon clients
/// are served again, not how soon they are served at all.
const FIRST_LOGIN_TIMEOUT: Duration = Duration::from_secs(30);
/// How long after the moment of the cause a first write may still be waited for.
const FIRST_WRITE_TIMEOUT: Duration = Duration::from_secs(30);
/// How long the writes may take to be read back.
const READ_TIMEOUT: Duration = Duration::from_secs(30);
/// How long a member that was lost may take to answer.
const OLD_PRIMARY_TIMEOUT: Duration = Duration::from_secs(2);
/// How long commands of the user that restore a target may take.
const RESTORE_LIMIT: Duration = Duration::from_secs(600);
/// Steps of the time series.
const SERIES_STEP: Duration = Duration::from_millis(100);
/// Runs of ids of writes that are named in an outcome.
const NAMED_RUNS: usize = 20;

/// Runs a failover on a target that is ready for it, with sampling meanwhile.
///
/// # Errors
/// When the members are not what a failover needs, writes were never accepted, before or afterwards,
/// or what was to take the primary away failed; [`Failure::stopped`].
pub(crate) fn run(
    target: &mut dyn TargetHandle,
    failover: &Failover,
    sample_every: Duration,
    host: &dyn Host,
    stop: &Stop,
) -> Result<Done, Failure> {
    let members = target.probed_servers(&failover.cause, stop)?;
    let primary = make_ready(&members, stop)?;
    let open = || members[primary].connect(FIRST_LOGIN_TIMEOUT, failover.timeout, stop);
    let opened = (0..failover.connections).map(|_| open()).collect::<Result<Vec<_>, Failure>>()?;
    let mut watches = Watches::begin(host, target, false, &[])?;
    let origin = Instant::now();
    let options = SamplerOptions::of_host(sample_every, origin, vec![MeasuredPhase::WHOLE]);
    watches.sample(options, &[]);
    let probe = Probe::new(failover, &members, primary, origin, stop);
    let taken = thread::scope(|scope| {
        let mut opened = opened.into_iter();
        for member in 0..members.len() {
            for number in 0..failover.connections {
                let writer = if member == primary { opened.next() } else { None };
                let probe = &probe;
                scope.spawn(move || probe.work(member, number == 0, writer));
            }
        }
        let taken = take_away(target, failover, &probe, host, origin, stop);
        if taken.is_ok() {
            wait_until_back(
                &probe,
                failover,
                taken.as_ref().map_or(Duration::ZERO, |t| t.at),
                stop,
            );
        }
        let end = probe.now();
        probe.end();
        taken.map(|taken| (taken, end))
    });
    let seen = watches.end();
    let writes = probe.writes();
    let (taken, end) = taken?;
    if stop.is_requested() {
        return Err(Failure::stopped());
    }
    let mut marks = taken.marks;
    let result = Measured { failover, probe: &probe, writes: &writes, cause: taken.at, end };
    let (mut outcome, compared) = result.outcome(&members, &mut marks)?;
    // One that does not come back is not asked.
    let _ = target.bring_old_primary_back();
    outcome.figures.extend(diverged(&members, &probe, &compared)?);
    if let Some(taking) = probe.taking() {
        // One that stays is known as weighin's own, and is replaced the next time.
        let _ = members[taking].drop_table(READ_TIMEOUT);
    }
    marks.extend(restore(target, failover, host, origin, stop)?);
    marks.sort_by(|a, b| a.at_seconds.total_cmp(&b.at_seconds));
    outcome.marks = marks;
    let HostObservation { samples, account, disks, target_host, .. } = seen?;
    let sampling = Sampling { samples, account, volume: disks, target_host, ..Sampling::default() };
    Ok(Done { outcome, sampling, search: None })
}

/// Makes the table of the probe, waits until every member has it, and finds the one that takes
/// writes.
fn make_ready(members: &[Arc<dyn ProbedServer>], stop: &Stop) -> Result<usize, Failure> {
    let deadline = Instant::now() + REPLICA_TIMEOUT;
    let primary = accepting(members, None, stop)?;
    members[primary].make_table(stop)?;
    loop {
        match accepting(members, Some(primary), stop) {
            Ok(accepting) => return Ok(accepting),
            Err(failure) if failure.is_stop() || Instant::now() >= deadline => return Err(failure),
            Err(_) => thread::sleep(POLL_INTERVAL),
        }
    }
}

/// That the primary was taken away.
struct Taken {
    /// When that began, from the probe's origin.
    at: Duration,
    marks: Vec<Mark>,
}

/// Waits for the moment and takes the primary away.
fn take_away(
    target: &mut dyn TargetHandle,
    failover: &Failover,
    probe: &Probe<'_>,
    host: &dyn Host,
    origin: Instant,
    stop: &Stop,
) -> Result<Taken, Failure> {
    let limit = failover.duration.saturating_sub(failover.at);
    let mut command = match &failover.cause {
        FailoverCause::Command(words) => {
            let (words, variables) = (words.clone(), target.variables());
            Some(host.user_command(CommandOrder { words, variables, limit }, stop)?)
        }
        FailoverCause::Switchover
        | FailoverCause::Kill
        | FailoverCause::Hang
        | FailoverCause::Network => None,
    };
    wait_until_served(probe, failover, stop)?;
    let at = probe.now();
    let mut steps = Vec::new();
    let note = match &mut command {
        Some(command) => command.run()?,
        None => {
            let mut step = |name: &str| {
                steps.push(Mark::moment(name, seconds_from(origin, Instant::now())));
            };
            target.take_primary_away(&failover.cause, &mut step)?;
            None
        }
    };
    let (from, until) = (at.as_secs_f64(), probe.now().as_secs_f64());
    let whole = Mark {
        result: Some(ActResult::Done),
        note,
        ..Mark::span(failover.cause.name(), from, until)
    };
    Ok(Taken { at, marks: std::iter::once(whole).chain(steps).collect() })
}

/// Waits for the moment of the cause, and from then on for a first acknowledged write where there was
/// none yet: a server that has just come up on a busy machine may take longer for it, and a primary is
/// only lost to those whom it served.
fn wait_until_served(probe: &Probe<'_>, failover: &Failover, stop: &Stop) -> Result<(), Failure> {
    let latest = (failover.at + FIRST_WRITE_TIMEOUT).min(failover.duration);
    loop {
        let now = probe.now();
        if stop.is_requested() {
            return Err(Failure::stopped());
        }
        if now >= failover.at && probe.has_acknowledged() {
            return Ok(());
        }
        if now >= latest {
            return Err(never_accepted(probe));
        }
        let left = failover.at.saturating_sub(now);
        thread::sleep(if left.is_zero() { POLL_INTERVAL } else { POLL_INTERVAL.min(left) });
    }
}

fn never_accepted(probe: &Probe<'_>) -> Failure {
    let said = probe.trouble_of_first().unwrap_or_else(|| "none was answered".to_owned());
    Failure::new(
        FailureKind::Unreachable,
        format!("no write was accepted before the primary was to be taken away: {said}"),
        "check that the account may insert into a table of weighin's in this database, and raise \
         `timeout` where the server needs longer to answer",
    )
}

/// Waits until the rate has been back for a while, or the trial has taken as long as it may.
fn wait_until_back(probe: &Probe<'_>, failover: &Failover, cause: Duration, stop: &Stop) {
    let mut back = None;
    while probe.now() < failover.duration && !stop.is_requested() {
        let now = probe.now();
        if back.is_some_and(|back| now >= back + TAIL) {
            return;
        }
        let writes = probe.writes();
        let account = Account::new(probe.schedule(), &writes, cause, now);
        // A primary that is about to stop is not back yet.
        let stopped = |gap: &Gap| gap.length() > 2 * probe.schedule().step();
        let over = account.downtime().filter(stopped).and_then(|gap| account.back(gap));
        back = match (back, over) {
            (Some(back), Some(_)) => Some(back),
            (_, over) => over.map(|_| now),
        };
        thread::sleep(LOOK_INTERVAL.min(failover.duration.saturating_sub(probe.now())));
    }
}

/// Seconds without an acknowledged write that say nothing.
const SILENT: f64 = 0.05;

/// A probe that is over.
struct Measured<'a> {
    failover: &'a Failover,
    probe: &'a Probe<'a>,
    writes: &'a [Write],
    /// When the primary was taken away.
    cause: Duration,
    end: Duration,
}

impl Measured<'_> {
    /// What it says, and what became of the writes; adds its marks.
    fn outcome(
        &self,
        members: &[Arc<dyn ProbedServer>],
        marks: &mut Vec<Mark>,
    ) -> Result<(Outcome, Compared), Failure> {
        let account = Account::new(self.probe.schedule(), self.writes, self.cause, self.end);
        let gap = account.downtime().ok_or_else(|| self.not_back())?;
        let Some(accepting) = self.probe.taking() else { return Err(self.not_back()) };
        let there = members[accepting].ids(READ_TIMEOUT)?;
        let compared = compare(self.writes, &there);
        let resolution = self.probe.schedule().step().as_secs_f64();
        let since = |at: Duration| at.saturating_sub(self.cause).as_secs_f64();
        let first_error = account.first_error();
        let back = account.back(gap);
        let time = |metric, seconds| Figure::measured(metric, seconds, resolution);
        let count = |metric, n: u64| Figure::measured(metric, n as f64, 0.0);
        let (lost, unacknowledged) = (&compared.lost, &compared.unacknowledged);
        let mut figures = vec![time(Metric::Downtime, gap.length().as_secs_f64())];
        figures.extend(first_error.map(|at| time(Metric::FirstError, since(at))));
        figures.push(time(Metric::FirstAccepted, since(gap.until)));
        figures.extend(back.map(|at| time(Metric::RateBack, since(at))));
        let acknowledged = account.count(WriteEnd::Acknowledged);
        figures.extend([
            count(Metric::LostWrites, lost.len() as u64),
            count(Metric::UnacknowledgedWrites, unacknowledged.len() as u64),
            count(Metric::FailedWrites, account.due().saturating_sub(acknowledged)),
        ]);
        let (refused, unanswered) =
            (account.count(WriteEnd::Refused), account.count(WriteEnd::Unanswered));
        let sent = acknowledged + refused + unanswered;
        figures.extend([
            own("writes due", account.due() as f64, ""),
            own("acknowledged writes", acknowledged as f64, ""),
            own("refused writes", refused as f64, ""),
            own("unanswered writes", unanswered as f64, ""),
            own("writes not sent", account.due().saturating_sub(sent) as f64, ""),
        ]);
        let before = account.longest_before();
        figures.extend(before.map(|pause| own("longest pause before", pause.as_secs_f64(), "s")));
        figures.extend(ids("lost", lost));
        figures.extend(ids("unacknowledged", unacknowledged));
        let mut moment = |name: &str, at: Duration| {
            marks.push(Mark::moment(name, at.as_secs_f64()));
        };
        first_error.into_iter().for_each(|at| moment("first failed write", at));
        moment("first accepted write", gap.until);
        back.into_iter().for_each(|at| moment("back to 95 % of the rate", at));
        Ok((Outcome { series: series(&account), ..Outcome::of_figures(figures) }, compared))
    }

    /// That no member took writes at the end.
    fn not_back(&self) -> Failure {
        let last = self.writes.iter().filter(|write| write.end == WriteEnd::Acknowledged);
        let last = last.map(|write| write.ended).max().unwrap_or_default();
        let silent = self.end.saturating_sub(last).as_secs_f64();
        let said = self.probe.last_trouble().map_or(String::new(), |said| format!("; {said}"));
        let end = self.end.as_secs_f64();
        let message = if silent < SILENT {
            format!(
                "writes were accepted until the probe ended after {end:.1} s, and no server takes them now{said}"
            )
        } else {
            format!(
                "writes were not accepted again: none in the last {silent:.1} s of {end:.1} s{said}"
            )
        };
        let remedy = "see on the servers whether a new primary was promoted and is writable";
        let remedy = match self.failover.duration {
            // It took all the time that it had.
            duration if self.end >= duration => {
                format!("{remedy}, or raise `duration`, which is {} s", duration.as_secs_f64())
            }
            _ => remedy.to_owned(),
        };
        Failure::new(FailureKind::TimedOut, message, remedy)
    }
}

/// A figure of no metric.
fn own(name: &str, value: f64, unit: &str) -> Figure {
    Figure {
        metric: name.to_owned(),
        value: FigureValue::Number(FigureNumber { value, resolution: 0.0 }),
        unit: unit.to_owned(),
        printed: None,
    }
}

/// The ids of writes of which there are any, in ascending order, up to some runs of them.
fn ids(what: &str, ids: &[u64]) -> Option<Figure> {
    (!ids.is_empty()).then(|| Figure {
        metric: format!("ids of {what} writes"),
        value: FigureValue::Text(runs(ids)),
        unit: String::new(),
        printed: None,
    })
}

/// Numbers in ascending order, those that follow each other as `3–7`.
fn runs(ids: &[u64]) -> String {
    let all: Vec<&[u64]> = ids.chunk_by(|a, b| *b == a + 1).collect();
    let run = |run: &&[u64]| match run {
        [first, .., last] => format!("{first}–{last}"),
        short => short.iter().map(u64::to_string).collect(),
    };
    let named: Vec<String> = all.iter().take(NAMED_RUNS).map(run).collect();
    let rest: usize = all.iter().skip(NAMED_RUNS).map(|run| run.len()).sum();
    let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    format!("{}{rest}", named.join(", "))
}

fn series(account: &Account<'_>) -> Vec<TimeSeries> {
    let account::Series { acknowledged, failed, longest_ms } = account.series(SERIES_STEP);
    let series = |name: &str, unit: &str, values| TimeSeries {
        name: name.to_owned(),
        unit: unit.to_owned(),
        from_seconds: 0.0,
        step_seconds: SERIES_STEP.as_secs_f64(),
        values,
    };
    vec![
        series("acknowledged writes", "1/s", acknowledged),
        series("failed writes", "1/s", failed),
        series("longest write", "ms", longest_ms),
    ]
}

/// Writes that other members have and the one that takes writes now does not, as far as these can be
/// reached: after the loss of a primary its own.
fn diverged(
    members: &[Arc<dyn ProbedServer>],
    probe: &Probe<'_>,
    compared: &Compared,
) -> Result<Vec<Figure>, Failure> {
    let Some(taking) = probe.taking() else { return Ok(Vec::new()) };
    let others = members.iter().enumerate().filter(|(number, _)| *number != taking);
    let reached: Vec<Vec<u64>> =
        others.filter_map(|(_, member)| member.ids(OLD_PRIMARY_TIMEOUT).ok()).collect();
    if reached.is_empty() {
        return Ok(Vec::new());
    }
    let mut there = members[taking].ids(READ_TIMEOUT)?;
    there.sort_unstable();
    let mut only: Vec<u64> = reached.into_iter().flatten().collect();
    only.retain(|id| there.binary_search(id).is_err());
    only.sort_unstable();
    only.dedup();
    let kept = compared.lost.iter().filter(|id| only.binary_search(id).is_ok()).count();
    let mut figures = vec![own("writes on another server only", only.len() as f64, "")];
    if !compared.lost.is_empty() {
        figures.push(own("lost writes that another server has", kept as f64, ""));
    }
    Ok(figures)
}

/// Brings the target back to where it was: the user's way where there is one.
fn restore(
    target: &mut dyn TargetHandle,
    failover: &Failover,
    host: &dyn Host,
    origin: Instant,
    stop: &Stop,
) -> Result<Option<Mark>, Failure> {
    let Some(words) = &failover.restore else {
        target.end_failover();
        return Ok(None);
    };
    let (words, variables) = (words.clone(), target.variables());
    let order = CommandOrder { words, variables, limit: RESTORE_LIMIT };
    let mut command = host.user_command(order, stop)?;
    let began = Instant::now();
    let ran = command.run();
    let span = (seconds_from(origin, began), seconds_from(origin, Instant::now()));
    let (result, note) = match ran {
        Ok(note) => (ActResult::Done, note),
        Err(failure) if failure.is_stop() => return Err(failure),
        Err(failure) => (ActResult::Failed, Some(failure.message)),
    };
    Ok(Some(Mark { result: Some(result), note, ..Mark::span("restore", span.0, span.1) }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};
    use system::{NotAcknowledged, Writer};

    /// A server that refuses its first writes, as many as that.
    #[derive(Clone, Debug)]
    struct Late(Arc<AtomicU64>);

    impl Writer for Late {
        fn write(&mut self, _id: u64) -> Result<(), NotAcknowledged> {
            let left =
                self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1));
            left.map_or(Ok(()), |_| Err(NotAcknowledged::Refused("not yet".to_owned())))
        }
    }

    impl ProbedServer for Late {
        fn name(&self) -> String {
            "late".to_owned()
        }

        fn connect(&self, _: Duration, _: Duration, _: &Stop) -> Result<Box<dyn Writer>, Failure> {
            Ok(Box::new(self.clone()))
        }

        fn is_read_only(&self, _: &Stop) -> Result<bool, Failure> {
            Ok(false)
        }

        fn takes_writes(&self, _: &Stop) -> Result<bool, Failure> {
            Ok(true)
        }

        fn check_room(&self, _: &Stop) -> Result<(), Failure> {
            Ok(())
        }

        fn make_table(&self, _: &Stop) -> Result<(), Failure> {
            Ok(())
        }

        fn ids(&self, _: Duration) -> Result<Vec<u64>, Failure> {
            Ok(Vec::new())
        }

        fn drop_table(&self, _: Duration) -> Result<(), Failure> {
            Ok(())
        }
    }

    /// Waits for the moment at which a server that refuses so many writes may be taken away.
    fn waited(refused: u64, duration: Duration) -> (Result<(), Failure>, Duration, u64) {
        let failover = Failover {
            cause: FailoverCause::Kill,
            at: Duration::from_millis(10),
            duration,
            rate: 1000,
            connections: 1,
            timeout: Duration::from_secs(1),
            restore: None,
        };
        let left = Arc::new(AtomicU64::new(refused));
        let members: [Arc<dyn ProbedServer>; 1] = [Arc::new(Late(Arc::clone(&left)))];
        let stop = Stop::default();
        let probe = Probe::new(&failover, &members, 0, Instant::now(), &stop);
        thread::scope(|scope| {
            scope.spawn(|| probe.work(0, true, None));
            // Whatever a busy machine takes until the first write was tried.
            while probe.trouble_of_first().is_none() && !probe.has_acknowledged() {
                thread::sleep(Duration::from_millis(1));
            }
            let ready = wait_until_served(&probe, &failover, &stop);
            let waited = probe.now();
            probe.end();
            (ready, waited, left.load(Ordering::Relaxed))
        })
    }

    #[test]
    fn a_primary_is_taken_away_at_its_moment_or_once_it_has_served() {
        for refused in [0, 100] {
            let (ready, after, left) = waited(refused, Duration::from_secs(60));
            assert_eq!(ready.map_err(|failure| failure.message), Ok(()));
            assert!(after >= Duration::from_millis(10));
            assert_eq!(left, 0);
        }
    }

    #[test]
    fn a_primary_that_never_serves_is_not_taken_away() {
        let (ready, ..) = waited(u64::MAX, Duration::from_millis(100));
        let message = ready.unwrap_err().message;
        assert!(message.ends_with("taken away: late: not yet"), "{message}");
    }

    #[test]
    fn ids_that_follow_each_other_are_a_run() {
        assert_eq!(runs(&[3, 4, 5, 9, 11, 12]), "3–5, 9, 11–12");
        let every_other: Vec<u64> = (1..=30).map(|n| 2 * n).collect();
        assert!(runs(&every_other).ends_with("38, 40 and 10 more"), "{}", runs(&every_other));
    }
}
