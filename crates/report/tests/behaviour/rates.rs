//! What a report says of a test that offers load at rates.

use crate::support::{self, rendered};
use analyse::Metric;
use analyse::capacity::{Answer, Question, Reason, answers};
use model::{Dataset, Level, LoadProfile, ProfileStage, TrialKey};
use report::Format;
use std::time::Duration;
use test_support::open_loop;

/// The usual study with a rate in place of each number of clients: 100 a second for each. At the
/// highest rate every target falls behind: a tenth of what was due was not answered in time.
fn offered() -> Dataset {
    let mut data = support::usual();
    let highest =
        data.study.tests[0].load().expect("a load").levels.iter().map(|level| level.clients).max();
    let rate = |level: &mut Level| {
        *level = Level::rate(64, 100 * level.clients);
    };
    let at_rate = |key: &mut TrialKey| rate(&mut key.level);
    data.study.tests[0].load_mut().expect("a load").levels.iter_mut().for_each(rate);
    let planned = data.plan.blocks.iter_mut().flat_map(|block| &mut block.trials);
    planned.for_each(|trial| at_rate(&mut trial.key));
    for record in &mut data.trials {
        let overloaded = Some(record.key.level.clients) == highest;
        at_rate(&mut record.key);
        let level = record.key.level;
        let Some(load) = record.load_mut() else { continue };
        let answered = load.measure.transactions;
        let scheduled = if overloaded { answered * 10 / 9 } else { answered };
        load.open = Some(open_loop(load, level.rate.map_or(0.0, f64::from), scheduled));
        load.ledger.dropped = scheduled - answered;
        test_support::balance(record);
    }
    data
}

#[test]
fn a_rate_that_was_not_kept_up_with_supports_no_latency() {
    let data = offered();
    let analysis = support::analysis(&data);
    let (behind, kept_up): (Vec<_>, Vec<_>) =
        analysis.tests[0].cells.iter().partition(|cell| cell.level.rate == Some(3_200));
    assert!(!behind.is_empty() && !kept_up.is_empty());
    for cell in behind.iter().filter(|cell| cell.estimate(Metric::Throughput).is_some()) {
        assert!(cell.overloaded > 0, "{} at {}", cell.target, cell.level);
        assert!(
            cell.estimate(Metric::LatencyMean).is_none()
                && cell.estimate(Metric::LatencyP95).is_none()
        );
    }
    for cell in kept_up.iter().filter(|cell| cell.estimate(Metric::Throughput).is_some()) {
        assert_eq!(cell.overloaded, 0, "{} at {}", cell.target, cell.level);
        assert!(cell.estimate(Metric::LatencyMean).is_some());
    }
}

#[test]
fn who_asks_for_another_latency_is_answered_by_that_at_rates_too() {
    let mut data = offered();
    data.study.answer_by = Some(model::AnswerBy::Metric(Metric::LatencyP99));
    let analysis = support::analysis(&data);
    let test = &analysis.tests[0];
    assert_eq!(test.basis.unwrap().at_each_level(), Metric::LatencyP99);
    assert!(!test.advice.is_empty());
    let page = rendered(&data, Format::Markdown);
    let screen = page.split("## Findings").next().unwrap();
    assert!(screen.contains("p99 latency") && !screen.contains("p95 response time"), "{screen}");
    assert!(page.contains("sustains 1,600/s"), "how much each sustains is said all the same");
    // By throughput it is the 95th percentile that decides at each rate.
    data.study.answer_by = Some(model::AnswerBy::Metric(Metric::Throughput));
    let analysis = support::analysis(&data);
    assert_eq!(analysis.tests[0].basis.unwrap().at_each_level(), Metric::LatencyP95);
}

#[test]
fn the_tables_stand_against_the_offered_rate_and_name_response_times() {
    let page = rendered(&offered(), Format::Markdown);
    assert!(page.contains("| offered, transactions/s | target |"), "{page}");
    assert!(page.contains("| p95 response, ms |"));
    assert!(!page.contains("| p95, ms |"), "no service times in a test with rates");
    assert!(page.contains("| overloaded | overloaded | overloaded |"));
    assert!(page.contains("sustains 1,600/s"), "{page}");
    assert!(page.contains("falls behind at 3,200/s"));
    // What is offered rises by itself: that is neither a peak nor a trend.
    for said in ["most answered, transactions/s", "sustains", "1,600/s"] {
        assert!(page.contains(said), "no «{said}» in {page}");
    }
    for unsaid in ["trend past the peak", "still rising", "still rises"] {
        assert!(!page.contains(unsaid), "«{unsaid}» in {page}");
    }
    assert!(page.contains("**Response time.**"));
    assert!(!rendered(&support::usual(), Format::Markdown).contains("**Response time.**"));
}

#[test]
fn a_rate_at_which_trials_broke_is_not_sustained_and_nothing_above_it_is() {
    let mut data = offered();
    let broken = |record: &&mut model::TrialRecord| {
        record.key.target == "durable" && record.key.level.rate == Some(800)
    };
    let lost = model::Failure::new(model::FailureKind::ServerLost, "the server went away", "");
    data.trials.iter_mut().find(broken).expect("a trial").end = model::TrialEnd::Failed(lost);
    let page = rendered(&data, Format::Markdown);
    assert!(page.contains("durable sustains 400/s"), "{page}");
    assert!(page.contains("at 800/s (failed or void)"), "{page}");
    assert!(!page.contains("durable sustains 1,600/s"), "{page}");
}

#[test]
fn a_start_that_failed_says_nothing_of_the_rate() {
    let mut data = offered();
    let unreachable = || {
        let kind = model::FailureKind::Unreachable;
        model::TrialEnd::Failed(model::Failure::new(kind, "nothing answers", ""))
    };
    let of = |record: &&mut model::TrialRecord| {
        record.key.target == "durable" && record.key.level.rate == Some(800)
    };
    // One of the repeats.
    data.trials.iter_mut().find(of).expect("a trial").end = unreachable();
    let page = rendered(&data, Format::Markdown);
    assert!(page.contains("durable sustains 1,600/s"), "{page}");
    // All of them.
    data.trials.iter_mut().filter(|record| of(record)).for_each(|record| {
        record.end = unreachable();
    });
    let page = rendered(&data, Format::Markdown);
    assert!(page.contains("durable sustains 1,600/s"), "{page}");
    assert!(page.contains("durable was not measured at 800/s: no load began."), "{page}");
}

#[test]
fn the_charts_stand_against_the_offered_rate() {
    let page = rendered(&offered(), Format::Html);
    assert!(page.contains("offered, transactions/s (log scale)"));
    assert!(page.contains("95th percentile of response time"));
    assert!(!page.contains("clients (log scale)"));
    assert!(page.contains("3200 transactions/s offered: overloaded"));
}

#[test]
fn programs_are_told_the_rate_and_whether_it_was_kept_up_with() {
    let csv = rendered(&offered(), Format::Csv);
    let mut lines = csv.lines();
    let names: Vec<&str> = lines.next().expect("a heading").split(',').collect();
    let at = |name: &str| names.iter().position(|known| *known == name).expect(name);
    let mut seen = 0;
    for line in lines {
        let row: Vec<&str> = line.split(',').collect();
        if row[at("outcome")] == "completed" {
            seen += 1;
            let expected = (row[at("rate")] == "3200").to_string();
            assert_eq!(row[at("overloaded")], expected, "{line}");
        }
    }
    assert!(seen > 0);
    let closed = rendered(&support::usual(), Format::Csv);
    let of_closed = closed.lines().skip(1).filter(|line| line.contains(",completed,"));
    for line in of_closed {
        let row: Vec<&str> = line.split(',').collect();
        assert_eq!((row[at("rate")], row[at("overloaded")]), ("", ""), "a closed loop has neither");
        assert_eq!(row[at("counted")], "transactions", "{line}");
    }
}

/// The same under one load profile: the first half of measuring at 50/s, then at 150,000/s, of
/// which no target serves more than some hundred.
fn profiled() -> Dataset {
    let mut data = offered();
    let level = Level::rate(64, 100);
    let half = test_support::MEASURE / 2;
    let stage = |rate: f64| ProfileStage { rate, ramp: Duration::ZERO, hold: half };
    let profile = LoadProfile { stages: vec![stage(50.0), stage(150_000.0)] };
    let of_study = data.study.tests[0].load_mut().expect("a load");
    of_study.levels.retain(|one| *one == level);
    of_study.profile = Some(profile.clone());
    for block in &mut data.plan.blocks {
        block.trials.retain(|trial| trial.key.level == level);
    }
    data.trials.retain(|record| record.key.level == level);
    for record in &mut data.trials {
        let Some(load) = record.load_mut() else { continue };
        let course = profile.stretches(test_support::WARMUP);
        load.open.as_mut().expect("an open loop").course = course;
    }
    data
}

#[test]
fn a_load_profile_is_no_constant_rate() {
    let data = profiled();
    let analysis = support::analysis(&data);
    let test = &analysis.tests[0];
    assert!(!test.profile.is_empty(), "the trials followed a profile");
    assert!(test.advice.is_empty(), "{:?}", test.advice);
    let page = rendered(&data, Format::Markdown);
    for said in ["does not serve 150,000/s", "loads that follow another profile"] {
        assert!(page.contains(said), "no «{said}» in {page}");
    }
    for unsaid in ["sustains 100/s", "the highest rate offered", "loads other than", "Choose "] {
        assert!(!page.contains(unsaid), "«{unsaid}» in {page}");
    }
}

#[test]
fn no_rate_is_judged_by_the_mean_of_a_load_profile() {
    let data = profiled();
    let analysis = support::analysis(&data);
    let latency = vec!["p95 < 5ms".parse().expect("a bound")];
    for rate in [100.0, 1_000.0] {
        let question =
            Question { rate: Some(rate), latency: latency.clone(), ..Question::default() };
        let answers = answers(&analysis, &question);
        let parts = answers[0].targets.iter().flat_map(|target| &target.parts);
        for part in parts {
            assert_eq!(part.answer, Answer::Unknown, "no stage offered it: {part:?}");
            assert_ne!(part.reason, Reason::Measured);
            assert!(part.grounds.iter().all(|ground| ground.stage.is_some()), "{part:?}");
        }
        assert!(!answers[0].targets.is_empty() && answers[0].sufficient.is_empty());
    }
}
