//! What weighin knows of one system stands in that system's rooms.

use crate::workspace::{Source, sources};

/// How names of counters, settings and files of one kind of server begin.
const SERVER_WORDS: [&str; 12] = [
    "Com_", "Innodb", "REDISCLI", "aof_", "cmdstat", "information_schema", "innodb", "my.cnf",
    "performance_schema", "pg_", "rdb_", "skip_replica",
];

/// Servers by their names, in lower case.
const SERVERS: [&str; 7] = ["keydb", "mariadb", "mysql", "percona", "postgres", "redis", "valkey"];

/// Where the rooms of the systems are.
const ROOMS: [&str; 6] = [
    "crates/model/src/system.rs",
    "crates/mysql/",
    "crates/postgres/",
    "crates/redis/",
    "crates/settings/",
    "crates/sql/",
];

/// What reads or runs the tools of others, templates of studies, and programs that are not shipped.
const EXEMPT: [&str; 7] = [
    "crates/bench/",
    "crates/crosscheck/",
    "crates/fuzz/",
    "crates/import/",
    "crates/study/src/template.rs",
    "crates/test-support/",
    "crates/weighin/src/commands/sysbench/",
];

/// Files outside that name a server. It may only fall.
const FILES_THAT_NAME_A_SERVER: usize = 6;

/// Shipped sources that are about no system.
fn neutral() -> impl Iterator<Item = Source> {
    sources().into_iter().filter(|source| {
        let special = ROOMS.iter().chain(&EXEMPT).any(|place| source.path.starts_with(place));
        source.is_shipped() && !special
    })
}

/// Everything else speaks of requests and signals.
#[test]
fn words_of_a_server_stay_in_its_rooms() {
    let begins = |line: &str, word: &str| {
        line.match_indices(word)
            .any(|(at, _)| !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
    };
    let mut found = Vec::new();
    for source in neutral() {
        let bad = source
            .shipped_code()
            .filter(|(_, line)| SERVER_WORDS.iter().any(|word| begins(line, word)));
        found.extend(bad.map(|(at, line)| format!("{}:{at}: {}", source.path, line.trim())));
    }
    assert!(found.is_empty(), "words of one server:\n{}", found.join("\n"));
}

/// Each is a file that a new system may have to touch.
#[test]
fn few_files_name_a_server() {
    let names = |line: &str| {
        let line = line.to_lowercase();
        SERVERS.iter().any(|server| line.contains(server))
    };
    let found = neutral().filter(|source| source.shipped_code().any(|(_, line)| names(line)));
    let found: Vec<String> = found.map(|source| source.path).collect();
    assert!(
        found.len() <= FILES_THAT_NAME_A_SERVER,
        "{} files name a server, and {FILES_THAT_NAME_A_SERVER} may; model::system has the facts:\n{}",
        found.len(),
        found.join("\n")
    );
}
