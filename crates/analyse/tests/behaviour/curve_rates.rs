//! How often what is said of curves is wrong, and how often it is found, by simulation with fixed seeds.
//! The rates are printed: `cargo test -p analyse --test behaviour curve_rates -- --nocapture`.

#![allow(clippy::print_stdout, reason = "the rates are for people to read")]

use crate::support::{Noise, dataset};
use analyse::capacity::{Answer, Question, answers};
use analyse::{Analysis, CurveShape, FittedLaw, analyse, analyse_without_laws};
use stats::{Saturation, Usl};

const LEVELS: [u32; 8] = [1, 2, 4, 8, 16, 32, 64, 128];

/// In how many of so many studies something is so. Repeats share a block, and scatter by that much.
fn share(
    (runs, targets, repeats): (u64, usize, u32),
    scatter: f64,
    curve: impl Fn(f64) -> f64,
    is_so: impl Fn(&Analysis<'_>) -> bool,
    analysed: for<'a> fn(&'a model::Dataset) -> Analysis<'a>,
) -> f64 {
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let one = |seed: u64| {
        let mut noise = Noise::new(seed);
        let blocks: Vec<f64> = (0..=repeats).map(|_| noise.factor(0.03)).collect();
        let data = dataset(&names[..targets], &LEVELS, repeats, |_, clients, repeat| {
            curve(clients.into()) * blocks[repeat as usize] * noise.factor(scatter)
        });
        is_so(&analysed(&data))
    };
    (0..runs).filter(|&seed| one(seed)).count() as f64 / runs as f64
}

fn print(what: &str, share: f64) {
    println!("{what}: {:.1} %", share * 100.0);
}

/// Three standard errors above what is stated.
fn at_most(stated: f64, runs: u64) -> f64 {
    stated + 3.0 * (stated * (1.0 - stated) / runs as f64).sqrt()
}

fn settles(clients: f64) -> f64 {
    Saturation { lambda: 6_250.0, ceiling: 100_000.0, sharpness: 2.0 }.throughput(clients)
}

fn answer(analysis: &Analysis<'_>, rate: f64) -> Answer {
    let question = Question { rate: Some(rate), ..Question::default() };
    answers(analysis, &question)[0].targets[0].answer
}

#[test]
fn a_rate_above_a_plateau_is_out_of_reach_and_one_below_a_ceiling_is_not() {
    let runs = 150;
    let plan = (runs, 1, 5);
    for (scatter, power) in [(0.01, 0.95), (0.02, 0.8), (0.03, 0.3)] {
        let no = |rate: f64| move |found: &Analysis<'_>| answer(found, rate).is_no();
        let found = share(plan, scatter, settles, no(110_000.0), analyse_without_laws);
        print(&format!("10 % above a plateau, scatter {scatter}, told to be out of reach"), found);
        assert!(found >= power, "{found}");
        let wrong = share(plan, scatter, settles, no(99_000.0), analyse_without_laws);
        print("1 % below it", wrong);
        assert!(wrong <= at_most(0.05, runs), "{wrong}");
        // By Amdahl's law it comes to 100,000 in the end, and to 88,000 with 128.
        let amdahl = |n: f64| Usl { lambda: 5_000.0, sigma: 0.05, kappa: 0.0 }.throughput(n);
        let wrong = share(plan, scatter, amdahl, no(98_000.0), analyse_without_laws);
        print("2 % below the end of a curve that still rises", wrong);
        assert!(wrong <= at_most(0.05, runs), "{wrong}");
    }
}

#[test]
fn the_peak_of_a_flat_curve_is_seldom_too_high_and_seldom_said_to_rise() {
    let runs = 600;
    let flat = |_: f64| 10_000.0;
    let curve = |analysis: &Analysis<'_>, target: usize| analysis.tests[0].curves[target].clone();
    let high = |found: &Analysis<'_>| {
        curve(found, 0).peak_throughput.interval.is_some_and(|interval| interval.low > 10_000.0)
    };
    // Blocks are shared by all, and what they have in common is not known: none here.
    let quiet = |repeats| {
        let one = |seed: u64| {
            let mut noise = Noise::new(seed);
            let data =
                dataset(&["a"], &LEVELS, repeats, |_, n, _| flat(n.into()) * noise.factor(0.03));
            high(&analyse_without_laws(&data))
        };
        (0..runs).filter(|&seed| one(seed)).count() as f64 / runs as f64
    };
    for repeats in [3, 5] {
        let found = quiet(repeats);
        print(&format!("the peak of a flat curve is too high, {repeats} repeats"), found);
        assert!(found <= at_most(0.025, runs), "{found}");
    }
    let rises = |found: &Analysis<'_>| {
        found.tests[0].curves.iter().any(|curve| curve.shape == CurveShape::StillRising)
    };
    let found = share((60, 8, 3), 0.03, flat, rises, analyse_without_laws);
    print("one of eight flat curves still rises", found);
    assert!(found <= at_most(0.05, 60), "{found}");
}

#[test]
fn what_settles_has_no_peak_and_what_peaks_has_one() {
    let runs = 60;
    let plan = (runs, 1, 5);
    let has_peak =
        |found: &Analysis<'_>| found.tests[0].laws[0].peak.is_some_and(|peak| peak.high.is_some());
    let settled = |found: &Analysis<'_>| {
        let law = &found.tests[0].laws[0];
        law.describes && matches!(law.law, FittedLaw::Saturating { .. })
    };
    let peaks = |n: f64| Usl { lambda: 5_000.0, sigma: 0.04, kappa: 0.0006 }.throughput(n);
    for scatter in [0.01, 0.05] {
        let wrong = share(plan, scatter, settles, has_peak, analyse);
        print(&format!("a curve that settles has a peak, scatter {scatter}"), wrong);
        assert!(wrong <= at_most(0.05, runs), "{wrong}");
        let right = share(plan, scatter, settles, settled, analyse);
        print("and is seen to settle", right);
        assert!(right >= 0.8, "{right}");
        let right = share(plan, scatter, peaks, has_peak, analyse);
        print("a curve with a peak has one", right);
        assert!(right >= 0.8, "{right}");
    }
}
