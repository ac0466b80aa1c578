use crate::Latencies;
use serde::{Deserialize, Serialize};

/// A figure of the distribution of latencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LatencyFigure {
    /// Arithmetic mean.
    Mean,
    /// Median.
    P50,
    /// 95th percentile.
    P95,
    /// 99th percentile.
    P99,
    /// 99.9th percentile.
    P999,
    /// The largest.
    Max,
}

impl LatencyFigure {
    /// All of them, in the order in which help texts list them.
    pub const ALL: [Self; 6] = [Self::Mean, Self::P50, Self::P95, Self::P99, Self::P999, Self::Max];

    /// The name that study files and reports use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::P50 => "p50",
            Self::P95 => "p95",
            Self::P99 => "p99",
            Self::P999 => "p999",
            Self::Max => "max",
        }
    }

    /// The figure of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|figure| figure.name() == name)
    }

    /// Its value in milliseconds; `None` of no latencies.
    pub fn value_in(self, latencies: &Latencies) -> Option<f64> {
        match self {
            Self::Mean => latencies.mean_ms(),
            Self::P50 => latencies.percentile_ms(50.0),
            Self::P95 => latencies.percentile_ms(95.0),
            Self::P99 => latencies.percentile_ms(99.0),
            Self::P999 => latencies.percentile_ms(99.9),
            Self::Max => latencies.max_ms(),
        }
    }

    /// Transactions from which on the figure is more than the largest latency by another name:
    /// twenty are beyond a percentile. A step of a search is made longer to reach them.
    pub fn transactions_wanted(self) -> u32 {
        match self {
            Self::Mean | Self::P50 | Self::Max => 40,
            Self::P95 => 400,
            Self::P99 => 2_000,
            Self::P999 => 20_000,
        }
    }
}

/// A bound on latency, such as `p95 < 20ms`. In an open loop it is on response times, in a closed
/// loop on service times.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Slo {
    /// Which figure is bounded.
    pub figure: LatencyFigure,
    /// The bound in milliseconds, above 0.
    pub bound_ms: f64,
    /// Whether the bound itself is still allowed (`<=`).
    pub inclusive: bool,
}

/// Why a text is not a bound on latency.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SloError {
    /// It has another form.
    #[error("`{0}` is not a bound on latency: write it like `p95 < 20ms`")]
    Malformed(String),
    /// The figure is unknown.
    #[error("`{0}` is not a figure of latency: use mean, p50, p95, p99, p999 or max")]
    UnknownFigure(String),
    /// The bound is a number without a unit.
    #[error("the bound `{0}` has no unit: write `{0}ms`, or use us or s")]
    NoUnit(String),
    /// Zero, negative, or longer than an hour.
    #[error("the bound `{0}` must be above 0 and at most an hour")]
    OutOfRange(String),
}

/// Units with their length in milliseconds; `ms` and `us` must come before `s`.
const UNITS: [(&str, f64); 3] = [("ms", 1.0), ("us", 1e-3), ("s", 1e3)];

impl Slo {
    /// Whether a value of the figure, in milliseconds, meets the bound.
    pub fn is_met_by(&self, value_ms: f64) -> bool {
        if self.inclusive { value_ms <= self.bound_ms } else { value_ms < self.bound_ms }
    }
}

impl std::str::FromStr for Slo {
    type Err = SloError;

    /// Reads a text such as `p95 < 20ms`, `max<=1.5s` or `mean < 800us`.
    fn from_str(text: &str) -> Result<Self, SloError> {
        let quoted = |part: &str| part.trim().chars().take(40).collect::<String>();
        let (figure, rest) =
            text.split_once('<').ok_or_else(|| SloError::Malformed(quoted(text)))?;
        let (inclusive, bound) = match rest.strip_prefix('=') {
            Some(bound) => (true, bound.trim()),
            None => (false, rest.trim()),
        };
        let figure = LatencyFigure::from_name(figure.trim())
            .ok_or_else(|| SloError::UnknownFigure(quoted(figure)))?;
        let unit = UNITS
            .into_iter()
            .find_map(|(unit, length)| Some((bound.strip_suffix(unit)?.trim_end(), length)));
        let Some((number, unit_ms)) = unit else {
            let is_number = bound.parse::<f64>().is_ok_and(f64::is_finite);
            return Err(match is_number {
                true => SloError::NoUnit(quoted(bound)),
                false => SloError::Malformed(quoted(text)),
            });
        };
        let number: f64 = number.parse().map_err(|_| SloError::Malformed(quoted(text)))?;
        let bound_ms = number * unit_ms;
        if bound_ms > 0.0 && bound_ms <= Latencies::LONGEST_MS {
            Ok(Self { figure, bound_ms, inclusive })
        } else {
            Err(SloError::OutOfRange(quoted(bound)))
        }
    }
}

impl std::fmt::Display for Slo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if self.inclusive { "<=" } else { "<" };
        let (figure, bound) = (self.figure.name(), self.bound_ms);
        if bound >= 1e3 {
            write!(f, "{figure} {sign} {} s", bound / 1e3)
        } else if bound < 1.0 {
            // Whole microseconds have no binary dust: 0.8 ms is 800 µs and not 800.0000001.
            write!(f, "{figure} {sign} {} µs", (bound * 1e6).round() / 1e3)
        } else {
            write!(f, "{figure} {sign} {bound} ms")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_read_and_shown() {
        for (text, shown) in [
            ("p95 < 20ms", "p95 < 20 ms"),
            ("p999<=1.5s", "p999 <= 1.5 s"),
            (" mean < 800 us ", "mean < 800 µs"),
            ("max < 2500ms", "max < 2.5 s"),
        ] {
            assert_eq!(text.parse::<Slo>().map(|slo| slo.to_string()), Ok(shown.to_owned()));
        }
    }

    #[test]
    fn the_bound_itself_is_kept_only_where_it_is_included() {
        let strict: Slo = "p50 < 5ms".parse().unwrap();
        let inclusive: Slo = "p50 <= 5ms".parse().unwrap();
        assert!(strict.is_met_by(4.999) && !strict.is_met_by(5.0));
        assert!(inclusive.is_met_by(5.0) && !inclusive.is_met_by(5.001));
    }

    #[test]
    fn other_texts_are_refused_with_what_is_wrong_with_them() {
        let refused = |text: &str| text.parse::<Slo>().unwrap_err();
        assert_eq!(refused("p95 20ms"), SloError::Malformed("p95 20ms".into()));
        assert_eq!(refused("p95 > 20ms"), SloError::Malformed("p95 > 20ms".into()));
        assert_eq!(refused("p96 < 20ms"), SloError::UnknownFigure("p96".into()));
        assert_eq!(refused("p95 < 20"), SloError::NoUnit("20".into()));
        for text in ["p95 < ms", "p95 < 20m", "p95 <", "p95 << 2ms"] {
            assert!(matches!(refused(text), SloError::Malformed(_)), "{text}");
        }
        for text in ["p95 < 0ms", "p95 < -1s", "p95 < NaNms", "p95 < 2000000s"] {
            assert!(matches!(refused(text), SloError::OutOfRange(_)), "{text}");
        }
    }
}
