use engine::OperationError;
use model::ErrorClass;

/// What an error line of the server amounts to. Its first word is the code, as others have numbers.
pub fn operation_error(line: &str) -> OperationError {
    let code = line.split_whitespace().next().unwrap_or_default();
    OperationError {
        class: classify(code),
        code: code.to_owned(),
        sql_state: String::new(),
        message: line.to_owned(),
    }
}

/// What kind of trouble an error is, by its code.
///
/// Codes: the server's own list of shared errors, and "Redis serialization protocol
/// specification", section "Simple errors".
fn classify(code: &str) -> ErrorClass {
    match code {
        // Slots move, or a node asks to be tried again: a new attempt may succeed.
        "TRYAGAIN" | "ASK" | "BUSY" | "EXECABORT" => ErrorClass::Conflict,
        // It is starting, or its primary is out of reach.
        "LOADING" | "MASTERDOWN" | "CLUSTERDOWN" | "UNBLOCKED" => ErrorClass::Connection,
        // No rights, no writes on a replica, not this node's keys.
        "NOAUTH" | "WRONGPASS" | "NOPERM" | "READONLY" | "MOVED" | "CROSSSLOT" | "DENIED" => {
            ErrorClass::Permission
        }
        // Memory used up, the disk refuses writes, too few replicas to write.
        "OOM" | "MISCONF" | "NOREPLICAS" => ErrorClass::Resource,
        "WRONGTYPE" => ErrorClass::Constraint,
        "ERR" | "NOSCRIPT" | "NOPROTO" => ErrorClass::Statement,
        _ => ErrorClass::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_told_apart_by_their_first_word() {
        for (line, class) in [
            ("OOM command not allowed when used memory > 'maxmemory'.", ErrorClass::Resource),
            ("LOADING Redis is loading the dataset in memory", ErrorClass::Connection),
            ("READONLY You can't write against a read only replica.", ErrorClass::Permission),
            ("ERR unknown command", ErrorClass::Statement),
            ("", ErrorClass::Other),
        ] {
            let error = operation_error(line);
            assert_eq!((error.class, error.message.as_str()), (class, line));
        }
        assert_eq!(operation_error("OOM no").code, "OOM");
    }
}
