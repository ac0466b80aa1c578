//! Words for transactions and statements of the user's own.

/// Below the table of transactions.
pub(crate) const ITEMS: &str = "Medians over the repeats that count, with their intervals. Errors and \
     retries are those of all measured phases together. What was cut off at the end, refused or never \
     answered is in the latencies of its own name where it waited longer than anything that was \
     answered.";

/// Above the table of plans.
pub(crate) const PLANS_HEADING: &str = "Plans that differ between targets";
