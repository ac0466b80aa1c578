//! The wording of every kind of finding.

use crate::support::{self, ratio};
use analyse::{
    AnswersCached, AtLimit, BetterAtLevels, BlocksInCommon, CacheNotCold, CacheNotWarm, Cause,
    Check, CheckPassed, ClientBusy, ClientDelay, ConditionChange, ConditionsChanged,
    ConnectionsLost, CounterMismatch, CountersUnavailable, CrossCheck, CrossCheckFailed,
    DataDrifted, DataKept, DatasetAgainstMemory, DebtChanged, DebtsNotTold, Decline, DifferentData,
    DirtyPageBacklog, Drift, DriftOfTarget, DriftedTable, DriftsDiffer, EquivalentAtLevels, Errors,
    Evidence, FewRepeats, Finding, HighestLoad, HighestLoadsCompared, HostSaturated,
    IndependenceAssumed, KeysEvicted, LastingPair, LedgerUnbalanced, LevelRepeats, LevelsPlaced,
    LittlesLaw, LoadHostBusy, LoadingLeftDebt, MadeWithout, MeasuredAnew, MeasuredLater, Metric,
    NamedShare, NotLevel, OtherProcesses, OthersNotSeen, OverallResult, Overheated, Overloaded,
    PartOfTime, PathCost, Peak, PlacedAround, PlacedLevel, PlacementEnd, RatiosLast, RepeatsAdded,
    RepeatsAlike, RepeatsEnd, RepeatsEnded, Resource, RowsMissing, SearchOutcome, Severity,
    Stalled, StartSpread, SteadyFigure, SteadyStart, Steal, Subject, TablesChanged, TablesIntact,
    Throttled, ThrottledProcess, TooShortForTrend, TrialFailed, TrialsMissing, UnevenLoad,
    UnevenStart, UnresolvedAtLevels, Verdict, WhySlower,
};
use model::{
    Bound, Debt, DebtChange, Direction, Failure, FailureKind, Level, SearchOver, TableSize,
    UnitName,
};
use report::words::sentence;
use stats::Estimate;
use std::time::Duration;

fn level(clients: u32) -> Level {
    Level::clients(clients)
}

fn finding(evidence: Evidence) -> Finding {
    let subject = Subject {
        test: Some("oltp".into()),
        target: Some("durable".into()),
        level: Some(level(8)),
        repeat: Some(2),
    };
    Finding { severity: Severity::Notice, subject, evidence }
}

fn comparison(evidence: Evidence) -> Finding {
    let subject = Subject { test: Some("oltp".into()), ..Subject::default() };
    Finding { severity: Severity::Notice, subject, evidence }
}

fn curve(evidence: Evidence) -> Finding {
    Finding {
        subject: Subject { repeat: None, ..finding(evidence.clone()).subject },
        ..finding(evidence)
    }
}

fn whole(evidence: Evidence) -> Finding {
    Finding { severity: Severity::Warning, subject: Subject::default(), evidence }
}

/// Tables with rows before and after, and whether these were counted.
fn drifted(trials: u32, is_restored: bool, tables: &[(&str, u64, u64, bool)]) -> Finding {
    let size =
        |rows: u64, is_counted| TableSize { rows, is_counted, bytes: 2_000_000 + 150 * rows };
    let table = |&(table, before, after, is_counted): &(&str, u64, u64, bool)| DriftedTable {
        table: table.to_owned(),
        before: size(before, is_counted),
        after: size(after, is_counted),
    };
    let tables = tables.iter().map(table).collect();
    whole(Evidence::DataDrifted(DataDrifted { tables, trials, is_restored }))
}

fn better(ratios: (Estimate, Estimate), levels: &[u32]) -> Finding {
    let ends =
        |ratio: Estimate| ratio.interval.map_or((ratio.point, ratio.point), |i| (i.low, i.high));
    let (least, most) = (ends(ratios.0), ends(ratios.1));
    comparison(Evidence::BetterAtLevels(BetterAtLevels {
        winner: "relaxed".into(),
        loser: "durable".into(),
        levels: levels.iter().copied().map(level).collect(),
        metric: Metric::Throughput,
        ratios,
        bounds: (least.0.min(most.0), least.1.max(most.1)),
    }))
}

fn overall(ratio: Estimate, verdict: Verdict, all_levels: bool) -> Finding {
    comparison(Evidence::OverallResult(OverallResult {
        baseline: "durable".into(),
        candidate: "relaxed".into(),
        levels: vec![level(1), level(8)],
        all_levels,
        metric: Metric::Throughput,
        ratio,
        verdict,
        further_repeats: (verdict == Verdict::Unresolved).then_some(7),
        below_noise_floor: None,
        margin: 0.03,
    }))
}

fn target(evidence: Evidence) -> Finding {
    let subject = Subject { target: Some("durable".into()), ..Subject::default() };
    Finding { subject, ..whole(evidence) }
}

fn cross_check(metric: Metric, agrees: Option<bool>) -> Finding {
    cross_check_on(None, metric, agrees)
}

fn cross_check_on(part: Option<Direction>, metric: Metric, agrees: Option<bool>) -> Finding {
    finding(Evidence::CrossCheck(CrossCheck {
        tool: "sysbench 1.0.20".into(),
        part,
        metric,
        weighin: ratio(1_624.0, 1_540.2, 1_699.0),
        other: ratio(1_450.0, 1_400.0, 1_500.0),
        ratio: ratio(1.12, 1.08, 1.16),
        agrees,
        crowded: (part.is_some() && metric == Metric::LatencyP99).then_some((300, 2)),
    }))
}

/// A checkpoint that aged, rows that died, and a rewrite that is under way or not.
fn debts(is_level: bool) -> Vec<DebtChange> {
    let change = |debt, from, to, limit| DebtChange { debt, from, to, limit, is_level };
    vec![
        change(Debt::CheckpointAge, 10, 78, Some(100)),
        change(Debt::OldVersions, 20_000, 20_000, None),
        change(Debt::LogRewrite, 1, u64::from(!is_level), None),
    ]
}

fn highest(over: SearchOver, outcome: SearchOutcome) -> Finding {
    let slo = "p95 < 20ms".parse().expect("a bound");
    let subject = Subject {
        level: None,
        repeat: None,
        ..finding(Evidence::LedgerUnbalanced(LedgerUnbalanced)).subject
    };
    let evidence = Evidence::HighestLoad(HighestLoad { bound: Bound::latency(slo), over, outcome });
    Finding { severity: Severity::Notice, subject, evidence }
}

fn highest_of_two(ratio: Estimate, verdict: Verdict) -> Finding {
    comparison(Evidence::HighestLoadsCompared(HighestLoadsCompared {
        bound: Bound::latency("p95 < 20ms".parse().expect("a bound")),
        over: SearchOver::Rate,
        baseline: "durable".into(),
        candidate: "relaxed".into(),
        ratio,
        verdict,
        margin: 0.03,
    }))
}

#[test]
fn every_kind_of_finding_reads_as_a_sentence() {
    let once = Estimate { point: 1.2, interval: None, n: 1 };
    let two = (String::from("durable"), String::from("relaxed"));
    let all = [
        finding(Evidence::TrialFailed(TrialFailed {
            failure: Failure::new(
                FailureKind::Unreachable,
                "nothing answers at 10.0.0.7:3306",
                "start the server, or correct the url of the target",
            ),
        })),
        finding(Evidence::TrialFailed(TrialFailed {
            failure: Failure::new(FailureKind::Other, "the disk made a noise", ""),
        })),
        whole(Evidence::TrialsMissing(TrialsMissing { missing: 12, planned: 36 })),
        whole(Evidence::FewRepeats(FewRepeats { repeats: 1, needed: 3 })),
        whole(Evidence::FewRepeats(FewRepeats { repeats: 2, needed: 3 })),
        whole(Evidence::RepeatsAdded(RepeatsAdded {
            looks: vec![3, 6, 9],
            stated_error: 0.05,
            error: 0.107,
        })),
        whole(Evidence::MeasuredAnew(MeasuredAnew { trials: 1 })),
        whole(Evidence::MeasuredAnew(MeasuredAnew { trials: 4 })),
        whole(Evidence::MeasuredLater(MeasuredLater {
            targets: vec!["new".to_owned()],
            tests: vec!["reads".to_owned()],
            cells: 12,
        })),
        whole(Evidence::ConditionsChanged(ConditionsChanged {
            changes: vec![ConditionChange {
                what: "kernel",
                before: "Linux 6.1.0".to_owned(),
                after: "Linux 6.12.0".to_owned(),
            }],
        })),
        finding(Evidence::LittlesLaw(LittlesLaw {
            clients: 8,
            throughput: 402.3,
            latency_mean_ms: 14.1,
            client_delay_mean_ms: 0.02,
            pause_mean_ms: 0.0,
            busy_clients: 5.67,
        })),
        finding(Evidence::ClientDelay(ClientDelay { share: 0.314, mean_ms: 0.0421 })),
        finding(Evidence::ConnectionsLost(ConnectionsLost {
            first_error: Duration::from_millis(12_340),
            downtime: Some(Duration::from_millis(2_506)),
            back_after: Some(Duration::from_millis(4_800)),
            failed: 8,
        })),
        finding(Evidence::ConnectionsLost(ConnectionsLost {
            first_error: Duration::from_millis(12_340),
            downtime: Some(Duration::from_millis(2_506)),
            back_after: None,
            failed: 1,
        })),
        finding(Evidence::ConnectionsLost(ConnectionsLost {
            first_error: Duration::from_millis(12_340),
            downtime: None,
            back_after: None,
            failed: 8,
        })),
        finding(Evidence::Overloaded(Overloaded {
            rate: 5_000.0,
            in_time: 0.247,
            dropped: 36_660,
        })),
        finding(Evidence::Overloaded(Overloaded { rate: 5_000.0, in_time: 0.98, dropped: 0 })),
        finding(Evidence::CounterMismatch(CounterMismatch {
            counter: "Com_select".into(),
            server: 12_340,
            weighin: 12_345,
        })),
        finding(Evidence::CountersUnavailable(CountersUnavailable)),
        finding(Evidence::ClientBusy(ClientBusy {
            busiest_worker: 0.934,
            share_of_allowed: 0.48,
            max_loop_lag: Duration::from_micros(12_340),
        })),
        finding(Evidence::UnevenLoad(UnevenLoad {
            generator: 2,
            generators: 2,
            transactions: 1_200,
            fair: 2_000.0,
        })),
        finding(Evidence::LoadHostBusy(LoadHostBusy { host: "load1".into(), busy: 0.93 })),
        finding(Evidence::MadeWithout(MadeWithout { hosts: vec!["load2".into(), "load3".into()] })),
        finding(Evidence::UnevenStart(UnevenStart {
            spread: StartSpread { seconds: 0.5, uncertainty_seconds: 0.012 },
            measured_seconds: 30.0,
        })),
        finding(Evidence::LedgerUnbalanced(LedgerUnbalanced)),
        finding(Evidence::Errors(Errors {
            failed: 412,
            succeeded: 30_000,
            message: "Deadlock found when trying to get lock".into(),
            code: "40001".into(),
            remedy: String::new(),
        })),
        finding(Evidence::Errors(Errors {
            failed: 412,
            succeeded: 30_000,
            message: "OOM command not allowed when used memory > 'maxmemory'.".into(),
            code: "OOM".into(),
            remedy:
                "raise maxmemory, let the server evict keys (maxmemory-policy), or use fewer or \
                     smaller keys"
                    .into(),
        })),
        finding(Evidence::AnswersCached(AnswersCached { cached: 132_882, reads: 134_790 })),
        finding(Evidence::OthersNotSeen(OthersNotSeen)),
        finding(Evidence::KeysEvicted(KeysEvicted {
            evicted: 81_234,
            written: 100_000,
            data_bytes: 102_400_000,
            limit_bytes: Some(20 << 20),
            hit_rate: Some(0.187),
        })),
        finding(Evidence::KeysEvicted(KeysEvicted {
            evicted: 81_234,
            written: 100_000,
            data_bytes: 102_400_000,
            limit_bytes: None,
            hit_rate: None,
        })),
        finding(Evidence::Steal(Steal { host: None, share: 0.0423 })),
        finding(Evidence::Steal(Steal { host: Some("db2".to_owned()), share: 0.0423 })),
        finding(Evidence::HostSaturated(HostSaturated { busy: 0.973 })),
        finding(Evidence::OtherProcesses(OtherProcesses {
            host: None,
            share: 0.212,
            most: vec![
                NamedShare { name: "rustc".to_owned(), share: 0.17 },
                NamedShare { name: "cc1".to_owned(), share: 0.02 },
            ],
        })),
        finding(Evidence::Drift(Drift {
            figure: SteadyFigure::Throughput,
            change: ratio(-0.123, -0.15, -0.08),
        })),
        finding(Evidence::Drift(Drift {
            figure: SteadyFigure::MeanLatency,
            change: ratio(0.4, 0.31, 0.52),
        })),
        finding(Evidence::TooShortForTrend(TooShortForTrend {
            intervals: 3,
            left_out: 0,
            needed: 7,
        })),
        finding(Evidence::DirtyPageBacklog(DirtyPageBacklog {
            dirty_bytes: (10_000_000, 74_000_000),
            flushed_bytes: 1_000_000,
            checkpoint_age: Some((3_000_000, 40_000_000)),
            redo_bytes: Some(40_000_000),
            growing: true,
        })),
        finding(Evidence::DirtyPageBacklog(DirtyPageBacklog {
            dirty_bytes: (74_000_000, 74_000_000),
            flushed_bytes: 80_000_000,
            checkpoint_age: None,
            redo_bytes: None,
            growing: false,
        })),
        finding(Evidence::SteadyStart(SteadyStart { seconds: 42.4, debts: debts(true) })),
        finding(Evidence::NotLevel(NotLevel { seconds: 600.2, debts: debts(false) })),
        finding(Evidence::DebtsNotTold(DebtsNotTold {})),
        finding(Evidence::DebtChanged(DebtChanged { debt: debts(false)[0], seconds: 30.0 })),
        finding(Evidence::DebtChanged(DebtChanged {
            debt: DebtChange { from: 78, to: 10, ..debts(false)[0] },
            seconds: 30.0,
        })),
        whole(Evidence::LoadingLeftDebt(LoadingLeftDebt {
            seconds: 4.5,
            debts: debts(true),
            is_level: true,
        })),
        whole(Evidence::CheckPassed(CheckPassed { check: Check::LittlesLaw, trials: 36 })),
        whole(Evidence::CheckPassed(CheckPassed { check: Check::SteadyState, trials: 36 })),
        whole(Evidence::CheckPassed(CheckPassed { check: Check::CacheAsDeclared, trials: 36 })),
        whole(Evidence::CheckPassed(CheckPassed { check: Check::Answers, trials: 36 })),
        finding(Evidence::Throttled(Throttled { process: ThrottledProcess::Server, share: 0.31 })),
        finding(Evidence::Throttled(Throttled { process: ThrottledProcess::Client, share: 0.02 })),
        finding(Evidence::Overheated(Overheated { host: None, events: 1 })),
        finding(Evidence::CacheNotCold(CacheNotCold {
            asked_bytes: 48_000_000,
            storage_bytes: 120_000,
        })),
        finding(Evidence::CacheNotWarm(CacheNotWarm { pages_read: 4_210, statements: 98_000 })),
        finding(Evidence::RowsMissing(RowsMissing { answers: 120_000, short: 412 })),
        target(Evidence::TablesIntact(TablesIntact { rows: 40_000, with_values: true })),
        target(Evidence::TablesIntact(TablesIntact { rows: 40_000, with_values: false })),
        target(Evidence::TablesChanged(TablesChanged { rows: (40_000, 39_500) })),
        target(Evidence::TablesChanged(TablesChanged { rows: (40_000, 40_000) })),
        whole(Evidence::DifferentData(DifferentData {
            rows: vec![("durable".into(), 40_000), ("relaxed".into(), 39_000)],
        })),
        whole(Evidence::CheckPassed(CheckPassed { check: Check::OwnMachine, trials: 36 })),
        whole(Evidence::CheckPassed(CheckPassed { check: Check::ClientNotBottleneck, trials: 1 })),
        cross_check(Metric::Throughput, Some(true)),
        cross_check(Metric::Throughput, Some(false)),
        cross_check(Metric::LatencyP95, None),
        cross_check_on(Some(Direction::Read), Metric::LatencyP99, Some(true)),
        cross_check_on(Some(Direction::Read), Metric::LatencyP99, Some(false)),
        finding(Evidence::CrossCheckFailed(CrossCheckFailed {
            tool: "sysbench 1.0.20".into(),
            failure: Failure::new(FailureKind::MissingTables, "no such table", "prepare them"),
            times: 2,
        })),
        curve(Evidence::Peak(Peak {
            as_high: vec![],
            throughput: ratio(1_624.0, 1_540.2, 1_699.0),
            still_rising: false,
            without_data: vec![],
        })),
        curve(Evidence::Peak(Peak {
            as_high: vec![],
            throughput: ratio(1_624.0, 1_540.2, 1_699.0),
            still_rising: true,
            without_data: vec![],
        })),
        curve(Evidence::Peak(Peak {
            as_high: vec![],
            throughput: ratio(1_624.0, 1_540.2, 1_699.0),
            still_rising: false,
            without_data: vec![level(16), level(32)],
        })),
        overall(ratio(1.13, 1.05, 1.22), Verdict::CandidateBetter, true),
        overall(ratio(0.8, 0.75, 0.85), Verdict::BaselineBetter, false),
        overall(ratio(1.01, 0.99, 1.02), Verdict::Equivalent, true),
        overall(ratio(0.95, 0.8, 1.15), Verdict::Unresolved, true),
        curve(Evidence::Decline(Decline { peak: level(4), ratio: ratio(0.81, 0.75, 0.88) })),
        better((ratio(1.52, 1.43, 1.61), ratio(2.44, 2.3, 2.56)), &[1, 8, 32]),
        better((ratio(1.52, 1.43, 1.61), ratio(1.52, 1.43, 1.61)), &[1]),
        better((once, once), &[1]),
        comparison(Evidence::EquivalentAtLevels(EquivalentAtLevels {
            a: two.0.clone(),
            b: two.1.clone(),
            levels: vec![level(1), level(8)],
            metric: Metric::Throughput,
            margin: 0.03,
        })),
        curve(Evidence::Stalled(Stalled { stalled: 4, trials: 10 })),
        comparison(Evidence::RepeatsEnded(RepeatsEnded {
            levels: [
                (1, 3, RepeatsEnd::Resolved),
                (2, 5, RepeatsEnd::Resolved),
                (4, 5, RepeatsEnd::Resolved),
                (8, 9, RepeatsEnd::CannotBeResolved),
                (16, 20, RepeatsEnd::Most),
                (32, 12, RepeatsEnd::Open),
                (64, 3, RepeatsEnd::NotCompared),
            ]
            .map(|(clients, repeats, ended)| LevelRepeats { level: level(clients), repeats, ended })
            .to_vec(),
            most: 20,
        })),
        comparison(Evidence::LevelsPlaced(LevelsPlaced {
            first: [1, 4, 16].map(level).to_vec(),
            placed: vec![
                PlacedLevel {
                    level: level(8),
                    around: vec![
                        PlacedAround::Peak { target: two.0.clone() },
                        PlacedAround::Crossover {
                            baseline: two.0.clone(),
                            candidate: two.1.clone(),
                        },
                    ],
                },
                PlacedLevel {
                    level: level(6),
                    around: vec![PlacedAround::Peak { target: two.0.clone() }],
                },
                PlacedLevel { level: level(2), around: vec![] },
            ],
            next: vec![],
            resolution: 1.25,
            most: 16,
            ended: PlacementEnd::CloseEnough,
        })),
        comparison(Evidence::LevelsPlaced(LevelsPlaced {
            first: [1, 4, 16].map(level).to_vec(),
            placed: vec![PlacedLevel {
                level: level(8),
                around: vec![PlacedAround::Knee { target: two.0.clone() }],
            }],
            next: vec![level(6), level(11)],
            resolution: 1.25,
            most: 16,
            ended: PlacementEnd::Open,
        })),
        comparison(Evidence::LevelsPlaced(LevelsPlaced {
            first: [1, 4, 16].map(level).to_vec(),
            placed: vec![],
            next: vec![],
            resolution: 1.25,
            most: 3,
            ended: PlacementEnd::Most,
        })),
        comparison(Evidence::RepeatsAlike(RepeatsAlike {
            autocorrelation: 0.62,
            widening: 1.8,
            repeats: 5,
        })),
        comparison(Evidence::RatiosLast(RatiosLast {
            pairs: vec![LastingPair {
                a: two.0.clone(),
                b: two.1.clone(),
                likely: 0.97,
                autocorrelation: 0.74,
                widening: 2.9,
            }],
            repeats: 5,
            in_blocks: true,
        })),
        comparison(Evidence::IndependenceAssumed(IndependenceAssumed { levels: 2, repeats: 5 })),
        comparison(Evidence::BlocksInCommon(BlocksInCommon {
            share: 0.7,
            deviation: 0.061,
            repeats: 5,
        })),
        comparison(Evidence::UnresolvedAtLevels(UnresolvedAtLevels {
            a: two.0.clone(),
            b: two.1.clone(),
            levels: vec![level(1), level(8)],
            at_most: Some(1.12),
            further_repeats: Some((4, 19)),
        })),
        comparison(Evidence::UnresolvedAtLevels(UnresolvedAtLevels {
            a: two.0,
            b: two.1,
            levels: vec![level(8)],
            at_most: Some(7.3),
            further_repeats: Some((116, 116)),
        })),
        highest(
            SearchOver::Rate,
            SearchOutcome::Found { load: ratio(1_624.0, 1_540.2, 1_699.0), at_capacity: false },
        ),
        highest(
            SearchOver::Rate,
            SearchOutcome::Found { load: ratio(1_624.0, 1_540.2, 1_699.0), at_capacity: true },
        ),
        highest(SearchOver::Clients, SearchOutcome::AtLeast { load: 128.0 }),
        highest(SearchOver::Rate, SearchOutcome::Below { load: 12.0 }),
        highest(SearchOver::Clients, SearchOutcome::Unknown),
        highest(SearchOver::Rate, SearchOutcome::Disturbed { load: 95.0, others: 0.7 }),
        highest_of_two(ratio(1.13, 1.05, 1.22), Verdict::CandidateBetter),
        highest_of_two(ratio(1.01, 0.99, 1.02), Verdict::Equivalent),
        highest_of_two(ratio(0.95, 0.8, 1.15), Verdict::Unresolved),
        whole(Evidence::DatasetAgainstMemory(DatasetAgainstMemory {
            dataset_bytes: 1_288_490_188,
            cache_bytes: 134_217_728,
        })),
        whole(Evidence::DatasetAgainstMemory(DatasetAgainstMemory {
            dataset_bytes: 100_000_000,
            cache_bytes: 134_217_728,
        })),
        drifted(12, false, &[("orders", 200_000, 231_544, true), ("stock", 500, 510, true)]),
        drifted(4, true, &[("orders", 50_000_000, 61_000_000, false), ("queue", 900, 10, true)]),
        drifted(1, false, &[("orders", 0, 20, true)]),
        whole(Evidence::DataKept(DataKept { tables: 5, counted: 5, trials: 12 })),
        whole(Evidence::DataKept(DataKept { tables: 5, counted: 3, trials: 1 })),
        whole(Evidence::DriftsDiffer(DriftsDiffer {
            table: "orders".into(),
            targets: vec![
                DriftOfTarget { target: "durable".into(), rows: (200_000, 215_100) },
                DriftOfTarget { target: "relaxed".into(), rows: (200_000, 231_544) },
            ],
        })),
    ];
    insta::assert_snapshot!(
        all.iter()
            .map(|found| sentence(found, UnitName::TRANSACTION))
            .collect::<Vec<String>>()
            .join("\n")
    );
}

#[test]
fn nothing_is_faster_where_the_interval_reaches_one() {
    let doubtful = ratio(1.04, 0.97, 1.11);
    let sure = ratio(1.3, 1.2, 1.4);
    for ratios in
        [(doubtful, sure), (doubtful, doubtful), (Estimate { interval: None, ..sure }, sure)]
    {
        let sentence = sentence(&better(ratios, &[1, 4]), UnitName::TRANSACTION);
        assert!(!sentence.contains("faster"), "{sentence}");
        assert!(!sentence.contains('%') || sentence.contains("interval"), "{sentence}");
    }
}

#[test]
fn why_a_target_is_slower_can_be_read_aloud() {
    let part = |resource, point| PartOfTime {
        resource,
        slower_ms: 5.32,
        faster_ms: 0.0,
        share: Estimate {
            interval: ratio(point, point - 0.05, point + 0.05).interval,
            ..ratio(point, 0.0, 1.0)
        },
    };
    let of = |cause: Option<Cause>, parts: Vec<PartOfTime>| WhySlower {
        slower: "durable".into(),
        faster: "relaxed".into(),
        levels: vec![level(1), level(8)],
        together: true,
        difference_ms: 15.3,
        cause,
        parts,
    };
    let said = |cause: Option<Cause>, parts: Vec<PartOfTime>| {
        let found = comparison(Evidence::WhySlower(of(cause, parts)));
        sentence(&found, UnitName::TRANSACTION).replace('\u{a0}', " ")
    };
    let syncs = part(Resource::LogSync, 0.39);
    assert_eq!(
        said(Some(Cause::Time(syncs)), Vec::new()),
        "oltp: durable is slower than relaxed over 1 and 8 clients together because of the syncs of its log \
         that commits wait for: 5.32 ms of each transaction against 0 ms on relaxed, which is 39 % (95 % \
         interval 34–44 %) of the 15.3 ms that a transaction takes longer."
    );
    let at_least = said(Some(Cause::AtLeast(syncs)), Vec::new());
    assert!(
        at_least.contains(
            "the disks alone take 5.32 ms of each transaction against 0 ms on relaxed, which is 39 % (95 % \
             interval 34–44 %) of the 15.3 ms that a transaction takes longer. Clients wait longer than the \
             disks take, and nothing else that was seen accounts for most of it."
        ),
        "{at_least}"
    );
    let more = said(Some(Cause::Time(part(Resource::Locks, 1.2))), Vec::new());
    assert!(
        more.ends_with(
            "because of waits for locks: 5.32 ms of each transaction against 0 ms on relaxed, more than the \
             15.3 ms that a transaction takes longer, as the rest of it takes less time there."
        ),
        "{more}"
    );
    let unknown = said(None, vec![part(Resource::LogSync, 0.3), part(Resource::Locks, 0.12)]);
    assert!(
        unknown.ends_with(
            "is not known: a transaction takes 15.3 ms longer there (seen of it: log syncs 30 % and locks \
             12 %); nothing certainly accounts for most of it, and nothing is at its limit on durable alone."
        ),
        "{unknown}"
    );
    let limit = AtLimit { resource: Resource::VolumeLimit, slower: 0.97, faster: None };
    let in_short = |cause| of(cause, Vec::new()).in_short().map(|said| said.replace('\u{a0}', " "));
    assert_eq!(
        in_short(Some(Cause::AtLeast(syncs))).as_deref(),
        Some("durable is slower because of the syncs of its log that commits wait for")
    );
    assert_eq!(
        in_short(Some(Cause::Limit(limit))).as_deref(),
        Some(
            "durable is slower because its volume is at its limit: it did 97 % of the IO that it may do"
        )
    );
    assert_eq!(in_short(None), None);
}

#[test]
fn a_debt_that_changed_by_less_than_is_printed_stayed() {
    let said = |debt, from, to| {
        let change = DebtChange { debt, from, to, limit: Some(1_000_000), is_level: false };
        let found = DebtChanged { debt: change, seconds: 30.0 };
        sentence(&finding(Evidence::DebtChanged(found)), UnitName::TRANSACTION)
            .replace('\u{a0}', " ")
    };
    let same = said(Debt::CheckpointAge, 131_001, 131_009);
    assert!(same.contains("checkpoint age stayed at 13.1 % of the log"), "{same}");
    let rows = said(Debt::DeadRows, 65_000, 3_908_000);
    assert!(
        rows.contains(
            "dead rows grew from 6.5 % to 390.8 % of the number at which autovacuum begins"
        ),
        "{rows}"
    );
}

#[test]
fn names_that_would_read_as_prose_are_quoted() {
    let finding = comparison(Evidence::EquivalentAtLevels(EquivalentAtLevels {
        a: "the old one".into(),
        b: support::HOSTILE.into(),
        levels: vec![level(2), level(4)],
        metric: Metric::Throughput,
        margin: 0.03,
    }));
    let sentence = sentence(&finding, UnitName::TRANSACTION);
    assert!(sentence.contains("“the old one” and “<script>alert(1)</script>”"), "{sentence}");
}

#[test]
fn what_is_on_the_way_costs_more_or_less_or_nothing_that_is_certain() {
    let said = |added_ms, server_cpu_us, path_cpu_us| {
        let (baseline, candidate) = ("direct".to_owned(), "pooled".to_owned());
        let cost = PathCost { baseline, candidate, added_ms, server_cpu_us, path_cpu_us };
        sentence(&curve(Evidence::PathCost(cost)), UnitName::TRANSACTION).replace('\u{a0}', " ")
    };
    let dearer = said(ratio(0.31, 0.28, 0.34), Some(ratio(52.0, 47.0, 57.0)), None);
    assert!(
        dearer.ends_with(
            "each transaction takes 0.310 ms (95 % interval 0.280–0.340) longer than on direct, and 52.0 µs \
             (95 % interval 47.0–57.0) more of the server’s processor time."
        ),
        "{dearer}"
    );
    let cheaper = said(
        ratio(-0.02, -0.0512, 0.0123),
        Some(ratio(-9.0, -11.0, -7.0)),
        Some(ratio(40.0, 38.0, 42.0)),
    );
    assert!(
        cheaper.ends_with(
            "each transaction takes neither certainly longer nor certainly shorter (−0.0512 to 0.0123 ms) than on \
             direct, and 9.00 µs (95 % interval 7.00–11.0) less of the server’s processor time; what it goes \
             through takes 40.0 µs (95 % interval 38.0–42.0) of processor time."
        ),
        "{cheaper}"
    );
    let once = Estimate { interval: None, n: 1, ..ratio(-0.2, -0.3, -0.1) };
    assert!(
        said(once, None, None).contains("0.200 ms (measured once, so without interval) shorter")
    );
}
