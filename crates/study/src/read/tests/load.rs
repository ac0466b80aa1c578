//! Tests that run a load, at given levels or searching for the highest.

use crate::keys::LoadKeys;
use crate::keys::choices::workload_names;
use crate::keys::forms::TASKS;
use crate::keys::value::one_of;
use crate::problem::Problems;
use crate::read::tests::amount::amount;
use crate::read::tests::generators;
use crate::read::tests::intervention;
use crate::read::tests::key_value;
use crate::read::tests::level;
use crate::read::tests::oltp;
use crate::read::tests::policy;
use crate::read::tests::reconnect::reconnect_after;
use crate::read::tests::slo;
use crate::read::tests::storage;
use crate::read::tests::table::{LoadTable, TestTable, WorkTable};
use model::{Load, LoadHosts, LoadSearch, OltpMix, Task, Workload};
use std::time::Duration;

const DEFAULT_WARMUP: Duration = Duration::from_secs(5);
const DEFAULT_DURATION: Duration = Duration::from_secs(30);

/// The load of a test, or its search.
pub(crate) fn task(table: &TestTable, load: &LoadTable, problems: &mut Problems) -> Option<Task> {
    let LoadTable { keys, work } = load;
    // Tests are repeated on the same tables.
    let unfit = |work: &&WorkTable| match work {
        WorkTable::Oltp(mix, ..) => !table.once && !OltpMix::REPEATABLE.contains(mix),
        WorkTable::KeyValue(..) | WorkTable::Storage(_) => false,
    };
    let Some(work) = work.as_ref().filter(|work| !unfit(work)) else {
        missing(table, keys, problems);
        return None;
    };
    let bounds = ["slo", "cpu_limit", "replica_lag"];
    let searches = bounds.iter().any(|key| table.place(key).is_some());
    check_task(table, searches, problems);
    let (levels, placement) = match work {
        WorkTable::Oltp(_, server, _) | WorkTable::KeyValue(server, _) => {
            level::levels(keys, server, searches, table.at.clone(), problems)
        }
        WorkTable::Storage(storage) => {
            (storage::levels(storage, keys, table.at.clone(), problems), None)
        }
    };
    let slo = slo::slo(table, load, problems);
    let (default_warmup, default_duration) = match searches {
        false => (DEFAULT_WARMUP, DEFAULT_DURATION),
        true => (slo::STEP_WARMUP, slo::STEP_DURATION),
    };
    let warmup = keys.warmup.value_or("warmup", default_warmup, problems);
    let (operations, duration) = amount(table, load, default_duration, problems);
    let interventions = intervention::interventions(keys, searches, duration, problems);
    let (mut cpu_limit, mut lag_limit) = (None, None);
    let workload = match work {
        WorkTable::Oltp(mix, _, oltp) => {
            let oltp = oltp::workload(*mix, oltp, table.workload_place(), problems);
            lag_limit = slo::lag_limit(table, load, &oltp, problems);
            Some(Workload::Oltp(oltp))
        }
        WorkTable::KeyValue(_, keys) => {
            Some(Workload::KeyValue(key_value::workload(keys, problems)))
        }
        WorkTable::Storage(storage) => {
            cpu_limit = storage::cpu_limit(storage, keys, problems);
            storage::workload(storage, table, problems).map(Workload::Storage)
        }
    };
    let server = match work {
        WorkTable::Oltp(_, server, _) | WorkTable::KeyValue(server, _) => Some(server),
        WorkTable::Storage(_) => None,
    };
    let load_generators = match workload.as_ref().and_then(Workload::storage) {
        Some(storage) => generators::of_vms(keys, storage, problems),
        None => generators::of_clients(keys, &levels, problems),
    };
    let arrivals = level::arrivals(table, load, searches, problems);
    let policy = policy::policy(keys, server.map(Box::as_ref), problems);
    let reconnect_after = server.and_then(|server| reconnect_after(keys, server, problems));
    let workload = workload?;
    let load = Load {
        workload,
        levels,
        placement,
        warmup,
        duration,
        operations,
        arrivals,
        reconnect_after,
        policy,
        load_generators,
        load_hosts: LoadHosts::default(),
        interventions,
    };
    Some(match searches {
        true => Task::Search(LoadSearch { load, slo, cpu_limit, lag_limit }),
        false => Task::Load(load),
    })
}

/// Keys of which one says how hard a load is, whatever the workload.
const LEVELS: [&str; 7] =
    ["clients", "rate", "slo", "pattern", "queue_depth", "cpu_limit", "replica_lag"];

/// Notes what a test without a workload lacks.
fn missing(table: &TestTable, keys: &LoadKeys, problems: &mut Problems) {
    let known = workload_names().map(|name| (name, ()));
    one_of("workload", &keys.workload, &known, problems);
    if keys.workload.is_none() {
        let help = format!("add {}", problems.notation.line("workload", "\"oltp_read_write\""));
        problems.missing(table.at.clone(), "this test names no workload", help);
        if LEVELS.iter().all(|key| table.place(key).is_none()) {
            level::missing("clients", "[1, 2, 4, 8, 16]", table.at.clone(), problems);
        }
    }
}

/// Whether the task that a test names is the one that its keys make it.
fn check_task(table: &TestTable, searches: bool, problems: &mut Problems) {
    let task = one_of("task", &table.keys.task, &TASKS.map(|task| (task, task)), problems);
    let (Some(task), Some(at)) = (task, table.place("task")) else { return };
    match (task, searches) {
        ("load", true) => {
            problems
                .add(
                    at,
                    "a load has no bound: the test has an `slo`, a `cpu_limit` or a `replica_lag`",
                )
                .help("write task = \"search\", or leave the bound out");
        }
        ("search", false) => {
            problems
                .add(at, "this search has no bound")
                .help("add a line like slo = \"p95 < 20ms\", or write task = \"load\"");
        }
        _ => {}
    }
}
