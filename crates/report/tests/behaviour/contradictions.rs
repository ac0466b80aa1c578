//! No finished document says two things that cannot both be so.

use crate::support::rendered;
use report::Format;
use std::collections::BTreeMap;
use test_support::documents::{Contradiction, Kind, contradictions, random};

/// Kinds that may still be found.
const EXPECTED: &[Kind] = &[];

fn of_seed(seed: u64) -> Vec<Contradiction> {
    let report = rendered(&random(seed), Format::Json);
    contradictions(&serde_json::from_str(&report).unwrap())
}

/// How many documents have a contradiction of each kind, with the first.
fn found(seeds: impl Iterator<Item = u64>) -> BTreeMap<Kind, (usize, String)> {
    let mut kinds: BTreeMap<Kind, (usize, String)> = BTreeMap::new();
    for seed in seeds {
        let mut seen = Vec::new();
        for Contradiction { kind, said } in of_seed(seed) {
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
#[ignore = "minutes: part of make calibrate"]
fn none_of_ten_thousand_documents_contradicts_itself() {
    let most: u64 = std::env::var("DOCUMENTS").ok().and_then(|n| n.parse().ok()).unwrap_or(10_000);
    let kinds = found(0..most);
    for (kind, (count, first)) in &kinds {
        println!("{count:6} {kind:?}: {first}");
    }
    assert!(kinds.is_empty());
}

#[test]
fn no_document_contradicts_itself() {
    let mut kinds = found(0..200);
    kinds.retain(|kind, _| !EXPECTED.contains(kind));
    assert!(kinds.is_empty(), "{kinds:#?}");
}

#[test]
#[ignore = "by hand"]
fn by_hand() {
    let seed: u64 = std::env::var("SEED").unwrap().parse().unwrap();
    std::fs::write("/tmp/contra-x/seed.json", rendered(&random(seed), Format::Json)).unwrap();
    std::fs::write("/tmp/contra-x/seed.md", rendered(&random(seed), Format::Markdown)).unwrap();
    for one in of_seed(seed) {
        println!("{:?} {}", one.kind, one.said);
    }
}
