//! Transactions and statements of the user's own: which of them decides.

use crate::support::{Noise, dataset};
use analyse::{Evidence, ItemKind, Metric, Verdict, analyse};
use model::{Dataset, Latencies, NamedResult, Script, ScriptTransaction, Transactions, Workload};
use test_support::{balance, open_loop};

/// Clients of the level.
const CLIENTS: u32 = 4;
const STATEMENTS: [&str; 3] = ["find", "list", "store"];

/// Trials of two targets whose statements take so many milliseconds of a transaction.
fn shop(times: [[f64; 3]; 2]) -> Dataset {
    let of = |target: &str| times[usize::from(target == "b")];
    let mut noise = Noise::new(7);
    let mut factors = Vec::new();
    let mut data = dataset(&["a", "b"], &[CLIENTS], 5, |target, _, _| {
        let factor = noise.factor(0.01);
        factors.push(factor);
        f64::from(CLIENTS) * 1e3 / (of(target).iter().sum::<f64>() * factor)
    });
    let transaction = ScriptTransaction {
        name: "shop".to_owned(),
        script: Script {
            origin: "shop.sql".to_owned(),
            text: "SELECT 1;".to_owned(),
            columns: vec![],
        },
        weight: 1,
        think_time: None,
        slo: "p95 < 1s".parse().ok(),
        retry: false,
    };
    let own = Transactions {
        transactions: vec![transaction],
        set: Default::default(),
        prepared: true,
        writes: false,
        change_data: false,
        data: Default::default(),
    };
    data.study.tests[0].load_mut().expect("it runs a load").workload = Workload::Transactions(own);
    for (record, factor) in data.trials.iter_mut().zip(factors) {
        let times = of(&record.key.target);
        let load = record.load_mut().expect("the trial completed");
        let count = load.measure.transactions;
        let named = |name: &str, ms: f64, each: u64| {
            let (mut latencies, ok) = (Latencies::new(), each * count);
            latencies.record_many((ms / each as f64 * factor * 1e6) as u64, ok);
            NamedResult { name: name.to_owned(), latencies, ok, ..NamedResult::default() }
        };
        load.by_transaction = vec![named("shop", times.iter().sum(), 1)];
        // As many as the load has of them: 20 in a transaction.
        let each = [6, 7, load.measure.queries / count - 13];
        let statements = STATEMENTS.iter().zip(times).zip(each);
        load.by_statement = statements.map(|((name, ms), each)| named(name, ms, each)).collect();
    }
    data
}

#[test]
fn the_statement_that_decides_is_named_with_its_share_and_what_speaks_against_it() {
    // 10 ms against 5: `list` gains 6, `store` loses 1.
    let data = shop([[2.0, 7.0, 1.0], [2.0, 1.0, 2.0]]);
    let analysis = analyse(&data);
    let decides: Vec<_> = analysis
        .findings
        .iter()
        .filter_map(|finding| match &finding.evidence {
            Evidence::Decides(decides) => Some(decides),
            _ => None,
        })
        .collect();
    let [decides] = decides[..] else { panic!("{decides:?}") };
    assert_eq!((decides.winner.as_str(), decides.loser.as_str()), ("b", "a"));
    assert_eq!(
        (decides.item.name(), decides.slower.as_slice()),
        ("list", &["store".to_owned()][..])
    );
    assert!((decides.ratio.point - 2.0).abs() < 0.1, "{decides:?}");
    assert!((decides.item_ratio.point - 7.0).abs() < 0.5, "{decides:?}");
    assert_eq!(decides.share, 1.0);
    let judged = |name: &str, metric| {
        let all = &analysis.tests[0].item_comparisons;
        let same = |one: &&analyse::ItemComparison| {
            one.of == ItemKind::Statement && one.name == name && one.metric == metric
        };
        all.iter().find(same).unwrap().verdict
    };
    assert_eq!(judged("list", Metric::LatencyMean), Verdict::CandidateBetter);
    assert_eq!(judged("store", Metric::LatencyP95), Verdict::BaselineBetter);
    assert_eq!(judged("find", Metric::LatencyMean), Verdict::Equivalent);
    let cell = &analysis.tests[0].items[0];
    assert_eq!(cell.transactions[0].slo.as_ref().unwrap().met, Some(true));
}

#[test]
fn targets_that_do_not_differ_have_nothing_that_decides() {
    let data = shop([[2.0, 2.0, 1.0], [2.0, 1.0, 2.0]]);
    let decides = |evidence: &Evidence| matches!(evidence, Evidence::Decides(_));
    assert!(!analyse(&data).findings.iter().any(|finding| decides(&finding.evidence)));
}

#[test]
fn response_times_of_transactions_count_for_nothing_where_the_load_fell_behind() {
    let mut data = shop([[2.0, 7.0, 1.0], [2.0, 1.0, 2.0]]);
    for record in data.trials.iter_mut().filter(|record| record.key.target == "a") {
        let load = record.load_mut().expect("the trial completed");
        let scheduled = load.measure.transactions * 2;
        load.open = Some(open_loop(load, 800.0, scheduled));
        load.ledger.timed_out = scheduled - load.measure.transactions;
        balance(record);
    }
    let analysis = analyse(&data);
    let test = &analysis.tests[0];
    let judged = |kind| test.item_comparisons.iter().filter(|one| one.of == kind).count();
    assert_eq!(judged(ItemKind::Transaction), 0, "of transactions the queue is compared");
    assert!(judged(ItemKind::Statement) > 0, "statements are timed from when they are sent");
    let of = |target: &str| test.items.iter().find(|cell| cell.target == target).unwrap();
    let behind = of("a");
    assert_eq!((behind.overloaded, of("b").overloaded), (5, 0));
    let shop = &behind.transactions[0];
    assert!(shop.per_second.is_some());
    let latencies = [shop.mean_ms, shop.p50_ms, shop.p95_ms, shop.p99_ms, shop.max_ms];
    assert_eq!((latencies, shop.time_ms), ([None; 5], None));
    assert_eq!(shop.slo.as_ref().unwrap().met, None);
    assert!(behind.statements.iter().all(|one| one.mean_ms.is_some()));
}

/// A script that branches past its statements is done at once, and counts as any other.
#[test]
fn transactions_that_asked_nothing_are_told() {
    let found = |queries: fn(u64) -> u64| -> Vec<(u64, u64)> {
        let mut data = shop([[2.0, 7.0, 1.0]; 2]);
        for load in data.trials.iter_mut().filter_map(|record| record.load_mut()) {
            load.measure.transactions = 10_000;
            load.measure.queries = queries(10_000);
        }
        let found = analyse(&data).findings.into_iter();
        let of = |finding: analyse::Finding| match finding.evidence {
            Evidence::NothingSent(found) => Some((found.transactions, found.empty)),
            _ => None,
        };
        found.filter_map(of).collect()
    };
    assert!(found(|transactions| transactions - 100).is_empty());
    let all = found(|transactions| transactions / 4);
    assert!(!all.is_empty() && all.iter().all(|one| *one == (10_000, 7_500)), "{all:?}");
}
