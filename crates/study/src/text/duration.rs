use model::bounds::MAX_DURATION;
use std::time::Duration;

/// Units in the order in which they are tried; `ms` must come before `m`.
const UNITS: [(&str, u64); 4] =
    [("ms", 1_000_000), ("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000)];

/// Why a text is not a duration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DurationError {
    /// A number without a unit.
    #[error("`{0}` has no unit: write `{0}s` for seconds, or use ms, m or h")]
    NoUnit(String),
    /// Neither numbers nor units.
    #[error("`{0}` is not a duration: write it like `500ms`, `2.5s`, `5m` or `1m30s`")]
    Malformed(String),
    /// More than 30 days.
    #[error("`{0}` is longer than 30 days")]
    TooLong(String),
}

/// Reads a length of time such as `500ms`, `2.5s`, `5m`, `1m30s` or `2h`. To the
/// nanosecond.
///
/// # Errors
/// When a unit is missing, the text has another form, or the length is above 30 days.
pub fn parse_duration(text: &str) -> Result<Duration, DurationError> {
    let malformed = || DurationError::Malformed(text.chars().take(40).collect());
    let too_long = || DurationError::TooLong(text.chars().take(40).collect());
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err(malformed());
    }
    let mut nanos: u64 = 0;
    while !rest.is_empty() {
        let (number, mut tail) = digits(rest);
        let mut fraction = "";
        if let Some(after_point) = tail.strip_prefix('.') {
            (fraction, tail) = digits(after_point);
            if fraction.is_empty() {
                return Err(malformed());
            }
        }
        if number.is_empty() {
            return Err(malformed());
        }
        if tail.is_empty() {
            return Err(DurationError::NoUnit(text.trim().chars().take(40).collect()));
        }
        let (unit, per_unit) =
            UNITS.into_iter().find(|(unit, _)| tail.starts_with(unit)).ok_or_else(malformed)?;
        nanos = number
            .parse::<u64>()
            .ok()
            .and_then(|number| number.checked_mul(per_unit))
            .and_then(|part| part.checked_add(part_of(per_unit, fraction)))
            .and_then(|part| nanos.checked_add(part))
            .ok_or_else(too_long)?;
        rest = &tail[unit.len()..];
    }
    let length = Duration::from_nanos(nanos);
    if length > MAX_DURATION { Err(too_long()) } else { Ok(length) }
}

/// A length of whole seconds as a study says it: `90s`, `10m`, `1h`.
pub(crate) fn written_duration(length: Duration) -> String {
    match length.as_secs() {
        hours if hours > 0 && hours % 3600 == 0 => format!("{}h", hours / 3600),
        minutes if minutes > 60 && minutes % 60 == 0 => format!("{}m", minutes / 60),
        seconds => format!("{seconds}s"),
    }
}

/// The digits that a text begins with, and the rest of it.
fn digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()))
}

/// The fraction of a unit that these digits behind a decimal point say; 0 without digits.
fn part_of(unit: u64, digits: &str) -> u64 {
    let share: f64 = format!("0.{digits}").parse().unwrap_or(0.0);
    (share * unit as f64).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_add_up() {
        for (text, millis) in
            [("500ms", 500), ("30s", 30_000), ("1m30s", 90_000), ("2h", 7_200_000), ("2.5s", 2_500)]
        {
            assert_eq!(parse_duration(text), Ok(Duration::from_millis(millis)), "{text}");
        }
    }

    #[test]
    fn fractions_are_exact_to_the_nanosecond() {
        for (text, nanos) in
            [("0.29s", 290_000_000), ("0.001ms", 1_000), ("1.5m0.5s", 90_500_000_000)]
        {
            assert_eq!(parse_duration(text), Ok(Duration::from_nanos(nanos)), "{text}");
        }
        assert_eq!(parse_duration("1.000000000000000000001h"), Ok(Duration::from_secs(3600)));
    }

    #[test]
    fn what_is_written_is_read() {
        for seconds in [1, 5, 60, 90, 600, 1800, 3600, 5400, 7200] {
            let length = Duration::from_secs(seconds);
            assert_eq!(parse_duration(&written_duration(length)), Ok(length));
        }
    }

    #[test]
    fn a_number_alone_is_told_to_take_a_unit() {
        assert_eq!(parse_duration("30"), Err(DurationError::NoUnit("30".into())));
        assert!(parse_duration("30").unwrap_err().to_string().contains("`30s`"));
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", " ", "s", "-5s", "1.s", ".5s", "1..5s", "5 s", "5d", "5sec", "ß", "5ß"] {
            assert!(matches!(parse_duration(text), Err(DurationError::Malformed(_))), "{text:?}");
        }
    }

    #[test]
    fn lengths_that_cannot_be_meant_are_refused() {
        for text in ["31m1000h", "99999999999999999999s", "18446744073709551615h"] {
            assert!(matches!(parse_duration(text), Err(DurationError::TooLong(_))), "{text}");
        }
    }
}
