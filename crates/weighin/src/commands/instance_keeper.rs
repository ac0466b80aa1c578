//! `weighin instance-keeper`: runs `up` and `down` of a target. Started by weighin itself.

use super::Outcome;
use crate::Exit;
use crate::messages::JsonLines;
use std::io::{BufReader, stdin};

/// Does what comes through standard input, and answers on standard output; then takes down what is up.
pub(crate) fn instance_keeper() -> Outcome {
    host::keep(BufReader::new(stdin()), JsonLines::new());
    Ok(Exit::Done)
}
