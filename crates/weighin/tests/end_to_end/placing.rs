//! Levels that place themselves, on real servers.

use crate::support::Workplace;
use model::{Dataset, Level, Task};
use std::collections::{BTreeMap, BTreeSet};

const STUDY: &str = r#"
[study]
name = "auto"
repeats = 2
margin = 0.0001

[[target]]
name = "plain"
sandbox = { restart = false }

[[target]]
name = "slow"
sandbox = { restart = false, settings = { slow_query_log = 1, long_query_time = 0, log_output = "TABLE" } }

[[test]]
name = "reads"
workload = "oltp_point_select"
table_size = 1_000
clients = { from = 1, to = 16, resolution = 2, most = 5 }
warmup = "100ms"
duration = "1s"
"#;

/// The run as it was when that many blocks had been measured.
fn after(whole: &Dataset, blocks: usize) -> Dataset {
    let mut data = whole.clone();
    data.plan.blocks.truncate(blocks);
    let planned: BTreeSet<u32> = data.plan.all_trials().map(|trial| trial.position).collect();
    data.trials.retain(|record| planned.contains(&record.position));
    let Task::Load(load) = &mut data.study.tests[0].task else { unreachable!() };
    load.levels = [1, 4, 16].map(Level::clients).to_vec();
    data.study.take_levels(&data.plan);
    data
}

#[test]
fn levels_are_placed_also_by_a_run_that_was_killed() {
    let place = Workplace::new();
    place.write("auto.toml", STUDY);
    let plan = place.weighin(&["plan", "auto.toml"]).done();
    assert!(plan.contains("12 trials in 2 blocks"), "{plan}");
    assert!(plan.contains("between 1 and 16 clients") && plan.contains("20 trials"), "{plan}");

    let mut run = place.start(&["run", "auto.toml"]);
    run.wait_for_line("levels placed: reads at");
    run.wait_for_load();
    run.kill();
    place.assert_no_server_left();
    let kept = place.store().dataset().unwrap().trials;
    assert!(kept.len() >= 12);
    place.weighin(&["run", "auto.toml", "--resume"]).done();

    let whole = place.store().dataset().unwrap();
    assert!(whole.trials.starts_with(&kept) && whole.missing().count() == 0);
    // The resolution is as wide as one halving: more than that is nowhere asked for.
    let levels = whole.study.tests[0].levels();
    let numbers: Vec<u32> = levels.iter().map(|level| level.clients).collect();
    assert!([vec![1, 2, 4, 16], vec![1, 4, 8, 16], vec![1, 2, 4, 8, 16]].contains(&numbers));
    let mut cells: BTreeMap<(&str, Level), u32> = BTreeMap::new();
    for trial in &whole.trials {
        *cells.entry((&trial.key.target, trial.key.level)).or_default() += 1;
    }
    assert_eq!(cells.len(), 2 * levels.len(), "all targets at all levels");
    assert!(cells.values().all(|&repeats| repeats == 2), "{cells:?}");
    // Each pass holds what the trials before it ask for; and then nothing is asked for.
    for blocks in (2..=whole.plan.blocks.len()).step_by(2) {
        let data = after(&whole, blocks);
        let asked = analyse::levels_to_place(&analyse::analyse(&data));
        let next = whole.plan.blocks.get(blocks).into_iter().flat_map(|block| &block.trials);
        let next = next.map(|trial| (trial.key.test.clone(), trial.key.level));
        assert_eq!(asked, next.collect::<BTreeSet<(String, Level)>>());
    }

    let again = place.weighin(&["run", "auto.toml", "--resume"]);
    assert_eq!(again.code, Some(0), "{}", again.err);
    assert_eq!(place.store().dataset().unwrap(), whole);
    let page = std::fs::read_to_string(&place.files(".html")[0]).unwrap();
    assert!(page.contains("weighin then placed") && page.contains("(throughput knee of"));
    let results = place.files(".weighin");
    let json = place.weighin(&["report", results[0].to_str().unwrap(), "--format", "json"]).done();
    assert!(json.contains("\"levels_placed\""));

    // Levels that were placed get further repeats like all others, in one block.
    place.weighin(&["run", "auto.toml", "--more", "1"]).done();
    let more = place.store().dataset().unwrap();
    let block = more.plan.blocks.iter().find(|block| block.number == 3).unwrap();
    assert_eq!(block.trials.len(), 2 * levels.len());
    assert_eq!(more.missing().count(), 0);
}
