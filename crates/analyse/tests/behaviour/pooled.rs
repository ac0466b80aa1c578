//! How often means over levels and factors err, and how much they find, where one target or trial is
//! unlike the others. The ignored tests print tables.

use crate::support::{Noise, dataset};
use analyse::{Analysis, Metric, Verdict, analyse_without_laws};
use model::Dataset;

const LEVELS: [u32; 12] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048];
const NAMES: [&str; 8] = ["t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7"];

/// A made-up study.
#[derive(Clone, Copy)]
struct Shape {
    targets: usize,
    levels: usize,
    repeats: u32,
    /// Standard deviation of the logarithm of a trial.
    scatter: f64,
    /// By how much the last target scatters more.
    noisy: f64,
    /// The share of trials that are disturbed, and by what factor these are slower.
    bad: f64,
    slower: f64,
    /// Whether only the second target has them.
    bad_in_one: bool,
    /// Standard deviation of what each target has of its own, at all levels and in all repeats.
    own: f64,
    /// The same of what a target shares over the levels of a block.
    block: f64,
    /// What the second target is of the others.
    ratio: f64,
}

const PLAIN: Shape = Shape {
    targets: 2,
    levels: 6,
    repeats: 3,
    scatter: 0.05,
    noisy: 1.0,
    bad: 0.0,
    slower: 1.35,
    bad_in_one: false,
    own: 0.0,
    block: 0.0,
    ratio: 1.0,
};

impl Shape {
    fn study(&self, seed: u64) -> Dataset {
        let mut noise = Noise::new(seed);
        let own: Vec<f64> = (0..self.targets).map(|_| noise.factor(self.own)).collect();
        let block: Vec<Vec<f64>> = (0..self.targets)
            .map(|_| (0..self.repeats).map(|_| noise.factor(self.block)).collect())
            .collect();
        dataset(&NAMES[..self.targets], &LEVELS[..self.levels], self.repeats, |name, _, repeat| {
            let target = NAMES.iter().position(|other| *other == name).expect("one of them");
            let last = target + 1 == self.targets;
            let scatter = self.scatter * if last { self.noisy } else { 1.0 };
            let disturbed = (noise.below(1000) as f64) < 1000.0 * self.bad;
            let disturbed = disturbed && (target == 1 || !self.bad_in_one);
            let truth = if target == 1 { self.ratio } else { 1.0 };
            let slower = if disturbed { self.slower } else { 1.0 };
            let shared = own[target] * block[target][repeat as usize - 1];
            20_000.0 * truth * shared * noise.factor(scatter) / slower
        })
    }

    /// The share in percent of so many studies in which that holds.
    fn share(&self, studies: u64, holds: impl Fn(&Analysis) -> bool) -> f64 {
        let held = |seed: &u64| holds(&analyse_without_laws(&self.study(*seed)));
        100.0 * (0..studies).filter(held).count() as f64 / studies as f64
    }

    /// The same with labels.
    fn share_labelled(
        &self,
        studies: u64,
        label: impl Fn(&mut Dataset),
        holds: impl Fn(&Analysis) -> bool,
    ) -> f64 {
        let held = |seed: &u64| {
            let mut data = self.study(*seed);
            label(&mut data);
            holds(&analyse_without_laws(&data))
        };
        100.0 * (0..studies).filter(held).count() as f64 / studies as f64
    }
}

fn differs(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::CandidateBetter | Verdict::BaselineBetter)
}

/// Whether two targets that are equal, and scatter as little as most, are called different anywhere.
fn quiet_differ(analysis: &Analysis, but_for: &str) -> bool {
    analysis.tests[0].comparisons.iter().any(|one| {
        one.metric == Metric::Throughput
            && differs(one.verdict)
            && ![&one.baseline, &one.candidate].iter().any(|name| *name == but_for)
    })
}

/// Whether the first two are called different at the first level.
fn first_two_differ(analysis: &Analysis) -> bool {
    analysis.tests[0].comparisons.iter().any(|one| {
        one.metric == Metric::Throughput
            && differs(one.verdict)
            && (one.baseline.as_str(), one.candidate.as_str()) == ("t0", "t1")
    })
}

fn any_overall(analysis: &Analysis) -> bool {
    analysis.tests[0]
        .overall
        .iter()
        .any(|one| one.metric == Metric::Throughput && differs(one.verdict))
}

fn any_factor(analysis: &Analysis) -> bool {
    analysis.factors.iter().any(|factor| differs(factor.verdict))
}

/// Labels every target by the digits of its number in base 2.
fn binary(data: &mut Dataset) {
    let labels = data.study.targets.len().ilog2();
    for (place, target) in data.study.targets.iter_mut().enumerate() {
        let digit = |bit: u32| (format!("l{bit}"), format!("v{}", place >> bit & 1));
        target.labels = (0..labels).map(digit).collect();
    }
}

/// One label; targets by turns have the one value and the other.
fn replicates(data: &mut Dataset) {
    for (place, target) in data.study.targets.iter_mut().enumerate() {
        target.labels = [("l".to_owned(), format!("v{}", place % 2))].into();
    }
}

#[test]
#[ignore = "takes minutes"]
fn table_of_one_unlike_target() {
    println!(
        "| targets | levels | repeats | noisy | error of quiet pairs | family error | first two found |"
    );
    let n = studies(400);
    for (targets, levels) in [(3, 1), (3, 3), (4, 1), (4, 3), (8, 1), (8, 3), (3, 6)] {
        for repeats in [2, 3, 5] {
            for noisy in [1.0, 5.0, 10.0] {
                let shape = Shape { targets, levels, repeats, noisy, ..PLAIN };
                let noisiest = NAMES[targets - 1];
                let quiet = shape.share(n, |analysis| quiet_differ(analysis, noisiest));
                let all = shape.share(n, |analysis| quiet_differ(analysis, ""));
                let better = Shape { ratio: if repeats == 2 { 1.5 } else { 1.25 }, ..shape }
                    .share(n, first_two_differ);
                println!(
                    "| {targets} | {levels} | {repeats} | {noisy} | {quiet:.1} % | {all:.1} % | {better:.0} % |"
                );
            }
        }
    }
}

#[test]
#[ignore = "takes minutes"]
fn table_of_means_over_levels() {
    println!("| shape | targets | levels | repeats | error | found |");
    let n = studies(1000);
    let bad = Shape { bad: 0.1, ..PLAIN };
    let shapes = [
        ("plain", PLAIN),
        ("one in ten 26 % slower", bad),
        ("one in ten three times slower", Shape { slower: 3.0, ..bad }),
        ("the same in one target", Shape { slower: 3.0, bad_in_one: true, ..bad }),
        ("26 % slower in one", Shape { bad_in_one: true, ..bad }),
        ("blocks of a target", Shape { block: 0.03, ..PLAIN }),
    ];
    for (name, shape) in shapes {
        for (targets, levels) in [(2, 3), (2, 6), (3, 3)] {
            for repeats in [2, 3, 5, 10] {
                let shape = Shape { targets, levels, repeats, ..shape };
                let error = shape.share(n, any_overall);
                let found = Shape { ratio: 1.1, ..shape }.share(n, |analysis| {
                    analysis.tests[0].overall.iter().any(|one| {
                        one.metric == Metric::Throughput
                            && differs(one.verdict)
                            && (one.baseline.as_str(), one.candidate.as_str()) == ("t0", "t1")
                    })
                });
                println!(
                    "| {name} | {targets} | {levels} | {repeats} | {error:.1} % | {found:.0} % |"
                );
            }
        }
    }
}

#[test]
#[ignore = "takes minutes"]
fn table_of_factors() {
    println!("| labels | shape | targets | levels | repeats | error | found 10 % |");
    let n = studies(400);
    for name in ["crossed", "replicates"] {
        let label = if name == "crossed" { binary } else { replicates };
        for targets in [2, 4, 8] {
            if name == "replicates" && targets == 2 {
                continue;
            }
            for levels in [1, 3] {
                for repeats in [3, 5] {
                    for (kind, own) in [("equal", 0.0), ("3 % of their own", 0.03)] {
                        let shape = Shape { targets, levels, repeats, own, ..PLAIN };
                        let error = shape.share_labelled(n, label, any_factor);
                        let found = share_better(&shape, n, label);
                        println!(
                            "| {name} | {kind} | {targets} | {levels} | {repeats} | {error:.1} % | {found:.0} % |"
                        );
                    }
                }
            }
        }
    }
}

/// How often the first label is found where its second value is a tenth better.
fn share_better(shape: &Shape, studies: u64, label: impl Fn(&mut Dataset)) -> f64 {
    let held = |seed: &u64| {
        let mut noise = Noise::new(*seed);
        let own: Vec<f64> = (0..shape.targets).map(|_| noise.factor(shape.own)).collect();
        let mut data = dataset(
            &NAMES[..shape.targets],
            &LEVELS[..shape.levels],
            shape.repeats,
            |name, _, _| {
                let target = NAMES.iter().position(|other| *other == name).expect("one of them");
                20_000.0
                    * own[target]
                    * noise.factor(shape.scatter)
                    * if target % 2 == 1 { 1.1 } else { 1.0 }
            },
        );
        label(&mut data);
        let analysis = analyse_without_laws(&data);
        analysis.factors.iter().any(|factor| {
            factor.label.starts_with("l")
                && !factor.label.ends_with(['1', '2'])
                && differs(factor.verdict)
        })
    };
    100.0 * (0..studies).filter(held).count() as f64 / studies as f64
}

/// So many, or as many as the environment says.
fn studies(usual: u64) -> u64 {
    std::env::var("STUDIES").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// Whether the first two of three targets at one level are told apart, whatever the third does.
fn told_apart(paired: bool, third: [f64; 3]) -> bool {
    let values = [[356.0, 368.0, 410.0], [53.0, 75.0, 85.0], third];
    let block = if paired { "block" } else { "repeat" };
    let mut table = format!("target,test,concurrency,{block},metric,value,unit\n");
    for (target, values) in values.iter().enumerate() {
        for (repeat, value) in (1..).zip(values) {
            table += &format!("t{target},w,1,{repeat},transactions_per_s,{value},1/s\n");
        }
    }
    first_two_differ(&analyse_without_laws(&test_support::imported("a.csv", &table)))
}

#[test]
fn a_third_target_takes_no_verdict_from_two_that_are_far_apart() {
    let thirds = [
        [200.0, 210.0, 190.0],
        [100.0, 900.0, 300.0],
        [10.0, 1000.0, 50.0],
        [1.0, 5000.0, 80.0],
        [300.0, 300.0, 300.0],
        [2.0, 2000.0, 2.0],
    ];
    for third in thirds {
        assert!(told_apart(true, third), "in blocks beside {third:?}");
        assert!(told_apart(false, third), "by itself beside {third:?}");
    }
}

#[test]
fn a_noisy_target_leaves_the_others_their_verdicts_and_finds_none_that_are_not() {
    let plain = Shape { targets: 3, levels: 3, ..PLAIN };
    let noisy = Shape { noisy: 10.0, ..plain };
    let found = |shape: Shape| Shape { ratio: 1.25, ..shape }.share(60, first_two_differ);
    let (without, with) = (found(plain), found(noisy));
    assert!(with > 0.85 * without, "{with} % of {without} %");
    let error = noisy.share(150, |analysis| quiet_differ(analysis, ""));
    // Two and a half standard errors above 5 %.
    assert!(error < 9.5, "{error} %");
}
