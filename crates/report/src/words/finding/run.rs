//! How the run went as a whole.

use super::{Group, Words};
use crate::numbers::{self, counted};
use crate::words::labels::{self, target_name};
use analyse::{
    CheckPassed, ChecksNotMade, FewRepeats, NotOffered, PairsLimited, TrialFailed, TrialsMissing,
};
use model::{Failure, FailureKind, text};

impl Words for TrialFailed {
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
            kind => format!(" ({})", labels::failure_kind(kind)),
        };
        format!("{what}{kind}: {}", with_fix(failure))
    }
}

/// The message of a failure, and how to fix it where that is known.
pub(super) fn with_fix(failure: &Failure) -> String {
    let message = text::message(&failure.message);
    match failure.remedy.as_str() {
        "" => message.into_owned(),
        remedy => format!("{message}. To fix: {remedy}"),
    }
}

impl Words for NotOffered {
    const HEADING: &'static str = "Not offered";

    fn is_like(&self, other: &Self) -> bool {
        self == other
    }

    fn say(found: &Group<'_, Self>) -> String {
        let failure = &found.first.failure;
        format!("the server does not offer this: {}", text::message(&failure.message))
    }
}

impl Words for TrialsMissing {
    const HEADING: &'static str = "Trials not run";

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

impl Words for FewRepeats {
    const HEADING: &'static str = "Few repeats";

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

impl Words for CheckPassed {
    const HEADING: &'static str = "Checks";

    fn say(found: &Group<'_, Self>) -> String {
        let Self { check, trials } = found.first;
        format!("{} – passed on {}", labels::check(*check), counted(*trials, "trial"))
    }
}

impl Words for ChecksNotMade {
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

impl Words for PairsLimited {
    const HEADING: &'static str = "Too many targets for all pairs";

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
