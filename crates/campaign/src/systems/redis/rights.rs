//! Whether an account may do what a load will, tried in ways that change nothing. `ACL DRYRUN`
//! would tell too, but an account that may not write may seldom ask that.

use model::{Failure, FailureKind, KeyValue, Study, Test};
use target::client::redis::{RedisConnection, RedisError};
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
    pub(super) fn of(workload: &KeyValue, most: u32) -> Self {
        let (sets, gets) = workload.sets_to_gets;
        Self { write: sets > 0, read: gets > 0, remove: most > workload.keys }
    }
}

/// The largest number of keys of any load of a study; 0 where none has keys.
pub(crate) fn most_keys(study: &Study) -> u32 {
    study.tests.iter().filter_map(Test::key_value).map(|keys| keys.keys).max().unwrap_or(0)
}

/// Runs the commands on a key that is not there, which has the form of a load's keys and a number
/// that none has.
///
/// # Errors
/// With the first refusal.
pub(super) fn attempt(control: &mut RedisConnection, needs: Needs) -> Result<(), RedisError> {
    let key = format!("{KEY_PREFIX}{}", "9".repeat(KEY_DIGITS));
    let key = key.as_bytes();
    if needs.write {
        // Sets only what is there already.
        control.command(&[b"SET", key, b"", b"XX"])?;
    }
    if needs.read {
        control.command(&[b"GET", key])?;
    }
    if needs.remove {
        control.command(&[b"UNLINK", key])?;
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
    let Err(error) = attempt(control, Needs::of(workload, most)) else { return Ok(()) };
    let failure = error.failure(&format!("cannot run the load at {}", control.endpoint()));
    if failure.kind == FailureKind::AccessDenied { Err(failure) } else { Ok(()) }
}
