//! The wording of what is said of curves, and of two curves that meet.

use crate::support::ratio;
use analyse::{
    AtHighestLevel, BelowNoiseFloor, Dominates, GapAt, LatencyGap, LatencyKnee, Metric,
    NoScalingLaw, NoiseFloor,
};
use analyse::{
    Crossover, Evidence, Finding, FittedLaw, Growth, NoLaw, ScalingLaw, Severity, Subject,
};
use model::{Level, UnitName};
use report::words::sentence;
use stats::{Estimate, UslPeak};

fn level(clients: u32) -> Level {
    Level::clients(clients)
}

fn said(target: Option<&str>, evidence: Evidence) -> String {
    let subject = Subject {
        test: Some("oltp".into()),
        target: target.map(str::to_owned),
        ..Subject::default()
    };
    sentence(&Finding { severity: Severity::Notice, subject, evidence }, UnitName::TRANSACTION)
}

fn growth() -> Growth {
    Growth {
        target: "metal".into(),
        linear_up_to: Some(level(16)),
        below_ideal_from: Some(level(32)),
        knee: vec![level(16), level(32)],
        plateau: Some((level(32), level(64))),
        declines_from: Some(level(128)),
        margin: 0.03,
    }
}

fn law(peak: Option<UslPeak>) -> ScalingLaw {
    ScalingLaw {
        target: "metal".into(),
        law: FittedLaw::Universal {
            lambda: ratio(512.0, 500.0, 525.0),
            sigma: ratio(0.0493, 0.0412, 0.0581),
            kappa: ratio(0.000_81, 0.000_7, 0.000_93),
        },
        peak,
        highest: None,
        either: false,
        measured_up_to: level(64),
        measured_peak: level(32),
        residuals: vec![(level(1), 0.004), (level(8), -0.021)],
        lack_of_fit: 0.4,
        describes: true,
    }
}

fn peak(clients: f64, low: f64, high: Option<f64>) -> Option<UslPeak> {
    Some(UslPeak { clients: Some(clients), low: Some(low), high, confidence: 0.95 })
}

fn ceiling(lambda: f64, ceiling: Estimate) -> FittedLaw {
    FittedLaw::Saturating { lambda: ratio(lambda, lambda, lambda), ceiling, sharpness: 4.0 }
}

#[test]
fn curves_and_crossings_read_as_sentences() {
    let of_law = Evidence::ScalingLaw;
    let none = Growth { linear_up_to: None, plateau: None, declines_from: None, ..growth() };
    let crossover = |at: Option<Estimate>| {
        Evidence::Crossover(Crossover {
            below: "metal".into(),
            above: "service".into(),
            between: (level(64), level(128)),
            at,
        })
    };
    let highest = Evidence::AtHighestLevel(AtHighestLevel {
        winner: "service".into(),
        loser: "metal".into(),
        level: level(256),
        ratio: ratio(3.0, 2.94, 3.06),
    });
    let dominates = |same: Vec<Level>| {
        Evidence::Dominates(Dominates {
            winner: "service".into(),
            loser: "metal".into(),
            better: vec![level(4), level(8)],
            same,
        })
    };
    let all = [
        said(Some("metal"), Evidence::Growth(growth())),
        said(Some("metal"), Evidence::Growth(none)),
        said(Some("metal"), of_law(law(peak(34.2, 31.0, Some(38.4))))),
        said(Some("metal"), of_law(law(peak(134.2, 91.0, None)))),
        said(Some("metal"), of_law(law(None))),
        said(Some("metal"), of_law(ScalingLaw { either: true, ..law(None) })),
        said(
            Some("metal"),
            of_law(ScalingLaw {
                law: ceiling(512.0, ratio(9_800.0, 9_700.0, 9_900.0)),
                ..law(None)
            }),
        ),
        said(
            Some("metal"),
            of_law(ScalingLaw {
                law: ceiling(300.0, ratio(29_800.0, 25_700.0, 35_900.0)),
                either: true,
                ..law(None)
            }),
        ),
        said(Some("metal"), of_law(ScalingLaw { describes: false, ..law(None) })),
        said(
            Some("metal"),
            of_law(ScalingLaw { describes: false, lack_of_fit: 0.01, ..law(None) }),
        ),
        said(
            Some("metal"),
            of_law(ScalingLaw {
                describes: false,
                lack_of_fit: 0.01,
                residuals: vec![(level(1), 0.12)],
                ..law(None)
            }),
        ),
        said(Some("metal"), Evidence::NoScalingLaw(NoScalingLaw { why: NoLaw::NoSingleClient })),
        said(
            Some("metal"),
            Evidence::NoScalingLaw(NoScalingLaw { why: NoLaw::FewLevels { steady: 5, needed: 6 } }),
        ),
        said(Some("metal"), Evidence::NoScalingLaw(NoScalingLaw { why: NoLaw::FewRepeats })),
        said(None, crossover(Some(ratio(81.3, 77.0, 86.2)))),
        said(None, crossover(None)),
        said(None, highest),
        said(None, dominates(vec![])),
        said(None, dominates(vec![level(1), level(2)])),
    ];
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn what_latencies_alone_show_is_said_as_printed() {
    let single = |point| Estimate { point, interval: None, n: 1 };
    let bend = |growth, throughput| LatencyKnee {
        metric: Metric::LatencyP95,
        from: level(64),
        to: level(128),
        growth,
        growth_before: single(1.8044),
        throughput,
        saturated: true,
    };
    let printed = Evidence::LatencyKnee(bend(single(2.139), Some(single(1.0802))));
    assert_eq!(
        said(Some("hardware"), printed),
        "oltp, hardware: p95 latency rises faster above 64 clients, as printed: up to 128 clients \
         each doubling of clients multiplies it by 2.14, below that by at most 1.80. \
         By Little’s law, as clients ÷ mean latency, throughput at 128 clients is 1.08 × that at \
         64 clients: it has almost stopped growing."
    );
    let measured = said(Some("hardware"), Evidence::LatencyKnee(bend(ratio(2.1, 2.0, 2.2), None)));
    assert!(!measured.contains("as printed") && !measured.contains("Little"), "{measured}");
    let gap = Evidence::LatencyGap(LatencyGap {
        metric: Metric::LatencyP95,
        ahead: "hardware".into(),
        behind: "vps".into(),
        lowest: GapAt { level: level(8), difference_ms: 120.9, ratio: 4.594 },
        highest: GapAt { level: level(128), difference_ms: 636.21, ratio: 3.417 },
    });
    assert_eq!(
        said(None, gap),
        "oltp: as printed, the p95 latency of vps is higher than that of hardware at every level: \
         by 121 ms (4.59 ×) at 8 clients, by 636 ms (3.42 ×) at 128 clients."
    );
}

#[test]
fn a_floor_and_what_lies_below_it_read_as_sentences() {
    let floor = Evidence::NoiseFloor(NoiseFloor {
        target: "a".into(),
        aa_control: "a (again)".into(),
        metric: Metric::Throughput,
        ratios: vec![(level(8), ratio(1.01, 0.99, 1.042)), (level(16), ratio(1.0, 0.98, 1.02))],
        factor: 1.042,
    });
    assert_eq!(
        said(None, floor),
        "oltp: the noise floor of throughput is ±4.2\u{a0}%: the largest difference from itself that was \
         measured for a at 8 and 16 clients; weighin claims no difference between targets that does not \
         clear this floor."
    );
    let below = Evidence::BelowNoiseFloor(BelowNoiseFloor {
        a: "a".into(),
        b: "b".into(),
        levels: vec![level(8)],
        metric: Metric::Throughput,
        factor: 1.042,
    });
    assert_eq!(
        said(None, below),
        "oltp: a and b cannot be told apart at 8 clients: their difference in throughput is below \
         the noise floor of ±4.2\u{a0}%."
    );
}
