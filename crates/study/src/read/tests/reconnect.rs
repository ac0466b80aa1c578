//! Connections that a load does not keep.

use crate::keys::{LoadKeys, ServerKeys};
use crate::problem::Problems;
use std::num::NonZeroU32;

/// After how many operations a client makes a new connection, where it does.
pub(crate) fn reconnect_after(
    keys: &LoadKeys,
    server: &ServerKeys,
    problems: &mut Problems,
) -> Option<NonZeroU32> {
    let at = server.reconnect_after.place()?;
    if keys.cross_check.value() {
        let key = problems.key("reconnect_after");
        problems
            .add(
                at,
                format!("`cross_check` does not work with {key}: other tools keep connections"),
            )
            .help("leave out either; two tests can have one each");
    }
    NonZeroU32::new(server.reconnect_after.value("reconnect_after", problems)?)
}
