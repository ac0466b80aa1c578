//! A fixed amount of work that did not end in its time.

use super::{Group, Words};
use crate::numbers::{count, duration, number_of};
use analyse::WorkCutShort;

impl Words for WorkCutShort {
    const HEADING: &'static str = "Work not finished";

    fn say(found: &Group<'_, Self>) -> String {
        let Self { asked, time_limit, counted, .. } = *found.first;
        let done = |cut: &Self| cut.done;
        let least = found.iter().map(done).min().unwrap_or_default();
        let most = found.iter().map(done).max().unwrap_or_default();
        let done = match least == most {
            true => count(least),
            false => format!("{} to {}", count(least), count(most)),
        };
        format!(
            "the time limit of {} ended the load after {done} of {}: the time for all of them is not \
             known, and throughput is that of what was done",
            duration(time_limit),
            number_of(asked, counted),
        )
    }
}
