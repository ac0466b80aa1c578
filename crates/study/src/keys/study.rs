//! The study file as written: only shapes, nothing is checked here. The doc comments become the
//! descriptions of the JSON Schema.

use crate::keys::choices::AnswerByKey;
use crate::keys::key::{AnyLength, Bounded, Choice, Flag, Key, Length, Whole};
use crate::keys::{FleetTable, HostTable, LoadHostTable, Maybe, TargetTable, TestKeys};
use model::Study;
use model::bounds::{MAX_CLIENTS, MAX_LOOKS, MAX_RATE};
use schemars::JsonSchema;
use serde::Deserialize;
use std::ops::RangeInclusive;
use toml::Spanned;

/// A weighin study: candidates, what is run on them, and how carefully.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, title = "weighin study file")]
pub(crate) struct File {
    /// What is asked, and how carefully.
    #[schemars(with = "StudyTable")]
    pub study: Maybe<StudyTable>,
    /// Machines that several targets are on.
    #[schemars(with = "Option<Vec<HostTable>>", length(min = 1))]
    pub host: Option<Vec<Spanned<HostTable>>>,
    /// Where agents register, for load hosts that are such.
    #[schemars(with = "Option<FleetTable>")]
    pub fleet: Maybe<FleetTable>,
    /// Machines that make the loads.
    #[schemars(with = "Option<Vec<LoadHostTable>>", length(min = 1, max = model::Load::MAX_LOAD_HOSTS))]
    pub load_host: Option<Vec<Spanned<LoadHostTable>>>,
    /// The candidates.
    #[schemars(with = "Vec<TargetTable>", length(min = 1))]
    pub target: Option<Vec<Spanned<TargetTable>>>,
    /// What is done with every target.
    #[schemars(with = "Vec<TestKeys>", length(min = 1))]
    #[expect(dead_code, reason = "each is read again, with the keys of its form")]
    pub test: Option<Vec<Spanned<TestKeys>>>,
}

/// A load that a target is wanted for.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct AnswerAtTable {
    /// Transactions per second.
    pub rate: Key<Bounded<1, { MAX_RATE as i64 }>>,
    /// Clients that each run one transaction after another, in place of a rate.
    pub clients: Key<Bounded<1, { MAX_CLIENTS as i64 }>>,
    /// The bound that latency must meet there.
    #[schemars(with = "Option<String>")]
    pub slo: Maybe<String>,
}

/// What is asked, and how carefully.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct StudyTable {
    /// Short name, used for file names: letters, digits, `-` and `_`.
    #[schemars(with = "String")]
    pub name: Maybe<String>,
    /// The question that the study is to answer, in your words; the report shows it.
    pub question: Option<String>,
    /// By what the report says which target is best: a metric that the tests have, or `cost`, which is
    /// that of a million transactions, each target at its peak. Throughput is that at the peak as well; other
    /// metrics are compared at the load of `answer_at`, where it was measured, else at the highest level that the
    /// most targets have.
    #[schemars(extend("x-absent" = "what each test measures: `throughput` of loads, `elapsed` of statements, `downtime` of failovers, `catch_up` of replicas; `cost` where targets have prices and the question asks what transactions cost, or which is cheaper"))]
    pub answer_by: Key<Choice<AnswerByKey>>,
    /// The load for which the report says on its first screen which targets are sufficient, the cheapest
    /// first, and from which load on which of them costs less: `{ rate = 2000, slo = "p95 < 20ms" }`. Where
    /// `answer_by` is neither throughput nor cost, it is judged at this load, if it was measured.
    #[schemars(with = "Option<AnswerAtTable>")]
    pub answer_at: Maybe<AnswerAtTable>,
    /// How many times every cell is measured. Or `{ min = 3, max = 20, until =
    /// "resolved" }`: what is decided after a block is left out of the next.
    #[schemars(with = "Option<RepeatsKey>", extend("default" = REPEATS))]
    pub repeats: Maybe<RepeatsKey>,
    /// What the run may take, with `until`: a time, such as `4h`, or an amount of money, such as `50
    /// EUR`, by the prices of all targets. Repeats end when the next would not fit.
    #[schemars(with = "Option<String>")]
    pub budget: Maybe<String>,
    /// Seeds the order of trials and all random streams.
    pub seed: Key<Whole<0, { i64::MAX }, 1>>,
    /// Confidence of every interval.
    #[schemars(
        with = "Option<f64>",
        range(min = *CONFIDENCES.start(), max = *CONFIDENCES.end()),
        extend("default" = Study::CONFIDENCE)
    )]
    pub confidence: Maybe<f64>,
    /// Relative difference below which two targets count as the same, such as 0.05 for 5 %.
    #[schemars(
        with = "Option<f64>",
        range(min = *MARGINS.start(), max = *MARGINS.end()),
        extend("default" = Study::MARGIN)
    )]
    pub margin: Maybe<f64>,
    /// Time between two samples of processors, disks and the server's counters while a trial runs, such
    /// as `2.5s`, from `100ms` to `60s`. Each asks the server for its counters.
    pub sample_every: Key<Length<1>>,
    /// Run the first target a second time in every block, as its own A/A control: differences between
    /// targets are claimed only where they exceed what tells these two apart. Tests with an `slo` are
    /// run once.
    pub noise_floor: Key<Flag<false>>,
    /// Run the trials of all targets at once, test by test and level by level, where they share neither
    /// machine nor load host.
    pub parallel: Key<Flag<false>>,
    /// Let the loads of all targets take turns, test by test and level by level, in slices of at most
    /// this length, such as `10s`: all targets are up, and one at a time has its load. Noise that comes in
    /// bursts or lasts for minutes then hits all targets alike, and fewer repeats tell them apart.
    pub slices: Key<AnyLength>,
    /// Load all targets at once on this machine, test by test and level by level, each with as many
    /// processors as the others and no others, which they exchange about ten times a second: what disturbs the
    /// machine, or some of its processors, then disturbs all of them alike. Capacities are those of a part of the machine.
    pub duet: Key<Flag<false>>,
    /// With `slices`: how long a load runs at the beginning of each slice before it is measured.
    pub settling: Key<Length<1>>,
}

/// A number of repeats, or as many as it takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "a whole number, or a table such as { min = 3, max = 20, until = \"resolved\" }"
)]
pub(crate) enum RepeatsKey {
    Number(#[schemars(with = "u32", range(min = 1, max = 1000))] i64),
    Until(UntilTable),
}

/// As many repeats as it takes: after each block the comparisons of targets that are decided, or
/// cannot be decided with all repeats, are left out.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[serde(deny_unknown_fields)]
pub(crate) struct UntilTable {
    /// Repeats of every cell before anything is decided.
    #[schemars(with = "Option<u32>", range(min = 2, max = MAX_LOOKS), extend("default" = REPEATS))]
    pub min: Option<i64>,
    /// The most repeats of any cell.
    #[schemars(
        with = "Option<u32>",
        range(min = 2, max = MAX_LOOKS),
        extend("default" = MOST_REPEATS)
    )]
    pub max: Option<i64>,
    /// What ends them: `resolved`.
    #[schemars(extend("enum" = ["resolved"]))]
    pub until: String,
}

/// Repeats where a study does not say.
pub(crate) const REPEATS: u32 = 3;
/// Most repeats where a study says that they end when all is resolved, and not when at the latest.
pub(crate) const MOST_REPEATS: u32 = 20;
/// Confidences and margins that a study may ask for.
pub(crate) const CONFIDENCES: RangeInclusive<f64> = 0.5..=0.9999;
pub(crate) const MARGINS: RangeInclusive<f64> = 0.0001..=0.5;
