//! How many round trips operations make, from loads on whose way a delay is known.

use crate::support::{Noise, dataset, found, load_of};
use analyse::{Analysis, Evidence, PathCost, RoundTrips, Severity, analyse};
use model::{Dataset, DelayMeasured, NetworkPath, ProcessUsage, Sample};
use std::time::Duration;

const ASKED: Duration = Duration::from_millis(1);
/// Of an operation without a delay.
const LATENCY_MS: f64 = 10.0;

/// An operation makes so many round trips; each is longer by so much on the way to `far`.
fn delayed(round_trips: f64, measured_ms: f64) -> Dataset {
    let mut noise = Noise::new(3);
    let mut data = dataset(&["near", "far"], &[1, 4], 6, |target, clients, _| {
        let added = if target == "far" { round_trips * measured_ms } else { 0.0 };
        f64::from(clients) * 1e3 / ((LATENCY_MS + added) * noise.factor(0.004))
    });
    for (place, value) in ["no delay added", "1 ms added"].into_iter().enumerate() {
        let target = &mut data.study.targets[place];
        target.labels.insert(NetworkPath::DELAY.to_owned(), value.to_owned());
    }
    data.study.targets[1].path = Some(NetworkPath { delay: Some(ASKED), proxy: None, tls: None });
    for record in data.trials.iter_mut().filter(|record| record.key.target == "far") {
        let load = load_of(record);
        load.delay = Some(DelayMeasured {
            asked: ASKED,
            before_ms: Some(1.0),
            beside_ms: Some(measured_ms),
            beside_p95_ms: Some(measured_ms),
            echoes: 100,
            round_trips: (load.measure.transactions as f64 * round_trips) as u64,
            cpu_seconds: 0.5,
        });
    }
    data
}

fn round_trips(analysis: &Analysis) -> Vec<RoundTrips> {
    analysis.tests[0].round_trips.iter().map(|pair| pair.found.clone()).collect()
}

#[test]
fn round_trips_follow_from_what_a_measured_delay_adds() {
    let data = delayed(20.0, 1.05);
    let analysis = analyse(&data);
    let pairs = round_trips(&analysis);
    assert_eq!(pairs.len(), 2, "one for each level");
    for pair in pairs {
        assert_eq!((pair.baseline.as_str(), pair.candidate.as_str()), ("near", "far"));
        let interval = pair.round_trips.interval.unwrap();
        assert!(interval.low < 20.0 && 20.0 < interval.high, "{pair:?}");
        assert!(interval.high - interval.low < 1.0, "{pair:?}");
        assert!((pair.added_ms.point - 21.0).abs() < 0.5 && (pair.delay_ms - 1.05).abs() < 1e-9);
        assert!((pair.counted.unwrap() - 20.0).abs() < 0.1, "{pair:?}");
    }
    let said = found(&analysis, |evidence| matches!(evidence, Evidence::RoundTrips(_)));
    assert_eq!(said.len(), 2);
    assert!(said.iter().all(|finding| finding.severity == Severity::Notice));
    assert!(found(&analysis, |evidence| matches!(evidence, Evidence::DelayMissed(_))).is_empty());
}

#[test]
fn a_delay_that_was_missed_is_said_and_round_trips_go_by_what_it_was() {
    let data = delayed(20.0, 1.5);
    let analysis = analyse(&data);
    let missed = found(&analysis, |evidence| matches!(evidence, Evidence::DelayMissed(_)));
    assert_eq!(missed.len(), 2);
    assert!(missed.iter().all(|finding| finding.severity == Severity::Warning));
    assert!(round_trips(&analysis).iter().all(|pair| (pair.round_trips.point - 20.0).abs() < 0.3));
}

#[test]
fn without_a_delay_nothing_is_said_of_round_trips() {
    let mut data = delayed(20.0, 1.0);
    data.study.targets.iter_mut().for_each(|target| target.path = None);
    assert!(round_trips(&analyse(&data)).is_empty());
}

/// Encrypted operations take 0.3 ms and 50 µs of the server's processor time more.
fn encrypted() -> Dataset {
    let mut noise = Noise::new(5);
    let mut data = dataset(&["plain", "encrypted"], &[1, 4], 6, |target, clients, _| {
        let added = if target == "encrypted" { 0.3 } else { 0.0 };
        f64::from(clients) * 1e3 / ((LATENCY_MS + added) * noise.factor(0.001))
    });
    for (target, tls) in data.study.targets.iter_mut().zip([false, true]) {
        target.path = Some(NetworkPath { delay: None, proxy: None, tls: Some(tls) });
        target.labels.insert(NetworkPath::TLS.to_owned(), tls.to_string());
    }
    for record in &mut data.trials {
        let each_us = if record.key.target == "encrypted" { 150.0 } else { 100.0 };
        let load = record.load().expect("the trial completed");
        let measured = load.measure.elapsed.as_secs_f64();
        let cpus = load.measure.transactions as f64 / measured * each_us / 1e6;
        let seconds = (load.warmup.elapsed + load.measure.elapsed).as_secs() as u32;
        let sample = |second: u32| Sample {
            at_seconds: f64::from(second),
            length: Duration::from_secs(1),
            server: Some(ProcessUsage { cpus, ..ProcessUsage::default() }),
            ..Sample::default()
        };
        record.sampling.samples = (1..=seconds).map(sample).collect();
    }
    data
}

fn costs(data: &Dataset) -> Vec<PathCost> {
    let findings = analyse(data).findings;
    let costs = findings.into_iter().filter_map(|finding| match finding.evidence {
        Evidence::PathCost(cost) => Some(cost),
        _ => None,
    });
    costs.collect()
}

#[test]
fn encryption_has_a_cost_in_time_and_in_the_servers_processor_time() {
    let mut data = encrypted();
    let both = costs(&data);
    assert_eq!(both.len(), 2, "one for each level");
    for cost in both {
        assert_eq!((cost.baseline.as_str(), cost.candidate.as_str()), ("plain", "encrypted"));
        let within = |(low, high): (f64, f64), truth| low < truth && truth < high;
        let ends = |found: stats::Estimate| found.interval.map(|i| (i.low, i.high)).unwrap();
        assert!(within(ends(cost.added_ms), 0.3), "{cost:?}");
        let cpu = cost.server_cpu_us.unwrap();
        assert!((cpu.point - 50.0).abs() < 0.5, "{cost:?}");
        assert_eq!(cost.path_cpu_us, None);
    }
    // In whichever order the study names them, and of no other label.
    data.study.targets.reverse();
    assert!(costs(&data).iter().all(|cost| cost.candidate == "encrypted"));
    for target in &mut data.study.targets {
        let value = target.labels.remove(NetworkPath::TLS).unwrap();
        target.labels.insert("tenancy".to_owned(), value);
    }
    assert_eq!(costs(&data), []);
}
