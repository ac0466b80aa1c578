//! The task `catch_up`: a backlog that replicas apply.

use crate::keys::forms::replicated_workloads;
use crate::keys::value::one_of;
use crate::keys::{CatchUpKeys, OltpKeys};
use crate::problem::{Place, Problems};
use crate::read::tests::oltp;
use crate::read::tests::table::TestTable;
use crate::text::size::parse_size;
use model::{Backlog, CacheState, CatchUp, Level, OltpMix, Task, Workload};

/// The keys that say how much is written.
const BACKLOGS: [&str; 3] = ["backlog_transactions", "backlog_time", "backlog_bytes"];

/// Notes a workload that gives replicas nothing to do.
pub(crate) fn refuse_reading(workload: &str, at: Place, problems: &mut Problems) {
    let names: Vec<&str> = replicated_workloads().map(OltpMix::name).collect();
    problems
        .add(at, format!("{workload} writes nothing that replicates"))
        .help(format!("choose one of {}", names.join(", ")));
}

/// What a test has replicas catch up with.
pub(crate) fn task(
    table: &TestTable,
    keys: &CatchUpKeys,
    cache: CacheState,
    problems: &mut Problems,
) -> Option<Task> {
    if let (CacheState::Cold, Some(at)) = (cache, table.place("cache")) {
        problems
            .add(at, "`catch_up` does not work with `cold` caches: the backlog warms them")
            .help("leave `cache` out, or set it to \"warm\"");
    }
    let mix = match &keys.workload {
        None => OltpMix::WriteOnly,
        Some(written) => {
            let all = crate::keys::choices::workload_names().map(|name| (name, name));
            one_of("workload", &keys.workload, &all, problems)?;
            let named = OltpMix::from_name(written.get_ref());
            let writing = named.filter(|mix| replicated_workloads().any(|writing| writing == *mix));
            if writing.is_none() {
                refuse_reading(written.get_ref(), written.span(), problems);
            }
            writing?
        }
    };
    let tables = OltpKeys {
        tables: keys.tables.clone(),
        table_size: keys.table_size.clone(),
        ..OltpKeys::default()
    };
    let workload = Workload::Oltp(oltp::workload(mix, &tables, table.workload_place(), problems));
    let clients = keys.clients.value("clients", problems);
    let rate = keys.rate.value("rate", problems);
    let level = rate.map_or(Level::clients(clients), |rate| Level::rate(clients, rate));
    let timeout = keys.timeout.value("timeout", problems);
    if let (Some(at), true) = (table.place("timeout"), timeout.is_zero()) {
        problems.add(at, "`timeout` must be more than zero: no replica would ever catch up");
    }
    let backlog = backlog(table, keys, problems)?;
    if let Backlog::Time(writing) = backlog
        && (writing.is_zero() || writing > timeout)
    {
        let at = table.place("backlog_time").unwrap_or_default();
        problems
            .add(at, "`backlog_time` must be more than zero, and at most the `timeout`")
            .help("raise `timeout`, or write for a shorter time");
    }
    Some(Task::CatchUp(CatchUp { workload, level, backlog, timeout }))
}

/// How much is written: one key says it.
fn backlog(table: &TestTable, keys: &CatchUpKeys, problems: &mut Problems) -> Option<Backlog> {
    if let [(_, first), (key, second), ..] = table.places.written_among(&BACKLOGS).as_slice() {
        problems
            .add(second.clone(), format!("`{key}` is a second measure of the backlog"))
            .other(first.clone(), "the first one")
            .help("keep one of them; backlog_transactions are the same on all targets");
        return None;
    }
    if let Some(written) = &keys.backlog_bytes {
        return match parse_size(written.get_ref()) {
            Ok(0) => {
                problems.add(written.span(), "`backlog_bytes` must be more than zero");
                None
            }
            Ok(bytes) => Some(Backlog::Bytes(bytes)),
            Err(error) => {
                problems.add(written.span(), format!("`backlog_bytes`: {error}"));
                None
            }
        };
    }
    if keys.backlog_time.is_some() {
        return keys.backlog_time.value("backlog_time", problems).map(Backlog::Time);
    }
    let count = keys.backlog_transactions.value("backlog_transactions", problems);
    Some(Backlog::Transactions(count))
}
