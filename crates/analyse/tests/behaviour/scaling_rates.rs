//! How often verdicts are wrong, counted over many seeds. The rates are printed:
//! `cargo test -p analyse --test behaviour scaling_rates -- --nocapture`.

use crate::support::{Noise, dataset, tiers, verdicts};
use analyse::{Metric, Verdict, analyse};

const RUNS: u64 = 500;

/// Prints how many of `runs` went wrong, and asserts that they are no more than the stated share
/// makes likely: three standard errors above.
#[expect(clippy::print_stdout, reason = "the rates are for people to read")]
fn at_most(what: &str, wrong: usize, runs: usize, stated: f64) {
    let share = wrong as f64 / runs as f64 * 100.0;
    println!("{what}: {wrong} of {runs} ({share:.1} %), stated {:.1} %", stated * 100.0);
    let allowed = stated + 3.0 * (stated * (1.0 - stated) / runs as f64).sqrt();
    assert!(wrong as f64 <= allowed * runs as f64, "{what}: {wrong} of {runs}");
}

#[test]
fn equal_targets_differ_nowhere_and_share_a_tier() {
    for (scatter_a, scatter_b) in [(0.05, 0.05), (0.15, 0.01)] {
        let (mut anywhere, mut separated, mut crossed) = (0, 0, 0);
        for seed in 0..RUNS {
            let mut noise = Noise::new(seed);
            let data = dataset(&["a", "b"], &[1, 2, 4, 8, 16], 3, |target, _, _| {
                3000.0 * noise.factor(if target == "a" { scatter_a } else { scatter_b })
            });
            let analysis = analyse(&data);
            let said = verdicts(&analysis, Metric::Throughput);
            let differs = |v: &Verdict| !matches!(v, Verdict::Unresolved | Verdict::Equivalent);
            anywhere += usize::from(said.iter().any(differs));
            separated += usize::from(tiers(&analysis).len() > 1);
            crossed += usize::from(!analysis.tests[0].crossovers.is_empty());
        }
        let runs = RUNS as usize;
        let which = format!("equal targets that scatter by {scatter_a} and {scatter_b}");
        at_most(&format!("{which}: different at any of 5 levels"), anywhere, runs, 0.05);
        at_most(&format!("{which}: in different tiers"), separated, runs, 0.05);
        at_most(&format!("{which}: crossing"), crossed, runs, 0.05);
    }
}

#[test]
fn four_equal_targets_share_a_tier() {
    let separated = (0..RUNS).filter(|&seed| {
        let mut noise = Noise::new(seed);
        let data = dataset(&["a", "b", "c", "d"], &[1, 2, 4], 3, |target, _, _| {
            3000.0 * noise.factor(if target == "a" { 0.15 } else { 0.01 })
        });
        tiers(&analyse(&data)).len() > 1
    });
    at_most("four equal targets: in different tiers", separated.count(), RUNS as usize, 0.05);
}

#[test]
fn a_crossing_lies_in_its_interval() {
    for repeats in [3, 6] {
        let (mut found, mut missed) = (0, 0);
        for seed in 0..RUNS {
            let mut noise = Noise::new(seed);
            let data = dataset(&["a", "b"], &[8, 16, 32, 64], repeats, |target, clients, _| {
                let ratio = if target == "a" { 1.0 } else { f64::from(clients) / 20.0 };
                10_000.0 * ratio * noise.factor(0.02)
            });
            let analysis = analyse(&data);
            for crossing in &analysis.tests[0].crossovers {
                let interval = crossing.at.unwrap().interval.unwrap();
                found += 1;
                missed += usize::from(interval.low > 20.0 || interval.high < 20.0);
            }
        }
        assert!(found > RUNS as usize / 2, "{found}");
        at_most(
            &format!("crossings outside of their interval, {repeats} repeats"),
            missed,
            found,
            0.05,
        );
    }
}
