use model::ErrorClass;

/// What to do about an operation that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
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
/// A lost connection can only be answered with [`Action::Reconnect`] or [`Action::Stop`]: the
/// other two count as reconnecting there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorPolicy {
    /// What to do about particular codes of the server; these come before the classes.
    pub codes: Vec<(u16, Action)>,
    /// Conflicts: deadlocks, lock wait timeouts.
    pub conflict: Action,
    /// Lost connections.
    pub connection: Action,
    /// Everything else.
    pub other: Action,
}

impl Default for ErrorPolicy {
    /// Conflicts are counted, lost connections are an outage to be measured, and whatever would
    /// happen again to the next operation ends the load.
    fn default() -> Self {
        Self {
            codes: Vec::new(),
            conflict: Action::Ignore,
            connection: Action::Reconnect,
            other: Action::Stop,
        }
    }
}

impl ErrorPolicy {
    /// What to do about an error of that class and code.
    pub fn action(&self, class: ErrorClass, code: u16) -> Action {
        let by_code = self.codes.iter().find(|(listed, _)| *listed == code && code != 0);
        let action = by_code.map_or_else(|| self.by_class(class), |(_, action)| *action);
        match (class, action) {
            (ErrorClass::Connection, Action::Ignore | Action::Retry) => Action::Reconnect,
            _ => action,
        }
    }

    fn by_class(&self, class: ErrorClass) -> Action {
        match class {
            ErrorClass::Conflict => self.conflict,
            ErrorClass::Connection => self.connection,
            ErrorClass::Permission
            | ErrorClass::Resource
            | ErrorClass::Statement
            | ErrorClass::Constraint
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
            codes: vec![(1062, Action::Ignore), (1205, Action::Stop)],
            ..ErrorPolicy::default()
        };
        assert_eq!(policy.action(ErrorClass::Constraint, 1062), Action::Ignore);
        assert_eq!(policy.action(ErrorClass::Conflict, 1205), Action::Stop);
        assert_eq!(policy.action(ErrorClass::Conflict, 1213), Action::Ignore);
        assert_eq!(policy.action(ErrorClass::Statement, 1146), Action::Stop);
    }

    #[test]
    fn a_connection_that_is_gone_must_be_made_anew_to_go_on() {
        let policy = ErrorPolicy { connection: Action::Ignore, ..ErrorPolicy::default() };
        assert_eq!(policy.action(ErrorClass::Connection, 0), Action::Reconnect);
    }
}
