//! Figures, ratios and verdicts.

use super::{Figure, Found, Kind, Said, at, compared, figure, is_of, list, text, winner};
use model::{Better, Metric};
use serde_json::Value;

/// By how much two ways to the same number may differ, relative to it.
const ROUNDING: f64 = 1e-9;

pub(super) fn check(found: &mut Found, test: &Value) {
    within(found, test);
    printed(found, test);
    for one in list(test, "comparisons") {
        let place = || format!("{} at {}", names(one), at(&one["level"]));
        verdict(found, one, place);
        level_figures(found, test, one, place);
    }
    for one in list(test, "overall") {
        let place = || format!("{} over {} levels", names(one), list(one, "levels").len());
        verdict(found, one, place);
        overall(found, test, one, place);
    }
    if let Some(search) = test["search"].as_object() {
        for one in search["comparisons"].as_array().into_iter().flatten() {
            means(found, one, || format!("{} of searches", names(one)));
        }
    }
    circles(found, test);
}

fn names(one: &Value) -> String {
    let metric = text(one, "metric");
    format!("{metric}, {} ÷ {}", text(one, "candidate"), text(one, "baseline"))
}

/// Whether figures lie within their intervals.
fn within(found: &mut Found, test: &Value) {
    for cell in list(test, "cells") {
        for (metric, estimate) in cell["estimates"].as_object().into_iter().flatten() {
            let Some(estimate) = Figure::from_json(estimate) else { continue };
            let (low, high) = estimate.ends();
            let outside = estimate.point < low || estimate.point > high;
            found.add_if(outside, Kind::OutsideItsInterval, || {
                format!("{metric} of {}: {estimate:?}", text(cell, "target"))
            });
        }
    }
}

/// Whether figures that are shown twice are the same: as printed, and of cells.
fn printed(found: &mut Found, test: &Value) {
    for named in list(test, "figures") {
        let Some(metric) = Metric::of_figure(text(named, "metric")) else { continue };
        let Some(factor) = metric.unit().factor_from(text(named, "unit")) else { continue };
        for value in list(named, "values") {
            let target = text(value, "target");
            let Some(printed) = Figure::from_json(&value["estimate"]) else { continue };
            let Some(cell) = figure(test, target, &value["level"], &metric.name()) else {
                continue;
            };
            // Another figure of the cell that has the same name in a registry, or another unit.
            if printed.n != cell.n || !is_close(printed.point * factor, cell.point) {
                continue;
            }
            let (low, high) = printed.ends();
            let ends = cell.ends();
            let same = is_close(low * factor, ends.0) && is_close(high * factor, ends.1);
            found.add_if(
                !same || printed.interval.is_some() != cell.interval.is_some(),
                Kind::PrintedAgainstCells,
                || {
                    format!(
                        "{} of {target} at {}: {printed:?}, {cell:?}",
                        metric.name(),
                        at(&value["level"])
                    )
                },
            );
        }
    }
}

fn is_close(a: f64, b: f64) -> bool {
    (a - b).abs() <= ROUNDING * a.abs().max(b.abs())
}

/// What a ratio and a verdict say of each other.
fn verdict(found: &mut Found, one: &Value, place: impl Fn() -> String) {
    // What does not clear the noise floor is unresolved whatever its interval says.
    if one["below_noise_floor"] == true {
        return;
    }
    let said = Said::from_json(one);
    let better = Metric::from_name(text(one, "metric")).map_or(Better::Neither, Metric::better);
    let wrong = beside_ratio(found, better, Figure::from_json(&one["ratio"]), said);
    if let Some(wrong) = wrong {
        found.add(Kind::VerdictBesideRatio, format!("{}: {wrong}", place()));
    }
    let chance = one["adjusted_p"].as_f64().unwrap_or(0.0);
    let likely = said.is_decided() && chance > (1.0 - found.confidence()) * (1.0 + ROUNDING);
    found.add_if(likely, Kind::BetterThoughLikelyChance, || {
        format!("{}: {said:?} with an adjusted p of {chance}", place())
    });
}

fn beside_ratio(
    found: &Found,
    better: Better,
    ratio: Option<Figure>,
    said: Said,
) -> Option<String> {
    let Some(ratio) = ratio else { return Some("no ratio".to_owned()) };
    let Some((low, high, confidence)) = ratio.interval else {
        return (said != Said::Unresolved).then(|| "a verdict without interval".to_owned());
    };
    if !(low <= ratio.point && ratio.point <= high) {
        return Some("the ratio lies outside its interval".to_owned());
    }
    let stated = match said {
        Said::Equivalent => 1.0 - 2.0 * (1.0 - found.confidence()),
        _ => found.confidence(),
    };
    if (confidence - stated).abs() > ROUNDING {
        return Some(format!("{said:?} beside an interval of {confidence}"));
    }
    let most = 1.0 + found.margin();
    let is_within = low >= most.recip() && high <= most;
    let more = better == Better::More;
    let expected = match () {
        () if is_within => Said::Equivalent,
        () if better == Better::Neither => Said::Unresolved,
        () if low > 1.0 && ratio.point > most && more => Said::CandidateBetter,
        () if low > 1.0 && ratio.point > most => Said::BaselineBetter,
        () if high < 1.0 && ratio.point < most.recip() && more => Said::BaselineBetter,
        () if high < 1.0 && ratio.point < most.recip() => Said::CandidateBetter,
        () => Said::Unresolved,
    };
    (expected != said).then(|| format!("{said:?} beside {ratio:?}"))
}

/// Whether the figures of the table of cells, and those of the comparison itself, give its ratio.
fn level_figures(found: &mut Found, test: &Value, one: &Value, place: impl Fn() -> String) {
    let metric = text(one, "metric");
    let of = |name| figure(test, text(one, name), &one["level"], metric);
    let (baseline, candidate) = (of("baseline"), of("candidate"));
    let base = Figure::from_json(&one["base"]);
    found.add_if(base != baseline, Kind::RatioOfOtherFigures, || {
        format!("{}: the base {base:?} is not the cell's {baseline:?}", place())
    });
    if let (Some(baseline), Some(candidate), Some(ratio)) =
        (baseline, candidate, Figure::from_json(&one["ratio"]))
    {
        let (base, other) = (baseline.ends(), candidate.ends());
        let (low, high) = (other.0 / base.1, other.1 / base.0);
        let is_given =
            ratio.point >= low * (1.0 - ROUNDING) && ratio.point <= high * (1.0 + ROUNDING);
        // What an early look decided is of the repeats that there were, beside the means of these.
        let at_a_look = !found.report["study"]["until"].is_null()
            && (ratio.n < baseline.n || ratio.n < candidate.n);
        found.add_if(!is_given && !at_a_look, Kind::RatioOfOtherFigures, || {
            format!("{}: {} of {candidate:?} ÷ {baseline:?}", place(), ratio.point)
        });
    }
    means(found, one, place);
}

/// Whether the means beside a ratio give it.
fn means(found: &mut Found, one: &Value, place: impl Fn() -> String) {
    let mean = |name: &str| one["means"][name].as_f64();
    let given = mean("baseline").zip(mean("candidate")).map(|(base, other)| other / base);
    let ratio = Figure::from_json(&one["ratio"]).map(|ratio| ratio.point);
    let same = given.zip(ratio).is_some_and(|(given, ratio)| is_close(given, ratio));
    found.add_if(!same, Kind::RatioOfOtherFigures, || {
        format!("{}: {ratio:?} beside means of {given:?}", place())
    });
}

/// A mean over levels, and the ratios of these levels.
fn overall(found: &mut Found, test: &Value, one: &Value, place: impl Fn() -> String) {
    means(found, one, &place);
    let pair = (text(one, "baseline"), text(one, "candidate"));
    let levels = list(one, "levels");
    let here: Vec<&Value> = compared(test, text(one, "metric"))
        .filter(|c| is_of(c, pair) && levels.contains(&c["level"]))
        .collect();
    let said = Said::from_json(one);
    for (each, other) in [
        (Said::CandidateBetter, Said::BaselineBetter),
        (Said::BaselineBetter, Said::CandidateBetter),
    ] {
        let all = !here.is_empty() && here.iter().all(|c| Said::from_json(c) == each);
        found.add_if(
            all && (said == other || said == Said::Equivalent),
            Kind::OverallAgainstLevels,
            || format!("{}: {each:?} at every level, {said:?} over all", place()),
        );
    }
    let ratios = || here.iter().filter_map(|c| Some(Figure::from_json(&c["ratio"])?.point));
    let (low, high) = (ratios().fold(f64::INFINITY, f64::min), ratios().fold(0.0, f64::max));
    let Some(ratio) = Figure::from_json(&one["ratio"]) else { return };
    let outside = ratio.point < low * (1.0 - ROUNDING) || ratio.point > high * (1.0 + ROUNDING);
    found.add_if(here.len() == levels.len() && outside, Kind::OverallOutsideItsLevels, || {
        format!("{}: {} is not within {low} to {high}", place(), ratio.point)
    });
}

fn circles(found: &mut Found, test: &Value) {
    let all = || list(test, "comparisons").iter().chain(list(test, "overall"));
    for one in all() {
        let Some((first, second)) = winner(one) else { continue };
        let against = all().any(|other| {
            other["metric"] == one["metric"]
                && other["level"] == one["level"]
                && winner(other) == Some((second, first))
        });
        found.add_if(against, Kind::Circle, || format!("{first} and {second}, both better"));
    }
}

/// What labels do, and what the comparisons of their pairs say.
pub(super) fn factors(found: &mut Found) {
    let report = found.report;
    let tests = list(report, "tests");
    let hidden = tests.iter().any(|test| !list(test, "floors").is_empty());
    for effect in list(report, "factors") {
        let label = text(effect, "label");
        let metric = text(effect, "metric");
        let better = Metric::from_name(metric).map_or(Better::Neither, Metric::better);
        let all = list(effect, "pairs").iter().chain(list(effect, "levels")).chain([effect]);
        for one in all.filter(|_| !hidden) {
            let wrong =
                beside_ratio(found, better, Figure::from_json(&one["ratio"]), Said::from_json(one));
            if let Some(wrong) = wrong {
                found.add(Kind::VerdictBesideRatio, format!("factor {label}: {wrong}"));
            }
        }
        factor_and_pairs(found, tests, effect);
        if let [only] = list(effect, "pairs") {
            only_pair(found, tests, effect, only);
        }
    }
}

/// The effect lies within those of all pairs, as far as these are all that it rests on.
fn factor_and_pairs(found: &mut Found, tests: &[Value], effect: &Value) {
    let points = || {
        list(effect, "pairs").iter().filter_map(|one| Some(Figure::from_json(&one["ratio"])?.point))
    };
    let (low, high) = (points().fold(f64::INFINITY, f64::min), points().fold(0.0, f64::max));
    let Some(ratio) = Figure::from_json(&effect["ratio"]) else { return };
    let left_out = effect["left_out"][0].as_u64() != Some(0);
    let outside = ratio.point < low * (1.0 - ROUNDING) || ratio.point > high * (1.0 + ROUNDING);
    found.add_if(tests.len() == 1 && !left_out && outside, Kind::FactorAgainstItsPair, || {
        format!(
            "{}: {} is not within its pairs' {low} to {high}",
            text(effect, "label"),
            ratio.point
        )
    });
}

fn only_pair(found: &mut Found, tests: &[Value], effect: &Value, only: &Value) {
    let (label, said) = (text(effect, "label"), Said::from_json(effect));
    let pair = (text(only, "baseline"), text(only, "candidate"));
    let same = |one: &Value, other: &Value| {
        let ratios = Figure::from_json(&one["ratio"]).zip(Figure::from_json(&other["ratio"]));
        ratios.is_some_and(|(a, b)| is_close(a.point, b.point))
    };
    found.add_if(
        Said::from_json(only) != said || !same(only, effect),
        Kind::FactorAgainstItsPair,
        || format!("{label}: {} {said:?}, its only pair {only}", effect["ratio"]),
    );
    let seen = |one: &Value| {
        let forth = text(one, "candidate") == pair.1;
        let ratio = Figure::from_json(&one["ratio"])
            .map(|ratio| if forth { ratio } else { ratio.reciprocal() });
        (
            if forth { Said::from_json(one) } else { Said::from_json(one).turned() },
            ratio.map(|ratio| ratio.point),
        )
    };
    let own = Figure::from_json(&effect["ratio"]).map(|ratio| ratio.point);
    let [test] = tests else { return };
    let levels = list(effect, "levels").len();
    let of_pair = |one: &&Value| text(one, "metric") == text(effect, "metric") && is_of(one, pair);
    let overall = list(test, "overall").iter().filter(of_pair);
    let together = overall.filter(|one| list(one, "levels").len() == levels);
    let alone = compared(test, text(effect, "metric")).filter(of_pair).filter(|_| levels == 1);
    let compared: Vec<(Said, Option<f64>)> = together.chain(alone).map(seen).collect();
    for (verdict, ratio) in compared {
        let close = ratio.zip(own).is_some_and(|(a, b)| is_close(a, b));
        found.add_if(verdict != said || !close, Kind::FactorAgainstItsPair, || {
            format!("{label}: {own:?} {said:?}, its only pair compared {ratio:?} {verdict:?}")
        });
    }
}
