//! The audit of what weighin itself recorded.

use crate::support::{count, dataset, found, load_of, trial};
use analyse::{
    ArithmeticChecked, Contradiction, Evidence, Identity, Origin, Severity, Source, Validity,
    analyse,
};
use model::{
    Dataset, Effect, ErrorClass, ErrorCount, FigureValue, Interval, KeyValue, Latencies,
    LoadResult, Moved, NamedResult, OpenLoopResult, Phase, ReceiveDelay, RequestCount,
    RequestCounts, RequestKind, Workload,
};
use std::time::Duration;
use test_support::{balance, open_loop};

/// One repeat at four clients, 1000 transactions a second for ten seconds, with all intervals.
fn kept() -> Dataset {
    let mut data = dataset(&["only"], &[4], 1, |_, _, _| 1000.0);
    let record = trial(&mut data, "only", 4, 1);
    let load = load_of(record);
    let interval = |second: u64| Interval {
        phase: if second < 2 { Phase::Warmup } else { Phase::Measure },
        start: Duration::from_secs(second),
        length: Duration::from_secs(1),
        transactions: if second < 2 { 700 } else { 1000 },
        queries: 0,
        errors: 0,
        moved: Moved::default(),
        longest_statement: None,
        latencies: (&Latencies::new()).into(),
    };
    load.intervals = (0..12).map(interval).collect();
    load.drain.transactions = 3;
    load.client.receive_delay =
        Some(ReceiveDelay { replies: 240_000, p50_ms: 0.01, p99_ms: 0.02, max_ms: 0.3 });
    balance(record);
    data
}

fn offered() -> Dataset {
    let mut data = kept();
    let record = trial(&mut data, "only", 4, 1);
    let load = load_of(record);
    load.open = Some(open_loop(load, 1000.0, 10_000));
    balance(record);
    data
}

fn key_value() -> Dataset {
    let mut data = kept();
    data.study.tests[0].load_mut().expect("a load").workload =
        Workload::KeyValue(KeyValue { pipeline: 20, ..KeyValue::default() });
    let load = load_of(trial(&mut data, "only", 4, 1));
    let commands = load.ledger.ok * 20;
    let kind = |kind: RequestKind, count| RequestCount { kind: kind.into(), count };
    let get = RequestKind::counted("get", Effect::Read, "cmdstat_get");
    let set = RequestKind::counted("set", Effect::Write, "cmdstat_set");
    let kinds = vec![kind(get, commands - 9), kind(set, 9)];
    load.requests = RequestCounts { kinds, found: 5, ..RequestCounts::default() };
    data
}

/// How many identities were checked and violated, whether the trial counts, and what is wrong.
fn audited(data: &Dataset) -> ((usize, usize), Validity, Vec<Contradiction>) {
    let analysis = analyse(data);
    let checked = found(&analysis, |e| matches!(e, Evidence::ArithmeticChecked(_)));
    assert_eq!(checked.len(), 1);
    let Evidence::ArithmeticChecked(ArithmeticChecked {
        source: Source::Own,
        checked: all,
        violated,
    }) = checked[0].evidence
    else {
        panic!("{checked:?}")
    };
    assert_eq!(checked[0].severity == Severity::Passed, violated == 0);
    let wrong = analysis.findings.iter().filter_map(|finding| match &finding.evidence {
        Evidence::Contradiction(wrong) => {
            assert_eq!(finding.severity, Severity::Severe);
            Some(wrong.clone())
        }
        _ => None,
    });
    let validity = analysis.tests[0].cells[0].trials[0].validity;
    ((all, violated), validity, wrong.collect())
}

/// The names of what is wrong after the books were spoilt.
fn wrong(mut data: Dataset, spoil: impl FnOnce(&mut LoadResult)) -> Vec<String> {
    assert_eq!(audited(&data).0.1, 0, "the books agree before");
    spoil(load_of(trial(&mut data, "only", 4, 1)));
    let ((_, violated), validity, wrong) = audited(&data);
    assert_eq!(violated, wrong.len());
    assert_eq!(validity == Validity::Void, violated > 0);
    wrong.into_iter().map(|wrong| wrong.printed.name).collect()
}

#[test]
fn books_that_agree_pass_with_the_number_of_identities() {
    // 3 sums, 8 of intervals; 1 count of latencies, 7 of their order, 2 of delays; found, and 7
    // kinds of statements.
    assert_eq!(audited(&kept()).0, (29, 0));
    // The kinds of statements are one sum.
    assert_eq!(audited(&key_value()).0, (23, 0));
    // 4 counts and a mean more.
    assert_eq!(audited(&offered()).0, (34, 0));
}

#[test]
fn totals_must_agree_with_ledger_statements_and_intervals() {
    assert_eq!(wrong(kept(), |load| load.drain.transactions += 1), ["ledger.ok"]);
    assert_eq!(wrong(kept(), |load| load.warmup.queries -= 1), ["requests", "warmup.queries"]);
    assert_eq!(wrong(kept(), |load| load.intervals[5].transactions -= 1), ["measure.transactions"]);
    assert_eq!(wrong(kept(), |load| load.intervals[0].errors += 1), ["warmup.errors"]);
    let shorter = Duration::from_nanos(1);
    assert_eq!(wrong(kept(), |load| load.measure.elapsed -= shorter), ["measure.elapsed_ns"]);
    let failed = |load: &mut LoadResult| {
        load.ledger.failed += 1;
        load.ledger.scheduled += 1;
    };
    assert_eq!(wrong(kept(), failed), ["ledger.failed"]);
}

#[test]
fn every_transaction_has_a_latency_and_delays_are_in_order() {
    let one_more = |load: &mut LoadResult| load.latencies.record(Duration::from_millis(4));
    assert_eq!(wrong(kept(), one_more), ["latencies"]);
    let falling = |load: &mut LoadResult| {
        load.client.receive_delay.as_mut().expect("the builder has delays").p99_ms = 0.4;
    };
    assert_eq!(wrong(kept(), falling), ["receive delay max"]);
}

#[test]
fn statements_follow_from_transactions_and_the_workload() {
    let swapped = |load: &mut LoadResult| {
        *count(load, "select") -= 1;
        *count(load, "rollback") += 1;
    };
    assert_eq!(wrong(kept(), swapped), ["selects", "rollbacks"]);
    assert_eq!(
        wrong(key_value(), |load| load.requests.found = load.requests.count_of("get") + 1),
        ["gets"]
    );
    let lost = |load: &mut LoadResult| {
        *count(load, "get") -= 1;
        load.drain.queries -= 1;
    };
    assert_eq!(wrong(key_value(), lost), ["gets and sets"]);

    let mut data = kept();
    *count(load_of(trial(&mut data, "only", 4, 1)), "update") += 1;
    let (_, _, wrong) = audited(&data);
    let update = wrong.iter().find(|wrong| wrong.printed.name == "updates").expect("it is wrong");
    assert_eq!(update.identity, Identity::StatementsPerTransaction);
    assert_eq!((update.follows.nominal, update.off), (2.0 * 11_403.0, 1.0));
    let [transactions, each] = update.terms.as_slice() else { panic!("{update:?}") };
    assert_eq!((transactions.origin, each.origin), (Origin::Recorded, Origin::Study));
    assert!(matches!(&each.value, FigureValue::Number(each) if each.value == 2.0));
}

#[test]
fn operations_that_were_tried_again_may_have_any_number_of_statements() {
    let retried = |load: &mut LoadResult| {
        *count(load, "select") += 5;
        load.measure.queries += 5;
        load.intervals[3].queries += 5;
        load.errors = vec![ErrorCount {
            class: ErrorClass::Conflict,
            code: "1213".to_owned(),
            sql_state: "40001".to_owned(),
            message: "Deadlock found".to_owned(),
            count: 1,
            remedy: String::new(),
        }];
    };
    let mut data = kept();
    // The server counted them too, or it did not: that is another check.
    trial(&mut data, "only", 4, 1).sampling.after = None;
    assert!(wrong(data, retried).is_empty());
}

#[test]
fn latencies_of_each_kind_of_statement_are_as_many_as_statements() {
    let kinds = |load: &mut LoadResult, count: u64| {
        let kind = |name: &str, count| {
            let mut latencies = Latencies::new();
            latencies.record_many(100_000, count);
            NamedResult { name: name.to_owned(), latencies, ok: count, ..NamedResult::default() }
        };
        load.by_statement = vec![kind("point_select", 100_000), kind("commit", count)];
    };
    assert!(wrong(kept(), |load| kinds(load, 100_000)).is_empty());
    assert_eq!(wrong(kept(), |load| kinds(load, 99_999)), ["measure.queries"]);
}

#[test]
fn an_open_loop_adds_up_in_numbers_and_in_times() {
    fn open(load: &mut LoadResult) -> &mut OpenLoopResult {
        load.open.as_mut().expect("the builder offers a rate")
    }
    let second = Duration::from_secs(1);
    assert_eq!(
        wrong(offered(), |load| open(load).schedule_lags.record_many(0, 1)),
        ["schedule lags"]
    );
    assert_eq!(
        wrong(offered(), |load| open(load).scheduled = 9_999),
        ["scheduled in the measured phase"]
    );
    assert_eq!(wrong(offered(), |load| open(load).scheduled = 20_000), ["ledger.scheduled"]);
    // A quarter of them began a second late, and no response time shows it.
    let late = |load: &mut LoadResult| {
        let lags = &mut open(load).schedule_lags;
        *lags = Latencies::new();
        lags.record_many(0, 7_500);
        lags.record_many(second.as_nanos() as u64, 2_500);
    };
    assert_eq!(wrong(offered(), late), ["mean response time"]);
}
