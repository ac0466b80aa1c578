//! All wording: findings, verdicts, answers and methods in plain sentences that carry their
//! evidence. Everything that a report says is said here; the formats only arrange it.
//!
//! A difference is given as a ratio with its interval, never as "N % faster", so that the
//! variation is in the sentence.

mod answer;
mod capacity;
mod captions;
mod catch_up;
mod decision;
mod disks;
mod events;
mod failover;
mod first;
pub(crate) mod instances;
mod items;
mod labels;
mod methods;
mod metric;
mod money;
mod rates;
mod resources;
mod search;
mod standings;
mod statement;
mod undecided;
mod volume;
mod why;

pub(crate) use answer::{Answer, answer, general_limits, scaled};
pub(crate) use capacity::{
    AskedFor, SERVICE_TIMES, answer as capacity_answer, asked_for, beyond as capacity_beyond,
    break_evens as capacity_break_evens, part as capacity_part, question, sufficient,
};
pub(crate) use captions::{
    CONTRADICTIONS, EVENT_COSTS, EVENT_TIMES, FACTORS, FAILOVER_STEPS, LOAD_HOSTS, ROUND_TRIPS,
    TARGET_HOSTS, TRIALS_OF_CELLS, VIRTUAL_MACHINES, cells, ratios,
};
pub(crate) use decision::{doubts, not_for, rests_on, undecided};
pub(crate) use disks::{disks_heading, volumes};
pub(crate) use events::{act_result, began, changed, ended, event_kind, event_time, mark};
pub use findings::names::searched_load;
pub(crate) use findings::names::{
    bound, failure_kind, metric_name, search_unit, target_name, unit,
};
pub(crate) use findings::place::{at, levels};
pub use findings::processors::shared as shared_processors;
pub use findings::sentence;
pub use findings::storage::load as storage_load;
pub(crate) use findings::words::{
    Terms, amount, by_level, choices, crossover, depends_on_level, equation, follows, law_name,
    off, origins, outcome, printed,
};
pub(crate) use findings::{PlacedStatement, capitalised, said, sentences};
pub(crate) use first::not_offered;
pub(crate) use items::{ITEMS, PLANS_HEADING};
pub(crate) use labels::{place, severity, shape, validity, verdict, workload};
pub use methods::budget;
pub(crate) use methods::{few_repeats, methods};
pub(crate) use metric::{
    NO_TEST, against_first, exactly, in_unit, matrix, nothing_ranked, ranked_by, short_unit,
    summary, with_unit,
};
pub(crate) use money::{break_evens, offer, standing};
pub(crate) use rates::{OVERLOADED, kept_up_with};
pub(crate) use resources::{
    RESOURCE_CHARTS, not_known, resources, resources_heading, resources_of_runs, unseen,
};
pub(crate) use search::{searched_for, step_verdict};
pub(crate) use standings::{first_places, standings};
pub(crate) use statement::{
    BEFORE_AND_AFTER, BEFORE_AND_AFTER_HEADING, PROFILE, PROFILE_HEADING, figures_heading,
};
pub(crate) use why::{TIMES, TIMES_CAPTION, WHY, of_first_place as why_slower, why};
