use crate::keys::{LoadKeys, ServerKeys};
use crate::problem::Problems;
use model::ErrorPolicy;

/// What a test says of errors, the defaults where it says nothing.
pub(crate) fn policy(
    keys: &LoadKeys,
    server: Option<&ServerKeys>,
    problems: &mut Problems,
) -> ErrorPolicy {
    let (conflict, loss) = match server {
        Some(server) => (
            server.on_conflict.value("on_conflict", problems),
            server.on_lost_connection.value("on_lost_connection", problems),
        ),
        None => (None, None),
    };
    let other = keys.on_error.value("on_error", problems);
    let default = ErrorPolicy::default();
    ErrorPolicy {
        codes: default.codes,
        conflict: conflict.unwrap_or(default.conflict),
        connection: loss.unwrap_or(default.connection),
        other: other.unwrap_or(default.other),
    }
}
