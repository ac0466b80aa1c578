//! Curves, crossovers and scaling laws.

use super::{Figure, Found, Kind, at, compared, list, text, winner};
use serde_json::Value;

pub(super) fn check(found: &mut Found, test: &Value) {
    for curve in list(test, "curves") {
        of_curve(found, curve);
        rises(found, test, curve);
    }
    crossovers(found, test);
}

fn of_curve(found: &mut Found, curve: &Value) {
    let (target, as_high) = (text(curve, "target"), list(curve, "level_with_peak"));
    found.add_if(!as_high.contains(&curve["peak"]), Kind::CurveAgainstItself, || {
        format!("{target} has a peak that is below itself")
    });
    let shape = &curve["shape"];
    if text(shape, "kind") != "declines" {
        return;
    }
    found.add_if(as_high.contains(&shape["at"]), Kind::CurveAgainstItself, || {
        format!("{target} declines to a level that is not below its peak")
    });
    let most = 1.0 / (1.0 + found.margin());
    let falls = Figure::from_json(&shape["ratio"])
        .is_some_and(|ratio| ratio.point < most && ratio.ends().1 < 1.0);
    found.add_if(!falls, Kind::CurveAgainstItself, || {
        format!("{target} declines by {}", shape["ratio"])
    });
}

/// A curve that rises at its end, and what else is said of it.
fn rises(found: &mut Found, test: &Value, curve: &Value) {
    if text(&curve["shape"], "kind") != "still_rising" {
        return;
    }
    let (test_name, target) = (text(test, "test"), text(curve, "target"));
    // More is answered at a higher rate until a target falls behind: that is no rise.
    if list(curve, "level_with_peak").len() > 1 && curve["peak"]["rate"].is_null() {
        let words = found.findings(test_name, "peak");
        let words = words.filter(|finding| text(&finding["subject"], "target") == target);
        let unsaid: Vec<&str> = words
            .map(|finding| text(finding, "words"))
            .filter(|words| !(words.contains("still rises") && words.contains("although")))
            .collect();
        found.add_if(!unsaid.is_empty(), Kind::RisesBesideAsHigh, || unsaid.join("; "));
    }
    let end = curve["peak"]["clients"].as_f64().unwrap_or_default();
    for law in list(test, "laws").iter().filter(|law| text(law, "target") == target) {
        let peak = &law["peak"];
        // Without an upper end throughput may grow for ever.
        let below =
            law["describes"] == true && peak["high"].as_f64().is_some_and(|high| high < end);
        found.add_if(below, Kind::LawPeakBelowRise, || {
            format!("{test_name}, {target}: the law's peak is {peak}, and {end} clients still rise")
        });
    }
}

fn crossovers(found: &mut Found, test: &Value) {
    for crossing in list(test, "crossovers") {
        let (below, above) = (text(crossing, "below"), text(crossing, "above"));
        let wins = |level: &Value, name: &str, other: &str| {
            compared(test, "throughput")
                .any(|c| c["level"] == *level && winner(c) == Some((name, other)))
        };
        let between = list(crossing, "between");
        let both =
            matches!(between, [low, high] if wins(low, below, above) && wins(high, above, below));
        found.add_if(!both, Kind::CrossoverWithoutSides, || {
            let levels: Vec<String> = between.iter().map(at).collect();
            format!("{above} overtakes {below} between {}", levels.join(" and "))
        });
    }
}
