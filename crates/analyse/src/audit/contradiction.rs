use super::Range;
use model::{FigureValue, Metric};
use serde::Serialize;

/// A figure that cannot be true together with others: the arithmetic.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Contradiction {
    /// Which identity does not hold.
    pub identity: Identity,
    /// The file that the figures are printed in; empty for weighin's own results.
    pub file: String,
    /// What the arithmetic starts from.
    pub terms: Vec<Term>,
    /// What follows from the terms for the figure, in the unit in which it is printed.
    pub follows: Range,
    /// The figure as it is printed.
    pub printed: Term,
    /// The printed figure less what follows, in its unit.
    pub off: f64,
}

impl Contradiction {
    /// By how much the figure is off, as a share of what follows: 0.05 is 5 %.
    pub fn relative(&self) -> f64 {
        self.off.abs() / self.follows.nominal.abs().max(f64::MIN_POSITIVE)
    }

    /// Whether a metric is among the figures that cannot all be true, off by more than that margin:
    /// nothing is to be chosen by it then.
    pub fn is_against(&self, metric: Metric, margin: f64) -> bool {
        let is_of_it = |term: &Term| metric.printed_names().any(|known| known.name == term.name);
        self.relative() > margin && self.terms.iter().chain([&self.printed]).any(is_of_it)
    }
}

/// What must hold between figures.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Identity {
    /// A rate is its count ÷ the time.
    Rate,
    /// Counts of one trial with their rates all give the same time.
    SameTime,
    /// Elapsed time is the end less the start.
    Elapsed,
    /// Bytes per second are operations per second × block size.
    Bandwidth {
        /// How megabytes and the like are to be read.
        prefix: Prefix,
        /// In how many figures of the file this way of reading holds.
        holds: usize,
        /// Whether in this one figure the other way of reading would hold.
        other_holds: bool,
    },
    /// A total ÷ the same per unit is the number of units, and the same in all rows of a set-up.
    PerUnit {
        /// In how many rows it is the same.
        holds: usize,
    },
    /// Operations per second × latency are no more than may be outstanding (Little's law).
    Outstanding,
    /// A higher percentile is no lower; the minimum is below all, the maximum above.
    PercentileOrder,
    /// A mean lies between minimum and maximum.
    MeanInRange,
    /// A total is the sum of its parts; a part alone, or what is counted at least that often, is
    /// a bound.
    Sum,
    /// A rank follows from the values.
    Rank,
    /// So many statements per transaction, as the workload has it.
    StatementsPerTransaction,
}

/// Whose figures were audited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Those that others printed.
    Others,
    /// Those that weighin recorded.
    Own,
}

/// How prefixes such as the M of MB are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Prefix {
    /// Powers of 1000.
    Decimal,
    /// Powers of 1024.
    Binary,
}

/// A figure of the arithmetic.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Term {
    /// Its name in the source, or that of the part of a result that it is.
    pub name: String,
    pub value: FigureValue,
    /// Its unit as printed; empty where none is given.
    pub unit: String,
    pub origin: Origin,
}

/// Where a figure comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// It is printed in that line; 0 where lines mean nothing.
    Line(u32),
    /// The name of the test says it.
    TestName,
    /// The level says it.
    Level,
    /// It follows from other rows of the same set-up.
    OtherRows,
    /// Weighin recorded it.
    Recorded,
    /// The study asks for it.
    Study,
}
