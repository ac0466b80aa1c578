//! What is said of targets that were loaded at once on one machine.

use crate::support::{dataset, found, trial};
use analyse::{Evidence, LoadedAtOnce, Validity, analyse};
use model::{
    CpuShares, Dataset, HeldProcessors, OwnProcessors, ProcessUsage, Sample, SideBySide, UnixMillis,
};
use std::time::Duration;

/// Two targets in two blocks, each on one of two processors at a time, of which it used 90 %.
fn loaded_at_once() -> Dataset {
    let mut data = dataset(&["a", "b"], &[4], 2, |_, _, _| 1000.0);
    data.study.duet = true;
    data.run.host.cpus = 2;
    for target in ["a", "b"] {
        for repeat in [1, 2] {
            let record = trial(&mut data, target, 4, repeat);
            let with = vec![record.position + 1];
            record.side_by_side = Some(SideBySide { with, began_at: UnixMillis(1) });
            let set =
                |number| HeldProcessors { processors: vec![number], held: Duration::from_secs(6) };
            let own = OwnProcessors { sets: vec![set(0), set(1)], exchanges: 8 + repeat };
            record.sampling.account.processor_use.apart = Some(own);
            record.sampling.account.processor_use.cpus = 1;
            let server = ProcessUsage { cpus: 0.9, rss_bytes: 1, ..ProcessUsage::default() };
            record.sampling.samples = (1..=13)
                .map(|second| Sample {
                    at_seconds: f64::from(second),
                    length: Duration::from_secs(1),
                    cpu: CpuShares { user: 0.9, idle: 0.1, ..CpuShares::default() },
                    server: Some(server),
                    ..Sample::default()
                })
                .collect();
        }
    }
    data
}

#[test]
fn shares_are_of_a_targets_own_processors_and_capacities_of_a_part_of_the_machine() {
    let data = loaded_at_once();
    let analysis = analyse(&data);
    let said = found(&analysis, |e| matches!(e, Evidence::LoadedAtOnce(_)));
    let expected = LoadedAtOnce { own: 1, of: 2, exchanges: 9, sets: vec![vec![0], vec![1]] };
    assert_eq!(said[0].evidence, Evidence::LoadedAtOnce(expected));
    // With both processors its own part would be 45 % busy, and half of that someone else's.
    assert!(found(&analysis, |e| matches!(e, Evidence::OtherProcesses(_))).is_empty());
    assert!(found(&analysis, |e| matches!(e, Evidence::LoadedAlone(_))).is_empty());
    let resource = data.trials[0].sampling.target_cpus();
    assert_eq!(resource, Some(1));
}

#[test]
fn a_trial_that_had_one_set_for_longer_is_suspect() {
    let mut data = loaded_at_once();
    let uneven = |data: &Dataset| {
        found(&analyse(data), |e| matches!(e, Evidence::ProcessorsHeldUnevenly(_))).len()
    };
    assert_eq!(uneven(&data), 0);
    own_sets(&mut data)[0].held = Duration::from_secs(12);
    assert_eq!(uneven(&data), 1);
    // Never exchanged at all.
    own_sets(&mut data).pop();
    assert_eq!(uneven(&data), 1);
}

fn own_sets(data: &mut Dataset) -> &mut Vec<HeldProcessors> {
    let own = trial(data, "a", 4, 2).sampling.account.processor_use.apart.as_mut();
    &mut own.expect("a duet").sets
}

#[test]
fn a_trial_without_its_neighbours_is_suspect() {
    let mut data = loaded_at_once();
    trial(&mut data, "a", 4, 2).side_by_side = None;
    let analysis = analyse(&data);
    let alone = found(&analysis, |e| matches!(e, Evidence::LoadedAlone(_)));
    assert_eq!(alone.len(), 1);
    let cell = analysis.tests[0].cells.iter().find(|cell| cell.target == "a").unwrap();
    let validities: Vec<Validity> = cell.trials.iter().map(|trial| trial.validity).collect();
    assert_eq!(validities, [Validity::Valid, Validity::Suspect]);
    // Of a study whose targets take turns the same is as it should be.
    data.study.duet = false;
    assert!(found(&analyse(&data), |e| matches!(e, Evidence::LoadedAlone(_))).is_empty());
}
