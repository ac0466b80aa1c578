use crate::problem::Problems;
use crate::validate::one_of;
use crate::wire::{LoadKeys, Maybe, ServerKeys};
use model::{ErrorAction, ErrorPolicy};

/// What a test says of errors, the defaults where it says nothing.
pub(crate) fn policy(
    keys: &LoadKeys,
    server: Option<&ServerKeys>,
    problems: &mut Problems,
) -> ErrorPolicy {
    let all = ErrorAction::ALL.map(ErrorAction::name);
    let on_loss = ErrorAction::ON_LOSS.map(ErrorAction::name);
    let of_loss = |name: &str| {
        ErrorAction::from_name(name).filter(|action| ErrorAction::ON_LOSS.contains(action))
    };
    let of_any = ErrorAction::from_name;
    let absent: Maybe<String> = None;
    let (on_conflict, on_lost) = match server {
        Some(server) => (&server.on_conflict, &server.on_lost_connection),
        None => (&absent, &absent),
    };
    let conflict = one_of("on_conflict", on_conflict, all, of_any, problems);
    let loss = one_of("on_lost_connection", on_lost, on_loss, of_loss, problems);
    let other = one_of("on_error", &keys.on_error, all, of_any, problems);
    let default = ErrorPolicy::default();
    ErrorPolicy {
        codes: default.codes,
        conflict: conflict.unwrap_or(default.conflict),
        connection: loss.unwrap_or(default.connection),
        other: other.unwrap_or(default.other),
    }
}
