//! Whether an account may do what a load will, tried in ways that change nothing. `ACL DRYRUN`
//! would tell too, but an account that may not write may seldom ask that.

use crate::client::{RedisConnection, RedisError};
use model::{Failure, FailureKind, KeyValue, Study, Test};
use workload::key_value::{KEY_DIGITS, KEY_PREFIX};

/// What is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Needs {
    pub(super) write: bool,
    pub(super) read: bool,
    pub(super) remove: bool,
}

impl Needs {
    /// Those of a load, when its keys are there, and of removing what a load of up to `most` keys
    /// leaves beside them.
    pub(super) fn for_workload(workload: &KeyValue, most: u32) -> Self {
        let (sets, gets) = workload.sets_to_gets;
        Self { write: sets > 0, read: gets > 0, remove: most > workload.keys }
    }
}

/// The largest number of keys of any load of a study; 0 where none has keys.
pub(crate) fn most_keys(study: &Study) -> u32 {
    study.tests.iter().filter_map(Test::key_value).map(|keys| keys.keys).max().unwrap_or(0)
}

/// What an account was refused.
#[derive(Default)]
pub(super) struct Denied {
    /// In the server’s words.
    said: Vec<String>,
    commands: Vec<&'static str>,
    /// Whether a key was refused, where a command got as far as that.
    key: Option<bool>,
}

impl Denied {
    /// Takes the answer to a command in.
    ///
    /// # Errors
    /// With every error but that the account may not.
    pub fn note(
        &mut self,
        command: &'static str,
        answer: Result<(), RedisError>,
    ) -> Result<(), RedisError> {
        match answer {
            Err(RedisError::Server(line)) if line.starts_with("NOPERM") => {
                // Servers look at the command first, and then at its keys.
                if line.contains(&format!("'{}", command.to_ascii_lowercase())) {
                    self.commands.push(command);
                } else {
                    self.key = Some(true);
                }
                if !self.said.contains(&line) {
                    self.said.push(line);
                }
                Ok(())
            }
            Ok(()) => {
                self.key = self.key.or(Some(false));
                Ok(())
            }
            other => other,
        }
    }

    /// All that is missing, where something is.
    ///
    /// # Errors
    /// `AccessDenied`.
    pub fn check(self, control: &RedisConnection, doing: &str) -> Result<(), Failure> {
        if self.said.is_empty() {
            return Ok(());
        }
        let user = control.user();
        let mut lacks = self.commands.clone();
        if self.key == Some(true) {
            lacks.push("keys that begin with weighin");
        }
        let mut rights: Vec<String> =
            self.commands.iter().map(|name| format!("+{}", name.to_ascii_lowercase())).collect();
        if self.key == Some(true) {
            rights.push("~weighin*".to_owned());
        }
        let unknown = match self.key {
            None => "; add ~weighin* where it may not access these keys",
            Some(_) => "",
        };
        Err(Failure::new(
            FailureKind::AccessDenied,
            format!(
                "{doing}: the account {user} lacks {}: {}",
                lacks.join(", "),
                self.said.join("; ")
            ),
            format!("as an administrator: ACL SETUSER {user} {}{unknown}", rights.join(" ")),
        ))
    }
}

/// Runs the commands on a key that is not there, which has the form of a load's keys and a number
/// that none has. What the account may not is in `denied` then.
///
/// # Errors
/// With the first refusal for another reason.
pub(super) fn attempt(
    control: &mut RedisConnection,
    needs: Needs,
    denied: &mut Denied,
) -> Result<(), RedisError> {
    let key = format!("{KEY_PREFIX}{}", "9".repeat(KEY_DIGITS));
    let key = key.as_bytes();
    if needs.write {
        // Sets only what is there already.
        let answer = control.command(&[b"SET", key, b"", b"XX"]);
        denied.note("SET", answer.map(drop))?;
    }
    if needs.read {
        let answer = control.command(&[b"GET", key]);
        denied.note("GET", answer.map(drop))?;
    }
    if needs.remove {
        let answer = control.command(&[b"UNLINK", key]);
        denied.note("UNLINK", answer.map(drop))?;
    }
    Ok(())
}

/// Makes sure that the account has the rights for a load of a study, whose loads have `most` keys at
/// most. Other refusals are the load's, which may be told to count them.
///
/// # Errors
/// `AccessDenied` where it has not.
pub(crate) fn check(
    control: &mut RedisConnection,
    workload: &KeyValue,
    most: u32,
) -> Result<(), Failure> {
    let doing = format!("cannot run the load at {}", control.endpoint());
    let mut denied = Denied::default();
    let tried = attempt(control, Needs::for_workload(workload, most), &mut denied);
    denied.check(control, &doing)?;
    let Err(error) = tried else { return Ok(()) };
    let failure = error.failure(&doing);
    if failure.kind == FailureKind::AccessDenied { Err(failure) } else { Ok(()) }
}
