//! Background work in one trial, in numbers.

use super::cost::{Seconds, halves, measured};
use super::{events, touched, would_show};
use findings::EventKind;
use model::TrialRecord;

/// What a server did in the background in the measured phase of one trial.
#[derive(Clone, Debug, PartialEq)]
pub struct TrialBackground {
    /// Snapshots that touched it.
    pub snapshots: usize,
    /// Rewrites of the append-only file that did.
    pub log_rewrites: usize,
    /// Syncs of that file that came late.
    pub delayed_syncs: u64,
    /// The seconds that any of this touched, and the quiet ones: absent where there are none of
    /// either, and in trials that are not judged by them, as they lost connections or fell behind
    /// their rate.
    pub seconds: Option<(TrialSeconds, TrialSeconds)>,
}

/// Some seconds of a trial together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrialSeconds {
    pub seconds: f64,
    /// Transactions per second in them.
    pub throughput: f64,
}

impl TrialBackground {
    /// `None` for a trial without a result, or on a server whose counters do not show such work.
    pub fn from_record(record: &TrialRecord) -> Option<Self> {
        let load = record.load()?;
        let shows = |kind| would_show(&record.sampling, kind);
        if !shows(EventKind::Snapshot) && !shows(EventKind::LogRewrite) {
            return None;
        }
        let all = events(record);
        let intervals = measured(load);
        let here = || all.iter().filter(|event| touched(event, &intervals).contains(&true));
        let of_kind = |kind| here().filter(|event| event.kind == kind).count();
        let seconds = |part: &Seconds| TrialSeconds {
            seconds: part.seconds,
            throughput: part.transactions as f64 / part.seconds,
        };
        Some(Self {
            snapshots: of_kind(EventKind::Snapshot),
            log_rewrites: of_kind(EventKind::LogRewrite),
            delayed_syncs: here().map(|event| event.delayed).sum(),
            seconds: halves(load, &all, None)
                .map(|(during, quiet)| (seconds(&during), seconds(&quiet))),
        })
    }
}
