//! What labels do.

use crate::Verdict;
use serde::Serialize;
use crate::kind::{FindingKind, Group};
use crate::numbers::{self, percent, times};
use crate::names::target_name;
use crate::names::metric_name;
use crate::place::levels;
use model::{Level, Metric};
use stats::Estimate;

/// Two values of one label, compared over the pairs of targets that have one each and are alike in
/// all other labels. What the labels don't say may differ too.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FactorEffect {
    pub label: String,
    /// The value in the denominator: the one that comes first in the study.
    pub from: String,
    /// The value in the numerator.
    pub to: String,
    /// What is compared: the metric by which the tests are judged; where transactions are offered at
    /// rates the 95th percentile of the response time.
    pub metric: Metric,
    /// `to` ÷ `from` over all pairs, tests and levels together: the geometric mean over the pairs, of
    /// the mean of each over its tests and levels.
    pub ratio: Estimate,
    /// What `ratio` and `verdict` hold for.
    pub holds_for: HoldsFor,
    /// Pairs at levels that do not go into `ratio`, of how many: they have no interval, where others do.
    pub left_out: (usize, usize),
    /// What follows; the candidate is `to`.
    pub verdict: Verdict,
    /// The pairs of targets, in the order of the study.
    pub pairs: Vec<PairEffect>,
    /// Whether the effect depends on the pair: the intervals of two of them have nothing in common.
    /// The ratio over all is then a mean of effects that differ.
    pub pairs_differ: bool,
    /// The pairs together at each level of each test, in the order of the study.
    pub levels: Vec<LevelEffect>,
}

impl FindingKind for FactorEffect {
    const HEADING: &'static str = "Factors";

    /// Over all levels together, where that differs by level, and on which targets it rests.
    fn say(found: &Group<'_, Self>) -> String {
        let found = found.first;
        let mut parts = vec![effect(found)];
        if !same_everywhere(&found.levels) {
            parts.extend(by_level(&found.levels));
        }
        let mut compared = String::new();
        if depends_on_level(found) {
            // What holds at each level comes before a mean over levels that disagree.
            parts.rotate_left(1);
            let figure = metric_name(found.metric);
            parts.insert(0, format!("which one has the better {figure} depends on the load"));
            let (from, to) = (target_name(&found.from), target_name(&found.to));
            compared = format!(", {to} against {from}");
        }
        parts.push(rests_on(found));
        format!("by {}{compared}: {}", found.label, parts.join("; "))
    }
}

/// How far the effect of a label is known to reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HoldsFor {
    /// The targets that were measured: how much targets differ by themselves is not known from so few.
    TheseTargets,
    /// Further targets of the kind as well: by how much targets differ by themselves is in the interval.
    TargetsLikeThese,
}

/// The effect on one pair of targets, over all tests and levels.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairEffect {
    /// The target that has `from`.
    pub baseline: String,
    /// The target that has `to`.
    pub candidate: String,
    /// candidate ÷ baseline.
    pub ratio: Estimate,
    pub verdict: Verdict,
}

/// The effect at one level, over all pairs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LevelEffect {
    pub test: String,
    pub level: Level,
    /// `to` ÷ `from`.
    pub ratio: Estimate,
    pub verdict: Verdict,
}

/// Whether each of the two values is the better one at some level.
pub fn depends_on_level(found: &FactorEffect) -> bool {
    let has = |verdict| found.levels.iter().any(|effect| effect.verdict == verdict);
    has(Verdict::CandidateBetter) && has(Verdict::BaselineBetter)
}

/// What it does over all levels together.
fn effect(found: &FactorEffect) -> String {
    let (from, to) = (target_name(&found.from), target_name(&found.to));
    let figure = metric_name(found.metric);
    let over = match found.left_out {
        (0, _) => "all levels together".to_owned(),
        (left_out, of) => format!(
            "{} of {} results together, those that have an interval,",
            numbers::count((of - left_out) as u64),
            numbers::count(of as u64)
        ),
    };
    match found.verdict {
        Verdict::Equivalent => format!(
            "no difference between {from} and {to} (within {} over {})",
            percent(farthest(&found.ratio)),
            over.trim_end_matches(','),
        ),
        Verdict::CandidateBetter | Verdict::BaselineBetter => format!(
            "over {over} {to} has {}",
            times(&found.ratio, &format!("the {figure} of {from}")),
        ),
        Verdict::Unresolved => format!(
            "the difference between {from} and {to} is not resolved: over {over} {to} has {}",
            times(&found.ratio, &format!("the {figure} of {from}")),
        ),
    }
}

/// The largest difference from 1 that the interval allows.
fn farthest(ratio: &Estimate) -> f64 {
    ratio.interval.map_or(0.0, |interval| (interval.high - 1.0).max(1.0 - interval.low))
}

fn same_everywhere(effects: &[LevelEffect]) -> bool {
    effects.windows(2).all(|pair| pair[0].verdict == pair[1].verdict)
}

/// The levels by verdict: `1.05–1.07 × at 128 and 256 clients; the same at 1 and 2 clients`. Over
/// several tests those that leave it open are not listed.
pub fn by_level(effects: &[LevelEffect]) -> Vec<String> {
    let mut tests: Vec<&str> = effects.iter().map(|effect| effect.test.as_str()).collect();
    tests.dedup();
    let several = tests.len() > 1;
    let left_out = |effect: &LevelEffect| several && effect.verdict == Verdict::Unresolved;
    let mut said = Vec::new();
    for test in &tests {
        let of_test = if several { format!("{test}, ") } else { String::new() };
        for verdict in [
            Verdict::CandidateBetter,
            Verdict::BaselineBetter,
            Verdict::Equivalent,
            Verdict::Unresolved,
        ] {
            let here: Vec<&LevelEffect> = effects
                .iter()
                .filter(|effect| effect.test == *test && effect.verdict == verdict)
                .filter(|effect| !left_out(effect))
                .collect();
            if !here.is_empty() {
                said.push(format!("{of_test}{}", at_levels(verdict, &here)));
            }
        }
    }
    if effects.iter().any(left_out) {
        let nowhere = said.is_empty();
        said.push(
            if nowhere { "not resolved at any level" } else { "not resolved at other levels" }
                .to_owned(),
        );
    }
    said
}

fn at_levels(verdict: Verdict, effects: &[&LevelEffect]) -> String {
    let at: Vec<Level> = effects.iter().map(|effect| effect.level).collect();
    let points = || effects.iter().map(|effect| effect.ratio.point);
    let low = points().fold(f64::INFINITY, f64::min);
    let ratios = numbers::range(low, points().fold(0.0, f64::max));
    match verdict {
        Verdict::CandidateBetter | Verdict::BaselineBetter => {
            format!("at {} it is {ratios} ×", levels(&at))
        }
        Verdict::Equivalent => format!("at {} there is no difference", levels(&at)),
        Verdict::Unresolved => format!("at {} it is not resolved", levels(&at)),
    }
}

fn rests_on(found: &FactorEffect) -> String {
    let named = |pair: &PairEffect| {
        format!("{} against {}", target_name(&pair.candidate), target_name(&pair.baseline))
    };
    if found.pairs_differ {
        let effects: Vec<String> = found
            .pairs
            .iter()
            .map(|pair| format!("{} × for {}", numbers::estimate(&pair.ratio, ""), named(pair)))
            .collect();
        return format!(
            "the effect depends on the rest of the target: {}",
            numbers::list(&effects)
        );
    }
    let names: Vec<String> = found.pairs.iter().map(named).collect();
    let names = numbers::list(&names);
    match found.holds_for {
        HoldsFor::TheseTargets => format!(
            "this holds for these targets, and is not known to hold for others: it is based on {names}"
        ),
        HoldsFor::TargetsLikeThese => {
            format!("based on {names}, allowing for differences between such targets")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effect(test: &str, clients: u32, verdict: Verdict) -> LevelEffect {
        LevelEffect {
            test: test.to_owned(),
            level: Level::clients(clients),
            ratio: Estimate { point: 1.5, interval: None, n: 3 },
            verdict,
        }
    }

    #[test]
    fn over_several_tests_only_levels_that_decide_are_listed() {
        let open = |test, clients| effect(test, clients, Verdict::Unresolved);
        let better = effect("reads", 8, Verdict::CandidateBetter);
        assert_eq!(
            by_level(&[open("reads", 1), better, open("writes", 1)]),
            ["reads, at 8 clients it is 1.50 ×", "not resolved at other levels"]
        );
        assert_eq!(by_level(&[open("reads", 1), open("writes", 1)]), ["not resolved at any level"]);
        assert_eq!(by_level(&[open("reads", 1)]), ["at 1 client it is not resolved"]);
    }
}
