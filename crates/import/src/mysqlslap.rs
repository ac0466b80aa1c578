//! What mysqlslap, or mariadb-slap, prints.

use crate::figures::{Figures, problem, reckoned, trial};
use crate::{Aspect, Format, Parsed, Source, printed_number};
use model::{FigureNumber, Level, Outcome, TrialEnd};

/// What mysqlslap prints, with `--csv` or without: one trial for each engine and number of clients.
#[derive(Clone, Copy, Debug)]
pub struct Mysqlslap;

/// The line that a result begins with.
const FIRST: &str = "Benchmark";
const MEAN: &str = "Average number of seconds to run all queries: ";
const CLIENTS: &str = "Number of clients running queries: ";
/// What its statements may do (`--auto-generate-sql-load-type`); `mixed` also where they are the user's.
const KINDS: [&str; 5] = ["mixed", "update", "write", "key", "read"];
const EACH: &str = "Average number of queries per client: ";

impl Format for Mysqlslap {
    fn name(&self) -> &'static str {
        "mysqlslap"
    }

    fn description(&self) -> &'static str {
        "what mysqlslap or mariadb-slap prints"
    }

    fn recognises(&self, text: &str) -> bool {
        text.lines()
            .any(|line| line.trim_start().starts_with(MEAN) || Run::of_csv(line, 1).is_some())
    }

    fn parse(&self, source: Source<'_>) -> Parsed {
        let mut parsed = Parsed::default();
        let mut run = Run::default();
        for (number, line) in source.lines() {
            if line.trim_end() == FIRST {
                finish(&source, std::mem::take(&mut run), &mut parsed);
                run.line = number;
            } else if let Some(whole) = Run::of_csv(line, number) {
                finish(&source, std::mem::replace(&mut run, whole), &mut parsed);
            } else if run.take(number, line.trim()).is_none() {
                let message = format!("not understood: «{}»", line.trim());
                parsed.problems.push(problem(&source, number, message));
            }
        }
        finish(&source, run, &mut parsed);
        parsed
    }
}

#[derive(Default)]
struct Run {
    /// The line that it begins in; 0 before the first.
    line: u32,
    engine: String,
    /// What its statements do, in its own word; empty where that is not printed.
    kind: String,
    clients: Option<u32>,
    /// Queries of each client, rounded down.
    each: Option<f64>,
    mean: Option<FigureNumber>,
    figures: Figures,
}

impl Run {
    /// `None` when a line of the result is not understood.
    fn take(&mut self, number: u32, line: &str) -> Option<()> {
        if self.line == 0 {
            return Some(());
        }
        if let Some(engine) = line.strip_prefix("Running for engine ") {
            engine.clone_into(&mut self.engine);
        } else if let Some(clients) = line.strip_prefix(CLIENTS) {
            self.clients = Some(clients.parse().ok()?);
        } else if let Some(each) = line.strip_prefix(EACH) {
            self.take_each(number, each)?;
        } else if let Some((which, seconds)) =
            line.split_once(" number of seconds to run all queries: ")
        {
            let seconds = printed_number(seconds.strip_suffix(" seconds")?)?;
            let metric = match which {
                "Average" => "elapsed",
                "Minimum" => "elapsed_min",
                "Maximum" => "elapsed_max",
                _ => return None,
            };
            self.take_seconds(number, metric, seconds);
        }
        Some(())
    }

    fn take_each(&mut self, number: u32, each: &str) -> Option<()> {
        let each = each.parse::<u64>().ok()? as f64;
        self.each = Some(each);
        let queries = FigureNumber { value: each, resolution: 1.0 };
        self.figures.number("queries_per_client", queries, "", number);
        Some(())
    }

    fn take_seconds(&mut self, number: u32, metric: &str, seconds: FigureNumber) {
        if metric == "elapsed" {
            self.mean = Some(seconds);
        }
        self.figures.number(metric, seconds, "s", number);
    }

    /// A line of `--csv`: engine, kind of statements, mean, least and longest time, clients, queries
    /// of each. It has no heading, so that only lines with all of this in its form are taken.
    fn of_csv(line: &str, number: u32) -> Option<Self> {
        let fields: Vec<&str> = line.trim_end().split(',').collect();
        let &[engine, kind, mean, least, most, clients, each] = fields.as_slice() else {
            return None;
        };
        let is_name = |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if !is_name(engine) || !KINDS.contains(&kind) {
            return None;
        }
        let clients = clients.parse().ok()?;
        let mut run = Self { line: number, clients: Some(clients), ..Self::default() };
        engine.clone_into(&mut run.engine);
        kind.clone_into(&mut run.kind);
        run.take_each(number, each)?;
        for (metric, text) in [("elapsed", mean), ("elapsed_min", least), ("elapsed_max", most)] {
            // Seconds with three digits after the point.
            let (_, millis) = text.split_once('.').filter(|(_, millis)| millis.len() == 3)?;
            millis.parse::<u16>().ok()?;
            run.take_seconds(number, metric, printed_number(text)?);
        }
        Some(run)
    }

    /// The queries of all clients, and how many of them in a second.
    fn rate(&mut self) {
        let (Some(clients), Some(each), Some(mean)) = (self.clients, self.each, self.mean) else {
            return;
        };
        let clients = f64::from(clients);
        let queries = FigureNumber { value: clients * each, resolution: clients };
        self.figures.noted("queries", queries, "", "clients × queries of each", 0);
        if mean.value > 0.0 && each > 0.0 {
            let value = queries.value / mean.value;
            let relative = queries.resolution / queries.value + mean.resolution / mean.value;
            let rate = reckoned(value, value * relative);
            self.figures.noted("queries_per_s", rate, "1/s", "queries ÷ seconds", 0);
        }
    }
}

fn finish(source: &Source<'_>, mut run: Run, parsed: &mut Parsed) {
    if run.line == 0 {
        return;
    }
    if run.mean.is_none() {
        let message = "the result that begins here breaks off";
        return parsed.problems.push(problem(source, run.line, message));
    }
    run.rate();
    let outcome = Outcome::printed(source.file, "mysqlslap", run.figures.0);
    let level = run.clients.map_or(Level::NONE, Level::clients);
    let end = TrialEnd::Completed(Box::new(outcome));
    let mut trial = trial(source, "mysqlslap", level, end);
    if !run.engine.is_empty() {
        trial.load.push((Aspect::Data, format!("engine {}", run.engine)));
    }
    if !run.kind.is_empty() {
        trial.load.push((Aspect::Statements, run.kind));
    }
    if let Some(each) = run.each {
        trial.load.push((Aspect::Size, format!("{each} queries per client")));
    }
    parsed.trials.push(trial);
}
