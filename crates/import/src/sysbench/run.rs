//! Runs, of which a file may hold several one after the other.

use super::checkpoints;
use super::interval::is_interval;
use super::line::{Entry, Key, entry};
use super::load::{CommandLine, Described, OPTIONS, banner, command};
use crate::figures::{Figures, percentile, problem};
use crate::{Aspect, Problem};
use crate::{Source, printed_number};
use model::{FigureValue, Latencies};

/// What a run printed.
#[derive(Debug, Default)]
pub(super) struct Run {
    /// The line that it begins with.
    pub(super) line: u32,
    /// Such as `1.0.20`; empty where it is not said.
    pub(super) version: String,
    pub(super) threads: u32,
    /// Events offered per second, in an open loop.
    pub(super) rate: Option<u32>,
    pub(super) figures: Figures,
    /// The figures of the reports before the last one.
    checkpoints: Vec<Figures>,
    pub(super) latencies: Option<Latencies>,
    /// What it says of its load.
    pub(super) described: Described,
    /// What it complained of before it gave up.
    pub(super) fatal: Option<String>,
    /// Seconds that its command line gave it, where that stands before it.
    pub(super) asked: Option<f64>,
    /// Whether its threads began to work.
    pub(super) started: bool,
    /// Whether it has the report that every run ends with.
    pub(super) ended: bool,
}

/// What a report begins with.
const STATISTICS: [&str; 5] = [
    "Latency histogram",
    "SQL statistics:",
    "OLTP test statistics:",
    "CPU speed:",
    "File operations:",
];

/// Finds the runs of a file.
pub(super) fn runs(source: &Source<'_>, problems: &mut Vec<Problem>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut named = CommandLine::default();
    for (number, line) in source.lines() {
        named = command(line).unwrap_or(named);
        let version = banner(line);
        let begun = runs.last().is_some_and(Run::has_begun);
        if version.is_some() || runs.is_empty() || (line.starts_with(OPTIONS) && begun) {
            let version = version.unwrap_or_default().to_owned();
            let (described, asked) = (Described::from_command(named.test), named.seconds);
            runs.push(Run { line: number, version, described, asked, ..Run::default() });
        }
        if let Some(run) = runs.last_mut()
            && let Err(message) = run.take(number, line)
        {
            problems.push(problem(source, number, message));
        }
    }
    runs.retain(Run::has_begun);
    for run in &mut runs {
        run.put_together();
    }
    runs
}

impl Run {
    fn has_begun(&self) -> bool {
        self.threads > 0 || self.fatal.is_some() || !self.figures.0.is_empty()
    }

    /// Makes the figures of the whole run from those of its reports.
    fn put_together(&mut self) {
        if !self.checkpoints.is_empty() {
            // A run that ends at a checkpoint may have no more to say of the time after it.
            self.checkpoints.push(std::mem::take(&mut self.figures));
            self.figures = checkpoints::together(&self.checkpoints);
        }
    }

    fn take(&mut self, number: u32, line: &str) -> Result<(), String> {
        let not_understood = || format!("not understood: «{}»", line.trim());
        // What a run prints as it goes says nothing that its report does not sum up; and its
        // labels could be taken for those of the report.
        if is_interval(line) {
            return Ok(());
        }
        if STATISTICS.iter().any(|first| line.trim_start().starts_with(first)) && self.ended {
            // At each checkpoint it prints a report and counts anew.
            self.checkpoints.push(std::mem::take(&mut self.figures));
            self.ended = false;
            return Ok(());
        }
        if let Some(message) = line.trim_start().strip_prefix("FATAL: ") {
            self.complain(message.trim());
        } else if let Some(threads) = line.strip_prefix("Number of threads:") {
            self.threads = threads.trim().parse().map_err(|_| not_understood())?;
        } else if let Some(rate) = line.strip_prefix("Target transaction rate:") {
            let rate = rate.trim().trim_end_matches("/sec");
            self.rate = Some(rate.parse().map_err(|_| not_understood())?);
        } else if let Some((ms, count)) = bucket(line) {
            let latencies = self.latencies.get_or_insert_with(Latencies::new);
            latencies.record_many((ms * 1e6) as u64, count);
        } else if let Some(entry) = entry(line) {
            self.figure(number, &entry).ok_or_else(not_understood)?;
        } else if !self.ended {
            self.started |= line.trim_end() == "Threads started!";
            self.described.take(line);
        }
        Ok(())
    }

    /// Keeps what it complains of, of which many threads may say the same.
    fn complain(&mut self, message: &str) {
        const LONGEST: usize = 400;
        let said = self.fatal.get_or_insert_default();
        if said.len() < LONGEST && !said.contains(message) {
            let sign = if said.is_empty() { "" } else { "; " };
            said.push_str(sign);
            said.push_str(message);
        }
    }

    /// `None` when the line is not understood.
    fn figure(&mut self, line: u32, entry: &Entry<'_>) -> Option<()> {
        let metric = match entry.key {
            Key::Read => "reads",
            Key::Write => "writes",
            Key::Other => "other_statements",
            Key::Total | Key::Queries => "queries",
            Key::Transactions => "transactions",
            Key::Errors => "errors",
            Key::Reconnects => "reconnects",
            Key::Events => "events",
            Key::Elapsed => "elapsed",
            Key::Min => "latency_min",
            Key::Mean => "latency_avg",
            Key::Max => "latency_max",
            Key::Sum => "latency_sum",
            Key::Percentile(_) => "",
            // A database's events are its transactions, of which it prints the rate as well.
            Key::EventsPerSecond if self.has("transactions_per_s") => "events_per_s",
            Key::EventsPerSecond => "operations_per_s",
            Key::ReadsPerSecond => "reads_per_s",
            Key::WritesPerSecond => "writes_per_s",
            Key::FsyncsPerSecond => "fsyncs_per_s",
            Key::ReadMebibytes => "read_bandwidth",
            Key::WrittenMebibytes => "write_bandwidth",
        };
        self.ended |= matches!(entry.key, Key::Elapsed);
        let figures = &mut self.figures;
        match entry.key {
            Key::Percentile(rank) => {
                let (number, unit) = entry.time()?;
                figures.number(&percentile(f64::from(rank)), number, unit, line);
            }
            Key::Elapsed | Key::Min | Key::Mean | Key::Max | Key::Sum => {
                let (number, unit) = entry.time()?;
                figures.number(metric, number, unit, line);
            }
            Key::ReadMebibytes | Key::WrittenMebibytes => {
                figures.printed(metric, entry.count(), "MiB/s", line).then_some(())?;
            }
            Key::EventsPerSecond
            | Key::ReadsPerSecond
            | Key::WritesPerSecond
            | Key::FsyncsPerSecond => {
                figures.printed(metric, entry.count(), "1/s", line).then_some(())?;
            }
            // Printed twice, the second time with its rate.
            Key::Queries if figures.0.iter().any(|figure| figure.metric == metric) => {}
            _ => figures.counted(metric, entry.count(), line).then_some(())?,
        }
        if let (Key::Transactions | Key::Queries | Key::Errors | Key::Reconnects, Some(rate)) =
            (entry.key, entry.rate())
        {
            let rate = printed_number(rate)?;
            figures.number(&format!("{metric}_per_s"), rate, "1/s", line);
        }
        Some(())
    }

    fn has(&self, metric: &str) -> bool {
        self.figures.0.iter().any(|figure| figure.metric == metric)
    }

    pub(super) fn count(&self, metric: &str) -> Option<f64> {
        let figure = self.figures.0.iter().find(|figure| figure.metric == metric)?;
        match &figure.value {
            FigureValue::Number(number) => Some(number.value),
            FigureValue::Text(_) => None,
        }
    }
}

/// A line of the histogram (`--histogram`): a value in milliseconds and how often it came. Its
/// steps are of up to 2 %.
fn bucket(line: &str) -> Option<(f64, u64)> {
    let (value, rest) = line.split_once('|')?;
    let ms = printed_number(value)?.value;
    let count = rest.trim_start_matches('*').trim().parse().ok()?;
    (ms >= 0.0).then_some((ms, count))
}

impl Run {
    /// All that is known of its load.
    pub(super) fn load(&self) -> Vec<(Aspect, String)> {
        let Described { command, doing, data, size } = &self.described;
        let work = match (command.as_str(), doing.as_str()) {
            (command, "") => command.to_owned(),
            ("", doing) => doing.to_owned(),
            (command, doing) => format!("{command}, {doing}"),
        };
        // The name of the test says more.
        let statements = self.statements().filter(|_| command.is_empty()).unwrap_or_default();
        let said = [
            (Aspect::Work, work),
            (Aspect::Statements, statements.to_owned()),
            (Aspect::Data, data.clone()),
            (Aspect::Size, size.clone()),
        ];
        said.into_iter().filter(|(_, said)| !said.is_empty()).collect()
    }

    /// Which statements its transactions have, as far as is sure whatever part of them failed.
    fn statements(&self) -> Option<&'static str> {
        let count = |metric: &str| self.count(metric).unwrap_or(0.0);
        let begun = count("transactions") + count("errors");
        if count("transactions") <= 0.0 {
            return None;
        }
        let of = |metric: &str| {
            let each = count(metric) / begun;
            if each <= 0.0 { 0 } else { 1 + u32::from(each > 1.5) }
        };
        Some(match (of("reads"), of("writes")) {
            (0, 0) => return None,
            (1, 0) => "one read",
            (_, 0) => "reads",
            (0, 1) => "one write",
            (0, _) => "writes",
            _ => "reads and writes",
        })
    }
}
