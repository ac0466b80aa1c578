//! What is said of a study as a whole.

use crate::support::{Noise, dataset, found, key};
use analyse::{
    Choice, ConditionChange, ConditionsChanged, DatasetAgainstMemory, Evidence, FewRepeats,
    MeasuredLater, Metric, PairsLimited, RepeatsAdded, Severity, TrialsMissing, analyse,
};
use model::{
    Block, Dataset, Extension, HostFacts, Place, SandboxSpec, SettingOrigin, Trial, UnixMillis,
};

fn plain(repeats: u32) -> Dataset {
    dataset(&["a", "b"], &[1, 2], repeats, |_, _, _| 1000.0)
}

#[test]
fn trials_without_a_record_are_counted() {
    let mut data = plain(6);
    assert!(found(&analyse(&data), |e| matches!(e, Evidence::TrialsMissing(_))).is_empty());
    data.trials.truncate(20);
    let analysis = analyse(&data);
    let missing = found(&analysis, |e| {
        *e == Evidence::TrialsMissing(TrialsMissing { missing: 4, planned: 24 })
    });
    assert_eq!(missing[0].severity, Severity::Warning);
}

#[test]
fn few_repeats_are_said_and_a_single_one_is_severe() {
    for (repeats, severity) in [(1, Some(Severity::Severe)), (2, Some(Severity::Notice)), (3, None)]
    {
        let data = plain(repeats);
        let analysis = analyse(&data);
        let few =
            found(&analysis, |e| *e == Evidence::FewRepeats(FewRepeats { repeats, needed: 3 }));
        assert_eq!(few.first().map(|finding| finding.severity), severity, "{repeats}");
    }
}

/// Two blocks more than planned at first, each of an extension of its own.
#[test]
fn repeats_that_were_added_are_a_second_look() {
    let mut data = plain(9);
    assert!(found(&analyse(&data), |e| matches!(e, Evidence::RepeatsAdded(_))).is_empty());
    data.study.repeats = 3;
    let host = data.run.host.clone();
    let changed = HostFacts { kernel: "6.12".to_owned(), ..host.clone() };
    data.run.host.kernel = "6.1".to_owned();
    let extension = |host: &HostFacts| Extension {
        merged_from: None,
        at: UnixMillis(5),
        weighin_version: data.run.weighin_version.clone(),
        host: host.clone(),
        changes: Vec::new(),
    };
    data.run.extensions = vec![extension(&changed), extension(&changed)];
    for block in &mut data.plan.blocks {
        block.extension = (block.number - 1) / 3;
    }
    let analysis = analyse(&data);
    let added = found(&analysis, |e| matches!(e, Evidence::RepeatsAdded(_)));
    let added = added[0].evidence.get::<RepeatsAdded>().unwrap();
    assert_eq!(added.looks, [3, 6, 9]);
    assert!((added.error - 0.107).abs() < 0.001 && (added.stated_error - 0.05).abs() < 1e-9);
    let conditions = found(&analysis, |e| matches!(e, Evidence::ConditionsChanged(_)));
    let conditions = conditions[0].evidence.get::<ConditionsChanged>().unwrap();
    let [change] = conditions.changes.as_slice() else { panic!("{conditions:?}") };
    assert_eq!((change.what, &*change.before, &*change.after), ("kernel", "6.1", "6.12"));
    // Nothing is compared that a further look could tip.
    data.study.targets.truncate(1);
    assert!(found(&analyse(&data), |e| matches!(e, Evidence::RepeatsAdded(_))).is_empty());
}

#[test]
fn a_dataset_that_half_fits_the_buffer_pool_is_said() {
    for (dataset_bytes, said) in [(50, false), (100, true), (150, true), (400, false)] {
        let mut data = plain(6);
        data.targets[1].server.dataset_bytes = Some(dataset_bytes);
        data.targets[1].server.cache_bytes = Some(100);
        let analysis = analyse(&data);
        let evidence = Evidence::DatasetAgainstMemory(DatasetAgainstMemory {
            dataset_bytes,
            cache_bytes: 100,
        });
        let findings = found(&analysis, |e| *e == evidence);
        assert_eq!(!findings.is_empty(), said, "{dataset_bytes}");
        for finding in findings {
            assert_eq!(finding.subject.target.as_deref(), Some("b"));
        }
    }
}

#[test]
fn settings_that_differ_are_listed_and_those_of_the_study_are_marked() {
    let mut data = plain(1);
    data.study.targets[0].place = Place::Sandbox(SandboxSpec {
        settings: [("Loose-InnoDB-Flush-Log-At-Trx-Commit".to_owned(), "2".to_owned())].into(),
        ..SandboxSpec::default()
    });
    for (target, variables) in [
        (0, [("innodb_flush_log_at_trx_commit", "2"), ("port", "1"), ("same", "x"), ("lone", "y")]),
        (
            1,
            [("innodb_flush_log_at_trx_commit", "1"), ("port", "2"), ("same", "x"), ("other", "z")],
        ),
    ] {
        data.targets[target].server.variables =
            variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        data.targets[target].server.incidental = ["port".to_owned()].into();
    }
    let analysis = analyse(&data);
    let found = |analysis: &analyse::Analysis<'_>| -> Vec<(String, usize, SettingOrigin)> {
        analysis.settings.iter().map(|s| (s.name.clone(), s.values.len(), s.origin)).collect()
    };
    let set = ("innodb_flush_log_at_trx_commit".to_owned(), 2, SettingOrigin::Study);
    let others = |origin| ["lone", "other"].map(|name| (name.to_owned(), 1, origin));
    // Between private servers, what the study does not set is what each has by default.
    let [lone, other] = others(SettingOrigin::Default);
    assert_eq!(found(&analysis), [set.clone(), lone, other]);
    assert_eq!(analysis.settings[0].values["a"], "2");
    // Of other servers that is not known.
    data.study.targets[1].place = Place::Imported;
    let [lone, other] = others(SettingOrigin::Unknown);
    assert_eq!(found(&analyse(&data)), [set, lone, other]);
}

#[test]
fn one_observed_target_differs_from_none() {
    let mut data = plain(1);
    data.targets.truncate(1);
    data.targets[0].server.variables.insert("x".to_owned(), "1".to_owned());
    assert!(analyse(&data).settings.is_empty());
}

#[test]
fn beyond_a_number_of_targets_each_is_compared_with_the_first_alone() {
    let names: Vec<String> = (0..51).map(|number| format!("t{number}")).collect();
    for (targets, pairs) in [(50, 50 * 49 / 2), (51, 50)] {
        let names: Vec<&str> = names[..targets].iter().map(String::as_str).collect();
        let data = dataset(&names, &[1], 3, |target, _, repeat| {
            let factor = if target == "t0" { 1.0 } else { 2.0 };
            f64::from(1000 + repeat) * factor
        });
        let analysis = analyse(&data);
        let test = &analysis.tests[0];
        let of_throughput = test.comparisons.iter().filter(|c| c.metric == Metric::Throughput);
        assert_eq!(of_throughput.count(), pairs);
        let said = found(&analysis, |e| {
            matches!(e, Evidence::PairsLimited(PairsLimited { targets: 51, .. }))
        });
        assert_eq!(said.len(), usize::from(targets > 50));
        // That none of the better ones was compared with another does not make them the same.
        let same = matches!(test.advice[0].choice, Choice::Same { .. });
        assert_eq!(same, targets <= 50, "{:?}", test.advice[0].choice);
        assert_eq!(test.ranking.tiers.iter().map(Vec::len).collect::<Vec<_>>(), [targets - 1, 1]);
    }
}

/// Every block has a speed of its own, which cancels out between targets of one block alone.
#[test]
fn cells_that_were_added_to_blocks_that_had_run_are_no_pairs_with_these() {
    let values = |target: &str, _: u32, repeat: u32| {
        let of_block = [1000.0, 1300.0, 800.0][repeat as usize - 1];
        if target == "a" { of_block } else { of_block * 1.1 }
    };
    let mut data = dataset(&["a", "b", "c"], &[1, 2], 3, values);
    let later = |findings: &analyse::Analysis<'_>| {
        let found = found(findings, |e| matches!(e, Evidence::MeasuredLater(_)));
        found.first().and_then(|finding| finding.evidence.get::<MeasuredLater>()).cloned()
    };
    assert_eq!(later(&analyse(&data)), None);
    let mut apart = Vec::new();
    for block in &mut data.plan.blocks {
        let is_c = |trial: &Trial| trial.key.target == "c";
        let trials = block.trials.iter().filter(|trial| is_c(trial)).cloned().collect();
        block.trials.retain(|trial| !is_c(trial));
        apart.push(Block { number: block.number, extension: 1, trials });
    }
    data.plan.blocks.extend(apart);
    let extension = Extension {
        merged_from: None,
        at: UnixMillis(5),
        weighin_version: data.run.weighin_version.clone(),
        host: data.run.host.clone(),
        changes: vec!["target c added".to_owned()],
    };
    data.run.extensions.push(extension);
    let analysis = analyse(&data);
    let expected = MeasuredLater { targets: vec!["c".to_owned()], tests: vec![], cells: 2 };
    assert_eq!(later(&analysis), Some(expected));
    let width = |pair: (&str, &str)| {
        let of_pair = |baseline: &str, candidate: &str| (baseline, candidate) == pair;
        let test = &analysis.tests[0];
        let mut comparisons = test.comparisons.iter();
        let one = comparisons.find(|c| of_pair(&c.baseline, &c.candidate)).unwrap();
        let mut all = test.overall.iter();
        let all = all.find(|overall| of_pair(&overall.baseline, &overall.candidate)).unwrap();
        [one.ratio, all.ratio].map(|ratio| {
            let interval = ratio.interval.unwrap();
            interval.high / interval.low
        })
    };
    assert!(width(("a", "b")).iter().all(|width| *width < 1.01));
    assert!(width(("a", "c")).iter().all(|width| *width > 1.5));
}

/// A question that was edited on another kernel is an extension without trials of its own.
#[test]
fn trials_that_were_planned_before_an_extension_and_ran_after_it_ran_under_its_conditions() {
    let mut data = plain(3);
    data.run.host.kernel = "6.1".to_owned();
    let extension = |at: u64, kernel: &str| Extension {
        merged_from: None,
        at: UnixMillis(at),
        weighin_version: data.run.weighin_version.clone(),
        host: HostFacts { kernel: kernel.to_owned(), ..data.run.host.clone() },
        changes: vec!["question".to_owned()],
    };
    data.run.extensions = vec![extension(1000, "6.12"), extension(2000, "6.1")];
    let started = |from: u64| {
        let mut data = data.clone();
        for (record, second) in data.trials.iter_mut().rev().zip(0..) {
            record.started_at = UnixMillis(from.saturating_sub(second * 100));
        }
        let analysis = analyse(&data);
        let conditions = found(&analysis, |e| matches!(e, Evidence::ConditionsChanged(_)));
        let changed = conditions.first().and_then(|one| one.evidence.get::<ConditionsChanged>());
        changed.map_or_else(Vec::new, |changed| changed.changes.clone())
    };
    let (before, after) = ("6.1".to_owned(), "6.12".to_owned());
    assert_eq!(started(999), []);
    assert_eq!(started(1500), [ConditionChange { what: "kernel", before, after }]);
    // None ran while the kernel was another.
    assert_eq!(started(2000 + 100 * data.trials.len() as u64), []);
}

/// Blocks have speeds of their own; when the failed trial is measured anew, its block is long gone.
#[test]
fn a_trial_that_is_measured_anew_is_no_pair_with_its_former_block() {
    let mut noise = Noise::new(3);
    let mut data = dataset(&["a", "b"], &[1, 2], 6, |target, clients, repeat| {
        let anew = (target, clients, repeat) == ("b", 1, 2);
        let of_block = if anew { 1.0 } else { [1.0, 1.6, 0.8, 1.2, 0.9, 1.1][repeat as usize - 1] };
        let ahead = if target == "b" { 1.1 } else { 1.0 };
        1000.0 * of_block * ahead * noise.factor(0.005)
    });
    let is_failed = |trial: &&Trial| trial.key == key("b", 1, 2);
    let failed = data.plan.all_trials().find(is_failed).unwrap().clone();
    let position = data.plan.all_trials().count() as u32 + 1;
    let record = data.trials.iter_mut().find(|record| record.key == failed.key).unwrap();
    record.position = position;
    data.trials.sort_by_key(|record| record.position);
    let anew = Block { number: 2, extension: 1, trials: vec![Trial { position, ..failed }] };
    data.plan.blocks.push(anew);
    let extension = Extension {
        merged_from: None,
        at: UnixMillis(5),
        weighin_version: data.run.weighin_version.clone(),
        host: data.run.host.clone(),
        changes: Vec::new(),
    };
    data.run.extensions.push(extension);
    let analysis = analyse(&data);
    let of_rate = |c: &&analyse::Comparison| (c.level.clients, c.metric) == (1, Metric::Throughput);
    let ratio = analysis.tests[0].comparisons.iter().find(of_rate).unwrap().ratio;
    let interval = ratio.interval.unwrap();
    // Pairs of other blocks would make it 0.6 to 1.4 in some of them.
    assert!(interval.low > 1.0 && interval.high < 1.2, "{ratio:?}");
    assert_eq!(ratio.n, 5, "pairs");
    // It is no cell that the study gained.
    assert!(found(&analysis, |e| matches!(e, Evidence::MeasuredLater(_))).is_empty());
}
