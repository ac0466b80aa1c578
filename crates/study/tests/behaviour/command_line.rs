//! Command lines make the same tests as study files.

use study::{CommandLine, load_keys, parse};

fn option(key: &str) -> String {
    format!("--{key}")
}

/// The test that both a study file and a command line with these keys ask for.
fn same(target: &str, keys: &[(&str, &str)]) {
    let mut line = CommandLine::new(option);
    let mut text = format!("[study]\nname = \"s\"\n[[target]]\nname = \"t\"\n{target}\n[[test]]\n");
    for (key, value) in keys {
        line.test(key, value.trim_matches('"'));
        text += &format!("{key} = {value}\n");
    }
    let study = parse(&text, "s").unwrap_or_else(|error| panic!("{error}"));
    let test = line.read_test().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(test, study.tests[0]);
}

#[test]
fn they_have_the_same_values_and_the_same_defaults() {
    let sql = "sandbox = {}";
    same(sql, &[("workload", "\"oltp_read_write\""), ("clients", "[8, 1]")]);
    same(
        sql,
        &[
            ("workload", "\"oltp_point_select\""),
            ("rate", "500"),
            ("arrivals", "\"uniform\""),
            ("tables", "3"),
            ("prepared", "false"),
            ("point_selects", "2"),
            ("on_error", "\"retry\""),
            ("duration", "\"1m30s\""),
        ],
    );
    same(
        sql,
        &[("workload", "\"oltp_insert\""), ("slo", "\"p95 < 20ms\""), ("search", "\"rate\"")],
    );
    let keys = "kind = \"redis\"\nsandbox = {}";
    same(keys, &[("workload", "\"key_value\""), ("clients", "4"), ("value_size", "[10, 20]")]);
    let volume = "kind = \"storage\"\nvolumes = [\"/a\"]";
    same(
        volume,
        &[
            ("workload", "\"storage\""),
            ("block", "{ 4KiB = 3, 16KiB = 1 }"),
            ("queue_depth", "[2, 8]"),
            ("hot", "{ ios = 90, space = 10 }"),
            ("vms", "2"),
            ("cpu_oversubscription", "4"),
            ("verify", "true"),
        ],
    );
    same(volume, &[("workload", "\"storage\""), ("block", "\"16KiB\""), ("queue_depth", "2")]);
}

#[test]
fn problems_name_options_and_values_to_add_are_written_as_such() {
    let mut line = CommandLine::new(option);
    line.test("workload", "oltp_readwrite");
    line.test("search", "clients");
    let message = line.read_test().unwrap_err().to_string();
    let expected =
        "--workload: unknown workload `oltp_readwrite`: did you mean `oltp_read_write`?\n";
    assert!(message.starts_with(expected), "{message}");
    let mut line = CommandLine::new(option);
    line.test("workload", "oltp_read_write");
    line.test("clients", "1");
    line.test("search", "clients");
    let expected = "--search applies only with --slo\n  \
                    = help: add --slo='p95 < 20ms', or leave it out";
    assert_eq!(line.read_test().unwrap_err().to_string(), expected);
}

#[test]
fn every_key_of_a_load_is_described() {
    for key in load_keys() {
        assert!(key.description.len() > 10, "{key:?}");
    }
    let names: Vec<_> = load_keys().iter().map(|key| key.name.as_str()).collect();
    for name in ["workload", "clients", "point_selects", "pipeline", "hot", "cpu_limit"] {
        assert!(names.contains(&name), "{name}");
    }
    // Nothing is done with its data before or after a load by hand.
    for name in ["setup", "load", "restore", "undo", "invariant"] {
        assert!(!names.contains(&name), "{name}");
    }
    let of = |name: &str| load_keys().iter().find(|key| key.name == name).unwrap();
    assert_eq!((of("vms").owner, of("clients").owner), (Some("storage"), None));
    assert!(of("verify").is_flag && of("order").values == ["random", "sequential"]);
}
