use super::{info, value};
use model::{Failure, FailureKind, ServerFacts};
use protocol::redis::Value;
use std::collections::BTreeMap;
use target::client::redis::RedisConnection;

/// Parts of names of settings that hold secrets.
const SECRET: [&str; 3] = ["pass", "auth", "secret"];

/// Reads what a server says of itself.
///
/// # Errors
/// When it does not answer, or is none that a load of reads and writes can run on: a replica, or
/// part of a cluster.
pub(crate) fn server_facts(control: &mut RedisConnection) -> Result<ServerFacts, Failure> {
    let endpoint = control.endpoint().clone();
    let report = info(control, "")
        .map_err(|error| error.failure(&format!("cannot read INFO at {endpoint}")))?;
    if value(&report, "role").is_some_and(|role| role != "master") {
        return Err(Failure::new(
            FailureKind::NotPermitted,
            format!("the server at {endpoint} is a replica"),
            match value(&report, "master_host").zip(value(&report, "master_port")) {
                Some((host, port)) => format!("name its primary, {host}:{port}"),
                None => "name its primary".to_owned(),
            },
        ));
    }
    if value(&report, "cluster_enabled") == Some("1") {
        return Err(Failure::new(
            FailureKind::NotPermitted,
            format!(
                "the server at {endpoint} is part of a cluster, and weighin knows single servers"
            ),
            "name a server that is not part of a cluster",
        ));
    }
    Ok(ServerFacts {
        version: version(&report),
        variables: settings(control),
        dataset_bytes: value(&report, "used_memory_dataset").and_then(|bytes| bytes.parse().ok()),
        ..ServerFacts::default()
    })
}

/// Valkey and KeyDB also tell which version of Redis they are like; the name tells them apart.
fn version(report: &[(String, String)]) -> String {
    let of = |name| value(report, name).map(str::to_owned);
    match (of("valkey_version"), of("redis_version")) {
        (Some(version), _) => format!("Valkey {version}"),
        (None, Some(version)) => version,
        (None, None) => String::new(),
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
