use crate::protocol::{LoginError, ProtocolError, ServerError};
use engine::{OperationError, SessionError};
use model::{ErrorClass, Oltp, Workload};

/// What ends a session whose server no longer keeps to the protocol.
pub(super) fn broken(error: ProtocolError) -> SessionError {
    SessionError::Protocol(error.to_string())
}

/// What it means that a row is there already that is to be inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duplicates {
    /// The statement is wrong, or the data.
    Violate,
    /// Another transaction put the row back: where transactions delete a row and insert it again, a
    /// DELETE that waited for another transaction does not see the row that this one inserted.
    Conflict,
}

impl Duplicates {
    /// What it means in a workload.
    pub(crate) fn for_workload(workload: &Workload) -> Self {
        let puts_back =
            |oltp: &Oltp| oltp.transaction.deletes + oltp.transaction.delete_inserts > 0;
        match workload.oltp() {
            Ok(oltp) if puts_back(oltp) => Self::Conflict,
            _ => Self::Violate,
        }
    }
}

/// The state of an error that says so.
const DUPLICATE: &[u8; 5] = b"23505";

/// What an error of the server amounts to.
pub fn operation_error(error: ServerError, duplicates: Duplicates) -> OperationError {
    // A session whose prepared statements are stale begins anew, as one that was closed.
    let class = match error.is_last_word() || error.is_stale_plan {
        true => ErrorClass::Connection,
        false if (&error.sql_state, duplicates) == (DUPLICATE, Duplicates::Conflict) => {
            ErrorClass::Conflict
        }
        false => classify(&error.sql_state),
    };
    OperationError {
        class,
        code: error.sql_state_str().to_owned(),
        sql_state: String::new(),
        message: error.message,
    }
}

/// What kind of trouble an error is, by its SQL state (PostgreSQL, "Error Codes").
fn classify(sql_state: &[u8; 5]) -> ErrorClass {
    match sql_state {
        // A lock that was not waited for.
        b"55P03" => ErrorClass::Conflict,
        // Administrators' orders to end, crashes of others, and shutting down.
        b"57P01" | b"57P02" | b"57P03" | b"57P04" | b"57P05" => ErrorClass::Connection,
        // Rights; a server or transaction that is read-only.
        b"42501" | b"25006" => ErrorClass::Permission,
        _ => match &sql_state[..2] {
            b"08" => ErrorClass::Connection,
            b"23" => ErrorClass::Constraint,
            b"28" => ErrorClass::Permission,
            b"40" => ErrorClass::Conflict,
            b"42" | b"21" | b"22" | b"0A" | b"26" => ErrorClass::Statement,
            b"53" | b"54" => ErrorClass::Resource,
            _ => ErrorClass::Other,
        },
    }
}

/// What ends a login.
pub(super) fn kept_out(error: LoginError) -> SessionError {
    match &error {
        LoginError::Server(refusal) if &refusal.sql_state == b"53300" => {
            SessionError::NoRoom(Box::new(error))
        }
        _ => SessionError::Login(Box::new(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Severity;

    #[test]
    fn errors_are_told_apart_by_their_states() {
        for (state, class) in [
            (b"40001", ErrorClass::Conflict),
            (b"40P01", ErrorClass::Conflict),
            (b"55P03", ErrorClass::Conflict),
            (b"53300", ErrorClass::Resource),
            (b"57P01", ErrorClass::Connection),
            (b"57P03", ErrorClass::Connection),
            (b"57014", ErrorClass::Other),
            (b"25P02", ErrorClass::Other),
            (b"25006", ErrorClass::Permission),
            (b"23505", ErrorClass::Constraint),
            (b"42P01", ErrorClass::Statement),
            (b"42501", ErrorClass::Permission),
            (b"XX000", ErrorClass::Other),
        ] {
            assert_eq!(classify(state), class, "{}", String::from_utf8_lossy(state));
        }
    }

    /// After such an error there is no connection, whatever the state says.
    #[test]
    fn the_last_word_of_a_server_is_about_the_connection() {
        let error = ServerError {
            severity: Severity::Fatal,
            sql_state: *b"25P03",
            message: "terminating connection due to idle-in-transaction timeout".to_owned(),
            detail: String::new(),
            hint: String::new(),
            is_stale_plan: false,
        };
        let error = operation_error(error, Duplicates::Violate);
        assert_eq!((error.class, error.code.as_str()), (ErrorClass::Connection, "25P03"));
    }

    /// Its statements would be refused for as long as the session lives.
    #[test]
    fn a_session_with_stale_statements_begins_anew() {
        let stale = |is_stale_plan| {
            let error = ServerError::of_state("0A000", "cached plan must not change result type");
            let error = ServerError { is_stale_plan, ..error };
            operation_error(error, Duplicates::Violate).class
        };
        assert_eq!(stale(true), ErrorClass::Connection);
        assert_eq!(stale(false), ErrorClass::Statement);
    }
}
