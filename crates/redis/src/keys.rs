//! The keys that key-value loads work on: made, recognised, removed.

use super::facts::refuse_unfit;
use super::rights::{Denied, Needs, attempt};
use crate::client::{RedisConnection, RedisError};
use crate::load::KeyValueCommands;
use crate::protocol::{Value, write_command};
use model::{Failure, FailureKind, KeyValue, ValueSize};
use std::time::{Duration, Instant};
use system::{DataPlan, Preparing};
use system::{Prepared, Step};
use workload::key_value::{KEY_DIGITS, KEY_PREFIX, KeyValueSource};

/// The key by which weighin knows a database that it works in: a hash of what it made.
const MARKER: &[u8] = b"weighin";
/// Bytes of commands that are sent together.
const BATCH_BYTES: usize = 256 * 1024;
/// How often progress is told.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// What weighin left word of in a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Made {
    /// Keys from 0 that it may have written.
    keys: u32,
    /// Size of their values when they were made.
    size: ValueSize,
}

/// Makes sure that the database is weighin's and holds what the workload needs.
///
/// # Errors
/// [`Failure::stopped`];
/// `NotPermitted` when it is a replica or part of a cluster, `ForeignTables` when the database holds
/// keys that are not weighin's, and whatever the server says, such as that its memory is used up.
pub(crate) fn prepare(
    control: &mut RedisConnection,
    workload: &KeyValue,
    preparing: &mut Preparing<'_>,
) -> Result<Prepared, Failure> {
    let begun = Instant::now();
    let endpoint = control.endpoint().clone();
    let failed = |error: RedisError| error.failure(&format!("cannot make keys at {endpoint}"));
    // An account may be barred from this report and may write nevertheless.
    if let Ok(report) = super::info(control, "") {
        refuse_unfit(&report, &endpoint)?;
    }
    let there = size(control).map_err(failed)?;
    let made = left(control, there).map_err(failed)?;
    refuse_foreign(control, there, made)?;
    let wanted = Made { keys: workload.keys, size: workload.value_size };
    if let Some(made) = made.filter(|made| made.keys > workload.keys) {
        remove(control, workload.keys..made.keys).map_err(failed)?;
    }
    let complete = made == Some(wanted) && there > u64::from(workload.keys);
    let fill = workload.preload && !complete;
    if made != Some(wanted) {
        mark(control, wanted).map_err(failed)?;
    }
    if fill && !write_all(control, workload, preparing).map_err(failed)? {
        return Err(Failure::stopped());
    }
    Ok(Prepared {
        made: if fill { workload.keys } else { 0 },
        noun: "key",
        all_new: fill,
        foreign: 0,
        bytes: used_memory(control),
        elapsed: begun.elapsed(),
    })
}

/// What [`prepare`] would do, for a load that will have the rights for it: what it and
/// the load will do is tried. Leaves nothing changed. `most` is the largest number of keys of any
/// load of the study, which may come before this one.
///
/// # Errors
/// As [`prepare`].
pub(crate) fn dry_run(
    control: &mut RedisConnection,
    workload: &KeyValue,
    most: u32,
) -> Result<DataPlan, Failure> {
    let endpoint = control.endpoint().clone();
    let failed = |error: RedisError| error.failure(&format!("cannot look at keys at {endpoint}"));
    let doing = format!("a run could not make and use its keys at {endpoint}");
    let refused = |error: RedisError| error.failure(&doing);
    let there = size(control).map_err(failed)?;
    let made = left(control, there).map_err(failed)?;
    refuse_foreign(control, there, made)?;
    let wanted = Made { keys: workload.keys, size: workload.value_size };
    let complete = made == Some(wanted) && there > u64::from(workload.keys);
    let fill = workload.preload && !complete;
    let load = Needs::for_workload(workload, made.map_or(most, |made| most.max(made.keys)));
    let mut denied = Denied::default();
    let needs = Needs { write: load.write || fill, ..load };
    attempt(control, needs, &mut denied).map_err(refused)?;
    if made != Some(wanted) {
        denied.note("HSET", try_to_mark(control)).map_err(refused)?;
    }
    denied.check(control, &doing)?;
    let keys = workload.keys as usize;
    // Keys of another size are written over, not removed.
    let (make, keep) = if fill { (keys, 0) } else { (0, keys) };
    Ok(DataPlan {
        noun: "key",
        make,
        keep,
        bytes: workload.bytes_in_memory(),
        ..DataPlan::default()
    })
}

/// Tries whether the marker may be written, by a command that lacks a value: servers look at the rights
/// of an account first, and then at the number of arguments. So nothing is written, whatever happens.
fn try_to_mark(control: &mut RedisConnection) -> Result<(), RedisError> {
    match control.command(&[b"HSET", MARKER, b"keys", b"0", b"shortest"]) {
        Err(RedisError::Server(line)) if line.contains("wrong number of arguments") => Ok(()),
        other => other.map(drop),
    }
}

/// Removes the keys that weighin made and its marker; how many keys they were, without the marker. Where
/// the server evicted the marker, keys are known by their names.
///
/// # Errors
/// Whatever the server says.
pub fn cleanup(control: &mut RedisConnection) -> Result<u64, Failure> {
    let endpoint = control.endpoint().clone();
    let failed = |error: RedisError| error.failure(&format!("cannot remove keys at {endpoint}"));
    let Some(made) = marker(control).map_err(failed)? else {
        let mut removed = 0;
        scan(control, |control, keys| {
            let numbers: Vec<u32> = keys.iter().filter_map(|key| number_of(key)).collect();
            removed += numbers.len() as u64;
            remove(control, numbers)?;
            Ok(true)
        })
        .map_err(failed)?;
        return Ok(removed);
    };
    let before = size(control).map_err(failed)?;
    remove(control, 0..made.keys).map_err(failed)?;
    let after = size(control).map_err(failed)?;
    control.command(&[b"UNLINK", MARKER]).map_err(failed)?;
    Ok(before.saturating_sub(after))
}

fn refuse_foreign(
    control: &RedisConnection,
    there: u64,
    made: Option<Made>,
) -> Result<(), Failure> {
    let own = made.map_or(0, |made| u64::from(made.keys) + 1);
    if there <= own {
        return Ok(());
    }
    let endpoint = control.endpoint();
    Err(Failure::new(
        FailureKind::ForeignTables,
        match made {
            None if there == 1 => {
                format!("the database at {endpoint} holds a key that is not weighin's")
            }
            None => format!("the database at {endpoint} holds {there} keys that are not weighin's"),
            Some(_) => format!(
                "the database at {endpoint} holds {there} keys, more than the {own} that weighin made"
            ),
        },
        "name an empty database: the number after the host, as in redis://host:6379/1",
    ))
}

fn size(control: &mut RedisConnection) -> Result<u64, RedisError> {
    match control.command(&[b"DBSIZE"])? {
        Value::Integer(count) => Ok(u64::try_from(count).unwrap_or(0)),
        other => Err(RedisError::Server(format!("DBSIZE gave {other:?}"))),
    }
}

fn marker(control: &mut RedisConnection) -> Result<Option<Made>, RedisError> {
    let fields = match control.command(&[b"HMGET", MARKER, b"keys", b"shortest", b"longest"]) {
        Ok(Value::Array(fields)) => fields,
        Ok(_) => return Ok(None),
        // A key of that name that is no hash is not ours.
        Err(RedisError::Server(line)) if line.starts_with("WRONGTYPE") => return Ok(None),
        Err(error) => return Err(error),
    };
    let number = |index: usize| fields.get(index)?.text()?.parse::<u32>().ok();
    Ok(number(0).zip(number(1)).zip(number(2)).map(|((keys, shortest), longest)| Made {
        keys,
        size: match shortest == longest {
            true => ValueSize::Fixed(longest),
            false => ValueSize::Between(shortest, longest),
        },
    }))
}

/// What weighin left in a database of so many keys: by its marker, or, where a server that evicts keys
/// removed that, by the names of all keys. Their size is not known then.
fn left(control: &mut RedisConnection, there: u64) -> Result<Option<Made>, RedisError> {
    let made = marker(control)?;
    if made.is_some() || there == 0 {
        return Ok(made);
    }
    let mut highest = None;
    let all_own = scan(control, |_, keys| {
        let numbers: Option<Vec<u32>> = keys.iter().map(|key| number_of(key)).collect();
        highest = highest.max(numbers.iter().flatten().max().copied());
        Ok(numbers.is_some())
    })?;
    let own = highest.filter(|_| all_own);
    Ok(own.map(|number| Made { keys: number.saturating_add(1), size: ValueSize::Fixed(0) }))
}

/// Shows all keys of the database to `see`, some at a time, until it is false; what it was at last.
fn scan(
    control: &mut RedisConnection,
    mut see: impl FnMut(&mut RedisConnection, &[Vec<u8>]) -> Result<bool, RedisError>,
) -> Result<bool, RedisError> {
    let mut cursor = b"0".to_vec();
    loop {
        let answer = control.command(&[b"SCAN", &cursor, b"COUNT", b"1000"])?;
        let Value::Array(parts) = &answer else {
            return Err(RedisError::Server(format!("SCAN gave {answer:?}")));
        };
        let next = parts.first().and_then(Value::text).map(String::into_bytes);
        let (Some(next), Some(Value::Array(keys))) = (next, parts.get(1)) else {
            return Err(RedisError::Server(format!("SCAN gave {answer:?}")));
        };
        let keys: Vec<Vec<u8>> =
            keys.iter().filter_map(Value::text).map(String::into_bytes).collect();
        if !see(control, &keys)? {
            return Ok(false);
        }
        if next == b"0" {
            return Ok(true);
        }
        cursor = next;
    }
}

/// The number in the name of a key of weighin's.
fn number_of(key: &[u8]) -> Option<u32> {
    let digits = key.strip_prefix(KEY_PREFIX.as_bytes())?;
    let all = digits.len() == KEY_DIGITS && digits.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(digits).ok().filter(|_| all)?.parse().ok()
}

fn mark(control: &mut RedisConnection, made: Made) -> Result<(), RedisError> {
    let (shortest, longest) = match made.size {
        ValueSize::Fixed(length) => (length, length),
        ValueSize::Between(shortest, longest) => (shortest, longest),
    };
    let [keys, shortest, longest] = [made.keys, shortest, longest].map(|n| n.to_string());
    control.command(&[
        b"HSET",
        MARKER,
        b"keys",
        keys.as_bytes(),
        b"shortest",
        shortest.as_bytes(),
        b"longest",
        longest.as_bytes(),
    ])?;
    Ok(())
}

/// Writes every key once, without expiry. False when asked to stop.
fn write_all(
    control: &mut RedisConnection,
    workload: &KeyValue,
    preparing: &mut Preparing<'_>,
) -> Result<bool, RedisError> {
    let seed = preparing.seed;
    let lasting = KeyValue { expiry: None, ..workload.clone() };
    let commands = KeyValueCommands::new(&lasting, seed, 1);
    let mut source = KeyValueSource::new(&lasting, seed, 0, 1);
    let mut told = Instant::now();
    let (mut batch, mut answers) = (Vec::with_capacity(BATCH_BYTES * 2), 0);
    for key in 0..workload.keys {
        commands.write(source.set(key), &mut batch);
        answers += 1;
        if batch.len() < BATCH_BYTES && key + 1 < workload.keys {
            continue;
        }
        control.send_all(&batch, answers)?;
        batch.clear();
        answers = 0;
        if preparing.stop.is_requested() {
            return Ok(false);
        }
        if told.elapsed() >= PROGRESS_INTERVAL {
            told = Instant::now();
            (preparing.progress)(Step { done: u64::from(key) + 1, of: workload.keys.into() });
        }
    }
    Ok(true)
}

fn remove(
    control: &mut RedisConnection,
    numbers: impl IntoIterator<Item = u32>,
) -> Result<(), RedisError> {
    let numbers: Vec<u32> = numbers.into_iter().collect();
    for chunk in numbers.chunks(1_000) {
        let keys: Vec<String> =
            chunk.iter().map(|number| format!("{KEY_PREFIX}{number:0KEY_DIGITS$}")).collect();
        let arguments: Vec<&[u8]> =
            std::iter::once(&b"UNLINK"[..]).chain(keys.iter().map(String::as_bytes)).collect();
        let mut command = Vec::new();
        write_command(&arguments, &mut command);
        control.send_all(&command, 1)?;
    }
    Ok(())
}

/// Bytes of memory that the server's data takes; 0 where it does not say.
fn used_memory(control: &mut RedisConnection) -> u64 {
    let report = super::info(control, "memory").unwrap_or_default();
    let bytes = super::value(&report, "used_memory_dataset");
    bytes.and_then(|bytes| bytes.parse().ok()).unwrap_or(0)
}
