use super::dataset::{SECONDS, WARMUP, noise};
use model::*;
use std::time::Duration;
use test_support::{MEASURE, balance_load};

/// What clients do at so many transactions per second.
pub(super) fn load(clients: u32, tps: f64, seed: u64) -> LoadResult {
    let total = (tps * MEASURE.as_secs_f64()) as u64;
    let mut load = test_support::load(clients, tps);
    load.connect_time = Duration::from_millis(3);
    load.drain = PhaseTotals::default();
    load.latencies = latencies(f64::from(clients) / tps * 1e3, total);
    load.intervals = intervals(tps, total, seed);
    load.client = ClientCost {
        cpu_seconds: 2.5,
        busiest_worker: 0.25,
        peak_rss_bytes: 21_000_000,
        max_loop_lag: Duration::from_millis(2),
        ..load.client
    };
    balance_load(&mut load);
    load
}

/// A skewed distribution around the mean that Little's law asks for.
fn latencies(mean_ms: f64, total: u64) -> Latencies {
    let shapes = total.min(2_000);
    let mut latencies = Latencies::new();
    for i in 0..shapes {
        let share = (i as f64 + 0.5) / shapes as f64;
        let nanos = (mean_ms * 1e6 * 0.4 * (1.0 - ((1.0 - share).ln()) * 1.5)) as u64;
        latencies.record_many(nanos, total * (i + 1) / shapes - total * i / shapes);
    }
    latencies
}

/// Gives every second of a load latencies as the whole has them, and one of them a stall.
pub fn add_latencies(load: &mut LoadResult) {
    let mean = load.latencies.mean_ms().unwrap_or(1.0);
    for (second, interval) in (0..).zip(&mut load.intervals) {
        let mut all = latencies(mean, interval.transactions);
        if second == 7 {
            all.record_many((mean * 40e6) as u64, 2);
        }
        interval.latencies = (&all).into();
    }
}

/// Seconds of warm-up, then noisy ones of so many transactions in all.
fn intervals(tps: f64, total: u64, seed: u64) -> Vec<Interval> {
    let share = |second: u32| 1.0 + 0.06 * noise(seed * 97 + u64::from(second));
    let all: f64 = (WARMUP..SECONDS).map(share).sum();
    let until = |second: u32| {
        let so_far: f64 = (WARMUP..second).map(share).sum();
        (so_far / all * total as f64).round() as u64
    };
    let interval = |second: u32| {
        let warming = second < WARMUP;
        let transactions =
            if warming { (tps * 0.7) as u64 } else { until(second + 1) - until(second) };
        Interval {
            phase: if warming { Phase::Warmup } else { Phase::Measure },
            start: Duration::from_secs(second.into()),
            length: Duration::from_secs(1),
            transactions,
            queries: 0,
            errors: 0,
            moved: Moved::default(),
            longest_statement: None,
            latencies: (&Latencies::new()).into(),
        }
    };
    (0..SECONDS).map(interval).collect()
}
