//! What pgbench writes with `--log`: a line for each transaction, or with `--aggregate-interval` one for
//! each interval. With several threads each writes a file of its own, which are one log put together.

use crate::figures::{Figures, problem, reckoned, trial};
use crate::{Format, Parsed, Source};
use model::{FigureNumber, Latencies, Level, Outcome, TimeSeries, TrialEnd, UnixMillis};
use std::collections::{BTreeMap, BTreeSet};

/// A log of transactions, or of intervals.
#[derive(Clone, Copy, Debug)]
pub struct PgbenchLog;

/// When what is logged can have been, in seconds since 1970: by this its lines are told from other numbers.
const EPOCH: std::ops::Range<u64> = 1_000_000_000..5_000_000_000;
const MICROS: u64 = 1_000_000;
/// Fields of a line of a transaction; those of a rate and of retries may come after them.
const OF_TRANSACTION: std::ops::RangeInclusive<usize> = 6..=8;
/// Steps of a series that are kept at most: more than a day of seconds.
const MOST_STEPS: u64 = 100_000;
/// Bytes of memory that an interval or a client takes.
const BYTES_OF_ENTRY: u64 = 128;

impl Format for PgbenchLog {
    fn name(&self) -> &'static str {
        "pgbench-log"
    }

    fn description(&self) -> &'static str {
        "what pgbench logs of transactions or intervals"
    }

    fn recognises(&self, text: &str) -> bool {
        let mut lines = text.lines().filter(|line| !line.trim().is_empty()).take(3).peekable();
        if lines.peek().is_none() {
            return false;
        }
        let lines: Vec<&str> = lines.collect();
        lines.iter().all(|line| Transaction::from_line(line).is_some())
            || lines.iter().all(|line| Interval::from_line(line).is_some())
    }

    fn parse(&self, source: Source<'_>) -> Parsed {
        let mut parsed = Parsed::default();
        let mut transactions = Transactions::default();
        let mut intervals: BTreeMap<u64, Interval> = BTreeMap::new();
        for (number, line) in source.lines() {
            let line = line.trim();
            if line.is_empty() {
                continue;
            }
            let entries = intervals.len() + transactions.clients.len() + transactions.done.len();
            if let Some(one) = Transaction::from_line(line) {
                transactions.add(&one);
            } else if let Some((start, one)) = Interval::from_line(line) {
                intervals.entry(start).or_default().add(&one);
            } else {
                parsed.problems.push(problem(&source, number, format!("not understood: «{line}»")));
            }
            let now = intervals.len() + transactions.clients.len() + transactions.done.len();
            if now > entries && source.budget.charge(BYTES_OF_ENTRY).is_err() {
                break;
            }
        }
        if !transactions.clients.is_empty() {
            if let Some(message) = transactions.missing_clients() {
                parsed.problems.push(problem(&source, 0, message));
            }
            let level = Level::clients(transactions.clients.len() as u32);
            let started = transactions.first;
            let end = TrialEnd::Completed(Box::new(transactions.outcome(&source)));
            let mut trial = trial(&source, "pgbench", level, end);
            trial.started_at = started.map(|micros| UnixMillis(micros / 1_000));
            parsed.trials.push(trial);
        }
        if let Some(first) = intervals.keys().next().copied() {
            let end = TrialEnd::Completed(Box::new(of_intervals(&source, &intervals)));
            let mut trial = trial(&source, "pgbench", Level::NONE, end);
            trial.started_at = Some(UnixMillis(first * 1_000));
            parsed.trials.push(trial);
        }
        parsed
    }
}

/// What became of a transaction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// Done, after so many microseconds.
    Done(u64),
    Skipped,
    Failed,
    Serialization,
    Deadlock,
}

/// A line of a log of transactions.
struct Transaction {
    client: u32,
    end: End,
    /// When it ended, in microseconds since 1970.
    at: u64,
    /// By how many microseconds it began late, and how often it was tried again, where both are told.
    lag_and_retries: Option<(u64, u64)>,
}

impl Transaction {
    fn from_line(line: &str) -> Option<Self> {
        let fields: Vec<&str> =
            line.split_ascii_whitespace().take(OF_TRANSACTION.end() + 1).collect();
        if !OF_TRANSACTION.contains(&fields.len()) {
            return None;
        }
        let number = |place: usize| fields.get(place)?.parse::<u64>().ok();
        number(1)?;
        number(3)?;
        let (seconds, micros) = (number(4)?, number(5)?);
        if !EPOCH.contains(&seconds) || micros >= MICROS {
            return None;
        }
        let end = match fields[2] {
            "skipped" => End::Skipped,
            "failed" => End::Failed,
            "serialization" => End::Serialization,
            "deadlock" => End::Deadlock,
            micros => End::Done(micros.parse().ok()?),
        };
        Some(Self {
            client: fields[0].parse().ok()?,
            end,
            at: seconds * MICROS + micros,
            // Of seven fields nothing says which the last one is.
            lag_and_retries: number(6).zip(number(7)),
        })
    }
}

/// All transactions of a log.
#[derive(Default)]
struct Transactions {
    clients: BTreeSet<u32>,
    latencies: Latencies,
    /// Microseconds of all of them together, and of the longest.
    total: u128,
    longest: u64,
    /// When the first one began, and the last one ended.
    first: Option<u64>,
    last: u64,
    /// How many ended in each second since 1970.
    done: BTreeMap<u64, u64>,
    ends: [u64; 4],
    /// Of those that tell both: how many, how late, how late at most, how many were tried again, how often.
    late: (u64, u128, u64, u64, u64),
}

impl Transactions {
    fn add(&mut self, one: &Transaction) {
        self.clients.insert(one.client);
        let took = match one.end {
            End::Done(micros) => {
                self.latencies.record_nanos(micros.saturating_mul(1_000));
                self.total += u128::from(micros);
                self.longest = self.longest.max(micros);
                *self.done.entry(one.at / MICROS).or_default() += 1;
                micros
            }
            End::Skipped => self.count(0),
            End::Failed => self.count(1),
            End::Serialization => self.count(2),
            End::Deadlock => self.count(3),
        };
        let began = one.at.saturating_sub(took);
        self.first = Some(self.first.map_or(began, |first| first.min(began)));
        self.last = self.last.max(one.at);
        if let Some((lag, retries)) = one.lag_and_retries {
            let (count, sum, most, retried, all) = &mut self.late;
            (*count, *sum, *most) = (*count + 1, *sum + u128::from(lag), (*most).max(lag));
            (*retried, *all) = (*retried + u64::from(retries > 0), all.saturating_add(retries));
        }
    }

    /// It took no time that is known.
    fn count(&mut self, place: usize) -> u64 {
        self.ends[place] += 1;
        0
    }

    /// Clients have the numbers from 0 on, whatever thread they are of.
    fn missing_clients(&self) -> Option<String> {
        let last = self.clients.last().copied()?;
        let missing = (u64::from(last) + 1).saturating_sub(self.clients.len() as u64);
        (missing > 0).then(|| {
            format!(
                "{missing} of the clients 0 to {last} have no transaction in it: pgbench writes a file for \
                 each of its threads, of which one log is to be made (cat pgbench_log.*)"
            )
        })
    }

    fn outcome(self, source: &Source<'_>) -> Outcome {
        let mut figures = Figures::default();
        let exact = |value: f64| FigureNumber { value, resolution: 0.0 };
        let transactions = self.latencies.count() as f64;
        figures.number("transactions", exact(transactions), "", 0);
        let micros = self.last.saturating_sub(self.first.unwrap_or(self.last));
        let seconds = micros as f64 / MICROS as f64;
        if seconds > 0.0 {
            figures.number("elapsed", reckoned(seconds, 1e-6), "s", 0);
            let rate = transactions / seconds;
            let rate = reckoned(rate, rate * 1e-6 / seconds);
            figures.number("transactions_per_s", rate, "1/s", 0);
        }
        if transactions > 0.0 {
            let mean = reckoned(self.total as f64 / transactions / 1e3, 1e-3);
            figures.number("latency_avg", mean, "ms", 0);
            let longest = self.longest as f64 / 1e3;
            figures.percentiles_up_to(&self.latencies, longest);
            figures.number("latency_max", reckoned(longest, 1e-3), "ms", 0);
        }
        let [skipped, failed, serialization, deadlock] = self.ends;
        figures.number("dropped", exact(skipped as f64), "", 0);
        let errors = failed + serialization + deadlock;
        figures.number("errors", exact(errors as f64), "", 0);
        if serialization + deadlock > 0 {
            figures.number("serialization_failures", exact(serialization as f64), "", 0);
            figures.number("deadlock_failures", exact(deadlock as f64), "", 0);
        }
        let (count, sum, most, retried, retries) = self.late;
        if count > 0 {
            let mean = reckoned(sum as f64 / count as f64 / 1e3, 1e-3);
            figures.number("schedule_lag_avg", mean, "ms", 0);
            figures.number("schedule_lag_max", reckoned(most as f64 / 1e3, 1e-3), "ms", 0);
            figures.number("retried", exact(retried as f64), "", 0);
            figures.number("retries", exact(retries as f64), "", 0);
        }
        let series = series(source, &self.done, 1);
        let printed = Outcome::printed(source.file, "pgbench", figures.0);
        Outcome { latencies: Some(self.latencies), series, ..printed }
    }
}

/// Transactions per second in each step, the last of which was not over.
fn series(source: &Source<'_>, done: &BTreeMap<u64, u64>, step: u64) -> Vec<TimeSeries> {
    let (Some((&first, _)), Some((&last, _))) = (done.first_key_value(), done.last_key_value())
    else {
        return Vec::new();
    };
    let steps = (last - first) / step;
    if steps == 0 || steps > MOST_STEPS || source.budget.charge(16 * steps).is_err() {
        return Vec::new();
    }
    let rate = |number: u64| {
        let count = done.get(&(first + number * step)).copied().unwrap_or(0);
        Some(count as f64 / step as f64)
    };
    vec![TimeSeries {
        name: "transactions".to_owned(),
        unit: "1/s".to_owned(),
        from_seconds: 0.0,
        step_seconds: step as f64,
        values: (0..steps).map(rate).collect(),
    }]
}

/// An interval, or several threads' intervals of the same time together.
#[derive(Clone, Copy, Default)]
struct Interval {
    transactions: u64,
    /// Of latencies, in microseconds: their sum, that of their squares, the least and the largest.
    sum: f64,
    squares: f64,
    least: Option<f64>,
    most: f64,
    skipped: u64,
    /// Transactions that were tried again, how often, and those that failed by serialization or deadlock.
    further: Option<[u64; 4]>,
}

impl Interval {
    /// When it began, in seconds since 1970, and what was in it.
    fn from_line(line: &str) -> Option<(u64, Self)> {
        const MOST_FIELDS: usize = 15;
        let fields = line.split_ascii_whitespace().take(MOST_FIELDS + 1);
        let fields: Option<Vec<u64>> = fields.map(|field| field.parse().ok()).collect();
        let fields = fields.filter(|fields| matches!(fields.len(), 6 | 10 | 11 | MOST_FIELDS))?;
        let [start, transactions, sum, squares, least, most] = *fields.first_chunk()?;
        if !EPOCH.contains(&start) || least > most || sum > squares {
            return None;
        }
        let further = fields.get(11..MOST_FIELDS).and_then(|last| last.try_into().ok());
        let interval = Self {
            transactions,
            sum: sum as f64,
            squares: squares as f64,
            least: (transactions > 0).then_some(least as f64),
            most: most as f64,
            skipped: fields.get(10).copied().unwrap_or(0),
            further,
        };
        Some((start, interval))
    }

    fn add(&mut self, other: &Self) {
        self.transactions = self.transactions.saturating_add(other.transactions);
        self.sum += other.sum;
        self.squares += other.squares;
        self.least = match (self.least, other.least) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (one, another) => one.or(another),
        };
        self.most = self.most.max(other.most);
        self.skipped = self.skipped.saturating_add(other.skipped);
        if let Some(further) = other.further {
            let mut all = self.further.unwrap_or_default();
            all.iter_mut().zip(further).for_each(|(sum, more)| *sum = sum.saturating_add(more));
            self.further = Some(all);
        }
    }
}

fn of_intervals(source: &Source<'_>, intervals: &BTreeMap<u64, Interval>) -> Outcome {
    let mut all = Interval::default();
    intervals.values().for_each(|one| all.add(one));
    let exact = |value: f64| FigureNumber { value, resolution: 0.0 };
    let mut figures = Figures::default();
    let count = all.transactions as f64;
    figures.number("transactions", exact(count), "", 0);
    let starts: Vec<u64> = intervals.keys().copied().collect();
    let step = starts.windows(2).map(|pair| pair[1] - pair[0]).min().unwrap_or(1);
    // Nobody knows how long the last one lasted.
    if let [first, .., last] = starts.as_slice() {
        let whole: u64 = intervals.range(..last).map(|(_, one)| one.transactions).sum();
        let seconds = (last - first) as f64;
        figures.number("elapsed", exact(seconds), "s", 0);
        let rate = reckoned(whole as f64 / seconds, 1.0 / seconds);
        figures.number("transactions_per_s", rate, "1/s", 0);
    }
    if all.transactions > 0 {
        let mean = all.sum / count;
        figures.number("latency_avg", reckoned(mean / 1e3, 1e-3), "ms", 0);
        let deviation = (all.squares / count - mean * mean).max(0.0).sqrt();
        figures.number("latency_stddev", reckoned(deviation / 1e3, 1e-3), "ms", 0);
        let least = all.least.unwrap_or_default();
        figures.number("latency_min", reckoned(least / 1e3, 1e-3), "ms", 0);
        figures.number("latency_max", reckoned(all.most / 1e3, 1e-3), "ms", 0);
    }
    figures.number("dropped", exact(all.skipped as f64), "", 0);
    if let Some([retried, retries, serialization, deadlock]) = all.further {
        for (metric, count) in [
            ("retried", retried),
            ("retries", retries),
            ("serialization_failures", serialization),
            ("deadlock_failures", deadlock),
            ("errors", serialization.saturating_add(deadlock)),
        ] {
            figures.number(metric, exact(count as f64), "", 0);
        }
    }
    let done = intervals.iter().map(|(start, one)| (*start, one.transactions)).collect();
    let series = series(source, &done, step);
    Outcome { series, ..Outcome::printed(source.file, "pgbench", figures.0) }
}
