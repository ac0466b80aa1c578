//! `weighin agent`: weighin on the machine of a target. Started over SSH by weighin itself.

use super::Outcome;
use crate::Exit;
use crate::messages::JsonLines;
use std::io::{BufReader, stdin};

/// Does what comes through standard input, and answers on standard output.
pub(crate) fn agent() -> Outcome {
    host::serve(BufReader::new(stdin()), JsonLines::new())?;
    Ok(Exit::Done)
}
