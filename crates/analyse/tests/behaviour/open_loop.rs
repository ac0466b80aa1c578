//! Trials that offered a rate.

use crate::support::{dataset, found, load_of, trial};
use analyse::{
    Check, CheckPassed, CountersUnavailable, Evidence, Overloaded, Severity, Validity, analyse,
};
use model::Dataset;
use std::time::Duration;
use test_support::{balance, open_loop};

/// One repeat that answered 10,000 of so many offered.
fn offered(scheduled: u64, dropped: u64) -> Dataset {
    let mut data = dataset(&["only"], &[4], 1, |_, _, _| 1000.0);
    let load = load_of(trial(&mut data, "only", 4, 1));
    // Four clients that are hardly ever busy: no contradiction where nothing is due.
    load.latencies = test_support::latencies(0.000_2);
    load.client.client_delay_seconds = 39.0;
    load.open = Some(open_loop(load, scheduled as f64 / 10.0, scheduled));
    load.ledger.dropped = dropped;
    load.ledger.timed_out = (scheduled - dropped).saturating_sub(load.measure.transactions);
    balance(trial(&mut data, "only", 4, 1));
    data
}

#[test]
fn a_rate_that_was_kept_up_with_casts_no_doubt() {
    let data = offered(10_000, 0);
    let analysis = analyse(&data);
    assert_eq!(analysis.tests[0].cells[0].trials[0].validity, Validity::Valid);
    let law = found(
        &analysis,
        |e| matches!(e, Evidence::CheckPassed(CheckPassed { check, .. }) if *check == Check::LittlesLaw),
    );
    assert!(law.is_empty(), "a law of closed loops says nothing of an open one");
    assert!(
        found(&analysis, |e| matches!(e, Evidence::CountersUnavailable(CountersUnavailable)))
            .is_empty()
    );
}

#[test]
fn a_rate_that_was_not_kept_up_with_is_a_warning() {
    let data = offered(20_000, 9_900);
    let analysis = analyse(&data);
    assert_eq!(analysis.tests[0].cells[0].trials[0].validity, Validity::Suspect);
    let overloaded = found(&analysis, |e| matches!(e, Evidence::Overloaded(_)));
    assert_eq!(overloaded[0].severity, Severity::Warning);
    assert_eq!(
        overloaded[0].evidence,
        Evidence::Overloaded(Overloaded { rate: 2_000.0, in_time: 0.5, dropped: 9_900 })
    );
}

#[test]
fn few_transactions_under_way_at_the_end_are_no_overload() {
    let behind = |scheduled: u64, answered: u64, finished: u64, service_seconds: f64| {
        let mut data = offered(scheduled, 0);
        let load = load_of(trial(&mut data, "only", 4, 1));
        load.warmup.elapsed = Duration::from_secs(2);
        load.measure.transactions = finished;
        let open = load.open.as_mut().expect("an open loop");
        open.answered = answered;
        open.service_times = test_support::latencies(service_seconds);
        load.is_overloaded()
    };
    // Two a second, of half a second each: one is under way on average, four by chance.
    assert!(!behind(20, 16, 16, 0.5));
    assert!(behind(20, 15, 15, 0.5));
    // No more can be under way than there are clients: 4 + 3 √4.
    assert!(!behind(40, 30, 40, 50.0));
    assert!(behind(40, 29, 40, 50.0));
    // Where many are measured, one in a hundred decides.
    assert!(!behind(10_000, 9_900, 9_900, 0.000_2));
    assert!(behind(10_000, 9_899, 9_899, 0.000_2));
    // What is in hand because the server is behind is no excuse: as much must be finished as is
    // begun, give or take 3 √(2 × 4) rounded up.
    assert!(!behind(40, 31, 31, 50.0));
    assert!(behind(40, 30, 30, 50.0));
}

#[test]
fn without_a_warm_up_what_is_under_way_at_the_end_was_not_at_the_beginning() {
    let behind = |warmup: Duration, finished: u64, service_seconds: f64| {
        let mut data = offered(10_000, 0);
        let load = load_of(trial(&mut data, "only", 4, 1));
        load.clients = 10_000;
        load.warmup.elapsed = warmup;
        load.measure.transactions = finished;
        let open = load.open.as_mut().expect("an open loop");
        open.answered = 10_000;
        open.service_times = test_support::latencies(service_seconds);
        load.is_overloaded()
    };
    let (none, long) = (Duration::ZERO, Duration::from_secs(1));
    // 1000 a second of 0.2 s each: 200 under way, and 200 + 3 √200 by chance.
    assert!(!behind(none, 9_757, 0.2));
    assert!(behind(none, 9_756, 0.2));
    assert!(behind(long, 9_757, 0.2), "as many were under way at the beginning");
    // Of what takes as long as the phase nothing is known.
    assert!(behind(none, 9_000, 9.0));
}
