//! Tests that run a load, at given levels or searching for the highest.

use crate::keys::choices::workload_names;
use crate::keys::forms::TASKS;
use crate::keys::value::{applies_only_with, one_of};
use crate::keys::{LoadKeys, ServerKeys};
use crate::problem::{Place, Problems};
use crate::read::tests::table::{LoadTable, STEADY_WITHIN, TestTable, WorkTable};
use crate::read::tests::{
    intervention, key_value, level, oltp, profile, slo, storage, transactions,
};
use model::{ErrorPolicy, Level, Load, LoadHosts, LoadSearch, OltpMix, Storage, Task, Workload};
use std::num::NonZeroU32;
use std::time::Duration;

const DEFAULT_WARMUP: Duration = Duration::from_secs(5);
const DEFAULT_DURATION: Duration = Duration::from_secs(30);

/// The load of a test, or its search.
pub(crate) fn task(table: &TestTable, load: &LoadTable, problems: &mut Problems) -> Option<Task> {
    let LoadTable { keys, work } = load;
    // Tests are repeated on the same tables.
    let unfit = |work: &&WorkTable| match work {
        WorkTable::Oltp(mix, ..) => !table.once && !OltpMix::REPEATABLE.contains(mix),
        WorkTable::Transactions(..) | WorkTable::KeyValue(..) | WorkTable::Storage(_) => false,
    };
    let Some(work) = work.as_ref().filter(|work| !unfit(work)) else {
        missing(table, keys, problems);
        return None;
    };
    let bounds = ["slo", "cpu_limit", "replica_lag"];
    let searches = bounds.iter().any(|key| table.place(key).is_some());
    check_task(table, searches, problems);
    let server = work.server();
    let profile = server.and_then(|server| profile::profile(server, table, problems));
    let (levels, placement) = match work {
        WorkTable::Oltp(_, server, _)
        | WorkTable::Transactions(server, _)
        | WorkTable::KeyValue(server, _) => {
            level::levels(keys, server, profile.as_ref(), searches, table.at.clone(), problems)
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
    let steady = keys.steady_warmup();
    let warmup = match steady {
        Some(_) => default_warmup,
        None => keys.warmup.value_or("warmup", default_warmup, problems),
    };
    let (operations, mut duration) = amount(table, load, default_duration, problems);
    if let Some(profile) = &profile {
        duration = profile.duration();
    }
    let interventions = intervention::interventions(keys, searches, duration, problems);
    let (mut cpu_limit, mut lag_limit) = (None, None);
    let workload = match work {
        WorkTable::Oltp(mix, _, oltp) => {
            let oltp = oltp::workload(*mix, oltp, table.workload_place(), problems);
            lag_limit = slo::lag_limit(table, load, &oltp, problems);
            Some(Workload::Oltp(oltp))
        }
        WorkTable::Transactions(_, keys) => {
            transactions::workload(keys, table, problems).map(Workload::Transactions)
        }
        WorkTable::KeyValue(_, keys) => {
            Some(Workload::KeyValue(key_value::workload(keys, problems)))
        }
        WorkTable::Storage(storage) => {
            cpu_limit = storage::cpu_limit(storage, keys, problems);
            storage::workload(storage, table, problems).map(Workload::Storage)
        }
    };
    let load_generators = match workload.as_ref().and_then(Workload::storage) {
        Some(storage) => generators_for_vms(keys, storage, problems),
        None => generators_for_clients(keys, &levels, problems),
    };
    let arrivals = level::arrivals(table, load, searches, problems);
    let policy = error_policy(keys, server, problems);
    let reconnect_after = server.and_then(|server| reconnect_after(keys, server, problems));
    let steady_within = steady_within(server, steady, searches, problems);
    let workload = workload?;
    let load = Load {
        workload,
        levels,
        placement,
        warmup,
        steady_within,
        duration,
        operations,
        arrivals,
        profile,
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
const LEVELS: [&str; 8] = [
    "clients", "rate", "load_profile", "slo", "pattern", "queue_depth", "cpu_limit", "replica_lag",
];

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

/// Keys that go with a duration only, and why.
const OF_DURATIONS: [(&str, &str); 7] = [
    ("duration", "a load ends after a time or after so much work"),
    ("rate", "at a rate it is known how long so much work takes"),
    ("slo", "each step of a search takes a time"),
    (STEADY_WITHIN, "what is put off is held against the time that is measured"),
    ("replica_lag", "each step of a search takes a time"),
    ("cpu_limit", "each step of a search takes a time"),
    ("cross_check", "other tools are run for a time"),
];

/// The operations after which a load ends, if it ends by them, and the longest time that it measures.
fn amount(
    table: &TestTable,
    load: &LoadTable,
    default_duration: Duration,
    problems: &mut Problems,
) -> (Option<u64>, Duration) {
    let (key, written) = match &load.work {
        Some(WorkTable::Transactions(_, keys)) => ("transactions", &keys.transactions),
        Some(WorkTable::KeyValue(_, keys)) => ("operations", &keys.operations),
        Some(WorkTable::Storage(keys)) => ("operations", &keys.operations),
        Some(WorkTable::Oltp(_, _, keys)) => ("transactions", &keys.transactions),
        None => return (None, default_duration),
    };
    let (time_key, most) = match written.is_some() {
        true => ("time_limit", load.keys.time_limit.value("time_limit", problems)),
        false => ("duration", load.keys.duration.value_or("duration", default_duration, problems)),
    };
    if let (Some(at), true) = (table.place(time_key), most.is_zero()) {
        let key = problems.key(time_key);
        problems.add(at, format!("{key} must be more than zero: nothing is measured"));
    }
    if !written.is_some() {
        if let Some(at) = table.place("time_limit") {
            applies_only_with("time_limit", at, key, "1_000_000", problems);
        }
        return (None, most);
    }
    for (other, why) in OF_DURATIONS {
        if let Some((other, at)) = table.given(other, problems) {
            let key = problems.key(key);
            problems
                .add(at, format!("{other} cannot stand beside {key}: {why}"))
                .help("leave out either; two tests can have one each");
        }
    }
    (written.value(key, problems), most)
}

/// What a test says of errors, the defaults where it says nothing.
fn error_policy(
    keys: &LoadKeys,
    server: Option<&ServerKeys>,
    problems: &mut Problems,
) -> ErrorPolicy {
    let (conflict, loss) = match server {
        Some(server) => (
            server.on_conflict.value("on_conflict", problems),
            server.on_lost_connection.value("on_lost_connection", problems),
        ),
        None => (None, None),
    };
    let other = keys.on_error.value("on_error", problems);
    let default = ErrorPolicy::default();
    ErrorPolicy {
        codes: default.codes,
        conflict: conflict.unwrap_or(default.conflict),
        connection: loss.unwrap_or(default.connection),
        other: other.unwrap_or(default.other),
    }
}

/// The longest time that a load may settle.
const SETTLING: std::ops::RangeInclusive<Duration> =
    Duration::from_secs(1)..=Duration::from_secs(24 * 3600);

/// The same where a test does not say how long.
const DEFAULT_SETTLING: Duration = Duration::from_secs(600);
const TOO_SHORT: &str = ", whose steps are too short for a steady state";

/// How long the load may run before it is measured, until what its server puts off is level; `asked` is where
/// `warmup` asks for that.
fn steady_within(
    server: Option<&ServerKeys>,
    asked: Option<Place>,
    searches: bool,
    problems: &mut Problems,
) -> Option<Duration> {
    let Some(server) = server else {
        let at = asked?;
        let key = problems.key("warmup");
        problems
            .add(
                at,
                format!("{key} cannot be `steady` on storage, which does not say what it puts off"),
            )
            .help("write a time like 10m");
        return None;
    };
    let within = &server.steady_within;
    let at = within.place().or(asked)?;
    let length = match within.is_some() {
        true => within.value(STEADY_WITHIN, problems)?,
        false => DEFAULT_SETTLING,
    };
    let key = problems.key(if within.is_some() { STEADY_WITHIN } else { "warmup" });
    let mut refuse = |message: String, help: &str| {
        problems.add(at.clone(), message).help(help);
    };
    if !SETTLING.contains(&length) {
        refuse(format!("{key} must be from 1s to 24h"), "write a time like 10m");
    }
    if searches {
        refuse(
            match within.is_some() {
                true => format!("{key} cannot stand in a search{TOO_SHORT}"),
                false => format!("{key} cannot be `steady` in a search{TOO_SHORT}"),
            },
            "leave it out, and test the load that was found in a test of its own",
        );
    }
    Some(length)
}

/// After how many operations a client makes a new connection, where it does.
fn reconnect_after(
    keys: &LoadKeys,
    server: &ServerKeys,
    problems: &mut Problems,
) -> Option<NonZeroU32> {
    let at = server.reconnect_after.place()?;
    if keys.cross_check.value() {
        let key = problems.key("reconnect_after");
        problems
            .add(
                at,
                format!("`cross_check` does not work with {key}: other tools keep connections"),
            )
            .help("leave out either; two tests can have one each");
    }
    NonZeroU32::new(server.reconnect_after.value("reconnect_after", problems)?)
}

/// The load generators of a test on a server with these levels: every one of them needs a client.
fn generators_for_clients(keys: &LoadKeys, levels: &[Level], problems: &mut Problems) -> u32 {
    let count = count(keys, problems);
    let fewest = levels.iter().map(|level| level.clients).min();
    if let (Some(at), Some(clients)) =
        (keys.load_generators.place(), fewest.filter(|&few| few < count))
    {
        let least = problems.notation.setting("clients", &count.to_string());
        problems
            .add(
                at,
                format!(
                    "{count} load generators cannot share a level of {clients} {}",
                    if clients == 1 { "client" } else { "clients" }
                ),
            )
            .help(format!("every generator needs a client: begin with {least}, or more"));
    }
    count
}

/// Those of a test on storage: every one of them needs a virtual machine.
fn generators_for_vms(keys: &LoadKeys, storage: &Storage, problems: &mut Problems) -> u32 {
    let (count, vms) = (count(keys, problems), storage.vms);
    let Some(at) = keys.load_generators.place() else { return count };
    if count > vms {
        let noun = if vms == 1 { "virtual machine" } else { "virtual machines" };
        let least = problems.notation.setting("vms", &count.to_string());
        problems
            .add(at, format!("{count} load generators cannot share {vms} {noun}"))
            .help(format!("every generator needs one: write {least}, or more"));
    } else if count > 1 && storage.oversubscription.is_some() {
        let keys = ["load_generators", "cpu_oversubscription"].map(|key| problems.key(key));
        problems
            .add(at, "virtual machines that share processors are driven by one process")
            .help(format!("leave out {}", keys.join(", or ")));
    }
    count
}

fn count(keys: &LoadKeys, problems: &mut Problems) -> u32 {
    keys.load_generators.value("load_generators", problems)
}
