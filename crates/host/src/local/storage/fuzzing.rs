//! The private parsers of this module on any text.

use super::mark::Mark;

/// Reads a text as the mark of a volume, which is the same after it was written again.
pub(crate) fn read(text: &str) {
    if let Some(mark) = Mark::read(text) {
        assert_eq!(Mark::read(&mark.text()), Some(mark), "{text}");
    }
}
