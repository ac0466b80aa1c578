//! Names of the values of enums, for headings and table cells.

use super::volume::stands_on;
use crate::numbers;
use analyse::{Curve, CurveShape, Severity, Validity, Verdict};
use findings::names::target_name;
use findings::place::levels;
use model::{
    CacheState, Endpoint, KeyValue, LoadHosts, Place, Software, StoragePlace, Task, Test,
    Transactions, Workload,
};

/// Heading of the findings of a severity.
pub(crate) fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Severe => "Severe: these results are missing, or not to be relied on",
        Severity::Warning => "Warnings: interpret these results with care",
        Severity::Notice => "Results",
        Severity::Passed => "Checks that passed",
    }
}

/// One word for how far a trial may be trusted.
pub(crate) fn validity(validity: Validity) -> &'static str {
    match validity {
        Validity::Valid => "valid",
        Validity::Suspect => "suspect",
        Validity::Void => "void",
    }
}

/// What a comparison says, with the names in it.
pub(crate) fn verdict(verdict: Verdict, baseline: &str, candidate: &str) -> String {
    match verdict {
        Verdict::CandidateBetter => format!("{candidate} is better"),
        Verdict::BaselineBetter => format!("{baseline} is better"),
        Verdict::Equivalent => "same within the margin".to_owned(),
        Verdict::Unresolved => "not resolved".to_owned(),
    }
}

/// What a throughput curve does after its peak, in few words.
pub(crate) fn shape(curve: &Curve) -> String {
    let known = match &curve.shape {
        CurveShape::SinglePoint => "one level only".to_owned(),
        CurveShape::StillRising => "still rising".to_owned(),
        CurveShape::CutShort => "not known".to_owned(),
        CurveShape::Flat => "flat".to_owned(),
        CurveShape::Declines { at, ratio } => {
            format!("falls to {} × at {at}", numbers::figure(ratio.point))
        }
        CurveShape::Unresolved => "unclear".to_owned(),
    };
    if curve.without_data.is_empty() {
        known
    } else {
        format!("{known}; no result at {}", levels(&curve.without_data))
    }
}

/// Where a target's server is.
pub(crate) fn place(place: &Place) -> String {
    match place {
        Place::Sandbox(spec) => {
            let restarted = if spec.restart {
                "restarted before every trial"
            } else {
                "not restarted between trials"
            };
            let of = match &spec.software {
                Software::Installed => String::new(),
                Software::Base(base) => format!(" of the distribution in {}", base.display()),
                Software::Container(image) => format!(" in a container of the image {image}"),
            };
            let server = match &spec.replication {
                None => "a private server".to_owned(),
                Some(group) => format!(
                    "a private primary with {}{}",
                    numbers::counted(group.replicas as usize, "replica"),
                    if group.semi_sync { " (semi-synchronous)" } else { "" },
                ),
            };
            let on = spec.host.as_ref().map(|host| format!(" on the host {}", host.name));
            format!("{server}{of}{}, {restarted}{}", on.unwrap_or_default(), stands_on(spec))
        }
        Place::Storage(place) => volumes(place),
        Place::Imported => "imported".to_owned(),
        Place::Server(spec) => {
            let endpoint = &spec.address.endpoint;
            let at = match endpoint {
                Endpoint::Tcp { .. } => format!("a server at {endpoint}"),
                Endpoint::Socket(_) => format!("a server on this host at {endpoint}"),
                Endpoint::NotUp => "a server that comes up for the study".to_owned(),
            };
            let at = match &spec.host {
                Some(host) => format!("{at}, on the host {}", host.name),
                None => at,
            };
            let replicas: Vec<String> =
                spec.replicas.iter().map(|replica| replica.endpoint.to_string()).collect();
            match replicas.as_slice() {
                [] => at,
                some => {
                    let replicas = numbers::counted(some.len(), "replica");
                    format!("{at}, with {replicas} at {}", numbers::list(some))
                }
            }
        }
    }
}

/// The volumes of a target, in their order.
fn volumes(place: &StoragePlace) -> String {
    let paths: Vec<String> =
        place.volumes.iter().map(|volume| volume.path.display().to_string()).collect();
    let volumes = match paths.as_slice() {
        [one] => format!("the volume {one}"),
        several => format!("{} volumes: {}", several.len(), several.join(", ")),
    };
    let hosts: Vec<String> = place.hosts.iter().map(|host| target_name(&host.name)).collect();
    match hosts.as_slice() {
        [] => volumes,
        [one] => format!("{volumes}, on the host {one}, which makes the load"),
        several => format!(
            "{volumes}, on each of the {} hosts {}, which make the load together",
            several.len(),
            numbers::list(several)
        ),
    }
}

/// What is run in a test, on how much data, and from which cache.
pub(crate) fn workload(test: &Test) -> String {
    let load = match &test.task {
        Task::Load(load) => load,
        Task::Search(search) => &search.load,
        Task::Statement(statement) => return super::statement::describe(test, statement),
        Task::Failover(failover) => return super::failover::describe(failover),
        Task::CatchUp(task) => return super::catch_up::describe(task),
        Task::Imported(imported) if imported.name == test.name => return "Imported".to_owned(),
        Task::Imported(imported) => return format!("{}, imported", imported.name),
    };
    let cache = match test.cache {
        CacheState::Warm => "warm caches",
        CacheState::Cold => "cold caches",
    };
    let what = match &load.workload {
        Workload::Oltp(oltp) => format!(
            "{} on {} of {} rows ({} keys)",
            oltp.mix.name(),
            numbers::counted(oltp.tables as usize, "table"),
            numbers::count(oltp.table_size.into()),
            oltp.distribution.name(),
        ),
        Workload::Transactions(own) => transactions(own),
        Workload::KeyValue(workload) => key_value(workload),
        Workload::Storage(storage) => findings::storage::load(storage),
    };
    let each = match load.load_generators {
        0 | 1 => String::new(),
        each => format!(", {each} load generators on each"),
    };
    let generators = match &load.load_hosts {
        LoadHosts::Same(hosts) if hosts.is_empty() => match load.load_generators {
            0 | 1 => String::new(),
            several => format!(", from {several} load generators"),
        },
        LoadHosts::Same(hosts) => {
            let names: Vec<String> = hosts.iter().map(|host| target_name(&host.name)).collect();
            let hosts = if names.len() == 1 { "host" } else { "hosts" };
            format!(", from the load {hosts} {}{each}", numbers::list(&names))
        }
        LoadHosts::OfTarget(None) => format!(", from the load hosts of each target{each}"),
        LoadHosts::OfTarget(Some(1)) => format!(", from the first load host of each target{each}"),
        LoadHosts::OfTarget(Some(most)) => {
            format!(", from the first {most} load hosts of each target{each}")
        }
    };
    let connections = load.reconnect_after.map_or(String::new(), |operations| {
        let share = numbers::number_of(operations.get().into(), test.operation());
        format!(", a new connection after every {share}")
    });
    let length = numbers::duration(load.duration);
    let measured = match load.operations {
        Some(operations) => {
            let work = numbers::number_of(operations, test.operation());
            format!("{work} measured, in at most {length}")
        }
        None => format!("{length} measured"),
    };
    let steady = load.steady_within.map_or(String::new(), |longest| {
        format!(", run until steady before that, in at most {}", numbers::duration(longest))
    });
    let per_step = if test.bound().is_some() { " in each step of the search" } else { "" };
    let interventions = load.interventions.iter().map(|intervention| {
        let (name, at) = (target_name(&intervention.name), numbers::duration(intervention.at));
        format!(", {name} {at} into the measurement")
    });
    format!(
        "{what}, {cache}, {} of warm-up and {measured}{per_step}{steady}{generators}{connections}{}",
        numbers::duration(load.warmup),
        interventions.collect::<String>(),
    )
}

/// The user's own transactions with their shares.
fn transactions(own: &Transactions) -> String {
    let share = |one| numbers::percent(own.share(one));
    let names = own.transactions.iter();
    let names: Vec<String> = match own.transactions.len() {
        1 => names.map(|one| one.name.clone()).collect(),
        _ => names.map(|one| format!("{} ({})", one.name, share(one))).collect(),
    };
    format!("transactions of your own: {}", names.join(", "))
}

/// Reads and writes of keys: how many of which, and how they are sent.
fn key_value(workload: &KeyValue) -> String {
    let (sets, gets) = workload.sets_to_gets;
    let share = 100.0 * f64::from(sets) / (f64::from(sets) + f64::from(gets));
    let together = match workload.pipeline {
        1 => String::new(),
        depth => format!(", {depth} commands sent together as one operation"),
    };
    let expiry = workload.expiry.map_or(String::new(), |expiry| {
        format!(", written keys expire after {}", numbers::duration(expiry))
    });
    format!(
        "{} % writes on {} with values of {} ({} order{together}{expiry})",
        numbers::figure(share),
        numbers::counted(workload.keys as usize, "key"),
        workload.value_size,
        workload.order.name(),
    )
}
