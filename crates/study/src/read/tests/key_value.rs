use crate::keys::key::{AnyLength, Key};
use crate::keys::{KeyValueKeys, Maybe, Numbers};
use crate::problem::Problems;
use model::bounds::MAX_VALUE;
use model::{KeyValue, ValueSize};
use std::time::Duration;

/// Why a text is not a ratio of writes to reads: not two numbers with a colon, or both 0.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a ratio of writes to reads: write it like `1:1`, `1:10` or `1:0`")]
pub struct RatioError(String);

/// Reads writes and reads relative to each other, such as `1:10`.
///
/// # Errors
/// When the text has another form, or both are 0.
pub fn parse_ratio(text: &str) -> Result<(u32, u32), RatioError> {
    let part = |part: &str| part.trim().parse::<u32>().ok();
    text.split_once(':')
        .and_then(|(sets, gets)| part(sets).zip(part(gets)))
        // Their sum must have room as well.
        .filter(|(sets, gets)| sets.checked_add(*gets).is_some_and(|both| both > 0))
        .ok_or_else(|| RatioError(text.chars().take(40).collect()))
}

/// One length, or the shortest and the longest.
fn size(lengths: &[i64]) -> Option<ValueSize> {
    let length =
        |number: i64| u32::try_from(number).ok().filter(|length| (1..=MAX_VALUE).contains(length));
    match *lengths {
        [only] => length(only).map(ValueSize::Fixed),
        [shortest, longest] => {
            let (shortest, longest) = length(shortest).zip(length(longest))?;
            (shortest <= longest).then_some(ValueSize::Between(shortest, longest))
        }
        _ => None,
    }
}

/// What a test with the workload `key_value` says of it.
pub(crate) fn workload(table: &KeyValueKeys, problems: &mut Problems) -> KeyValue {
    let default = KeyValue::default();
    let ratio_key = problems.key("ratio");
    let ratio = table.ratio.as_ref().and_then(|written| {
        parse_ratio(written.get_ref())
            .map_err(|error| problems.add(written.span(), format!("{ratio_key}: {error}")))
            .ok()
    });
    KeyValue {
        keys: table.keys.value("keys", problems),
        order: table.distribution.value("distribution", problems).unwrap_or(default.order),
        shape: default.shape,
        sets_to_gets: ratio.unwrap_or(default.sets_to_gets),
        value_size: value_size(&table.value_size, problems).unwrap_or(default.value_size),
        pipeline: table.pipeline.value("pipeline", problems),
        expiry: expiry(&table.expiry, problems),
        preload: table.preload.value(),
    }
}

fn value_size(written: &Maybe<Numbers>, problems: &mut Problems) -> Option<ValueSize> {
    let written = written.as_ref()?;
    let found = match written.get_ref() {
        Numbers::One(length) => size(&[*length]),
        Numbers::Many(lengths) => size(lengths),
    };
    if found.is_none() {
        let key = problems.key("value_size");
        let bounds = format!("from 1 to {MAX_VALUE} bytes, the shortest before the longest");
        problems
            .add(written.span(), format!("{key} must be {bounds}, not {}", written.get_ref()))
            .help("write 1024, or [100, 1000] for the lengths between");
    }
    found
}

fn expiry(written: &Key<AnyLength>, problems: &mut Problems) -> Option<Duration> {
    let at = written.place()?;
    let expiry = written.value("expiry", problems)?;
    if expiry.is_zero() {
        problems
            .add(
                at,
                format!(
                    "{} must be more than zero: no key would ever be found",
                    problems.key("expiry")
                ),
            )
            .help("leave it out for keys that live forever");
    }
    Some(expiry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_two_numbers_and_not_both_zero() {
        assert_eq!(parse_ratio("1:10"), Ok((1, 10)));
        assert_eq!(parse_ratio("1:0"), Ok((1, 0)));
        for text in ["", "1", "0:0", "1:2:3", "a:b", "-1:1", "4294967295:1"] {
            assert!(parse_ratio(text).is_err(), "{text}");
        }
    }
}
