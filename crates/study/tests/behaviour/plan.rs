//! Properties of every plan.

use model::{Level, Plan, Study, TrialKey, Until};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use study::{Additions, changes, expand, expand_most, extend, next_block, next_levels, parse};

/// A study with that many targets, tests, levels and repeats.
fn study(targets: usize, tests: usize, levels: usize, repeats: u32) -> Study {
    let mut text = format!("[study]\nname = \"s\"\nrepeats = {repeats}\n");
    for i in 0..targets {
        text += &format!("[[target]]\nname = \"target{i}\"\nsandbox = {{}}\n");
    }
    let clients: Vec<String> = (0..levels).map(|i| (1 << i).to_string()).collect();
    let clients = clients.join(", ");
    for i in 0..tests {
        text += &format!("[[test]]\nname = \"test{i}\"\n");
        text += &format!("workload = \"oltp_read_write\"\nclients = [{clients}]\n");
    }
    parse(&text, "s").expect("the text above is a valid study")
}

fn keys(plan: &Plan) -> Vec<&TrialKey> {
    plan.trials().map(|trial| &trial.key).collect()
}

proptest! {
    #[test]
    fn every_block_holds_every_cell_once(
        targets in 1..4_usize, tests in 1..4_usize, levels in 1..6_usize, repeats in 1..5_u32,
        seed: u64,
    ) {
        let plan = expand(&study(targets, tests, levels, repeats), seed);
        prop_assert_eq!(plan.blocks.len(), repeats as usize);
        for (block, repeat) in plan.blocks.iter().zip(1..) {
            prop_assert_eq!(block.number, repeat);
            let cells: BTreeSet<_> = block.trials.iter().map(|trial| &trial.key).collect();
            prop_assert_eq!(block.trials.len(), targets * tests * levels);
            prop_assert_eq!(cells.len(), block.trials.len());
            prop_assert!(cells.iter().all(|key| key.repeat == repeat));
        }
        let positions: Vec<u32> = plan.trials().map(|trial| trial.position).collect();
        let expected: Vec<u32> = (1..=positions.len() as u32).collect();
        prop_assert_eq!(positions, expected);
    }

    #[test]
    fn compared_trials_are_neighbours_and_do_the_same_work(seed: u64) {
        let plan = expand(&study(3, 2, 3, 2), seed);
        let trials: Vec<_> = plan.trials().collect();
        let mut work: BTreeMap<u64, _> = BTreeMap::new();
        for group in trials.chunks(3) {
            let same = |trial: &model::Trial| (trial.key.test.clone(), trial.key.level, trial.key.repeat);
            prop_assert!(group.iter().all(|trial| same(trial) == same(group[0])));
            prop_assert!(group.iter().all(|trial| trial.seed == group[0].seed));
            prop_assert!(work.insert(group[0].seed, same(group[0])).is_none());
        }
    }

    #[test]
    fn the_seed_decides_the_order(seed: u64) {
        let study = study(2, 2, 4, 3);
        let plan = expand(&study, seed);
        prop_assert_eq!(&plan, &expand(&study, seed));
        let other = expand(&study, seed.wrapping_add(1));
        prop_assert_ne!(keys(&plan), keys(&other));
    }
}

#[test]
fn blocks_differ_in_order() {
    let plan = expand(&study(2, 1, 5, 2), 1);
    let order = |block: usize| -> Vec<_> {
        plan.blocks[block].trials.iter().map(|t| (&t.key.target, t.key.level)).collect()
    };
    assert_ne!(order(0), order(1));
}

#[test]
fn a_plan_is_the_same_in_every_version() {
    // A study file with its seed is meant to reproduce a run, with a later version too.
    let plan = expand(&study(2, 1, 3, 1), 42);
    let order: Vec<_> =
        plan.trials().map(|t| (t.key.target.as_str(), t.key.level.clients)).collect();
    let expected = [
        ("target0", 1),
        ("target1", 1),
        ("target1", 4),
        ("target0", 4),
        ("target1", 2),
        ("target0", 2),
    ];
    assert_eq!(order, expected);
}

#[test]
fn the_aa_control_of_the_first_target_runs_beside_it_and_not_where_a_test_searches() {
    let text = "[study]\nname = \"s\"\nrepeats = 2\nnoise_floor = true\n\
                [[target]]\nname = \"a\"\nsandbox = {}\n[[target]]\nname = \"b\"\nsandbox = {}\n\
                [[test]]\nname = \"curve\"\nworkload = \"oltp_read_only\"\nclients = [1, 2]\n\
                [[test]]\nname = \"searched\"\nworkload = \"oltp_read_only\"\nclients = 8\n\
                slo = \"p95 < 20ms\"\n";
    let study = parse(text, "s").expect("a valid study");
    let plan = expand(&study, study.seed);
    let count = |target: &str, test: &str| {
        let here = |key: &&&TrialKey| key.target == target && key.test == test;
        keys(&plan).iter().filter(here).count()
    };
    for target in ["a", "b", "a (again)"] {
        assert_eq!(count(target, "curve"), 4, "{target}: two levels, two repeats");
    }
    assert_eq!((count("a", "searched"), count("a (again)", "searched")), (2, 0));
    for cell in
        keys(&plan).chunk_by(|a, b| (&a.test, a.level, a.repeat) == (&b.test, b.level, b.repeat))
    {
        let copies = cell.iter().filter(|key| key.target.starts_with("a")).count();
        assert!(copies == 2 || cell[0].test == "searched", "neighbours in time: {cell:?}");
    }
    assert_eq!(study.targets.len(), 2, "the A/A control is no candidate");
}

#[test]
fn a_target_that_has_the_name_of_the_aa_control_is_refused() {
    let text = "[study]\nname = \"s\"\nnoise_floor = true\n\
                [[target]]\nname = \"a\"\nsandbox = {}\n\
                [[target]]\nname = \"a (again)\"\nsandbox = {}\n\
                [[test]]\nworkload = \"oltp_read_only\"\nclients = 1\n";
    let message = parse(text, "s").expect_err("two of one name").to_string();
    assert!(message.contains("needs the name `a (again)` for itself"), "{message}");
}

#[test]
fn repeats_until_resolved_begin_with_the_fewest_and_go_on_with_what_is_open() {
    let study = Study { until: Some(Until { min: 2 }), ..study(2, 1, 3, 6) };
    let mut plan = expand(&study, 7);
    assert_eq!((plan.blocks.len(), plan.trials().count()), (2, 12));
    assert_eq!(expand_most(&study, 7).trials().count(), 36);
    let open = |key: &TrialKey| key.level.clients == 2;
    let wanted: BTreeSet<TrialKey> = plan.blocks[1]
        .trials
        .iter()
        .map(|trial| TrialKey { repeat: 3, ..trial.key.clone() })
        .collect();
    let wanted: BTreeSet<TrialKey> = wanted.into_iter().filter(open).collect();
    let block = next_block(&study, &plan, &wanted).unwrap();
    assert_eq!((block.number, block.trials.len(), block.trials[0].position), (3, 2, 13));
    let all = expand_most(&study, 7);
    let same =
        |trial: &model::Trial| all.trials().any(|t| (&t.key, t.seed) == (&trial.key, trial.seed));
    assert!(block.trials.iter().all(same), "the work is what it would have been");
    plan.blocks.push(block);
    assert_eq!(next_block(&study, &plan, &BTreeSet::new()), None);
    // What was left out is not taken for missing, when the run is extended.
    assert_eq!(extend(&study, &plan, &Additions::default()), []);
    let gained = Study { targets: self::study(3, 1, 3, 6).targets, ..study };
    let added = extend(&gained, &plan, &Additions::default());
    assert!(added.iter().flat_map(|block| &block.trials).all(|t| t.key.target == "target2"));
    assert_eq!(added.iter().map(|block| block.trials.len()).sum::<usize>(), 9);
}

#[test]
fn placed_levels_get_all_repeats_and_the_study_takes_them_from_the_plan() {
    let text = "[study]\nname = \"s\"\nrepeats = 2\n\
                [[target]]\nname = \"a\"\nsandbox = {}\n\
                [[target]]\nname = \"b\"\nsandbox = {}\n\
                [[test]]\nname = \"t\"\nworkload = \"oltp_read_only\"\nclients = \"auto\"\n";
    let asked = parse(text, "s").unwrap();
    let placement = asked.tests[0].placement().unwrap();
    assert_eq!((placement.from, placement.to), (1, 128));
    let numbers = |study: &Study| -> Vec<u32> {
        study.tests[0].levels().iter().map(|level| level.clients).collect()
    };
    assert_eq!(numbers(&asked), [1, 3, 11, 38, 128]);
    let mut plan = expand(&asked, 7);
    let sweep = placement.sweep().len();
    assert_eq!(placement.most_levels(), sweep / 2, "half of a sweep where the study does not say");
    let most = expand_most(&asked, 7);
    assert_eq!(most.trials().count(), placement.most_levels() * 2 * 2);

    let placed = BTreeSet::from([20, 6].map(|n| ("t".to_owned(), Level::clients(n))));
    let blocks = next_levels(&asked, &plan, &placed);
    assert_eq!(blocks, next_levels(&asked, &plan, &placed));
    let of = |block: &model::Block| (block.number, block.extension, block.trials.len());
    assert_eq!(blocks.iter().map(of).collect::<Vec<_>>(), [(1, 0, 4), (2, 0, 4)]);
    plan.blocks.extend(blocks);
    let positions = plan.trials().map(|trial| trial.position);
    assert!(positions.eq(1..=28));
    let mut study = asked.clone();
    study.take_levels(&plan);
    assert_eq!(numbers(&study), [1, 3, 6, 11, 20, 38, 128]);
    assert_eq!(changes(&study, &asked), Ok(vec![]), "the file says no less than before");
    assert_eq!(extend(&study, &plan, &Additions::default()), []);
    let more = extend(&study, &plan, &Additions { repeats: 1, ..Additions::default() });
    assert_eq!(more.iter().map(of).collect::<Vec<_>>(), [(3, 1, 14)]);

    let other = parse(&text.replace("\"auto\"", "{ to = 64 }"), "s").unwrap();
    let conflicts = changes(&study, &other).unwrap_err();
    let mut changes = conflicts.iter().map(|conflict| &conflict.change);
    assert!(changes.any(|change| change == "to was 128, is 64"), "{conflicts:?}");
}
