//! Settings of Redis, Valkey and KeyDB, by names with hyphens.

use crate::{PATH, Rule, Verdict, find, find_prefix, is_path};

/// Settings that weighin chooses itself, and why.
const DECIDED: [Rule; 5] = [
    (
        "weighin gives every sandbox a directory of its own; choose it with `directory`, next to \
         `settings`",
        &["cluster-config-file", "dir", "logfile", "pidfile"],
    ),
    (
        "weighin chooses the socket and a free loopback port, so that sandboxes don't meet",
        &[
            "bind",
            "bind-source-addr",
            "port",
            "tls-port",
            "unixsocket",
            "unixsocketgroup",
            "unixsocketperm",
        ],
    ),
    (
        "weighin sets up the account of a sandbox",
        &["aclfile", "protected-mode", "rename-command", "requirepass", "user"],
    ),
    (
        "weighin starts single servers from a file of its own and must stay their parent",
        &[
            "active-replica",
            "cluster-enabled",
            "daemonize",
            "include",
            "multi-master",
            "replicaof",
            "sentinel",
            "slaveof",
            "supervised",
            "syslog-enabled",
            "tls-cluster",
        ],
    ),
    ("weighin keeps no passwords in studies", &SECRETS),
];

/// Settings whose values are passwords.
pub(crate) const SECRETS: [&str; 7] = [
    "masterauth",
    "masteruser",
    "primaryauth",
    "primaryuser",
    "requirepass",
    "tls-client-key-file-pass",
    "tls-key-file-pass",
];

/// The first words of settings of which each is the server's address in another network.
const PREFIXES_DECIDED: [Rule; 1] = [(
    "weighin chooses the socket and a free loopback port, so that sandboxes don't meet",
    &["rdma-"],
)];

/// Settings that could harm the host, and how.
const NEED_TRUST: [Rule; 3] = [
    (
        "it makes the server load code",
        &["enable-debug-command", "enable-module-command", "enable-protected-configs"],
    ),
    ("it makes the server connect to others", &["db-s3-object", "primaryof"]),
    (
        "it decides which processes of the host the kernel kills when memory runs out",
        &["oom-score-adj", "oom-score-adj-values"],
    ),
];

/// The same by the beginnings of names.
const PREFIXES_NEED_TRUST: [Rule; 2] = [
    ("it makes the server load code", &["loadmodule"]),
    ("it makes the server write outside its own directory", &["storage-provider", "scratch-file"]),
];

/// What is to be done with a setting.
pub(crate) fn judge(name: &str, value: &str) -> Verdict {
    let decided = find(&DECIDED, name).or_else(|| find_prefix(&PREFIXES_DECIDED, name));
    if let Some(reason) = decided {
        return Verdict::Decided(reason);
    }
    let harm = find(&NEED_TRUST, name).or_else(|| find_prefix(&PREFIXES_NEED_TRUST, name));
    if let Some(harm) = harm {
        return Verdict::NeedsTrust(harm);
    }
    if is_path(value) { Verdict::NeedsTrust(PATH) } else { Verdict::Allowed }
}
