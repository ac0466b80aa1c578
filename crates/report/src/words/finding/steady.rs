//! Check 4: whether trials were in a steady state.

use super::{Group, Words};
use crate::numbers::{bytes, percent};
use analyse::{DirtyPageBacklog, Drift, SteadyFigure, TooShortForTrend};

impl Words for Drift {
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

/// A share with its sign: `+4.1 %`, `−12 %`.
fn signed(share: f64) -> String {
    let sign = if share < 0.0 { '−' } else { '+' };
    format!("{sign}{}", percent(share.abs()))
}

impl Words for TooShortForTrend {
    const HEADING: &'static str = "Steady state not known";
    const TOGETHER: bool = true;

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

impl Words for DirtyPageBacklog {
    const HEADING: &'static str = "Dirty-page backlog";

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
