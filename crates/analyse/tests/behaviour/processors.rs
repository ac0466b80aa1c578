//! Virtual machines that are limited to a number of processors.

use crate::checks::passed;
use crate::support::{dataset, found, load_of, trial};
use analyse::{
    Check, Evidence, Severity, Throttled, ThrottledProcess, Validity, VmProcessors, analyse,
};
use model::{
    CpuShares, Dataset, Fleet, FleetProcessors, LoadResult, Oversubscription, Sample, Storage,
    Throttling, Workload,
};
use std::time::Duration;

const PERIOD: Duration = Duration::from_millis(100);

/// One target with two repeats of 8 virtual machines that share 2 processors, of which so
/// much was used, with so many of 100 periods in which they were throttled.
fn held(busy: f64, throttled: u64, spoil: impl Fn(&mut LoadResult)) -> Dataset {
    let mut data = dataset(&["only"], &[4], 2, |_, _, _| 1000.0);
    let asked = Oversubscription { vcpus: 1, ratio: 4.0 };
    data.study.tests[0].load_mut().expect("a load").workload = Workload::Storage(Storage {
        vms: 8,
        bytes_per_vm: 1 << 20,
        oversubscription: Some(asked),
        ..Storage::default()
    });
    for repeat in [1, 2] {
        let load = load_of(trial(&mut data, "only", 4, repeat));
        load.fleet = Some(Box::new(Fleet {
            queue_depth: 1,
            blocked_seconds: 0.0,
            vms: Vec::new(),
            volumes: Vec::new(),
            verified: None,
            processors: Some(FleetProcessors {
                count: 2.0,
                busy,
                throttling: Throttling { periods: 100, throttled },
                throttled_seconds: 0.5,
                period: PERIOD,
            }),
        }));
        spoil(load);
    }
    data
}

fn validity(data: &Dataset) -> Validity {
    analyse(data).tests[0].cells[0].trials[0].validity
}

#[test]
fn what_they_had_and_used_is_said_once_for_each_cell_and_does_not_make_trials_suspect() {
    let data = held(0.93, 41, |_| {});
    let analysis = analyse(&data);
    let said = found(&analysis, |e| matches!(e, Evidence::VmProcessors(_)));
    let [finding] = said.as_slice() else { panic!("{said:?}") };
    assert_eq!(finding.severity, Severity::Notice);
    let Evidence::VmProcessors(VmProcessors { vms, count, busy, throttled, .. }) = finding.evidence
    else {
        panic!("{finding:?}");
    };
    assert_eq!((vms, count, busy.point, throttled.point), (8, 2.0, 0.93, 0.41));
    assert!(busy.interval.is_some(), "two repeats agree on it");
    assert_eq!(analysis.tests[0].fleets[0].processors.map(|held| held.count), Some(2.0));
    assert_eq!(validity(&data), Validity::Valid);
}

#[test]
fn no_interval_of_a_share_goes_beyond_all() {
    let mut data = held(0.7, 30, |_| {});
    let load = load_of(trial(&mut data, "only", 4, 2));
    let fleet = load.fleet.as_mut().expect("it is one of storage");
    fleet.processors = fleet.processors.map(|held| FleetProcessors {
        busy: 0.9,
        throttling: Throttling { periods: 100, throttled: 80 },
        ..held
    });
    let held = analyse(&data).tests[0].fleets[0].processors.expect("they were limited to two");
    for share in [held.busy, held.throttled] {
        let interval = share.interval.expect("there are two repeats");
        assert!(interval.low < 0.7 && interval.high == 1.0, "{interval:?}");
    }
}

#[test]
fn never_having_been_throttled_is_a_share_of_nothing() {
    let data = held(0.3, 0, |_| {});
    let analysis = analyse(&data);
    let held = analysis.tests[0].fleets[0].processors.expect("they were limited to two");
    assert_eq!((held.throttled.point, held.throttled.n), (0.0, 2));
}

#[test]
fn a_worker_without_processor_time_is_as_it_should_be_only_while_the_processors_are_short() {
    let saturated = |load: &mut LoadResult| {
        load.client.busiest_worker = 0.99;
        load.client.cpus_allowed = 8;
    };
    for (busy, throttled, validity_expected) in [
        (0.96, 0, Validity::Valid),
        (0.5, 20, Validity::Valid),
        // One thread at its end while the processors have time left: weighin's own bottleneck.
        (0.5, 0, Validity::Suspect),
        // Of two threads the other had a third of its time left.
        (0.83, 0, Validity::Suspect),
        (0.5, 5, Validity::Suspect),
    ] {
        let data = held(busy, throttled, saturated);
        assert_eq!(validity(&data), validity_expected, "{busy} {throttled}");
        let client = passed(&data, Check::ClientNotBottleneck);
        assert_eq!(client, (validity_expected == Validity::Valid).then_some(2));
    }
}

#[test]
fn a_thread_may_be_away_for_as_long_as_it_was_held_and_no_longer() {
    // Of a window of ten seconds half a second is too long.
    let away = |millis| {
        move |load: &mut LoadResult| {
            load.client.max_loop_lag = Duration::from_millis(millis);
        }
    };
    assert_eq!(validity(&held(0.95, 41, away(690))), Validity::Valid);
    assert_eq!(validity(&held(0.95, 41, away(710))), Validity::Suspect);
    assert_eq!(validity(&held(0.95, 0, away(510))), Validity::Suspect);
}

#[test]
fn the_limit_of_another_group_counts_as_ever() {
    let mut data = held(0.95, 41, |_| {});
    for repeat in [1, 2] {
        let sampling = &mut trial(&mut data, "only", 4, repeat).sampling;
        let second = |second: u32| Sample {
            at_seconds: second.into(),
            length: Duration::from_secs(1),
            cpu: CpuShares { idle: 1.0, ..CpuShares::default() },
            ..Sample::default()
        };
        sampling.samples = (1..=13).map(second).collect();
        sampling.account.client_throttling = Some(Throttling { periods: 100, throttled: 30 });
    }
    assert_eq!(validity(&data), Validity::Suspect);
    let of_client = |e: &Evidence| {
        matches!(e, Evidence::Throttled(Throttled { process: ThrottledProcess::Client, .. }))
    };
    assert!(!found(&analyse(&data), of_client).is_empty());
}
