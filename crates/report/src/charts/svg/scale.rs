//! From values to positions: scales whose domain comes from the data, and their ticks.

/// Maps values to positions along one axis.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scale {
    kind: Kind,
    /// Smallest and largest value of the axis; the first is the smaller one.
    domain: (f64, f64),
    /// Positions of the two; the first may be the larger one, as on a vertical axis.
    range: (f64, f64),
    ticks: Vec<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Linear,
    Log,
}

impl Scale {
    /// A linear axis from zero to a round number above the largest value. Values that are no
    /// numbers are left out; without any the axis goes to 1.
    pub(crate) fn from_zero(
        values: impl IntoIterator<Item = f64>,
        range: (f64, f64),
        ticks: usize,
    ) -> Self {
        let largest = values.into_iter().filter(|v| v.is_finite()).fold(0.0, f64::max);
        let largest = if largest > 0.0 { largest } else { 1.0 };
        let step = round_step(largest / ticks.max(1) as f64);
        let steps = (largest / step - 1e-9).ceil();
        let ticks = (0..=steps as usize).map(|i| i as f64 * step).collect();
        Self { kind: Kind::Linear, domain: (0.0, steps * step), range, ticks }
    }

    /// A linear axis over exactly this domain, with no ticks but its ends.
    pub(crate) fn exactly(domain: (f64, f64), range: (f64, f64)) -> Self {
        let high = if domain.1 > domain.0 { domain.1 } else { domain.0 + 1.0 };
        Self { kind: Kind::Linear, domain: (domain.0, high), range, ticks: vec![domain.0, high] }
    }

    /// A logarithmic axis (base 10) between the round numbers around the positive values. Values
    /// of zero and below have no logarithm and are left out.
    pub(crate) fn log(values: impl IntoIterator<Item = f64>, range: (f64, f64)) -> Self {
        let (low, high) = positive_extent(values);
        // The sparsest set of round numbers that gives enough marks to read values by; even the
        // sparsest is so dense that the axis ends close to the data.
        const STEPS: [&[f64]; 3] = [&[1.0, 2.0, 5.0], &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0], &FINE];
        const FINE: [f64; 18] = [
            1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.3, 2.6, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 7.0, 8.0, 9.0,
            9.5,
        ];
        const FEWEST: usize = 4;
        const MOST: usize = 8;
        let mut ticks = Vec::new();
        for steps in STEPS {
            ticks = round_numbers_around(low, high, steps);
            if ticks.len() >= FEWEST {
                break;
            }
        }
        let domain = (ticks[0], ticks[ticks.len() - 1]);
        if ticks.len() > MOST {
            ticks.retain(|tick| (tick.log10() - tick.log10().round()).abs() < 1e-9);
        }
        Self { kind: Kind::Log, domain, range, ticks }
    }

    /// A logarithmic axis whose marks are the given levels, all positive and ascending.
    pub(crate) fn log_levels(levels: &[f64], range: (f64, f64)) -> Self {
        let (low, high) = positive_extent(levels.iter().copied());
        let domain = if low == high { (low / 2.0, high * 2.0) } else { (low, high) };
        Self { kind: Kind::Log, domain, range, ticks: levels.to_vec() }
    }

    /// The same axis from and to exactly these values, with the marks that it has.
    pub(crate) fn within(self, domain: (f64, f64)) -> Self {
        Self { domain, ..self }
    }

    /// Where a value lies; `None` for one that the axis cannot show.
    pub(crate) fn position(&self, value: f64) -> Option<f64> {
        if !value.is_finite() || (self.kind == Kind::Log && value <= 0.0) {
            return None;
        }
        let (low, high) = self.domain;
        let share = match self.kind {
            Kind::Linear => (value - low) / (high - low),
            Kind::Log => (value / low).ln() / (high / low).ln(),
        };
        Some(self.range.0 + share * (self.range.1 - self.range.0))
    }

    /// Where a value lies, or the end of the axis that it is beyond, and whether it is beyond.
    pub(crate) fn clamped(&self, value: f64) -> (f64, bool) {
        let within = value.max(self.domain.0).min(self.domain.1);
        (self.position(within).unwrap_or(self.range.0), within != value)
    }

    /// Marks with their positions, in ascending order of value.
    pub(crate) fn ticks(&self) -> impl Iterator<Item = (f64, f64)> {
        self.ticks.iter().filter_map(|&value| Some((value, self.position(value)?)))
    }

    /// The axis for the page's script: how it runs, its ends, and where these are.
    pub(crate) fn described(&self) -> String {
        let kind = match self.kind {
            Kind::Linear => "linear",
            Kind::Log => "log",
        };
        let ((low, high), (start, end)) = (self.domain, self.range);
        format!("{kind} {low} {high} {start} {end}")
    }

    /// Positions of the smallest and the largest value.
    pub(crate) fn range(&self) -> (f64, f64) {
        self.range
    }
}

fn positive_extent(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let positive = values.into_iter().filter(|v| v.is_finite() && *v > 0.0);
    let extent = positive.fold(None, |extent: Option<(f64, f64)>, v| {
        Some(extent.map_or((v, v), |(low, high)| (low.min(v), high.max(v))))
    });
    extent.unwrap_or((1.0, 10.0))
}

/// The smallest of 1, 2, 2.5 or 5 times a power of ten that is not below the value (> 0).
fn round_step(value: f64) -> f64 {
    let power = 10_f64.powf(value.log10().floor());
    let factor = [1.0, 2.0, 2.5, 5.0].into_iter().find(|f| f * power >= value * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

/// The multiples of powers of ten from the last one not above `low` to the first one not below
/// `high`; at least two.
fn round_numbers_around(low: f64, high: f64, steps: &[f64]) -> Vec<f64> {
    let first = low.log10().floor() as i32;
    let last = high.log10().floor() as i32 + 1;
    let all: Vec<f64> = (first..=last)
        .flat_map(|exponent| steps.iter().map(move |step| step * 10_f64.powi(exponent)))
        .collect();
    let close = 1.0 + 1e-9;
    let start = all.iter().rposition(|tick| *tick <= low * close).unwrap_or(0);
    let end = all.iter().position(|tick| *tick * close >= high).unwrap_or(all.len() - 1);
    all[start..=end.max(start + 1).min(all.len() - 1)].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(scale: &Scale) -> Vec<f64> {
        scale.ticks().map(|(value, _)| (value * 1e6).round() / 1e6).collect()
    }

    #[test]
    fn a_linear_axis_starts_at_zero_and_ends_above_the_data() {
        let scale = Scale::from_zero([120.0, f64::NAN, 1_830.0], (200.0, 0.0), 4);
        assert_eq!(values(&scale), [0.0, 500.0, 1_000.0, 1_500.0, 2_000.0]);
        assert_eq!(scale.position(0.0), Some(200.0));
        assert_eq!(scale.position(2_000.0), Some(0.0));
        assert_eq!(scale.position(f64::NAN), None);
    }

    #[test]
    fn an_axis_without_data_is_still_an_axis() {
        assert_eq!(values(&Scale::from_zero([], (0.0, 1.0), 2)), [0.0, 0.5, 1.0]);
        assert_eq!(values(&Scale::log([0.0, -3.0], (0.0, 1.0))).first(), Some(&1.0));
    }

    #[test]
    fn a_log_axis_has_round_marks_around_the_data() {
        let wide = Scale::log([0.3, 420.0], (0.0, 1.0));
        assert_eq!(values(&wide), [1.0, 10.0, 100.0]);
        assert_eq!((wide.position(0.2), wide.position(500.0)), (Some(0.0), Some(1.0)));
        let typical = Scale::log([0.7, 42.0], (0.0, 1.0));
        assert_eq!(values(&typical), [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0]);
        assert_eq!(values(&Scale::log([3.0, 42.0], (0.0, 1.0))), [2.0, 5.0, 10.0, 20.0, 50.0]);
        let narrow = values(&Scale::log([10.1, 11.5], (0.0, 1.0)));
        assert!(narrow.len() >= 2 && narrow[0] <= 10.1 && narrow[narrow.len() - 1] >= 11.5);
    }

    #[test]
    fn what_lies_beyond_an_axis_is_drawn_at_its_end() {
        let scale = Scale::log([1.0, 1000.0], (0.0, 300.0));
        assert_eq!(scale.clamped(0.0), (0.0, true));
        assert_eq!(scale.clamped(f64::INFINITY), (300.0, true));
        assert!(!scale.clamped(10.0).1);
    }

    #[test]
    fn a_log_axis_rejects_what_has_no_logarithm() {
        let scale = Scale::log([1.0, 1000.0], (0.0, 300.0));
        assert_eq!(scale.position(0.0), None);
        assert_eq!(scale.position(-1.0), None);
        assert!((scale.position(10.0).unwrap() - 100.0).abs() < 1e-9);
    }

    #[test]
    fn levels_are_their_own_marks_and_a_single_one_is_in_the_middle() {
        let scale = Scale::log_levels(&[1.0, 2.0, 4.0], (0.0, 100.0));
        let positions: Vec<f64> = scale.ticks().map(|(_, at)| at.round()).collect();
        assert_eq!(positions, [0.0, 50.0, 100.0]);
        let single = Scale::log_levels(&[16.0], (0.0, 100.0));
        assert!((single.position(16.0).unwrap() - 50.0).abs() < 1e-9);
    }
}
