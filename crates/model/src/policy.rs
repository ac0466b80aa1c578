use crate::ErrorClass;
use serde::{Deserialize, Serialize};

/// What to do about an operation that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ErrorAction {
    /// Count it as failed and go on with the next operation.
    Ignore,
    /// Try again at once, with new data. The operation's latency counts from its first attempt;
    /// it is counted once, when it succeeds.
    Retry,
    /// Count it as failed, connect anew as often as it takes, and go on.
    Reconnect,
    /// End the load.
    Stop,
}

/// Which errors are survived, and how.
///
/// A lost connection can only be answered with [`ErrorAction::Reconnect`] or [`ErrorAction::Stop`]: the
/// other two count as reconnecting there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorPolicy {
    /// What to do about particular codes of the target; these come before the classes.
    pub codes: Vec<(String, ErrorAction)>,
    /// Conflicts: deadlocks, lock wait timeouts.
    pub conflict: ErrorAction,
    /// Lost connections.
    pub connection: ErrorAction,
    /// Everything else.
    pub other: ErrorAction,
}

impl ErrorAction {
    /// All actions, in the order in which help texts list them.
    pub const ALL: [Self; 4] = [Self::Ignore, Self::Retry, Self::Reconnect, Self::Stop];
    /// What can be done about a lost connection.
    pub const ON_LOSS: [Self; 2] = [Self::Reconnect, Self::Stop];

    /// The name that study files and the command line use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ignore => "ignore",
            Self::Retry => "retry",
            Self::Reconnect => "reconnect",
            Self::Stop => "stop",
        }
    }
}

impl Default for ErrorPolicy {
    /// Conflicts are counted, lost connections are an outage to be measured, and whatever would
    /// happen again to the next operation ends the load.
    fn default() -> Self {
        Self {
            codes: Vec::new(),
            conflict: ErrorAction::Ignore,
            connection: ErrorAction::Reconnect,
            other: ErrorAction::Stop,
        }
    }
}

impl ErrorPolicy {
    /// What to do about an error of that class and code.
    pub fn action(&self, class: ErrorClass, code: &str) -> ErrorAction {
        let by_code = self.codes.iter().find(|(listed, _)| listed == code);
        let action = by_code.map_or_else(|| self.by_class(class), |(_, action)| *action);
        match (class, action) {
            (ErrorClass::Connection, ErrorAction::Ignore | ErrorAction::Retry) => {
                ErrorAction::Reconnect
            }
            _ => action,
        }
    }

    fn by_class(&self, class: ErrorClass) -> ErrorAction {
        match class {
            ErrorClass::Conflict => self.conflict,
            ErrorClass::Connection => self.connection,
            ErrorClass::Permission
            | ErrorClass::Resource
            | ErrorClass::Statement
            | ErrorClass::Constraint
            | ErrorClass::Device
            | ErrorClass::Corruption
            | ErrorClass::Unanswered
            | ErrorClass::Other => self.other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_come_before_classes() {
        let policy = ErrorPolicy {
            codes: vec![
                ("1062".to_owned(), ErrorAction::Ignore),
                ("1205".to_owned(), ErrorAction::Stop),
            ],
            ..ErrorPolicy::default()
        };
        assert_eq!(policy.action(ErrorClass::Constraint, "1062"), ErrorAction::Ignore);
        assert_eq!(policy.action(ErrorClass::Conflict, "1205"), ErrorAction::Stop);
        assert_eq!(policy.action(ErrorClass::Conflict, "1213"), ErrorAction::Ignore);
        assert_eq!(policy.action(ErrorClass::Statement, "1146"), ErrorAction::Stop);
    }

    #[test]
    fn a_connection_that_is_gone_must_be_made_anew_to_go_on() {
        let policy = ErrorPolicy { connection: ErrorAction::Ignore, ..ErrorPolicy::default() };
        assert_eq!(policy.action(ErrorClass::Connection, ""), ErrorAction::Reconnect);
    }
}
