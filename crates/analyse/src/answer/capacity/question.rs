//! What is asked of targets, and what is answered.

use super::beyond::Beyond;
use crate::{Analysis, ProfileStretch, TestAnalysis};
use findings::{Amount, BreakEven, BurstEnds, CostGap};
use model::{AnswerAt, AskedLoad, Bound, Level, Metric, Slo, Study, Test};
use serde::Serialize;
use stats::{Estimate, Interval};

/// What a target is wanted for. What is absent is not asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Question {
    /// Clients at the same time.
    pub clients: Option<u32>,
    /// Transactions per second, above 0.
    pub rate: Option<f64>,
    /// Bounds on latency that must be met under that load.
    pub latency: Vec<Slo>,
    /// The share of writing statements, from 0 to 1: which test the answer comes from.
    pub writes: Option<f64>,
    /// The most that a month may cost.
    pub budget: Option<Budget>,
    /// A page that asks the database several times before it is complete.
    pub page: Option<Page>,
}

impl Question {
    /// What a study asks about a load; `None` where it asks about none.
    pub fn for_study(study: &Study) -> Option<Self> {
        let AnswerAt { load, slo } = study.answer_at?;
        let (rate, clients) = match load {
            AskedLoad::Rate(rate) => (Some(rate), None),
            AskedLoad::Clients(clients) => (None, Some(clients)),
        };
        let latency = slo.into_iter().collect();
        Some(Self { rate, clients, latency, ..Self::default() })
    }
}

/// The most that a month may cost.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Budget {
    /// So much a month, 0 or more.
    pub amount: f64,
    /// ISO 4217 code; the currency in which all targets are priced, when absent.
    pub currency: Option<String>,
}

/// A page that asks the database several times, one query after another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Page {
    /// How long all of them may take together, in milliseconds; above 0.
    pub budget_ms: f64,
    /// How many; at least 1. Each counts as one transaction of the test, and as slow as its 95th
    /// percentile.
    pub queries: u32,
}

impl Page {
    /// The bound on a single query that meets the budget of the page.
    pub(super) fn bound(self) -> Slo {
        Slo {
            figure: model::LatencyFigure::P95,
            bound_ms: self.budget_ms / f64::from(self.queries.max(1)),
            inclusive: true,
        }
    }
}

/// What follows for a question, in order: the least of several answers is that to all of them
/// together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The whole interval says no.
    No,
    /// A single measurement says no; nothing is known of how it scatters.
    NoMeasuredOnce,
    /// The data does not say.
    Unknown,
    /// A single measurement says yes; nothing is known of how it scatters.
    YesMeasuredOnce,
    /// The whole interval says yes.
    Yes,
}

impl Answer {
    /// Whether it is a yes of either kind.
    pub fn is_yes(self) -> bool {
        self > Self::Unknown
    }

    /// Whether it is a no of either kind.
    pub fn is_no(self) -> bool {
        self < Self::Unknown
    }

    /// A plain yes or no, of the weaker kind where it rests on a single measurement.
    pub(super) fn from_measured(yes: bool, once: bool) -> Self {
        match (yes, once) {
            (true, false) => Self::Yes,
            (true, true) => Self::YesMeasuredOnce,
            (false, true) => Self::NoMeasuredOnce,
            (false, false) => Self::No,
        }
    }

    /// What two measurements say together of what lies between them: only what both say.
    pub(super) fn both(self, other: Self) -> Self {
        match (self, other) {
            (a, b) if a.is_yes() && b.is_yes() => a.min(b),
            (a, b) if a.is_no() && b.is_no() => a.max(b),
            _ => Self::Unknown,
        }
    }
}

/// The answers from one test.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TestAnswers {
    pub test: String,
    /// Whether its latencies are service times of a closed loop, which do not show how long a
    /// request waits before it is sent.
    pub service_times: bool,
    /// One for each target, in the order of the study.
    pub targets: Vec<TargetAnswer>,
    /// The targets that meet all requirements, as far as was measured.
    pub sufficient: Vec<String>,
    /// The order in which they stand.
    pub order: TargetOrder,
    /// From which load on which of those that are sufficient costs less, where a rate is asked about.
    pub break_evens: Vec<BreakEven>,
}

/// The order of the targets that are sufficient.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TargetOrder {
    /// As in the study: not all of them have known costs in one currency.
    Study,
    /// Each costs less than the next.
    Cost,
    /// By what they cost as measured; of some that follow one another the intervals overlap, or the
    /// costs are equal, so that it is not known which costs less.
    CostUndecided,
}

/// The answer for one target.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TargetAnswer {
    pub target: String,
    /// To all that is asked together.
    pub answer: Answer,
    /// To each part of the question.
    pub parts: Vec<RequirementAnswer>,
    /// What a month costs, where it is known.
    pub monthly: Option<MonthlyCost>,
}

/// What a target costs a month.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MonthlyCost {
    pub amount: Amount,
    /// ISO 4217 code.
    pub currency: String,
    /// When the price was offered, in the user's words.
    pub date: Option<String>,
    /// Where transactions took so much of what is charged by use; absent where nothing measured is.
    pub used_at: Option<Level>,
    /// What the amount has of data that the load adds, where storage is charged by the size of the data.
    pub growth: Option<StoredInMonth>,
}

/// What a month's bill has of data that the load adds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct StoredInMonth {
    /// 10⁹ bytes by which the data grows in that month, of which half is charged; `None` where that was not
    /// measured, and the bill is for the data as it was before the load.
    pub gigabytes: Option<Amount>,
}

/// The answer to one part of a question.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RequirementAnswer {
    pub asked: Requirement,
    pub answer: Answer,
    pub reason: Reason,
    /// The measurements that it rests on, in order of level.
    pub grounds: Vec<Ground>,
    /// What a model says where the rate lies beyond all that was measured; no part of the answer.
    pub beyond: Option<Beyond>,
}

/// A part of a question.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Requirement {
    /// Whether the test has that share of writing statements.
    Writes {
        /// From 0 to 1.
        share: f64,
    },
    /// Whether it serves so many clients at all.
    Clients { clients: u32 },
    /// Whether it sustains so many transactions per second.
    Rate { rate: f64 },
    /// Whether it meets a bound on latency.
    Latency { slo: Slo },
    /// Whether a page is complete in time.
    Page { page: Page },
    /// Whether a month costs no more than that.
    Budget {
        /// The most that it may cost.
        budget: Budget,
    },
}

/// What one cell, or one target's searches, say.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ground {
    pub level: Level,
    /// Of what `estimate` is; absent where the load itself is meant: whether it was borne, or the
    /// highest that a search found.
    pub figure: Option<Metric>,
    /// What was measured; absent where there is no such figure.
    pub estimate: Option<Estimate>,
    /// What follows from this alone.
    pub answer: Answer,
    /// Where the figure of one further trial would lie, where that is why there is no yes although the
    /// median meets the bound.
    pub next: Option<Interval>,
    /// The repeats of the trials that it rests on.
    pub repeats: Vec<u32>,
    /// How many of these are suspect.
    pub suspect: usize,
    /// How many others failed or are void, where that is why there is no yes although these say so;
    /// else 0.
    pub lost: usize,
    /// In how many of the trials that it rests on nothing succeeded, where that is why there is no yes;
    /// else 0.
    pub stalled: usize,
    /// In how many of them the target put off more and more work, where that is why there is no yes; else 0.
    pub indebted: usize,
    /// A burst that ended, where that is why the rate is not borne.
    pub burst: Option<BurstEnds>,
    /// The stage of the load profile that it is of, where the rate of the load follows one.
    pub stage: Option<Stage>,
}

/// A stage of a load profile that held its rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Stage {
    /// Operations offered per second.
    pub rate: f64,
    /// When it began, in seconds from the start of measuring.
    pub from_seconds: f64,
    pub length_seconds: f64,
    /// After how many seconds the rate was served in the trial in the middle; `None` where it was not in most.
    pub served_after_seconds: Option<f64>,
    /// In how many trials it never was.
    pub never_served: usize,
}

impl Stage {
    pub(super) fn from_stretch(stretch: &ProfileStretch) -> Self {
        Self {
            rate: stretch.to_rate,
            from_seconds: stretch.from_seconds,
            length_seconds: stretch.length_seconds,
            served_after_seconds: stretch.usually_served_after(),
            never_served: stretch
                .served_after_seconds
                .iter()
                .filter(|after| after.is_none())
                .count(),
        }
    }
}

/// Why an answer is what it is.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Reason {
    /// It was measured there.
    Measured,
    /// It lies between two levels that answer alike; latency and throughput are taken as monotone
    /// between neighbours.
    Between,
    /// It lies between two levels that do not answer alike.
    NeighboursDiffer,
    /// The interval has the bound within it.
    Straddles,
    /// The median meets the bound; a single trial may not.
    NextMayNot,
    /// The trials that count say yes, and others failed or are void.
    TrialsLost,
    /// In some of the trials nothing succeeded at all.
    Stalled,
    /// In some of the trials the target put off more and more work, for which clients must wait at last.
    PutsOff,
    /// It lies below or above all levels that were measured.
    BeyondRange,
    /// No trial that counts has the figure.
    NoFigure,
    /// Trials fell behind the offered rate, so that there is no latency to judge.
    FellBehind,
    /// Latency at a rate is a response time, and only closed loops were measured.
    ClosedLoopOnly,
    /// Clients are asked about, and rates were measured.
    RatesOnly,
    /// The rate of the load followed a profile, so that no rate was offered throughout: nothing is asked of
    /// one of its rates, or none of them stays.
    RateChanges,
    /// Several stages of the load profile offered it, and do not answer alike.
    StagesDiffer,
    /// No load is stated; every level that was measured answers alike.
    EveryLevel,
    /// No load is stated, and the levels do not all answer alike.
    DependsOnLoad,
    /// At no level so much was reached, and throughput does not rise any more.
    NeverReached,
    /// So much was not reached, and more clients would not reach it by what is left of its rise.
    OutOfReach {
        /// What throughput would not pass ([`crate::Curve::at_most`]), in transactions per second.
        at_most: f64,
    },
    /// So much was not reached, and more clients may reach it.
    PeakNotSeen,
    /// Searches under a bound decide.
    Searched {
        /// The bound that they met.
        #[serde(flatten)]
        bound: Bound,
    },
    /// Searches were made under another bound, or for another kind of load, which does not decide.
    SearchedOtherwise {
        /// The bound that they met.
        #[serde(flatten)]
        bound: Bound,
    },
    /// That share of the test's statements write.
    WritesMeasured {
        /// From 0 to 1.
        share: f64,
    },
    /// What the test's statements do was not imported with its results.
    WritesUnknown,
    /// The price decides.
    Priced {
        /// What a month costs.
        monthly: Box<MonthlyCost>,
    },
    /// The target has no price.
    NoPrice,
    /// Targets are priced in several currencies, and the budget does not say in which it is.
    CurrencyNotStated,
    /// The target is priced in another currency.
    OtherCurrency { currency: String },
    /// Something that the bill takes is not known.
    CostUnknown { gap: CostGap },
    /// The bill depends on the load, and the throughput at that level was not measured.
    LoadUnknown,
}

/// A target in a test, with what is asked of it.
pub(super) struct Candidate<'a> {
    pub(super) analysis: &'a Analysis<'a>,
    pub(super) of_study: &'a Test,
    pub(super) test: &'a TestAnalysis,
    pub(super) target: &'a str,
    pub(super) question: &'a Question,
}
