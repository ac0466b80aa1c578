use crate::{KNOWN_METRICS, KnownMetric, Latencies, Metric, factor_to};
use serde::{Deserialize, Serialize};

/// What somebody else's tool, log or table says of one trial: only what is printed, as it is
/// printed. What the source lacks is unknown, and stays so.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reported {
    /// The file that it was read from, as named by the user.
    pub file: String,
    /// What wrote it, with its version where that is known, such as `sysbench 1.0.20`; empty
    /// where unknown, as with tables.
    pub tool: String,
    /// Every figure, in the order of the source.
    pub figures: Vec<ReportedFigure>,
    /// The distribution of latencies, where the source has one.
    pub latencies: Option<Latencies>,
}

impl Reported {
    /// The first figure of that name.
    pub fn figure(&self, metric: &str) -> Option<&ReportedFigure> {
        self.figures.iter().find(|figure| figure.metric == metric)
    }

    /// What a name that weighin understands stands for here, in the unit of its metric; `None`
    /// where it is not there, is no number, or its unit is not known.
    pub fn known(&self, known: &KnownMetric) -> Option<PrintedNumber> {
        let figure = self.figure(known.name)?;
        let PrintedValue::Number(number) = figure.value else { return None };
        let factor = factor_to(known.metric, &figure.unit)?;
        let (value, resolution) = (number.value * factor, number.resolution * factor);
        Some(PrintedNumber { value, resolution })
    }

    /// The first of [`crate::KNOWN_METRICS`] for this metric that is there.
    pub fn metric(&self, metric: Metric) -> Option<PrintedNumber> {
        let names = KNOWN_METRICS.iter().filter(|known| known.metric == metric);
        names.filter_map(|known| self.known(known)).next()
    }

    /// The first figure of that name that is a number.
    pub fn number(&self, metric: &str) -> Option<&PrintedNumber> {
        match &self.figure(metric)?.value {
            PrintedValue::Number(number) => Some(number),
            PrintedValue::Text(_) => None,
        }
    }
}

/// One figure as printed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReportedFigure {
    /// What it is of, in the source's words or, where weighin knows the source's format, in
    /// weighin's: `transactions_per_s`, `latency_p95`, `elapsed`.
    pub metric: String,
    /// What is printed.
    pub value: PrintedValue,
    /// Its unit as printed, such as `ms` or `1/s`; empty where none is given.
    pub unit: String,
    /// What the source adds to it; empty where nothing.
    pub note: String,
    /// Where it stands in the file, from 1; 0 where lines mean nothing, as in JSON.
    pub line: u32,
}

/// What stands in the place of a figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PrintedValue {
    /// A number.
    Number(PrintedNumber),
    /// A date, a word, a reason.
    Text(String),
}

/// A number and how precisely it is printed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PrintedNumber {
    /// The number.
    pub value: f64,
    /// By how much the true value may differ, because it was rounded or cut off for printing: one
    /// unit of the last digit printed. 0 where the number is exact.
    pub resolution: f64,
}
