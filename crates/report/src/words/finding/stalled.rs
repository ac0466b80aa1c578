//! Trials in which nothing succeeded.

use super::{Group, Words};
use crate::numbers::counted;
use analyse::Stalled;

impl Words for Stalled {
    const HEADING: &'static str = "Nothing succeeded";

    fn is_like(&self, other: &Self) -> bool {
        self == other
    }

    fn say(found: &Group<'_, Self>) -> String {
        let Self { stalled, trials } = *found.first;
        format!(
            "nothing succeeded in {stalled} of {}: throughput was zero, of which no ratio can be \
             taken, so nothing is compared there",
            counted(trials, "repeat")
        )
    }
}
