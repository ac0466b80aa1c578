//! Connections that a load does not keep.

use crate::load::asks_cross_check;
use crate::problem::Problems;
use crate::validate::whole;
use crate::wire::{LoadKeys, ServerKeys};
use model::bounds::MAX_OPERATIONS_OF_CONNECTION;
use std::num::NonZeroU32;

/// After how many operations a client makes a new connection, where it does.
pub(crate) fn reconnect_after(
    keys: &LoadKeys,
    server: &ServerKeys,
    problems: &mut Problems,
) -> Option<NonZeroU32> {
    let written = &server.reconnect_after;
    let at = written.as_ref()?.span();
    if asks_cross_check(keys) {
        let key = problems.key("reconnect_after");
        problems
            .add(
                at,
                format!("`cross_check` does not work with {key}: other tools keep connections"),
            )
            .help("leave out either; two tests can have one each");
    }
    let range = 1..=MAX_OPERATIONS_OF_CONNECTION;
    NonZeroU32::new(whole("reconnect_after", written, 1, range, problems))
}
