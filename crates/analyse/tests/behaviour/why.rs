//! What decides that a target is slower, from what trials recorded.

use crate::support::{Noise, dataset, found, trial};
use analyse::{Cause, EndOfRise, Evidence, Resource, Rise, WhySlower, analyse};
use model::{
    CpuShares, Dataset, DelayMeasured, DiskRates, ErrorClass, ErrorCount, Place, ProcessUsage,
    Sample, Throttling, TrialRecord, signal,
};
use std::time::Duration;

const REPEATS: u32 = 4;
const CLIENTS: u32 = 8;

/// What each second of a trial shows, and what the server counts in it.
#[derive(Clone, Copy, Default)]
struct Second {
    server_cpus: f64,
    proxy_cpus: f64,
    busy: f64,
    stolen: f64,
    wait_for_latches: i64,
    wait_for_log: Option<i64>,
    lock_wait_ms: i64,
    syncs: i64,
    write_ms: f64,
}

/// Two targets, one of which does half of what the other does.
fn two() -> Dataset {
    let mut noise = Noise::new(7);
    dataset(&["slow", "fast"], &[CLIENTS], REPEATS, |target, _, _| {
        noise.factor(0.02) * if target == "slow" { 500.0 } else { 1_000.0 }
    })
}

fn record(record: &mut TrialRecord, second: Second) {
    let counters = |at: i64| {
        let told = [
            (signal::LOCK_WAIT_MILLIS.to_owned(), at * second.lock_wait_ms),
            (signal::SYNCS.to_owned(), at * second.syncs),
            (signal::CLIENTS_WAIT_FOR_LATCHES.to_owned(), second.wait_for_latches),
        ];
        let log = second.wait_for_log.map(|log| (signal::CLIENTS_WAIT_FOR_LOG.to_owned(), log));
        told.into_iter().chain(log)
    };
    let sample = |at: i64| Sample {
        at_seconds: at as f64,
        length: Duration::from_secs(1),
        server: Some(ProcessUsage { cpus: second.server_cpus, ..ProcessUsage::default() }),
        proxy: Some(ProcessUsage { cpus: second.proxy_cpus, ..ProcessUsage::default() }),
        disks: vec![DiskRates {
            device: "sda".to_owned(),
            writes: second.syncs as f64,
            write_await_ms: Some(second.write_ms),
            ..DiskRates::default()
        }],
        cpu: CpuShares {
            steal: second.stolen,
            user: second.busy,
            idle: 1.0 - second.busy - second.stolen,
            ..CpuShares::default()
        },
        counters: Some(counters(at).collect()),
        ..Sample::default()
    };
    let sampling = &mut record.sampling;
    sampling.samples = (1..=12).map(sample).collect();
    sampling.volume = vec!["sda".to_owned()];
    sampling.account.processor_use.cpus = 8;
}

/// The same in all repeats of both.
fn seen(data: &mut Dataset, slow: Second, fast: Second) {
    for repeat in 1..=REPEATS {
        record(trial(data, "slow", CLIENTS, repeat), slow);
        record(trial(data, "fast", CLIENTS, repeat), fast);
    }
}

/// Whether commits wait for the disk, as the variables of both servers say.
fn waits(data: &mut Dataset, slow: bool, fast: bool) {
    for (target, waits) in data.targets.iter_mut().zip([slow, fast]) {
        let value = if waits { "1" } else { "2" };
        let variables = &mut target.server.variables;
        variables.insert("innodb_flush_log_at_trx_commit".to_owned(), value.to_owned());
    }
}

/// What is said of the pair.
#[track_caller]
fn why(data: &Dataset) -> WhySlower {
    let analysis = analyse(data);
    let all = found(&analysis, |evidence| matches!(evidence, Evidence::WhySlower(_)));
    let [one] = all.as_slice() else { panic!("{all:?}") };
    let why = one.evidence.get::<WhySlower>().expect("it was looked for").clone();
    assert_eq!((why.slower.as_str(), why.faster.as_str()), ("slow", "fast"));
    why
}

fn by_time(why: &WhySlower) -> Option<Resource> {
    match why.cause? {
        Cause::Time(part) => Some(part.resource),
        _ => None,
    }
}

#[test]
fn waits_for_locks_that_make_most_of_the_difference_are_named() {
    let mut data = two();
    let locked = Second { lock_wait_ms: 4_500, ..Second::default() };
    seen(&mut data, locked, Second::default());
    let why = why(&data);
    // 16 ms against 8 ms; 4.5 of 8 clients wait for locks at a time.
    assert!((why.difference_ms - 8.0).abs() < 0.5, "{why:?}");
    assert_eq!(by_time(&why), Some(Resource::Locks));
    let part = why.parts[0];
    assert!((part.slower_ms - 9.0).abs() < 0.5 && part.faster_ms == 0.0, "{part:?}");
}

#[test]
fn syncs_count_where_commits_wait_for_them() {
    // 300 syncs of 3 ms a second: under way nine tenths of the time.
    let syncing = Second { syncs: 300, write_ms: 3.0, ..Second::default() };
    let mut data = two();
    seen(&mut data, syncing, syncing);
    waits(&mut data, true, false);
    assert_eq!(by_time(&why(&data)), Some(Resource::LogSync));
    // The log of both is synced as often, and nobody waits for that.
    waits(&mut data, false, false);
    assert_eq!(why(&data).cause, None);
}

#[test]
fn a_little_that_only_one_waits_for_is_named_where_nothing_else_can_be_most() {
    let syncing = Second { syncs: 300, write_ms: 0.7, ..Second::default() };
    let mut data = two();
    seen(&mut data, syncing, Second::default());
    waits(&mut data, true, false);
    assert!(
        matches!(why(&data).cause, Some(Cause::AtLeast(part)) if part.resource == Resource::LogSync)
    );
    // Both wait, so that it is no difference between them.
    waits(&mut data, true, true);
    assert_eq!(why(&data).cause, None);
}

#[test]
fn what_alone_the_study_makes_two_differ_in_is_named_where_nothing_else_takes_more() {
    let syncing = Second { syncs: 300, write_ms: 0.3, ..Second::default() };
    let mut data = two();
    seen(&mut data, syncing, Second::default());
    waits(&mut data, true, false);
    let set = |data: &mut Dataset, name: &str| {
        let Place::Sandbox(place) = &mut data.study.targets[0].place else {
            panic!("a private server")
        };
        place.settings.insert(name.to_owned(), "1".to_owned());
    };
    set(&mut data, "innodb-flush-log-at-trx-commit");
    let cause = why(&data).cause;
    assert!(
        matches!(cause, Some(Cause::OnlyDifference(part)) if part.resource == Resource::LogSync),
        "{cause:?}"
    );
    // Syncs take processor time as well.
    seen(&mut data, Second { server_cpus: 1.5, ..syncing }, Second::default());
    assert!(matches!(why(&data).cause, Some(Cause::OnlyDifference(_))), "{:?}", why(&data));
    // Locks take more of the difference.
    seen(&mut data, Second { lock_wait_ms: 1_500, ..syncing }, Second::default());
    assert_eq!(why(&data).cause, None);
    // It is not all that they differ in.
    seen(&mut data, syncing, Second::default());
    set(&mut data, "innodb_io_capacity");
    assert_eq!(why(&data).cause, None);
}

#[test]
fn a_limit_of_one_in_all_repeats_is_named_and_of_both_is_not() {
    let throttled = |data: &mut Dataset, target: &str, repeat: u32| {
        let account = &mut trial(data, target, CLIENTS, repeat).sampling.account;
        account.server_throttling = Some(Throttling { periods: 100, throttled: 90 });
    };
    let mut data = two();
    seen(&mut data, Second::default(), Second::default());
    for repeat in 1..REPEATS {
        throttled(&mut data, "slow", repeat);
    }
    assert_eq!(why(&data).cause, None, "one repeat was not throttled");
    throttled(&mut data, "slow", REPEATS);
    let found = why(&data).cause.map(|cause| cause.resource());
    assert_eq!(found, Some(Resource::ServerLimit));
    throttled(&mut data, "fast", 2);
    assert_eq!(why(&data).cause, None, "the faster one was, too");
}

#[test]
fn round_trips_that_make_most_of_the_difference_are_named() {
    let mut data = two();
    seen(&mut data, Second::default(), Second::default());
    let mut takes = |target: &str, milliseconds: f64| {
        for repeat in 1..=REPEATS {
            trial(&mut data, target, CLIENTS, repeat).sampling.round_trip_ms = Some(milliseconds);
        }
        why(&data)
    };
    takes("fast", 0.05);
    let named = takes("slow", 0.4);
    assert_eq!(by_time(&named), Some(Resource::Network), "{named:?}");
    // As far as it is longer than one within a machine, for each of its 20 statements.
    let part = named.parts[0];
    assert!((part.slower_ms - 6.0).abs() < 0.01 && part.faster_ms == 0.0, "{part:?}");
    // The same way to both is no difference.
    for repeat in 1..=REPEATS {
        trial(&mut data, "fast", CLIENTS, repeat).sampling.round_trip_ms = Some(0.4);
    }
    assert_eq!(why(&data).cause, None);
}

#[test]
fn a_delay_that_was_put_on_the_way_is_named_by_its_own_round_trips() {
    let mut data = two();
    seen(&mut data, Second::default(), Second::default());
    for repeat in 1..=REPEATS {
        trial(&mut data, "fast", CLIENTS, repeat).sampling.round_trip_ms = Some(0.05);
        let record = trial(&mut data, "slow", CLIENTS, repeat);
        // Asked beside what delays.
        record.sampling.round_trip_ms = Some(0.05);
        let load = record.load_mut().expect("a load");
        load.delay = Some(DelayMeasured {
            asked: Duration::from_millis(1),
            before_ms: Some(1.0),
            beside_ms: None,
            beside_p95_ms: None,
            echoes: 0,
            round_trips: 6 * load.measure.transactions,
            cpu_seconds: 0.0,
        });
    }
    let named = why(&data);
    assert_eq!(by_time(&named), Some(Resource::Network), "{named:?}");
    assert!((named.parts[0].slower_ms - 6.0).abs() < 0.01, "{named:?}");
}

#[test]
fn waits_for_latches_and_for_the_log_are_told_apart() {
    let mut data = two();
    let none = Second { wait_for_log: Some(0), syncs: 1, ..Second::default() };
    seen(&mut data, Second { wait_for_latches: 5, ..none }, none);
    assert_eq!(by_time(&why(&data)), Some(Resource::Latches));
    seen(&mut data, Second { wait_for_log: Some(5), ..none }, none);
    assert_eq!(by_time(&why(&data)), Some(Resource::LogSync));
}

#[test]
fn what_the_hypervisor_takes_of_one_machine_is_named() {
    let mut data = two();
    let stolen = |stolen| Second { stolen, ..Second::default() };
    seen(&mut data, stolen(0.4), stolen(0.0));
    let resource = |data: &Dataset| why(data).cause.map(|cause| cause.resource());
    assert_eq!(resource(&data), Some(Resource::StolenTime));
    // Of both it takes as much.
    seen(&mut data, stolen(0.4), stolen(0.4));
    assert_eq!(resource(&data), None);
}

#[test]
fn a_server_that_refuses_connections_is_named() {
    let mut data = two();
    seen(&mut data, Second::default(), Second::default());
    let mut refused = |code: &str| {
        for repeat in 1..=REPEATS {
            let record = trial(&mut data, "slow", CLIENTS, repeat);
            let load = record.load_mut().expect("the trial completed");
            load.errors = vec![ErrorCount {
                class: ErrorClass::Resource,
                code: code.to_owned(),
                sql_state: String::new(),
                message: "no".to_owned(),
                count: load.ledger.ok,
                remedy: String::new(),
            }];
        }
        why(&data).cause.map(|cause| cause.resource())
    };
    assert_eq!(refused("1021"), None, "the disk is full");
    assert_eq!(refused("1040"), Some(Resource::Connections));
}

#[test]
fn what_evidence_does_not_decide_is_not_known() {
    // Without anything seen, and with processor time that makes a tenth.
    assert_eq!(why(&two()).cause, None);
    let mut data = two();
    let busy = |cpus| Second { server_cpus: cpus, ..Second::default() };
    seen(&mut data, busy(1.0), busy(1.2));
    let why = why(&data);
    assert_eq!(why.cause, None);
    assert!(why.parts.iter().any(|part| part.resource == Resource::Processors), "{why:?}");
}

#[test]
fn what_a_proxy_on_the_way_uses_is_no_strangers() {
    let cause = |proxy_cpus: f64| {
        let mut data = two();
        let full = Second { server_cpus: 0.5, proxy_cpus, busy: 1.0, ..Second::default() };
        seen(&mut data, full, Second { server_cpus: 0.5, ..Second::default() });
        why(&data).cause.map(|cause| cause.resource())
    };
    // The machine has eight processors.
    assert_eq!(cause(5.0), Some(Resource::Processors));
    assert_eq!(cause(0.0), None);
}

#[test]
fn of_targets_that_do_not_differ_nothing_is_said() {
    let mut noise = Noise::new(3);
    let mut data =
        dataset(&["slow", "fast"], &[CLIENTS], REPEATS, |_, _, _| 1_000.0 * noise.factor(0.01));
    let locked = Second { lock_wait_ms: 4_500, ..Second::default() };
    seen(&mut data, locked, Second::default());
    let analysis = analyse(&data);
    assert!(found(&analysis, |evidence| matches!(evidence, Evidence::WhySlower(_))).is_empty());
}

#[test]
fn where_a_curve_stops_rising_what_is_at_its_limit_is_named() {
    let mut noise = Noise::new(5);
    let mut data = dataset(&["only"], &[1, 4, 16], REPEATS, |_, clients, _| {
        noise.factor(0.003) * if clients == 1 { 300.0 } else { 1_000.0 }
    });
    let end = |data: &Dataset| {
        let analysis = analyse(data);
        let all = found(&analysis, |evidence| matches!(evidence, Evidence::EndOfRise(_)));
        let [one] = all.as_slice() else { panic!("{all:?}") };
        let end = one.evidence.get::<EndOfRise>().expect("it was looked for").clone();
        (end.level.clients, end.at_limit.first().map(|used| used.resource))
    };
    assert_eq!(end(&data), (4, None));
    for clients in [4, 16] {
        for repeat in 1..=REPEATS {
            let account = &mut trial(&mut data, "only", clients, repeat).sampling.account;
            account.client_throttling = Some(Throttling { periods: 100, throttled: 95 });
        }
    }
    assert_eq!(end(&data), (4, Some(Resource::LoadGenerator)));
}

#[test]
fn of_a_flat_curve_that_is_highest_at_the_last_level_a_limit_is_named() {
    let measured = [[1_598.0, 1_279.0, 1_506.0, 1_057.0], [1_630.0, 1_568.0, 1_567.0, 1_118.0]];
    let mut data = dataset(&["only"], &[32, 128], 4, |_, clients, repeat| {
        measured[usize::from(clients == 128)][repeat as usize - 1]
    });
    let end = |data: &Dataset| -> Vec<EndOfRise> {
        let analysis = analyse(data);
        let all = found(&analysis, |evidence| matches!(evidence, Evidence::EndOfRise(_)));
        all.iter().filter_map(|one| one.evidence.get::<EndOfRise>().cloned()).collect()
    };
    assert_eq!(end(&data), []);
    for clients in [32, 128] {
        for repeat in 1..=4 {
            let account = &mut trial(&mut data, "only", clients, repeat).sampling.account;
            account.client_throttling = Some(Throttling { periods: 100, throttled: 100 });
        }
    }
    let said = end(&data);
    let [only] = said.as_slice() else { panic!("{said:?}") };
    assert!(only.level.clients == 32 && only.rise == Rise::Slows, "{only:?}");
    assert_eq!(only.at_limit[0].resource, Resource::LoadGenerator);
}

/// Each with the control group of the load generator: throttled in all periods, or in none.
fn ends_of_rise(
    clients: &[u32],
    throttled: &[u32],
    rate: impl Fn(u32, u32) -> f64,
) -> Vec<EndOfRise> {
    let mut data = dataset(&["only"], clients, 4, |_, clients, repeat| rate(clients, repeat));
    for &clients in clients {
        for repeat in 1..=4 {
            let account = &mut trial(&mut data, "only", clients, repeat).sampling.account;
            let throttled = if throttled.contains(&clients) { 100 } else { 0 };
            account.client_throttling = Some(Throttling { periods: 100, throttled });
        }
    }
    let analysis = analyse(&data);
    let all = found(&analysis, |evidence| matches!(evidence, Evidence::EndOfRise(_)));
    all.iter().filter_map(|one| one.evidence.get::<EndOfRise>().cloned()).collect()
}

#[test]
fn where_trials_scatter_too_much_for_a_rise_a_limit_of_all_of_them_is_named() {
    let scattered = |clients: u32, repeat: u32| {
        let factor = [1.0, 0.45, 1.6, 0.7][(repeat as usize + clients as usize / 32) % 4];
        factor * if clients == 8 { 100.0 } else { 900.0 }
    };
    let levels = [8, 32, 128];
    let said = ends_of_rise(&levels, &[32, 128], scattered);
    let [only] = said.as_slice() else { panic!("{said:?}") };
    assert!(only.level.clients == 32 && only.rise == Rise::Unresolved, "{only:?}");
    assert_eq!(only.at_limit[0].resource, Resource::LoadGenerator);
    // At the last level alone, or not at it, there is no limit of a rise.
    assert_eq!(ends_of_rise(&levels, &[128], scattered), []);
    assert_eq!(ends_of_rise(&levels, &[8, 32], scattered), []);
    // Where it surely slows from a level on that has no limit, a limit of a higher one is named.
    let slows = |clients: u32, _: u32| match clients {
        8 => 900.0,
        32 => 1_000.0,
        _ => 1_200.0,
    };
    let said = ends_of_rise(&levels, &[32, 128], slows);
    assert!(said[0].level.clients == 32 && said[0].rise == Rise::Slows, "{said:?}");
    // What surely rises with the clients is not limited, whatever a control group says.
    let rises = |clients: u32, repeat: u32| {
        f64::from(clients) * if repeat.is_multiple_of(2) { 99.0 } else { 101.0 }
    };
    assert_eq!(ends_of_rise(&levels, &levels, rises), []);
}

#[test]
fn what_decides_over_all_levels_stands_for_a_level_that_alone_decides_nothing() {
    let mut noise = Noise::new(7);
    let mut data = dataset(&["slow", "fast"], &[4, CLIENTS], REPEATS, |target, _, _| {
        noise.factor(0.02) * if target == "slow" { 500.0 } else { 1_000.0 }
    });
    let all = |data: &Dataset| -> Vec<WhySlower> {
        let analysis = analyse(data);
        let said = found(&analysis, |evidence| matches!(evidence, Evidence::WhySlower(_)));
        said.iter().filter_map(|one| one.evidence.get::<WhySlower>().cloned()).collect()
    };
    let with = |few: [i64; 2], data: &mut Dataset| {
        for repeat in 1..=REPEATS {
            let locked = |lock_wait_ms| Second { lock_wait_ms, ..Second::default() };
            record(trial(data, "slow", CLIENTS, repeat), locked(4_500));
            record(trial(data, "slow", 4, repeat), locked(few[repeat as usize % 2]));
            record(trial(data, "fast", CLIENTS, repeat), Second::default());
            record(trial(data, "fast", 4, repeat), Second::default());
        }
        all(data)
    };
    // At 4 clients 0.3 or 1.1 of the difference: too uncertain by itself.
    let said = with([600, 2_200], &mut data);
    let [only] = said.as_slice() else { panic!("{said:?}") };
    assert!(only.together && by_time(only) == Some(Resource::Locks), "{only:?}");
    // Where it is next to nothing there, what is said of all levels does not hold for it.
    let said = with([0, 100], &mut data);
    assert!(said.iter().any(|why| !why.together && why.cause.is_none()), "{said:?}");
}
