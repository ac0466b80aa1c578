//! Which errors a run survives.

use super::drivers::DriverName;
use super::generation::{Generation, Release};
use super::options::Options;
use crate::exit::CliError;
use engine::{Action, ErrorPolicy};

/// What 0.4, which had no option for it, and the others by default survive: deadlock, changed row,
/// lock wait timeout.
const DEFAULT: [u16; 3] = [1213, 1020, 1205];
/// What the driver for PostgreSQL survives, which has no option for it: deadlock, a serialization failure,
/// and a row that is there already.
const PGSQL: [&str; 3] = ["40P01", "40001", "23505"];
/// A connection that is gone, in the words of the client libraries.
const GONE: [u16; 4] = [2006, 2011, 2013, 2055];

/// The policy that `--mysql-ignore-errors` asks for: events begin anew after these errors, and any
/// other ends the run.
pub(super) fn policy(options: &Options, generation: Generation) -> Result<ErrorPolicy, CliError> {
    if DriverName::from_options(options) == DriverName::Pgsql {
        return Ok(ErrorPolicy {
            codes: PGSQL.map(|code| (code.to_owned(), Action::Retry)).to_vec(),
            conflict: Action::Stop,
            connection: Action::Stop,
            other: Action::Stop,
        });
    }
    let list = options.list("mysql-ignore-errors");
    let codes = match (generation.program, list.as_slice()) {
        (Release::V04, _) => DEFAULT.to_vec(),
        (_, ["none"]) => Vec::new(),
        (_, ["all"]) => {
            return Ok(ErrorPolicy {
                codes: Vec::new(),
                conflict: Action::Retry,
                connection: Action::Reconnect,
                other: Action::Retry,
            });
        }
        (_, list) => list.iter().map(|code| self::code(code)).collect::<Result<_, _>>()?,
    };
    let survives_loss = codes.iter().any(|code| GONE.contains(code));
    Ok(ErrorPolicy {
        codes: codes.into_iter().map(|code| (code.to_string(), Action::Retry)).collect(),
        conflict: Action::Stop,
        connection: if survives_loss { Action::Reconnect } else { Action::Stop },
        other: Action::Stop,
    })
}

fn code(text: &str) -> Result<u16, CliError> {
    text.parse().map_err(|_| {
        CliError::usage(
            format!("--mysql-ignore-errors: {text} is not an error code"),
            "give codes such as 1213,1020,1205, or all, or none",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::words::Words;
    use super::*;
    use model::ErrorClass;

    fn policy_of(words: &[&str]) -> ErrorPolicy {
        let words: Vec<_> = words.iter().map(Into::into).collect();
        let words = Words::parse(&words).unwrap();
        let options = Options::check(&words, Generation::V10).unwrap();
        policy(&options, Generation::V10).unwrap()
    }

    #[test]
    fn listed_errors_begin_events_anew_and_others_end_the_run() {
        let default = policy_of(&[]);
        assert_eq!(default.action(ErrorClass::Conflict, "1213"), Action::Retry);
        assert_eq!(default.action(ErrorClass::Constraint, "1062"), Action::Stop);
        assert_eq!(default.action(ErrorClass::Connection, ""), Action::Stop);
        let chosen = policy_of(&["--mysql-ignore-errors=1062,2013"]);
        assert_eq!(chosen.action(ErrorClass::Constraint, "1062"), Action::Retry);
        assert_eq!(chosen.action(ErrorClass::Conflict, "1213"), Action::Stop);
        assert_eq!(chosen.action(ErrorClass::Connection, ""), Action::Reconnect);
        let pgsql = policy_of(&["--db-driver=pgsql", "--mysql-ignore-errors=all"]);
        assert_eq!(pgsql.action(ErrorClass::Constraint, "23505"), Action::Retry);
        assert_eq!(pgsql.action(ErrorClass::Conflict, "55P03"), Action::Stop);
        let none = policy_of(&["--mysql-ignore-errors=none"]);
        assert_eq!(none.action(ErrorClass::Conflict, "1213"), Action::Stop);
        let all = policy_of(&["--mysql-ignore-errors=all"]);
        assert_eq!(all.action(ErrorClass::Statement, "1146"), Action::Retry);
        assert_eq!(all.action(ErrorClass::Connection, ""), Action::Reconnect);
    }
}
