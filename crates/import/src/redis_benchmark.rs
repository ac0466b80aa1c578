//! What redis-benchmark and valkey-benchmark print.

use crate::figures::{self, Figures, percentile, problem};
use crate::{Aspect, Format, ImportedTrial, Knob, Parsed, Source};
use csv::ReaderBuilder;
use model::{Level, Outcome, TrialEnd};

/// What redis-benchmark and valkey-benchmark print: with `--csv`, with `-q`, or neither. Each command
/// is a trial.
///
/// Since Redis 7.4 the CSV has no means to tell how many clients there were; nor had it before.
#[derive(Clone, Copy, Debug)]
pub struct RedisBenchmark;

const TOOL: &str = "redis-benchmark";
/// What the line of `-q` has after the rate.
const QUIET: &str = " requests per second";
const COMPLETED: &str = " requests completed in ";
const SUMMARY: &str = "throughput summary: ";

impl Format for RedisBenchmark {
    fn name(&self) -> &'static str {
        TOOL
    }

    fn description(&self) -> &'static str {
        "what redis-benchmark and valkey-benchmark print: --csv, -q or in full"
    }

    fn recognises(&self, text: &str) -> bool {
        is_csv(text)
            || text.lines().any(|line| heading(line).is_some() || quiet(line).is_some())
                && (text.contains(QUIET) || text.contains(COMPLETED))
    }

    fn parse(&self, source: Source<'_>) -> Parsed {
        let mut parsed = Parsed::default();
        if is_csv(source.text) {
            table(&source, &mut parsed);
        } else {
            text(&source, &mut parsed);
        }
        if parsed.trials.is_empty() && parsed.problems.is_empty() {
            let message = "there is no result of a command in it";
            parsed.problems.push(problem(&source, 0, message));
        }
        // What is asked of one server one after another are tests, and the only one needs no name.
        if let [only] = &mut parsed.trials[..] {
            only.load.push((Aspect::Statements, std::mem::take(&mut only.part)));
        }
        parsed
    }
}

/// The first columns since version 6.2; before it there is no heading, and each row has a command and
/// its rate in quotes.
fn is_csv(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let Some(first) = lines.next() else { return false };
    first.starts_with("\"test\",\"rps\"")
        || first.starts_with("test,rps,")
        || headless(first).is_some() && lines.all(|line| headless(line).is_some())
}

/// A row such as `"SET","108026.36"`.
fn headless(line: &str) -> Option<(&str, &str)> {
    let (name, rate) = line.trim().strip_prefix('"')?.strip_suffix('"')?.rsplit_once("\",\"")?;
    let upper = name.starts_with(|c: char| c.is_ascii_uppercase());
    (upper && rate.contains('.') && crate::printed_number(rate).is_some()).then_some((name, rate))
}

fn table(source: &Source<'_>, parsed: &mut Parsed) {
    let mut reader =
        ReaderBuilder::new().has_headers(false).flexible(true).from_reader(source.text.as_bytes());
    let mut columns = vec!["test".to_owned(), "rps".to_owned()];
    for record in reader.records() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                let line = error.position().map_or(0, csv::Position::line);
                let line = u32::try_from(line).unwrap_or(u32::MAX);
                parsed.problems.push(problem(source, line, error.to_string()));
                continue;
            }
        };
        let line = record.position().map_or(0, csv::Position::line);
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        if record.get(0) == Some("test") {
            columns = record.iter().map(str::to_owned).collect();
            let unknown = columns.iter().skip(1).filter(|column| column_metric(column).is_none());
            parsed.problems.extend(unknown.map(|column| {
                problem(source, line, format!("the column `{column}` is not known, and left out"))
            }));
            continue;
        }
        if record.len() != columns.len() {
            let message =
                format!("the row has {} fields, the heading {}", record.len(), columns.len());
            parsed.problems.push(problem(source, line, message));
            continue;
        }
        let mut figures = Figures::default();
        for (column, value) in columns.iter().zip(&record).skip(1) {
            let Some((metric, unit)) = column_metric(column) else { continue };
            // Where nothing came there is no mean.
            if !is_no_number(value) && !figures.printed(&metric, value, unit, line) {
                parsed.problems.push(problem(source, line, format!("not understood: «{value}»")));
            }
        }
        let part = record.get(0).unwrap_or_default().to_owned();
        parsed.trials.push(trial(source, part, Level::NONE, figures));
    }
}

fn is_no_number(text: &str) -> bool {
    matches!(text.trim_start_matches('-'), "nan" | "inf")
}

fn column_metric(column: &str) -> Option<(String, &'static str)> {
    let metric = match column {
        "rps" => return Some(("operations_per_s".to_owned(), "1/s")),
        "avg_latency_ms" => "latency_avg".to_owned(),
        "min_latency_ms" => "latency_min".to_owned(),
        "max_latency_ms" => "latency_max".to_owned(),
        other => percentile(other.strip_prefix('p')?.strip_suffix("_latency_ms")?.parse().ok()?),
    };
    Some((metric, "ms"))
}

/// The name in `====== SET ======`.
fn heading(line: &str) -> Option<&str> {
    let name = line.trim().strip_prefix("====== ")?.strip_suffix(" ======")?;
    (!name.is_empty()).then_some(name)
}

/// Name, rate and rest of `SET: 68965.52 requests per second, p50=0.191 msec`.
fn quiet(line: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = line.split_once(QUIET)?;
    let (name, rate) = before.rsplit_once(": ")?;
    let name = name.trim();
    (!name.is_empty() && !name.ends_with("summary") && crate::printed_number(rate).is_some())
        .then_some((name, rate, rest))
}

#[derive(Default)]
struct Run {
    name: String,
    line: u32,
    clients: Option<u32>,
    threads: Option<u64>,
    payload: Option<u64>,
    /// The names of the columns of latencies, whose values come in the next line.
    latencies: Vec<String>,
    figures: Figures,
}

fn text(source: &Source<'_>, parsed: &mut Parsed) {
    let mut run: Option<Run> = None;
    for (number, line) in source.lines() {
        if let Some(name) = heading(line) {
            finish(source, run.take(), parsed);
            run = Some(Run { name: name.to_owned(), line: number, ..Run::default() });
        } else if let Some((name, rate, rest)) = quiet(line) {
            finish(source, run.take(), parsed);
            let mut run = Run { name: name.to_owned(), line: number, ..Run::default() };
            run.figures.printed("operations_per_s", rate, "1/s", number);
            let median = rest.split_once("p50=").and_then(|(_, rest)| rest.split_once(" msec"));
            if let Some((median, _)) = median {
                run.figures.printed(&percentile(50.0), median, "ms", number);
            }
            finish(source, Some(run), parsed);
        } else if let Some(run) = &mut run
            && run.take(number, line).is_none()
        {
            parsed.problems.push(problem(
                source,
                number,
                format!("not understood: «{}»", line.trim()),
            ));
        }
    }
    finish(source, run, parsed);
}

impl Run {
    /// `None` when a line of the report is not understood; other lines are passed over.
    fn take(&mut self, number: u32, line: &str) -> Option<()> {
        let line = line.trim();
        if let Some(count) = line.strip_suffix(" parallel clients") {
            self.clients = Some(count.parse().ok()?);
        } else if let Some(count) = line.strip_prefix("threads: ") {
            self.threads = Some(count.parse().ok()?);
        } else if let Some(bytes) = line.strip_suffix(" bytes payload") {
            self.payload = bytes.parse().ok();
        } else if let Some((count, seconds)) = line.split_once(COMPLETED) {
            let seconds = seconds.strip_suffix(" seconds")?;
            let both = self.figures.counted("operations", count, number)
                && self.figures.printed("elapsed", seconds, "s", number);
            return both.then_some(());
        } else if let Some(rate) = line.strip_prefix(SUMMARY).or(Some(line))
            && let Some(rate) = rate.strip_suffix(QUIET)
        {
            return self.figures.printed("operations_per_s", rate, "1/s", number).then_some(());
        } else if line.starts_with("avg ") && line.ends_with(" max") {
            self.latencies = line.split_whitespace().map(str::to_owned).collect();
        } else if !self.latencies.is_empty() {
            let columns = std::mem::take(&mut self.latencies);
            let values: Vec<&str> = line.split_whitespace().collect();
            if values.len() != columns.len() {
                return None;
            }
            for (column, value) in columns.iter().zip(values).filter(|(_, v)| !is_no_number(v)) {
                let (metric, unit) = column_metric(&format!("{column}_latency_ms"))?;
                self.figures.printed(&metric, value, unit, number).then_some(())?;
            }
        }
        Some(())
    }
}

fn finish(source: &Source<'_>, run: Option<Run>, parsed: &mut Parsed) {
    let Some(run) = run else { return };
    if !run.figures.0.iter().any(|figure| figure.metric == "operations_per_s") {
        let message = "the run that begins here has no report at its end";
        return parsed.problems.push(problem(source, run.line, message));
    }
    let level = run.clients.map_or(Level::NONE, Level::clients);
    let mut trial = trial(source, run.name, level, run.figures);
    trial.said.extend(run.threads.map(|threads| (Knob::Threads, threads)));
    trial.load.extend(run.payload.map(|bytes| (Aspect::Size, format!("{bytes} bytes"))));
    parsed.trials.push(trial);
}

fn trial(source: &Source<'_>, part: String, level: Level, figures: Figures) -> ImportedTrial {
    let outcome = Outcome::printed(source.file, TOOL, figures.0);
    let mut trial = figures::trial(source, TOOL, level, TrialEnd::Completed(Box::new(outcome)));
    trial.part = part;
    trial
}
