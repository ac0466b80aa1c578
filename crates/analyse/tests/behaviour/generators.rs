//! Several load generators: their shares of the load.

use crate::checks::passed;
use crate::support::{dataset, load_of, trial};
use analyse::{Check, Evidence, UnevenLoad, Validity, analyse, start_spread};
use model::{
    ClockReading, CpuShares, Dataset, GeneratorShare, HostFacts, HostSampling, Latencies,
    ProcessUsage, Sample,
};
use std::time::Duration;
use test_support::open_loop;

/// One repeat at six clients, 10,000 transactions, of which generators made so many with so many
/// clients.
fn shared(shares: &[(u32, u64)]) -> Dataset {
    let mut data = dataset(&["only"], &[6], 1, |_, _, _| 1000.0);
    let load = load_of(trial(&mut data, "only", 6, 1));
    let share = |&(clients, transactions): &(u32, u64)| {
        let mut latencies = Latencies::new();
        latencies.record_many(6_000_000, transactions);
        GeneratorShare {
            host: None,
            clients,
            transactions,
            queries: 20 * transactions,
            errors: 0,
            latencies: (&latencies).into(),
            cpu_seconds: 0.5,
            peak_rss_bytes: 1,
            begun_late: Duration::ZERO,
        }
    };
    load.generators = shares.iter().map(share).collect();
    data
}

/// What is said of generators that did not have their shares.
fn lopsided(data: &Dataset) -> Option<UnevenLoad> {
    analyse(data).findings.iter().find_map(|finding| match &finding.evidence {
        Evidence::UnevenLoad(load) => Some(*load),
        _ => None,
    })
}

fn is_valid(data: &Dataset) -> bool {
    analyse(data).tests[0].cells[0].trials[0].validity == Validity::Valid
}

#[test]
fn generators_share_in_proportion_to_their_clients() {
    for shares in [[(3, 5_000), (3, 5_000)], [(3, 4_100), (3, 5_900)], [(4, 6_667), (2, 3_333)]] {
        let data = shared(&shares);
        assert!(is_valid(&data) && lopsided(&data).is_none(), "{shares:?}");
        assert_eq!(passed(&data, Check::ClientNotBottleneck), Some(1));
    }
}

/// The same made by two hosts whose processors were so busy, of which the second began so late, in
/// milliseconds, and whose clocks are known to within 1 ms.
fn made_elsewhere(busy: [f64; 2], late: u64) -> Dataset {
    let mut data = shared(&[(3, 5_000), (3, 5_000)]);
    let record = trial(&mut data, "only", 6, 1);
    record.sampling.samples.clear();
    let clock = ClockReading { ahead_seconds: 3_600.0, uncertainty_seconds: 1e-3 };
    let load_host = |(name, busy): (&str, f64)| HostSampling {
        host: name.to_owned(),
        facts: Some(HostFacts { cpus: 2, ..HostFacts::default() }),
        samples: (1..30)
            .map(|second| Sample {
                at_seconds: f64::from(second),
                length: Duration::from_secs(1),
                cpu: CpuShares { user: busy, idle: 1.0 - busy, ..CpuShares::default() },
                client: ProcessUsage { cpus: 2.0 * busy, rss_bytes: 1, ..ProcessUsage::default() },
                ..Sample::default()
            })
            .collect(),
        clock_before: clock,
        clock_after: clock,
        ..HostSampling::default()
    };
    record.sampling.load_hosts = ["a", "b"].into_iter().zip(busy).map(load_host).collect();
    let load = load_of(record);
    for (share, name) in load.generators.iter_mut().zip(["a", "b"]) {
        share.host = Some(name.to_owned());
    }
    load.generators[1].begun_late = Duration::from_millis(late);
    data
}

#[test]
fn load_hosts_that_are_busy_or_begin_apart_make_a_trial_suspect() {
    let found = |data: &Dataset| -> Vec<&'static str> {
        let findings = analyse(data).findings;
        let names = findings.iter().filter_map(|finding| match &finding.evidence {
            Evidence::LoadHostBusy(busy) => Some(if busy.host == "b" { "busy b" } else { "busy" }),
            Evidence::UnevenStart(_) => Some("apart"),
            _ => None,
        });
        names.collect()
    };
    let well = made_elsewhere([0.5, 0.7], 4);
    assert_eq!(found(&well), Vec::<&str>::new());
    assert!(is_valid(&well));
    let record = &well.trials[0];
    let spread = start_spread(record.load().unwrap(), &record.sampling).unwrap();
    assert_eq!((spread.seconds, spread.uncertainty_seconds), (4e-3, 2e-3));
    for (data, words) in
        [(made_elsewhere([0.5, 0.9], 4), "busy b"), (made_elsewhere([0.5, 0.5], 30_000), "apart")]
    {
        assert_eq!(found(&data), [words]);
        assert!(!is_valid(&data) && passed(&data, Check::ClientNotBottleneck).is_none());
    }
    // A load that this host makes has no such spread.
    let here = shared(&[(3, 5_000), (3, 5_000)]);
    let record = &here.trials[0];
    assert!(start_spread(record.load().unwrap(), &record.sampling).is_none());
}

#[test]
fn a_generator_far_from_its_share_makes_a_trial_suspect() {
    let data = shared(&[(3, 3_900), (3, 6_100)]);
    let load = lopsided(&data).unwrap();
    assert_eq!((load.generators, load.fair), (2, 5_000.0));
    assert!([3_900, 6_100].contains(&load.transactions));
    assert!(!is_valid(&data) && passed(&data, Check::ClientNotBottleneck).is_none());
    // Twice the clients with as many transactions as the other.
    let uneven = shared(&[(4, 5_000), (2, 5_000)]);
    assert_eq!(lopsided(&uneven).unwrap().generator, 2);
}

#[test]
fn at_a_rate_every_generator_has_the_same_share_and_few_transactions_scatter() {
    let mut data = shared(&[(4, 5_000), (2, 5_000)]);
    let load = load_of(trial(&mut data, "only", 6, 1));
    load.open = Some(open_loop(load, 1000.0, 10_000));
    assert_eq!(lopsided(&data), None);
    // 30 % off, but of ten transactions.
    assert_eq!(lopsided(&shared(&[(3, 7), (3, 13)])), None);
}

#[test]
fn shares_that_do_not_make_the_whole_are_arithmetic_that_cannot_be_true() {
    let wrong = |shares: &[(u32, u64)]| {
        analyse(&shared(shares)).findings.iter().find_map(|finding| match &finding.evidence {
            Evidence::Contradiction(found) => Some(found.terms[0].name.clone()),
            _ => None,
        })
    };
    assert_eq!(wrong(&[(3, 5_000), (3, 5_000)]), None);
    assert_eq!(wrong(&[(3, 5_000), (3, 4_999)]).unwrap(), "transactions of the load generators");
}
