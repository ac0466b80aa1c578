//! All wording: findings, verdicts, answers and methods in plain sentences that carry their
//! evidence. Everything that a report says is said here; the formats only arrange it.
//!
//! A difference is given as a ratio with its interval, never as "N % faster", so that the
//! variation is in the sentence (method R21, R23).

mod advice;
mod answer;
mod arithmetic;
mod bend;
mod capacity;
mod comparisons;
mod data;
mod disks;
mod doubts;
mod events;
mod evidence;
mod factors;
mod floor;
mod generators;
mod labels;
mod methods;
mod metric;
mod money;
mod opinion;
mod outages;
mod place;
mod processors;
mod rates;
mod scaling;
mod search;
mod steadiness;
mod storage;
mod undecided;
mod volume;

pub(crate) use advice::advice;
pub(crate) use answer::{answer, general_limits};
pub(crate) use arithmetic::{Terms, equation, follows, off, origins, value as printed};
pub(crate) use capacity::{
    SERVICE_TIMES, answer as capacity_answer, part as capacity_part, question, would_do,
};
pub(crate) use disks::{disks_heading, volumes};
pub(crate) use events::{began, changed, ended, event_kind, event_time};
pub(crate) use evidence::sentences;
pub use evidence::{sentence, statement};
pub(crate) use factors::{by_level, depends_on_level};
pub(crate) use labels::{failure_kind, kind, place, severity, shape, validity, verdict, workload};
pub(crate) use methods::{few_repeats, methods};
pub(crate) use metric::{
    NO_TEST, exactly, metric_name, nothing_ranked, ranked_by, short_unit, summary, unit,
};
pub(crate) use money::{amount, offer, outcome, standing};
pub(crate) use place::{at, trials};
pub use processors::shared as shared_processors;
pub(crate) use rates::OVERLOADED;
pub(crate) use scaling::crossover;
pub use search::searched_load;
pub(crate) use search::{bound, search_unit, searched_for, step_verdict};
pub use storage::load as storage_load;
