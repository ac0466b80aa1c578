//! What tools print in formats that weighin imports as well.

use import::{Format, Source};
use model::{FigureNumber, Outcome, ReadBudget, TrialEnd};

/// The figures of the one run that a tool has printed.
pub(crate) struct Printed {
    tool: &'static str,
    outcome: Box<Outcome>,
}

impl Printed {
    /// Reads a text.
    ///
    /// # Errors
    /// What is wrong with it, in a sentence.
    pub(crate) fn read(
        tool: &'static str,
        format: &impl Format,
        text: &str,
    ) -> Result<Self, String> {
        let parsed = format.parse(Source { file: tool, text, budget: &ReadBudget::default() });
        match parsed.trials.into_iter().next().map(|trial| trial.end) {
            Some(TrialEnd::Completed(outcome)) => Ok(Self { tool, outcome }),
            Some(TrialEnd::Failed(failure)) => Err(failure.message),
            None => {
                let problem = parsed.problems.into_iter().next().map(|problem| problem.message);
                let why = problem.unwrap_or_else(|| "there are no results in it".to_owned());
                Err(format!("what {tool} printed is not understood: {why}"))
            }
        }
    }

    /// A figure.
    ///
    /// # Errors
    /// When it is not there.
    pub(crate) fn number(&self, name: &str) -> Result<FigureNumber, String> {
        self.maybe(name).ok_or_else(|| format!("{} printed no {name}", self.tool))
    }

    /// A latency in milliseconds, where it is there.
    pub(crate) fn milliseconds(&self, name: &str) -> Option<f64> {
        let per_unit = match self.outcome.figure(name)?.unit.as_str() {
            "ns" => 1e-6,
            "us" => 1e-3,
            "ms" => 1.0,
            "s" => 1e3,
            _ => return None,
        };
        Some(self.maybe(name)?.value * per_unit)
    }

    /// A figure that may be missing.
    pub(crate) fn maybe(&self, name: &str) -> Option<FigureNumber> {
        self.outcome.number(name).copied()
    }
}
