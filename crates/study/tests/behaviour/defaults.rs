//! What the schema says of defaults holds: a study that writes one down is the study that leaves it out.

use model::Study;
use serde_json::Value;
use study::{json_schema, parse};

/// Studies, each with what its test has. Between them every key with a default can be written.
const TESTS: [(&str, &str); 24] = [
    (SERVER, "workload = \"oltp_read_write\"\nclients = 64"),
    (SERVER, "workload = \"oltp_read_write\"\nclients = 64\ntransactions = 1000"),
    (SERVER, "workload = \"oltp_read_write\"\nrate = 100"),
    (SERVER, "workload = \"oltp_read_write\"\nslo = \"p95 < 20ms\""),
    (SERVER, "workload = \"select_random_points\"\nclients = 64"),
    (KEYS, "workload = \"key_value\"\nclients = 64"),
    (KEYS, "workload = \"key_value\"\nclients = 64\noperations = 1000"),
    (KEYS, "workload = \"key_value\"\nrate = 100"),
    (KEYS, "workload = \"key_value\"\nslo = \"p95 < 20ms\""),
    (STORAGE, "workload = \"storage\"\npattern = \"t1 o32 b4k\""),
    (STORAGE, "workload = \"storage\"\nblock = \"4KiB\"\nqueue_depth = 32"),
    (
        STORAGE,
        "workload = \"storage\"\npattern = \"t1 o32 b4k\"\nvms = 4\ncpu_oversubscription = 4",
    ),
    (STORAGE, "workload = \"storage\"\npattern = \"t1 o32 b4k\"\noperations = 1000"),
    (STORAGE, "workload = \"storage\"\npattern = \"t1 o32 b4k\"\nrate = 100"),
    (
        STORAGE,
        "workload = \"storage\"\npattern = \"t1 o32 b4k\"\nvms = 4\ncpu_oversubscription = 4\nslo = \"p95 < 20ms\"",
    ),
    (STORAGE, "workload = \"storage\"\nblock = \"4KiB\"\nqueue_depth = 32\nslo = \"p95 < 20ms\""),
    (SERVER, "task = \"statement\"\nstatements = \"scan\""),
    (SERVER, "task = \"schema_change\"\nchange = \"add_column\""),
    (SERVER, "task = \"failover\"\nloss = \"kill\""),
    (GROUP, "task = \"catch_up\""),
    (
        SERVER,
        "workload = \"transactions\"\nclients = 1\ntransaction = [{ name = \"t\", sql = \"SELECT 1\" }]",
    ),
    (
        SERVER,
        "workload = \"transactions\"\nrate = 9\ntransaction = [{ name = \"t\", sql = \"SELECT 1\" }]",
    ),
    (
        SERVER,
        "workload = \"transactions\"\nclients = 1\ntransactions = 9\ntransaction = [{ name = \"t\", sql = \"SELECT 1\" }]",
    ),
    (
        SERVER,
        "workload = \"transactions\"\nslo = \"p95 < 20ms\"\ntransaction = [{ name = \"t\", sql = \"SELECT 1\" }]",
    ),
];
/// The same beside a load.
const BESIDE: [(&str, &str); 2] = [
    (
        SERVER,
        "task = \"statement\"\nstatements = \"scan\"\nworkload = \"oltp_read_write\"\nrate = 9",
    ),
    (
        SERVER,
        "task = \"schema_change\"\nchange = \"add_column\"\nworkload = \"oltp_read_write\"\nrate = 9",
    ),
];
const SERVER: &str =
    "[study]\nname = \"a\"\n[[target]]\nname = \"a\"\nsandbox = { trusted = true }\n";
const GROUP: &str = "[study]\nname = \"a\"\n[[target]]\nname = \"a\"\nsandbox = { replicas = 1 }\n";
const KEYS: &str =
    "[study]\nname = \"a\"\n[[target]]\nname = \"a\"\nkind = \"redis\"\nsandbox = {}\n";
const STORAGE: &str = "[study]\nname = \"a\"\n[[target]]\nname = \"a\"\nkind = \"storage\"\n\
                       volumes = [\"/mnt/a\"]\n";

/// Keys whose default is another in a search, as their descriptions say.
const OF_SEARCHES: [&str; 2] = ["warmup", "duration"];

/// The default of each key of a table that has one.
fn defaults(schema: &Value) -> Vec<(&String, &Value)> {
    let keys = schema["properties"].as_object().into_iter().flatten();
    keys.filter_map(|(key, schema)| Some((key, schema.get("default")?))).collect()
}

/// Without its text, the one difference that there may be.
fn study(text: &str) -> Option<Study> {
    parse(text, "s").ok().map(|study| Study { source: String::new(), ..study })
}

/// Whether a test is of a form; one names its task, its workload, or both.
fn is_of(form: &Value, test: &str) -> bool {
    let written = |key: &str| {
        let line = test.lines().find_map(|line| line.strip_prefix(&format!("{key} = \"")));
        line.and_then(|line| line.strip_suffix('"'))
    };
    let takes = |key: &str, word: &str| match &form["properties"][key] {
        values if values["const"].is_string() => values["const"] == word,
        values => values["enum"].as_array().is_some_and(|all| all.iter().any(|one| one == word)),
    };
    let load = if test.contains("slo = ") { "search" } else { "load" };
    takes("task", written("task").unwrap_or(load))
        && written("workload").is_none_or(|workload| takes("workload", workload))
}

#[test]
fn defaults_of_tests_hold() {
    let schema = json_schema();
    let forms = schema["properties"]["test"]["items"]["oneOf"].as_array().unwrap();
    for form in forms {
        for (key, default) in defaults(form) {
            let line = format!("{key} = {default}");
            let is_search = form["properties"]["task"]["const"] == "search";
            if is_search && OF_SEARCHES.contains(&key.as_str()) {
                continue;
            }
            let tests = TESTS.iter().chain(&BESIDE).filter(|(_, test)| is_of(form, test));
            let outcomes = tests.filter_map(|(head, test)| {
                let without = study(&format!("{head}[[test]]\n{test}\n"))?;
                Some(study(&format!("{head}[[test]]\n{test}\n{line}\n"))? == without)
            });
            let outcomes: Vec<bool> = outcomes.collect();
            assert!(!outcomes.is_empty(), "{line} fits no test of {}", form["title"]);
            assert!(outcomes.iter().all(|same| *same), "{line} of {}", form["title"]);
        }
    }
}

/// A study with a line in its head or its target, whichever has the key.
#[test]
fn defaults_of_studies_and_targets_hold() {
    let schema = json_schema();
    let test = "[[test]]\nworkload = \"oltp_read_write\"\nclients = 64\n";
    let target = &schema["properties"]["target"]["items"];
    let other = "[[target]]\nname = \"b\"\nsandbox = {}\n";
    let of_target = |rest: &str, line: &str| {
        format!("[study]\nname = \"a\"\n[[target]]\nname = \"a\"\n{rest}\n{line}\n{other}{test}")
    };
    let sandbox = &target["properties"]["sandbox"];
    let built = sandbox["properties"]["volume"]["anyOf"].as_array().unwrap();
    let built = built.iter().find(|form| form.get("properties").is_some()).unwrap();
    let until = schema["properties"]["study"]["properties"]["repeats"]["anyOf"].as_array().unwrap();
    let until = until.iter().find(|form| form.get("properties").is_some()).unwrap();
    let url = "url = \"mysql://a.internal/b\"";
    type Studies<'a> = Box<dyn Fn(&str) -> String + 'a>;
    let tables: Vec<(&Value, Studies<'_>)> = vec![
        (
            &schema["properties"]["study"],
            Box::new(|line| {
                let head = format!("[study]\nname = \"a\"\n{line}\n[[target]]\nname = \"a\"\n");
                format!("{head}sandbox = {{}}\n{other}{test}")
            }),
        ),
        (
            until,
            Box::new(|line| {
                let repeats = format!("repeats = {{ until = \"resolved\"{}}}", in_line(line));
                let head = format!("[study]\nname = \"a\"\n{repeats}\n[[target]]\nname = \"a\"\n");
                format!("{head}sandbox = {{}}\n{other}{test}")
            }),
        ),
        (target, Box::new(|line| of_target(url, line))),
        (
            sandbox,
            Box::new(|line| {
                of_target(&format!("sandbox = {{ replicas = 1{} }}", in_line(line)), "")
            }),
        ),
        (
            built,
            Box::new(|line| {
                let volume =
                    format!("volume = {{ size = \"1GiB\", devices = 2{} }}", in_line(line));
                of_target(&format!("sandbox = {{ {volume} }}"), "")
            }),
        ),
        (
            &target["properties"]["restart"],
            Box::new(|line| {
                of_target(url, &format!("restart = {{ unit = \"db\"{} }}", in_line(line)))
            }),
        ),
        (
            &target["properties"]["undo"],
            Box::new(|line| {
                let command = "command = [\"a\"], trusted = true";
                of_target(url, &format!("undo = {{ {command}{} }}", in_line(line)))
            }),
        ),
        (
            &target["properties"]["instance"],
            Box::new(|line| {
                let commands = "up = [\"a\"], down = [\"b\"]";
                let trusted = if line.starts_with("trusted") { "" } else { ", trusted = true" };
                of_target("", &format!("instance = {{ {commands}{trusted}{} }}", in_line(line)))
            }),
        ),
    ];
    let mut held = 0;
    for (table, study_with) in tables {
        for (key, default) in defaults(table) {
            let line = format!("{key} = {default}");
            let (Some(without), Some(with)) = (study(&study_with("")), study(&study_with(&line)))
            else {
                continue;
            };
            assert_eq!(with, without, "{line}");
            held += 1;
        }
    }
    assert!(held > 15, "only {held} defaults could be written");
}

/// A line as a further key of a table in one line.
fn in_line(line: &str) -> String {
    if line.is_empty() { String::new() } else { format!(", {line}") }
}
