use analyse::*;
use model::{Dataset, Latencies, TrialRecord};
use stats::{Estimate, Interval, IntervalMethod};
use std::collections::BTreeMap;
use std::time::Duration;

/// What could be concluded from a run of one test.
pub fn analysis(dataset: &Dataset) -> Analysis<'_> {
    let test = &dataset.study.tests[0];
    let mut cells = Vec::new();
    for target in &dataset.study.targets {
        for &level in &test.levels {
            cells.push(cell(dataset, &target.name, level));
        }
    }
    let comparisons = comparisons(dataset, &cells);
    let curves: Vec<Curve> =
        dataset.study.targets.iter().filter_map(|t| curve(&cells, &t.name)).collect();
    let ranking = ranking(&curves);
    let findings = findings(dataset, &curves, &comparisons);
    let test = TestAnalysis { test: test.name.clone(), cells, curves, comparisons, ranking };
    Analysis { dataset, tests: vec![test], findings, settings: settings(dataset) }
}

/// The median with an interval that is wider the fewer values there are.
fn estimate(values: &[f64]) -> Option<Estimate> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let point = *sorted.get(sorted.len() / 2)?;
    let half = 1.1 * (sorted[sorted.len() - 1] - sorted[0]) / (sorted.len() as f64).sqrt();
    let interval = (sorted.len() > 1).then(|| Interval {
        low: (point - half).max(point * 0.1),
        high: point + half,
        confidence: 0.95,
        method: IntervalMethod::StudentLog,
    });
    Some(Estimate { point, interval, n: sorted.len() })
}

fn cell(dataset: &Dataset, target: &str, level: model::Level) -> Cell {
    let records: Vec<(usize, &TrialRecord)> = dataset
        .trials
        .iter()
        .enumerate()
        .filter(|(_, record)| record.key.target == target && record.key.level == level)
        .collect();
    let trials = records.iter().map(|(i, record)| TrialAssessment {
        repeat: record.key.repeat,
        validity: match record.load() {
            None => Validity::Void,
            Some(_) if record.position == 4 => Validity::Suspect,
            Some(_) => Validity::Valid,
        },
        throughput: record.load().map(|load| load.measure.transactions_per_second()),
        latency_p95_ms: record.load().and_then(|load| load.latencies.percentile_ms(95.0)),
        record: *i,
    });
    let loads: Vec<_> = records.iter().filter_map(|(_, record)| record.load()).collect();
    let over = |of: &dyn Fn(&model::LoadResult) -> f64| {
        estimate(&loads.iter().map(|load| of(load)).collect::<Vec<f64>>())
    };
    let percentile = |p| over(&|load| load.latencies.percentile_ms(p).unwrap());
    let mut latencies = Latencies::new();
    loads.iter().for_each(|load| latencies.merge(&load.latencies));
    Cell {
        target: target.into(),
        level,
        trials: trials.collect(),
        throughput: over(&|load| load.measure.transactions_per_second()),
        latency_mean_ms: over(&|load| load.latencies.mean_ms().unwrap()),
        latency_p50_ms: percentile(50.0),
        latency_p95_ms: percentile(95.0),
        latency_p99_ms: percentile(99.0),
        spread: (!loads.is_empty()).then_some(0.047),
        latencies,
    }
}

fn comparisons(dataset: &Dataset, cells: &[Cell]) -> Vec<Comparison> {
    let mut comparisons = Vec::new();
    let targets = &dataset.study.targets;
    for (i, baseline) in targets.iter().enumerate() {
        for candidate in &targets[i + 1..] {
            for a in cells.iter().filter(|cell| cell.target == baseline.name) {
                let b = cells.iter().find(|c| c.target == candidate.name && c.level == a.level);
                comparisons.extend(b.and_then(|b| comparison(a, b, Metric::Throughput)));
                comparisons.extend(b.and_then(|b| comparison(a, b, Metric::LatencyP95)));
            }
        }
    }
    comparisons
}

fn comparison(a: &Cell, b: &Cell, metric: Metric) -> Option<Comparison> {
    let (base, figure) = match metric {
        Metric::Throughput => (a.throughput?, b.throughput?),
        Metric::LatencyP95 => (a.latency_p95_ms?, b.latency_p95_ms?),
    };
    let point = figure.point / base.point;
    let mut ratio = ratio(point, point * 0.93, point * 1.08);
    if base.interval.is_none() {
        ratio = Estimate { point, interval: None, n: 1 };
    }
    let verdict = match (metric, point) {
        _ if ratio.interval.is_none() => Verdict::Unresolved,
        (_, p) if (0.93..1.08).contains(&p) => Verdict::Unresolved,
        (Metric::Throughput, p) if p > 1.0 => Verdict::CandidateBetter,
        (Metric::LatencyP95, p) if p < 1.0 => Verdict::CandidateBetter,
        _ => Verdict::BaselineBetter,
    };
    Some(Comparison {
        baseline: a.target.clone(),
        candidate: b.target.clone(),
        level: a.level,
        metric,
        base,
        ratio,
        verdict,
    })
}

/// A ratio of three pairs.
pub fn ratio(point: f64, low: f64, high: f64) -> Estimate {
    let method = IntervalMethod::StudentLog;
    Estimate { point, interval: Some(Interval { low, high, confidence: 0.95, method }), n: 3 }
}

fn curve(cells: &[Cell], target: &str) -> Option<Curve> {
    let of_target = || cells.iter().filter(|cell| cell.target == target);
    let measured = of_target().filter_map(|cell| Some((cell.level, cell.throughput?)));
    let (peak, peak_throughput) = measured.max_by(|a, b| a.1.point.total_cmp(&b.1.point))?;
    let last = of_target().next_back()?;
    let shape = match last.throughput {
        Some(_) if of_target().count() == 1 => CurveShape::SinglePoint,
        Some(_) if last.level == peak => CurveShape::StillRising,
        Some(at_last) => {
            let share = at_last.point / peak_throughput.point;
            CurveShape::Declines { at: last.level, ratio: ratio(share, share * 0.95, share * 1.04) }
        }
        None => CurveShape::Unresolved,
    };
    Some(Curve { target: target.into(), peak, peak_throughput, shape })
}

fn ranking(curves: &[Curve]) -> Ranking {
    let mut best: Vec<&Curve> = curves.iter().collect();
    best.sort_by(|a, b| b.peak_throughput.point.total_cmp(&a.peak_throughput.point));
    let place = |curve: &&Curve| Place {
        target: curve.target.clone(),
        level: curve.peak,
        throughput: curve.peak_throughput,
        cost_per_million: (curve.target == "durable")
            .then(|| (23.0 / (curve.peak_throughput.point * 2.628), "EUR".into())),
    };
    let measured_once = best.iter().all(|curve| curve.peak_throughput.interval.is_none());
    let tiers = if measured_once {
        vec![best.iter().map(place).collect()]
    } else {
        best.iter().map(|curve| vec![place(curve)]).collect()
    };
    Ranking { tiers, unranked: Vec::new() }
}

fn findings(dataset: &Dataset, curves: &[Curve], comparisons: &[Comparison]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for record in &dataset.trials {
        if let Some(failure) = record.failure() {
            findings.push(Finding {
                severity: Severity::Severe,
                subject: Subject {
                    test: Some(record.key.test.clone()),
                    target: Some(record.key.target.clone()),
                    level: Some(record.key.level),
                    repeat: Some(record.key.repeat),
                },
                evidence: Evidence::TrialFailed { failure: failure.clone() },
            });
        }
    }
    let test = || Some(dataset.study.tests[0].name.clone());
    let mut add = |severity, subject, evidence| {
        findings.push(Finding { severity, subject, evidence });
    };
    let everywhere = Subject::default;
    let planned = dataset.plan.trials().count();
    add(Severity::Warning, everywhere(), Evidence::TrialsMissing { missing: 1, planned });
    add(
        Severity::Warning,
        everywhere(),
        Evidence::FewRepeats { repeats: dataset.study.repeats, needed: 6 },
    );
    let suspect = dataset.trials.iter().find(|record| record.position == 4).unwrap();
    add(
        Severity::Warning,
        Subject {
            test: test(),
            target: Some(suspect.key.target.clone()),
            level: Some(suspect.key.level),
            repeat: Some(suspect.key.repeat),
        },
        Evidence::ClientBusy {
            busiest_worker: 0.93,
            share_of_allowed: 0.48,
            max_loop_lag: Duration::from_millis(12),
        },
    );
    for pair in dataset.study.targets.windows(2) {
        let ratios: Vec<Estimate> = comparisons
            .iter()
            .filter(|c| c.metric == Metric::Throughput)
            .filter(|c| c.baseline == pair[0].name && c.candidate == pair[1].name)
            .map(|c| c.ratio)
            .collect();
        let by_point = |a: &&Estimate, b: &&Estimate| a.point.total_cmp(&b.point);
        let least = *ratios.iter().min_by(by_point).unwrap();
        let most = *ratios.iter().max_by(by_point).unwrap();
        let levels = &dataset.study.tests[0].levels;
        let subject = Subject { test: test(), ..Subject::default() };
        if least.interval.is_none() {
            let (a, b) = (pair[0].name.clone(), pair[1].name.clone());
            let (from, to) = (levels[0], levels[levels.len() - 1]);
            add(Severity::Notice, subject, Evidence::Unresolved { a, b, from, to });
            continue;
        }
        add(
            Severity::Notice,
            subject,
            Evidence::Better {
                winner: pair[1].name.clone(),
                loser: pair[0].name.clone(),
                from: levels[0],
                to: levels[levels.len() - 2],
                ratios: (least, most),
            },
        );
    }
    for curve in curves {
        add(
            Severity::Notice,
            Subject {
                test: test(),
                target: Some(curve.target.clone()),
                level: Some(curve.peak),
                repeat: None,
            },
            Evidence::Peak {
                throughput: curve.peak_throughput,
                still_rising: curve.shape == CurveShape::StillRising,
            },
        );
    }
    for check in [Check::LittlesLaw, Check::ServerCounters] {
        let trials = dataset.trials.len();
        add(Severity::Passed, everywhere(), Evidence::CheckPassed { check, trials });
    }
    findings
}

fn settings(dataset: &Dataset) -> Vec<SettingDifference> {
    let values = |name: &str| -> BTreeMap<String, String> {
        let of = |facts: &model::TargetFacts| {
            Some((facts.target.clone(), facts.server.variables.get(name)?.clone()))
        };
        dataset.targets.iter().filter_map(of).collect()
    };
    let name = "innodb_flush_log_at_trx_commit";
    vec![SettingDifference { name: name.into(), values: values(name), intended: true }]
}
