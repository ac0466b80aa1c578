//! What passes between the lead and a generator: a line of JSON each.

use engine::{Account, AccountOutline, Ended, Nanos, Part, RunLoad};
use model::{Failure, LONGEST_TIME};
use serde::de::{self, IgnoredAny, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt::{self, Formatter};
use system::load::PreparedLoad;

/// What the lead tells a generator. The end of the pipe tells it to end.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Instruction<L = PreparedLoad> {
    /// First: what to do.
    Prepare(Box<Assignment<L>>),
    /// When all generators are ready: when to begin.
    Start(Nanos),
    /// Enough was measured: no operation is to begin any more.
    Enough,
    /// The lead is there. Who has heard this once ends where it does not hear it for 3 s: between a
    /// generator and its lead may be something that goes on when the lead is gone.
    Beat,
}

/// What a generator answers.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Answer {
    /// All of its clients are logged in.
    Ready,
    /// An interval ended.
    Interval(Box<Ended>),
    /// Last: what it did.
    Done(Box<Account>),
    /// Last: why it could not.
    Failed(Failure),
}

/// As much of an [`Answer`] as shows whether it is one.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum AnswerOutline {
    Ready,
    Interval(IgnoredAny),
    Done(AccountOutline),
    Failed(IgnoredAny),
}

impl Answer {
    /// What a line says; `None` where no generator of that load can mean it: times are added to others,
    /// and histograms take a thousand times the memory of a short text, and both come from another
    /// machine.
    pub(crate) fn read(line: &[u8], load: &dyn RunLoad) -> Option<Self> {
        if let AnswerOutline::Done(account) = serde_json::from_slice(line).ok()? {
            let is_plausible =
                account.fits(load) && serde_json::from_slice::<PlausibleTimes>(line).is_ok();
            is_plausible.then_some(())?;
        }
        let answer = serde_json::from_slice(line).ok()?;
        match &answer {
            Self::Interval(ended) if !ended.is_plausible() => None,
            _ => Some(answer),
        }
    }
}

/// Anything in which no [`Duration`](std::time::Duration) is longer than any load.
struct PlausibleTimes;

impl<'de> Deserialize<'de> for PlausibleTimes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for PlausibleTimes {
    type Value = Self;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "times of at most {} s", LONGEST_TIME.as_secs())
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Self, A::Error> {
        while parts.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut parts: A) -> Result<Self, A::Error> {
        while let Some(name) = parts.next_key::<String>()? {
            if name != "secs" {
                parts.next_value::<Self>()?;
                continue;
            }
            let seconds = parts.next_value::<u64>()?;
            if seconds > LONGEST_TIME.as_secs() {
                return Err(de::Error::invalid_value(Unexpected::Unsigned(seconds), &self));
            }
        }
        Ok(self)
    }
}

/// A generator's part of a load.
#[derive(Serialize, Deserialize)]
pub(crate) struct Assignment<L> {
    pub(crate) part: Part,
    /// The whole load.
    pub(crate) load: L,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_no_load_can_take_are_no_answer() {
        let said = |seconds: u64| {
            format!(r#"{{"parts":[{{"connect_time":{{"secs":{seconds},"nanos":5}}}}]}}"#)
        };
        let is_plausible = |seconds| serde_json::from_str::<PlausibleTimes>(&said(seconds)).is_ok();
        assert!(is_plausible(86_400) && is_plausible(LONGEST_TIME.as_secs()));
        assert!(!is_plausible(LONGEST_TIME.as_secs() + 1) && !is_plausible(u64::MAX));
    }
}
