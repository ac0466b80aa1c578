//! Whether trials were in a steady state, in words: one statement for any number of findings of a
//! kind.

use super::doubts::span;
use crate::numbers::{self, bytes, percent};
use analyse::{
    DirtyPageBacklog, Drift, Evidence, Finding, OtherProcesses, SteadyFigure, TooShortForTrend,
};
use stats::Estimate;

/// A drift, with its interval; of several the range.
pub(super) fn drift(figure: SteadyFigure, findings: &[&Finding]) -> String {
    let what = match figure {
        SteadyFigure::Throughput => "throughput",
        SteadyFigure::MeanLatency => "the mean response time",
    };
    let change = match findings {
        [Finding { evidence: Evidence::Drift(Drift { change, .. }), .. }] => one_change(change),
        several => {
            let (low, high) = span(several, |evidence| match evidence {
                Evidence::Drift(Drift { change, .. }) => Some(change.point),
                _ => None,
            });
            format!("by {} to {}", signed(low), signed(high))
        }
    };
    format!(
        "no steady state: from the beginning of measuring to its end {what} changed {change} of its \
         mean; a longer warm-up may help"
    )
}

fn one_change(change: &Estimate) -> String {
    let interval = change.interval.map_or(String::new(), |interval| {
        let (low, high) = (signed(interval.low), signed(interval.high));
        format!(" ({} interval {low} to {high})", percent(interval.confidence))
    });
    format!("by {}{interval}", signed(change.point))
}

/// A share with its sign: `+4.1 %`, `−12 %`.
fn signed(share: f64) -> String {
    let sign = if share < 0.0 { '−' } else { '+' };
    format!("{sign}{}", percent(share.abs()))
}

pub(super) fn too_short(needed: usize, findings: &[&Finding]) -> String {
    let (_, most) = span(findings, |evidence| match evidence {
        Evidence::TooShortForTrend(TooShortForTrend { intervals, .. }) => Some(*intervals as f64),
        _ => None,
    });
    let (_, left_out) = span(findings, |evidence| match evidence {
        Evidence::TooShortForTrend(TooShortForTrend { left_out, .. }) => Some(*left_out as f64),
        _ => None,
    });
    let without = if left_out > 0.0 {
        format!(
            " without {} in which the server made a snapshot or rewrote its append-only file",
            if findings.len() > 1 { "those".to_owned() } else { format!("the {left_out}") },
        )
    } else {
        String::new()
    };
    format!(
        "whether there was a steady state is not known: it takes {needed} whole intervals to see a \
         trend, and measuring had {}{most}{without}",
        if findings.len() > 1 { "at most " } else { "" },
    )
}

/// Dirty pages and redo at the end of measuring, the most of all findings.
pub(super) fn debts(growing: bool, findings: &[&Finding]) -> String {
    let most = |of: &dyn Fn(&Evidence) -> Option<u64>| {
        findings.iter().filter_map(|finding| of(&finding.evidence)).max()
    };
    let end = |debt: &Evidence| match debt {
        Evidence::DirtyPageBacklog(DirtyPageBacklog { dirty_bytes, .. }) => Some(dirty_bytes.1),
        _ => None,
    };
    let age = |debt: &Evidence| match debt {
        Evidence::DirtyPageBacklog(DirtyPageBacklog { checkpoint_age, .. }) => {
            checkpoint_age.map(|age| age.1)
        }
        _ => None,
    };
    let grown = |debt: &Evidence| match debt {
        Evidence::DirtyPageBacklog(DirtyPageBacklog { dirty_bytes: (from, to), .. }) => {
            Some(to.saturating_sub(*from))
        }
        _ => None,
    };
    let up_to = if findings.len() > 1 { "up to " } else { "" };
    let dirty = bytes(most(&end).unwrap_or_default());
    let redo = most(&age).map_or(String::new(), |age| {
        format!(", and the last checkpoint was {} of redo ago", bytes(age))
    });
    let state =
        format!("when measuring ended, {up_to}{dirty} of changed pages were not written yet{redo}");
    if growing {
        let grown = bytes(most(&grown).unwrap_or_default());
        format!(
            "{state}; {up_to}{grown} of the pages had been added while measuring, work that a \
             longer trial would have shown"
        )
    } else {
        format!("{state}; this grew little while measuring")
    }
}

pub(super) fn other_processes(findings: &[&Finding]) -> String {
    let share = span(findings, |evidence| match evidence {
        Evidence::OtherProcesses(OtherProcesses { share }) => Some(*share),
        _ => None,
    });
    format!(
        "processes that are neither the server nor weighin took {} of this host’s processor time",
        numbers::percents(share),
    )
}
