//! Loads that take turns: `slices`.

use model::{Study, Trial};
use std::time::Duration;

const TEST: &str =
    "workload = \"oltp_point_select\"\nwarmup = \"2s\"\nduration = \"20s\"\nclients = 1";

fn study(head: &str, test: &str) -> Result<Study, String> {
    let target = |name: &str| format!("[[target]]\nname = \"{name}\"\nsandbox = {{}}\n");
    let text = format!(
        "[study]\nname = \"turns\"\nrepeats = 2\n{head}\n{}{}[[test]]\nname = \"t\"\n{test}\n",
        target("x"),
        target("y")
    );
    study::parse(&text, "turns.toml").map_err(|error| error.to_string())
}

/// How many trials each round of the first block has.
fn rounds(study: &Study) -> Vec<usize> {
    let plan = study::expand(study, study.seed);
    let trials: Vec<&Trial> = plan.blocks[0].trials.iter().collect();
    study.rounds(&trials).iter().map(Vec::len).collect()
}

#[test]
fn targets_and_their_private_control_take_turns_test_by_test() {
    let one_by_one = study("", TEST).unwrap();
    let turns = study("slices = \"5s\"", TEST).unwrap();
    assert_eq!((rounds(&one_by_one), rounds(&turns)), (vec![1, 1], vec![2]));
    let slices = turns.slices.unwrap();
    assert_eq!((slices.length, slices.settling), (Duration::from_secs(5), Duration::from_secs(1)));
    let control = study("slices = \"5s\"\nnoise_floor = true", TEST).unwrap();
    assert_eq!(rounds(&control), [3]);

    // Two loads of 22 s and, in each of 4 slices of both, a second of settling.
    let estimate = |study: &Study| {
        let plan = study::expand(study, study.seed);
        study::estimate(&plan, study) - study::estimate_set_up(study)
    };
    let added = estimate(&turns).as_secs_f64() - estimate(&one_by_one).as_secs_f64();
    assert!((0.0..=16.0).contains(&added), "{added}");

    let conflicts = study::changes(&one_by_one, &turns).unwrap_err();
    assert!(conflicts.iter().any(|conflict| conflict.change.contains("slices")), "{conflicts:?}");
}

#[test]
fn what_cannot_be_cut_into_slices_is_refused_with_the_way_round_it() {
    let refused = |head: &str, test: &str, words: &[&str]| {
        let error = study(head, test).unwrap_err();
        for word in words {
            assert!(error.contains(word), "no «{word}» in {error}");
        }
    };
    let slices = "slices = \"5s\"";
    refused("settling = \"1s\"", TEST, &["there are no `slices`", "add slices"]);
    refused("slices = \"100ms\"", TEST, &["from 1s to 1h"]);
    refused("slices = \"5s\"\nsettling = \"2m\"", TEST, &["from 0s to 60s"]);
    refused(&format!("{slices}\nparallel = true"), TEST, &["remove one of the two"]);
    let with = |keys: &str| format!("workload = \"oltp_point_select\"\nclients = 1\n{keys}");
    refused(slices, &with("transactions = 500"), &["is over when its work is done", "`duration`"]);
    refused(slices, &with("cache = \"cold\""), &["cold caches", "remove `cache`"]);
    refused(slices, &with("cross_check = true"), &["has a cross-check"]);
    refused(
        slices,
        "workload = \"oltp_point_select\"\nclients = [1, 8]\nslo = \"p95 < 20ms\"",
        &["searches"],
    );
}
