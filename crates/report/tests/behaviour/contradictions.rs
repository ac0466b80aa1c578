//! No finished document says two things that cannot both be so.

use crate::support::rendered;
use report::Format;
use std::collections::BTreeMap;
use test_support::documents::{Contradiction, Kind, contradictions, random};

/// Kinds that are known to be found still, and do not fail [`no_document_contradicts_itself`].
const STILL_EXPECTED: &[Kind] = &[
    Kind::BetterThoughLikelyChance,
    Kind::OverallOutsideItsLevels,
    Kind::FactorAgainstItsPair,
    Kind::LawPeakBelowRise,
    Kind::AdvisedThoughBeaten,
];

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
    let mut kinds = found(0..200);
    kinds.retain(|kind, _| !STILL_EXPECTED.contains(kind));
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
