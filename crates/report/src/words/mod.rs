//! All wording: findings, verdicts, answers and methods in plain sentences that carry their
//! evidence. Everything that a report says is said here; the formats only arrange it.
//!
//! A difference is given as a ratio with its interval, never as "N % faster", so that the
//! variation is in the sentence.

mod answer;
mod capacity;
mod catch_up;
mod decision;
mod disks;
mod events;
mod failover;
mod finding;
mod first;
pub(crate) mod instances;
mod labels;
mod methods;
mod metric;
mod money;
mod place;
mod processors;
mod rates;
mod search;
mod statement;
mod storage;
mod undecided;
mod volume;

pub(crate) use answer::{Answer, answer, general_limits, not_offered, scaled};
pub(crate) use capacity::{
    SERVICE_TIMES, answer as capacity_answer, part as capacity_part, question, sufficient,
};
pub(crate) use decision::{doubts, grounds, not_for, rests_on, second, undecided};
pub(crate) use disks::{disks_heading, volumes};
pub(crate) use events::{act_result, began, changed, ended, event_kind, event_time, mark};
pub(crate) use finding::law_name;
pub use finding::sentence;
pub(crate) use finding::{
    Terms, by_level, capitalised, choices, crossover, depends_on_level, equation, follows, heading,
    off, origins, outcome, printed, sentences,
};
pub(crate) use labels::{
    failure_kind, place, severity, shape, target_name, validity, verdict, workload,
};
pub use methods::budget;
pub(crate) use methods::{few_repeats, methods};
pub(crate) use metric::{
    NO_TEST, against_first, exactly, in_unit, matrix, metric_name, nothing_ranked, ranked_by,
    short_unit, summary, unit, with_unit,
};
pub(crate) use money::{amount, offer, standing};
pub(crate) use place::{at, levels, trials};
pub use processors::shared as shared_processors;
pub(crate) use rates::{OVERLOADED, kept_up_with};
pub use search::searched_load;
pub(crate) use search::{bound, search_unit, searched_for, step_verdict};
pub(crate) use statement::{AROUND, AROUND_HEADING, figures_heading};
pub use storage::load as storage_load;
