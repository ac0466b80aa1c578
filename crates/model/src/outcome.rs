use crate::{KNOWN_METRICS, KnownMetric, Latencies, LoadResult, Metric, factor_to};
use serde::{Deserialize, Serialize};

/// What came of a trial that completed, whoever measured it. What is not here is unknown, and
/// stays so.
///
/// A load's recording speaks for itself: rates and latencies of a load are no figures of their own
/// and are derived from the recording alone, so that nothing can contradict it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Where it was read from; `None` where weighin measured it.
    pub source: Option<ResultSource>,
    /// What the task measured besides a load, or what a source prints, in its order.
    pub figures: Vec<Figure>,
    /// What the load engine recorded, where there was a load.
    pub load: Option<LoadResult>,
    /// The distribution of latencies that a source prints.
    pub latencies: Option<Latencies>,
    /// What happened during the trial, in order of time.
    pub marks: Vec<Mark>,
}

/// Where results come from that weighin did not measure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultSource {
    /// The file, as named by the user.
    pub file: String,
    /// What wrote it, with its version where that is known, such as `sysbench 1.0.20`; empty
    /// where unknown, as with tables.
    pub tool: String,
}

impl Outcome {
    /// That of a load which weighin ran.
    pub fn of_load(load: LoadResult) -> Self {
        Self { load: Some(load), ..Self::default() }
    }

    /// What a file of that name says, written by that tool.
    pub fn printed(file: &str, tool: impl Into<String>, figures: Vec<Figure>) -> Self {
        let source = ResultSource { file: file.to_owned(), tool: tool.into() };
        Self { source: Some(source), figures, ..Self::default() }
    }

    /// The first figure of that name.
    pub fn figure(&self, metric: &str) -> Option<&Figure> {
        self.figures.iter().find(|figure| figure.metric == metric)
    }

    /// What a name that weighin understands stands for here, in the unit of its metric; `None`
    /// where it is not there, is no number, or its unit is not known.
    pub fn known(&self, known: &KnownMetric) -> Option<FigureNumber> {
        let figure = self.figure(known.name)?;
        let FigureValue::Number(number) = figure.value else { return None };
        let factor = factor_to(known.metric, &figure.unit)?;
        let (value, resolution) = (number.value * factor, number.resolution * factor);
        Some(FigureNumber { value, resolution })
    }

    /// The first of [`crate::KNOWN_METRICS`] for this metric that is there.
    pub fn metric(&self, metric: Metric) -> Option<FigureNumber> {
        let names = KNOWN_METRICS.iter().filter(|known| known.metric == metric);
        names.filter_map(|known| self.known(known)).next()
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
    pub printed: Option<Printed>,
}

/// Where a figure is printed, and with what beside it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Printed {
    /// The line of the file, from 1; 0 where lines mean nothing, as in JSON.
    pub line: u32,
    /// What the source adds to the figure; empty where nothing.
    pub note: String,
}

/// What stands in the place of a figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FigureValue {
    /// A number.
    Number(FigureNumber),
    /// A date, a word, a reason.
    Text(String),
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

/// A named moment or span on a trial's time line, such as the start and the end of an ALTER.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    /// What happened, in a word or two.
    pub name: String,
    /// When it began, in seconds from the trial's origin: where there is a load, from its start.
    pub at_seconds: f64,
    /// When it ended, likewise; `None` for a moment.
    pub until_seconds: Option<f64>,
    /// What is to be said of it.
    pub note: Option<String>,
}
