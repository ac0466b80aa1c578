//! How the run went as a whole.

use crate::Severity;
use serde::Serialize;
use crate::kind::{FindingKind, Group};
use crate::numbers::{self, counted};
use crate::names::{self, target_name};
use model::{Failure, FailureKind, text};

/// A trial failed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrialFailed {
    pub failure: Failure,
}

impl FindingKind for TrialFailed {
    const HEADING: &'static str = "Failed trials";

    fn is_like(&self, other: &Self) -> bool {
        self == other
    }

    fn say(found: &Group<'_, Self>) -> String {
        let what = match found.all.len() {
            1 => "the trial failed".to_owned(),
            several => format!("{} failed", counted(several, "trial")),
        };
        let failure = &found.first.failure;
        let kind = match failure.kind {
            FailureKind::Other => String::new(),
            kind => format!(" ({})", names::failure_kind(kind)),
        };
        format!("{what}{kind}: {}", with_fix(failure))
    }
}

/// Checks of every trial, numbered as in the methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// 1. Little's law.
    LittlesLaw,
    /// 2. The server's own counters.
    ServerCounters,
    /// 3. The client was not the bottleneck.
    ClientNotBottleneck,
    /// 4. No trend was left after the warm-up.
    SteadyState,
    /// 5. A cold trial read its data from storage, a warm one did not wait for pages.
    CacheAsDeclared,
    /// 6. Nothing took or withheld processor time: no hypervisor, no other process, no limit.
    OwnMachine,
    /// 8. Answers had all the rows that they must have.
    Answers,
}

impl Check {
    /// All checks, in order.
    pub const ALL: [Self; 7] = [
        Self::LittlesLaw,
        Self::ServerCounters,
        Self::ClientNotBottleneck,
        Self::SteadyState,
        Self::CacheAsDeclared,
        Self::OwnMachine,
        Self::Answers,
    ];
}

impl Check {
    /// Whether it fails where something disturbs the load on purpose.
    pub fn is_of_undisturbed_loads(self) -> bool {
        matches!(self, Self::SteadyState | Self::CacheAsDeclared)
    }
}

/// The message of a failure, and how to fix it where that is known.
pub(crate) fn with_fix(failure: &Failure) -> String {
    let message = text::message(&failure.message);
    match failure.remedy.as_str() {
        "" => message.into_owned(),
        remedy => format!("{message}. To fix: {remedy}"),
    }
}

/// The server does not offer what a trial asks for: an answer, and no failure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NotOffered {
    /// What the server says.
    pub failure: Failure,
}

impl FindingKind for NotOffered {
    const HEADING: &'static str = "Not offered";

    fn is_like(&self, other: &Self) -> bool {
        self == other
    }

    fn say(found: &Group<'_, Self>) -> String {
        let failure = &found.first.failure;
        format!("the server does not offer this: {}", text::message(&failure.message))
    }
}

/// Trials of the plan have no record (the run was interrupted).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrialsMissing {
    pub missing: usize,
    /// Of how many.
    pub planned: usize,
}

impl FindingKind for TrialsMissing {
    const HEADING: &'static str = "Trials not run";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn say(found: &Group<'_, Self>) -> String {
        let Self { missing, planned } = found.first;
        let were = if *missing == 1 { "was" } else { "were" };
        format!(
            "{} of {} {were} not run because the run was interrupted; “weighin run --resume” \
             runs what is missing",
            numbers::count(*missing as u64),
            counted(*planned, "planned trial"),
        )
    }
}

/// Fewer repeats than a study should have.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FewRepeats {
    pub repeats: u32,
    /// How many are worth having at least.
    pub needed: u32,
}

impl FindingKind for FewRepeats {
    const HEADING: &'static str = "Few repeats";

    /// A single repeat has no interval and answers nothing.
    fn severity(&self) -> Severity {
        if self.repeats < 2 { Severity::Severe } else { Severity::Notice }
    }

    fn say(found: &Group<'_, Self>) -> String {
        match found.first {
            Self { repeats: 1, needed } => format!(
                "every trial was run once: the scatter between repeats is not known, so no figure \
                 has an interval and no targets can be told apart; take {needed} repeats or more"
            ),
            Self { repeats, needed } => format!(
                "with {} of every trial only large differences can be detected; take {needed} or more",
                counted(*repeats as usize, "repeat"),
            ),
        }
    }
}

/// All trials passed this check.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CheckPassed {
    pub check: Check,
    /// Trials that it was made on.
    pub trials: usize,
}

impl FindingKind for CheckPassed {
    const HEADING: &'static str = "Checks";

    fn severity(&self) -> Severity {
        Severity::Passed
    }

    fn say(found: &Group<'_, Self>) -> String {
        let Self { check, trials } = found.first;
        format!("{} – passed on {}", names::check(*check), counted(*trials, "trial"))
    }
}

/// Trials were measured elsewhere: the checks of weighin's own could not be made on them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChecksNotMade {
    pub trials: usize,
}

impl FindingKind for ChecksNotMade {
    const HEADING: &'static str = "Checks not made";

    fn say(found: &Group<'_, Self>) -> String {
        let trials = found.first.trials;
        format!(
            "{} {} imported as printed: weighin’s checks of a trial need data that was not \
             recorded, so they were not made",
            counted(trials, "trial"),
            if trials == 1 { "was" } else { "were" },
        )
    }
}

/// There are too many targets to compare all pairs of them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairsLimited {
    /// Targets of the study.
    pub targets: usize,
    /// The most targets all pairs of which are compared.
    pub limit: usize,
    /// The target that each of the others is compared with.
    pub baseline: String,
}

impl FindingKind for PairsLimited {
    const HEADING: &'static str = "Too many targets for all pairs";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn say(found: &Group<'_, Self>) -> String {
        let Self { targets, limit, baseline } = found.first;
        format!(
            "the study has {} targets; weighin compares all pairs of up to {limit} targets, so \
             here it compares each target with {} alone; to compare other targets with one \
             another, put them into a study of their own",
            numbers::count(*targets as u64),
            target_name(baseline),
        )
    }
}
