//! What PostgreSQL's pgbench prints.

use crate::figures::{Figures, numbered_lines, problem, trial, with_unit};
use crate::{Format, Knob, Parsed, Source};
use model::{Failure, FailureKind, Level, Outcome, TrialEnd};

/// What pgbench prints to its standard output, with the progress that it prints to the other or
/// without; a file may hold several runs.
#[derive(Clone, Copy, Debug)]
pub struct Pgbench;

/// The line that every report begins with.
const FIRST: &str = "transaction type: ";

impl Format for Pgbench {
    fn name(&self) -> &'static str {
        "pgbench"
    }

    fn description(&self) -> &'static str {
        "what pgbench prints, of one or more runs"
    }

    fn recognises(&self, text: &str) -> bool {
        text.lines().any(|line| line.starts_with(FIRST) || line.starts_with("pgbench ("))
    }

    fn parse(&self, source: Source<'_>) -> Parsed {
        let mut parsed = Parsed::default();
        let mut run = Run::default();
        for (number, line) in numbered_lines(source.text) {
            let begins = line.starts_with("pgbench (") || line.starts_with(FIRST);
            if begins && run.begun {
                finish(&source, std::mem::take(&mut run), &mut parsed);
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
    figures: Figures,
    fatal: Option<String>,
}

impl Run {
    fn take(&mut self, number: u32, line: &str) -> Result<(), String> {
        let line = line.trim_end();
        let not_understood = || format!("not understood: «{line}»");
        if let Some(rest) = line.strip_prefix("pgbench (") {
            self.version = rest.split([' ', ')']).next().unwrap_or_default().to_owned();
            self.line = number;
            return Ok(());
        }
        if line.starts_with(FIRST) {
            self.begun = true;
            self.line = number;
            return Ok(());
        }
        if let Some(reason) =
            line.strip_prefix("pgbench: error: ").or_else(|| line.strip_prefix("pgbench: fatal: "))
        {
            self.fatal.get_or_insert_with(|| reason.to_owned());
            self.line = self.line.max(1);
            return Ok(());
        }
        if !self.begun {
            return Ok(());
        }
        self.figure(number, line).ok_or_else(not_understood)
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
        if let Some((name, value)) = line.split_once(" = ") {
            let metric = match name {
                "latency average" => "latency_avg",
                "latency stddev" => "latency_stddev",
                "initial connection time" => "connecting",
                _ => return Some(()),
            };
            let (value, unit) = with_unit(value);
            return figures.printed(metric, value, unit, number).then_some(());
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
            "number of threads" => self.said.push((Knob::Threads, first.parse().ok()?)),
            "scaling factor" => self.said.push((Knob::Scale, first.parse().ok()?)),
            "duration" => figures.printed("duration", first, "s", number).then_some(())?,
            "number of transactions actually processed" => {
                figures.counted("transactions", first, number).then_some(())?;
            }
            "number of failed transactions" => {
                figures.counted("errors", first, number).then_some(())?;
            }
            "number of transactions skipped" => {
                figures.counted("dropped", first, number).then_some(())?;
            }
            "number of transactions retried" => {
                figures.counted("retried", first, number).then_some(())?;
            }
            _ => {}
        }
        Some(())
    }
}

fn finish(source: &Source<'_>, run: Run, parsed: &mut Parsed) {
    let has_rate = run.figures.0.iter().any(|figure| figure.metric == "transactions_per_s");
    let end = match run.fatal {
        Some(reason) if !has_rate => {
            let reason = format!("pgbench gave up: {reason}");
            TrialEnd::Failed(Failure::new(FailureKind::Other, reason, ""))
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
    parsed.trials.push(trial);
}
