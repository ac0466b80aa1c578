//! What a finished document says against itself.

use super::read::{Figure, Said, at, is_of, list, text, winner};
use serde_json::Value;

mod curves;
mod places;
mod ratios;

/// Two statements that cannot both be so, or that need a third that says how.
#[derive(Clone, Debug, PartialEq)]
pub struct Contradiction {
    pub kind: Kind,
    pub said: String,
}

/// Kinds of contradictions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A figure lies outside its interval.
    OutsideItsInterval,
    /// A verdict is not what follows from the ratio beside it.
    VerdictBesideRatio,
    /// A difference with an adjusted p above what the study allows.
    BetterThoughLikelyChance,
    /// A is better than B and B better than A.
    Circle,
    /// One target is better at every level, and over all of them the other, or neither.
    OverallAgainstLevels,
    /// The mean over levels lies outside the ratios of all its levels.
    OverallOutsideItsLevels,
    /// The table of figures as printed and that of cells give different intervals.
    PrintedAgainstCells,
    /// Figures beside a ratio that do not give it.
    RatioOfOtherFigures,
    /// A curve rises at its end, another level is not clearly lower, and no sentence says how.
    RisesBesideAsHigh,
    /// A target is to be chosen over the range, ties with others at its peak, and no sentence says how.
    RangeBesideTie,
    /// The only target in the first place is chosen at no level.
    FirstNeverAdvised,
    /// A rank that no comparison supports.
    RankUndecided,
    /// A target ranks above another that is better at every level that both have.
    RankedAboveThoughBehind,
    /// A target is advised where it is beaten.
    AdvisedThoughBeaten,
    /// A factor is not what its only pair says.
    FactorAgainstItsPair,
    /// A peak is below itself, or a decline leads to a level that is not below it.
    CurveAgainstItself,
    /// A crossover without one of its sides.
    CrossoverWithoutSides,
    /// A scaling law has its peak below a level that still rises.
    LawPeakBelowRise,
    /// A target is dominated by one that ranks behind it.
    DominatedByLower,
}

impl Kind {
    pub const ALL: [Self; 19] = [
        Self::OutsideItsInterval,
        Self::VerdictBesideRatio,
        Self::BetterThoughLikelyChance,
        Self::Circle,
        Self::OverallAgainstLevels,
        Self::OverallOutsideItsLevels,
        Self::PrintedAgainstCells,
        Self::RatioOfOtherFigures,
        Self::RisesBesideAsHigh,
        Self::RangeBesideTie,
        Self::FirstNeverAdvised,
        Self::RankUndecided,
        Self::RankedAboveThoughBehind,
        Self::AdvisedThoughBeaten,
        Self::FactorAgainstItsPair,
        Self::CurveAgainstItself,
        Self::CrossoverWithoutSides,
        Self::LawPeakBelowRise,
        Self::DominatedByLower,
    ];
}

/// All that a JSON report says against itself.
pub fn contradictions(report: &Value) -> Vec<Contradiction> {
    let mut found = Found { report, all: Vec::new() };
    for test in list(report, "tests") {
        ratios::check(&mut found, test);
        places::check(&mut found, test);
        curves::check(&mut found, test);
    }
    ratios::factors(&mut found);
    found.all
}

/// A report with what was found in it so far.
struct Found<'a> {
    report: &'a Value,
    all: Vec<Contradiction>,
}

impl<'a> Found<'a> {
    fn add(&mut self, kind: Kind, said: String) {
        self.all.push(Contradiction { kind, said });
    }

    fn add_if(&mut self, is_so: bool, kind: Kind, said: impl FnOnce() -> String) {
        if is_so {
            self.add(kind, said());
        }
    }

    fn confidence(&self) -> f64 {
        self.report["study"]["confidence"].as_f64().unwrap_or_default()
    }

    fn margin(&self) -> f64 {
        self.report["study"]["margin"].as_f64().unwrap_or_default()
    }

    /// The sentences of the findings of a kind about a target in a test.
    fn findings(&self, test: &str, kind: &str) -> impl Iterator<Item = &'a Value> {
        list(self.report, "findings").iter().filter(move |finding| {
            text(&finding["evidence"], "kind") == kind && text(&finding["subject"], "test") == test
        })
    }
}

/// The metric that a test is judged by.
fn basis(test: &Value) -> &str {
    text(&test["basis"], "metric")
}

/// The comparisons of a test by a metric.
fn compared<'a>(test: &'a Value, metric: &str) -> impl Iterator<Item = &'a Value> {
    list(test, "comparisons").iter().filter(move |one| text(one, "metric") == metric)
}

/// The cells of a target.
fn cells<'a>(test: &'a Value, target: &str) -> impl Iterator<Item = &'a Value> {
    list(test, "cells").iter().filter(move |cell| text(cell, "target") == target)
}

/// A figure of a target at a level.
fn figure(test: &Value, target: &str, level: &Value, metric: &str) -> Option<Figure> {
    let cell = cells(test, target).find(|cell| cell["level"] == *level)?;
    Figure::from_json(&cell["estimates"][metric])
}
