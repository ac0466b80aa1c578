use super::{info, value};
use crate::client::{RedisConnection, RedisError};
use crate::protocol::Value;
use host::ProcessClue;
use model::{Endpoint, Failure, FailureKind, ServerFacts};
use std::collections::BTreeMap;

/// Parts of names of settings that hold secrets.
const SECRET: [&str; 3] = ["pass", "auth", "secret"];

/// Settings that differ between any two servers and that nobody would choose between: where a server
/// is found, and files of its own.
const INCIDENTAL: &[&str] =
    &["bind", "dir", "logfile", "pidfile", "tls-port", "unixsocket", "port"];

/// Durability and memory.
pub(super) const TELLING: &[&str] =
    &["appendonly", "appendfsync", "save", "maxmemory", "maxmemory_policy", "io_threads"];

/// Reads what a server says of itself.
///
/// # Errors
/// When it does not answer, or is none that a load of reads and writes can run on: a replica, or
/// part of a cluster.
pub(crate) fn server_facts(control: &mut RedisConnection) -> Result<ServerFacts, Failure> {
    let endpoint = control.endpoint().clone();
    let report = info(control, "")
        .map_err(|error| error.failure(&format!("cannot read INFO at {endpoint}")))?;
    refuse_unfit(&report, &endpoint)?;
    let variables = settings(control);
    Ok(ServerFacts {
        dataset_bytes: value(&report, "used_memory_dataset").and_then(|bytes| bytes.parse().ok()),
        ..ServerFacts::new(version(&report), variables, INCIDENTAL)
    })
}

/// The number of its process.
pub(super) fn process_clue(control: &mut RedisConnection) -> Result<Option<ProcessClue>, Failure> {
    let report = match info(control, "server") {
        Ok(report) => report,
        Err(RedisError::Server(_)) => return Ok(None),
        Err(error) => return Err(error.failure("cannot read which process the server is")),
    };
    let number = value(&report, "process_id").and_then(|number| number.parse().ok());
    Ok(number.map(ProcessClue::Number))
}

/// Refuses a server that no load of reads and writes can run on, by its report on itself: a
/// replica, or part of a cluster.
///
/// # Errors
/// `NotPermitted`, with the server to name instead where this one tells.
pub(crate) fn refuse_unfit(
    report: &[(String, String)],
    endpoint: &Endpoint,
) -> Result<(), Failure> {
    if value(report, "role").is_some_and(|role| role != "master") {
        return Err(Failure::new(
            FailureKind::NotPermitted,
            format!("the server at {endpoint} is a replica"),
            match value(report, "master_host").zip(value(report, "master_port")) {
                Some((host, port)) => format!("name its primary, {host}:{port}"),
                None => "name its primary".to_owned(),
            },
        ));
    }
    if value(report, "cluster_enabled") == Some("1") {
        return Err(Failure::new(
            FailureKind::NotPermitted,
            format!(
                "the server at {endpoint} is part of a cluster, and weighin knows single servers"
            ),
            "name a server that is not part of a cluster",
        ));
    }
    Ok(())
}

/// The version, with the name of a server that is none of Redis: Valkey tells beside its own which
/// version of Redis it is like, KeyDB calls its own one of Redis and is known by its program.
pub(crate) fn version(report: &[(String, String)]) -> String {
    let of = |name| value(report, name).unwrap_or_default();
    let program = of("executable").rsplit('/').next().unwrap_or_default();
    match (of("valkey_version"), of("redis_version")) {
        ("", version) if program.starts_with("keydb") => format!("KeyDB {version}"),
        ("", version) => version.to_owned(),
        (version, _) => format!("Valkey {version}"),
    }
}

/// All settings but those that hold a secret; none where the account may not read them.
fn settings(control: &mut RedisConnection) -> BTreeMap<String, String> {
    let Ok(Value::Array(pairs)) = control.command(&[b"CONFIG", b"GET", b"*"]) else {
        return BTreeMap::new();
    };
    pairs
        .chunks_exact(2)
        .filter_map(|pair| Some((pair[0].text()?, pair[1].text()?)))
        .filter(|(name, _)| !SECRET.iter().any(|part| name.contains(part)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_of_one_descent_are_told_apart() {
        let of = |lines: &[(&str, &str)]| {
            let owned = lines.iter().map(|&(name, value)| (name.to_owned(), value.to_owned()));
            version(&owned.collect::<Vec<_>>())
        };
        let redis = ("redis_version", "7.2.4");
        assert_eq!(of(&[redis, ("executable", "/usr/bin/redis-server")]), "7.2.4");
        assert_eq!(of(&[redis, ("valkey_version", "8.0.1")]), "Valkey 8.0.1");
        assert_eq!(of(&[redis, ("executable", "/usr/bin/keydb-server")]), "KeyDB 7.2.4");
    }
}
