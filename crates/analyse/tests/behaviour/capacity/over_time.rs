//! Loads whose rate changes while they are measured: bursts that end, and profiles.

use super::{ask, at_rate, closed, open, part, with_bound};
use crate::support::{load_of, price};
use analyse::capacity::{Answer, Question, Reason};
use analyse::{BurstCause, Choice, Evidence, Standing, analyse};
use model::{Dataset, Latencies, Level, LoadProfile, Metric, OpenLoopResult, ProfileStage, Sample};
use std::time::Duration;
use test_support::{balance, latencies, open_loop};

/// "fast" at 8 clients, in all trials: 8,000/s for a minute, and 3,000/s for another.
fn bursting(ios_after: impl Fn(u32) -> f64) -> Dataset {
    let mut data = closed();
    let own = |record: &&mut model::TrialRecord| {
        record.key.target == "fast" && record.key.level.clients == 8
    };
    for record in data.trials.iter_mut().filter(own) {
        let second = |second: u32| {
            let burst = second < 60;
            let scatter = 1.0 + 0.01 * f64::from(second % 7);
            let rate = if burst { 8_000.0 } else { 3_000.0 };
            (scatter * rate, if burst { 9_000.0 } else { ios_after(second) })
        };
        let load = record.load_mut().expect("a load");
        load.warmup = model::PhaseTotals::default();
        let interval = |at: u32| model::Interval {
            phase: model::Phase::Measure,
            start: Duration::from_secs(at.into()),
            length: Duration::from_secs(1),
            transactions: second(at).0 as u64,
            queries: 0,
            errors: 0,
            moved: Default::default(),
            longest_statement: None,
            latencies: (&Latencies::new()).into(),
        };
        load.intervals = (0..120).map(interval).collect();
        // Eight clients by Little's law, on average over both.
        load.latencies = latencies(8.0 / 5_663.0);
        balance(record);
        let sample = |at: u32| Sample {
            at_seconds: f64::from(at + 1),
            length: Duration::from_secs(1),
            disks: vec![model::DiskRates {
                device: "vdb".to_owned(),
                writes: second(at).1,
                ..Default::default()
            }],
            ..Sample::default()
        };
        record.sampling.samples = (0..120).map(sample).collect();
        record.sampling.volume = vec!["vdb".to_owned()];
    }
    data
}

#[test]
fn a_rate_that_lasts_only_until_credits_end_is_no_answer() {
    let mut data = bursting(|_| 3_000.0);
    price(&mut data, "fast", 100.0);
    let analysis = analyse(&data);
    let cell = analysis.tests[0].cells.iter().find(|cell| cell.burst.is_some());
    let burst = cell.and_then(|cell| cell.burst.clone()).expect("all trials show it");
    assert_eq!((burst.after.as_secs(), burst.trials), (60, 6));
    assert!((burst.sustained - 3_000.0).abs() < 150.0, "{burst:?}");
    assert!(matches!(burst.cause, Some(BurstCause::Ios { after, .. }) if after == 3_000.0));
    assert!(analysis.findings.iter().any(|found| matches!(found.evidence, Evidence::BurstEnds(_))));
    // Without the level that bursts, 32 clients do 8,000/s for good.
    data.study.tests[0].load_mut().expect("a load").levels.retain(|level| level.clients <= 8);
    data.trials.retain(|record| record.key.level.clients <= 8);
    for block in &mut data.plan.blocks {
        block.trials.retain(|trial| trial.key.level.clients <= 8);
    }
    let at = |rate| part(&data, &at_rate(rate));
    assert_eq!(at(2_500.0).answer, Answer::Yes);
    let no = at(5_000.0);
    assert!(no.answer != Answer::Yes, "{no:?}");
    assert!(no.grounds.iter().any(|ground| ground.burst.is_some()), "{no:?}");
    let analysis = analyse(&data);
    let cost = &analysis.tests[0].money.costs[0];
    assert!((cost.throughput.point / 3_090.0 - 1.0).abs() < 0.01, "{cost:?}");
    // A month has 2,628 millions at 1,000/s.
    let million = cost.per_million().expect("a bill").point;
    assert!((million - 100.0 / (2_628.0 * 3.09)).abs() < 0.0002, "{million}");
    // Where IOs go up and down nothing says what was used up.
    let unsteady = bursting(|second| if second % 2 == 0 { 1_000.0 } else { 6_000.0 });
    let analysis = analyse(&unsteady);
    let burst = analysis.tests[0].cells.iter().find_map(|cell| cell.burst.clone());
    assert_eq!(burst.expect("it falls all the same").cause, None);
}

/// A server that was lost and came back slower, or not at all, is an outage: nothing was used up.
#[test]
fn what_follows_an_outage_is_no_end_of_a_burst() {
    let mut data = bursting(|_| 3_000.0);
    for load in data.trials.iter_mut().filter_map(|record| record.load_mut()) {
        load.outages = vec![model::Outage {
            first_error: Duration::from_secs(60),
            first_success: Some(Duration::from_secs(61)),
            recovered: None,
            failed: 8,
        }];
    }
    let analysis = analyse(&data);
    assert!(analysis.tests[0].cells.iter().all(|cell| cell.burst.is_none()));
    assert!(
        !analysis.findings.iter().any(|found| matches!(found.evidence, Evidence::BurstEnds(_)))
    );
}

/// Both targets at 8 clients alone: "fast" does 8,000/s for a minute and 3,000/s for another, "slow" as much
/// as said.
fn against_a_burst(slow: f64) -> Dataset {
    let mut data = bursting(|_| 3_000.0);
    data.study.tests[0].load_mut().expect("a load").levels.retain(|level| level.clients == 8);
    data.trials.retain(|record| record.key.level.clients == 8);
    for block in &mut data.plan.blocks {
        block.trials.retain(|trial| trial.key.level.clients == 8);
    }
    for record in data.trials.iter_mut().filter(|record| record.key.target == "slow") {
        let scatter = 1.0 + 0.002 * f64::from(record.key.repeat);
        let load = record.load_mut().expect("a load");
        let seconds = load.measure.elapsed.as_secs_f64();
        load.measure.transactions = (slow * scatter * seconds) as u64;
        load.latencies = latencies(8.0 / (slow * scatter));
        balance(record);
    }
    data
}

#[test]
fn choices_rest_on_what_is_left_of_a_burst() {
    // 5,500/s on average, and 3,090/s that last.
    for (slow, first, other) in [(1_000.0, "fast", "slow"), (4_000.0, "slow", "fast")] {
        let mut data = against_a_burst(slow);
        price(&mut data, "fast", 100.0);
        price(&mut data, "slow", 100.0);
        let analysis = analyse(&data);
        let test = &analysis.tests[0];
        let [span] = test.advice.as_slice() else { panic!("one: {:?}", test.advice) };
        assert_eq!(span.choice, Choice::Only { target: first.to_owned() }, "{slow}");

        let tiers: Vec<Vec<&str>> = test
            .ranking
            .tiers
            .iter()
            .map(|tier| tier.iter().map(|ranked| ranked.target.as_str()).collect())
            .collect();
        assert_eq!(tiers, [[first], [other]], "{slow}");
        let compared = test.comparisons.iter().find(|one| one.metric == Metric::Throughput);
        let compared = compared.expect("a comparison");
        assert!((compared.base.point / 3_090.0 - 1.0).abs() < 0.01, "{compared:?}");
        assert!((compared.ratio.point / (slow / 3_090.0) - 1.0).abs() < 0.02, "{compared:?}");
        let standings: Vec<_> = test.money.costs.iter().map(|cost| &cost.standing).collect();
        let dominated = Some(Standing::Dominated { by: first.to_owned() });
        let expected = match first {
            "fast" => [&Some(Standing::OnParetoFront), &dominated],
            _ => [&dominated, &Some(Standing::OnParetoFront)],
        };
        assert_eq!(standings, expected, "{slow}");
    }
}

#[test]
fn what_lasts_is_not_known_where_some_trials_end_in_their_burst() {
    // The others last 8,000/s, as far as they were measured.
    let mut data = against_a_burst(5_000.0);
    let own = |record: &&mut model::TrialRecord| record.key.target == "fast";
    for record in data.trials.iter_mut().filter(own).skip(3) {
        let load = record.load_mut().expect("a load");
        load.intervals.iter_mut().for_each(|one| one.transactions = 8_000);
        load.latencies = latencies(8.0 / 8_000.0);
        balance(record);
    }
    let analysis = analyse(&data);
    let test = &analysis.tests[0];
    assert_eq!(test.ranking.tiers.len(), 1, "{:?}", test.ranking.tiers);
    assert!(!matches!(test.advice[0].choice, Choice::Only { .. }), "{:?}", test.advice);
    let cell = test.cells.iter().find(|cell| cell.target == "fast").expect("its cell");
    assert_eq!(cell.burst.as_ref().map(|burst| burst.trials), Some(3));
}

/// One target under a load profile, three times: 1,000/s, 3,000/s, 2,000/s and 1,000/s for ten seconds each,
/// of which it serves 2,000/s only from the third second on, 3,000/s never, and the last 1,000/s as said.
fn in_stages(serves_last: bool) -> Dataset {
    let mut data = open();
    let rates = [1_000.0, 3_000.0, 2_000.0, 1_000.0];
    let stage =
        |rate: f64| ProfileStage { rate, ramp: Duration::ZERO, hold: Duration::from_secs(10) };
    let profile = LoadProfile { stages: rates.map(stage).into() };
    // The mean of the profile.
    let (one, level) = (Level::rate(16, 1_000), Level::rate(16, 1_750));
    let of_study = data.study.tests[0].load_mut().expect("a load");
    of_study.levels = vec![level];
    of_study.profile = Some(profile.clone());
    for block in &mut data.plan.blocks {
        block.trials.retain(|trial| trial.key.level == one);
        block.trials.iter_mut().for_each(|trial| trial.key.level = level);
    }
    data.trials.retain(|record| record.key.level == one);
    for record in &mut data.trials {
        record.key.level = level;
        let repeat = record.key.repeat;
        let load = load_of(record);
        load.warmup = model::PhaseTotals::default();
        let interval = |second: u32| {
            let offered = rates[second as usize / 10];
            let is_served = match offered {
                1_000.0 => serves_last || second < 30,
                2_000.0 => second >= 22,
                _ => false,
            };
            let (done, ms) = if is_served { (offered, 2.0) } else { (offered / 2.0, 400.0) };
            let mut latencies = Latencies::new();
            for each in 0..done as u32 {
                let part = 1.0 + 0.01 * f64::from(repeat) + f64::from(each % 100) / 100.0;
                latencies.record(Duration::from_secs_f64(ms * part / 1e3));
            }
            model::Interval {
                phase: model::Phase::Measure,
                start: Duration::from_secs(second.into()),
                length: Duration::from_secs(1),
                transactions: done as u64,
                queries: 0,
                errors: 0,
                moved: Default::default(),
                longest_statement: None,
                latencies: (&latencies).into(),
            }
        };
        load.intervals = (0..40).map(interval).collect();
        balance(record);
        let load = load_of(record);
        let open = open_loop(load, 1_750.0, 70_000);
        let course = profile.stretches(Duration::ZERO);
        load.open = Some(Box::new(OpenLoopResult { course, ..*open }));
        load.ledger.dropped = 70_000 - load.measure.transactions;
        balance(record);
    }
    data
}

#[test]
fn a_rate_that_was_never_served_has_no_response_times() {
    let data = in_stages(true);
    let analysis = analyse(&data);
    let profile = &analysis.tests[0].profile;
    let known: Vec<_> = profile
        .iter()
        .map(|one| (one.to_rate, one.p95_ms.is_some(), one.p99_ms.is_some()))
        .collect();
    let expected = [
        (1_000.0, true, true),
        (3_000.0, false, false),
        (2_000.0, true, true),
        (1_000.0, true, true),
    ];
    assert_eq!(known, expected);
}

#[test]
fn a_rate_of_a_load_profile_is_answered_by_the_stages_that_offered_it() {
    let data = in_stages(true);
    let at = |rate: f64| {
        let found = part(&data, &at_rate(rate));
        let stages: Vec<f64> = found
            .grounds
            .iter()
            .map(|ground| ground.stage.expect("a stage").from_seconds)
            .collect();
        (found.answer, found.reason.clone(), stages, found.grounds)
    };
    let (answer, reason, stages, _) = at(1_000.0);
    assert_eq!((answer, reason, stages), (Answer::Yes, Reason::Measured, vec![0.0, 30.0]));
    let (answer, reason, stages, grounds) = at(2_000.0);
    assert_eq!((answer, reason, stages), (Answer::Yes, Reason::Measured, vec![20.0]));
    assert_eq!(grounds[0].stage.unwrap().served_after_seconds, Some(2.0));
    let (answer, reason, _, grounds) = at(3_000.0);
    assert_eq!((answer, reason), (Answer::No, Reason::FellBehind));
    assert_eq!(grounds[0].stage.unwrap().never_served, 3);
    // No stage offered these.
    let (answer, reason, stages, _) = at(1_500.0);
    assert_eq!((answer, reason, stages), (Answer::Yes, Reason::Between, vec![0.0, 30.0, 20.0]));
    assert_eq!(at(2_500.0).1, Reason::NeighboursDiffer);
    assert_eq!((at(9_000.0).0, at(9_000.0).1), (Answer::Unknown, Reason::BeyondRange));

    let bounded = |rate: f64, bound: &str| {
        let given = ask(&data, &with_bound(at_rate(rate), bound));
        let latency = given.targets[0].parts.last().expect("two parts").clone();
        (latency.answer, latency.reason)
    };
    // 4 ms at most where it is served, and 800 ms in the first two of ten seconds at 2,000/s.
    assert_eq!(bounded(1_000.0, "p95 < 5ms"), (Answer::Yes, Reason::Measured));
    assert_eq!(bounded(1_000.0, "p99 < 1ms"), (Answer::No, Reason::Measured));
    assert_eq!(bounded(2_000.0, "p95 < 5ms"), (Answer::No, Reason::Measured));
    assert_eq!(bounded(3_000.0, "p95 < 5ms"), (Answer::No, Reason::FellBehind));
    assert_eq!(bounded(1_000.0, "p50 < 5ms"), (Answer::Unknown, Reason::NoFigure));
    let whenever = part(&data, &Question { rate: None, ..with_bound(at_rate(1.0), "p95 < 5ms") });
    assert_eq!((whenever.answer, whenever.reason), (Answer::Unknown, Reason::RateChanges));
}

#[test]
fn stages_of_one_rate_that_disagree_answer_nothing_and_are_named() {
    let data = in_stages(false);
    let found = part(&data, &at_rate(1_000.0));
    assert_eq!((found.answer, found.reason), (Answer::Unknown, Reason::StagesDiffer));
    let grounds: Vec<_> = found
        .grounds
        .iter()
        .map(|ground| (ground.stage.expect("a stage").from_seconds, ground.answer))
        .collect();
    assert_eq!(grounds, [(0.0, Answer::Yes), (30.0, Answer::No)]);
    // Of what one of them did not serve there is no latency that would meet a bound.
    let given = ask(&data, &with_bound(at_rate(1_000.0), "p95 < 5ms"));
    let latency = given.targets[0].parts.last().expect("two parts");
    assert_eq!((latency.answer, &latency.reason), (Answer::Unknown, &Reason::StagesDiffer));
    // A rate that one stage alone offered is answered by it, and one between two is not.
    assert_eq!(part(&data, &at_rate(2_000.0)).reason, Reason::Measured);
    assert_eq!(part(&data, &at_rate(1_500.0)).reason, Reason::NeighboursDiffer);
}
