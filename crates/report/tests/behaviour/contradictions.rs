//! No finished document says two things that cannot both be so.

use crate::support::rendered;
use report::Format;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use test_support::documents::{Contradiction, Kind, contradictions, random};

fn said_against(data: &model::Dataset) -> Vec<Contradiction> {
    contradictions(&serde_json::from_str(&rendered(data, Format::Json)).unwrap())
}

/// How many documents have a contradiction of each kind, with the first.
fn found(seeds: impl Iterator<Item = u64>) -> BTreeMap<Kind, (usize, String)> {
    let mut kinds: BTreeMap<Kind, (usize, String)> = BTreeMap::new();
    for seed in seeds {
        let mut seen = Vec::new();
        for Contradiction { kind, said } in said_against(&random(seed)) {
            if !seen.contains(&kind) {
                seen.push(kind);
                let first = || (0, format!("{seed}: {said}"));
                kinds.entry(kind).or_insert_with(first).0 += 1;
            }
        }
    }
    kinds
}

#[test]
fn no_document_contradicts_itself() {
    let kinds = found(0..200);
    assert!(kinds.is_empty(), "{kinds:#?}");
}

/// `DOCUMENTS` asks for another number.
#[test]
#[ignore = "minutes: part of make calibrate"]
fn none_of_ten_thousand_documents_contradicts_itself() {
    let asked = std::env::var("DOCUMENTS").ok().and_then(|number| number.parse().ok());
    let kinds = found(0..asked.unwrap_or(10_000));
    for (kind, (count, first)) in &kinds {
        println!("{count:6} {kind:?}: {first}");
    }
    assert!(kinds.is_empty());
}

fn kinds(data: &model::Dataset) -> Vec<Kind> {
    said_against(data).into_iter().map(|one| one.kind).collect()
}

/// A table of two targets with these throughputs by target, clients and block.
fn table(throughput: impl Fn(&str, u32, u32) -> Option<f64>) -> model::Dataset {
    let mut table = "target,test,metric,value,clients,block,note\n".to_owned();
    for target in ["steady", "brittle"] {
        for clients in [1, 2, 4] {
            for block in 1..=8 {
                table += &match throughput(target, clients, block) {
                    Some(value) => {
                        format!("{target},oltp,throughput,{value:.1},{clients},{block},\n")
                    }
                    None => format!("{target},oltp,failure,,{clients},{block},crashed\n"),
                };
            }
        }
    }
    test_support::imported("table", &table)
}

fn noise(clients: u32, block: u32) -> f64 {
    1.0 + f64::from((block * 7 + clients * 3) % 11) / 500.0
}

#[test]
fn who_broke_where_others_went_on_is_not_ranked_behind_whom_it_beats_everywhere() {
    let data = table(|target, clients, block| {
        let base = 1000.0 * f64::from(clients).powf(0.4) * noise(clients, block);
        match target {
            "brittle" if clients == 4 => None,
            "brittle" => Some(base * 1.1),
            _ => Some(base * (1.0 + f64::from(block % 3) / 400.0)),
        }
    });
    assert_eq!(kinds(&data), []);
    let report: Value = serde_json::from_str(&rendered(&data, Format::Json)).unwrap();
    let tiers = report["tests"][0]["ranking"]["tiers"].as_array().unwrap();
    assert_eq!(tiers.len(), 1, "{tiers:#?}");
}

#[test]
fn an_outlier_counts_in_a_ratio_as_it_does_in_the_cell() {
    // One trial in eight is three times as slow: the median of the cell hardly moves.
    let data = table(|target, clients, block| {
        let base = 1000.0 * f64::from(clients).powf(0.4) * noise(clients, block);
        let is_off = target == "brittle" && block == clients + 1;
        Some(if is_off { base * 0.3 } else { base * (1.0 + f64::from(block % 3) / 400.0) })
    });
    assert_eq!(kinds(&data), []);
    let report: Value = serde_json::from_str(&rendered(&data, Format::Json)).unwrap();
    let one = &report["tests"][0]["comparisons"][0];
    let [base, other] = ["baseline", "candidate"].map(|name| one["means"][name].as_f64().unwrap());
    let ratio = one["ratio"]["point"].as_f64().unwrap();
    assert!((other / base - ratio).abs() < 1e-9 && (0.97..1.03).contains(&ratio), "{one:#}");
}

/// Random studies whose documents had each of these before.
#[test]
fn what_was_said_of_single_studies_is_not_said_any_more() {
    for (seed, kind) in [
        (1, Kind::PrintedAgainstCells),
        (13, Kind::RatioOfOtherFigures),
        (631, Kind::RatioOfOtherFigures),
        (16, Kind::RangeBesideTie),
        (27, Kind::RisesBesideAsHigh),
        (118, Kind::FirstNeverAdvised),
        (203, Kind::DominatedByLower),
        (520, Kind::VerdictBesideRatio),
        (780, Kind::OverallOutsideItsLevels),
        (1327, Kind::OverallOutsideItsLevels),
        (1497, Kind::FactorAgainstItsPair),
        (1497, Kind::OverallOutsideItsLevels),
        (1747, Kind::RatioOfOtherFigures),
        (4405, Kind::RatioOfOtherFigures),
        (6920, Kind::RatioOfOtherFigures),
    ] {
        assert!(!kinds(&random(seed)).contains(&kind), "{kind:?} in {seed}");
    }
}

#[test]
fn the_checker_finds_what_is_put_into_a_document() {
    let data = table(|target, clients, block| {
        let factor = if target == "brittle" { 1.3 } else { 1.0 };
        Some(1000.0 * factor * f64::from(clients).powf(0.4) * noise(clients, block))
    });
    let report: Value = serde_json::from_str(&rendered(&data, Format::Json)).unwrap();
    assert_eq!(contradictions(&report), []);
    let edits: [(&str, Value, Kind); 8] = [
        ("comparisons/0/ratio/point", json!(2.13), Kind::RatioOfOtherFigures),
        ("comparisons/0/means/candidate", json!(1.0), Kind::RatioOfOtherFigures),
        ("comparisons/0/verdict", json!("baseline_better"), Kind::VerdictBesideRatio),
        ("comparisons/0/adjusted_p", json!(0.4), Kind::BetterThoughLikelyChance),
        ("overall/0/ratio/point", json!(0.5), Kind::OverallOutsideItsLevels),
        ("figures/0/values/0/estimate/interval/low", json!(1.0), Kind::PrintedAgainstCells),
        ("cells/0/estimates/throughput/point", json!(1.0), Kind::OutsideItsInterval),
        ("curves/0/level_with_peak", json!([]), Kind::CurveAgainstItself),
    ];
    for (place, value, kind) in edits {
        let mut edited = report.clone();
        *edited.pointer_mut(&format!("/tests/0/{place}")).unwrap() = value;
        let found = contradictions(&edited);
        assert!(found.iter().any(|one| one.kind == kind), "{place}: {found:?}");
    }
}

/// Tables whose documents once said what cannot be.
#[test]
fn tables_that_were_misjudged_are_judged_without_contradiction() {
    let tables = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/verdicts");
    let mut names: Vec<_> =
        std::fs::read_dir(tables).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    assert_eq!(names.len(), 10);
    for path in names {
        let data = test_support::imported("a.csv", &std::fs::read_to_string(&path).unwrap());
        let wrong = said_against(&data);
        assert!(wrong.is_empty(), "{}: {wrong:#?}", path.display());
    }
}
