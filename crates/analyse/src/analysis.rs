use crate::answer::money::TestMoney;
use crate::{Basis, CellVolume, FleetCell, Means, NamedFigure, SearchAnalysis, TestEvents};
use findings::{
    BreakEven, Check, Crossover, FactorEffect, Finding, Growth, NoiseFloor, ScalingLaw, Span,
    Validity, Verdict,
};
use model::{Dataset, Failure, Level, Metric, SettingDifference, Test};
use serde::Serialize;
use stats::{Estimate, Interval};
use std::collections::BTreeMap;

/// What may be concluded from one run of a study.
#[derive(Clone, Debug, Serialize)]
pub struct Analysis<'a> {
    /// What it rests on.
    #[serde(skip)]
    pub dataset: &'a Dataset,
    /// One for each test of the study, in its order.
    pub tests: Vec<TestAnalysis>,
    /// Most severe first; within a severity in the order of the study.
    pub findings: Vec<Finding>,
    /// Server variables in which the targets differ, in order of name.
    pub settings: Vec<SettingDifference>,
    /// Who comes first and second in each test; absent for fewer than two tests or targets.
    pub summary: Option<Summary>,
    /// What each label does where targets differ in it alone, in order of label.
    pub factors: Vec<FactorEffect>,
    /// Every pair of targets with prices in one currency: at which load they cost the same.
    pub break_evens: Vec<BreakEven>,
}

impl<'a> Analysis<'a> {
    /// Of what trials are worth alone.
    pub(crate) fn of_trials(dataset: &'a Dataset, tests: Vec<TestAnalysis>) -> Self {
        Self {
            dataset,
            tests,
            findings: Vec::new(),
            settings: Vec::new(),
            summary: None,
            factors: Vec::new(),
            break_evens: Vec::new(),
        }
    }
}

/// What may be concluded of one test.
#[derive(Clone, Debug, Serialize)]
pub struct TestAnalysis {
    pub test: String,
    /// By which figure it is judged; absent where its results were imported and have none that is
    /// known, so that nothing is compared or ranked.
    pub basis: Option<Basis>,
    /// Every target × level of the study, in its order, those without data included.
    pub cells: Vec<Cell>,
    /// The same of the A/A control of the first target, where the study has one; it is no candidate.
    pub aa_control_cells: Vec<Cell>,
    /// What is noise, by each figure that targets are compared by; empty without an A/A control, without
    /// repeats, and where the test searches.
    pub floors: Vec<NoiseFloor>,
    /// One for each target with at least one estimate of throughput, in the order of the study.
    pub curves: Vec<Curve>,
    /// Every pair of targets at every level where both have data, by the test's metric and p95
    /// latency.
    pub comparisons: Vec<Comparison>,
    /// Whom to take at which levels: empty where fewer than two targets are compared.
    pub advice: Vec<Span>,
    /// Every pair of targets over all levels together, by the same two; a pair with
    /// fewer than two levels in common has none.
    pub overall: Vec<OverallComparison>,
    /// How throughput grows with clients, for each target of which something can be said.
    pub growth: Vec<Growth>,
    /// The scaling law of each target that has what a fit takes.
    pub laws: Vec<ScalingLaw>,
    /// Where one target overtakes another.
    pub crossovers: Vec<Crossover>,
    /// By throughput at the peak of each target, or by the test's own metric (see [`Ranking`]).
    pub ranking: Ranking,
    /// Where the test searches for the highest load under a bound: what was found. Its one cell for
    /// each target holds the steps that gave the answers; curves, comparisons and the ranking of
    /// throughput are empty, since the loads differ on purpose.
    pub search: Option<SearchAnalysis>,
    /// What servers did in the background, such as snapshots, and what it cost.
    pub events: TestEvents,
    /// Where the test loads storage: every target × level by volume and by virtual machine.
    pub fleets: Vec<FleetCell>,
    /// What imported results print, by the names that it has there.
    pub figures: Vec<NamedFigure>,
    /// What the targets cost, where they have prices.
    pub money: TestMoney,
}

impl TestAnalysis {
    /// Of the cells of the targets and of the A/A control, whose trials alone were looked at.
    pub(crate) fn of_trials(
        test: &Test,
        basis: Option<Basis>,
        (cells, aa_control_cells): (Vec<Cell>, Vec<Cell>),
    ) -> Self {
        Self {
            test: test.name.clone(),
            basis,
            cells,
            aa_control_cells,
            floors: Vec::new(),
            curves: Vec::new(),
            comparisons: Vec::new(),
            advice: Vec::new(),
            overall: Vec::new(),
            growth: Vec::new(),
            laws: Vec::new(),
            crossovers: Vec::new(),
            ranking: Ranking::default(),
            search: None,
            events: TestEvents::default(),
            fleets: Vec::new(),
            figures: Vec::new(),
            money: TestMoney::default(),
        }
    }
}

/// All repeats of one target at one level.
#[derive(Clone, Debug, Serialize)]
pub struct Cell {
    pub target: String,
    pub level: Level,
    /// One for each trial that has a record, in order of repeat.
    pub trials: Vec<TrialAssessment>,
    /// What is known, over the trials that are not void. All latencies are response times where the
    /// level has a rate, and absent where a trial fell behind it; else they are service
    /// times. Percentiles are absent where a trial has too few transactions for them (see
    /// [`crate::percentile_ms`]).
    pub estimates: BTreeMap<Metric, Estimate>,
    /// Where one further trial would lie, 5 % of trials (at a confidence of 95 %) being beyond either
    /// end; absent for fewer than two trials.
    pub next: BTreeMap<Metric, Interval>,
    /// (max − min) / median of the metric that decides, over the trials, 0.05 being 5 %;
    /// absent for fewer than two.
    pub spread: Option<f64>,
    /// What the disks did that the server's data stands on; absent where they are not known.
    pub volume: Option<CellVolume>,
    /// Trials that fell behind the offered rate, of those that are not void.
    pub overloaded: usize,
    /// Trials that failed or are void, those that the user skipped aside. What the others measured says
    /// nothing of them: a server that breaks in one trial of three does not bear the load.
    pub lost: usize,
    /// Those of them that failed before there was any load, as without a connection: they say nothing
    /// of what the target bears.
    pub unstarted: usize,
    /// Trials that count in which nothing succeeded: throughput was zero.
    pub stalled: usize,
}

impl Cell {
    /// Whether there was never a load: the level was not measured, whatever is known of others.
    pub fn never_started(&self) -> bool {
        self.unstarted > 0 && self.unstarted == self.trials.len()
    }

    /// What is known of one metric.
    pub fn estimate(&self, metric: Metric) -> Option<Estimate> {
        self.estimates.get(&metric).copied()
    }
}

/// One trial and how far it may be trusted.
#[derive(Clone, Debug, Serialize)]
pub struct TrialAssessment {
    pub repeat: u32,
    /// Whether conclusions may rest on it.
    pub validity: Validity,
    /// Checks of its load that lacked what they look at, so that it passed them only as far as is known.
    pub not_checked: Vec<Check>,
    /// What is known of it; nothing where it failed. Percentiles are absent where it had too few
    /// transactions for them (see [`crate::percentile_ms`]).
    pub figures: BTreeMap<Metric, f64>,
    /// Index in the dataset's trials.
    pub record: usize,
}

/// Throughput against level for one target.
#[derive(Clone, Debug, Serialize)]
pub struct Curve {
    pub target: String,
    /// The level with the highest median throughput; of equal ones the lowest.
    pub peak: Level,
    /// Throughput there, in transactions per second. The lower end of its interval makes up for the choice
    /// of the level, so that it may be lower than that of the level by itself.
    pub peak_throughput: Estimate,
    /// What throughput would not pass however many clients there were, in transactions per second, if it
    /// rises no longer than by G. M. Amdahl's law: an upper end at the study's confidence. `None` where
    /// levels are rates or above all that have data, or throughput still rises too fast to say.
    pub at_most: Option<f64>,
    /// Levels whose throughput is not clearly below it, in order, the peak included.
    pub level_with_peak: Vec<Level>,
    /// What the curve does up to the highest level that has data.
    pub shape: CurveShape,
    /// Levels of the test above that one, ascending: all trials there failed, are void or were
    /// not run.
    pub without_data: Vec<Level>,
}

/// What a throughput curve does after its peak.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum CurveShape {
    /// One level only: no curve.
    SinglePoint,
    /// The peak is the highest level measured, and clearly above the one before it: the true
    /// peak may lie beyond.
    StillRising,
    /// The peak is the highest level that has data, and clearly above the one before it, but
    /// levels above were tried and have none: it may be the end of what the target can do.
    CutShort,
    /// Throughput at the highest level measured is the same, within the study's margin, as at the
    /// peak (as at the level before it, where the highest level is itself the peak).
    Flat,
    /// The highest level measured is clearly below the peak.
    Declines {
        /// The highest level measured.
        at: Level,
        /// Throughput there over throughput at the peak. Its confidence is above the study's
        /// where the peak was picked from more than two levels.
        ratio: Estimate,
    },
    /// The repeats are too few, or scatter too much, to tell.
    Unresolved,
}

/// Two targets at one level.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The target in the denominator; always the earlier one in the study.
    pub baseline: String,
    /// The target in the numerator.
    pub candidate: String,
    pub level: Level,
    pub metric: Metric,
    /// The baseline's figure (a ratio carries its base).
    pub base: Estimate,
    /// The figures that the ratio is of, which are not the medians of the cells.
    pub means: Means,
    /// candidate ÷ baseline, paired by repeat; of the geometric means, unpaired, where fewer than
    /// two repeats are left that both have. Its interval is the one that decides.
    pub ratio: Estimate,
    /// What follows, given all comparisons of the test by this metric.
    pub verdict: Verdict,
    /// What speaks for a difference, and what is missing.
    #[serde(flatten)]
    pub strength: Strength,
}

/// Two targets over all their common levels together.
///
/// Within each repeat the geometric means over the levels are set against one another; these
/// ratios, one for each repeat, are judged like those of a single level. So the sample's unit is
/// the repeat, however many levels there are, and what moves a whole block cancels out. The levels
/// are fixed: each weighs the same, and the statement is about these levels and no others. Noise
/// that differs from level to level averages out, so that small differences show which no single
/// level resolves. That the geometric means differ does not say that every level does.
///
/// Every repeat must have the same levels, else a ratio would depend on which trials failed: of
/// the repeats and levels as many are kept as go together (see `overall` for the rule, which
/// looks at what is there and not at the values).
#[derive(Clone, Debug, Serialize)]
pub struct OverallComparison {
    /// The target in the denominator; always the earlier one in the study.
    pub baseline: String,
    /// The target in the numerator.
    pub candidate: String,
    /// The levels that it rests on, at least two, in order.
    pub levels: Vec<Level>,
    /// Whether these are all levels of the test.
    pub all_levels: bool,
    pub metric: Metric,
    /// The baseline's geometric mean over the levels.
    pub base: Estimate,
    /// The figures that the ratio is of.
    pub means: Means,
    /// candidate ÷ baseline of the geometric means, paired by repeat.
    pub ratio: Estimate,
    /// What follows, given all pairs of the test by this metric.
    pub verdict: Verdict,
    /// What speaks for a difference, and what is missing.
    #[serde(flatten)]
    pub strength: Strength,
}

/// What speaks for a difference beyond its interval, and what would resolve it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Strength {
    /// How likely it would be to find a difference at least this clear anywhere among the
    /// comparisons of its family if all were equal ([`stats::closed_groups`]). `None` where there is
    /// no interval.
    pub adjusted_p: Option<f64>,
    /// Where nothing is resolved: repeats beyond those that there are which would probably resolve
    /// it if ratio and scatter stay the same (see [`stats::Ratio::repeats_to_resolve`]).
    pub further_repeats: Option<u32>,
    /// Where nothing is resolved and repeats go on until it is: how likely all repeats that the study
    /// allows would resolve it ([`stats::Ratio::chance_to_resolve`]).
    pub chance: Option<f64>,
    /// Whether a difference was found that does not clear the noise floor, so that nothing is
    /// resolved.
    pub below_noise_floor: bool,
}

/// Targets in tiers; those in one tier could not all be told apart.
///
/// Being told apart is not transitive (A may equal B and B equal C although A is above C), so a
/// tier ends only where *every* target above is clearly better than *every* target below: each
/// boundary between tiers is a claim that the data supports for all pairs across it, and a tie
/// claims nothing. Within a tier targets stand by how many are clearly better, then in order of their
/// figures.
///
/// By throughput, each target stands at its peak. By a time, all stand at one level: the one at
/// which the most targets have data, of several the highest.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Ranking {
    /// Best tier first. Targets without an estimate are not in it.
    pub tiers: Vec<Vec<RankedTarget>>,
    /// Whether those in the first place are the same when all tests of the study are held together,
    /// so that first places may be added up.
    pub first_holds_over_tests: bool,
    /// Targets that could not be ranked because all their trials failed, are void or are missing.
    pub unranked: Vec<String>,
    /// Those of them whose trials all failed, with the first reason: they come last.
    pub failed: Vec<FailedTarget>,
    /// Where nothing was repeated, here or by others, nothing is told apart, and this is the order of
    /// the figures. Empty otherwise.
    pub measured_once: Vec<OncePlace>,
    /// Whether the first of that order is also first at every other of several levels.
    pub first_at_every_level: bool,
}

/// A target's place in a ranking.
#[derive(Clone, Debug, Serialize)]
pub struct RankedTarget {
    pub target: String,
    /// Where its throughput is highest, or the level at which all are ranked.
    pub level: Level,
    /// The figure that it is ranked by, in the unit of the test's metric.
    pub figure: Estimate,
    /// The same where the test is judged by throughput.
    pub throughput: Option<Estimate>,
    /// Cost of a million transactions at that throughput, and its currency, where it is known; with
    /// its interval in [`TestMoney`].
    pub cost_per_million: Option<(f64, String)>,
    /// How many of the ranked targets are clearly better, and clearly worse. So its true place is from
    /// `better + 1` to the number of targets less `worse`.
    pub better: usize,
    pub worse: usize,
}

impl RankedTarget {
    /// Its place, from 1: one more than the number of targets that are clearly better.
    pub fn place(&self) -> usize {
        self.better + 1
    }
}

/// A target without an outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FailedTarget {
    pub target: String,
    /// Why its first trial failed, or that the server does not offer what the test asks for.
    pub failure: Failure,
}

/// A target's place in the order of figures that were measured once each, which is no claim that it is
/// better.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OncePlace {
    /// From 1; equal figures share a place.
    pub place: usize,
    pub target: String,
}

/// Who comes first and second in each test.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// One for each test that ranks at least two targets.
    pub tests: Vec<TopTwo>,
    /// One for each target that is first or second in any, those with the most first places
    /// first.
    pub targets: Vec<Placings>,
}

/// The first two places of a test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TopTwo {
    pub test: String,
    /// Targets in the first place: several where they tie, none where no target can be told from
    /// any other.
    pub first: Vec<String>,
    /// Whether the first place stands when all tests of the study are held together as well.
    pub first_holds_over_tests: bool,
    /// Targets in the second place; none where several share the first.
    pub second: Vec<String>,
    /// Whether this is only the order of figures that were measured once each ([`Ranking::measured_once`]).
    pub measured_once: bool,
}

/// How often a target comes first and second, shared places included.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Placings {
    pub target: String,
    /// Tests in which it is first.
    pub first: usize,
    /// Those of them in which it is so when all tests are held together.
    pub first_over_tests: usize,
    /// Tests in which it is second.
    pub second: usize,
}
