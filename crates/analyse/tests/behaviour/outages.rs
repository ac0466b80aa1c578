//! Trials in which connections were lost, and clients that were slow to ask again.

use crate::support::{MEASURE, dataset, found, load_of, trial};
use analyse::{
    Check, CheckPassed, ClientDelay, ConnectionsLost, Evidence, LittlesLaw, Severity, Validity,
    analyse,
};
use model::{Dataset, Fleet, LoadResult, Outage};
use std::time::Duration;
use test_support::{balance, latencies};

/// One repeat at four clients, 1000 transactions a second, spoilt.
fn spoilt(spoil: impl FnOnce(&mut LoadResult)) -> Dataset {
    let mut data = dataset(&["only"], &[4], 1, |_, _, _| 1000.0);
    let record = trial(&mut data, "only", 4, 1);
    spoil(load_of(record));
    balance(record);
    data
}

fn validity(data: &Dataset) -> Validity {
    analyse(data).tests[0].cells[0].trials[0].validity
}

fn seconds(s: f64) -> Duration {
    Duration::from_secs_f64(s)
}

#[test]
fn an_outage_is_a_warning_with_its_length_and_the_time_until_all_was_well() {
    let data = spoilt(|load| {
        load.outages = vec![
            Outage {
                first_error: seconds(3.0),
                first_success: Some(seconds(4.5)),
                recovered: Some(seconds(6.0)),
                failed: 4,
            },
            Outage { first_error: seconds(9.0), first_success: None, recovered: None, failed: 2 },
        ];
    });
    assert_eq!(validity(&data), Validity::Suspect);
    let analysis = analyse(&data);
    let outages = found(&analysis, |e| matches!(e, Evidence::ConnectionsLost(_)));
    assert!(outages.iter().all(|finding| finding.severity == Severity::Warning));
    assert_eq!(
        outages.iter().map(|finding| &finding.evidence).collect::<Vec<_>>(),
        [
            &Evidence::ConnectionsLost(ConnectionsLost {
                first_error: seconds(3.0),
                downtime: Some(seconds(1.5)),
                back_after: Some(seconds(3.0)),
                failed: 4,
            }),
            &Evidence::ConnectionsLost(ConnectionsLost {
                first_error: seconds(9.0),
                downtime: None,
                back_after: None,
                failed: 2,
            }),
        ]
    );
}

#[test]
fn clients_without_a_connection_are_no_contradiction() {
    // Half of the time of all clients is unaccounted for.
    let idle = |load: &mut LoadResult| load.latencies = latencies(0.002);
    assert_eq!(validity(&spoilt(idle)), Validity::Void);
    let lost = spoilt(|load| {
        idle(load);
        let outage = Outage {
            first_error: seconds(3.0),
            first_success: Some(seconds(8.0)),
            recovered: None,
            failed: 0,
        };
        load.outages = vec![outage];
    });
    assert_eq!(validity(&lost), Validity::Suspect);
}

#[test]
fn time_that_the_client_took_between_transactions_is_accounted_for() {
    // 4 clients at 1000 a second cycle in 4 ms: 3.4 ms of latency, 0.6 ms of client delay.
    let slow = |client_delay_ms: f64, latency_ms: f64| {
        spoilt(|load| {
            load.latencies = latencies(latency_ms / 1e3);
            let transactions = load.measure.transactions as f64;
            load.client.client_delay_seconds = transactions * client_delay_ms / 1e3;
        })
    };
    assert_eq!(validity(&slow(0.6, 3.4)), Validity::Valid);
    assert_eq!(validity(&slow(0.0, 3.4)), Validity::Suspect);
    let both = slow(0.6, 4.0);
    let analysis = analyse(&both);
    let law = found(&analysis, |e| matches!(e, Evidence::LittlesLaw(_)));
    let Evidence::LittlesLaw(LittlesLaw { client_delay_mean_ms, busy_clients, .. }) =
        law[0].evidence
    else {
        panic!("{law:?}");
    };
    assert!((client_delay_mean_ms - 0.6).abs() < 1e-9 && (busy_clients - 4.6).abs() < 0.01);
}

#[test]
fn what_a_limit_holds_back_is_part_of_the_load_that_was_asked_for() {
    // Two virtual machines with two reads each in flight, held for 3 of every 4 ms.
    let held = |held_ms: f64| {
        spoilt(|load| {
            load.latencies = latencies(1e-3);
            let blocked_seconds = load.measure.transactions as f64 * held_ms / 1e3;
            let (vms, volumes) = (Vec::new(), Vec::new());
            load.fleet = Some(Box::new(Fleet {
                queue_depth: 2,
                blocked_seconds,
                vms,
                volumes,
                verified: None,
                processors: None,
            }));
        })
    };
    assert_eq!(validity(&held(3.0)), Validity::Valid);
    assert_eq!(validity(&held(1.0)), Validity::Void);
}

#[test]
fn a_client_that_takes_a_quarter_of_each_cycle_made_a_lighter_load_than_asked() {
    for (client_delay_ms, late) in [(0.9, false), (1.2, true)] {
        let data = spoilt(|load| {
            load.latencies = latencies((4.0 - client_delay_ms) / 1e3);
            let clients = f64::from(load.clients);
            load.client.client_delay_seconds =
                clients * MEASURE.as_secs_f64() * client_delay_ms / 4.0;
        });
        let analysis = analyse(&data);
        let findings = found(&analysis, |e| matches!(e, Evidence::ClientDelay(_)));
        assert_eq!(findings.len(), usize::from(late), "{client_delay_ms} ms");
        assert_eq!(validity(&data), if late { Validity::Suspect } else { Validity::Valid });
        let client = Check::ClientNotBottleneck;
        let passed = found(
            &analysis,
            |e| matches!(e, Evidence::CheckPassed(CheckPassed { check, .. }) if *check == client),
        );
        assert_eq!(passed.is_empty(), late);
        if let Some(Evidence::ClientDelay(ClientDelay { share, mean_ms })) =
            findings.first().map(|finding| &finding.evidence)
        {
            assert!((share - 0.3).abs() < 1e-9 && (mean_ms - 1.2).abs() < 1e-9);
        }
    }
}
