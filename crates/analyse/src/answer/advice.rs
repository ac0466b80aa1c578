//! Which target to take at which level: conditional rules out of the verdicts.

use crate::cell::{CellData, Cells};
use crate::{Basis, Comparison};
use findings::{Advice, Choice, Finding, Span, Subject, Verdict};
use model::{Level, Study, Test};

/// Along the levels of a test that compare at least two targets: by the metric of the test, or where that is
/// throughput and transactions are offered at rates by the 95th percentile of the response time. There is none
/// at a level where figures that decide cannot be true or are printed as 0, and none where a load profile
/// changes the rate: its level is a mean over all of it.
pub(crate) fn spans(
    study: &Study,
    test: &Test,
    basis: Option<Basis>,
    comparisons: &[Comparison],
    cells: &Cells,
) -> Vec<Span> {
    let basis = basis.filter(|_| !test.has_profile());
    let Some(metric) = basis.map(|basis| basis.at_each_level()) else { return Vec::new() };
    let mut spans: Vec<Span> = Vec::new();
    let is_doubtful = |level: Level| {
        let mut here = cells.iter().filter(|cell| cell.level == level);
        here.any(|cell| {
            cell.is_contradicted(metric, study.margin) || cell.is_printed_as_zero(metric)
        })
    };
    for &level in test.levels() {
        if is_doubtful(level) {
            continue;
        }
        let here: Vec<&Comparison> =
            comparisons.iter().filter(|c| c.level == level && c.metric == metric).collect();
        let choice = choice(study, &here).or_else(|| only_one_keeps_up(cells, level));
        let Some(choice) = choice else { continue };
        match spans.last_mut() {
            Some(span) if span.choice == choice => span.levels.push(level),
            _ => spans.push(Span { levels: vec![level], choice }),
        }
    }
    spans
}

/// The only target that keeps up with a rate in every repeat where every other falls behind in every
/// one: it has no other's latency to be held against. `None` where nothing was repeated.
fn only_one_keeps_up(cells: &Cells, level: Level) -> Option<Choice> {
    level.rate?;
    let here = || cells.iter().filter(|cell| cell.level == level);
    let keeping: Vec<&CellData> = here().filter(|cell| cell.always_keeps_up()).collect();
    let [only] = keeping.as_slice() else { return None };
    let all_others_fall_behind =
        here().filter(|cell| cell.target != only.target).all(CellData::always_falls_behind);
    (here().count() > 1 && all_others_fall_behind)
        .then(|| Choice::Only { target: only.target.to_owned() })
}

/// `None` without comparisons, where nothing was repeated, so that none can decide, or where every
/// target is beaten by another.
fn choice(study: &Study, here: &[&Comparison]) -> Option<Choice> {
    if here.iter().all(|comparison| comparison.ratio.interval.is_none()) {
        return None;
    }
    let is_beaten = |name: &str| {
        here.iter().any(|c| match c.verdict {
            Verdict::CandidateBetter => c.baseline == name,
            Verdict::BaselineBetter => c.candidate == name,
            Verdict::Equivalent | Verdict::Unresolved => false,
        })
    };
    let compared = |name: &str| here.iter().any(|c| c.baseline == name || c.candidate == name);
    let names = study.targets.iter().map(|target| target.name.as_str());
    let first: Vec<&str> = names.filter(|name| compared(name) && !is_beaten(name)).collect();
    let among = |name: &String| first.contains(&name.as_str());
    let between = here.iter().filter(|c| among(&c.baseline) && among(&c.candidate));
    let same = between.filter(|c| c.verdict == Verdict::Equivalent).count();
    let targets = || first.iter().map(|name| (*name).to_owned()).collect();
    match first.as_slice() {
        [] => None,
        [only] => Some(Choice::Only { target: (*only).to_owned() }),
        several if same == several.len() * (several.len() - 1) / 2 => {
            Some(Choice::Same { targets: targets() })
        }
        _ => Some(Choice::Unresolved { targets: targets() }),
    }
}

/// One for a test that has any.
pub(crate) fn finding(test: &str, spans: &[Span]) -> Option<Finding> {
    let advice = || Advice { spans: spans.to_vec() };
    (!spans.is_empty()).then(|| Finding::new(Subject::test(test), advice()))
}
