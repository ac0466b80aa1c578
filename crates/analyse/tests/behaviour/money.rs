//! What targets cost, and which are worth it.

use crate::support::{dataset, found, load_of, price, trial};
use analyse::{
    Analysis, Bill, BreakEven, CostGap, CurrenciesDiffer, Evidence, MatrixPlace, Metric, Outcome,
    Standing, TargetCost, analyse,
};
use model::{
    AnswerAt, AnswerBy, AskedLoad, Dataset, DiskRates, Level, Price, PriceItem, PriceUnit,
    ProcessUsage, Sample, Workload,
};
use std::time::Duration;
use test_support::{balance, open_loop};

const STUDY_004: &str = include_str!("../fixtures/004-redis-volumes-prices.csv");
const STANDARD: &str = "standard-nonopt";
const PIOPS: &str = "piops-nonopt";
const STANDARD_OPTIMISED: &str = "standard-opt";
const PIOPS_OPTIMISED: &str = "piops-opt";

/// The study's prices, with 40 requests of 1 KB in one IO as it assumes.
fn prices_of_study_004(data: &mut Dataset) {
    for row in STUDY_004.lines().skip(1) {
        let fields: Vec<&str> = row.split(',').collect();
        let [target, "price", metric, amount, currency, _] = fields[..] else {
            panic!("a row of prices: {row}")
        };
        let per = match metric {
            "per_million_io" => PriceUnit::MillionIos,
            _ => PriceUnit::Month,
        };
        let amount = amount.parse().expect("an amount");
        let item = PriceItem { name: metric.to_owned(), amount, per, quantity: None };
        let target = data.study.targets.iter_mut().find(|t| t.name == target).expect("a target");
        let price = target.price.get_or_insert_with(|| Price::from_items(currency, Vec::new()));
        price.items.push(item);
        price.requests_per_io = Some(40.0);
    }
}

fn study_004(peak: f64) -> Dataset {
    let targets = [STANDARD, PIOPS, STANDARD_OPTIMISED, PIOPS_OPTIMISED];
    let mut data = dataset(&targets, &[200], 3, |_, _, repeat| peak + f64::from(repeat));
    prices_of_study_004(&mut data);
    data
}

fn break_even<'a>(analysis: &'a Analysis, a: &str, b: &str) -> &'a BreakEven {
    let found = analysis.break_evens.iter().find(|found| found.a == a && found.b == b);
    found.expect("a pair with prices")
}

fn cost<'a>(analysis: &'a Analysis, target: &str) -> &'a TargetCost {
    let costs = &analysis.tests[0].money.costs;
    costs.iter().find(|cost| cost.target == target).expect("a target with a price")
}

#[test]
fn study_004_s_standard_volumes_cost_less_up_to_its_two_break_evens() {
    let data = study_004(60_000.0);
    let analysis = analyse(&data);
    for (standard, piops, published, reached) in
        [(STANDARD, PIOPS, 37_500.0, true), (STANDARD_OPTIMISED, PIOPS_OPTIMISED, 91_500.0, false)]
    {
        let found = break_even(&analysis, standard, piops);
        let Outcome::At { below, above, load, .. } = &found.outcome else {
            panic!("a break-even: {found:?}")
        };
        assert_eq!((below.as_str(), above.as_str()), (standard, piops));
        assert!((load.point / published - 1.0).abs() < 0.04, "{}", load.point);
        assert!(load.is_exact(), "it rests on prices alone");
        assert_eq!(found.reached.expect("both were measured") > load.point, reached);
    }
    let apart = break_even(&analysis, STANDARD, PIOPS_OPTIMISED);
    assert!(matches!(&apart.outcome, Outcome::At { below, .. } if below == STANDARD));
    assert_eq!(found(&analysis, |e| matches!(e, Evidence::BreakEven(_))).len(), 3);
}

#[test]
fn ios_that_are_charged_and_neither_given_nor_seen_leave_the_cost_unknown() {
    let mut data = study_004(1000.0);
    let targets = data.study.targets.iter_mut();
    targets.filter_map(|t| t.price.as_mut()).for_each(|price| price.requests_per_io = None);
    let analysis = analyse(&data);
    let bill = &cost(&analysis, STANDARD).bill;
    assert_eq!(*bill, Bill::Unknown { gap: CostGap::RequestsPerIo });
    assert_eq!(cost(&analysis, STANDARD).standing, None);
    assert_eq!(found(&analysis, |e| matches!(e, Evidence::CostUnknown(_))).len(), 2);
    // The two without a charge for IOs remain: one costs less at every load.
    let outcomes: Vec<&Outcome> = analysis.break_evens.iter().map(|found| &found.outcome).collect();
    assert!(matches!(outcomes[..], [Outcome::Always { cheaper, .. }] if cheaper == PIOPS));
}

#[test]
fn requests_per_io_are_measured_on_the_disk_of_a_private_server() {
    let mut data = study_004(1000.0);
    data.study.targets[0].price.as_mut().unwrap().requests_per_io = None;
    for repeat in 1..=3 {
        let disk = |device: &str, writes| DiskRates {
            device: device.to_owned(),
            writes,
            ..DiskRates::default()
        };
        let sample = |at_seconds, seconds, writes| Sample {
            at_seconds,
            length: Duration::from_secs(seconds),
            disks: vec![disk("sdb", 7.0), disk("vda", writes)],
            ..Sample::default()
        };
        // The first two seconds are the warm-up.
        let samples = vec![sample(2.0, 2, 9000.0), sample(7.0, 5, 100.0), sample(14.0, 7, 150.0)];
        let sampling = &mut trial(&mut data, STANDARD, 200, repeat).sampling;
        sampling.samples = samples;
        sampling.volume = vec!["vda".to_owned()];
    }
    let analysis = analyse(&data);
    let measured = cost(&analysis, STANDARD).usage.requests_per_io.expect("the disk was sampled");
    assert!((measured.point - 1002.0 / 125.0).abs() < 0.01, "{}", measured.point);
    let found = break_even(&analysis, STANDARD, PIOPS);
    assert_eq!(found.test.as_deref(), Some("oltp"));
    let Outcome::At { load, .. } = &found.outcome else { panic!("a break-even: {found:?}") };
    assert!(!load.is_exact() && load.interval.is_some());
}

#[test]
fn the_cost_of_a_million_carries_the_interval_of_the_throughput() {
    let mut data =
        dataset(&["a"], &[1], 3, |_, _, repeat| 1000.0 + 10.0 * (f64::from(repeat) - 2.0));
    price(&mut data, "a", 2628.0);
    let analysis = analyse(&data);
    let cost = cost(&analysis, "a");
    let million = cost.per_million().expect("a bill");
    let (low, high) = million.interval.expect("three repeats");
    assert!((million.point - 1.0).abs() < 1e-9 && low < 1.0 && high > 1.0);
    assert!(cost.monthly().is_some_and(|monthly| monthly.is_exact()), "no charge by the load");
}

/// Four targets at 1,000, 1,500, 1,400 and 3,000 transactions/s, with little noise.
fn ladder() -> Dataset {
    let targets = ["small", "middle", "odd", "large"];
    let mut data = dataset(&targets, &[8], 3, |target, _, repeat| {
        let speed = match target {
            "small" => 1000.0,
            "middle" => 1500.0,
            "odd" => 1400.0,
            _ => 3000.0,
        };
        speed + f64::from(repeat)
    });
    for (target, monthly) in [("small", 100.0), ("middle", 200.0), ("odd", 250.0), ("large", 900.0)]
    {
        price(&mut data, target, monthly);
    }
    data
}

#[test]
fn the_front_leaves_out_what_is_slower_and_dearer_and_prices_the_next_tenth() {
    let data = ladder();
    let analysis = analyse(&data);
    assert_eq!(cost(&analysis, "odd").standing, Some(Standing::Dominated { by: "middle".into() }));
    for target in ["small", "middle", "large"] {
        assert_eq!(cost(&analysis, target).standing, Some(Standing::OnParetoFront), "{target}");
    }
    let steps: Vec<(&str, &str)> = analysis.tests[0]
        .money
        .steps
        .iter()
        .map(|step| (step.from.as_str(), step.to.as_str()))
        .collect();
    assert_eq!(steps, [("small", "middle"), ("middle", "large")]);
    // 100 more for half as much again: 20 for each tenth. 700 more for twice: 70 for each tenth.
    for (step, tenth) in analysis.tests[0].money.steps.iter().zip([20.0, 70.0]) {
        assert!((step.next_tenth.point / tenth - 1.0).abs() < 0.01, "{step:?}");
        let (low, high) = step.next_tenth.interval.expect("three repeats");
        assert!(low < step.next_tenth.point && step.next_tenth.point < high);
    }
    assert_eq!(found(&analysis, |e| matches!(e, Evidence::PriceStep(_))).len(), 2);
}

/// Offers every target 5,000 transactions a second.
fn offer(data: &mut Dataset) {
    let level = |level: &mut Level| level.rate = Some(5_000);
    let load = data.study.tests[0].load_mut().expect("a load");
    load.levels.iter_mut().for_each(level);
    let planned = data.plan.blocks.iter_mut().flat_map(|block| &mut block.trials);
    planned.for_each(|trial| level(&mut trial.key.level));
    for record in &mut data.trials {
        level(&mut record.key.level);
        let load = load_of(record);
        let scheduled = 5_000 * load.measure.elapsed.as_secs();
        load.open = Some(open_loop(load, 5_000.0, scheduled));
        load.ledger.timed_out = scheduled.saturating_sub(load.measure.transactions);
        balance(record);
    }
}

#[test]
fn who_kept_up_with_all_that_was_offered_may_do_more() {
    let targets = ["cheap", "slow", "dear"];
    let mut data = dataset(&targets, &[8], 3, |target, _, repeat| {
        if target == "slow" { 4_000.0 + f64::from(repeat) } else { 5_000.0 }
    });
    for (target, monthly) in [("cheap", 100.0), ("slow", 50.0), ("dear", 200.0)] {
        price(&mut data, target, monthly);
    }
    offer(&mut data);
    let analysis = analyse(&data);
    assert_eq!(cost(&analysis, "cheap").standing, Some(Standing::OnParetoFront));
    assert_eq!(cost(&analysis, "slow").standing, Some(Standing::OnParetoFront));
    // As fast as `cheap`, as far as was offered.
    let open = Standing::NotExhausted { rival: "cheap".into() };
    assert_eq!(cost(&analysis, "dear").standing, Some(open));
    let steps = &analysis.tests[0].money.steps;
    assert!(steps.is_empty(), "what more than 5,000/s costs is not known: {steps:?}");
    // One that fell behind is slower, whatever else may do more.
    price(&mut data, "slow", 150.0);
    let analysis = analyse(&data);
    let dominated = Standing::Dominated { by: "cheap".into() };
    assert_eq!(cost(&analysis, "slow").standing, Some(dominated));
}

#[test]
fn speed_that_is_not_resolved_leaves_the_place_unresolved() {
    let mut data = dataset(&["cheap", "dear"], &[8], 3, |target, _, repeat| {
        let noise = [1.0, 0.6, 1.5][repeat as usize - 1];
        if target == "dear" { 1000.0 } else { 1000.0 * noise }
    });
    price(&mut data, "cheap", 10.0);
    price(&mut data, "dear", 20.0);
    let analysis = analyse(&data);
    assert_eq!(cost(&analysis, "cheap").standing, Some(Standing::OnParetoFront));
    let unresolved = Standing::Unresolved { rival: "cheap".into() };
    assert_eq!(cost(&analysis, "dear").standing, Some(unresolved));
    assert!(analysis.tests[0].money.steps.is_empty());
}

#[test]
fn whose_bill_is_not_known_may_dominate_unless_it_is_slower() {
    let mut data = ladder();
    let price = data.study.targets.iter_mut().find(|target| target.name == "middle");
    let items = &mut price.unwrap().price.as_mut().unwrap().items;
    items.push(PriceItem { per: PriceUnit::MillionIos, ..items[0].clone() });
    let analysis = analyse(&data);
    assert_eq!(cost(&analysis, "middle").standing, None);
    let unresolved = Standing::Unresolved { rival: "middle".into() };
    for slower in ["small", "odd"] {
        assert_eq!(cost(&analysis, slower).standing, Some(unresolved.clone()), "{slower}");
    }
    assert_eq!(cost(&analysis, "large").standing, Some(Standing::OnParetoFront));
}

#[test]
fn prices_that_differ_in_their_last_digits_are_the_same() {
    let mut data = dataset(&["sum", "whole"], &[8], 3, |_, _, repeat| 1000.0 + f64::from(repeat));
    price(&mut data, "sum", 0.1 + 0.2);
    price(&mut data, "whole", 0.3);
    let analysis = analyse(&data);
    for target in ["sum", "whole"] {
        assert_eq!(cost(&analysis, target).standing, Some(Standing::OnParetoFront), "{target}");
    }
}

#[test]
fn currencies_are_never_compared() {
    let mut data = ladder();
    data.study.targets[1].price.as_mut().unwrap().currency = "USD".to_owned();
    let analysis = analyse(&data);
    assert!(analysis.break_evens.iter().all(|found| found.currency == "EUR"));
    assert_eq!(analysis.break_evens.len(), 3);
    assert_eq!(cost(&analysis, "middle").standing, None, "there is nothing to set it against");
    assert_eq!(
        cost(&analysis, "odd").standing,
        Some(Standing::OnParetoFront),
        "middle is paid in USD"
    );
    let said = found(&analysis, |e| matches!(e, Evidence::CurrenciesDiffer(_)));
    let Evidence::CurrenciesDiffer(CurrenciesDiffer { currencies }) = &said[0].evidence else {
        unreachable!("filtered above")
    };
    assert_eq!(*currencies, ["EUR", "USD"]);
}

/// The size of data is recorded of the first test alone.
#[test]
fn storage_is_not_priced_with_the_data_of_another_test() {
    let mut data = dataset(&["a"], &[8], 3, |_, _, repeat| 1000.0 + f64::from(repeat));
    let item = PriceItem {
        name: "storage".to_owned(),
        amount: 0.1,
        per: PriceUnit::GbMonth,
        quantity: None,
    };
    data.study.targets[0].price = Some(Price::from_items("USD", vec![item]));
    data.targets[0].server.dataset_bytes = Some(50_000_000_000);
    let mut larger = data.study.tests[0].clone();
    larger.name = "larger".to_owned();
    let load = larger.load_mut().expect("a load");
    let Workload::Oltp(oltp) = &mut load.workload else { panic!("{load:?}") };
    oltp.table_size *= 10;
    let mut trials = data.trials.clone();
    trials.iter_mut().for_each(|record| record.key.test = larger.name.clone());
    data.study.tests.push(larger);
    data.trials.extend(trials);
    let analysis = analyse(&data);
    let bills = analysis.tests.iter().map(|test| test.money.costs[0].bill.clone());
    let bills: Vec<Bill> = bills.collect();
    let Bill::Known { monthly, .. } = &bills[0] else { panic!("{bills:?}") };
    assert!((monthly.point - 5.0).abs() < 1e-9, "{monthly:?}");
    assert_eq!(bills[1], Bill::Unknown { gap: CostGap::Gigabytes });
}

/// A target that is a third faster for twice the money.
fn faster_and_dearer() -> Dataset {
    let noise = |repeat: u32| 1.0 + f64::from(repeat % 3) / 200.0;
    let mut data = dataset(&["slow", "fast"], &[8], 5, |target, _, repeat| {
        if target == "fast" { 4000.0 * noise(repeat) } else { 3000.0 * noise(repeat + 1) }
    });
    price(&mut data, "slow", 30.0);
    price(&mut data, "fast", 60.0);
    data
}

#[test]
fn who_asks_what_transactions_cost_is_answered_by_that() {
    let mut data = faster_and_dearer();
    let by = |data: &Dataset| {
        let analysis = analyse(data);
        let test = analysis.matrix.into_iter().next().unwrap();
        let places = test.cells.iter().map(|cell| cell.place.clone()).collect::<Vec<_>>();
        (test.by_cost, places, test.cells[1].behind.unwrap())
    };
    let best = MatrixPlace::Best { clear: true };
    let (by_cost, places, _) = by(&data);
    assert!(!by_cost);
    assert_eq!(places, [MatrixPlace::Behind, best.clone()]);
    for asked in [Some("What does a transaction cost?"), Some("Which one is cheaper?"), None] {
        data.study.question = asked.map(str::to_owned);
        data.study.answer_by = asked.is_none().then_some(AnswerBy::Cost);
        let (by_cost, places, ratio) = by(&data);
        assert!(by_cost, "{asked:?}");
        assert_eq!(places, [best.clone(), MatrixPlace::Behind], "{asked:?}");
        // 60 ÷ 4000 against 30 ÷ 3000.
        let (low, high) = ratio.interval.unwrap();
        assert!(low < 1.5 && 1.5 < high && high - low < 0.2, "{ratio:?}");
    }
    // What is asked for in the file stands before the words of the question.
    data.study.question = Some("What does a transaction cost?".into());
    data.study.answer_by = Some(AnswerBy::Metric(Metric::Throughput));
    assert_eq!(by(&data).1, [MatrixPlace::Behind, best]);
}

#[test]
fn at_one_price_the_faster_is_the_cheaper_by_the_same_verdict() {
    for more in [1.0, 1.02, 1.3] {
        let mut data = dataset(&["a", "b"], &[8], 4, |target, _, repeat| {
            let noise = 1.0 + f64::from((repeat * 7 + u32::from(target == "b") * 3) % 5) / 100.0;
            if target == "b" { 1000.0 * more * noise } else { 1000.0 * noise }
        });
        price(&mut data, "a", 30.0);
        price(&mut data, "b", 30.0);
        let speed =
            analyse(&data).matrix[0].cells.iter().map(|c| c.place.clone()).collect::<Vec<_>>();
        data.study.answer_by = Some(AnswerBy::Cost);
        let cost =
            analyse(&data).matrix[0].cells.iter().map(|c| c.place.clone()).collect::<Vec<_>>();
        assert_eq!(speed, cost, "{more}");
    }
}

#[test]
fn a_load_is_judged_by_the_latency_that_is_asked_for() {
    let mut data = faster_and_dearer();
    data.study.answer_by = Some(AnswerBy::Metric(Metric::LatencyP95));
    let analysis = analyse(&data);
    let test = &analysis.tests[0];
    assert_eq!(test.basis.unwrap().metric, Metric::LatencyP95);
    assert!(test.comparisons.iter().all(|one| one.metric != Metric::Throughput));
    assert_eq!(test.ranking.tiers[0][0].target, "fast");
}

#[test]
fn a_load_is_judged_by_what_a_transaction_takes_where_that_is_asked_for() {
    let mut data = faster_and_dearer();
    for record in &mut data.trials {
        let cpus = if record.key.target == "fast" { 3.0 } else { 1.0 };
        let second = |second: u32| Sample {
            at_seconds: f64::from(second),
            length: Duration::from_secs(1),
            server: Some(ProcessUsage { cpus, ..ProcessUsage::default() }),
            ..Sample::default()
        };
        record.sampling.samples = (1..=13).map(second).collect();
    }
    let best = |data: &Dataset| analyse(data).tests[0].ranking.tiers[0][0].target.clone();
    assert_eq!(best(&data), "fast");
    data.study.answer_by = Some(AnswerBy::Metric(Metric::ServerCpu));
    assert_eq!(best(&data), "slow");
    let analysis = analyse(&data);
    let test = &analysis.tests[0];
    assert_eq!(analysis.matrix[0].metric, Metric::ServerCpu);
    // Which one is the faster is said all the same, and each figure once.
    let judged = |metric| test.comparisons.iter().filter(|one| one.metric == metric).count();
    assert_eq!([judged(Metric::ServerCpu), judged(Metric::Throughput)], [1, 1]);
}

#[test]
fn latencies_are_compared_at_the_load_that_the_study_asks_about() {
    let mut data = dataset(&["slow", "fast"], &[2, 8], 5, |target, clients, repeat| {
        let noise = 1.0 + f64::from(repeat % 3) / 200.0;
        f64::from(clients) * noise * if target == "fast" { 400.0 } else { 300.0 }
    });
    data.study.answer_by = Some(AnswerBy::Metric(Metric::LatencyP95));
    let level = |data: &Dataset| analyse(data).tests[0].ranking.tiers[0][0].level.clients;
    assert_eq!(level(&data), 8, "the highest");
    let asked = |load| Some(AnswerAt { load, slo: None });
    data.study.answer_at = asked(AskedLoad::Clients(2));
    assert_eq!(level(&data), 2);
    for elsewhere in [AskedLoad::Clients(777), AskedLoad::Rate(2.0)] {
        data.study.answer_at = asked(elsewhere);
        assert_eq!(level(&data), 8, "{elsewhere:?} was not measured");
    }
}
