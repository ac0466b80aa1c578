//! Who comes first and second in each test of a study.

use crate::{Placings, Ranking, Summary, TestAnalysis, TopTwo};
use model::Study;
use std::cmp::Reverse;

/// `None` for fewer than two tests that rank at least two targets.
pub(crate) fn summary(study: &Study, tests: &[TestAnalysis]) -> Option<Summary> {
    let tests: Vec<TopTwo> = tests.iter().filter_map(top_two).collect();
    if tests.len() < 2 {
        return None;
    }
    let times = |places: fn(&TopTwo) -> &[String], target: &String| {
        tests.iter().filter(|top_two| places(top_two).contains(target)).count()
    };
    let mut targets: Vec<Placings> = study
        .targets
        .iter()
        .map(|target| Placings {
            target: target.name.clone(),
            first: times(|top_two| &top_two.first, &target.name),
            first_over_tests: tests
                .iter()
                .filter(|top_two| top_two.first_holds_over_tests)
                .filter(|top_two| top_two.first.contains(&target.name))
                .count(),
            second: times(|top_two| &top_two.second, &target.name),
        })
        .filter(|placings| placings.first + placings.second > 0)
        .collect();
    // Stable: of equal ones the earlier in the study comes first.
    targets.sort_by_key(|placings| Reverse((placings.first, placings.second)));
    Some(Summary { tests, targets })
}

fn top_two(test: &TestAnalysis) -> Option<TopTwo> {
    let ranking = &test.ranking;
    let ranked: usize = ranking.tiers.iter().map(Vec::len).sum();
    // Against one that failed, the only one that did not is first.
    if ranked + ranking.failed.len() < 2 {
        return None;
    }
    let places = places(ranking);
    let at = |place: usize| -> Vec<String> {
        places.iter().filter(|(p, _)| *p == place).map(|(_, name)| (*name).to_owned()).collect()
    };
    let undecided = ranked > 1 && places.iter().all(|(place, _)| *place == 1);
    let first = if undecided { Vec::new() } else { at(1) };
    let measured_once = !ranking.measured_once.is_empty();
    let first_holds_over_tests = ranking.first_holds_over_tests;
    Some(TopTwo {
        test: test.test.clone(),
        first,
        first_holds_over_tests,
        second: at(2),
        measured_once,
    })
}

/// Place and name of every target that is ranked.
fn places(ranking: &Ranking) -> Vec<(usize, &str)> {
    if !ranking.measured_once.is_empty() {
        let printed = ranking.measured_once.iter();
        return printed.map(|place| (place.place, place.target.as_str())).collect();
    }
    let ranked = ranking.tiers.iter().flatten();
    ranked.map(|place| (place.place, place.target.as_str())).collect()
}
