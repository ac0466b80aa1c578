//! What goes to standard error.

use std::io::Write;

/// Writes a line to standard error. Nobody there to read it, as in `weighin run … 2>&1 | head`, is
/// no reason to end: what is being measured counts for more.
pub(crate) fn tell(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
