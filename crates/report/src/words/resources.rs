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
         processor time of the server’s process, host CPU that of all processors that it runs on, without weighin’s own; \
         disk figures are those of the disks under its data; log and cache misses are the server’s own \
         counts; packets are those of the load’s connections alone, with those that only confirm others. \
         Memory is all that the server’s processes had resident when measuring ended; space for a row, \
         growth and bytes written to disk for a byte of rows count the files of all tables of the database \
         with their indexes. What is missing was not seen. Ratios are judged like those of the other figures, each \
         kind by itself.",
        each(test)
    )
}

fn each(test: &TestAnalysis) -> String {
    let one = view::counted(test).one;
    let article = if one.starts_with(['a', 'e', 'i', 'o', 'u', 'I']) { "an" } else { "a" };
    format!("{article} {one}")
}
