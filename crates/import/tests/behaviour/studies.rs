//! Published studies, imported from their figures: the analysis must come to the order that the
//! studies themselves print, and claim no more than one measurement allows.

use analyse::capacity::{Answer, Page, Question, answers};
use analyse::{Analysis, Evidence, LatencyKnee, Metric, TestAnalysis, Verdict};
use model::{Dataset, Level, Target};
use std::collections::BTreeMap;
use test_support::imported;

fn bmt() -> Dataset {
    imported("002-aws-bmt", include_str!("../../../analyse/tests/fixtures/002-aws-bmt.csv"))
}

fn test_named<'a>(analysis: &'a Analysis, name: &str) -> &'a TestAnalysis {
    analysis.tests.iter().find(|test| test.test == name).unwrap()
}

/// The ranks that the study prints beside its figures, by target.
fn ranks_in_print(dataset: &Dataset, test: &str) -> BTreeMap<String, usize> {
    let of_test = dataset.trials.iter().filter(|record| record.key.test == test);
    of_test
        .filter_map(|record| {
            let rank = record.imported()?.number("rank")?.value;
            Some((record.key.target.clone(), rank as usize))
        })
        .collect()
}

#[test]
fn the_ranks_of_all_six_tests_follow_from_the_figures() {
    let dataset = bmt();
    let analysis = analyse::analyse(&dataset);
    assert_eq!(analysis.tests.len(), 6);
    for test in &analysis.tests {
        let printed = test.ranking.measured_once.iter();
        let found: BTreeMap<String, usize> =
            printed.map(|place| (place.target.clone(), place.place)).collect();
        assert_eq!(found, ranks_in_print(&dataset, &test.test), "{}", test.test);
    }
}

#[test]
fn each_test_is_judged_by_what_it_has() {
    let dataset = bmt();
    let analysis = analyse::analyse(&dataset);
    let metric = |name| test_named(&analysis, name).basis.unwrap().metric;
    assert_eq!(metric("replication-catch-up"), Metric::Elapsed);
    assert_eq!(metric("alter-table"), Metric::Elapsed);
    assert_eq!(metric("oltp-read-write"), Metric::Throughput, "it has a time taken as well");
    let cell = &test_named(&analysis, "replication-catch-up").cells[0];
    assert_eq!(cell.estimate(Metric::Elapsed).unwrap().point, 266.0 * 60.0, "printed in minutes");
}

#[test]
fn the_summary_counts_first_and_second_places() {
    let dataset = bmt();
    let summary = analyse::analyse(&dataset).summary.unwrap();
    let counts: Vec<(&str, usize, usize)> =
        summary.targets.iter().map(|t| (t.target.as_str(), t.first, t.second)).collect();
    assert_eq!(counts, [("idc-fio", 4, 2), ("ec2-tuned", 2, 1), ("aurora-r3.8xlarge", 0, 3)]);
    assert!(summary.tests.iter().all(|top_two| top_two.measured_once));
}

#[test]
fn failures_come_last_with_their_reason() {
    let dataset = bmt();
    let analysis = analyse::analyse(&dataset);
    let failed = |name| -> Vec<(&str, &str)> {
        let failed = test_named(&analysis, name).ranking.failed.iter();
        failed.map(|f| (f.target.as_str(), f.failure.message.as_str())).collect()
    };
    let lost = "lost connection";
    assert_eq!(
        failed("analytic-query"),
        [("aurora-r3.2xlarge", lost), ("aurora-r3.4xlarge", lost)]
    );
    let [(target, reason)] = failed("alter-table")[..] else { panic!("one target failed") };
    assert!(target == "aurora-r3.2xlarge" && reason.contains("/tmp too small"), "{reason}");
}

#[test]
fn the_vps_is_behind_at_every_level_as_printed() {
    let text = include_str!("../../../analyse/tests/fixtures/001-vps-vs-hardware.csv");
    let dataset = imported("001-vps-vs-hardware", text);
    let analysis = analyse::analyse(&dataset);
    let [test] = &analysis.tests[..] else { panic!("the study has one test") };
    assert_eq!(test.basis.unwrap().metric, Metric::LatencyP95);
    let names: Vec<&str> = test.ranking.measured_once.iter().map(|p| p.target.as_str()).collect();
    assert_eq!(names, ["hardware", "vps"]);
    assert!(test.ranking.first_at_every_level);
    let levels: Vec<Level> = test.comparisons.iter().map(|c| c.level).collect();
    assert_eq!(levels, [8, 16, 32, 64, 128].map(Level::clients));
    for comparison in &test.comparisons {
        assert!(comparison.ratio.point > 3.0, "the vps takes three times as long at least");
    }
    let monthly = |target: &Target| target.price.as_ref().unwrap().fixed_monthly(None).unwrap();
    let prices: Vec<f64> = dataset.study.targets.iter().map(monthly).collect();
    assert_eq!(prices, [2300.0, 630.0]);
}

#[test]
fn the_vps_bears_a_page_of_five_cold_queries_at_sixteen_clients_as_measured() {
    let text = include_str!("../../../analyse/tests/fixtures/001-vps-vs-hardware.csv");
    let dataset = imported("001-vps-vs-hardware", text);
    let analysis = analyse::analyse(&dataset);
    let ask = |clients, budget_ms| {
        let page = Some(Page { budget_ms, queries: 5 });
        answers(&analysis, &Question { clients: Some(clients), page, ..Question::default() })
            .remove(0)
    };
    let published = ask(16, 5_000.0);
    let [hardware, vps] = &published.targets[..] else { panic!("two targets") };
    assert_eq!([hardware.answer, vps.answer], [Answer::YesMeasuredOnce; 2]);
    assert_eq!(vps.parts[0].grounds[0].estimate.unwrap().point, 208.78);
    assert_eq!(published.sufficient, ["vps", "hardware"], "630 against 2,300 a month");
    // 5 × 208.78 ms are 1.04 s; at 128 clients they are 4.5 s.
    let answer = |clients, budget_ms| ask(clients, budget_ms).targets[1].answer;
    assert_eq!(answer(16, 1_043.0), Answer::NoMeasuredOnce);
    assert_eq!(answer(16, 1_044.0), Answer::YesMeasuredOnce);
    assert_eq!(answer(128, 4_000.0), Answer::NoMeasuredOnce);
    assert_eq!(answer(100, 4_500.0), Answer::YesMeasuredOnce, "between 64 and 128");
    assert_eq!(answer(256, 5_000.0), Answer::Unknown, "nobody measured that");
}

#[test]
fn figures_that_were_measured_once_decide_nothing() {
    let dataset = bmt();
    let analysis = analyse::analyse(&dataset);
    let verdicts = analysis.tests.iter().flat_map(|test| &test.comparisons);
    assert!(verdicts.clone().count() > 50);
    assert!(verdicts.clone().all(|c| c.verdict == Verdict::Unresolved));
    assert!(analysis.tests.iter().all(|test| test.ranking.tiers.len() == 1));
    let claims = |evidence: &Evidence| {
        matches!(evidence, Evidence::BetterAtLevels(_) | Evidence::EquivalentAtLevels(_))
    };
    assert!(!analysis.findings.iter().any(|finding| claims(&finding.evidence)));
}

#[test]
fn figures_of_unknown_names_are_kept_and_rank_nothing() {
    let text = include_str!("../../../analyse/tests/fixtures/003-storage-cluster.csv");
    let dataset = imported("003-storage-cluster", text);
    let analysis = analyse::analyse(&dataset);
    assert_eq!(analysis.tests.len(), 7, "one for each share of reads");
    assert!(analysis.tests.iter().all(|test| test.basis.is_none() && test.comparisons.is_empty()));
    let test = test_named(&analysis, "t1 o32 b16k random, read_percent 100");
    let figure = test.figures.iter().find(|figure| figure.metric == "iops_per_volume").unwrap();
    assert_eq!(figure.values[0].estimate.unwrap().point, 475_000.0);
}

#[test]
fn a_study_of_prices_has_targets_and_no_tests() {
    let text = include_str!("../../../analyse/tests/fixtures/004-redis-volumes-prices.csv");
    let dataset = imported("004-redis-volumes-prices", text);
    let analysis = analyse::analyse(&dataset);
    assert_eq!(dataset.study.targets.len(), 4);
    assert!(analysis.tests.is_empty() && analysis.summary.is_none());
}

/// The study says that latency bends sharply upwards from 64 threads on for both servers, and that
/// the VPS is behind throughout.
#[test]
fn both_servers_have_their_critical_point_at_64_clients() {
    let text = include_str!("../../../analyse/tests/fixtures/001-vps-vs-hardware.csv");
    let dataset = imported("001-vps-vs-hardware", text);
    let analysis = analyse::analyse(&dataset);
    let bends: Vec<(&str, &LatencyKnee)> = analysis
        .findings
        .iter()
        .filter_map(|finding| match &finding.evidence {
            Evidence::LatencyKnee(bend) => Some((finding.subject.target.as_deref()?, bend)),
            _ => None,
        })
        .collect();
    let [(hardware, of_hardware), (vps, of_vps)] = bends[..] else { panic!("{bends:?}") };
    assert_eq!((hardware, vps), ("hardware", "vps"));
    for bend in [of_hardware, of_vps] {
        assert_eq!((bend.metric, bend.from), (Metric::LatencyP95, Level::clients(64)));
        assert_eq!(bend.growth.interval, None, "measured once");
        assert!(bend.saturated, "throughput has all but stopped growing: {bend:?}");
    }
    // 263.22 ÷ 123.06, and 2 × 177.6 ÷ 341.08.
    assert!((of_hardware.growth.point - 2.139).abs() < 0.001);
    assert!((of_vps.throughput.unwrap().point - 1.041).abs() < 0.001);
}

#[test]
fn the_vps_falls_further_behind_with_load() {
    let text = include_str!("../../../analyse/tests/fixtures/001-vps-vs-hardware.csv");
    let dataset = imported("001-vps-vs-hardware", text);
    let analysis = analyse::analyse(&dataset);
    let gap = |metric| {
        let gaps = analysis.findings.iter().filter_map(|finding| match &finding.evidence {
            Evidence::LatencyGap(gap) => Some(gap),
            _ => None,
        });
        gaps.clone().find(|gap| gap.metric == metric).unwrap()
    };
    let (p95, mean) = (gap(Metric::LatencyP95), gap(Metric::LatencyMean));
    for gap in [p95, mean] {
        assert_eq!((gap.ahead.as_str(), gap.behind.as_str()), ("hardware", "vps"));
        assert_eq!(gap.lowest.level, Level::clients(8));
        assert_eq!(gap.highest.level, Level::clients(128));
    }
    let near = |value: f64, truth: f64| assert!((value - truth).abs() < 0.005, "{value}");
    near(p95.lowest.difference_ms, 120.90);
    near(p95.highest.difference_ms, 636.21);
    near(mean.lowest.ratio, 2.13);
    near(mean.highest.ratio, 3.45);
}

#[test]
fn latency_that_grows_ever_more_slowly_relative_to_clients_has_no_critical_point() {
    let bends = |latencies: [f64; 5]| {
        let rows = [8, 16, 32, 64, 128].into_iter().zip(latencies);
        let rows: String =
            rows.map(|(n, ms)| format!("a,oltp,{n},latency_p95,{ms},ms,\n")).collect();
        let dataset =
            imported("some", &format!("target,test,concurrency,metric,value,unit,note\n{rows}"));
        let findings = analyse::analyse(&dataset).findings;
        findings.into_iter().filter(|f| matches!(f.evidence, Evidence::LatencyKnee(_))).count()
    };
    assert_eq!(bends([10.0, 20.0, 36.0, 60.0, 95.0]), 0, "steepest at first");
    assert_eq!(bends([10.0, 20.0, 40.0, 80.0, 165.0]), 0, "hardly more than before");
    assert_eq!(bends([10.0, 12.0, 15.0, 18.0, 40.0]), 1);
    assert_eq!(bends([1.0, 1.0, 1.0, 1.0, 2.0]), 0, "printed too coarsely to tell");
}
