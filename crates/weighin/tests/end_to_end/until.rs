//! Repeats that go on until all is resolved, on real servers.

use crate::support::Workplace;
use model::{Dataset, TrialKey};
use std::collections::BTreeSet;
use store::Store;

const STUDY: &str = r#"
[study]
name = "until"
repeats = { min = 2, max = 4, until = "resolved" }
margin = 0.001

[[target]]
name = "plain"
sandbox = { restart = false }

[[target]]
name = "same"
sandbox = { restart = false }

[[target]]
name = "slow"
sandbox = { restart = false, settings = { slow_query_log = 1, long_query_time = 0, log_output = "TABLE" } }

[[test]]
name = "reads"
workload = "oltp_point_select"
table_size = 1_000
clients = [1, 2]
warmup = "100ms"
duration = "500ms"
"#;

/// The run as it was when that many blocks had been measured.
fn after(whole: &Dataset, blocks: usize) -> Dataset {
    let mut data = whole.clone();
    data.plan.blocks.truncate(blocks);
    let planned: BTreeSet<u32> = data.plan.all_trials().map(|trial| trial.position).collect();
    data.trials.retain(|record| planned.contains(&record.position));
    data
}

#[test]
fn what_is_resolved_is_left_out_also_by_a_run_that_was_killed() {
    let place = Workplace::new();
    place.write("until.toml", STUDY);
    let plan = place.weighin(&["plan", "until.toml"]).done();
    assert!(plan.contains("12 trials in 2 blocks") && plan.contains("24 trials"), "{plan}");

    let mut run = place.start(&["run", "until.toml"]);
    run.wait_for_line("[7/12]");
    run.wait_for_load();
    run.kill();
    place.assert_no_server_left();
    let kept = place.store().dataset().unwrap().trials;
    place.weighin(&["run", "until.toml", "--resume"]).done();

    let whole = place.store().dataset().unwrap();
    assert!(whole.trials.starts_with(&kept) && whole.missing().count() == 0);
    // Each block holds what the ones before it have left open; and then nothing is open.
    for blocks in 2..=whole.plan.blocks.len() {
        let data = after(&whole, blocks);
        let open = analyse::open_trials(&analyse::analyse(&data));
        let next = whole.plan.blocks.get(blocks);
        let next = next.into_iter().flat_map(|block| &block.trials);
        assert_eq!(open, next.map(|trial| trial.key.clone()).collect::<BTreeSet<TrialKey>>());
    }

    let again = place.weighin(&["run", "until.toml", "--resume"]);
    assert_eq!(again.code, Some(0), "{}", again.err);
    assert_eq!(place.store().dataset().unwrap(), whole);
    place.weighin(&["run", "until.toml", "--more", "1"]).refused(2, &["resolved", "`max`"]);
    let page = std::fs::read_to_string(&place.files(".html")[0]).unwrap();
    assert!(page.contains("alpha spending"), "how it was decided");
}

/// A study of two targets, and a run of it that was ended after the last trial of its second block and
/// before the next was planned, where a third would decide; what that would measure.
fn between_two_blocks(place: &Workplace, more: &str) -> (String, BTreeSet<TrialKey>) {
    let third = STUDY.find("[[target]]\nname = \"slow\"").unwrap();
    let test = STUDY.find("[[test]]").unwrap();
    let study = format!("{}{}", &STUDY[..third], &STUDY[test..])
        .replace("max = 4", "max = 3")
        .replace("oltp_point_select", "oltp_read_write")
        .replace("[1, 2]", "1");
    let file = place.write("until.toml", &study);
    // Far enough apart for a third block to decide, and not for two.
    let begun = study::load(&place.path(file)).unwrap();
    let plan = study::expand(&begun, begun.seed);
    let throughput = |key: &TrialKey| match (key.target.as_str(), key.repeat) {
        ("plain", 1) => 1000.0,
        ("plain", _) => 1010.0,
        (_, 1) => 1500.0,
        _ => 1650.0,
    };
    let data = test_support::dataset(begun, plan, |trial| {
        test_support::record(trial, test_support::load(1, throughput(&trial.key)))
    });
    let open = analyse::open_trials(&analyse::analyse(&data));
    assert_eq!(open.len(), 2, "{open:?}");
    let study = study.replace("margin = 0.001", &format!("margin = 0.001\n{more}"));
    let begun = study::load(&place.path(place.write("until.toml", &study))).unwrap();
    let results = place.path("until.weighin");
    let host = &data.run.host;
    let mut store = Store::create(&results, &begun, &data.plan, host, "1", 1.0).unwrap();
    store.append_all(&data.trials).unwrap();
    (study, open)
}

#[test]
fn what_is_open_goes_on_also_where_the_study_has_changed_between_two_blocks() {
    let place = Workplace::new();
    let (study, open) = between_two_blocks(&place, "");
    place.write("until.toml", format!("# Once more.\n{study}"));
    place.weighin(&["run", "until.toml", "--resume", "--store", "until.weighin"]).done();
    let resumed = place.store().dataset().unwrap();
    assert_eq!(resumed.run.extensions.len(), 1);
    assert_eq!(resumed.plan.blocks.len(), 3);
    let added = resumed.plan.blocks[2].trials.iter().map(|trial| trial.key.clone());
    assert_eq!(added.collect::<BTreeSet<TrialKey>>(), open);
    assert_eq!(resumed.missing().count(), 0);
}

/// Each of the four trials of the first two blocks took 12.2 s.
#[test]
fn a_run_ends_with_its_budget_and_goes_on_with_a_larger_one() {
    let place = Workplace::new();
    let (study, open) = between_two_blocks(&place, "budget = \"60s\"");
    let resume = ["run", "until.toml", "--resume", "--store", "until.weighin"];
    place.weighin(&resume).done();
    assert_eq!(place.store().dataset().unwrap().plan.blocks.len(), 2);
    let page = std::fs::read_to_string(place.path("until.html")).unwrap();
    assert!(page.contains("further ones do not fit into the budget"), "why there are no more");
    assert!(page.contains("a budget of 1\u{a0}min"), "{}", page.len());

    place.write("until.toml", study.replace("\"60s\"", "\"90s\""));
    let said = place.weighin(&resume);
    assert!(said.err.contains("budget"), "what has changed: {}", said.err);
    said.done();
    let resumed = place.store().dataset().unwrap();
    let added = resumed.plan.blocks[2].trials.iter().map(|trial| trial.key.clone());
    assert_eq!(added.collect::<BTreeSet<TrialKey>>(), open);
}

#[test]
fn a_budget_that_the_first_repeats_do_not_fit_into_is_refused() {
    let place = Workplace::new();
    let with = |budget: &str| {
        let line = format!("margin = 0.001\nbudget = \"{budget}\"");
        place.write("until.toml", STUDY.replace("margin = 0.001", &line));
    };
    with("3s");
    for command in ["plan", "run"] {
        let refused = place.weighin(&[command, "until.toml"]);
        refused.refused(
            2,
            &["the first 2 repeats of every cell take about", "more than the budget of 3\u{a0}s\n"],
        );
    }
    with("2h");
    let plan = place.weighin(&["plan", "until.toml"]).done();
    assert!(plan.contains("does not fit into the budget of 2\u{a0}h"), "{plan}");
    with("4 EUR");
    place.weighin(&["plan", "until.toml"]).refused(2, &["plain has no price"]);
}
