//! What sysbench prints, in versions 0.4 to 1.1.

mod checkpoints;
mod interval;
mod line;
mod load;
mod result;
mod run;

pub use interval::IntervalLine;
pub use result::{ParseError, Percentile, Queries, SysbenchResult, parse};

use crate::figures::{self, problem};
use crate::{Format, ImportedTrial, Parsed, Source};
use model::{Failure, FailureKind, Level, Outcome, TrialEnd};
use run::Run;

/// What sysbench prints to its standard output; a file may hold several runs.
///
/// A run that ended with a fatal error is a failed trial. One whose report is missing is a
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
        text.lines().any(|line| run::banner(line).is_some() || line.starts_with(run::OPTIONS))
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
    let end = match run.fatal {
        Some(reason) if !run.ended => {
            let reason = format!("sysbench gave up: {reason}");
            TrialEnd::Failed(Failure::new(FailureKind::Other, reason, ""))
        }
        _ if !run.ended => return None,
        _ => {
            let tool = format!("sysbench {}", run.version);
            let printed = Outcome::printed(source.file, tool.trim_end(), run.figures.0);
            TrialEnd::Completed(Box::new(Outcome { latencies: run.latencies, ..printed }))
        }
    };
    Some(ImportedTrial { load, ..figures::trial(source, "sysbench", level, end) })
}
