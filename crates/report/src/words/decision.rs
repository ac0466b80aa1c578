//! What whoever decides reads first: what to choose and on what condition, what that rests on, and
//! what it does not hold for.

use crate::{numbers, view};
use analyse::{
    Analysis, Choice, Evidence, Finding, Metric, OverallComparison, Severity, TestAnalysis, Verdict,
};
use findings::names::{metric_name, target_name};
use findings::place::{at, levels};
use model::{Level, Task, Test};

/// Most targets that a choice names.
const MOST_NAMES: usize = 4;
/// Most targets without a result that are named.
const MOST_GAPS: usize = 2;

/// What to choose in a test, and on what condition; `None` where no rule follows from it, or one of so
/// many targets that nobody would read it.
pub(crate) fn choice(analysis: &Analysis, test: &TestAnalysis) -> Option<String> {
    if test.advice.is_empty() || view::is_crowded(test) {
        return None;
    }
    let all = studied(analysis, test).map_or(&[][..], Test::levels);
    let over_the_range = over_the_range(test, all).map(|said| opened(analysis, test, &said));
    let is_doubtful = !contradictions(analysis, test).is_empty()
        || !view::printed_as_zero(analysis, test).is_empty();
    if let Some(said) = over_the_range.filter(|_| !is_doubtful) {
        return Some(said);
    }
    let margin = numbers::percent(analysis.dataset.study.margin);
    let mut choices: Vec<(&Choice, Vec<Level>)> = Vec::new();
    for span in &test.advice {
        match choices.iter_mut().find(|(known, _)| *known == &span.choice) {
            Some((_, levels)) => levels.extend(&span.levels),
            None => choices.push((&span.choice, span.levels.clone())),
        }
    }
    // Stable: what is decided comes first, otherwise along the levels.
    choices.sort_by_key(|(choice, _)| matches!(choice, Choice::Unresolved { .. }));
    let said = choices.iter().map(|(choice, levels)| {
        let place = places(all, levels);
        match choice {
            Choice::Only { target } => format!("choose {}{place}", target_name(target)),
            Choice::Same { targets } => {
                format!(
                    "choose any of {}{place}: they are the same within {margin}",
                    named(targets)
                )
            }
            Choice::Unresolved { targets } => {
                format!("it is undecided between {}{place}", named(targets))
            }
        }
    });
    let said: Vec<String> = said.collect();
    Some(format!("{}.", opened(analysis, test, &said.join("; "))))
}

/// A choice as a sentence begins with it, with what it is by where the study asks to be answered by a figure
/// that the test would not be judged by.
fn opened(analysis: &Analysis, test: &TestAnalysis, choice: &str) -> String {
    let usual = studied(analysis, test).and_then(Test::deciding_metric);
    let by =
        test.basis.map(|basis| basis.metric).filter(|_| analysis.dataset.study.answer_by.is_some());
    match by.filter(|metric| usual.is_some_and(|usual| usual != *metric)) {
        Some(metric) => format!("By {}, {choice}", metric_name(metric)),
        None => super::capitalised(choice),
    }
}

/// At which levels nothing is chosen, because figures that would decide cannot all be true, or are times
/// that are printed as 0; nothing where there are none, or nothing was compared.
pub(crate) fn not_chosen(analysis: &Analysis, test: &TestAnalysis) -> Vec<String> {
    if test.comparisons.is_empty() {
        return Vec::new();
    }
    let doubtful = [
        (
            contradictions(analysis, test),
            "figures of {} there cannot all be true (see the warnings)",
        ),
        (
            view::printed_as_zero(analysis, test),
            "the figure that decides is printed there as 0 for {}, which may be the best of all",
        ),
    ];
    doubtful.into_iter().filter_map(|(found, why)| at_levels(analysis, test, found, why)).collect()
}

fn at_levels(
    analysis: &Analysis,
    test: &TestAnalysis,
    found: Vec<(&str, Level)>,
    why: &str,
) -> Option<String> {
    let all = studied(analysis, test).map_or(&[][..], Test::levels);
    let here: Vec<Level> =
        all.iter().copied().filter(|level| found.iter().any(|(_, at)| at == level)).collect();
    let mut targets: Vec<String> = Vec::new();
    for (target, _) in found {
        if !targets.iter().any(|known| known == target) {
            targets.push(target.to_owned());
        }
    }
    (!here.is_empty()).then(|| {
        let place = places(all, &here);
        format!("Nothing is chosen{place}: {}.", why.replace("{}", &named(&targets)))
    })
}

/// The targets, with their levels, that print figures which would decide and cannot all be true.
fn contradictions<'a>(analysis: &'a Analysis, test: &TestAnalysis) -> Vec<(&'a str, Level)> {
    let Some(metric) = test.basis.map(|basis| basis.at_each_level()) else { return Vec::new() };
    let margin = analysis.dataset.study.margin;
    let against = |finding: &'a Finding| {
        let Evidence::Contradiction(found) = &finding.evidence else { return None };
        let subject = &finding.subject;
        let place = subject.target.as_deref().zip(subject.level);
        place.filter(|_| found.is_against(metric, margin))
    };
    analysis.findings_of(&test.test).filter_map(against).collect()
}

/// Between whom no level of a test decides, and at which levels; `None` where something is decided.
pub(crate) fn undecided(analysis: &Analysis, test: &TestAnalysis) -> Option<(String, String)> {
    let all = studied(analysis, test).map_or(&[][..], Test::levels);
    if view::is_crowded(test) || over_the_range(test, all).is_some() {
        return None;
    }
    let choice = &test.advice.first()?.choice;
    let Choice::Unresolved { targets } = choice else { return None };
    let is_same = test.advice.iter().all(|span| span.choice == *choice);
    let levels: Vec<Level> = test.advice.iter().flat_map(|span| span.levels.clone()).collect();
    is_same.then(|| (named(targets), places(all, &levels)))
}

/// The target that is ahead of every other over all levels together, where no level by itself speaks
/// against it and some leave it open.
fn over_the_range(test: &TestAnalysis, all: &[Level]) -> Option<String> {
    let metric = test.basis?.metric;
    // What is offered decides the throughput of an open loop.
    if view::is_at_rates(test) {
        return None;
    }
    let found = || test.overall.iter().filter(|found| found.metric == metric);
    let ranked = view::ranked(test).count();
    let of = |name: &str| -> Vec<&OverallComparison> {
        found().filter(|o| o.baseline == name || o.candidate == name).collect()
    };
    let wins = |name: &str, o: &OverallComparison| match o.verdict {
        Verdict::CandidateBetter => o.candidate == name,
        Verdict::BaselineBetter => o.baseline == name,
        Verdict::Equivalent | Verdict::Unresolved => false,
    };
    let winner = view::ranked(test).map(|place| &place.target).find(|name| {
        let own = of(name);
        own.len() + 1 == ranked && own.iter().all(|o| wins(name, o))
    })?;
    let mut alone = Vec::new();
    for span in &test.advice {
        match &span.choice {
            Choice::Only { target } if target == winner => {}
            Choice::Unresolved { targets } if targets.contains(winner) => {
                alone.extend(&span.levels)
            }
            _ => return None,
        }
    }
    let levels = of(winner).first().map(|first| &first.levels)?;
    let (low, high) = (levels.first()?, levels.last()?);
    let own_name = winner.clone();
    let (winner, range) = (target_name(winner), between(*low, *high));
    let open = match alone.len() {
        0 => return None,
        every if every == all.len() => "no level alone decides".to_owned(),
        _ => format!("taken alone, it is undecided{}", places(all, &alone)),
    };
    let ranked_at = match metric {
        Metric::Throughput => " at their peaks".to_owned(),
        _ => view::ranked(test).next().map_or(String::new(), |place| at(place.level)),
    };
    let tied = tied_with(test, &own_name).map_or(String::new(), |others| {
        format!(
            " That is by the mean over these levels;{ranked_at} {winner} is not ahead of {others}."
        )
    });
    Some(format!("choose {winner} over the range of {range}; {open}.{tied}"))
}

/// Those that share the first place at their peaks with a target, or are before it there.
fn tied_with(test: &TestAnalysis, target: &str) -> Option<String> {
    let own = view::ranked(test).find(|place| place.target == target)?.place;
    let others: Vec<String> = view::ranked(test)
        .filter(|place| place.target != target && place.place <= own)
        .map(|place| place.target.clone())
        .collect();
    (!others.is_empty()).then(|| named(&others))
}

/// Where a choice holds: ` at 2 clients and from 8 clients`, by stretches of neighbours among all
/// levels.
fn places(all: &[Level], here: &[Level]) -> String {
    let number = |level: &Level| all.iter().position(|other| other == level);
    let mut stretches: Vec<Vec<Level>> = Vec::new();
    for level in here {
        let follows = |stretch: &Vec<Level>| {
            let last = stretch.last().and_then(number);
            last.is_some_and(|last| number(level) == Some(last + 1))
        };
        match stretches.last_mut().filter(|stretch| follows(stretch)) {
            Some(stretch) => stretch.push(*level),
            None => stretches.push(vec![*level]),
        }
    }
    if here.len() == all.len() && here.len() > 1 {
        let (Some(first), Some(last)) = (here.first(), here.last()) else { return String::new() };
        return format!(" at every level from {}", between(*first, *last));
    }
    if stretches.iter().all(|stretch| stretch.len() == 1) {
        return findings::place::at_levels(here);
    }
    let stretches = stretches.iter().filter_map(|stretch| {
        let (first, last) = (stretch.first()?, stretch.last()?);
        Some(match stretch.len() {
            1 => format!("at {first}"),
            _ if Some(first) == all.first() => format!("up to {last}"),
            _ if Some(last) == all.last() => format!("from {first}"),
            _ => format!("from {}", between(*first, *last)),
        })
    });
    format!(" {}", numbers::list(&stretches.collect::<Vec<String>>()))
}

/// `1 to 16 clients`.
fn between(first: Level, last: Level) -> String {
    levels(&[first, last]).replacen(" and ", " to ", 1)
}

fn named(targets: &[String]) -> String {
    let shown = if targets.len() > MOST_NAMES { MOST_NAMES - 1 } else { targets.len() };
    let mut names: Vec<String> = targets[..shown].iter().map(|name| target_name(name)).collect();
    if targets.len() > shown {
        names.push(format!("{} others", targets.len() - shown));
    }
    numbers::list(&names)
}

pub(super) fn studied<'a>(analysis: &Analysis<'a>, test: &TestAnalysis) -> Option<&'a Test> {
    analysis.dataset.study.test(&test.test)
}

/// How many trials it took, what became of them, and how sure it is: `36 trials in 9 min (36 valid), at
/// 95 % confidence`.
pub(crate) fn rests_on(analysis: &Analysis) -> String {
    let dataset = analysis.dataset;
    let number = dataset.trials.len();
    if view::imported(analysis) {
        let judged = || analysis.tests.iter().filter(|test| test.basis.is_some());
        let once = judged().filter(|test| !test.ranking.measured_once.is_empty()).count();
        let once = match once {
            0 => "",
            all if all == judged().count() => {
                ", each measured once: it is not known whether differences are real"
            }
            _ => {
                "; of figures that were measured once it is not known whether differences are real"
            }
        };
        let confidence = match once {
            "" => format!(", at {} confidence", numbers::percent(dataset.study.confidence)),
            _ => String::new(),
        };
        return format!("{}{once}{confidence}", numbers::counted(number, "imported trial"));
    }
    let taken = model::time_taken(&dataset.trials);
    let missing = match dataset.missing().count() {
        0 => String::new(),
        missing => format!(", {} not run", numbers::count(missing as u64)),
    };
    format!(
        "{} in {} ({}{missing}), at {} confidence",
        numbers::counted(number, "trial"),
        numbers::duration(taken),
        view::Tally::of_all(analysis).describe(),
        numbers::percent(dataset.study.confidence),
    )
}

/// How many findings speak against relying on it, alike ones counted once: `1 severe finding and 2
/// warnings`.
pub(crate) fn doubts(analysis: &Analysis) -> Option<String> {
    let number = |severity| -> usize {
        let counted = |finding: &Finding| view::counted_in(analysis, finding);
        let kinds = view::by_kind(analysis, severity);
        kinds.iter().map(|(_, findings)| super::sentences(findings, counted).len()).sum()
    };
    let (severe, warnings) = (number(Severity::Severe), number(Severity::Warning));
    let parts: Vec<String> = [(severe, "severe finding"), (warnings, "warning")]
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, what)| numbers::counted(number, what))
        .collect();
    (!parts.is_empty()).then(|| numbers::list(&parts))
}

/// What the answers do not hold for, in few words each; nothing where there are none.
pub(crate) fn not_for(analysis: &Analysis) -> Vec<String> {
    let study = &analysis.dataset.study;
    let is_answered =
        |test: &TestAnalysis| test.search.is_some() || view::ranked(test).next().is_some();
    if !analysis.tests.iter().any(is_answered) {
        return Vec::new();
    }
    let mut without = Vec::new();
    let ranges: Vec<Option<String>> = study.tests.iter().map(other_loads).collect();
    match ranges.first() {
        None => {}
        Some(first) if ranges.iter().all(|range| range == first) => without.extend(first.clone()),
        Some(_) => without.push("loads outside those of each test".to_owned()),
    }
    let gaps = gaps(analysis);
    let more = gaps.len().saturating_sub(MOST_GAPS);
    without.extend(gaps.into_iter().take(MOST_GAPS));
    if more > 0 {
        without.push(format!("{} without a result", numbers::counted(more, "other target")));
    }
    if view::imported(analysis) {
        without.push("conditions that the imported results do not state".to_owned());
        if study.repeats > 1 && study.tests.iter().any(took_no_turns) {
            without.push(
                "drift between targets (nothing in the imported results says that they took turns)"
                    .to_owned(),
            );
        }
        return without;
    }
    if study.tests.iter().any(|test| test.is_of_load() && !test.is_open()) {
        without.push("requests that arrive at a fixed rate (this was a closed loop)".to_owned());
    }
    if study.duet {
        without.push(
            "a target that has the machine to itself (each had a part of its processors, beside loaded \
             neighbours)"
                .to_owned(),
        );
    }
    without.push("other machines or disks of the same type (one of each was measured)".to_owned());
    without
}

/// Whether nothing in imported results says that their targets were measured in turns: there are no
/// blocks, and dates, where there are any, do not go round.
pub(super) fn took_no_turns(test: &Test) -> bool {
    matches!(&test.task, Task::Imported(task) if !task.in_turns)
}

/// The loads at which a test was not run; `None` of a test without levels.
fn other_loads(test: &Test) -> Option<String> {
    if test.has_profile() {
        return Some("loads that follow another profile".to_owned());
    }
    match (test.levels().first(), test.levels().last()) {
        (Some(first), Some(last)) if first == last => {
            let is_stated = *first != Level::NONE && first.search.is_none();
            is_stated.then(|| format!("loads other than {first}"))
        }
        (Some(first), Some(last)) => Some(format!("loads outside {}", between(*first, *last))),
        _ => None,
    }
}

/// The targets that have no result in a test, or not at its highest levels.
fn gaps(analysis: &Analysis) -> Vec<String> {
    let several = analysis.tests.len() > 1;
    let mut gaps = Vec::new();
    for test in &analysis.tests {
        let within = if several { format!(" in {}", test.test) } else { String::new() };
        for name in &test.ranking.unranked {
            gaps.push(format!("{}{within} (no result)", target_name(name)));
        }
        for curve in test.curves.iter().filter(|curve| !curve.without_data.is_empty()) {
            let place = match curve.without_data.as_slice() {
                [only] => at(*only),
                [first, .., last] => format!(" at {}", between(*first, *last)),
                [] => String::new(),
            };
            gaps.push(format!("{}{place}{within} (no result)", target_name(&curve.target)));
        }
    }
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_clients(clients: &[u32]) -> Vec<Level> {
        clients.iter().map(|&n| Level::clients(n)).collect()
    }

    #[test]
    fn neighbouring_levels_are_a_range_and_others_are_named() {
        let all = at_clients(&[1, 2, 4, 8, 16]);
        let said = |here: &[u32]| places(&all, &at_clients(here));
        assert_eq!(said(&[1, 2, 4, 8, 16]), " at every level from 1 to 16 clients");
        assert_eq!(said(&[2, 4, 8]), " from 2 to 8 clients");
        assert_eq!(said(&[1, 4]), " at 1 and 4 clients");
        assert_eq!(said(&[8]), " at 8 clients");
        assert_eq!(said(&[1, 2, 4]), " up to 4 clients");
        assert_eq!(said(&[8, 16]), " from 8 clients");
        assert_eq!(said(&[2, 8, 16]), " at 2 clients and from 8 clients");
        assert_eq!(places(&[Level::NONE], &[Level::NONE]), "");
    }

    #[test]
    fn many_targets_are_not_all_named() {
        let names: Vec<String> = (0..9).map(|n| format!("t{n}")).collect();
        assert_eq!(named(&names), "t0, t1, t2 and 6 others");
        assert_eq!(named(&names[..4]), "t0, t1, t2 and t3");
    }
}
