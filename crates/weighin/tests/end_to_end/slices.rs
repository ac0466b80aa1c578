//! Loads of several targets that take turns.

use crate::load_hosts::assert_counted;
use crate::support::{Workplace, sandbox_study};
use model::{Phase, Slice, TrialRecord};
use std::time::Duration;

fn slices(trial: &TrialRecord) -> &[Slice] {
    &trial.load().unwrap().slices
}

/// That a load is measured in its slices and at no other time, and the parts of its account agree.
fn assert_in_slices(trial: &TrialRecord) {
    let load = trial.load().unwrap();
    let is_in_slice = |from: Duration, until: Duration| {
        load.slices.iter().any(|slice| slice.from <= from && until <= slice.until)
    };
    let measured: Vec<_> =
        load.intervals.iter().filter(|interval| interval.phase == Phase::Measure).collect();
    for interval in &measured {
        assert!(is_in_slice(interval.start, interval.start + interval.length), "{interval:?}");
    }
    let in_intervals: u64 = measured.iter().map(|interval| interval.transactions).sum();
    assert_eq!(in_intervals, load.measure.transactions);
    assert!(load.measure.transactions > 0, "{}", trial.key);
    assert_eq!(load.measure.elapsed, Duration::from_secs(4));
    assert!(load.ledger.balances());
    assert_eq!(
        load.requests.total(),
        load.warmup.queries + load.measure.queries + load.drain.queries
    );
}

#[test]
fn loads_take_turns_and_each_is_measured_between_those_of_the_others() {
    let place = Workplace::new();
    let study = sandbox_study("warmup = \"300ms\"\nduration = \"4s\"");
    let study = study.replace("oltp_read_write", "oltp_point_select").replace("[1, 2]", "2");
    let keys = "seed = 5\nnoise_floor = true\nslices = \"1s\"\nsettling = \"200ms\"";
    place.write("turns.toml", study.replace("seed = 5", keys));
    let plan = place.weighin(&["plan", "turns.toml"]).done();
    assert!(plan.contains("their loads alternate in slices of at most"), "{plan}");
    place.weighin(&["run", "turns.toml"]).done();
    place.assert_no_server_left();

    let dataset = place.store().dataset().unwrap();
    let blocks: Vec<u32> = dataset.plan.blocks.iter().map(|block| block.number).collect();
    for block in blocks {
        let trials: Vec<&TrialRecord> =
            dataset.trials.iter().filter(|trial| trial.key.repeat == block).collect();
        assert_eq!(trials.len(), 3, "two targets and the control");
        assert!(trials.iter().all(|trial| trial.side_by_side.as_ref().unwrap().with.len() == 2));
        trials.iter().for_each(|trial| assert_in_slices(trial));
        let mut all: Vec<(Duration, Duration, u32)> = Vec::new();
        for trial in &trials {
            assert_eq!(slices(trial).len(), 4);
            all.extend(slices(trial).iter().map(|slice| (slice.from, slice.until, trial.position)));
        }
        all.sort();
        // One at a time, each after it has settled, and every second round in reverse.
        for pair in all.windows(2) {
            assert_eq!(pair[1].0, pair[0].1 + Duration::from_millis(200));
        }
        let order: Vec<u32> = all.iter().map(|(.., position)| *position).collect();
        for pair in order.chunks(6) {
            let (first, mut second) = (pair[..3].to_vec(), pair[3..].to_vec());
            second.reverse();
            assert_eq!(first, second);
        }
    }
    // What the servers counted is what was asked of each, in its turns and between them.
    dataset.trials.iter().for_each(assert_counted);
    let page = place.weighin(&["report", "turns.toml", "--format", "markdown"]).done();
    for words in ["their loads took turns", "slices of at most", "trials took turns with others"] {
        assert!(page.contains(words), "no «{words}» in {page}");
    }
    let json = place.weighin(&["report", "turns.toml", "--format", "json"]).json();
    assert!(json["trials"].as_array().unwrap().iter().all(|trial| trial["slices"] == 4));
}

#[test]
fn arrivals_of_a_rate_fall_into_the_turns_of_their_load() {
    let place = Workplace::new();
    place.write(
        "rate.toml",
        "[study]\nname = \"rate\"\nrepeats = 1\nslices = \"1s\"\nsettling = \"0s\"\n\
         [[target]]\nname = \"a\"\nkind = \"redis\"\nsandbox = {}\n\
         [[target]]\nname = \"b\"\nkind = \"redis\"\nsandbox = {}\n\
         [[test]]\nworkload = \"key_value\"\nkeys = 100\nclients = 2\nrate = 50\n\
         warmup = \"200ms\"\nduration = \"4s\"\n",
    );
    place.weighin(&["run", "rate.toml"]).done();
    let dataset = place.store().dataset().unwrap();
    assert_eq!(dataset.trials.len(), 2);
    for trial in &dataset.trials {
        assert_in_slices(trial);
        let open = trial.load().unwrap().open.as_ref().unwrap();
        // 50 a second for 4 s, give or take what a random process does; of a busy machine some come too late.
        assert!((100..=320).contains(&open.scheduled), "{open:?}");
    }
}
