//! Trials in which something was waited for in vain, and clocks that were set meanwhile.

use crate::support::{dataset, found, load_of, trial};
use analyse::{
    ClockJumped, Evidence, IdleConnectionsLost, LongWaits, Severity, Unanswered, Validity, analyse,
};
use model::{Dataset, Latencies, LoadResult, TrialRecord};
use test_support::balance;

/// One repeat at ten clients, 1000 transactions a second, spoilt.
fn spoilt(spoil: impl FnOnce(&mut TrialRecord)) -> Dataset {
    let mut data = dataset(&["only"], &[10], 1, |_, _, _| 1000.0);
    spoil(trial(&mut data, "only", 10, 1));
    data
}

/// So many operations waited that long, in seconds; the first of them were never answered.
fn waited(load: &mut LoadResult, count: u64, seconds: u64) {
    let mut waits = Latencies::new();
    waits.record_many(seconds * 1_000_000_000, count);
    load.latencies.merge(&waits);
    load.waits = waits;
}

fn hung(operations: u64) -> Dataset {
    spoilt(|record| {
        load_of(record).ledger.timed_out = operations;
        balance(record);
        waited(load_of(record), operations, 35);
    })
}

fn validity(data: &Dataset) -> Validity {
    analyse(data).tests[0].cells[0].trials[0].validity
}

#[test]
fn operations_without_an_answer_are_found_and_void_a_trial_where_a_fifth_of_the_clients_hung() {
    for (operations, expected) in [(2, Validity::Suspect), (3, Validity::Void)] {
        let data = hung(operations);
        assert_eq!(validity(&data), expected);
        let analysis = analyse(&data);
        let said = found(&analysis, |e| matches!(e, Evidence::Unanswered(_)));
        let [finding] = said.as_slice() else { panic!("{said:?}") };
        let evidence: &Unanswered = finding.evidence.get().unwrap();
        assert_eq!((evidence.operations, evidence.clients), (operations, 10));
        assert!((evidence.longest_seconds - 35.0).abs() < 0.1);
        assert!(found(&analysis, |e| matches!(e, Evidence::Contradiction(_))).is_empty());
        assert!(found(&analysis, |e| matches!(e, Evidence::Errors(_))).is_empty());
    }
}

#[test]
fn waits_are_found_where_they_take_a_good_part_of_the_phase() {
    // The phase lasts for 10 s.
    for (seconds, long) in [(4, true), (0, false)] {
        let data = spoilt(|record| waited(load_of(record), 10, seconds));
        let analysis = analyse(&data);
        let said = found(&analysis, |e| matches!(e, Evidence::LongWaits(_)));
        assert_eq!(said.len(), usize::from(long));
        for finding in said {
            let evidence: &LongWaits = finding.evidence.get().unwrap();
            assert_eq!(evidence.operations, 10);
        }
        let expected = if long { Validity::Suspect } else { Validity::Valid };
        assert_eq!(validity(&data), expected);
    }
}

#[test]
fn idle_connections_that_were_lost_are_a_notice_and_leave_a_trial_valid() {
    let data = spoilt(|record| load_of(record).idle_losses = 7);
    assert_eq!(validity(&data), Validity::Valid);
    let analysis = analyse(&data);
    let said = found(&analysis, |e| matches!(e, Evidence::IdleConnectionsLost(_)));
    assert_eq!(said[0].severity, Severity::Notice);
    let evidence = said[0].evidence.get::<IdleConnectionsLost>().unwrap();
    assert_eq!(evidence.connections, 7);
}

#[test]
fn a_clock_that_was_set_makes_a_trial_suspect() {
    let data = spoilt(|record| record.clock_jump_ms = Some(-3_600_000));
    assert_eq!(validity(&data), Validity::Suspect);
    let analysis = analyse(&data);
    let said = found(&analysis, |e| matches!(e, Evidence::ClockJumped(_)));
    assert_eq!(said[0].evidence.get::<ClockJumped>().unwrap().seconds, -3_600.0);
}
