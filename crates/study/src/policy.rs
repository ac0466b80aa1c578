use crate::problem::Problems;
use crate::validate::{by_name, one_of};
use crate::wire::{LoadKeys, ServerKeys};
use model::{ErrorAction, ErrorPolicy};

/// What a test says of errors, the defaults where it says nothing.
pub(crate) fn policy(
    keys: &LoadKeys,
    server: Option<&ServerKeys>,
    problems: &mut Problems,
) -> ErrorPolicy {
    let all = by_name(ErrorAction::ALL, ErrorAction::name);
    let on_loss = by_name(ErrorAction::ON_LOSS, ErrorAction::name);
    let (conflict, loss) = match server {
        Some(server) => (
            one_of("on_conflict", &server.on_conflict, all, problems),
            one_of("on_lost_connection", &server.on_lost_connection, on_loss, problems),
        ),
        None => (None, None),
    };
    let other = one_of("on_error", &keys.on_error, all, problems);
    let default = ErrorPolicy::default();
    ErrorPolicy {
        codes: default.codes,
        conflict: conflict.unwrap_or(default.conflict),
        connection: loss.unwrap_or(default.connection),
        other: other.unwrap_or(default.other),
    }
}
