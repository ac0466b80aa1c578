//! What decides differences, and what ends the rise of curves, beside the verdicts.

use crate::view;
use analyse::{Analysis, TestAnalysis};

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
