//! Means, deviations and extremes of latencies, which merge exactly.

use crate::figures::reckoned;
use crate::json::Json;
use model::FigureNumber;

/// What fio prints of a distribution besides percentiles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moments {
    /// How many values there are; absent where that is not said.
    count: Option<f64>,
    pub(super) min: Option<FigureNumber>,
    pub(super) max: Option<FigureNumber>,
    pub(super) mean: FigureNumber,
    pub(super) deviation: Option<FigureNumber>,
}

impl Moments {
    /// Those of that name, with their unit.
    pub(super) fn from_part(part: Json<'_>, name: &str) -> Option<(Self, &'static str)> {
        // Version 2 has microseconds under names without a unit.
        let now = part.at(&[&format!("{name}_ns")]).map(|json| (json, "ns"));
        let (json, unit) = now.or_else(|| part.at(&[name]).map(|json| (json, "us")))?;
        let members = json.members();
        let number = |name: &str| members.get(name).and_then(|json| json.number());
        // Where no latencies were taken it prints zeros.
        if number("N").is_some_and(|count| count.value == 0.0) {
            return None;
        }
        let count = number("N").or_else(|| part.at(&["total_ios"])?.number());
        let moments = Self {
            count: count.map(|count| count.value).filter(|count| *count > 0.0),
            min: number("min"),
            max: number("max"),
            mean: number("mean")?,
            deviation: number("stddev"),
        };
        Some((moments, unit))
    }

    /// Those of all parts together; `None` unless all parts have them in one unit and say how many
    /// values there are.
    pub(super) fn together(
        parts: Vec<Option<(Self, &'static str)>>,
    ) -> Option<(Self, &'static str)> {
        let parts: Vec<(Self, &'static str)> = parts.into_iter().collect::<Option<_>>()?;
        let (first, unit) = *parts.first()?;
        if parts.len() == 1 {
            return Some((first, unit));
        }
        if parts.iter().any(|(_, other)| *other != unit) {
            return None;
        }
        let parts: Vec<Self> = parts.into_iter().map(|(part, _)| part).collect();
        let counts: Vec<f64> = parts.iter().map(|part| part.count).collect::<Option<_>>()?;
        let all: f64 = counts.iter().sum();
        let weighted = |of: &dyn Fn(&Self) -> Option<f64>| -> Option<f64> {
            let terms = parts.iter().zip(&counts).map(|(part, count)| Some(of(part)? * count));
            Some(terms.sum::<Option<f64>>()? / all)
        };
        let mean = FigureNumber {
            value: weighted(&|part| Some(part.mean.value))?,
            resolution: weighted(&|part| Some(part.mean.resolution))?,
        };
        let variance = weighted(&|part| {
            Some(part.deviation?.value.powi(2) + (part.mean.value - mean.value).powi(2))
        });
        let resolution = weighted(&|part| Some(part.deviation?.resolution));
        let values = |of: &dyn Fn(&Self) -> Option<FigureNumber>| -> Option<Vec<FigureNumber>> {
            parts.iter().map(of).collect()
        };
        let by_value = |a: &FigureNumber, b: &FigureNumber| a.value.total_cmp(&b.value);
        let min = values(&|part| part.min).and_then(|all| all.into_iter().min_by(by_value));
        let max = values(&|part| part.max).and_then(|all| all.into_iter().max_by(by_value));
        let deviation = variance
            .zip(resolution)
            .map(|(variance, resolution)| reckoned(variance.sqrt(), resolution));
        let mean = reckoned(mean.value, mean.resolution);
        Some((Self { count: Some(all), min, max, mean, deviation }, unit))
    }
}
