//! Questions of capacity of which the answer is known.

mod over_time;

use crate::search::{searched, searched_often};
use crate::support::{Noise, dataset, load_of, price, trial};
use analyse::analyse;
use analyse::capacity::{
    Answer, Budget, LimitedBy, Question, Reason, RequirementAnswer, TargetOrder, TestAnswers,
    answers,
};
use model::{
    CounterReading, CpuShares, Dataset, Level, LevelUnit, Metric, Price, ProcessUsage, Sample,
    SearchOver, signal,
};
use test_support::{balance, imported, latencies, open_loop};

/// Two targets in closed loops of 1, 8 and 32 clients, six repeats: "fast" does 1,000/s for each
/// client up to 8 and no more after, "slow" a tenth of that.
fn closed() -> Dataset {
    dataset(&["fast", "slow"], &[1, 8, 32], 6, |target, clients, repeat| {
        let speed = if target == "fast" { 1000.0 } else { 100.0 };
        speed * f64::from(clients.min(8)) * (1.0 + 0.002 * f64::from(repeat))
    })
}

fn ask(data: &Dataset, question: &Question) -> TestAnswers {
    let analysis = analyse(data);
    answers(&analysis, question).remove(0)
}

/// The answers of all targets, in the order of the study.
fn all(data: &Dataset, question: &Question) -> Vec<Answer> {
    ask(data, question).targets.iter().map(|target| target.answer).collect()
}

/// The only part of the answer of the first target.
fn part(data: &Dataset, question: &Question) -> RequirementAnswer {
    let [part] = ask(data, question).targets[0].parts.clone().try_into().expect("one part");
    part
}

fn p95_at(clients: u32, bound: &str) -> Question {
    let slo = format!("p95 < {bound}").parse().expect("a bound");
    Question { clients: Some(clients), latency: vec![slo], ..Question::default() }
}

fn at_rate(rate: f64) -> Question {
    Question { rate: Some(rate), ..Question::default() }
}

fn with_bound(question: Question, bound: &str) -> Question {
    Question { latency: vec![bound.parse().expect("a bound")], ..question }
}

#[test]
fn at_a_measured_level_the_whole_interval_decides() {
    // p95 is 1.18 × the mean: 1.18 ms of "fast" at 1 and 8 clients, ten times that of "slow".
    let data = closed();
    assert_eq!(all(&data, &p95_at(8, "5ms")), [Answer::Yes, Answer::No]);
    let decided = part(&data, &p95_at(8, "5ms"));
    assert_eq!(decided.reason, Reason::Measured);
    assert_eq!(decided.grounds[0].repeats, [1, 2, 3, 4, 5, 6]);
    let middle = decided.grounds[0].estimate.expect("an estimate").point;
    let open = part(&data, &p95_at(8, &format!("{:.0}us", middle * 1e3)));
    assert_eq!((open.answer, open.reason), (Answer::Unknown, Reason::Straddles));
}

#[test]
fn a_bound_that_the_next_trial_may_break_is_not_promised() {
    // The median is certain to a few percent, and single trials scatter by a fifth.
    let mut noise = Noise::new(1);
    let data = dataset(&["a"], &[1, 2, 4, 8, 16, 32], 20, |_, clients, _| {
        1000.0 * f64::from(clients) * noise.factor(0.2)
    });
    let tight = part(&data, &p95_at(8, "1400us"));
    let ground = &tight.grounds[0];
    let median = ground.estimate.expect("an estimate");
    assert!(median.interval.expect("twenty repeats").high < 1.4, "{median:?}");
    assert_eq!((tight.answer, tight.reason), (Answer::Unknown, Reason::NextMayNot));
    assert!(ground.next.expect("the reason").high > 1.4, "{ground:?}");
    let loose = part(&data, &p95_at(8, "5ms"));
    assert_eq!((loose.answer, loose.grounds[0].next), (Answer::Yes, None));
}

#[test]
fn between_levels_neighbours_must_agree_and_beyond_them_nothing_is_known() {
    let data = closed();
    let between = part(&data, &p95_at(20, "10ms"));
    assert_eq!((between.answer, between.reason), (Answer::Yes, Reason::Between));
    let levels: Vec<Level> = between.grounds.iter().map(|ground| ground.level).collect();
    assert_eq!(levels, [8, 32].map(Level::clients));
    let apart = part(&data, &p95_at(20, "3ms"));
    assert_eq!((apart.answer, apart.reason), (Answer::Unknown, Reason::NeighboursDiffer));
    let beyond = part(&data, &p95_at(200, "10s"));
    assert_eq!((beyond.answer, beyond.reason), (Answer::Unknown, Reason::BeyondRange));
}

#[test]
fn a_single_measurement_gives_the_weaker_answer_and_a_missing_one_none() {
    let once = dataset(&["a"], &[1, 8], 1, |_, clients, _| 1000.0 * f64::from(clients));
    assert_eq!(all(&once, &p95_at(8, "5ms")), [Answer::YesMeasuredOnce]);
    assert_eq!(all(&once, &p95_at(8, "1ms")), [Answer::NoMeasuredOnce]);
    let mut failed = closed();
    for repeat in 1..=6 {
        crate::support::fail(trial(&mut failed, "fast", 8, repeat));
    }
    let missing = part(&failed, &p95_at(8, "5ms"));
    assert_eq!((missing.answer, missing.reason), (Answer::Unknown, Reason::NoFigure));
    let served = Question { clients: Some(8), ..Question::default() };
    assert_eq!(all(&failed, &served), [Answer::No, Answer::Yes]);
    let skip = |data: &mut Dataset, repeat| {
        let skipped = model::TrialEnd::Failed(model::Failure::skipped());
        trial(data, "fast", 8, repeat).end = skipped;
    };
    (2..=6).for_each(|repeat| skip(&mut failed, repeat));
    let measured = part(&failed, &served).answer;
    assert_eq!(measured, Answer::NoMeasuredOnce, "one failed, and nobody wanted the others");
    skip(&mut failed, 1);
    assert_eq!(part(&failed, &served).answer, Answer::Unknown, "all were skipped");
}

#[test]
fn a_load_under_which_a_trial_broke_is_not_promised() {
    let sound = open();
    let asked = with_bound(at_rate(1_000.0), "p95 < 5ms");
    assert_eq!(all(&sound, &asked), [Answer::Yes]);
    let mut broken = open();
    let level = Level::rate(16, 1_000);
    let lost = broken.trials.iter_mut().find(|trial| trial.key.level == level).expect("a trial");
    crate::support::fail(lost);
    let given = ask(&broken, &asked);
    assert!(given.sufficient.is_empty());
    for part in &given.targets[0].parts {
        assert_eq!((part.answer, &part.reason), (Answer::Unknown, &Reason::TrialsLost));
        assert_eq!(part.grounds[0].lost, 1);
    }
    // That the user did not want to wait for it says nothing of the target.
    let lost = broken.trials.iter_mut().find(|trial| trial.key.level == level).expect("a trial");
    lost.end = model::TrialEnd::Failed(model::Failure::skipped());
    assert!(ask(&broken, &asked).targets[0].parts.iter().all(|part| part.grounds[0].lost == 0));

    // The same of clients, of which throughput or latency is asked.
    let mut clients = closed();
    crate::support::fail(trial(&mut clients, "fast", 8, 2));
    let throughput = Question { clients: Some(8), ..at_rate(1_000.0) };
    let served = Question { clients: Some(8), ..Question::default() };
    for question in [p95_at(8, "1s"), throughput, served] {
        let part = part(&clients, &question);
        assert_eq!((part.answer, part.reason), (Answer::Unknown, Reason::TrialsLost));
    }
    let mut searches = searched(SearchOver::Rate, |_, _| (Some(1_000.0), Some(1_040.0)));
    crate::support::fail(&mut searches.trials[0]);
    assert_eq!(all(&searches, &at_rate(900.0)), [Answer::Unknown, Answer::Yes]);
}

#[test]
fn a_search_promises_what_met_the_bound_in_every_repeat() {
    // The interval of the median of nine leaves out the lowest.
    let data = searched_often(&["one"], 9, SearchOver::Rate, |_, repeat| match repeat {
        1 => (Some(500.0), Some(510.0)),
        _ => (Some(1_000.0), Some(1_004.0)),
    });
    let at = |rate| all(&data, &with_bound(at_rate(rate), "p95 < 20ms"))[0];
    assert_eq!((at(400.0), at(950.0), at(1_500.0)), (Answer::Yes, Answer::Unknown, Answer::No));
}

#[test]
fn without_a_load_a_bound_holds_only_if_it_holds_at_every_level() {
    let data = closed();
    let everywhere = part(&data, &with_bound(Question::default(), "p95 < 10ms"));
    assert_eq!((everywhere.answer, everywhere.reason), (Answer::Yes, Reason::EveryLevel));
    let depends = part(&data, &with_bound(Question::default(), "p95 < 3ms"));
    assert_eq!((depends.answer, depends.reason), (Answer::Unknown, Reason::DependsOnLoad));
    let each: Vec<Answer> = depends.grounds.iter().map(|ground| ground.answer).collect();
    assert_eq!(each, [Answer::Yes, Answer::Yes, Answer::No]);
}

#[test]
fn closed_loops_tell_a_rate_that_is_out_of_reach_and_no_latency_at_one() {
    let data = closed();
    assert_eq!(all(&data, &at_rate(5_000.0)), [Answer::Yes, Answer::No]);
    let bounded = ask(&data, &with_bound(at_rate(5_000.0), "p95 < 1s"));
    let [fast, slow] = &bounded.targets[..] else { panic!("two targets") };
    assert_eq!(fast.answer, Answer::Unknown);
    assert_eq!(fast.parts[1].reason, Reason::ClosedLoopOnly);
    assert_eq!((slow.answer, &slow.parts[0].reason), (Answer::No, &Reason::NeverReached));
    let rising = dataset(&["a"], &[1, 8], 6, |_, clients, _| 1000.0 * f64::from(clients));
    let more = part(&rising, &at_rate(50_000.0));
    assert_eq!((more.answer, more.reason), (Answer::Unknown, Reason::PeakNotSeen));
}

/// Three repeats at each rate; above 2,000/s the target falls behind.
fn open() -> Dataset {
    let rates = [1_000, 2_000, 4_000];
    let mut data = dataset(&["only"], &rates, 3, |_, rate, _| f64::from(rate.min(2_500)));
    let level = |clients: u32| Level::rate(16, clients);
    data.study.tests[0].load_mut().expect("a load").levels = rates.map(level).into();
    for trial in data.plan.blocks.iter_mut().flat_map(|block| &mut block.trials) {
        trial.key.level = level(trial.key.level.clients);
    }
    for record in &mut data.trials {
        let rate = record.key.level.clients;
        record.key.level = level(rate);
        let load = load_of(record);
        load.clients = 16;
        load.latencies = latencies(f64::from(rate) * 2e-6);
        load.open = Some(open_loop(load, rate.into(), u64::from(rate) * 10));
        load.ledger.dropped = (u64::from(rate) * 10).saturating_sub(load.measure.transactions);
        balance(record);
    }
    data
}

#[test]
fn rates_that_were_offered_answer_with_response_times() {
    let data = open();
    assert!(!ask(&data, &at_rate(1_000.0)).service_times);
    for (rate, bound, expected) in [
        (1_000.0, "p95 < 5ms", Answer::Yes),
        (1_000.0, "p95 < 1ms", Answer::No),
        (1_500.0, "p95 < 5ms", Answer::Yes),
        (3_000.0, "p95 < 5ms", Answer::Unknown),
        (500.0, "p95 < 5ms", Answer::Unknown),
    ] {
        assert_eq!(all(&data, &with_bound(at_rate(rate), bound)), [expected], "{rate} {bound}");
    }
    let behind = ask(&data, &with_bound(at_rate(9_000.0), "p95 < 1s"));
    assert_eq!(behind.targets[0].answer, Answer::No);
    assert!(behind.targets[0].parts.iter().all(|part| part.reason == Reason::FellBehind));
    let clients = part(&data, &p95_at(16, "1s"));
    assert_eq!((clients.answer, clients.reason), (Answer::Unknown, Reason::RatesOnly));
}

#[test]
fn searches_answer_below_and_above_what_they_found() {
    let data = searched(SearchOver::Rate, |target, _| match target {
        "one" => (Some(1_000.0), Some(1_040.0)),
        _ => (Some(1_500.0), None),
    });
    for (rate, bound, expected) in [
        (900.0, "p95 < 20ms", [Answer::Yes, Answer::Yes]),
        (900.0, "p95 < 50ms", [Answer::Yes, Answer::Yes]),
        (900.0, "p95 < 10ms", [Answer::Unknown, Answer::Unknown]),
        (1_020.0, "p95 < 20ms", [Answer::Unknown, Answer::Yes]),
        (2_000.0, "p95 < 20ms", [Answer::No, Answer::Unknown]),
        (2_000.0, "p95 < 10ms", [Answer::No, Answer::Unknown]),
        (2_000.0, "p99 < 10ms", [Answer::Unknown, Answer::Unknown]),
    ] {
        let slo = bound.parse().expect("a bound");
        let question = Question { latency: vec![slo], ..at_rate(rate) };
        let latency = |part: &RequirementAnswer| {
            part.asked == analyse::capacity::Requirement::Latency { slo }
        };
        let given = ask(&data, &question).targets.into_iter();
        let given: Vec<Answer> = given
            .flat_map(|target| target.parts.into_iter().filter(latency).map(|part| part.answer))
            .collect();
        assert_eq!(given, expected, "{rate} {bound}");
    }
}

#[test]
fn a_search_that_never_kept_its_bound_says_no() {
    let data = searched(SearchOver::Rate, |_, _| (None, Some(100.0)));
    assert_eq!(all(&data, &with_bound(at_rate(100.0), "p95 < 20ms"))[0], Answer::No);
    assert_eq!(all(&data, &with_bound(at_rate(50.0), "p95 < 20ms"))[0], Answer::Unknown);
}

#[test]
fn writes_pick_the_test_and_another_mix_answers_nothing() {
    // 4 of 18 statements of oltp_read_write write.
    let data = closed();
    let of = |share| Question { writes: Some(share), ..p95_at(8, "5ms") };
    assert_eq!(all(&data, &of(0.25)), [Answer::Yes, Answer::No]);
    assert_eq!(all(&data, &of(0.6)), [Answer::Unknown, Answer::Unknown]);
    let Reason::WritesMeasured { share } = ask(&data, &of(0.6)).targets[0].parts[0].reason else {
        panic!("the share is known")
    };
    assert!((share - 4.0 / 18.0).abs() < 1e-12);
}

#[test]
fn the_cheapest_that_would_do_comes_first_and_the_budget_is_in_one_currency() {
    let mut data = closed();
    price(&mut data, "fast", 400.0);
    price(&mut data, "slow", 50.0);
    let within = |amount, currency: Option<&str>| {
        let budget = Budget { amount, currency: currency.map(str::to_owned) };
        Question { budget: Some(budget), ..p95_at(8, "20ms") }
    };
    let both = ask(&data, &within(500.0, None));
    assert_eq!(both.sufficient, ["slow", "fast"]);
    assert_eq!(all(&data, &within(100.0, Some("EUR"))), [Answer::No, Answer::Yes]);
    assert_eq!(all(&data, &within(100.0, Some("USD"))), [Answer::Unknown, Answer::Unknown]);
    data.study.targets[0].price = Some(Price::monthly(400.0, "USD"));
    let mixed = ask(&data, &within(500.0, None));
    assert_eq!(mixed.targets[0].parts[1].reason, Reason::CurrencyNotStated);
    data.study.targets[0].price = None;
    assert_eq!(all(&data, &within(500.0, None)), [Answer::Unknown, Answer::Yes]);
}

/// The same, "fast" for 0.10 EUR a million requests.
fn billed_by_request() -> Dataset {
    let mut data = closed();
    let item = model::PriceItem {
        name: "requests".into(),
        amount: 0.1,
        per: model::PriceUnit::MillionRequests,
        quantity: None,
    };
    data.study.targets[0].price = Some(Price::from_items("EUR", vec![item]));
    data
}

#[test]
fn a_bill_that_depends_on_the_load_is_made_for_the_load_that_is_asked_about() {
    let data = billed_by_request();
    // 1,000/s are 2,628 millions a month: 262.80 EUR.
    let budget = |amount| Some(Budget { amount, currency: None });
    let fast = |question: &Question| all(&data, question)[0];
    assert_eq!(fast(&Question { budget: budget(263.0), ..at_rate(1_000.0) }), Answer::Yes);
    assert_eq!(fast(&Question { budget: budget(262.0), ..at_rate(1_000.0) }), Answer::No);
    // At the peak of 8,000/s and a little more.
    let at_peak = Question { budget: budget(262.0), ..Question::default() };
    assert_eq!(fast(&at_peak), Answer::No);
}

/// "fast" on a machine of 16 processors, of which a transaction takes 1 ms; "slow" on one not seen.
fn on_processors() -> Dataset {
    let mut data = closed();
    for record in data.trials.iter_mut().filter(|record| record.key.target == "fast") {
        let Some(load) = record.load() else { continue };
        let busy = load.measure.transactions_per_second() * 1e-3 / 16.0;
        let until = (load.warmup.elapsed + load.measure.elapsed).as_secs_f64();
        let sample = Sample {
            at_seconds: until,
            length: load.measure.elapsed,
            cpu: CpuShares { user: busy, idle: 1.0 - busy, ..CpuShares::default() },
            server: Some(ProcessUsage::default()),
            ..Sample::default()
        };
        record.sampling.samples = vec![sample];
        record.sampling.account.processor_use.cpus = 16;
    }
    data
}

#[test]
fn beyond_what_was_measured_a_model_says_what_ends_first_and_never_yes() {
    let data = on_processors();
    // Throughput no longer rises, which answers for itself: only what rises goes on by a model.
    let mut rising = on_processors();
    rising.study.tests[0].load_mut().expect("a load").levels.retain(|level| level.clients <= 8);
    rising.trials.retain(|record| record.key.level.clients <= 8);
    for block in &mut rising.plan.blocks {
        block.trials.retain(|trial| trial.key.level.clients <= 8);
    }
    let asked = part(&rising, &at_rate(12_000.0));
    assert_eq!(asked.answer, Answer::Unknown);
    let beyond = asked.beyond.expect("processors were seen");
    let first = beyond.limits[0];
    assert_eq!(first.resource, LimitedBy::Processors);
    assert!((first.rate - 16_000.0).abs() < 100.0, "{first:?}");
    let (low, high) = first.prediction.expect("six trials");
    assert!(
        low <= 16_000.0 && high.is_some_and(|high| high >= 15_900.0 && low < high),
        "{first:?}"
    );
    assert_eq!(beyond.level.clients, 8);
    // What was measured needs no model, and what was not seen has none.
    assert_eq!(part(&rising, &at_rate(4_000.0)).beyond, None);
    assert_eq!(part(&data, &at_rate(12_000.0)).beyond, None);
    let unseen = ask(&rising, &at_rate(12_000.0)).targets[1].parts[0].beyond.clone();
    let unseen = unseen.expect("that nothing is known is said");
    assert!(unseen.limits.iter().all(|limit| limit.resource != LimitedBy::Processors));
}

#[test]
fn beyond_it_a_law_of_scalability_ends_the_rise_with_a_prediction_interval() {
    let law = stats::Usl { lambda: 500.0, sigma: 0.03, kappa: 0.000_5 };
    let mut noise = Noise::new(3);
    let levels = [1, 2, 4, 8, 16, 32];
    let data = dataset(&["fast", "other"], &levels, 5, |_, clients, _| {
        law.throughput(f64::from(clients)) * noise.factor(0.01)
    });
    let highest = law.highest();
    let asked = part(&data, &at_rate(1.3 * highest));
    assert_eq!(asked.answer, Answer::Unknown, "{asked:?}");
    let limits = asked.beyond.expect("a law").limits;
    let [limit] = limits[..] else { panic!("{limits:?}") };
    assert_eq!(limit.resource, LimitedBy::ScalabilityLaw);
    assert!((limit.rate / highest - 1.0).abs() < 0.02, "{limit:?}: {highest}");
    let (low, high) = limit.prediction.unwrap();
    let high = high.unwrap();
    // At least as wide as five trials that scatter by 1 % allow.
    assert!(low < 0.985 * limit.rate && high > 1.015 * limit.rate, "{limit:?}");
    assert!(low > 0.9 * highest && high < 1.1 * highest, "{limit:?}");
}

/// "fast" for 0.09 EUR a GB sent, of which it sends 2,000 bytes a transaction with one client and 1,000
/// with more; "slow" for 100 EUR a month.
fn billed_by_gigabytes_sent() -> Dataset {
    let mut data = closed();
    let item = model::PriceItem {
        name: "egress".into(),
        amount: 0.09,
        per: model::PriceUnit::GbSent,
        quantity: None,
    };
    let date = Some("2026-11".to_owned());
    data.study.targets[0].price = Some(Price { date, ..Price::from_items("EUR", vec![item]) });
    price(&mut data, "slow", 100.0);
    for record in &mut data.trials {
        let each = if record.key.level.clients == 1 { 2_000 } else { 1_000 };
        if let Some(load) = record.load_mut() {
            load.measure.received_bytes = load.measure.transactions * each;
        }
    }
    data
}

#[test]
fn what_is_charged_by_use_is_taken_where_throughput_was_nearest_to_the_rate() {
    let data = billed_by_gigabytes_sent();
    let monthly = |rate| ask(&data, &at_rate(rate)).targets[0].monthly.clone().expect("a bill");
    // 1,000/s are 2,628 millions a month, each 2 GB with one client: 473.04 EUR.
    let one = monthly(1_000.0);
    assert!((one.amount.point - 473.04).abs() < 0.5, "{one:?}");
    assert_eq!(one.used_at.map(|level| level.clients), Some(1));
    assert_eq!(one.date.as_deref(), Some("2026-11"));
    let eight = monthly(7_000.0);
    assert!((eight.amount.point - 0.09 * 7.0 * 2_628.0).abs() < 2.0, "{eight:?}");
    assert!(eight.used_at.is_some_and(|level| level.clients > 1));
    // Without what connections carried nothing is known.
    let mut unseen = billed_by_gigabytes_sent();
    for record in &mut unseen.trials {
        if let Some(load) = record.load_mut() {
            load.measure.received_bytes = 0;
        }
    }
    assert_eq!(ask(&unseen, &at_rate(1_000.0)).targets[0].monthly, None);
}

#[test]
fn sufficient_targets_have_their_break_even_at_the_rate() {
    let data = billed_by_gigabytes_sent();
    let given = ask(&data, &at_rate(100.0));
    assert_eq!(given.sufficient, ["fast", "slow"], "47.30 against 100 EUR");
    let [found] = given.break_evens.as_slice() else { panic!("one: {:?}", given.break_evens) };
    let analyse::Outcome::At { below, load, .. } = &found.outcome else { panic!("{found:?}") };
    // 100 EUR ÷ (0.18 EUR × 2.628 millions): 211/s.
    assert_eq!(below, "fast");
    assert!((load.point - 211.4).abs() < 1.0 && load.interval.is_some(), "{load:?}");
    assert_eq!(ask(&data, &at_rate(5_000.0)).break_evens.len(), 0, "one alone is sufficient");
}

#[test]
fn a_bill_for_volumes_is_made_for_so_much_in_flight() {
    let mut data = billed_by_request();
    let queue_depth = |level: &mut Level| *level = level.counting(LevelUnit::QueueDepth);
    data.study
        .tests
        .iter_mut()
        .flat_map(|test| &mut test.load_mut().expect("a load").levels)
        .for_each(queue_depth);
    let planned = data.plan.blocks.iter_mut().flat_map(|block| &mut block.trials);
    planned.map(|trial| &mut trial.key.level).for_each(queue_depth);
    data.trials.iter_mut().map(|record| &mut record.key.level).for_each(queue_depth);
    // 1,007/s with one are 264.60 EUR a month.
    let answer = |amount| {
        let budget = Some(Budget { amount, currency: None });
        let question = Question { clients: Some(1), budget, ..Question::default() };
        all(&data, &question)[0]
    };
    assert_eq!((answer(300.0), answer(200.0)), (Answer::Yes, Answer::No));
}

#[test]
fn which_of_two_costs_less_is_said_where_their_intervals_lie_apart() {
    let mut data = billed_by_request();
    let question = Question {
        clients: Some(1),
        budget: Some(Budget { amount: 1_000.0, currency: None }),
        ..Question::default()
    };
    // The other costs about 264.60.
    for (monthly, first, order) in [
        (100.0, Some("slow"), TargetOrder::Cost),
        (264.0, None, TargetOrder::CostUndecided),
        (400.0, Some("fast"), TargetOrder::Cost),
    ] {
        price(&mut data, "slow", monthly);
        let given = ask(&data, &question);
        assert_eq!((given.sufficient.len(), given.order), (2, order), "{monthly}");
        assert!(first.is_none_or(|first| given.sufficient[0] == first), "{monthly}");
    }
    price(&mut data, "fast", 400.0);
    assert_eq!(ask(&data, &question).order, TargetOrder::CostUndecided, "both cost the same");
    data.study.targets[0].price = None;
    let any_cost = Question { budget: None, ..question };
    assert_eq!(ask(&data, &any_cost).order, TargetOrder::Study);
}

#[test]
fn results_from_elsewhere_that_print_less_than_was_offered_did_not_keep_up() {
    let mut table = String::from("target,test,concurrency,rate,metric,value,unit\n");
    for (target, rate, printed) in [("one", 500, 495), ("one", 1_000, 400), ("two", 1_000, 991)] {
        let of = format!("{target},t,4,{rate}");
        table.push_str(&format!("{of},transactions_per_s,{printed},\n{of},latency_p95,3.25,ms\n"));
    }
    let data = imported("elsewhere", &table);
    let asked = with_bound(at_rate(1_000.0), "p95 < 5ms");
    let given = ask(&data, &asked);
    let rates: Vec<Answer> = given.targets.iter().map(|target| target.parts[0].answer).collect();
    assert_eq!(rates, [Answer::NoMeasuredOnce, Answer::YesMeasuredOnce]);
    assert!(!given.targets[0].parts[1].answer.is_yes(), "{:?}", given.targets[0].parts[1]);
    let analysis = analyse(&data);
    let known =
        |cell: &analyse::Cell| (cell.overloaded, cell.estimates.contains_key(&Metric::LatencyP95));
    let known: Vec<_> = analysis.tests[0].cells.iter().map(known).collect();
    assert_eq!(known, [(0, true), (1, false), (0, true)]);
}

#[test]
fn a_rate_at_which_work_is_put_off_more_and_more_is_not_promised() {
    let mut data = closed();
    let yes = part(&data, &at_rate(7_000.0));
    assert!(yes.answer.is_yes(), "{yes:?}");
    let reading = |at_seconds: f64, age: i64| CounterReading {
        at_seconds,
        counters: [
            (signal::CHECKPOINT_AGE.to_owned(), age),
            (signal::CHECKPOINT_AGE_LIMIT.to_owned(), 1_000_000_000),
        ]
        .into(),
    };
    for clients in [8, 32] {
        let record = trial(&mut data, "fast", clients, 3);
        let load = record.load().expect("the trial completed");
        let end = (load.warmup.elapsed + load.measure.elapsed).as_secs_f64();
        record.sampling.before = Some(reading(0.0, 0));
        record.sampling.after = Some(reading(end, 500_000_000));
    }
    let put_off = part(&data, &at_rate(7_000.0));
    assert_eq!((put_off.answer, &put_off.reason), (Answer::Unknown, &Reason::PutsOff));
    assert_eq!(put_off.grounds[0].indebted, 1);
    // What it does not reach anyway it does not reach.
    assert!(part(&data, &at_rate(20_000.0)).answer.is_no());
}

#[test]
fn stored_gigabytes_are_billed_with_what_the_load_adds() {
    let mut data = closed();
    let item = model::PriceItem {
        name: "storage".into(),
        amount: 0.1,
        per: model::PriceUnit::GbMonth,
        quantity: None,
    };
    for target in &mut data.study.targets {
        target.price = Some(Price::from_items("USD", vec![item.clone()]));
    }
    for facts in &mut data.targets {
        facts.server.dataset_bytes = Some(50_000_000_000);
    }
    // 100 bytes a transaction on "fast", with a little scatter; of "slow" nothing is known.
    for record in data.trials.iter_mut().filter(|record| record.key.target == "fast") {
        let load = record.load().expect("a load");
        let phases = [&load.warmup, &load.measure, &load.drain];
        let all: u64 = phases.iter().map(|phase| phase.transactions).sum();
        let each = 98 + u64::from(record.key.repeat % 3) * 2;
        record.sampling.data = Some(model::DataSize {
            rows: None,
            bytes_before: 1_000,
            bytes_after: 1_000 + all * each,
        });
    }
    let given = ask(&data, &at_rate(100.0));
    let [fast, slow] = given.targets.as_slice() else { panic!("two: {given:?}") };
    let monthly = fast.monthly.clone().expect("a bill");
    // 262.8 million transactions add 26.28 GB, half of which is there on average.
    let added = monthly.growth.and_then(|growth| growth.gigabytes).expect("it was measured");
    assert!((added.point - 26.28).abs() < 0.6, "{added:?}");
    assert!((monthly.amount.point - (5.0 + 0.1 * 26.28 / 2.0)).abs() < 0.03, "{monthly:?}");
    let (low, high) = monthly.amount.interval.expect("six repeats");
    assert!(5.0 < low && low < monthly.amount.point && monthly.amount.point < high);
    let unknown = slow.monthly.clone().expect("a bill without it");
    assert_eq!((unknown.amount.point, unknown.growth.unwrap().gigabytes), (5.0, None));

    let analysis = analyse(&data);
    let costs = &analysis.tests[0].money.costs;
    assert!(costs[0].usage.stored_bytes_per_request.is_some() && costs[1].growth.is_some());
    assert!(!costs[0].monthly().expect("a bill").is_exact());
    let [found] = analysis.break_evens.as_slice() else { panic!("{:?}", analysis.break_evens) };
    assert!(found.test.is_some(), "it does not rest on prices alone");
}
