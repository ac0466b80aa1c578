//! What an operation takes of the machine that its target is on.

use crate::view;
use analyse::TestAnalysis;

/// `What a transaction takes`.
pub(crate) fn resources_heading(test: &TestAnalysis) -> String {
    format!("What {} takes", each(test))
}

/// How to read the figures.
pub(crate) fn resources(test: &TestAnalysis) -> String {
    format!(
        "For {} that succeeded, on average over the measured phase; lower is better. Server CPU is the \
         processor time of the server’s process, host CPU that of its whole machine without weighin’s own; \
         disk figures are those of the disks under its data; log and cache misses are the server’s own \
         counts. What is missing was not seen. Ratios are judged like those of the other figures, each \
         kind by itself.",
        each(test)
    )
}

fn each(test: &TestAnalysis) -> String {
    let one = view::counted(test).one;
    let article = if one.starts_with(['a', 'e', 'i', 'o', 'u', 'I']) { "an" } else { "a" };
    format!("{article} {one}")
}
