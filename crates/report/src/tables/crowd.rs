//! Tests of many targets: who is ahead of whom, and every target against the first.

use super::{Table, TableCell, Tone, numbers, words};
use crate::level_axis::LevelAxis;
use crate::numbers::count;
use crate::view;
use analyse::{Analysis, Metric, TestAnalysis, Verdict};
use model::Level;
use stats::Estimate;
use std::collections::HashMap;

/// What was found of two targets.
#[derive(Clone, Copy)]
struct PairResult<'a> {
    candidate: &'a str,
    ratio: &'a Estimate,
    verdict: Verdict,
}

impl PairResult<'_> {
    /// The figure of `target`, which is one of the two, ÷ that of the other, and whether it is better
    /// (1), worse (−1), the same (0) or not known.
    fn for_target(&self, target: &str) -> (Estimate, Option<i8>) {
        let is_candidate = self.candidate == target;
        let ratio = if is_candidate { *self.ratio } else { self.ratio.reciprocal() };
        let sign = if is_candidate { 1 } else { -1 };
        let better = match self.verdict {
            Verdict::CandidateBetter => Some(sign),
            Verdict::BaselineBetter => Some(-sign),
            Verdict::Equivalent => Some(0),
            Verdict::Unresolved => None,
        };
        (ratio, better)
    }
}

/// By pair, in either order of names; at a level, or over all of them.
type Pairs<'a> = HashMap<(&'a str, &'a str), PairResult<'a>>;

/// What is known of all pairs: over all levels together, or at the only level.
fn pairs(test: &TestAnalysis) -> Pairs<'_> {
    let Some(basis) = test.basis else { return Pairs::new() };
    let overall = test.overall.iter().filter(|found| found.metric == basis.metric);
    let overall: Vec<_> =
        overall.map(|o| (o.baseline.as_str(), o.candidate.as_str(), &o.ratio, o.verdict)).collect();
    if !overall.is_empty() {
        return by_names(overall);
    }
    let mut levels: Vec<Level> = test.comparisons.iter().map(|found| found.level).collect();
    levels.sort_unstable();
    levels.dedup();
    match levels.as_slice() {
        [only] => at_level(test, basis.metric, *only),
        _ => Pairs::new(),
    }
}

fn at_level(test: &TestAnalysis, metric: Metric, level: Level) -> Pairs<'_> {
    let at = test.comparisons.iter().filter(|c| c.metric == metric && c.level == level);
    by_names(at.map(|c| (c.baseline.as_str(), c.candidate.as_str(), &c.ratio, c.verdict)).collect())
}

fn by_names<'a>(all: Vec<(&'a str, &'a str, &'a Estimate, Verdict)>) -> Pairs<'a> {
    let both = |(baseline, candidate, ratio, verdict)| {
        let found = PairResult { candidate, ratio, verdict };
        [((baseline, candidate), found), ((candidate, baseline), found)]
    };
    all.into_iter().flat_map(both).collect()
}

/// How many pairs of a test are told apart, are the same and are not resolved, over all levels together
/// or at the only one; `None` where there is neither.
pub(crate) fn resolved(test: &TestAnalysis) -> Option<[usize; 3]> {
    let pairs = pairs(test);
    let mut counted = [0; 3];
    // Each is there in both orders.
    for found in pairs.iter().filter(|((a, b), _)| a < b).map(|(_, found)| found) {
        counted[match found.verdict {
            Verdict::CandidateBetter | Verdict::BaselineBetter => 0,
            Verdict::Equivalent => 1,
            Verdict::Unresolved => 2,
        }] += 1;
    }
    (!pairs.is_empty()).then_some(counted)
}

/// Who is ahead of whom, in the order of the ranking: a row and a column for each target.
pub(crate) fn matrix(analysis: &Analysis, test: &TestAnalysis) -> Option<Table> {
    let pairs = pairs(test);
    if pairs.is_empty() {
        return None;
    }
    let ranked: Vec<&str> = view::ranked(test).map(|place| place.target.as_str()).collect();
    let headings = (1..=ranked.len() as u64).map(|number| words(count(number)));
    let mut table = Table::new([numbers("place"), words("target")].into_iter().chain(headings));
    table.is_matrix = true;
    for (number, row) in (1..).zip(&ranked) {
        let head =
            [TableCell::text(count(number)), TableCell::target(row, view::series(analysis, row))];
        let cells = ranked.iter().map(|column| {
            TableCell::text(
                match pairs.get(&(*row, *column)).map(|found| found.for_target(row).1) {
                    Some(Some(1)) => "▲",
                    Some(Some(0)) => "=",
                    Some(Some(_)) => "▼",
                    Some(None) => "·",
                    None => "",
                },
            )
        });
        table.push(head.into_iter().chain(cells));
    }
    Some(table)
}

/// Every target ÷ the first of the ranking, at each level and over all together.
pub(crate) fn against_first(analysis: &Analysis, test: &TestAnalysis) -> Option<(String, Table)> {
    let metric = test.basis?.metric;
    let mut ranked = view::ranked(test);
    let first = ranked.next()?;
    let axis = LevelAxis::for_test(test);
    let mut levels: Vec<Level> = test.comparisons.iter().map(|found| found.level).collect();
    levels.sort_unstable();
    levels.dedup();
    let headings = levels.iter().map(|&level| numbers(axis.text(level)));
    let mut columns: Vec<(super::Column, Pairs)> =
        headings.zip(levels.iter().map(|&level| at_level(test, metric, level))).collect();
    if !test.overall.is_empty() {
        columns.push((numbers("all"), pairs(test)));
    }
    let (headings, columns): (Vec<_>, Vec<Pairs>) = columns.into_iter().unzip();
    let mut table = Table::new([words("target")].into_iter().chain(headings));
    for place in ranked {
        let name = place.target.as_str();
        let cell = |pairs: &Pairs| match pairs.get(&(name, first.target.as_str())) {
            None => TableCell::estimate(None),
            Some(found) => {
                let (ratio, better) = found.for_target(name);
                let tone = if better.is_none() { Tone::Doubtful } else { Tone::Plain };
                TableCell::estimate(Some(&ratio)).with_tone(tone)
            }
        };
        let target = TableCell::target(name, view::series(analysis, name));
        table.push(std::iter::once(target).chain(columns.iter().map(cell)));
    }
    Some((first.target.clone(), table.without_empty_columns()))
}
