//! Ranks, advice and prices.

use super::{Found, Kind, at, basis, compared, is_of, list, text, winner};
use serde_json::Value;

pub(super) fn check(found: &mut Found, test: &Value) {
    let tiers: Vec<&[Value]> = list(&test["ranking"], "tiers")
        .iter()
        .map(|tier| tier.as_array().map_or(&[][..], Vec::as_slice))
        .collect();
    ranks(found, test, &tiers);
    first(found, test, &tiers);
    advice(found, test);
    over_the_range(found, test, &tiers);
    money(found, test);
}

fn name(test: &Value) -> &str {
    text(test, "test")
}

/// Everyone above is better than everyone below, as far as they are compared.
fn ranks(found: &mut Found, test: &Value, tiers: &[&[Value]]) {
    let metric = basis(test);
    for (place, tier) in tiers.iter().enumerate() {
        for upper in tier.iter() {
            for lower in tiers[place + 1..].iter().copied().flatten() {
                let pair = (text(upper, "target"), text(lower, "target"));
                let here: Vec<&Value> =
                    compared(test, metric).filter(|one| is_of(one, pair)).collect();
                let at_peaks = here.iter().any(|one| one["level"] == upper["level"]);
                let undecided = upper["level"] == lower["level"]
                    && !here
                        .iter()
                        .any(|one| one["level"] == upper["level"] && winner(one) == Some(pair));
                let is_behind = !here.is_empty()
                    && here.iter().all(|one| winner(one) == Some((pair.1, pair.0)));
                found.add_if(is_behind, Kind::RankedAboveThoughBehind, || {
                    format!("{}: {} above {}, behind at all levels", name(test), pair.0, pair.1)
                });
                found.add_if(undecided && at_peaks, Kind::RankUndecided, || {
                    format!("{}: {} above {} undecided", name(test), pair.0, pair.1)
                });
            }
        }
    }
}

/// The targets that an advice takes, and whether it is decided.
fn taken(span: &Value) -> (Vec<&str>, bool) {
    let choice = &span["choice"];
    let several = list(choice, "targets").iter().filter_map(Value::as_str);
    let targets = choice["target"].as_str().into_iter().chain(several).collect();
    (targets, text(choice, "kind") != "unresolved")
}

/// A sole first place, and what is advised.
fn first(found: &mut Found, test: &Value, tiers: &[&[Value]]) {
    let spans = list(test, "advice");
    let Some([sole]) = tiers.first().filter(|_| tiers.len() > 1 && !spans.is_empty()) else {
        return;
    };
    // At rates it is by what was answered at most, and the advice by response times: two questions.
    // Where no other has a figure at the peak, the advice is silent there.
    let is_advised = spans.iter().any(|span| list(span, "levels").contains(&sole["level"]));
    if !sole["level"]["rate"].is_null() || !is_advised {
        return;
    }
    let target = text(sole, "target");
    let picked = spans.iter().any(|span| {
        let (targets, decided) = taken(span);
        decided && targets.contains(&target)
    });
    found.add_if(!picked, Kind::FirstNeverAdvised, || {
        format!("{}: {target} comes first and is chosen at no level", name(test))
    });
}

fn advice(found: &mut Found, test: &Value) {
    for span in list(test, "advice") {
        let (targets, decided) = taken(span);
        for level in list(span, "levels") {
            let metric = if level["rate"].is_null() { basis(test) } else { "latency_p95_ms" };
            let loser = compared(test, metric)
                .filter(|one| one["level"] == *level)
                .filter_map(winner)
                .find(|(_, loser)| targets.contains(loser));
            found.add_if(decided && loser.is_some(), Kind::AdvisedThoughBeaten, || {
                format!("{}: {loser:?} is advised at {}", name(test), at(level))
            });
        }
    }
}

/// `Choose X over the range …` beside a first place that X shares.
fn over_the_range(found: &mut Found, test: &Value, tiers: &[&[Value]]) {
    let choice = text(test, "choice_words");
    let Some(tier) = tiers.first().filter(|_| choice.contains(" over the range of ")) else {
        return;
    };
    let leaders = tier.iter().filter(|place| place["better"] == 0).count();
    found.add_if(leaders > 1 && !choice.contains("is not ahead of"), Kind::RangeBesideTie, || {
        format!("{}: «{choice}» beside {leaders} in the first place", name(test))
    });
}

/// Who is dominated by whom, and who ranks behind whom.
fn money(found: &mut Found, test: &Value) {
    let ranked = || {
        let tiers = list(&test["ranking"], "tiers").iter();
        tiers.filter_map(Value::as_array).enumerate().flat_map(|(tier, all)| {
            all.iter().map(move |place| (text(place, "target"), (tier, place["better"].as_u64())))
        })
    };
    let place = |target: &str| ranked().find(|(name, _)| *name == target).map(|(_, place)| place);
    for cost in list(&test["money"], "costs") {
        let standing = &cost["standing"];
        if text(standing, "kind") != "dominated" {
            continue;
        }
        let (own, by) = (text(cost, "target"), text(standing, "by"));
        let behind = place(own).zip(place(by)).is_some_and(|(own, by)| by > own);
        found.add_if(behind, Kind::DominatedByLower, || {
            format!("{}: {own} is dominated by {by}, which ranks behind it", name(test))
        });
    }
}
