//! What labels do, from studies in which that is known.

use crate::support::{Noise, dataset, found};
use analyse::{Analysis, Evidence, FactorEffect, HoldsFor, Verdict, analyse};
use model::Dataset;

const TARGETS: [&str; 4] = ["shared", "dedicated", "shared-opt", "dedicated-opt"];
const LEVELS: [u32; 5] = [16, 32, 64, 128, 256];

fn label(data: &mut Dataset, target: &str, labels: &[(&str, &str)]) {
    let target = data.study.targets.iter_mut().find(|t| t.name == target).expect("a target");
    target.labels =
        labels.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
}

/// Study 000's two questions: tenancy moves nothing, EBS optimisation helps above 64 clients by 6
/// per cent; each with a factor of its own on top for the target of that name.
fn study_000(mut extra: impl FnMut(&str, u32) -> f64) -> Dataset {
    let mut noise = Noise::new(11);
    let mut data = dataset(&TARGETS, &LEVELS, 6, |target, clients, _| {
        let optimised = target.ends_with("-opt") && clients > 64;
        let gain = if optimised { 1.06 } else { 1.0 };
        5000.0 * gain * extra(target, clients) * noise.factor(0.004)
    });
    for target in TARGETS {
        let tenancy = if target.starts_with("shared") { "shared" } else { "dedicated" };
        let optimised = if target.ends_with("-opt") { "yes" } else { "no" };
        label(&mut data, target, &[("tenancy", tenancy), ("ebs_optimised", optimised)]);
    }
    data
}

fn contrast<'a>(analysis: &'a Analysis, label: &str) -> &'a FactorEffect {
    analysis.factors.iter().find(|found| found.label == label).expect("a contrast")
}

#[test]
fn study_000_s_factors_are_told_with_where_they_matter() {
    let data = study_000(|_, _| 1.0);
    let analysis = analyse(&data);
    let labels: Vec<&str> = analysis.factors.iter().map(|found| found.label.as_str()).collect();
    assert_eq!(labels, ["ebs_optimised", "tenancy"]);

    let tenancy = contrast(&analysis, "tenancy");
    assert_eq!((tenancy.from.as_str(), tenancy.to.as_str()), ("shared", "dedicated"));
    assert_eq!(tenancy.verdict, Verdict::Equivalent);
    let pairs: Vec<(&str, &str)> =
        tenancy.pairs.iter().map(|p| (p.baseline.as_str(), p.candidate.as_str())).collect();
    assert_eq!(pairs, [("shared", "dedicated"), ("shared-opt", "dedicated-opt")]);
    assert!(!tenancy.pairs_differ);

    let optimised = contrast(&analysis, "ebs_optimised");
    let by_level: Vec<(u32, Verdict)> =
        optimised.levels.iter().map(|effect| (effect.level.clients, effect.verdict)).collect();
    let (same, better) = (Verdict::Equivalent, Verdict::CandidateBetter);
    assert_eq!(by_level, [(16, same), (32, same), (64, same), (128, better), (256, better)]);
    assert!((optimised.levels[4].ratio.point - 1.06).abs() < 0.01);
    assert_eq!(found(&analysis, |e| matches!(e, Evidence::FactorEffect(_))).len(), 2);
}

#[test]
fn an_effect_that_depends_on_the_rest_of_the_target_is_told_so() {
    let data = study_000(|target, _| if target == "dedicated-opt" { 1.3 } else { 1.0 });
    assert!(contrast(&analyse(&data), "tenancy").pairs_differ);
}

#[test]
fn what_a_mean_over_levels_leaves_out_is_counted() {
    let mut data = study_000(|_, _| 1.0);
    assert_eq!(contrast(&analyse(&data), "tenancy").left_out, (0, 10));
    data.trials.retain(|record| record.key.level.clients != 16 || record.key.repeat == 1);
    assert_eq!(contrast(&analyse(&data), "tenancy").left_out, (2, 10));
}

#[test]
fn targets_that_differ_in_two_labels_or_lack_one_are_not_compared() {
    let mut data = dataset(&["a", "b", "c"], &[8], 3, |_, _, _| 1000.0);
    label(&mut data, "a", &[("tenancy", "shared"), ("tuned", "no")]);
    label(&mut data, "b", &[("tenancy", "dedicated"), ("tuned", "yes")]);
    label(&mut data, "c", &[("tenancy", "dedicated")]);
    assert!(analyse(&data).factors.is_empty());
}

#[test]
fn scatter_leaves_a_factor_unresolved() {
    let mut data = dataset(&["a", "b"], &[8], 3, |target, _, repeat| {
        1000.0 * if target == "a" { 1.0 } else { [0.8, 1.0, 1.3][repeat as usize - 1] }
    });
    label(&mut data, "a", &[("tenancy", "shared")]);
    label(&mut data, "b", &[("tenancy", "dedicated")]);
    assert_eq!(analyse(&data).factors[0].verdict, Verdict::Unresolved);
}

/// Targets by turns with the one and the other value of a label, alike in all else.
fn replicates(targets: &[&str], throughput: impl FnMut(&str, u32, u32) -> f64) -> Dataset {
    let mut data = dataset(targets, &[8, 16], 3, throughput);
    for (place, target) in targets.iter().enumerate() {
        label(&mut data, target, &[("disk", ["old", "new"][place % 2])]);
    }
    data
}

#[test]
fn targets_and_not_repeats_are_the_replicates_of_a_label() {
    // Every target differs from the others by more than the label does.
    let names = ["a", "b", "c", "d", "e", "f"];
    let own = [1.0, 1.06, 0.94, 1.0, 1.05, 1.11];
    let mut noise = Noise::new(3);
    let data = replicates(&names, |name, _, _| {
        10_000.0 * own[names.iter().position(|n| *n == name).unwrap()] * noise.factor(0.002)
    });
    let analysis = analyse(&data);
    let disk = contrast(&analysis, "disk");
    assert_eq!(disk.holds_for, HoldsFor::TargetsLikeThese);
    assert_eq!(disk.verdict, Verdict::Unresolved);

    // Of two targets nothing is known of others, and that is said.
    let data = replicates(&names[..2], |name, _, _| {
        10_000.0 * if name == "b" { 1.06 } else { 1.0 } * noise.factor(0.002)
    });
    let analysis = analyse(&data);
    let disk = contrast(&analysis, "disk");
    assert_eq!(disk.holds_for, HoldsFor::TheseTargets);
    assert_eq!(disk.verdict, Verdict::CandidateBetter);
}

#[test]
fn a_factor_is_the_mean_of_its_pairs_whatever_one_trial_does() {
    let mut noise = Noise::new(3);
    let mut data = dataset(&TARGETS, &[16, 32, 64], 5, |target, clients, repeat| {
        let gain = match target {
            "dedicated" => 1.11,
            "dedicated-opt" => 1.13,
            _ => 1.0,
        };
        let bad = target == "dedicated" && clients == 32 && repeat == 2;
        5000.0 * gain * noise.factor(0.01) * if bad { 0.3 } else { 1.0 }
    });
    for target in TARGETS {
        let tenancy = if target.starts_with("shared") { "shared" } else { "dedicated" };
        let optimised = if target.ends_with("-opt") { "yes" } else { "no" };
        label(&mut data, target, &[("tenancy", tenancy), ("ebs_optimised", optimised)]);
    }
    let analysis = analyse(&data);
    let tenancy = contrast(&analysis, "tenancy");
    assert!((tenancy.ratio.point - 1.12).abs() < 0.01, "{:?}", tenancy.ratio);
    assert_eq!(tenancy.verdict, Verdict::CandidateBetter);
}
