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

/// `weighin instance-keeper-second`: waits for the end of a keeper, and takes down what it could not.
pub(crate) fn instance_keeper_second() -> Outcome {
    host::stand_by(BufReader::new(stdin()));
    Ok(Exit::Done)
}
