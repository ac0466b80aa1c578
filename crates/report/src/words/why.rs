//! What decides differences, and what ends the rise of curves, beside the verdicts.

use crate::view;
use analyse::{Analysis, Evidence, Metric, TestAnalysis, WhySlower};

pub(crate) const WHY: &str = "Why";
pub(crate) const TIMES: &str = "Where the time goes";
/// How to read that table.
pub(crate) const TIMES_CAPTION: &str = "Clients ÷ throughput is the time of one after the other, and by \
    Little’s law the same holds of the clients that do one thing at a time: what they wait for locks by the \
    server’s own account, for syncs of its log and reads of its disks by its counts and the disks’ times, \
    what the server’s process takes of processors, and what the load generator takes from a reply to the \
    next request. Waits for processors are in none of these, and neither is what was not seen.";

/// One sentence for each pair that differs, and for each curve that bends.
pub(crate) fn why(analysis: &Analysis, test: &TestAnalysis) -> Vec<String> {
    super::sentences(&view::why(analysis, test), |finding| view::counted_in(analysis, finding))
}

/// Why others are slower than the target that comes first, in a sentence each: over all levels together, or at
/// the only level. Empty where that is not known, or where something else than throughput decides.
pub(crate) fn of_first_place(analysis: &Analysis, test: &TestAnalysis) -> Vec<String> {
    /// Most targets of which it is said.
    const MOST: usize = 2;
    if test.basis.is_none_or(|basis| basis.metric != Metric::Throughput) {
        return Vec::new();
    }
    let Some(first) = view::ranked(test).next() else { return Vec::new() };
    let is_only_level =
        analysis.dataset.study.test(&test.test).is_some_and(|of| of.levels().len() == 1);
    let found =
        view::why(analysis, test).into_iter().filter_map(|finding| match &finding.evidence {
            Evidence::WhySlower(why) => Some(why),
            _ => None,
        });
    let is_said = |why: &&WhySlower| why.faster == first.target && (why.together || is_only_level);
    found
        .filter(is_said)
        .filter_map(WhySlower::in_short)
        .take(MOST)
        .map(|said| format!("{said}."))
        .collect()
}
