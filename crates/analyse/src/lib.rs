//! From what was measured to what may be concluded: [`analyse`] turns a [`model::Dataset`] into
//! an [`Analysis`].
//!
//! Pure, and it cannot fail: too little data is a finding. Findings are values with evidence, whose
//! kinds and words are in `findings`.
//!
//! The rooms, each of which rests on those before it:
//! - `trial`: every trial is checked and becomes valid, suspect or void, and audited for figures that
//!   cannot all be true;
//! - `cell`: the trials of a cell that are not void give its series and estimates; what servers did in
//!   the background is found in their counters, and compared with quiet seconds of the same trials;
//! - `compare`: series are compared between targets, level by level and over all levels together, and
//!   adjusted for the multiplicity of their family; what does not clear the noise floor is withdrawn;
//!   targets that differ in one label alone show what that factor does;
//! - `curve`: peaks, growth, scaling laws and knees along the levels of a target, and where two curves
//!   cross;
//! - `answer`: ranking, advice, questions of capacity, money, who is first and second;
//! - `why`: what decides that a target is slower, and what ends the rise of a curve;
//! - `plan`: what a run measures next;
//! - `runs`, on top: what changed from one run to another.
//!
//! Where a test searches for the highest load, the answers of its trials are the series (`search`).

mod analysis;
mod answer;
mod answers;
mod basis;
mod cell;
mod compare;
mod config;
mod contents;
mod curve;
mod data_drift;
mod plan;
pub mod runs;
mod search;
mod size;
mod study;
mod trial;
mod why;

pub use analysis::{
    Analysis, MatrixCell, MatrixPlace, MatrixTest, PairRoundTrips, Placings, Summary, TestAnalysis,
    TopTwo,
};
pub use answer::capacity;
pub use answer::money::{Bill, CostLine, Standing, StorageGrowth, TargetCost, TestMoney, Usage};
pub use answer::rank::{FailedTarget, OncePlace, RankedTarget, Ranking};
pub use basis::Basis;
pub use cell::events::{ServerEvent, TestEvents, TrialBackground, TrialEvents, TrialSeconds};
pub use cell::fleet::{FleetCell, HostFigures, VmFigures, VolumeFigures};
pub use cell::items::{ItemCell, ItemFigures, ItemKind, ItemSlo};
pub use cell::means::Means;
pub use cell::named::{NamedFigure, NamedValue};
pub use cell::profile::ProfileStretch;
pub use cell::volume::{CellVolume, DiskEstimates, TrialVolume};
pub use cell::{Cell, TrialAssessment};
pub use compare::family::{Comparison, OverallComparison, Strength};
pub use compare::items::ItemComparison;
pub use curve::{Curve, CurveShape};
pub use findings::kinds::*;
pub use findings::{Amount, Finding, FindingKind, Range, Severity, Subject, Validity};
pub use model::Metric;
pub use plan::placing::levels_to_place;
pub use plan::until::open_trials;
pub use search::{PlacedSearch, SearchAnalysis, SearchComparison, SearchedTrial, TargetSearch};
pub use size::memory;
pub use trial::check::ad_hoc::{CheckedLoad, check_load};
pub use trial::check::generators::start_spread;
pub use trial::figures::{is_printed_as_zero, percentile_ms};
pub use why::TimeOfOperation;

use answer::{advice, matrix, money, rank, summary};
use cell::items;
use cell::{CellData, Cells};
use cell::{cross_check, events, fleet, named, repeats, side_by_side, stalled, sustained};
use compare::{factor, floor, path};
use curve::law::Laws;
use curve::{crossing, growth, knee, law};
use model::{Dataset, OverBudget, Place as Where, ReadBudget, ReadLimit, Study, Test};
use plan::{placing, until};
use stats::Looks;
use std::sync::Arc;
use trial::checked_run::CheckedRun;
use trial::{audit, extended};

/// How far an analysis goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// What each trial is worth.
    Trials,
    /// All but scaling laws.
    Answers,
    /// All but where further trials would lie.
    Pages,
    All,
}

impl Extent {
    /// Of which figures are wanted: to hold trials against those of other tools these are enough.
    fn metrics(self) -> &'static [Metric] {
        match self {
            Self::Trials => &[Metric::Throughput, Metric::LatencyP95],
            Self::Answers | Self::Pages | Self::All => Metric::ALL,
        }
    }
}

/// What may be concluded from one run of a study, finished or not.
pub fn analyse(dataset: &Dataset) -> Analysis<'_> {
    analyse_with(dataset, Extent::All, &ReadLimit::NONE.budget())
}

/// The same of a run that anybody may have made, whose time is looked at from trial to trial, from test
/// to test and from pair to pair of targets.
///
/// # Errors
/// When the budget is overdrawn.
pub fn analyse_within<'d>(
    dataset: &'d Dataset,
    budget: &ReadBudget,
) -> Result<Analysis<'d>, OverBudget> {
    let analysis = analyse_with(dataset, Extent::All, budget);
    budget.verdict().map(|()| analysis)
}

/// The same without where further trials would lie ([`Cell::next`]), which documents for programs and answers
/// on capacity tell, and no page.
///
/// # Errors
/// When the budget is overdrawn.
pub fn analyse_for_pages_within<'d>(
    dataset: &'d Dataset,
    budget: &ReadBudget,
) -> Result<Analysis<'d>, OverBudget> {
    let analysis = analyse_with(dataset, Extent::Pages, budget);
    budget.verdict().map(|()| analysis)
}

/// The same without scaling laws, which no answer on capacity rests on: their fits take a sixth of the
/// time.
pub fn analyse_without_laws(dataset: &Dataset) -> Analysis<'_> {
    analyse_with(dataset, Extent::Answers, &ReadLimit::NONE.budget())
}

/// The same as [`analyse_within`] does it.
///
/// # Errors
/// As [`analyse_within`].
pub fn analyse_without_laws_within<'d>(
    dataset: &'d Dataset,
    budget: &ReadBudget,
) -> Result<Analysis<'d>, OverBudget> {
    let analysis = analyse_with(dataset, Extent::Answers, budget);
    budget.verdict().map(|()| analysis)
}

/// What each trial is worth, for tables of trials: nothing is estimated, compared or ranked, there are no
/// findings, and of figures only those that tell what a trial is worth.
///
/// # Errors
/// As [`analyse_within`].
pub fn analyse_trials_within<'d>(
    dataset: &'d Dataset,
    budget: &ReadBudget,
) -> Result<Analysis<'d>, OverBudget> {
    let analysis = analyse_with(dataset, Extent::Trials, budget);
    budget.verdict().map(|()| analysis)
}

/// What comes of it says nothing where the budget is overdrawn.
fn analyse_with<'d>(dataset: &'d Dataset, extent: Extent, budget: &ReadBudget) -> Analysis<'d> {
    let mut run = CheckedRun::from_dataset(dataset, extent.metrics(), budget);
    let audit = audit::audit(dataset);
    if extent == Extent::Trials {
        for (trial, result) in audit.results {
            run.add(trial, result);
        }
        return of_trials(&run, budget);
    }
    let mut findings = study::findings(dataset);
    findings.extend(extended::findings(dataset));
    findings.extend(audit.findings);
    for (trial, result) in audit.results {
        run.add(trial, result);
    }
    let mut tests = Vec::with_capacity(dataset.study.tests.len());
    let mut factor_rungs = Vec::new();
    let looks = until::looks(&dataset.study);
    for test in &dataset.study.tests {
        if budget.charge(0).is_err() {
            break;
        }
        let (analysis, found, observations) =
            analyse_test(&run, test, looks.as_ref(), (extent, budget));
        factor_rungs.extend(observations);
        tests.push(analysis);
        findings.extend(found);
    }
    findings.extend(until::findings(dataset, &tests));
    findings.extend(answers::findings(dataset));
    findings.extend(config::findings(dataset));
    findings.extend(contents::findings(dataset));
    findings.extend(data_drift::findings(dataset));
    let bills: Vec<(&str, &TestMoney)> =
        tests.iter().map(|test| (test.test.as_str(), &test.money)).collect();
    let break_evens = money::break_evens(dataset, &bills);
    findings.extend(money::findings(&dataset.study, &bills, &break_evens));
    let factors = factor::contrasts(&dataset.study, &factor_rungs);
    findings.extend(factor::findings(&factors));
    findings.extend(run.passed());
    let printed = dataset.study.targets.iter().all(|target| target.place == Where::Imported);
    if printed && dataset.study.repeats == 1 {
        // Nobody who printed a figure once speaks of a first repeat.
        findings.iter_mut().for_each(|finding| finding.subject.repeat = None);
    }
    // Stable: within a severity the order of the study stays.
    findings.sort_by_key(|finding| finding.severity);
    let settings = model::setting_differences(&dataset.study, &dataset.targets);
    let summary = summary::summary(&dataset.study, &tests);
    let matrix = matrix::matrix(&dataset.study, &tests);
    let of_test = Default::default();
    Analysis { dataset, tests, findings, settings, summary, matrix, factors, break_evens, of_test }
}

/// Holds cells against what other tools made of the same, and returns what is to be said of that.
fn cross_checked(study: &Study, data: &mut Cells<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for cell in data.iter_mut() {
        let cross_checks = cross_check::findings(study, cell);
        if cross_checks.iter().any(cross_check::disagrees) {
            cell.cast_doubt();
        }
        findings.extend(cross_checks);
    }
    findings
}

/// What each trial is worth.
fn of_trials<'d>(run: &CheckedRun<'d>, budget: &ReadBudget) -> Analysis<'d> {
    let dataset = run.dataset;
    let of_test = |test: &Test| {
        let asked = dataset.study.answer_by;
        let basis = Basis::for_test(asked, test, run.records(&test.name));
        let of = |targets| cell::collect(run, targets, test, basis.as_ref(), None);
        let mut data = of(&dataset.study.targets);
        cross_checked(&dataset.study, &mut data);
        let again = of(dataset.study.aa_control.as_slice());
        let cells = |data: &Cells<'_>| data.iter().map(CellData::of_trials).collect();
        TestAnalysis::of_trials(test, basis, (cells(&data), cells(&again)))
    };
    let tests = dataset.study.tests.iter().take_while(|_| budget.charge(0).is_ok());
    Analysis::of_trials(dataset, tests.map(of_test).collect())
}

fn analyse_test(
    run: &CheckedRun<'_>,
    test: &Test,
    looks: Option<&Arc<Looks>>,
    (extent, budget): (Extent, &ReadBudget),
) -> (TestAnalysis, Vec<Finding>, Vec<factor::PairAtLevel>) {
    let dataset = run.dataset;
    let study = &dataset.study;
    let basis = Basis::for_test(study.answer_by, test, run.records(&test.name));
    let mut data = cell::collect(run, &study.targets, test, basis.as_ref(), looks);
    data.learn(test);
    let mut again = cell::collect(run, study.aa_control.as_slice(), test, basis.as_ref(), looks);
    again.learn(test);
    let mut findings: Vec<Finding> =
        data.iter().chain(again.iter()).flat_map(CellData::findings).collect();
    findings.extend(cross_checked(study, &mut data));

    let fleets = fleet::fleets(study, test, &data);
    findings.extend(fleet::findings(&test.name, &fleets));
    let events = events::of_test(study, &data);
    findings.extend(events::findings(&test.name, &events));
    findings.extend(side_by_side::findings(study, test, basis, &data));
    let search = search::analysis(study, test, &data, looks);
    findings.extend(search.iter().flat_map(|search| search.findings(study, &test.name)));
    findings.extend(sustained::findings(dataset.repeats(), test, search.as_ref()));
    // What was searched for is no curve, and its throughput is as high as the answer is.
    let none = Cells::default();
    let compared = if search.is_some() { &none } else { &data };
    let peaks = curve::peaks(study, compared);
    findings.extend(curve::findings(&test.name, &peaks));
    let round_trips = path::round_trips(study, test, compared);
    findings.extend(path::findings(&test.name, &round_trips));
    findings.extend(path::costs(study, test, compared));
    findings.extend(path::missed(&test.name, &data));
    findings.extend(stalled::findings(&test.name, basis, &data));
    findings.extend(cell::burst::findings(&test.name, compared));
    let profile = cell::profile::of_test(compared, study.confidence);
    findings.extend(cell::profile::findings(&test.name, &profile));
    findings.extend(repeats::findings(&test.name, basis, compared));
    let floors = floor::floors(study, test, basis, (compared, &again));
    findings.extend(floor::findings(&floors, &data));
    let growth = growth::growth(study, &peaks);
    findings.extend(growth::findings(&test.name, &growth));
    findings.extend(knee::findings(study, basis, compared));
    let laws = match extent {
        Extent::Pages | Extent::All => law::laws(study, &peaks, &run.bootstrap),
        Extent::Trials | Extent::Answers => Laws::new(),
    };
    findings.extend(law::findings(&test.name, &laws));

    let (mut comparisons, mut overall) =
        basis.map_or_else(Default::default, |b| until::held(dataset, test, b, compared, budget));
    compare::keep_means(&mut comparisons, &mut overall);
    if study.until.is_none() {
        // Where repeats go on by themselves, the order in which they do rests on what is likely.
        compare::plan_without_outliers(&mut comparisons, &mut overall, compared);
    }
    floor::withdraw_differences(&floors, &mut comparisons);
    let named = items::collect(study, test, compared, looks);
    let mut item_comparisons = compare::items::comparisons(study, test, &named);
    floor::withdraw_differences(&floors, &mut item_comparisons);
    findings.extend(compare::items::findings(test, &named, &item_comparisons, &comparisons));
    let items = items::cells(study, test, &named);
    findings.extend(items::missed(&test.name, &items));
    let money = money::of_test(dataset, test, &data, &peaks, &comparisons, &floors);
    floor::withdraw_differences(&floors, &mut overall);
    let crossovers = crossing::crossovers(study, &data, &comparisons, &run.bootstrap);
    findings.extend(crossing::findings(study, &test.name, &crossovers, &comparisons));
    let advice = advice::spans(study, test, basis, &comparisons, compared);
    findings.extend(advice::finding(&test.name, &advice));
    // What a load did beside which something else is measured says nothing of that.
    let explained = if basis.is_some_and(|basis| basis.whole_phase) { compared } else { &none };
    let accounts = why::Accounts::for_test(dataset, test, explained);
    let mut why = basis.map_or_else(Vec::new, |basis| {
        accounts.findings(&test.name, basis.speed(), &comparisons, &overall)
    });
    let times = accounts.times(explained);
    why.extend(accounts.ends_of_rise(&test.name, &peaks));
    let summarise = |cells: &Cells<'_>| {
        let summarised = |cell: &CellData<'_>| cell.summarise(basis, study.confidence, extent);
        cells.iter().map(summarised).collect()
    };
    let analysis = TestAnalysis {
        test: test.name.clone(),
        cells: summarise(&data),
        aa_control_cells: summarise(&again),
        basis,
        ranking: match search {
            Some(_) => Ranking::default(),
            None => {
                rank::ranking(study, test, (basis, &money, &floors), &comparisons, &peaks, &data)
            }
        },
        floors,
        curves: peaks.into_iter().map(|peak| peak.curve).collect(),
        growth,
        laws: laws.into_iter().filter_map(|(_, law)| law.ok()).collect(),
        comparisons,
        crossovers,
        overall,
        advice,
        search,
        events,
        profile,
        fleets,
        items,
        item_comparisons,
        figures: named::figures(&data, study.confidence),
        money,
        times,
        round_trips: round_trips.into_iter().map(PairRoundTrips::from).collect(),
    };
    findings.extend(compare::findings(study, &analysis));
    findings.extend(why);
    findings.extend(placing::finding(dataset, test, compared));
    let observations = factor::observations(study, test, compared, &analysis);
    (analysis, findings, observations)
}
