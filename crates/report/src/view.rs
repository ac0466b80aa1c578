//! Look-ups that several parts of a report need.

use crate::numbers;
use analyse::{
    Analysis, Cell, Check, Evidence, Finding, Outcome, RankedTarget, Severity, TestAnalysis,
    TrialAssessment, Validity,
};
use model::{Failure, Level, Place, UnitName, Workload, text};
use std::collections::HashMap;

/// A target's place in the study, which decides how it looks throughout a report.
pub(crate) fn series(analysis: &Analysis, target: &str) -> usize {
    let targets = &analysis.dataset.study.targets;
    targets.iter().position(|candidate| candidate.name == target).unwrap_or(targets.len())
}

/// Whether all results were measured elsewhere and imported.
pub(crate) fn imported(analysis: &Analysis) -> bool {
    let mut targets = analysis.dataset.study.targets.iter();
    targets.all(|target| target.place == Place::Imported)
}

/// Whether a test is a load that weighin ran at levels, of which the report says the same whatever
/// came of it. Of others it says what there is.
pub(crate) fn has_levels(analysis: &Analysis, test: &TestAnalysis) -> bool {
    let mut tests = analysis.dataset.study.tests.iter();
    tests.any(|studied| studied.name == test.test && studied.is_of_load())
}

/// Whether a test offers load at rates that the study gives.
pub(crate) fn is_at_rates(test: &TestAnalysis) -> bool {
    test.cells.iter().any(|cell| cell.level.rate.is_some())
}

/// What throughput counts in a test.
pub(crate) fn counted(test: &TestAnalysis) -> UnitName {
    test.basis.map_or(UnitName::TRANSACTION, |basis| basis.counted)
}

/// What is counted in the test that a finding is about, or in all of them.
pub(crate) fn counted_in(analysis: &Analysis, finding: &Finding) -> UnitName {
    let name = finding.subject.test.as_deref();
    let test = analysis.tests.iter().find(|test| Some(test.test.as_str()) == name);
    test.map_or_else(|| work(analysis).counted, counted)
}

/// What throughput and statements are called in all tests of a study: a study's tests all run on
/// all its targets, so that they are of one kind.
pub(crate) fn work(analysis: &Analysis) -> Work {
    let workload = analysis.dataset.study.tests.first().and_then(model::Test::workload);
    Work {
        counted: workload.map_or(UnitName::TRANSACTION, Workload::operation),
        statements: workload.map_or(UnitName::QUERY, Workload::statement),
        keys: matches!(workload, Some(Workload::KeyValue(_))),
        storage: matches!(workload, Some(Workload::Storage(_))),
    }
}

/// What the work of a study is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Work {
    /// What a client does before it goes on to the next.
    pub(crate) counted: UnitName,
    /// What that is made of.
    pub(crate) statements: UnitName,
    /// Whether keys are read, of which some may be missing.
    pub(crate) keys: bool,
    /// Whether there are volumes in place of servers.
    pub(crate) storage: bool,
}

/// The assessments of all trials by index of their record.
pub(crate) fn assessments<'a>(analysis: &'a Analysis) -> HashMap<usize, &'a TrialAssessment> {
    let cells =
        analysis.tests.iter().flat_map(|test| test.cells.iter().chain(&test.aa_control_cells));
    cells.flat_map(|cell| &cell.trials).map(|trial| (trial.record, trial)).collect()
}

/// How many trials of a cell are valid, suspect, void and failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Every check passed.
    pub(crate) valid: usize,
    /// No check found anything wrong, and whether other processes disturbed them was not checked.
    pub(crate) unwatched: usize,
    /// They count, but a check found something wrong.
    pub(crate) suspect: usize,
    /// They completed and do not count.
    pub(crate) void: usize,
    /// They did not complete.
    pub(crate) failed: usize,
    /// The server does not offer what they ask for.
    pub(crate) not_offered: usize,
    /// They were measured elsewhere, and nothing speaks against them.
    pub(crate) printed: usize,
}

impl Tally {
    /// Over the trials of some cells.
    pub(crate) fn for_cells<'a>(
        analysis: &Analysis,
        cells: impl IntoIterator<Item = &'a Cell>,
    ) -> Self {
        let mut tally = Self::default();
        for trial in cells.into_iter().flat_map(|cell| &cell.trials) {
            let record = analysis.dataset.trials.get(trial.record);
            let failure = record.and_then(|record| record.failure());
            let printed = record.is_some_and(|record| record.imported().is_some());
            let count = match trial.validity {
                _ if failure.is_some_and(Failure::is_not_offered) => &mut tally.not_offered,
                _ if failure.is_some() => &mut tally.failed,
                Validity::Valid if printed => &mut tally.printed,
                Validity::Valid if trial.not_checked.contains(&Check::OwnMachine) => {
                    &mut tally.unwatched
                }
                Validity::Valid => &mut tally.valid,
                Validity::Suspect => &mut tally.suspect,
                Validity::Void => &mut tally.void,
            };
            *count += 1;
        }
        tally
    }

    /// Over all trials of an analysis.
    pub(crate) fn of_all(analysis: &Analysis) -> Self {
        let tests = analysis.tests.iter();
        Self::for_cells(
            analysis,
            tests.flat_map(|test| test.cells.iter().chain(&test.aa_control_cells)),
        )
    }

    /// Whether some trials are suspect or do not count.
    pub(crate) fn in_doubt(&self) -> bool {
        self.suspect + self.void + self.failed > 0
    }

    /// What there is of each, such as `2 valid, 1 failed`; `not run` for none at all.
    pub(crate) fn describe(&self) -> String {
        let parts: Vec<String> = [
            (self.valid, "valid"),
            (self.unwatched, "partly checked"),
            (self.suspect, "suspect"),
            (self.void, "void"),
            (self.failed, "failed"),
            (self.not_offered, "not offered"),
            (self.printed, "as printed"),
        ]
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, word)| format!("{} {word}", numbers::count(number as u64)))
        .collect();
        if parts.is_empty() { "not run".to_owned() } else { parts.join(", ") }
    }
}

/// Why a cell has no estimate, where its trials failed or are void.
pub(crate) fn why_empty(analysis: &Analysis, cell: &Cell) -> Option<String> {
    if !cell.estimates.is_empty() || cell.trials.is_empty() {
        return None;
    }
    // Imported trials may count and have none of these figures.
    let counts = |trial: &&TrialAssessment| {
        let record = analysis.dataset.trials.get(trial.record);
        trial.validity != Validity::Void && record.is_some_and(|r| r.imported().is_some())
    };
    if cell.trials.iter().any(|trial| counts(&trial)) {
        return None;
    }
    let failures = cell.trials.iter().filter_map(|trial| {
        analysis.dataset.trials.get(trial.record).and_then(|record| record.failure())
    });
    let message = failures.map(|failure| text::message(&failure.message).into_owned()).next();
    Some(message.unwrap_or_else(|| "all trials are void".to_owned()))
}

/// Whether a target that is not ranked has trials that count: they lack the figure that decides.
pub(crate) fn lacks_figure(analysis: &Analysis, test: &TestAnalysis, target: &str) -> bool {
    let own = test.cells.iter().filter(|cell| cell.target == target);
    own.flat_map(|cell| &cell.trials).any(|trial| {
        let record = analysis.dataset.trials.get(trial.record);
        trial.validity != Validity::Void && record.is_some_and(|record| !record.has_failed())
    })
}

/// The targets, with their levels, that print the time which would decide as 0.
pub(crate) fn printed_as_zero<'a>(
    analysis: &Analysis,
    test: &'a TestAnalysis,
) -> Vec<(&'a str, Level)> {
    let Some(metric) = test.basis.map(|basis| basis.at_each_level()) else { return Vec::new() };
    let is_zero = |cell: &&Cell| {
        cell.trials.iter().filter(|trial| trial.validity != Validity::Void).any(|trial| {
            let record = analysis.dataset.trials.get(trial.record);
            let outcome = record.and_then(|record| record.outcome());
            outcome.is_some_and(|outcome| analyse::is_printed_as_zero(outcome, metric))
        })
    };
    test.cells.iter().filter(is_zero).map(|cell| (cell.target.as_str(), cell.level)).collect()
}

/// Why a target has no place, though nothing refused it.
pub(crate) fn why_unranked(analysis: &Analysis, test: &TestAnalysis, target: &str) -> &'static str {
    match lacks_figure(analysis, test, target) {
        true if printed_as_zero(analysis, test).iter().any(|(name, _)| *name == target) => {
            "this figure is printed as 0"
        }
        true => "no trial has this figure",
        false => "no trial that counts",
    }
}

/// The findings of a severity, by kind, in the order in which the kinds first appear; without those
/// that the part of a test says.
pub(crate) fn by_kind<'a>(
    analysis: &'a Analysis,
    severity: Severity,
) -> Vec<(&'static str, Vec<&'a Finding>)> {
    let mut kinds: Vec<(&'static str, Vec<&Finding>)> = Vec::new();
    let shown =
        |finding: &&Finding| finding.severity == severity && !is_said_of_test(analysis, finding);
    for finding in analysis.findings.iter().filter(shown) {
        let kind = finding.evidence.heading();
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, findings)) => findings.push(finding),
            None => kinds.push((kind, vec![finding])),
        }
    }
    kinds
}

/// The findings on what makes one target of a test slower than another, and on what ends the rise of
/// curves; of a crowded test on the curves alone.
pub(crate) fn why<'a>(analysis: &'a Analysis, test: &TestAnalysis) -> Vec<&'a Finding> {
    let is_why = |finding: &&Finding| match finding.evidence {
        Evidence::WhySlower(_) => !is_crowded(test),
        Evidence::EndOfRise(_) => true,
        _ => false,
    };
    analysis.findings_of(&test.test).filter(is_why).collect()
}

/// From so many targets on, a test's pairs are no longer told one by one: they stand in a matrix, and
/// charts show the best in colour and the others in grey.
const CROWD: usize = 9;

/// Whether a test has so many targets that its pairs are told together.
pub(crate) fn is_crowded(test: &TestAnalysis) -> bool {
    test.ranking.tiers.iter().map(Vec::len).sum::<usize>() >= CROWD
}

/// The targets of a ranking, from the best on.
pub(crate) fn ranked(test: &TestAnalysis) -> impl Iterator<Item = &RankedTarget> {
    test.ranking.tiers.iter().flatten()
}

/// Most break-evens that stand on the first screen; more stand among the findings.
pub(crate) const MOST_BREAK_EVENS: usize = 3;

/// The break-evens of the first screen: from which load on which target costs less.
pub(crate) fn break_evens<'a>(analysis: &'a Analysis) -> Vec<&'a Finding> {
    let is_load = |finding: &&Finding| match &finding.evidence {
        Evidence::BreakEven(found) => matches!(found.outcome, Outcome::At { .. }),
        _ => false,
    };
    let found: Vec<&'a Finding> = analysis.findings.iter().filter(is_load).collect();
    if found.len() > MOST_BREAK_EVENS { Vec::new() } else { found }
}

/// Whether the recommendation or the comparisons of a test say a finding; of a crowded test its matrix
/// tells of all pairs.
fn is_said_of_test(analysis: &Analysis, finding: &Finding) -> bool {
    match finding.evidence {
        Evidence::OverallResult(_)
        | Evidence::Crossover(_)
        | Evidence::BetterAtLevels(_)
        | Evidence::EquivalentAtLevels(_)
        | Evidence::BelowNoiseFloor(_)
        | Evidence::UnresolvedAtLevels(_)
        | Evidence::HighestLoad(_)
        | Evidence::HighestLoadsCompared(_)
        | Evidence::WhySlower(_)
        | Evidence::EndOfRise(_)
        | Evidence::Advice(_) => true,
        Evidence::BreakEven(_) => {
            break_evens(analysis).into_iter().any(|shown| std::ptr::eq(shown, finding))
        }
        Evidence::AtHighestLevel(_) | Evidence::Dominates(_) => {
            let test = finding.subject.test.as_deref();
            analysis.tests.iter().any(|of| Some(of.test.as_str()) == test && is_crowded(of))
        }
        _ => false,
    }
}

/// The pairs of targets whose transactions and statements a test compares, in the order of the study;
/// none of a crowded test.
pub(crate) fn item_pairs(test: &TestAnalysis) -> Vec<(String, String)> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    if is_crowded(test) {
        return pairs;
    }
    for one in &test.item_comparisons {
        let pair = (one.baseline.clone(), one.candidate.clone());
        if !pairs.contains(&pair) {
            pairs.push(pair);
        }
    }
    pairs
}

/// The pairs of targets that a test compares, in the order of the study; none for results
/// without repeats, whose ratios say nothing beyond the figures, and none of a crowded test.
pub(crate) fn pairs(test: &TestAnalysis) -> Vec<(&str, &str)> {
    let mut pairs: Vec<(&str, &str)> = Vec::new();
    if !test.ranking.measured_once.is_empty() || is_crowded(test) {
        return pairs;
    }
    for comparison in &test.comparisons {
        let pair = (comparison.baseline.as_str(), comparison.candidate.as_str());
        // The comparisons of a pair stand together.
        if pairs.last() != Some(&pair) {
            pairs.push(pair);
        }
    }
    pairs
}
