//! What the sources may and may not contain.

use crate::workspace::{Source, names, sources, table, text};
use std::collections::BTreeSet;

/// Crates without side effects.
const PURE: [&str; 7] = ["model", "stats", "settings", "workload", "findings", "analyse", "report"];

/// Folders without them.
const PURE_FOLDERS: [&str; 5] = [
    "crates/mysql/src/load/",
    "crates/mysql/src/protocol/",
    "crates/postgres/src/protocol/",
    "crates/redis/src/load/",
    "crates/redis/src/protocol/",
];

fn is_pure(source: &Source) -> bool {
    PURE.contains(&source.of_crate())
        || PURE_FOLDERS.iter().any(|folder| source.path.starts_with(folder))
}

/// What has side effects, or would hide from this test that something has.
const EFFECTS: [&str; 14] = [
    "std::env", "std::fs", "std::net", "std::os", "std::process", "std::thread", "std::{",
    "Instant", "SystemTime", "fs::", "libc", "mio", "net::", "tokio",
];

/// What touches files, processes, devices or the time of day of a machine.
const MACHINE: [&str; 14] = [
    "Command::",
    "File::create",
    "File::open",
    "File::options",
    "SystemTime",
    "available_parallelism",
    "canonicalize",
    "fs::",
    "is_dir",
    "is_file",
    "libc",
    "rustix",
    "std::os",
    "tempfile",
];

/// What writes to the terminal or ends the process.
const PRINTING: [&str; 8] = [
    "print!(", "println!(", "dbg!(", "process::exit", "process::abort", "stdout()", "stderr()",
    "libc::write",
];

/// The modules of the engine that see neither a clock nor a socket.
const INNER_ENGINE: [&str; 5] = ["session", "pool", "recorder", "schedule", "storage/pool"];

const LONGEST_FILE: usize = 800;

/// Crates that are programs; all others are libraries.
const PROGRAMS: [&str; 3] = ["weighin", "bench", "fuzz"];

/// Whether a line holds a word, not as part of a longer one.
fn holds(line: &str, word: &str) -> bool {
    let is_inner = |c: char| c.is_alphanumeric() || c == '_';
    let starts_inner = word.starts_with(is_inner);
    let ends_inner = word.ends_with(is_inner);
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        let goes_on = starts_inner && before.is_some_and(is_inner)
            || ends_inner && after.is_some_and(is_inner);
        !goes_on
    })
}

/// Lines of shipped code that hold any of these words.
fn offences(source: &Source, words: &[&str]) -> Vec<String> {
    let bad = source.shipped_code().filter(|(_, line)| words.iter().any(|word| holds(line, word)));
    bad.map(|(number, line)| format!("{}:{number}: {}", source.path, line.trim())).collect()
}

fn assert_none(what: &str, offences: Vec<String>) {
    assert!(offences.is_empty(), "{what}:\n{}", offences.join("\n"));
}

fn shipped() -> impl Iterator<Item = Source> {
    sources().into_iter().filter(Source::is_shipped)
}

#[test]
fn pure_crates_have_no_side_effects() {
    let pure = shipped().filter(is_pure);
    assert_none("side effects", pure.flat_map(|source| offences(&source, &EFFECTS)).collect());
}

#[test]
fn only_programs_print_and_exit() {
    let libraries = shipped().filter(|source| !PROGRAMS.contains(&source.of_crate()));
    let found = libraries.flat_map(|source| offences(&source, &PRINTING)).collect();
    assert_none("printing outside the programs", found);
}

/// Everything else asks a `Host`. Pure crates have a stricter test.
#[test]
fn the_machine_is_touched_where_the_table_says() {
    let listed = table(&text("docs/internals/boundaries.md"), "What may touch the machine");
    let listed: Vec<String> = listed.iter().flat_map(|row| names(&row[0])).collect();
    for place in &listed {
        let there = sources().iter().any(|source| source.path.starts_with(place));
        assert!(there, "{place} has moved: tell docs/internals/boundaries.md where");
    }
    let elsewhere = |source: &Source| {
        !is_pure(source) && !listed.iter().any(|place| source.path.starts_with(place))
    };
    let found = shipped().filter(elsewhere).flat_map(|source| {
        let kernel = source
            .shipped_code()
            .filter(|(_, line)| ["/proc/", "/sys/"].iter().any(|place| line.contains(place)));
        let named = kernel.map(|(number, line)| format!("{}:{number}: {line}", source.path));
        named.chain(offences(&source, &MACHINE)).collect::<Vec<_>>()
    });
    assert_none("not asked of a host", found.collect());
}

/// What this machine does is seen through `Host`, by which another machine does the same.
#[test]
fn a_machine_is_seen_through_its_interface() {
    let insiders = ["host", "bench", "fuzz"];
    let others = shipped().filter(|source| !insiders.contains(&source.of_crate()));
    let found = others.flat_map(|source| offences(&source, &["host::local"])).collect();
    assert_none("the inside of a host", found);
}

/// An environment with all its secrets goes to no other program: `host::local::command` cleans it. What may
/// start programs otherwise is what is not shipped, the benchmark and the support of tests, and weighin
/// when it replaces itself.
#[test]
fn programs_are_started_in_one_place() {
    let exempt = |source: &Source| {
        ["bench", "test-support"].contains(&source.of_crate())
            || source.path == "crates/host/src/local/command.rs"
            || source.path == "crates/weighin/src/commands/sysbench/password.rs"
    };
    let others = shipped().filter(|source| !exempt(source));
    let found = others.flat_map(|source| offences(&source, &["Command::new"])).collect();
    assert_none("commands with the whole environment", found);
}

#[test]
fn the_program_writes_through_one_gate() {
    let program = shipped().filter(|source| source.of_crate() == "weighin");
    let gates = ["/messages.rs", "/view/stream.rs"];
    let others = program.filter(|source| !gates.iter().any(|gate| source.path.ends_with(gate)));
    // To ask what a stream is writes nothing.
    let asks = |offence: &String| offence.contains("is_terminal()");
    let found = others.flat_map(|source| offences(&source, &PRINTING));
    let found = found.filter(|offence| !asks(offence) && !offence.contains("process::exit"));
    assert_none("writing past the gates", found.collect());
}

#[test]
fn the_engine_reads_the_clock_in_one_place() {
    let engine = || shipped().filter(|source| source.of_crate() == "engine");
    let clocks = ["Instant::now", "SystemTime", "clock_gettime"];
    let others = engine().filter(|source| !source.path.ends_with("/clock.rs"));
    assert_none("clocks", others.flat_map(|source| offences(&source, &clocks)).collect());

    let outer = ["Clock", "Instant", "mio", "socket", "std::net", "std::io"];
    for module in INNER_ENGINE {
        let root = format!("crates/engine/src/{module}");
        let files: Vec<Source> = engine()
            .filter(|source| {
                let rest = source.path.strip_prefix(&root);
                rest.is_some_and(|rest| rest.starts_with('/') || rest == ".rs")
            })
            .collect();
        assert!(!files.is_empty(), "{module} has moved: tell this test where");
        let found = files.iter().flat_map(|source| offences(source, &outer)).collect();
        assert_none("clocks or sockets in an inner layer", found);
    }
}

#[test]
fn unsafe_code_is_where_the_table_says() {
    let listed = table(&text("docs/internals/boundaries.md"), "File with `unsafe`");
    let listed: BTreeSet<String> = listed.iter().flat_map(|row| names(&row[0])).collect();
    let found: BTreeSet<String> = sources()
        .into_iter()
        // This file names the word.
        .filter(|source| source.path != "crates/weighin/tests/architecture/sources.rs")
        .filter(|source| source.code().any(|(_, line)| holds(line, "unsafe")))
        .map(|source| source.path)
        .collect();
    assert_eq!(found, listed, "sources on the left, docs/internals/boundaries.md on the right");
}

#[test]
fn functions_have_names_to_search_for() {
    let found = shipped().flat_map(|source| offences(&source, &["fn of"])).collect();
    assert_none("functions that nobody can search for", found);
}

#[test]
fn files_are_short() {
    let lengths = sources().into_iter().map(|source| (source.text.lines().count(), source.path));
    let long = lengths.filter(|(lines, _)| *lines > LONGEST_FILE);
    assert_none("too long", long.map(|(lines, path)| format!("{path}: {lines} lines")).collect());
}
