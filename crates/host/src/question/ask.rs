//! Questions to a machine: each is one type with its answer, who may ask it, and how long it may take.

use super::held_volume::Space;
use super::running_server::{Ends, ProcessClue, RunningServer};
use super::sampling::DiskCounters;
use model::{BuiltVolume, Failure, FailureKind, HostFacts};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::any::Any;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// How long a question may take that is answered from memory or from `/proc`.
pub(crate) const ANSWER_TIMEOUT: Duration = Duration::from_secs(20);
/// How long writing out all dirty pages may take.
const CACHES_TIMEOUT: Duration = Duration::from_secs(600);
/// How long reading, writing or erasing a whole volume may take.
pub(crate) const LONGEST: Duration = Duration::from_secs(30 * 86_400);

/// Whose questions an agent answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asker {
    /// A lead for which it makes load, and nothing else, as well.
    Anyone,
    /// Only a lead that has a login to the machine anyway.
    Login,
}

/// A question with its answer.
pub(crate) trait Question: Into<AnyQuestion> {
    type Answer: Serialize + DeserializeOwned + 'static;
}

macro_rules! questions {
    ($($question:ident($($part:ty),*) -> $answer:ty, $asker:ident, $limit:expr;)*) => {
        $(
            #[derive(Debug, Serialize, Deserialize)]
            pub struct $question($(pub $part),*);

            impl Question for $question {
                type Answer = $answer;
            }

            impl From<$question> for AnyQuestion {
                fn from(question: $question) -> Self {
                    Self::$question(question)
                }
            }
        )*

        /// Any of them, as it is carried. What they ask is said by the methods of [`super::Host`].
        #[derive(Debug, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum AnyQuestion {
            $($question($question),)*
        }

        impl AnyQuestion {
            pub fn asker(&self) -> Asker {
                match self {
                    $(Self::$question(_) => Asker::$asker,)*
                }
            }

            pub fn limit(&self) -> Duration {
                match self {
                    $(Self::$question(_) => $limit,)*
                }
            }

            /// What makes an answer of what was carried; `None` of what is no answer to this.
            pub(crate) fn reader(&self) -> fn(Value) -> Option<Box<dyn Answer>> {
                match self {
                    $(Self::$question(_) => |value| {
                        let answer: $answer = serde_json::from_value(value).ok()?;
                        Some(Box::new(answer))
                    },)*
                }
            }
        }
    };
}

questions! {
    Facts() -> HostFacts, Anyone, ANSWER_TIMEOUT;
    ProcessorCount() -> u32, Anyone, ANSWER_TIMEOUT;
    IsRoot() -> bool, Anyone, ANSWER_TIMEOUT;
    OpenFiles() -> Option<u64>, Anyone, ANSWER_TIMEOUT;
    Boot() -> Option<String>, Anyone, ANSWER_TIMEOUT;
    CheckConnection(SocketAddr) -> (), Anyone, ANSWER_TIMEOUT;
    Disks() -> BTreeMap<String, DiskCounters>, Login, ANSWER_TIMEOUT;
    CheckCaches() -> (), Login, ANSWER_TIMEOUT;
    DropCaches() -> (), Login, CACHES_TIMEOUT;
    FreeSpace(Option<PathBuf>) -> Option<Space>, Login, ANSWER_TIMEOUT;
    FindProgram(String) -> Option<PathBuf>, Login, ANSWER_TIMEOUT;
    FindServer(Ends, ProcessClue) -> Option<RunningServer>, Login, ANSWER_TIMEOUT;
    CheckProcessors(f64) -> (), Login, ANSWER_TIMEOUT;
    CheckBuiltVolume(BuiltVolume, Option<PathBuf>, u64) -> (), Login, ANSWER_TIMEOUT;
    ClearVolume(PathBuf) -> bool, Login, LONGEST;
}

/// An answer to some question.
pub trait Answer: Any {
    /// # Errors
    /// When it cannot be said in JSON.
    fn json(&self) -> serde_json::Result<Value>;
}

impl<T: Serialize + Any> Answer for T {
    fn json(&self) -> serde_json::Result<Value> {
        serde_json::to_value(self)
    }
}

/// The answer to that question, and to no other.
pub(crate) fn reply<Q: Question>(_: &Q, answer: Q::Answer) -> Result<Box<dyn Answer>, Failure> {
    Ok(Box::new(answer))
}

pub(super) fn read<Q: Question>(answer: Box<dyn Answer>) -> Result<Q::Answer, Failure> {
    let answer: Box<dyn Any> = answer;
    let answer = answer.downcast().map(|answer| *answer);
    answer.map_err(|_| Failure::new(FailureKind::Other, "the answer is to another question", ""))
}
