//! Check 4: whether trials were in a steady state.

use stats::Estimate;
use crate::{Severity, Evidence};
use serde::Serialize;
use crate::kind::{FindingKind, Group};
use crate::numbers::{bytes, percent};

/// Check 4: the measured phase was no steady state.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Drift {
    /// What changed.
    pub figure: SteadyFigure,
    /// By how much over the whole phase, relative to the mean: −0.1 is a tenth less at the
    /// end than at the beginning. `n` is the number of intervals.
    pub change: Estimate,
}

impl FindingKind for Drift {
    const HEADING: &'static str = "No steady state";

    fn is_like(&self, other: &Self) -> bool {
        self.figure == other.figure
    }

    fn say(found: &Group<'_, Self>) -> String {
        let figure = match found.first.figure {
            SteadyFigure::Throughput => "throughput",
            SteadyFigure::MeanLatency => "the mean response time",
        };
        let change = if found.is_one() {
            let change = found.first.change;
            let interval = change.interval.map_or(String::new(), |interval| {
                let (low, high) = (signed(interval.low), signed(interval.high));
                format!(" ({} interval {low} to {high})", percent(interval.confidence))
            });
            format!("{}{interval}", signed(change.point))
        } else {
            let (low, high) = found.range(|drift| drift.change.point);
            format!("{} to {}", signed(low), signed(high))
        };
        format!(
            "no steady state: from the beginning to the end of the measurement {figure} changed by \
             {change} of its mean; a longer warm-up may help"
        )
    }
}

/// What must be steady in the measured phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SteadyFigure {
    /// Transactions per second, in a closed loop.
    Throughput,
    /// The mean response time, in an open loop.
    MeanLatency,
}

/// A share with its sign: `+4.1 %`, `−12 %`.
fn signed(share: f64) -> String {
    let sign = if share < 0.0 { '−' } else { '+' };
    format!("{sign}{}", percent(share.abs()))
}

/// Check 4 could not be made: the measured phase has too few intervals to show a trend.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TooShortForTrend {
    /// Whole intervals that it has.
    pub intervals: usize,
    /// Others in which the server did background work, or an intervention was under way.
    pub left_out: usize,
    /// How many it takes.
    pub needed: usize,
}

impl FindingKind for TooShortForTrend {
    const HEADING: &'static str = "Steady state not known";
    const TOGETHER: bool = true;

    fn of_cell(&self, _trials: &[&Evidence]) -> Option<Evidence> {
        Some(self.clone().into())
    }

    fn say(found: &Group<'_, Self>) -> String {
        let (at_most, which) = if found.is_one() {
            ("", format!("the {}", found.first.left_out))
        } else {
            ("at most ", "those".to_owned())
        };
        let without = if found.most(|short| short.left_out as f64) > 0.0 {
            format!(
                " without {which} in which the server did background work or an intervention was \
                 under way"
            )
        } else {
            String::new()
        };
        format!(
            "it is not known whether there was a steady state: a trend needs {} whole intervals \
             to show, but the measurement had {at_most}{}{without}",
            found.first.needed,
            found.most(|short| short.intervals as f64),
        )
    }
}

/// Check 4: writes that the server had put off at both ends of the measured phase.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DirtyPageBacklog {
    /// Bytes of dirty pages at its beginning and its end.
    pub dirty_bytes: (u64, u64),
    /// Bytes of pages that were written meanwhile.
    pub flushed_bytes: u64,
    /// Bytes of redo since the checkpoint at its beginning and its end, where the server
    /// tells.
    pub checkpoint_age: Option<(u64, u64)>,
    /// Bytes of redo that were written meanwhile.
    pub redo_bytes: Option<u64>,
    /// Whether more than a quarter of what the phase changed was left to be written later.
    pub growing: bool,
}

impl FindingKind for DirtyPageBacklog {
    const HEADING: &'static str = "Dirty-page backlog";

    /// The reader is warned of a backlog that grows, although the trial is as good as any.
    fn severity(&self) -> Severity {
        if self.growing { Severity::Warning } else { Severity::Notice }
    }

    fn is_like(&self, other: &Self) -> bool {
        self.growing == other.growing
    }

    /// Of several the largest figures.
    fn say(found: &Group<'_, Self>) -> String {
        let up_to = found.up_to();
        let most = |of: fn(&Self) -> Option<u64>| found.iter().filter_map(of).max();
        let dirty = bytes(most(|backlog| Some(backlog.dirty_bytes.1)).unwrap_or_default());
        let age = most(|backlog| backlog.checkpoint_age.map(|age| age.1));
        let redo =
            age.map_or(String::new(), |age| format!(", and the checkpoint age was {}", bytes(age)));
        let state = format!(
            "when the measurement ended, {up_to}{dirty} of changed pages were not yet written{redo}"
        );
        if found.first.growing {
            let growth = |backlog: &Self| {
                let (from, to) = backlog.dirty_bytes;
                Some(to.saturating_sub(from))
            };
            let grown = bytes(most(growth).unwrap_or_default());
            format!(
                "{state}; {up_to}{grown} of the pages were added during the measurement, work that \
                 a longer trial would have included"
            )
        } else {
            format!("{state}; this backlog grew little during the measurement")
        }
    }
}
