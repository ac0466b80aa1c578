//! How to read tables.

use super::decision;
use crate::{numbers, view};
use analyse::{Analysis, TestAnalysis};

/// Of all cells of a test.
pub(crate) fn cells(test: &TestAnalysis) -> String {
    format!(
        "Medians over the repeats that count, with their intervals. A dash means no data, or too few {} \
         for that percentile.",
        view::counted(test)
    )
}

/// Of the same, where each trial has a link.
pub(crate) const TRIALS_OF_CELLS: &str = " Under the trials each repeat leads to what it did; ? is suspect, ✕ \
    void.";

/// Of the ratios of pairs.
pub(crate) fn ratios(analysis: &Analysis, test: &TestAnalysis) -> String {
    let overall = match test.overall.is_empty() {
        true => "",
        false => " The last row compares geometric means over the levels, with equal weights.",
    };
    let pairs = match decision::studied(analysis, test).is_some_and(decision::took_no_turns) {
        true => "over all repeats of each, which are no pairs,",
        false => "repeat by repeat,",
    };
    format!(
        "Ratios are the figure of the target named first ÷ that of the second, {pairs} with the \
         geometric means that they are of; the table of figures has medians. “Same” means within {}.\
         {overall}",
        numbers::percent(analysis.dataset.study.margin)
    )
}

pub(crate) const TARGET_HOSTS: &str = "Reached over SSH and sampled there. A clock is compared with that of the \
    host that ran weighin before and after each trial: samples of that host are on the time line of the load to \
    within the figure after ±.";

pub(crate) const LOAD_HOSTS: &str = "They made the load, reached over SSH and sampled there; the host that ran \
    weighin made none of it. By their clocks, which are compared with its clock before and after each trial, all \
    of them begin at one moment.";

/// Of what events cost.
pub(crate) const EVENT_COSTS: &str = "What figures did in the seconds that an event touched, against the quiet \
    seconds of the same trials: a ratio below 1 is less.";

/// Of when they were.
pub(crate) const EVENT_TIMES: &str = "Seconds count from the start of the load. A server’s counters are read \
    about once a second, so that most beginnings and ends are known to lie between two readings.";

pub(crate) const CONTRADICTIONS: &str = "A printed figure stands for every value that rounds to it. If none of \
    these values fits what follows from other figures, some of these figures are wrong; the arithmetic does not \
    say which.";

pub(crate) const FACTORS: &str =
    "Targets that differ in one label only. What the labels do not say may differ too.";

pub(crate) const ROUND_TRIPS: &str = "By how much longer a round trip took on the way of the loads, as it was \
    measured beside them, and by how much longer an operation took on the mean: one over the other is how many \
    round trips an operation makes. In another place it takes longer by so many times the distance.";

pub(crate) const FAILOVER_STEPS: &str = "Medians over the trials, with the least and the most.";

pub(crate) const VIRTUAL_MACHINES: &str = "MB are 10⁶ bytes and GB 10⁹. Latencies of reads and writes are \
    service times, from submitting one to seeing that it is done.";
