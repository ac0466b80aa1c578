//! Numbers as typed, checked against the bounds of the study file.

use clap::builder::RangedI64ValueParser;
use model::bounds::{MAX_RATE, MIN_RATE, SCALE};
use std::ops::RangeInclusive;
use std::time::Duration;

/// A whole number in a range; the error names the option and the range.
pub(super) fn whole(range: RangeInclusive<u32>) -> RangedI64ValueParser<u32> {
    let (low, high) = range.into_inner();
    clap::value_parser!(u32).range(i64::from(low)..=i64::from(high))
}

/// Reads a number in a range; `needed` is said of any other text. NaN is in no range.
pub(super) fn between(
    range: RangeInclusive<f64>,
    needed: impl Into<String>,
) -> impl FnOnce(&str) -> Result<f64, String> {
    let needed = needed.into();
    move |text| match text.parse::<f64>() {
        Ok(number) if range.contains(&number) => Ok(number),
        _ => Err(needed),
    }
}

/// By what all times are multiplied.
pub(super) fn scale(text: &str) -> Result<f64, String> {
    let (low, high) = SCALE.into_inner();
    between(SCALE, format!("expected a factor from {low} to {high}, such as 0.1"))(text)
}

/// Operations a second.
pub(super) fn rate(text: &str) -> Result<f64, String> {
    let range = MIN_RATE..=f64::from(MAX_RATE);
    let needed = format!("expected a number per second from {MIN_RATE} to {MAX_RATE}, such as 250");
    between(range, needed)(text)
}

/// A length of time above zero.
pub(super) fn some_time(text: &str) -> Result<Duration, String> {
    match study::parse_duration(text) {
        Ok(Duration::ZERO) => Err("expected a duration above zero".to_owned()),
        Ok(length) => Ok(length),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_cannot_be_meant_are_refused_with_the_range() {
        for text in ["NaN", "inf", "-inf", "1e300", "-1", "0", "", "x", "1e-300"] {
            assert!(scale(text).is_err_and(|error| error.contains("0.000001 to 1000")), "{text}");
            assert!(rate(text).is_err_and(|error| error.contains("0.001 to 10000000")), "{text}");
        }
        assert_eq!((scale("1000"), rate("0.5")), (Ok(1000.0), Ok(0.5)));
        assert!(some_time("0s").is_err() && some_time("31m1000h").is_err());
    }
}
