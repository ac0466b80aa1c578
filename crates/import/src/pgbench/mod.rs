//! What PostgreSQL's pgbench prints.

mod localised;
mod log;

pub use log::PgbenchLog;

use crate::figures::{Figures, failure_kind, is_cut_short, problem, trial, with_unit};
use crate::{Aspect, Format, Knob, Parsed, Source};
use model::{Failure, FigureNumber, FigureValue, Level, Outcome, TrialEnd};

/// What pgbench prints to its standard output, with the progress that it prints to the other or
/// without; a file may hold several runs.
#[derive(Clone, Copy, Debug)]
pub struct Pgbench;

/// The line that every report begins with.
const FIRST: &str = "transaction type: ";
/// What it prints after the report when clients gave up.
const ABORTED: &str = "Run was aborted; the above results are incomplete";
/// What lines of a report begin with, of which each stands there once and before the rate: after a rate
/// they begin another report, whose first lines a script has left out.
const ONCE: [&str; 10] = [
    "scaling factor: ",
    "partition method: ",
    "partitions: ",
    "query mode: ",
    "number of clients: ",
    "number of threads: ",
    "number of transactions per client: ",
    "duration: ",
    "number of transactions actually processed: ",
    "latency average",
];

impl Format for Pgbench {
    fn name(&self) -> &'static str {
        "pgbench"
    }

    fn description(&self) -> &'static str {
        "what pgbench prints, of one or more runs"
    }

    fn recognises(&self, text: &str) -> bool {
        text.lines().any(|line| line.starts_with(FIRST) || line.starts_with("pgbench ("))
            || localised::recognises(text)
    }

    fn parse(&self, source: Source<'_>) -> Parsed {
        let mut parsed = Parsed::default();
        let mut run = Run::default();
        let text = localised::in_english(source.text);
        for (number, line) in (Source { text: &text, ..source }).lines() {
            let begins = line.starts_with("pgbench (") || line.starts_with(FIRST);
            if begins && run.begun {
                finish(&source, std::mem::take(&mut run), &mut parsed);
            } else if run.begins_again(line) {
                if source.budget.charge(run.bytes_of_texts()).is_err() {
                    break;
                }
                let next = run.next(number);
                finish(&source, std::mem::replace(&mut run, next), &mut parsed);
            }
            if let Err(message) = run.take(number, line) {
                parsed.problems.push(problem(&source, number, message));
            }
        }
        finish(&source, run, &mut parsed);
        parsed
    }
}

#[derive(Default)]
struct Run {
    /// Whether its report has begun.
    begun: bool,
    line: u32,
    version: String,
    clients: u32,
    /// Threads and scale.
    said: Vec<(Knob, u64)>,
    /// What it says of its scripts, and how it sends their statements.
    load: Vec<(Aspect, String)>,
    /// Which of several scripts the figures are of; 0 where they are of all.
    script: u32,
    figures: Figures,
    /// Transactions that all clients were given together.
    asked: Option<u64>,
    fatal: Option<String>,
    /// Whether clients gave up, and its report is of the others.
    aborted: bool,
}

/// Of several lines that say the same thing the last holds, as a run takes over what one before it said.
fn set<K: PartialEq, V>(entries: &mut Vec<(K, V)>, key: K, value: V) {
    match entries.iter_mut().find(|(known, _)| *known == key) {
        Some((_, known)) => *known = value,
        None => entries.push((key, value)),
    }
}

impl Run {
    /// Whether a line is of another report of the same load.
    fn begins_again(&self, line: &str) -> bool {
        let again = || ONCE.iter().any(|first| line.starts_with(first));
        self.begun && self.value("transactions_per_s").is_some() && again()
    }

    /// A further run of the same load, of which only the end is printed.
    fn next(&self, line: u32) -> Self {
        Self {
            begun: true,
            line,
            version: self.version.clone(),
            clients: self.clients,
            said: self.said.clone(),
            load: self.load.clone(),
            ..Self::default()
        }
    }

    /// What of its texts a further run takes over.
    fn bytes_of_texts(&self) -> u64 {
        let load: usize = self.load.iter().map(|(_, text)| text.len()).sum();
        (load + self.version.len()) as u64
    }

    fn value(&self, metric: &str) -> Option<f64> {
        let figure = self.figures.0.iter().find(|figure| figure.metric == metric)?;
        match &figure.value {
            FigureValue::Number(number) => Some(number.value),
            FigureValue::Text(_) => None,
        }
    }

    /// Why its report is not of the whole run that was asked for.
    fn cut_short(&self) -> Option<String> {
        let done = self.value("transactions")?;
        let others = ["errors", "dropped"].iter().filter_map(|metric| self.value(metric));
        let known = done + others.sum::<f64>();
        if let Some(asked) = self.asked.filter(|asked| known < *asked as f64) {
            return Some(format!("{known} of {asked} transactions were done"));
        }
        // The time that was asked for begins with connecting, which later versions leave out of their rate.
        let with_connecting = self.value("transactions_per_s_with_connecting");
        let connecting = match with_connecting {
            Some(_) => 0.0,
            None => self.value("connecting").unwrap_or_default() / 1e3,
        };
        let rate = with_connecting.or_else(|| self.value("transactions_per_s"));
        let rate = rate.filter(|rate| *rate > 0.0)?;
        let (ran, asked) = (done / rate + connecting, self.value("duration")?);
        is_cut_short(ran, asked).then(|| format!("it ran {ran:.1} s of {asked} s"))
    }

    fn take(&mut self, number: u32, line: &str) -> Result<(), String> {
        let line = line.trim_end();
        let not_understood = || format!("not understood: «{line}»");
        if let Some(rest) = line.strip_prefix("pgbench (") {
            self.version = rest.split([' ', ')']).next().unwrap_or_default().to_owned();
            self.line = number;
            return Ok(());
        }
        if let Some(script) = line.strip_prefix(FIRST) {
            self.begun = true;
            self.line = number;
            set(&mut self.load, Aspect::Work, script.to_owned());
            return Ok(());
        }
        if let Some(reason) =
            line.strip_prefix("pgbench: error: ").or_else(|| line.strip_prefix("pgbench: fatal: "))
        {
            self.fatal.get_or_insert_with(|| reason.to_owned());
            self.line = self.line.max(1);
            self.aborted |= line.contains(ABORTED) || gives_up(reason);
            return Ok(());
        }
        // Before version 13 without a beginning.
        if line.starts_with(ABORTED) || gives_up(line) {
            if gives_up(line) {
                self.fatal.get_or_insert_with(|| line.to_owned());
            }
            self.aborted = true;
            return Ok(());
        }
        if !self.begun {
            return Ok(());
        }
        if let Some((script, _)) =
            line.strip_prefix("SQL script ").and_then(|rest| rest.split_once(": "))
        {
            self.script = script.parse().map_err(|_| not_understood())?;
            return Ok(());
        }
        let known = match (line.strip_prefix(" - "), self.script) {
            (Some(line), 1..) => self.of_script(number, line),
            (Some(_), 0) => Some(()),
            (None, _) => self.figure(number, line),
        };
        known.ok_or_else(not_understood)
    }

    /// `None` when a line of the report is not understood; lines of no figure are passed over.
    fn figure(&mut self, number: u32, line: &str) -> Option<()> {
        let figures = &mut self.figures;
        if let Some(tps) = line.strip_prefix("tps = ") {
            let (tps, which) = tps.split_once(' ')?;
            // Before version 14 it prints both, and this one first. With -C it prints one alone, which
            // includes reconnecting because that is what was asked for.
            let metric = if which.contains("including connections") {
                "transactions_per_s_with_connecting"
            } else {
                "transactions_per_s"
            };
            return figures.printed(metric, tps, "1/s", number).then_some(());
        }
        // Before version 10 times stand after a colon.
        let time = line.split_once(" = ").or_else(|| line.split_once(": "));
        if let Some((name, value)) = time
            && let Some(metric) = time_of(name)
        {
            return self.time(number, metric, value);
        }
        if let Some(lag) = line.strip_prefix("rate limit schedule lag: avg ") {
            let (mean, rest) = lag.split_once(" (max ")?;
            let (max, _) = rest.split_once(')')?;
            let both = figures.printed("schedule_lag_avg", mean, "ms", number)
                && figures.printed("schedule_lag_max", max, "ms", number);
            return both.then_some(());
        }
        let Some((name, value)) = line.split_once(": ") else { return Some(()) };
        let first = value.split([' ', '/']).next()?;
        match name {
            "number of clients" => self.clients = first.parse().ok()?,
            "number of threads" => {
                set(&mut self.said, Knob::Threads, first.parse().ok()?);
                set(&mut self.load, Aspect::Clients, format!("{first} threads"));
            }
            "scaling factor" => {
                set(&mut self.said, Knob::Scale, first.parse().ok()?);
                set(&mut self.load, Aspect::Data, format!("scale {first}"));
            }
            "query mode" => set(&mut self.load, Aspect::Statements, first.to_owned()),
            "duration" => figures.printed("duration", first, "s", number).then_some(())?,
            "number of transactions actually processed" => {
                self.asked = value.split_once('/').and_then(|(_, asked)| asked.trim().parse().ok());
                self.count(number, name, first)?;
            }
            _ => self.count(number, name, first)?,
        }
        Some(())
    }

    /// What is told of one of several scripts.
    fn of_script(&mut self, number: u32, line: &str) -> Option<()> {
        if let Some((name, value)) = line.split_once(" = ")
            && let Some(metric) = time_of(name)
        {
            return self.time(number, metric, value);
        }
        if let Some((count, rest)) = line.split_once(" transactions (") {
            let (counted, rate) = (self.name("transactions"), self.name("transactions_per_s"));
            let rate = rest.split_once("tps = ").map(|(_, tps)| (rate, tps.trim_end_matches(')')));
            let counted = self.figures.counted(&counted, count, number);
            let rated =
                rate.is_none_or(|(rate, tps)| self.figures.printed(&rate, tps, "1/s", number));
            return (counted && rated).then_some(());
        }
        let Some((name, value)) = line.split_once(": ") else { return Some(()) };
        self.count(number, name, value.split([' ', '/']).next()?)
    }

    fn count(&mut self, number: u32, name: &str, count: &str) -> Option<()> {
        let metric = match name {
            "number of transactions actually processed" => "transactions",
            "number of failed transactions" => "errors",
            "number of serialization failures" => "serialization_failures",
            "number of deadlock failures" => "deadlock_failures",
            "number of transactions skipped" => "dropped",
            "number of transactions retried" => "retried",
            "total number of retries" => "retries",
            _ if name.starts_with("number of transactions above the ") => {
                let limit = name.split_whitespace().rev().nth(3).unwrap_or_default();
                let count = count.parse::<u64>().ok()?;
                let number_of = FigureNumber { value: count as f64, resolution: 0.0 };
                let metric = self.name("above_latency_limit");
                let note = format!("above {limit} ms");
                self.figures.noted(&metric, number_of, "", &note, number);
                return Some(());
            }
            _ => return Some(()),
        };
        let metric = self.name(metric);
        self.figures.counted(&metric, count, number).then_some(())
    }

    /// A time, after which may stand what it includes.
    fn time(&mut self, number: u32, metric: &str, value: &str) -> Option<()> {
        let (value, rest) = with_unit(value);
        let unit = rest.split_whitespace().next()?;
        let metric = self.name(metric);
        self.figures.printed(&metric, value, unit, number).then_some(())
    }

    /// A figure's name, which says of which of several scripts it is.
    fn name(&self, metric: &str) -> String {
        match self.script {
            0 => metric.to_owned(),
            script => format!("script{script}_{metric}"),
        }
    }
}

/// Whether a client says that it does not go on: `client 3 script 0 aborted in command 5 query 0: …`.
fn gives_up(line: &str) -> bool {
    let line = line.strip_prefix("pgbench: ").unwrap_or(line);
    let of_client = line.strip_prefix("client ").or_else(|| line.strip_prefix("Client "));
    of_client.is_some_and(|rest| rest.contains("aborted in "))
}

fn time_of(name: &str) -> Option<&'static str> {
    Some(match name {
        "latency average" => "latency_avg",
        "latency stddev" => "latency_stddev",
        "initial connection time" => "connecting",
        "average connection time" => "connecting_avg",
        _ => return None,
    })
}

fn finish(source: &Source<'_>, run: Run, parsed: &mut Parsed) {
    let has_rate = run.value("transactions_per_s").is_some();
    let cut_short = run.cut_short();
    let gave_up = run.fatal.or_else(|| run.aborted.then(|| "clients were aborted".to_owned()));
    let gave_up = if run.aborted { gave_up } else { cut_short.clone().or(gave_up) };
    let end = match gave_up {
        Some(reason) if !has_rate || run.aborted || cut_short.is_some() => {
            let kind = failure_kind(&reason, has_rate || run.aborted);
            let reason = format!("pgbench gave up: {reason}");
            TrialEnd::Failed(Failure::new(kind, reason, ""))
        }
        _ if has_rate => {
            let tool = format!("pgbench {}", run.version);
            TrialEnd::Completed(Box::new(Outcome::printed(
                source.file,
                tool.trim_end(),
                run.figures.0,
            )))
        }
        _ => {
            let message = "the run that begins here has no report at its end";
            return parsed.problems.push(problem(source, run.line, message));
        }
    };
    let mut trial = trial(source, "pgbench", Level::clients(run.clients), end);
    trial.said = run.said;
    trial.load = run.load;
    parsed.trials.push(trial);
}
