//! What is concluded from curves drawn to the statements of a published study of one bare-metal
//! server and two cloud services, and from curves that are laws.

use crate::support::{Noise, dataset, found};
use analyse::{
    Analysis, AtHighestLevel, CurveShape, Dominates, EquivalentAtLevels, Evidence, FittedLaw,
    Growth, Metric, NoLaw, NoScalingLaw, Verdict, analyse,
};
use model::{Dataset, Level};

const LEVELS: [u32; 9] = [1, 2, 4, 8, 16, 32, 64, 128, 256];
const VIRTUAL: [f64; 9] = [40.0, 80.0, 160.0, 320.0, 640.0, 640.0, 644.0, 640.0, 642.0];
const SERVICE: [f64; 9] = [34.0, 68.0, 136.0, 272.0, 600.0, 800.0, 1000.0, 1400.0, 1920.0];
const METAL: [f64; 9] = [48.0, 95.0, 185.0, 360.0, 700.0, 1250.0, 1180.0, 1080.0, 900.0];

/// Virtual machines, shared and dedicated (2 % apart), a database service, and bare metal.
fn published() -> Dataset {
    let mut noise = Noise::new(11);
    dataset(&["shared", "dedicated", "service", "metal"], &LEVELS, 5, |target, clients, _| {
        let level = clients.ilog2() as usize;
        let throughput = match target {
            "shared" => VIRTUAL[level],
            "dedicated" => 1.02 * VIRTUAL[level],
            "service" => SERVICE[level],
            _ => METAL[level],
        };
        // A hundred times as fast, so that counting whole transactions does not matter.
        100.0 * throughput * noise.factor(0.002)
    })
}

fn growth<'a>(analysis: &'a Analysis, target: &str) -> &'a Growth {
    analysis.tests[0].growth.iter().find(|growth| growth.target == target).expect("a curve")
}

fn level(clients: u32) -> Level {
    Level::clients(clients)
}

#[test]
fn virtual_machines_grow_linearly_to_16_clients_and_stay_there() {
    let data = published();
    let analysis = analyse(&data);
    for target in ["shared", "dedicated"] {
        let growth = growth(&analysis, target);
        assert_eq!(growth.linear_up_to, Some(level(16)), "{growth:?}");
        assert_eq!(growth.below_ideal_from, Some(level(32)));
        assert_eq!(growth.knee, [level(16)]);
        assert_eq!(growth.plateau, Some((level(16), level(256))));
        assert_eq!(growth.declines_from, None);
    }
    assert_eq!(analysis.tests[0].curves[0].shape, CurveShape::Flat);
}

#[test]
fn bare_metal_peaks_at_32_clients_and_declines() {
    let data = published();
    let analysis = analyse(&data);
    let curve = &analysis.tests[0].curves[3];
    assert_eq!((curve.target.as_str(), curve.peak), ("metal", level(32)));
    assert!(matches!(curve.shape, CurveShape::Declines { at, .. } if at == level(256)));
    assert_eq!(growth(&analysis, "metal").declines_from, Some(level(64)));
    assert_eq!(growth(&analysis, "metal").plateau, None);
}

#[test]
fn the_service_overtakes_metal_at_128_clients_and_the_virtual_machines_above_16() {
    let data = published();
    let analysis = analyse(&data);
    let crossing = |below: &str| {
        let mut all = analysis.tests[0].crossovers.iter();
        all.find(|found| found.below == below && found.above == "service").expect("a crossing")
    };
    assert_eq!(crossing("metal").between, (level(64), level(128)));
    assert_eq!(crossing("shared").between, (level(16), level(32)));
    let at = crossing("metal").at.unwrap();
    let interval = at.interval.unwrap();
    assert!(interval.low > 64.0 && interval.high < 128.0, "{at:?}");
    assert!(interval.low < at.point && at.point < interval.high, "{at:?}");
    assert_eq!(found(&analysis, |e| matches!(e, Evidence::Crossover(_))).len(), 3);
}

#[test]
fn the_service_is_behind_below_16_clients_and_three_times_ahead_at_256() {
    let data = published();
    let analysis = analyse(&data);
    let verdicts: Vec<Verdict> = analysis.tests[0]
        .comparisons
        .iter()
        .filter(|c| c.baseline == "shared" && c.candidate == "service")
        .filter(|c| c.metric == Metric::Throughput)
        .map(|c| c.verdict)
        .collect();
    assert_eq!(verdicts[..5], [Verdict::BaselineBetter; 5]);
    assert_eq!(verdicts[5..], [Verdict::CandidateBetter; 4]);
    let highest = found(&analysis, |evidence| match evidence {
        Evidence::AtHighestLevel(AtHighestLevel { winner, loser, .. }) => {
            winner == "service" && loser == "shared"
        }
        _ => false,
    });
    let Evidence::AtHighestLevel(AtHighestLevel { level: at, ratio, .. }) = &highest[0].evidence
    else {
        unreachable!("filtered above")
    };
    assert_eq!(*at, level(256));
    assert!((ratio.point - 3.0).abs() < 0.05, "{ratio:?}");
}

#[test]
fn tenancy_makes_no_difference() {
    let data = published();
    let analysis = analyse(&data);
    let same = found(&analysis, |evidence| match evidence {
        Evidence::EquivalentAtLevels(EquivalentAtLevels { a, b, .. }) => {
            a == "shared" && b == "dedicated"
        }
        _ => false,
    });
    let Evidence::EquivalentAtLevels(EquivalentAtLevels { levels, .. }) = &same[0].evidence else {
        unreachable!("filtered above")
    };
    assert_eq!(levels.len(), LEVELS.len());
}

#[test]
fn a_target_that_is_never_behind_dominates() {
    let data = dataset(&["a", "b"], &[1, 2, 4], 4, |target, clients, repeat| {
        let ahead = target == "b" && clients > 1;
        (if ahead { 20_000.0 } else { 10_000.0 }) + f64::from(repeat)
    });
    let analysis = analyse(&data);
    let dominates = found(&analysis, |e| matches!(e, Evidence::Dominates(_)));
    let Evidence::Dominates(Dominates { winner, better, same, .. }) = &dominates[0].evidence else {
        unreachable!("filtered above")
    };
    assert_eq!((winner.as_str(), better.len(), same.len()), ("b", 2, 1));
    assert!(found(&analysis, |e| matches!(e, Evidence::Crossover(_))).is_empty());
}

#[test]
fn noise_has_no_shape() {
    let mut noise = Noise::new(4);
    let data = dataset(&["a", "b"], &[1, 2, 4, 8], 3, |_, clients, _| {
        1000.0 * f64::from(clients).sqrt() * noise.factor(0.5)
    });
    let analysis = analyse(&data);
    for growth in &analysis.tests[0].growth {
        assert_eq!((growth.linear_up_to, growth.plateau, growth.declines_from), (None, None, None));
    }
    assert!(analysis.tests[0].crossovers.is_empty());
}

#[test]
fn a_law_is_fitted_and_its_peak_beyond_the_levels_is_told_from_a_measured_one() {
    let throughput = |clients: u32| {
        let n = f64::from(clients);
        50_000.0 * n / (1.0 + 0.02 * (n - 1.0) + 0.0002 * n * (n - 1.0))
    };
    let mut noise = Noise::new(2);
    let data = dataset(&["a"], &[1, 2, 4, 8, 16, 32], 4, |_, clients, _| {
        throughput(clients) * noise.factor(0.002)
    });
    let analysis = analyse(&data);
    let law = &analysis.tests[0].laws[0];
    assert!(law.describes && law.measured_up_to == level(32), "{law:?}");
    let inside = |estimate: stats::Estimate, truth: f64| {
        estimate.interval.is_some_and(|i| i.low <= truth && truth <= i.high)
    };
    let FittedLaw::Universal { sigma, kappa, .. } = law.law else { panic!("{law:?}") };
    assert!(inside(sigma, 0.02) && inside(kappa, 0.0002), "{law:?}");
    // √(0.98 / 0.0002) = 70.
    let peak = law.peak.unwrap();
    assert!(peak.clients.unwrap() > 60.0 && peak.low.unwrap() < 70.0, "{law:?}");
    assert!((law.throughput(8.0) / throughput(8) - 1.0).abs() < 0.01);
    assert_eq!(law.residuals.len(), 6);
}

#[test]
fn without_a_law_it_is_said_why() {
    let why = |levels: &[u32], repeats| {
        let data = dataset(&["a"], levels, repeats, |_, clients, _| 100.0 * f64::from(clients));
        let analysis = analyse(&data);
        assert!(analysis.tests[0].laws.is_empty());
        let none = found(&analysis, |e| matches!(e, Evidence::NoScalingLaw(_)));
        none.first().map(|finding| match finding.evidence {
            Evidence::NoScalingLaw(NoScalingLaw { why }) => why,
            _ => unreachable!("filtered above"),
        })
    };
    assert_eq!(why(&[1, 2, 4], 3), Some(NoLaw::FewLevels { steady: 3, needed: 6 }));
    assert_eq!(why(&[2, 4, 8, 16, 32, 64], 3), Some(NoLaw::NoSingleClient));
    assert_eq!(why(&[1, 2, 4, 8, 16, 32], 1), Some(NoLaw::FewRepeats));
    assert_eq!(why(&[1, 2], 3), None);
}

#[test]
fn what_is_clear_by_itself_may_be_chance_among_many() {
    // Eight levels that scatter, and one at which b happens to be ahead in every repeat: by itself
    // that would be an interval which leaves out 1.
    let mut noise = Noise::new(1);
    let data =
        dataset(&["a", "b"], &LEVELS, 3, |target, clients, repeat| match (target, clients) {
            ("b", 8) => 11_500.0 + 300.0 * f64::from(repeat),
            (_, 8) => 10_000.0,
            _ => 10_000.0 * noise.factor(0.1),
        });
    let analysis = analyse(&data);
    let lone = crate::support::comparison(&analysis, 8, Metric::Throughput);
    assert_eq!(lone.verdict, Verdict::Unresolved);
    assert!(lone.ratio.interval.unwrap().low < 1.0, "the interval shown is the one that decides");
    assert!(lone.strength.adjusted_p.unwrap() > 0.05);
    assert!(lone.strength.further_repeats.unwrap() >= 1);
}
