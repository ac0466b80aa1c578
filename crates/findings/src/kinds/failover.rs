//! What a failover did to writes.

use crate::Severity;
use serde::Serialize;
use crate::kind::{FindingKind, Group};
use crate::numbers::{self, count, figure};
use model::text;

/// Writes that were acknowledged are not there after a failover.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WritesLost {
    pub lost: u64,
    pub acknowledged: u64,
    /// Lost ones that another server of the target, such as the old primary, still has; absent where
    /// none could be asked.
    pub elsewhere: Option<u64>,
    /// Ids of them, up to some.
    pub ids: String,
}

impl FindingKind for WritesLost {
    const HEADING: &'static str = "Lost writes";
    const TOGETHER: bool = true;

    /// The trial is as good as any; what it says is bad.
    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn say(found: &Group<'_, Self>) -> String {
        let lost = found.total(|lost| lost.lost);
        let acknowledged = count(found.total(|lost| lost.acknowledged));
        let trials = match found.all.len() {
            1 => String::new(),
            several => format!(" in {several} trials"),
        };
        let (were, are) = if lost == 1 { ("was", "is") } else { ("were", "are") };
        let known: Option<u64> = found.iter().map(|lost| lost.elsewhere).sum();
        let elsewhere = match known {
            Some(0) | None => String::new(),
            Some(n) if n == lost => "; the old primary still has them".to_owned(),
            Some(n) => format!("; the old primary still has {}", count(n)),
        };
        let ids = match found.is_one() {
            true => format!(" (ids {})", text::line(&found.first.ids)),
            false => String::new(),
        };
        format!(
            "{} of {acknowledged} acknowledged writes {were} lost{trials}: the client was told that \
             they were committed, and they {are} not on the new primary{ids}{elsewhere}",
            count(lost),
        )
    }
}

/// No acknowledged write is missing after a failover.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NoWriteLost {
    pub acknowledged: u64,
    /// Writes that were not acknowledged and are there.
    pub unacknowledged: u64,
}

impl FindingKind for NoWriteLost {
    const HEADING: &'static str = "No lost writes";
    const TOGETHER: bool = true;

    fn say(found: &Group<'_, Self>) -> String {
        let acknowledged = count(found.total(|kept| kept.acknowledged));
        let beyond = match found.total(|kept| kept.unacknowledged) {
            0 => String::new(),
            1 => "; one that was not acknowledged is there too".to_owned(),
            n => format!("; {} that were not acknowledged are there too", count(n)),
        };
        format!(
            "none of {acknowledged} acknowledged writes was lost in {}{beyond}",
            numbers::counted(found.all.len(), "failover")
        )
    }
}

/// Another server has writes that the new primary does not have.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WritesDiverged {
    pub writes: u64,
}

impl FindingKind for WritesDiverged {
    const HEADING: &'static str = "Diverged servers";
    const TOGETHER: bool = true;

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn say(found: &Group<'_, Self>) -> String {
        let writes = found.total(|diverged| diverged.writes);
        format!(
            "another server has {} that the new primary does not have: it cannot simply follow the \
             new primary and has to be rebuilt",
            numbers::counted(writes as usize, "write")
        )
    }
}

/// After a failover 95 % of the rate was not seen for a whole second.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RateNotBack;

impl FindingKind for RateNotBack {
    const HEADING: &'static str = "Rate not back";
    const TOGETHER: bool = true;

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn say(_found: &Group<'_, Self>) -> String {
        "writes were accepted again, but the rate did not return to 95\u{a0}% of its earlier \
         level for a whole second before the trial ended, so the time until it is back is not \
         known"
            .to_owned()
    }
}

/// Before a failover writes paused nearly as long as in it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PauseBefore {
    /// The longest time without an acknowledged write before, in seconds.
    pub seconds: f64,
    /// The downtime, in seconds.
    pub downtime: f64,
}

impl FindingKind for PauseBefore {
    const HEADING: &'static str = "Pauses before the failover";
    const TOGETHER: bool = true;

    fn say(found: &Group<'_, Self>) -> String {
        format!(
            "writes paused for {}{}\u{a0}s before anything happened, which is not much less than the \
             downtime of {}\u{a0}s: part of that may be such a pause",
            found.up_to(),
            figure(found.most(|pause| pause.seconds)),
            figure(found.most(|pause| pause.downtime)),
        )
    }
}
