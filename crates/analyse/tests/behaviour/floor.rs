//! The noise floor: what tells a target from its own A/A control is not claimed of others.

use crate::support::{Noise, TEST, dataset, found};
use analyse::{Analysis, Evidence, Metric, NoiseFloor, Verdict, analyse};
use model::Dataset;

const LEVELS: [u32; 3] = [4, 8, 16];
const REPEATS: u32 = 6;
const SEEDS: u64 = 100;
const AA_CONTROL: &str = "a (again)";

/// Two targets, and the first again where `with_twin`. Every server has luck of its own, of some
/// per cent and the same in all blocks, as servers have that lie on different parts of a disk;
/// every block has a bias that its trials share. `b` is so many times as fast as `a`.
fn measured(seed: u64, truth: f64, with_aa_control: bool) -> Dataset {
    let mut noise = Noise::new(seed);
    let luck = [noise.factor(0.05), noise.factor(0.05), noise.factor(0.05)];
    let blocks: Vec<f64> = (0..REPEATS).map(|_| noise.factor(0.2)).collect();
    let names = ["a", "b", AA_CONTROL];
    let targets = if with_aa_control { &names[..] } else { &names[..2] };
    let mut data = dataset(targets, &LEVELS, REPEATS, |target, clients, repeat| {
        let server = names.iter().position(|name| *name == target).expect("one of them");
        let speed = if target == "b" { truth } else { 1.0 };
        let block = blocks[repeat as usize - 1];
        1000.0 * f64::from(clients) * speed * luck[server] * block * noise.factor(0.003)
    });
    if with_aa_control {
        data.study.aa_control = data.study.targets.pop();
    }
    data
}

fn floor(analysis: &Analysis) -> NoiseFloor {
    let floors = &analysis.tests[0].floors;
    floors.iter().find(|floor| floor.metric == Metric::Throughput).expect("a floor").clone()
}

/// Whether anything in an analysis calls one target better.
fn claims(analysis: &Analysis) -> bool {
    let test = &analysis.tests[0];
    let differs = |verdict| matches!(verdict, Verdict::CandidateBetter | Verdict::BaselineBetter);
    test.comparisons.iter().any(|c| c.metric == Metric::Throughput && differs(c.verdict))
        || test.overall.iter().any(|c| c.metric == Metric::Throughput && differs(c.verdict))
        || test.ranking.tiers.len() > 1
}

#[test]
fn the_luck_of_servers_is_claimed_less_often_with_a_floor() {
    let (mut without, mut with) = (0, 0);
    for seed in 1..=SEEDS {
        let mut data = measured(seed, 1.0, true);
        let held = claims(&analyse(&data));
        data.study.aa_control = None;
        let free = claims(&analyse(&data));
        assert!(free || !held, "seed {seed}: a floor makes no differences");
        without += u64::from(free);
        with += u64::from(held);
    }
    // The luck of `b` and that of the A/A control come from one distribution, so that the former is the
    // larger one in half of the cases; the interval of the floor makes it less than that. Without
    // a floor all luck beyond the margin counts.
    assert!(without > SEEDS / 2, "{without}");
    assert!(with < SEEDS / 2 && with < without, "{with} of {without}");
}

#[test]
fn a_difference_beyond_the_floor_is_claimed() {
    let seen = (1..=SEEDS).filter(|seed| {
        let data = measured(*seed, 2.0, true);
        let analysis = analyse(&data);
        let clear = |ratio: f64| ratio > floor(&analysis).factor;
        let interval = |c: &analyse::Comparison| c.ratio.interval.expect("six repeats");
        analysis.tests[0]
            .comparisons
            .iter()
            .filter(|c| c.metric == Metric::Throughput)
            .all(|c| c.verdict == Verdict::CandidateBetter && clear(interval(c).low))
    });
    assert_eq!(seen.count(), SEEDS as usize);
}

#[test]
fn what_does_not_clear_the_floor_is_unresolved_and_said() {
    let data = measured_with([1.0, 1.06, 0.92]);
    let analysis = analyse(&data);
    let floor = floor(&analysis);
    assert_eq!((floor.target.as_str(), floor.aa_control.as_str()), ("a", AA_CONTROL));
    assert_eq!(floor.ratios.len(), LEVELS.len());
    assert!((floor.factor - 1.0 / 0.92).abs() < 0.01, "{floor:?}");
    let test = &analysis.tests[0];
    assert!(test.comparisons.iter().all(|c| c.verdict == Verdict::Unresolved));
    assert!(test.comparisons.iter().all(|c| c.strength.below_noise_floor));
    assert!(test.overall.iter().all(|c| c.strength.below_noise_floor));
    assert_eq!(test.ranking.tiers.len(), 1);
    let said = found(&analysis, |e| matches!(e, Evidence::BelowNoiseFloor(_)));
    assert_eq!(said.len(), 1);
    assert_eq!(said[0].subject.test.as_deref(), Some(TEST));
}

#[test]
fn the_aa_control_is_no_candidate() {
    let data = measured_with([1.0, 1.5, 1.01]);
    let analysis = analyse(&data);
    let test = &analysis.tests[0];
    let names = |found: &str| found != AA_CONTROL;
    assert!(test.cells.iter().all(|cell| names(&cell.target)));
    assert!(test.curves.iter().all(|curve| names(&curve.target)));
    assert!(test.comparisons.iter().all(|c| names(&c.baseline) && names(&c.candidate)));
    assert!(test.ranking.tiers.iter().flatten().all(|place| names(&place.target)));
    assert_eq!(test.ranking.tiers.len(), 2, "half as much again is more than one per cent");
    assert_eq!(test.aa_control_cells.len(), LEVELS.len());
}

#[test]
fn without_an_aa_control_or_repeats_there_is_no_floor() {
    assert!(analyse(&measured(1, 1.0, false)).tests[0].floors.is_empty());
    let mut once = dataset(&["a", AA_CONTROL], &LEVELS, 1, |_, _, _| 1000.0);
    once.study.aa_control = once.study.targets.pop();
    assert!(analyse(&once).tests[0].floors.is_empty());
}

/// `a`, `b` and the A/A control with these speeds, and hardly any scatter.
fn measured_with(speeds: [f64; 3]) -> Dataset {
    let names = ["a", "b", AA_CONTROL];
    let mut noise = Noise::new(3);
    let mut data = dataset(&names, &LEVELS, REPEATS, |target, clients, _| {
        let place = names.iter().position(|name| *name == target).expect("one of them");
        1000.0 * f64::from(clients) * speeds[place] * noise.factor(0.001)
    });
    data.study.aa_control = data.study.targets.pop();
    data
}
