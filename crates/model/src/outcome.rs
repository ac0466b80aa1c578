use crate::{
    Around, DataState, Derivation, Latencies, LoadResult, Mark, Metric, PackedLatencies, Stretch,
    Test, longest_statement,
};
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;
use std::time::Duration;

/// To how much of a millisecond the longest statement is known.
const MICROSECOND_MS: f64 = 1e-3;

/// What came of a trial that completed, whoever measured it. What is not here is unknown, and
/// stays so.
///
/// A load's recording speaks for itself: rates and latencies of a load are no figures of their own
/// and are derived from the recording alone, so that nothing can contradict it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Where it was read from; `None` where weighin measured it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<ResultSource>,
    /// What the task measured besides a load, or what a source prints, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<Figure>,
    /// What the load engine recorded, where there was a load: imported results have none, and there
    /// may be very many of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<Box<LoadResult>>,
    /// The distribution of latencies that a source prints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latencies: Option<Latencies>,
    /// What happened during the trial, in order of time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
    /// What a task measured again and again; names are unique.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub series: Vec<TimeSeries>,
    /// What was found of the data of a workload of the user's own, afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<DataState>,
}

/// What was measured at equal steps of a trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimeSeries {
    /// What it is of, such as `accepted writes`.
    pub name: String,
    /// Such as `1/s`; empty where there is none.
    pub unit: String,
    /// When the first step began, in seconds from the trial's origin (see [`Mark::at_seconds`]).
    pub from_seconds: f64,
    /// How long each step is, in seconds.
    pub step_seconds: f64,
    /// One for each step; absent where nothing is known of it.
    pub values: Vec<Option<f64>>,
}

impl TimeSeries {
    /// The values that are known, each with the middle of its step.
    pub fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        let at = |step: usize| self.from_seconds + (step as f64 + 0.5) * self.step_seconds;
        let known = self.values.iter().enumerate();
        known.filter_map(move |(step, value)| Some((at(step), (*value)?)))
    }

    /// When its last step ends, in seconds from the trial's origin.
    pub fn until_seconds(&self) -> f64 {
        self.from_seconds + self.values.len() as f64 * self.step_seconds
    }
}

/// A rate over so long a time, in which one operation more or less may have fallen.
fn rate(value: f64, length: Duration) -> Option<FigureNumber> {
    let seconds = length.as_secs_f64();
    (seconds > 0.0).then(|| FigureNumber { value, resolution: 1.0 / seconds })
}

/// Where results come from that weighin did not measure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultSource {
    /// The file, as named by the user.
    pub file: String,
    /// What wrote it, with its version where that is known, such as `sysbench 1.0.20`; empty
    /// where unknown, as with tables.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tool: String,
}

impl Outcome {
    /// That of a load which weighin ran.
    pub fn of_load(load: LoadResult) -> Self {
        Self { load: Some(Box::new(load)), ..Self::default() }
    }

    /// What a file of that name says, written by that tool.
    pub fn printed(file: &str, tool: impl Into<String>, figures: Vec<Figure>) -> Self {
        let source = ResultSource { file: file.to_owned(), tool: tool.into() };
        Self { source: Some(source), figures, ..Self::default() }
    }

    /// What a task measured that is no load.
    pub fn of_figures(figures: Vec<Figure>) -> Self {
        Self { figures, ..Self::default() }
    }

    /// The first figure of that name.
    pub fn figure(&self, metric: &str) -> Option<&Figure> {
        self.figures.iter().find(|figure| figure.metric == metric)
    }

    /// What the figure of that name says of a metric, in its unit; `None` where it is not there, is
    /// no number, or its unit is not known.
    pub fn figure_as(&self, metric: Metric, name: &str) -> Option<FigureNumber> {
        let figure = self.figure(name)?;
        let FigureValue::Number(number) = figure.value else { return None };
        let factor = metric.unit().factor_from(&figure.unit)?;
        let (value, resolution) = (number.value * factor, number.resolution * factor);
        Some(FigureNumber { value, resolution })
    }

    /// The first of the names of a metric that stands among the figures. Of what a load's
    /// recording says there is none.
    pub fn among_figures(&self, metric: Metric) -> Option<FigureNumber> {
        if self.load.is_some() && metric.entry().derivation.is_some() {
            return None;
        }
        metric.printed_names().find_map(|known| self.figure_as(metric, known.name))
    }

    /// What follows from the load's recording, or from the distribution that a source prints.
    pub fn derived(&self, metric: Metric) -> Option<FigureNumber> {
        match metric.entry().derivation? {
            Derivation::Rate => {
                let measured = self.load.as_ref()?.measure;
                rate(measured.transactions_per_second(), measured.elapsed)
            }
            Derivation::Mean | Derivation::Percentile(_) => {
                let value = metric.of_latencies(self.latencies()?)?;
                Some(FigureNumber { value, resolution: value * Latencies::ROUNDING })
            }
            Derivation::RateIn(part) => {
                let stretch = self.around(part)?;
                rate(stretch.rate(), stretch.length)
            }
            Derivation::PercentileIn(part, percentile) => {
                let value = self.around(part)?.latencies.percentile_ms(percentile)?;
                Some(FigureNumber { value, resolution: value * PackedLatencies::ROUNDING })
            }
            Derivation::LongestStatement => {
                let seconds = longest_statement(self.load.as_deref()?, &self.marks)?;
                Some(FigureNumber { value: seconds * 1e3, resolution: MICROSECOND_MS })
            }
            Derivation::Unserved => {
                let value = self.load.as_deref()?.unserved()?.as_secs_f64();
                Some(FigureNumber { value, resolution: 1.0 })
            }
            // What was sampled is beside the outcome.
            Derivation::Used(_) => None,
            Derivation::Quotient(upper, lower) => {
                let (upper, lower) = (self.metric(upper)?, self.metric(lower)?);
                let value = upper.value / lower.value;
                let rounding = upper.resolution / upper.value + lower.resolution / lower.value;
                value.is_finite().then(|| FigureNumber {
                    value,
                    resolution: if rounding.is_finite() { value * rounding } else { 0.0 },
                })
            }
        }
    }

    /// What the load did before, while or after something was done to the target.
    pub fn around(&self, part: Around) -> Option<Stretch> {
        part.stretch_of(self.load.as_deref()?, &self.marks)
    }

    /// What is known of a metric, in its unit.
    pub fn metric(&self, metric: Metric) -> Option<FigureNumber> {
        self.among_figures(metric).or_else(|| self.derived(metric))
    }

    /// The time that decides it where its task is no steady load, in seconds.
    pub fn took(&self) -> Option<FigureNumber> {
        Test::DECIDING_TIMES.into_iter().find_map(|metric| self.metric(metric))
    }

    /// The first figure of that name, where it is a number.
    pub fn number(&self, metric: &str) -> Option<&FigureNumber> {
        match &self.figure(metric)?.value {
            FigureValue::Number(number) => Some(number),
            FigureValue::Text(_) => None,
        }
    }

    /// The distribution of latencies: that of the load's recording, or what a source prints.
    pub fn latencies(&self) -> Option<&Latencies> {
        self.load.as_ref().map(|load| &load.latencies).or(self.latencies.as_ref())
    }
}

/// One figure, as measured or as printed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// What it is of: a name that weighin knows, such as `elapsed`, or a source's own word.
    pub metric: String,
    /// What is measured or printed.
    pub value: FigureValue,
    /// As measured or printed, such as `ms` or `1/s`; empty where there is none.
    pub unit: String,
    /// Where a source prints it; `None` where weighin measured it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub printed: Option<Printed>,
}

impl Figure {
    /// What weighin measured, in the unit of the metric, to so many of these.
    pub fn measured(metric: Metric, value: f64, resolution: f64) -> Self {
        Self {
            metric: metric.entry().id.to_owned(),
            value: FigureValue::Number(FigureNumber { value, resolution }),
            unit: metric.unit().text().to_owned(),
            printed: None,
        }
    }
}

/// Where a figure is printed, and with what beside it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Printed {
    /// The line of the file, from 1; 0 where lines mean nothing, as in JSON.
    pub line: u32,
    /// What the source adds to the figure; empty where nothing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// What stands in the place of a figure; serialised as that alone.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum FigureValue {
    /// A number.
    Number(FigureNumber),
    /// A date, a word, a reason.
    Text(String),
}

/// By hand: an untagged enum would keep a copy of what it reads until it knows which it is.
impl<'de> Deserialize<'de> for FigureValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = FigureValue;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number with its resolution, or a text")
            }

            fn visit_str<E>(self, text: &str) -> Result<FigureValue, E> {
                Ok(FigureValue::Text(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, number: A) -> Result<FigureValue, A::Error> {
                let number = FigureNumber::deserialize(MapAccessDeserializer::new(number))?;
                Ok(FigureValue::Number(number))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// A number and how precisely it is known.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FigureNumber {
    /// In the unit of the figure.
    pub value: f64,
    /// By how much the true value may differ, because it was measured in steps, or rounded or cut
    /// off for printing: one unit of the last digit printed. 0 where the number is exact.
    pub resolution: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_task_measured_comes_back_by_its_metric() {
        let figures = vec![
            Figure::measured(Metric::Elapsed, 12.5, 1e-9),
            Figure::measured(Metric::RowsReturned, 4.0, 0.0),
        ];
        let outcome = Outcome::of_figures(figures);
        let number = |value, resolution| Some(FigureNumber { value, resolution });
        assert_eq!(outcome.metric(Metric::Elapsed), number(12.5, 1e-9));
        assert_eq!(outcome.metric(Metric::RowsReturned), number(4.0, 0.0));
        assert_eq!(outcome.metric(Metric::TemporarySpace), None);
        assert_eq!(outcome.metric(Metric::Throughput), None);
    }

    #[test]
    fn printed_figures_come_before_what_their_distribution_says() {
        let mut latencies = Latencies::new();
        latencies.record_many(2_000_000, 100);
        let figure = Figure {
            unit: "us".to_owned(),
            printed: Some(Printed::default()),
            ..Figure::measured(Metric::LatencyMean, 1500.0, 1.0)
        };
        let printed = Outcome::printed("a.txt", "", vec![figure]);
        let outcome = Outcome { latencies: Some(latencies), ..printed };
        assert_eq!(outcome.metric(Metric::LatencyMean).unwrap().value, 1.5);
        let median = outcome.metric(Metric::LatencyP50).unwrap();
        assert!((median.value - 2.0).abs() <= 2.0 * median.resolution, "{median:?}");
    }
}
