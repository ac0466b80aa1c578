//! `weighin load-generator`: one of several load generators. Started by weighin itself.

use super::Outcome;
use crate::Exit;
use crate::messages::JsonLines;
use std::io::{BufReader, stdin};

/// Does what comes through standard input, and answers on standard output.
pub(crate) fn load_generator() -> Outcome {
    campaign::generate(BufReader::new(stdin()), &mut JsonLines::new())?;
    Ok(Exit::Done)
}

/// The same for a lead on another machine.
pub(crate) fn remote_load_generator() -> Outcome {
    campaign::generate_remotely(BufReader::new(stdin()), &mut JsonLines::new())?;
    Ok(Exit::Done)
}
