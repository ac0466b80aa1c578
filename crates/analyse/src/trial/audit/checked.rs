use super::figure::{Figure, Row};
use findings::{Contradiction, Identity, Range, Term};

/// What is said of printed figures is off by more. Tools divide by a clock that they read at another
/// moment than the one they print: sysbench's rates are off by some millionths.
const TOLERANCE: f64 = 1e-3;

/// What came of checking identities.
#[derive(Default)]
pub(super) struct Checked {
    pub(super) identities: usize,
    /// Those that do not hold, with the trial's place in the dataset.
    pub(super) found: Vec<(usize, Contradiction)>,
}

impl Checked {
    /// A figure must lie in the range that follows from the terms, in base units.
    pub(super) fn expect(
        &mut self,
        row: &Row<'_>,
        identity: Identity,
        terms: Vec<Term>,
        follows: Range,
        printed: &Figure<'_>,
    ) {
        let off = (printed.range.nominal - follows.nominal).abs();
        let near = off <= TOLERANCE * follows.nominal.abs();
        self.count(near || follows.meets(printed.range), row.index, || {
            let follows = follows.scaled(1.0 / printed.unit.factor);
            let off = printed.as_printed().nominal - follows.nominal;
            let (file, printed) = (row.file.to_owned(), printed.term());
            Contradiction { identity, file, terms, follows, printed, off }
        });
    }

    /// An identity of the trial in that place holds, or this is wrong.
    pub(super) fn count(
        &mut self,
        holds: bool,
        index: usize,
        wrong: impl FnOnce() -> Contradiction,
    ) {
        self.identities += 1;
        if !holds {
            self.found.push((index, wrong()));
        }
    }
}
