//! Who comes first in a test, in words.

use super::metric::{exactly, figure_of};
use crate::{numbers, tables};
use analyse::{Analysis, Basis, Metric, RankedTarget, TestAnalysis};
use findings::names::metric_name;
use findings::names::target_name;
use findings::place::at;

/// So many others that share the first place are not told with their figures.
const MANY: usize = 3;
/// Most names in a row.
const MOST_NAMES: usize = 4;

pub(super) fn peaks(test: &TestAnalysis) -> String {
    let Some(basis) = test.basis else {
        return "Nothing is ranked.".to_owned();
    };
    let Some((first, rest)) = test.ranking.tiers.split_first() else {
        return match not_offered(test) {
            Some((all, _)) if all.len() == test.ranking.unranked.len() => {
                "Nothing is ranked: no target offers this.".to_owned()
            }
            _ => "There is no answer: no target has a trial that counts.".to_owned(),
        };
    };
    let figure = |place: &RankedTarget| figure(basis, place);
    let by = match basis.metric {
        Metric::Throughput => "At its peak".to_owned(),
        metric => format!("By {}", metric_name(metric)),
    };
    let (leaders, behind): (Vec<&RankedTarget>, Vec<_>) =
        first.iter().partition(|place| place.place == 1);
    let mut said = match leaders.as_slice() {
        [only] if first.len() == 1 && rest.is_empty() => {
            format!(
                "{} reaches {}. There is nothing to rank it against.",
                named(only),
                figure(only)
            )
        }
        [only] => format!("{by} {} comes first with {}.", named(only), figure(only)),
        [leader, others @ ..] if others.len() >= MANY => {
            format!(
                "{by} {} has the best figure, {}; {} cannot be told apart from it, nor from one \
                 another.",
                named(leader),
                figure(leader),
                some_of(others)
            )
        }
        tied => {
            let names: Vec<String> = tied.iter().map(|place| named(place)).collect();
            let figures: Vec<String> = tied.iter().map(|place| figure(place)).collect();
            let (names, figures) = (numbers::list(&names), numbers::list(&figures));
            match basis.metric {
                Metric::Throughput => {
                    format!("At their peaks {names} cannot be told apart: they reach {figures}.")
                }
                _ => format!("{by} {names} cannot be told apart, with {figures}."),
            }
        }
    };
    if !behind.is_empty() {
        let verb = if behind.len() == 1 { "is" } else { "are" };
        let behind = match behind.len() {
            many if many > MOST_NAMES => format!("{many} others"),
            _ => some_of(&behind),
        };
        said += &format!(" {behind} {verb} clearly behind at least one other target.");
    }
    match rest.first().map(Vec::as_slice) {
        None | Some([]) => {}
        Some([second]) => said += &format!(" {} follows with {}.", named(second), figure(second)),
        Some(next) if next.len() > MOST_NAMES => said += &format!(" {} others follow.", next.len()),
        Some(next) => {
            let place = next.iter().map(|one| one.place).min();
            let tied = next.iter().all(|one| Some(one.place) == place);
            let tie = if tied { " and cannot be told apart" } else { "" };
            said += &format!(" {} follow{tie}.", some_of(&next.iter().collect::<Vec<_>>()));
        }
    }
    said
}

/// The first two of an order that is no more than that of figures that were measured once each.
pub(super) fn measured_once(test: &TestAnalysis) -> String {
    let Some(basis) = test.basis else { return String::new() };
    let at_place = |wanted: usize| -> Vec<&RankedTarget> {
        let printed = test.ranking.measured_once.iter().filter(|place| place.place == wanted);
        let places = || test.ranking.tiers.iter().flatten();
        printed.filter_map(|p| places().find(|place| place.target == p.target)).collect()
    };
    let with_figures = |places: &[&RankedTarget]| {
        let figures = places.iter().map(|place| {
            let figure = match place.figure.n {
                1 => exactly(basis.metric, place.figure.point, basis.counted),
                _ => figure_of(basis.metric, &place.figure, basis.counted),
            };
            format!("{} with {figure}{}", named(place), at(place.level))
        });
        numbers::list(&figures.collect::<Vec<String>>())
    };
    let (first, second) = (at_place(1), at_place(2));
    let follows = if second.is_empty() {
        String::new()
    } else {
        format!(", {} second", with_figures(&second))
    };
    let everywhere = if test.ranking.first_at_every_level && test.ranking.measured_once.len() > 2 {
        let names: Vec<String> = first.iter().map(|place| named(place)).collect();
        format!(" {} is first at every other level too.", numbers::list(&names))
    } else {
        String::new()
    };
    let behind = second_over_first(test, basis.metric).unwrap_or_default();
    let verb = if first.len() == 1 { "comes" } else { "come" };
    format!(
        "Each target was measured once, so whether the order is real is not known: {} {verb} \
         first{follows}.{everywhere}{behind}",
        with_figures(&first)
    )
}

/// By how much the second of two is behind at every level; `None` where more targets
/// are ranked, or fewer levels compared than two.
fn second_over_first(test: &TestAnalysis, metric: Metric) -> Option<String> {
    let [first, second] = test.ranking.measured_once.as_slice() else { return None };
    let ratios: Vec<f64> = test
        .comparisons
        .iter()
        .filter(|comparison| comparison.metric == metric)
        .map(|comparison| {
            let of_second = comparison.candidate == second.target;
            if of_second { comparison.ratio.point } else { comparison.ratio.point.recip() }
        })
        .collect();
    if !test.ranking.first_at_every_level || ratios.len() < 2 {
        return None;
    }
    let low = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let range = numbers::range(low, ratios.iter().copied().fold(0.0, f64::max));
    Some(format!(
        " {} is behind at every level: it has {range} × the {} of {}.",
        target_name(&second.target),
        metric_name(metric),
        target_name(&first.target),
    ))
}

/// How many pairs of many targets are told apart.
pub(super) fn crowd(analysis: &Analysis, test: &TestAnalysis) -> Option<String> {
    let [apart, same, open] = tables::resolved(test)?;
    let count = |number: usize| numbers::count(number as u64);
    let over = if test.overall.is_empty() { "" } else { " over all levels together" };
    let margin = numbers::percent(analysis.dataset.study.margin);
    let all = count(apart + same + open);
    let same = match same {
        0 => String::new(),
        _ => format!(", {} are the same within {margin}", count(same)),
    };
    Some(format!(
        "Of {all} pairs of targets {} are told apart{over}{same}, and {} are not resolved.",
        count(apart),
        count(open)
    ))
}

/// The names of targets; of many the first few, with the number of the others.
fn some_of(places: &[&RankedTarget]) -> String {
    let shown = if places.len() > MOST_NAMES { MOST_NAMES - 1 } else { places.len() };
    let mut names: Vec<String> = places.iter().take(shown).map(|place| named(place)).collect();
    if places.len() > shown {
        names.push(format!("{} others", places.len() - shown));
    }
    numbers::list(&names)
}

fn named(place: &RankedTarget) -> String {
    target_name(&place.target)
}

fn figure(basis: Basis, place: &RankedTarget) -> String {
    let figure = figure_of(basis.metric, &place.figure, basis.counted);
    format!("{figure}{}", at(place.level))
}

/// The targets that do not offer what a test asks for, and what the first of them says; `None` where
/// all do.
pub(crate) fn not_offered(test: &TestAnalysis) -> Option<(Vec<&str>, &str)> {
    let refusing = || test.ranking.failed.iter().filter(|one| one.failure.is_not_offered());
    let said = refusing().next()?.failure.message.as_str();
    Some((refusing().map(|one| one.target.as_str()).collect(), said))
}
