//! What would make a study fail on a Redis server, or mislead.

use super::{info, keys, rights, value};
use crate::client::RedisConnection;
use crate::protocol::Value;
use host::size_in_words;
use model::{Endpoint, Failure, FailureKind, Needs, Study, Test};
use system::Diagnostics;
use system::Login;
use system::Setting;
use system::{DataPlan, Examination, Examined, ServerIdentity};

type Report = [(String, String)];

/// Looks at everything. Changes nothing.
pub(super) fn examine(
    login: &Login,
    control: &mut RedisConnection,
    setting: &Setting<'_>,
    examination: &mut Examination<'_>,
) -> Result<Examined, Failure> {
    let report = info(control, "").unwrap_or_default();
    let study = examination.study;
    let data = data(control, study, examination.found)?;
    let needs = study.tests.iter().map(Test::needs).fold(Needs::default(), Needs::and);
    let writes = needs.writes() || data.as_ref().is_some_and(|data| data.to_make() > 0);
    if writes {
        persistence(&report, control.endpoint(), examination.found);
        replicas(&report, examination.found);
    }
    memory(&report, control.endpoint(), study, examination.found);
    idle(control, study, examination.found);
    let identity = value(&report, "run_id").map(|run_id| {
        let address = login.address();
        let peer = control.ends().ok().and_then(|ends| ends.peer());
        let endpoint = match (&address.endpoint, peer) {
            // Two names may lead to one address.
            (Endpoint::Tcp { .. }, Some(peer)) => peer.to_string(),
            (endpoint, _) => endpoint.to_string(),
        };
        let user = &login.credentials().user;
        let other =
            peer.map(|peer| peer.ip()).filter(|ip| !setting.is_private_here && !ip.is_loopback());
        let machine = match other {
            Some(ip) => ip.to_string(),
            None => examination.load_host.facts().hostname,
        };
        ServerIdentity {
            server: run_id.to_owned(),
            way: format!("{endpoint}\0{:?}\0{user}\0{}", address.tls, address.database),
            machine: Some(machine),
        }
    });
    Ok(Examined { data, identity, ..Examined::default() })
}

/// What a run would make first. That of later tests is looked at for what is in the way alone.
fn data(
    control: &mut RedisConnection,
    study: &Study,
    found: &mut Diagnostics,
) -> Result<Option<DataPlan>, Failure> {
    let most = rights::most_keys(study);
    let mut first = None;
    for keys in study.tests.iter().filter_map(Test::key_value) {
        found.keep(rights::check(control, keys, most))?;
        let plan = found.keep(keys::dry_run(control, keys, most))?;
        first = first.or(plan);
    }
    Ok(first)
}

/// A server that could not save refuses to write.
fn persistence(report: &Report, endpoint: &Endpoint, found: &mut Diagnostics) {
    for (name, what) in [
        ("rdb_last_bgsave_status", "its last snapshot failed"),
        ("aof_last_write_status", "it cannot write its append-only file"),
    ] {
        if value(report, name) == Some("err") {
            found.warn(
                format!("the server at {endpoint} may refuse writes: {what} ({name}:err)"),
                "see its log for why, and make room; CONFIG SET stop-writes-on-bgsave-error no lets it \
                 write without snapshots",
            );
        }
    }
}

fn replicas(report: &Report, found: &mut Diagnostics) {
    let count = value(report, "connected_slaves").and_then(|count| count.parse::<u64>().ok());
    let message = match count {
        None | Some(0) => return,
        Some(1) => "a replica is connected and gets everything that the study writes".to_owned(),
        Some(count) => {
            format!("{count} replicas are connected and get everything that the study writes")
        }
    };
    found.warn(message, "name a server without replicas, unless the study is about them");
}

/// Whether the keys fit into what the server may take.
fn memory(report: &Report, endpoint: &Endpoint, study: &Study, found: &mut Diagnostics) {
    let number = |name| value(report, name).and_then(|number| number.parse::<u64>().ok());
    let Some(most) = number("maxmemory").filter(|&most| most > 0) else { return };
    let loads = study.tests.iter().filter_map(Test::key_value);
    let Some(keys) = loads.max_by_key(|keys| keys.bytes_in_memory()) else { return };
    let needed = keys.bytes_in_memory();
    if needed <= most {
        return;
    }
    let (most, needed) = (size_in_words(most), size_in_words(needed));
    let evicts = value(report, "maxmemory_policy").is_some_and(|policy| policy != "noeviction");
    let remedy = "raise maxmemory (CONFIG SET maxmemory), or lower `keys` or `value_size`";
    let message =
        format!("the server at {endpoint} may take {most} (maxmemory), and the keys need {needed}");
    match (evicts, keys.preload) {
        (true, _) => {
            found.warn(format!("{message}: it will evict keys, and reads will miss them"), remedy);
        }
        // All of them are written before the first trial.
        (false, true) => found.error(Failure::new(FailureKind::DiskFull, message, remedy)),
        (false, false) => found.warn(format!("{message}: it may refuse writes"), remedy),
    }
}

/// Connections that wait: the one for control during a trial, and those of an open loop.
fn idle(control: &mut RedisConnection, study: &Study, found: &mut Diagnostics) {
    let Ok(Value::Array(pair)) = control.command(&[b"CONFIG", b"GET", b"timeout"]) else { return };
    let limit = pair.get(1).and_then(Value::text).and_then(|text| text.parse::<u64>().ok());
    let loads = study.tests.iter().filter_map(Test::load);
    let longest = loads.map(|load| (load.warmup + load.duration).as_secs()).max().unwrap_or(0);
    if let Some(limit) = limit.filter(|&limit| limit > 0 && limit < longest) {
        found.warn(
            format!(
                "the server closes connections that were idle for {limit} s (timeout), and a trial \
                 takes {longest} s"
            ),
            "CONFIG SET timeout 0 for the time of the study",
        );
    }
}
