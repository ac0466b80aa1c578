//! Weighin's own figures: what is recorded of a trial in several places must agree.
//!
//! That every scheduled operation is accounted for is a check of its own (`check::outcome`).

mod distributions;
mod generators;
mod phases;
mod statements;

use super::checked::Checked;
use findings::{Contradiction, Identity, Origin, Range, Term};
use model::{Dataset, FigureNumber, FigureValue, LoadResult, Test};
use std::collections::HashMap;

/// A count with its name.
type Count = (&'static str, u64);

/// Audits every trial that ran under load. Of a search that is the step that gave the answer, with
/// the figures of that step alone.
pub(super) fn check(dataset: &Dataset) -> Checked {
    let mut checked = Checked::default();
    let tests: HashMap<&str, &Test> =
        dataset.study.tests.iter().map(|test| (test.name.as_str(), test)).collect();
    for (index, record) in dataset.trials.iter().enumerate() {
        let Some(load) = record.load() else { continue };
        let test = tests.get(record.key.test.as_str()).copied();
        OwnFigures { index, checked: &mut checked }.audit(test, load);
    }
    checked
}

/// The figures that weighin recorded of one trial.
struct OwnFigures<'a> {
    index: usize,
    checked: &'a mut Checked,
}

impl OwnFigures<'_> {
    fn audit(&mut self, test: Option<&Test>, load: &LoadResult) {
        phases::check(self, load);
        distributions::check(self, load);
        generators::check(self, load);
        if let Some(workload) = test.and_then(Test::workload) {
            statements::check(self, workload, load);
        }
    }

    /// A count must be the sum of these.
    fn sum(&mut self, parts: &[Count], counted: Count) {
        let follows = parts.iter().map(|(_, count)| count).sum();
        let terms = || parts.iter().map(count).collect();
        self.exact(Identity::Sum, terms, follows, counted);
    }

    /// A count must be exactly what follows.
    fn exact(
        &mut self,
        identity: Identity,
        terms: impl FnOnce() -> Vec<Term>,
        follows: u64,
        counted: Count,
    ) {
        self.checked.count(follows == counted.1, self.index, || {
            contradiction(identity, terms(), Range::exact(follows as f64), count(&counted))
        });
    }

    /// A part of a whole counts no more than it.
    fn part(&mut self, part: Count, whole: Count) {
        self.checked.count(part.1 <= whole.1, self.index, || {
            let follows = Range::at_least(Range::exact(part.1 as f64));
            contradiction(Identity::Sum, vec![count(&part)], follows, count(&whole))
        });
    }

    /// A time in milliseconds must lie within a range.
    fn time(
        &mut self,
        identity: Identity,
        terms: impl FnOnce() -> Vec<Term>,
        follows: Range,
        (name, ms): (&str, f64),
    ) {
        self.checked.count(follows.meets(Range::exact(ms)), self.index, || {
            contradiction(identity, terms(), follows, time(name, ms))
        });
    }
}

fn contradiction(
    identity: Identity,
    terms: Vec<Term>,
    follows: Range,
    printed: Term,
) -> Contradiction {
    let off = match printed.value {
        FigureValue::Number(number) => number.value - follows.nominal,
        FigureValue::Text(_) => 0.0,
    };
    Contradiction { identity, file: String::new(), terms, follows, printed, off }
}

fn count(&(name, count): &Count) -> Term {
    term(name, FigureNumber { value: count as f64, resolution: 0.0 }, "", Origin::Recorded)
}

/// A time in milliseconds, shown to the microsecond.
fn time(name: &str, ms: f64) -> Term {
    term(name, FigureNumber { value: ms, resolution: 1e-3 }, "ms", Origin::Recorded)
}

fn term(name: &str, number: FigureNumber, unit: &str, origin: Origin) -> Term {
    let value = FigureValue::Number(number);
    Term { name: name.to_owned(), value, unit: unit.to_owned(), origin }
}
