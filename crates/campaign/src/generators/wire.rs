//! What passes between the lead and a generator: a line of JSON each.

use crate::systems::load::PreparedLoad;
use engine::{Account, Ended, Nanos, Part};
use model::{Failure, LONGEST_TIME};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What the lead tells a generator. The end of the pipe tells it to end.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Order<L = PreparedLoad> {
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

impl Answer {
    /// What a line says; `None` where no generator can mean it: times are added to others, and theirs
    /// come from another machine.
    pub(crate) fn read(line: &[u8]) -> Option<Self> {
        let answer = serde_json::from_slice(line).ok()?;
        let is_plausible = match &answer {
            Self::Interval(ended) => ended.is_plausible(),
            // Once in a trial.
            Self::Done(_) => {
                serde_json::from_slice(line).is_ok_and(|said| has_plausible_times(&said))
            }
            Self::Ready | Self::Failed(_) => true,
        };
        is_plausible.then_some(answer)
    }
}

/// Whether no [`Duration`](std::time::Duration) in it is longer than any load.
fn has_plausible_times(said: &Value) -> bool {
    match said {
        Value::Array(parts) => parts.iter().all(has_plausible_times),
        Value::Object(parts) => {
            let seconds = parts.get("secs").and_then(Value::as_u64).unwrap_or(0);
            seconds <= LONGEST_TIME.as_secs() && parts.values().all(has_plausible_times)
        }
        _ => true,
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
        let is_plausible =
            |seconds| has_plausible_times(&serde_json::from_str(&said(seconds)).unwrap());
        assert!(is_plausible(86_400) && is_plausible(LONGEST_TIME.as_secs()));
        assert!(!is_plausible(LONGEST_TIME.as_secs() + 1) && !is_plausible(u64::MAX));
        assert!(Answer::read(br#""ready""#).is_some() && Answer::read(b"nonsense").is_none());
    }
}
