//! What sysbench prints, in versions 0.4 to 1.1.

mod bounds;
mod checkpoints;
mod interval;
mod line;
mod load;
mod run;

use crate::figures::{self, problem};
use crate::{Format, ImportedTrial, Parsed, Source};
use model::{Failure, FailureKind, Level, Outcome, TrialEnd};
use run::Run;

/// What sysbench prints to its standard output; a file may hold several runs.
///
/// A run that ended with a fatal error, or long before the time that its command line gives it, is a
/// failed trial, whatever it printed after that. One whose report is missing is a
/// problem, and no trial.
#[derive(Clone, Copy, Debug)]
pub struct SysbenchText;

impl Format for SysbenchText {
    fn name(&self) -> &'static str {
        "sysbench"
    }

    fn description(&self) -> &'static str {
        "what sysbench 0.4 to 1.1 prints, of one or more runs"
    }

    fn recognises(&self, text: &str) -> bool {
        text.lines().any(|line| load::banner(line).is_some() || line.starts_with(load::OPTIONS))
    }

    fn parse(&self, source: Source<'_>) -> Parsed {
        let mut parsed = Parsed::default();
        for run in run::runs(&source, &mut parsed.problems) {
            let line = run.line;
            match trial(&source, run) {
                Some(trial) => parsed.trials.push(trial),
                None => parsed.problems.push(problem(
                    &source,
                    line,
                    "the run that begins here has no report at its end",
                )),
            }
        }
        parsed
    }
}

fn trial(source: &Source<'_>, run: Run) -> Option<ImportedTrial> {
    let load = run.load();
    let level = Level { rate: run.rate, ..Level::clients(run.threads) };
    let elapsed = run.count("elapsed").filter(|_| run.ended);
    let end = match (run.fatal, run.asked) {
        // What it printed after a fatal error is of the part before it, if of anything.
        (Some(reason), _) => {
            let began = run.started || run.ended;
            failed(figures::failure_kind(&reason, began), &reason, elapsed)
        }
        (None, _) if !run.ended => return None,
        (None, Some(asked)) if elapsed.is_some_and(|ran| figures::is_cut_short(ran, asked)) => {
            failed(FailureKind::Other, &format!("it was given {asked} s"), elapsed)
        }
        (None, _) => {
            let tool = format!("sysbench {}", run.version);
            let mut all = run.figures;
            bounds::mark(&mut all);
            let printed = Outcome::printed(source.file, tool.trim_end(), all.0);
            TrialEnd::Completed(Box::new(Outcome { latencies: run.latencies, ..printed }))
        }
    };
    Some(ImportedTrial { load, ..figures::trial(source, "sysbench", level, end) })
}

fn failed(kind: FailureKind, reason: &str, elapsed: Option<f64>) -> TrialEnd {
    let after = elapsed.filter(|elapsed| *elapsed > 0.0);
    let after = after.map(|elapsed| format!(" after {elapsed} s")).unwrap_or_default();
    TrialEnd::Failed(Failure::new(kind, format!("sysbench gave up{after}: {reason}"), ""))
}
