use crate::problem::Problems;
use crate::validate::one_of;
use crate::wire::TestTable;
use model::{ErrorAction, ErrorPolicy};

/// What a test says of errors, the defaults where it says nothing.
pub(crate) fn policy(table: &TestTable, problems: &mut Problems) -> ErrorPolicy {
    let all = ErrorAction::ALL.map(ErrorAction::name);
    let on_loss = ErrorAction::ON_LOSS.map(ErrorAction::name);
    let of_loss = |name: &str| {
        ErrorAction::from_name(name).filter(|action| ErrorAction::ON_LOSS.contains(action))
    };
    let of_any = ErrorAction::from_name;
    let conflict = one_of("on_conflict", &table.on_conflict, all, of_any, problems);
    let loss = one_of("on_lost_connection", &table.on_lost_connection, on_loss, of_loss, problems);
    let other = one_of("on_error", &table.on_error, all, of_any, problems);
    let default = ErrorPolicy::default();
    ErrorPolicy {
        codes: default.codes,
        conflict: conflict.unwrap_or(default.conflict),
        connection: loss.unwrap_or(default.connection),
        other: other.unwrap_or(default.other),
    }
}
