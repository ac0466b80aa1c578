//! Studies some of whose trials failed.

use crate::support::{Noise, dataset, fail, verdicts};
use analyse::{Metric, Verdict, analyse};

const LEVELS: [u32; 6] = [1, 2, 4, 8, 16, 32];

/// The verdicts of a study of two targets, the second faster by that factor, with scatter of 5 %, of
/// which 30 % of the trials failed.
fn with_failures(truth: f64, seed: u64) -> Vec<Verdict> {
    let mut noise = Noise::new(seed);
    let mut data = dataset(&["a", "b"], &LEVELS, 8, |target, _, _| {
        let truth = if target == "a" { 1.0 } else { truth };
        1000.0 * truth * noise.factor(0.05)
    });
    let mut pick = Noise::new(seed + 5000);
    data.trials.iter_mut().filter(|_| pick.below(10) < 3).for_each(fail);
    verdicts(&analyse(&data), Metric::Throughput)
}

#[test]
fn trials_whose_partner_failed_count_as_well() {
    let all: Vec<Verdict> = (0..60).flat_map(|seed| with_failures(1.1, seed)).collect();
    let found = all.iter().filter(|verdict| **verdict == Verdict::CandidateBetter).count();
    let share = found as f64 / all.len() as f64;
    // By pairs alone 0.50; of 8 repeats without failures 0.93.
    assert!(share > 0.58, "{share}");
}

#[test]
fn failures_make_no_difference_of_equal_targets() {
    let differ = |verdicts: &Vec<Verdict>| {
        let better = [Verdict::BaselineBetter, Verdict::CandidateBetter];
        verdicts.iter().any(|verdict| better.contains(verdict))
    };
    let wrong = (0..100).map(|seed| with_failures(1.0, seed)).filter(differ).count();
    assert!(wrong <= 5, "{wrong} of 100");
}
