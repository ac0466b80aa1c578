//! What may be concluded, of a study and of each of its tests.

use crate::answer::money::TestMoney;
use crate::{
    Basis, Cell, Comparison, Curve, FleetCell, ItemCell, ItemComparison, NamedFigure,
    OverallComparison, ProfileStretch, Ranking, SearchAnalysis, TestEvents, TimeOfOperation,
};
use findings::{
    Amount, BreakEven, Crossover, FactorEffect, Finding, Growth, NoiseFloor, RoundTrips,
    ScalingLaw, Span,
};
use model::{Dataset, Failure, Level, Metric, SettingDifference, Test};
use serde::Serialize;
use std::collections::HashMap;
use std::sync::OnceLock;

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
    /// Every target in every test that is judged, against the best of each.
    pub matrix: Vec<MatrixTest>,
    /// What each label does where targets differ in it alone, in order of label.
    pub factors: Vec<FactorEffect>,
    /// Every pair of targets with prices in one currency: at which load they cost the same.
    pub break_evens: Vec<BreakEven>,
    /// Places of the findings on each test, once they were asked for: a report asks several times for each of
    /// what may be hundreds of tests.
    #[serde(skip)]
    pub(crate) of_test: OnceLock<HashMap<String, Vec<usize>>>,
}

impl<'a> Analysis<'a> {
    /// The findings on a test, in the order of all.
    pub fn findings_of(&self, test: &str) -> impl Iterator<Item = &Finding> {
        let all = self.of_test.get_or_init(|| {
            let mut places: HashMap<String, Vec<usize>> = HashMap::new();
            for (place, finding) in self.findings.iter().enumerate() {
                let Some(test) = &finding.subject.test else { continue };
                match places.get_mut(test) {
                    Some(own) => own.push(place),
                    None => drop(places.insert(test.clone(), vec![place])),
                }
            }
            places
        });
        let own = all.get(test).map_or(&[][..], Vec::as_slice);
        own.iter().map(|&place| &self.findings[place])
    }

    /// Of what trials are worth alone.
    pub(crate) fn of_trials(dataset: &'a Dataset, tests: Vec<TestAnalysis>) -> Self {
        Self {
            dataset,
            tests,
            findings: Vec::new(),
            settings: Vec::new(),
            summary: None,
            matrix: Vec::new(),
            factors: Vec::new(),
            break_evens: Vec::new(),
            of_test: OnceLock::new(),
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
    /// Where the test's rate follows a profile: what became of each part of it on each target.
    pub profile: Vec<ProfileStretch>,
    /// Where the test loads storage: every target × level by volume and by virtual machine.
    pub fleets: Vec<FleetCell>,
    /// Where the test runs transactions of the user's own: every target × level by transaction and by
    /// statement.
    pub items: Vec<ItemCell>,
    /// Every pair of targets at every level in the mean and the p95 latency of each of these names.
    pub item_comparisons: Vec<ItemComparison>,
    /// What imported results print, by the names that it has there.
    pub figures: Vec<NamedFigure>,
    /// What the targets cost, where they have prices.
    pub money: TestMoney,
    /// Where the time of operations went, by target and level.
    pub times: Vec<TimeOfOperation>,
    /// Every pair of targets that differ in the delay on their way alone.
    pub round_trips: Vec<PairRoundTrips>,
}

/// The round trips of an operation, by two targets at a level.
#[derive(Clone, Debug, Serialize)]
pub struct PairRoundTrips {
    pub level: Level,
    #[serde(flatten)]
    pub found: RoundTrips,
}

impl From<(Level, RoundTrips)> for PairRoundTrips {
    fn from((level, found): (Level, RoundTrips)) -> Self {
        Self { level, found }
    }
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
            profile: Vec::new(),
            fleets: Vec::new(),
            items: Vec::new(),
            item_comparisons: Vec::new(),
            figures: Vec::new(),
            money: TestMoney::default(),
            times: Vec::new(),
            round_trips: Vec::new(),
        }
    }
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

/// A test of the matrix.
#[derive(Clone, Debug, Serialize)]
pub struct MatrixTest {
    pub test: String,
    pub metric: Metric,
    /// Where the study asks what transactions cost, and prices say it: figures are the costs of a million
    /// of them, and `metric` says at which peaks.
    pub by_cost: bool,
    /// One for each target, in the order of the study.
    pub cells: Vec<MatrixCell>,
}

/// How a target does in a test.
#[derive(Clone, Debug, Serialize)]
pub struct MatrixCell {
    pub target: String,
    /// At which level it stands.
    pub level: Option<Level>,
    /// What it achieves, in the unit of the metric, or what a million transactions cost.
    pub figure: Option<Amount>,
    /// That of the cost.
    pub currency: Option<String>,
    /// How many times as good the best is: 1 or more for all but what chance puts before the best.
    pub behind: Option<Amount>,
    pub place: MatrixPlace,
}

/// What that says, or why nothing does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum MatrixPlace {
    /// The best figure. `clear`: every other target is clearly behind.
    Best { clear: bool },
    /// Within the margin of the best.
    Same,
    /// It cannot be told apart from the best.
    Unresolved,
    /// Clearly behind the best.
    Behind,
    /// The order of figures that were measured once each, from 1.
    MeasuredOnce { place: usize },
    /// Of a search: it never missed the bound, so that more is possible than the figure says.
    AtLeast,
    /// Of a search: it met the bound at no load, the least of which is the figure.
    Below,
    /// All trials failed, with the first reason.
    Failed { failure: Failure },
    /// The target does not offer what the test asks for.
    NotOffered { failure: Failure },
    /// Trials count, and none has the figure that decides.
    NoFigure,
    /// No trial counts.
    NoTrial,
    /// What it costs is not known, or there is no price.
    NoCost,
}
