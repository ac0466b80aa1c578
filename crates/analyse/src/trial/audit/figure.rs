//! Printed figures with what their digits say of the true value.

use super::units::{self, Dimension, Unit};
use findings::{Range, Term};
use model::{FigureNumber, FigureValue, Outcome, TrialKey};

/// One trial of somebody else's, as printed.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    /// Its place in the dataset.
    pub(super) index: usize,
    pub(super) key: &'a TrialKey,
    pub(super) outcome: &'a Outcome,
    /// The file that it was read from.
    pub(super) file: &'a str,
}

/// A figure that is a number.
#[derive(Clone, Copy)]
pub(super) struct Figure<'a> {
    pub(super) source: &'a model::Figure,
    pub(super) unit: Unit,
    /// In base units.
    pub(super) range: Range,
    number: FigureNumber,
}

impl<'a> Row<'a> {
    /// The figure of that name, where it is a number that can be reckoned with.
    pub(super) fn figure(&self, metric: &str) -> Option<Figure<'a>> {
        Figure::from_model(self.outcome.figure(metric)?)
    }

    /// The first of these figures that is there, and measures that.
    pub(super) fn any(&self, metrics: &[&str], dimension: Dimension) -> Option<Figure<'a>> {
        let figures = metrics.iter().filter_map(|metric| self.figure(metric));
        figures.into_iter().find(|figure| figure.unit.dimension == dimension)
    }

    /// All figures that are numbers.
    pub(super) fn figures(&self) -> impl Iterator<Item = Figure<'a>> + use<'a> {
        self.outcome.figures.iter().filter_map(Figure::from_model)
    }
}

impl<'a> Figure<'a> {
    fn from_model(source: &'a model::Figure) -> Option<Self> {
        let FigureValue::Number(number) = source.value else { return None };
        let sensible = number.value.is_finite() && number.value >= 0.0;
        if !sensible || !number.resolution.is_finite() || number.resolution < 0.0 {
            return None;
        }
        let unit = units::parse(&source.unit);
        let range = Range::around(number.value, resolution(number, unit.dimension));
        Some(Self { source, unit, range: range.scaled(unit.factor), number })
    }

    pub(super) fn name(&self) -> &'a str {
        &self.source.metric
    }

    /// In the unit in which it is printed.
    pub(super) fn as_printed(&self) -> Range {
        self.range.scaled(1.0 / self.unit.factor)
    }

    /// The same, read with prefixes that are powers of 1024.
    pub(super) fn read_as_binary(&self) -> Self {
        let unit = Unit { factor: self.unit.binary, ..self.unit };
        Self { range: self.as_printed().scaled(unit.factor), unit, ..*self }
    }

    /// No more precise than so many times another figure of the same unit, if it is exactly that
    /// as printed: it may have been multiplied after the other was rounded.
    pub(super) fn no_finer_than(self, part: &Figure) -> Self {
        let times = self.number.value / part.number.value;
        let multiple = times >= 1.0 && times.is_finite() && times.fract() == 0.0;
        if !multiple || self.source.unit != part.source.unit {
            return self;
        }
        let resolution = times * part.number.resolution * self.unit.factor;
        Self { range: self.range.widened(resolution), ..self }
    }

    pub(super) fn term(&self) -> Term {
        Term::printed(self.source)
    }
}

/// By how much the true value may differ. Rates above 1000 that end in zeros may have been rounded
/// to as few as three digits, which is not seen in print; counts and times are taken by the letter.
fn resolution(number: FigureNumber, dimension: Dimension) -> f64 {
    let whole = number.resolution == 1.0 && number.value >= 1000.0;
    if !whole || !matches!(dimension, Dimension::Rate | Dimension::DataRate) {
        return number.resolution;
    }
    let beyond_third = number.value.log10().floor() as i32 - 2;
    let zeros = (1..=beyond_third).take_while(|&n| number.value % 10_f64.powi(n) == 0.0).count();
    10_f64.powi(zeros as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_rate(value: f64, unit: f64) -> f64 {
        resolution(FigureNumber { value, resolution: unit }, Dimension::Rate)
    }

    #[test]
    fn zeros_at_the_end_of_a_rate_may_be_rounding() {
        assert_eq!(of_rate(475_000.0, 1.0), 1000.0);
        assert_eq!(of_rate(400_000.0, 1.0), 1000.0);
        assert_eq!(of_rate(7_750.0, 1.0), 10.0);
        assert_eq!(of_rate(2_085.0, 1.0), 1.0);
        assert_eq!(of_rate(500.0, 1.0), 1.0);
        assert_eq!(of_rate(1_600.0, 0.01), 0.01);
        let count = FigureNumber { value: 1_000_000.0, resolution: 1.0 };
        assert_eq!(resolution(count, Dimension::Count), 1.0);
    }
}
