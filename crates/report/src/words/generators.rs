//! Load generators that shared a load, in words.

use super::doubts::span;
use crate::numbers::{count, percents};
use analyse::{Evidence, Finding};
use model::Noun;

/// That one of them did much more or less than its share.
pub(super) fn lopsided(findings: &[&Finding], counted: Noun) -> String {
    let done = span(findings, |evidence| match evidence {
        Evidence::UnevenLoad(load) => Some(load.transactions as f64 / load.fair),
        _ => None,
    });
    let what = format!("{} of the {} that were its share", percents(done), counted.many);
    match findings {
        [Finding { evidence: Evidence::UnevenLoad(load), .. }] => format!(
            "load generator {} of {} made {what} ({}), so the load was lopsided: not the one of \
             clients alike that was asked for",
            load.generator,
            load.generators,
            count(load.transactions),
        ),
        _ => format!(
            "one of the load generators made {what}, so the load was lopsided: not the one of \
             clients alike that was asked for"
        ),
    }
}
