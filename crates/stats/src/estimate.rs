use serde::Serialize;

/// A number with what is known of its uncertainty.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The median of the sample (of the pairs, for a ratio).
    pub point: f64,
    /// Where the true value lies; `None` for a single measurement, which says nothing of it.
    pub interval: Option<Interval>,
    /// Values that it rests on.
    pub n: usize,
}

/// Where a true value lies, with what confidence, and why.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Confidence that the method really reaches, in (0, 1); at least what was asked for.
    pub confidence: f64,
    /// How it was found.
    pub method: IntervalMethod,
}

/// How an interval was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IntervalMethod {
    /// Order statistics: assumes nothing of the distribution, needs six values for 95 %.
    OrderStatistics,
    /// Student's t on logarithms: assumes that repeats scatter log-normally. Used below the
    /// number of values that order statistics need.
    StudentLog,
}
