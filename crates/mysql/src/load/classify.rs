use crate::protocol::{LoginError, ProtocolError, ServerError};
use engine::{OperationError, SessionError, Unasked};
use model::ErrorClass;

/// What ends a session whose server no longer keeps to the protocol.
pub(super) fn broken(error: ProtocolError) -> SessionError {
    SessionError::Protocol(error.to_string())
}

/// What ends a login.
pub(super) fn kept_out(error: LoginError) -> SessionError {
    match &error {
        LoginError::Server(refusal) if matches!(refusal.code, 1040 | 1203) => {
            SessionError::NoRoom(Box::new(error))
        }
        _ => SessionError::Login(Box::new(error)),
    }
}

/// What an error of the server amounts to.
pub fn operation_error(error: ServerError) -> OperationError {
    OperationError {
        class: classify(error.code, &error.sql_state),
        code: error.code.to_string(),
        sql_state: error.sql_state_str().to_owned(),
        message: error.message,
    }
}

/// What kind of trouble a server error is, by its code and, for codes that are not listed, by the
/// class of its SQL state (ISO/IEC 9075-2, table "SQLSTATE class and subclass codes").
///
/// Codes: MariaDB "Error Codes", MySQL "Server Error Message Reference".
fn classify(code: u16, sql_state: &[u8; 5]) -> ErrorClass {
    match code {
        // Record changed since last read, lock wait timeout, deadlock, read conflict of a cluster;
        // the table was changed under a transaction, or under a prepared statement.
        1020 | 1205 | 1213 | 1412 | 1615 | 3101 => ErrorClass::Conflict,
        // Shutdown in progress, connection killed, aborted or gone, interrupted reads and writes.
        1053
        | 1077
        | 1079
        | 1080
        | 1152
        | 1158..=1161
        | 1184
        | 1317
        | 1927
        | 2006
        | 2013
        | 2055
        | 3169
        | 4031 => ErrorClass::Connection,
        // Access denied in its forms; the server, or the transaction, is read-only.
        1044 | 1045 | 1142 | 1143 | 1227 | 1290 | 1370 | 1698 | 1792 | 1836 => {
            ErrorClass::Permission
        }
        // Disk full, out of memory, too many connections or statements, table full, lock table
        // full, no threads, quota exceeded.
        3 | 1021 | 1037 | 1038 | 1040 | 1041 | 1114 | 1135 | 1203 | 1206 | 1226 | 1461 => {
            ErrorClass::Resource
        }
        // Duplicate key, null where none may be, foreign keys, checks.
        1022 | 1048 | 1062 | 1169 | 1216 | 1217 | 1451 | 1452 | 1557 | 1586 | 3819 | 4025 => {
            ErrorClass::Constraint
        }
        _ => match &sql_state[..2] {
            b"08" => ErrorClass::Connection,
            b"23" => ErrorClass::Constraint,
            b"28" => ErrorClass::Permission,
            b"40" => ErrorClass::Conflict,
            b"42" | b"21" | b"22" | b"0A" => ErrorClass::Statement,
            b"53" | b"54" => ErrorClass::Resource,
            _ => ErrorClass::Other,
        },
    }
}

/// What a packet is that nobody asked for: one with an error by which the server closes the connection, or
/// another.
pub(super) fn unasked(input: &[u8]) -> Unasked {
    /// Query execution was interrupted: one statement alone is over.
    const ER_QUERY_INTERRUPTED: u16 = 1317;
    // Three bytes of length, one of sequence, what marks an error, its code.
    match *input {
        [_, _, _, _, 0xff, low, high, ..] => {
            let code = u16::from_le_bytes([low, high]);
            let closes = classify(code, b"HY000") == ErrorClass::Connection;
            match closes && code != ER_QUERY_INTERRUPTED {
                true => Unasked::Farewell,
                false => Unasked::Answer,
            }
        }
        []
        | [_]
        | [_, _]
        | [_, _, _]
        | [_, _, _, _]
        | [_, _, _, _, 0xff]
        | [_, _, _, _, 0xff, _] => Unasked::Unfinished,
        _ => Unasked::Answer,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_error_that_ends_the_connection_is_a_goodbye() {
        let packet = |marker, code: u16| {
            let [low, high] = code.to_le_bytes();
            [&[9, 0, 0, 0, marker, low, high][..], b"#HY000..."].concat()
        };
        for code in [4031, 1927] {
            let goodbye = packet(0xff, code);
            assert_eq!(unasked(&goodbye), Unasked::Farewell);
            // Buffers end where they do.
            for end in 0..7 {
                assert_eq!(unasked(&goodbye[..end]), Unasked::Unfinished, "{end}");
            }
            assert_eq!(unasked(&goodbye[..7]), Unasked::Farewell);
        }
        for other in [packet(0xff, 1317), packet(0xff, 1213), packet(0x00, 4031)] {
            assert_eq!(unasked(&other), Unasked::Answer);
        }
        assert_eq!(unasked(&packet(0x00, 4031)[..5]), Unasked::Answer);
    }

    #[test]
    fn codes_come_before_states() {
        assert_eq!(classify(1213, b"40001"), ErrorClass::Conflict);
        assert_eq!(classify(1020, b"HY000"), ErrorClass::Conflict);
        assert_eq!(classify(1205, b"HY000"), ErrorClass::Conflict);
        assert_eq!(classify(1040, b"08004"), ErrorClass::Resource);
        assert_eq!(classify(1053, b"08S01"), ErrorClass::Connection);
        assert_eq!(classify(1146, b"42S02"), ErrorClass::Statement);
        assert_eq!(classify(1062, b"23000"), ErrorClass::Constraint);
        assert_eq!(classify(1290, b"HY000"), ErrorClass::Permission);
        assert_eq!(classify(9999, b"HY000"), ErrorClass::Other);
    }
}
