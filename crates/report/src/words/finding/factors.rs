//! What labels do.

use super::{Group, Words};
use crate::numbers::{self, percent, times};
use crate::words::labels::target_name;
use crate::words::metric::metric_name;
use crate::words::place::levels;
use analyse::{FactorEffect, HoldsFor, LevelEffect, PairEffect, Verdict};
use model::Level;
use stats::Estimate;

impl Words for FactorEffect {
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

/// Whether each of the two values is the better one at some level.
pub(crate) fn depends_on_level(found: &FactorEffect) -> bool {
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
pub(crate) fn by_level(effects: &[LevelEffect]) -> Vec<String> {
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
            format!("based on {names}, with how much such targets differ by themselves")
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
