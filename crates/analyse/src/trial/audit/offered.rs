//! The offered rate as an upper bound on what was served.

use super::checked::Checked;
use super::dates::ELAPSED;
use super::figure::Row;
use super::units::Dimension;
use findings::{Identity, Origin, Range, Term};
use model::{FigureNumber, FigureValue};

/// What may be exceeded before it is said: a tool's clock and its schedule may differ by that.
const CLOCKS: f64 = 1.01;
/// So many standard deviations of a Poisson variable the operations that were due may be above their
/// mean by chance.
const BY_CHANCE: f64 = 4.0;
/// Seconds that a trial took, where none are printed: few tools measure for less.
const SHORTEST: f64 = 1.0;
const SERVED: [&str; 2] = ["transactions_per_s", "events_per_s"];

/// More than was due cannot be served.
pub(super) fn check(row: &Row<'_>, checked: &mut Checked) {
    let Some(rate) = row.key.level.rate.map(f64::from) else { return };
    let Some(served) = row.any(&SERVED, Dimension::Rate) else { return };
    let elapsed = row.any(&ELAPSED, Dimension::Time);
    let seconds = elapsed.map_or(SHORTEST, |elapsed| elapsed.range.low.max(SHORTEST));
    let most = rate * CLOCKS + BY_CHANCE * (rate / seconds).sqrt();
    let number = FigureNumber { value: rate, resolution: 0.0 };
    let offered = Term {
        name: "offered".to_owned(),
        value: FigureValue::Number(number),
        unit: "1/s".to_owned(),
        origin: Origin::Level,
    };
    let follows = Range::at_most(Range::exact(most));
    checked.expect(row, Identity::Offered, vec![offered], follows, &served);
}
