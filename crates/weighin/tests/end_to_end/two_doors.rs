//! A study file and a command line that ask for the same get the same answer: what one refuses the
//! other refuses, in the same words but for the place.

use crate::support::Workplace;

/// What runs on what, as lines of a study file and as the beginning of a command line.
struct Form {
    target: &'static str,
    test: &'static str,
    load: &'static [&'static str],
    /// Says how hard the load is, where the case has none of these keys.
    level: &'static str,
    levels: &'static [&'static str],
}

impl Form {
    fn level(&self, lines: &str) -> &str {
        let is_said = lines.lines().any(|line| self.levels.contains(&key(line)));
        if is_said { "" } else { self.level }
    }

    /// A command line of `weighin load` with these lines as options.
    fn words(&self, lines: &str) -> Vec<String> {
        self.load.iter().map(|word| (*word).to_owned()).chain(options(lines)).collect()
    }
}

const SQL: Form = Form {
    target: "url = \"mysql://u@h/db\"",
    test: "workload = \"oltp_read_write\"",
    load: &["load", "mysql://u@h/db", "--workload=oltp_read_write"],
    level: "clients = 1",
    levels: &["clients", "rate", "slo"],
};
const KEYS: Form = Form {
    target: "url = \"redis://h\"",
    test: "workload = \"key_value\"",
    load: &["load", "redis://h", "--workload=key_value"],
    level: "clients = 1",
    levels: &["clients", "rate", "slo"],
};
const VOLUME: Form = Form {
    target: "kind = \"storage\"\nvolumes = [\"/mnt/a\"]",
    test: "workload = \"storage\"",
    load: &["load", "/mnt/a"],
    level: "pattern = \"t1 o32 b4k\"",
    levels: &["pattern", "block"],
};
/// Keys that `weighin prepare` takes as well.
const OF_DATA: [&str; 6] = ["tables", "table_size", "keys", "value_size", "vms", "data"];

const TESTS: [(&Form, &[&str]); 3] = [
    (
        &SQL,
        &[
            "clients = 0",
            "clients = 65536",
            "clients = \"many\"",
            "rate = 0",
            "rate = 10000001",
            "rate = 5\nmax_waiting = 0",
            "rate = 5\narrivals = \"poison\"",
            "max_waiting = 5",
            "arrivals = \"uniform\"",
            "tables = 0",
            "tables = 10001",
            "table_size = 0",
            "table_size = 2147483648",
            "range_size = 0",
            "point_selects = 10001",
            "number_of_ranges = 0",
            "delta = 2147483648",
            "distribution = \"zipf\"",
            "distribution = \"sequential\"",
            "load_generators = 65",
            "load_generators = 2",
            "warmup = \"1000h\"",
            "duration = \"0s\"",
            "duration = \"5\"",
            "slo = \"p95 < 20\"",
            "slo = \"p95 < 20ms\"\nrate = 5",
            "slo = \"p95 < 20ms\"\nsearch = \"client\"",
            "slo = \"p95 < 20ms\"\nclients = 70000",
            "search = \"clients\"",
            "on_conflict = \"retri\"",
            "on_error = \"stopp\"",
            "on_lost_connection = \"ignore\"",
            "keys = 5",
            "vms = 2",
        ],
    ),
    (
        &KEYS,
        &[
            "keys = 0",
            "keys = 2147483648",
            "value_size = 0",
            "value_size = [9, 8]",
            "value_size = [1, 2, 3]",
            "ratio = \"0:0\"",
            "ratio = \"half\"",
            "pipeline = 10001",
            "expiry = \"0s\"",
            "expiry = \"60\"",
            "tables = 2",
            "prepared = false",
        ],
    ),
    (
        &VOLUME,
        &[
            "pattern = \"fast\"",
            "block = \"1000B\"\nqueue_depth = 1",
            "block = { 4KiB = 0 }\nqueue_depth = 1",
            "block = \"4KiB\"\nthreads = 3\nqueue_depth = 8",
            "pattern = \"o1 b4k\"\nthreads = 2",
            "vms = 0",
            "vms = 10001",
            "data = \"40\"",
            "data = \"257TiB\"",
            "data = \"4095B\"",
            "data = \"5000B\"",
            "reads = 101",
            "sync_every = 0",
            "sync_every = 4",
            "iops_limit = 0",
            "hot = { ios = 90 }",
            "hot = { ios = 90, space = 10 }\norder = \"sequential\"",
            "vcpus = 2",
            "cpu_oversubscription = 0",
            "cpu_oversubscription = nan",
            "vcpus = 8\ncpu_oversubscription = 3",
            "cpu_limit = 0",
            "cpu_limit = 50\nrate = 5",
            "pattern = \"redo log\"\nreads = 70",
            "load_generators = 2",
            "reconnect_after = 2",
            "vms = 4\nload_generators = 2\ncpu_oversubscription = 4",
            "tables = 4",
            "clients = 4",
        ],
    ),
];

const TARGETS: [(&Form, &[&str]); 3] = [
    (
        &SQL,
        &[
            "tls = \"of\"",
            "tls_ca = \"/ca.pem\"",
            "password_env = \"1x\"",
            "password_env = \"X\"\npassword_file = \"/x\"",
            "server_public_key = \"/k.pem\"\nget_server_public_key = true",
            "erase = [\"/mnt/a\"]",
        ],
    ),
    (
        &KEYS,
        &["server_public_key = \"/k.pem\"", "get_server_public_key = true", "compression = true"],
    ),
    (&VOLUME, &["tls = \"off\"", "password_env = \"X\"", "erase = [\"/mnt/b\"]"]),
];

/// Lines of a study file, and the words that say the same to `weighin sysbench`.
const SYSBENCH: [(&str, &str); 12] = [
    ("clients = 0", "oltp_read_write --threads=0"),
    ("clients = 65536", "--test=oltp.lua --weighin-compat=0.5 --num-threads=65536"),
    ("rate = 10000001", "oltp_read_write --rate=10000001"),
    ("tables = 0", "oltp_read_write --tables=0"),
    ("tables = 10001", "--test=oltp.lua --weighin-compat=0.5 --oltp-tables-count=10001"),
    ("table_size = 2147483648", "--test=oltp --oltp-table-size=2147483648"),
    ("range_size = 0", "oltp_read_write --range-size=0"),
    ("point_selects = 10001", "oltp_read_write --point-selects=10001"),
    ("sum_ranges = 10001", "--test=oltp --oltp-sum-ranges=10001"),
    ("random_points = 0", "oltp_read_write --random-points=0"),
    ("delta = 2147483648", "oltp_read_write --delta=2147483648"),
    ("distribution = \"zipf\"", "oltp_read_write --rand-type=zipf"),
];

/// What a study file with these lines in its target and its test is refused with: the messages,
/// without places, lines of the file and help.
fn by_file(target: &str, test: &str) -> Vec<String> {
    let text =
        format!("[study]\nname = \"s\"\n[[target]]\nname = \"t\"\n{target}\n[[test]]\n{test}\n");
    let report = study::parse(&text, "s").expect_err(&text).to_string();
    let messages = report.lines().filter_map(|line| line.strip_prefix("s:"));
    messages.filter_map(|line| Some(line.splitn(3, ':').nth(2)?.trim().to_owned())).collect()
}

/// What a command line is refused with, options called by these keys.
fn by_options(words: &[String], keys: &[(String, String)]) -> Vec<String> {
    let line = std::iter::once("weighin".to_owned()).chain(words.iter().cloned());
    let report = weighin::understand(line.map(Into::into).collect()).expect_err(&words.join(" "));
    // What belongs to a message is indented.
    let messages = report.lines().filter(|line| !line.starts_with(' '));
    messages
        .map(|message| {
            let mut message = message.to_owned();
            for (option, key) in keys {
                let named = message.matches(option.as_str()).count();
                if let (1, Some(rest)) = (named, message.strip_prefix(&format!("{option}: "))) {
                    message = rest.to_owned();
                }
                message = message.replace(option.as_str(), &format!("`{key}`"));
            }
            message
        })
        .collect()
}

fn key(line: &str) -> &str {
    line.split(" = ").next().unwrap()
}

fn option(key: &str) -> String {
    format!("--{}", key.replace('_', "-"))
}

/// Lines of a study file as options.
fn options(lines: &str) -> Vec<String> {
    let option = |line: &str| {
        let (key, value) = line.split_once(" = ").unwrap();
        match (key, value) {
            ("get_server_public_key" | "compression", _) => option(key),
            ("erase", list) => format!("--erase={}", list.trim_matches(['[', ']', '"'])),
            _ => format!("{}={}", option(key), value.trim_matches('"')),
        }
    };
    lines.lines().map(option).collect()
}

/// All keys of all cases, longer names first, so that none is taken for a part of another.
fn all_keys() -> Vec<(String, String)> {
    let cases = TESTS.iter().chain(&TARGETS).flat_map(|(_, cases)| cases.iter());
    let keys = cases.flat_map(|lines| lines.lines()).map(key).chain(["volumes", "password_file"]);
    let mut keys: Vec<_> = keys.map(|key| (option(key), key.to_owned())).collect();
    keys.sort_by_key(|(option, _)| std::cmp::Reverse(option.len()));
    keys.dedup();
    keys
}

/// A message without its prefix, where only one door has one.
fn bare(messages: &[String], lines: &str) -> Vec<String> {
    let prefix = |message: &String| {
        let keys = lines.lines().map(|line| format!("`{}`: ", key(line)));
        let found = keys.into_iter().find_map(|prefix| message.strip_prefix(&prefix));
        found.unwrap_or(message).to_owned()
    };
    let mut messages: Vec<String> = messages.iter().map(prefix).collect();
    messages.sort();
    messages
}

#[test]
fn tests_are_refused_in_the_same_words() {
    let keys = all_keys();
    for (form, cases) in TESTS {
        for lines in cases {
            let test = format!("{}\n{}\n{lines}", form.test, form.level(lines));
            let file = by_file(form.target, &test);
            let load = by_options(&form.words(lines), &keys);
            assert_eq!(bare(&load, lines), bare(&file, lines), "load, {lines}");
            assert!(!file.is_empty(), "{lines}");
        }
    }
}

#[test]
fn targets_are_refused_in_the_same_words() {
    let keys = all_keys();
    for (form, cases) in TARGETS {
        for lines in cases {
            let target = format!("{}\n{lines}", form.target);
            let file = by_file(&target, &format!("{}\n{}", form.test, form.level));
            let load = by_options(&form.words(lines), &keys);
            assert_eq!(bare(&load, lines), bare(&file, lines), "load, {lines}");
        }
    }
}

#[test]
fn sysbench_is_refused_in_the_same_words() {
    for (line, words) in SYSBENCH {
        let test = format!("{}\n{}\n{line}", SQL.test, SQL.level(line));
        let file = by_file(SQL.target, &test);
        let mut all = vec!["sysbench".to_owned()];
        all.extend(words.split_whitespace().map(str::to_owned));
        all.push("run".to_owned());
        let option = words.split(' ').next_back().unwrap().split('=').next().unwrap();
        let keys = [(option.to_owned(), key(line).to_owned())];
        assert_eq!(bare(&by_options(&all, &keys), line), bare(&file, line), "{words}");
    }
}

#[test]
fn preparing_refuses_what_a_load_refuses() {
    let place = Workplace::new();
    for (form, cases) in TESTS {
        let of_data = |lines: &&&str| lines.lines().all(|line| OF_DATA.contains(&key(line)));
        for lines in cases.iter().filter(of_data) {
            let mut words = form.words(lines);
            let load = place.weighin(&words);
            words[0] = "prepare".to_owned();
            words.retain(|word| !word.starts_with("--workload"));
            let prepare = place.weighin(&words);
            assert_eq!((prepare.code, &prepare.err), (Some(2), &load.err), "{words:?}");
        }
    }
}
