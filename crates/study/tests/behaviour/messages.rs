//! What a user reads when a study file is refused: every case names the place and the remedy.

use study::{load, parse};

const HEAD: &str = "[study]\nname = \"s\"\n";
const TARGET: &str = "[[target]]\nname = \"a\"\nsandbox = {}\n";
const TEST: &str = "[[test]]\nworkload = \"oltp_read_only\"\nclients = [1]\n";

/// The message for a text that must be refused.
fn refusal(text: &str) -> String {
    let message = parse(text, "s.toml").expect_err(text).to_string();
    assert!(message.lines().count() <= 24, "more than a screen:\n{message}");
    message
}

/// The message for a study with these lines in `[study]`, the target and the test.
fn refusal_with(head: &str, target: &str, test: &str) -> String {
    refusal(&format!("{HEAD}{head}\n{TARGET}{target}\n{TEST}{test}\n"))
}

#[track_caller]
fn assert_says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "no {part:?} in:\n{message}");
    }
}

/// A price with this item.
fn priced(item: &str) -> String {
    format!("price = {{ currency = \"EUR\", items = [{{ {item} }}] }}")
}

#[test]
fn the_smallest_study_is_accepted_with_its_defaults() {
    let text = format!("{HEAD}{TARGET}{TEST}");
    let study = parse(&text, "s.toml").unwrap();
    assert_eq!((study.repeats, study.seed, study.confidence, study.margin), (3, 1, 0.95, 0.03));
    assert_eq!(study.tests[0].name, "oltp_read_only");
    assert_eq!(study.source, text);
}

#[test]
fn a_misspelt_key_is_shown_with_its_place_and_the_right_spelling() {
    let text = format!("{HEAD}{TARGET}[[test]]\nworkload = \"oltp_read_only\"\n  cleints = [1]\n");
    let expected = "\
s.toml:8:3: unknown key `cleints` in [[test]]: did you mean `clients`?
   |
 8 |   cleints = [1]
   |   ^^^^^^^";
    assert_eq!(refusal(&text), expected);
}

#[test]
fn unknown_keys_are_found_at_every_level() {
    let file = refusal(&format!("tset = 1\n{HEAD}{TARGET}{TEST}"));
    assert_says(&file, &["s.toml:1:1: unknown key `tset` in the study file: did you mean `test`?"]);
    assert_says(&refusal_with("repeat = 3", "", ""), &["`repeat` in [study]", "`repeats`"]);
    let target = refusal_with("", "tenancy = \"x\"", "");
    assert_says(&target, &["unknown key `tenancy` in [[target]]", "may have", "`password_env`"]);
    let price = refusal_with("", "price = { monthly = 1, curency = \"EUR\" }", "");
    assert_says(&price, &["unknown key `curency` in [price]: did you mean `currency`?"]);
    assert!(!price.contains("has an amount"), "{price}");
    let sandbox = "[[target]]\nname = \"b\"\nsandbox = { setings = {} }\n";
    let message = refusal(&format!("{HEAD}{sandbox}{TEST}"));
    assert_says(&message, &["`setings` in [sandbox]", "`settings`"]);
}

#[test]
fn several_problems_are_told_at_once_in_the_order_of_the_file() {
    let message = refusal_with("repeats = 0\nseed = \"x\"", "colour = 1", "duration = \"30\"");
    let places: Vec<_> = message.lines().filter(|line| line.starts_with("s.toml:")).collect();
    assert_eq!(places.len(), 4, "{message}");
    assert_says(places[0], &["3:11", "`repeats` must be from 1 to 1000, not 0"]);
    assert_says(places[1], &["4:8", "`seed` must be a whole number, not string \"x\""]);
    assert_says(places[2], &["8:1", "`colour`"]);
    assert_says(places[3], &["`30` has no unit", "`30s`"]);
}

#[test]
fn a_flood_of_problems_still_fits_on_a_screen() {
    let message = refusal_with("", "", &(0..50).map(|i| format!("x{i} = 1\n")).collect::<String>());
    assert_says(&message, &["and 46 more problems"]);
}

#[test]
fn wrong_types_are_named_in_words_of_toml() {
    for (head, target, test, parts) in [
        ("repeats = 1.5", "", "", ["`repeats` must be a whole number", "1.5"]),
        ("question = 3", "", "", ["`question` must be a string", "3"]),
        ("", "labels = { a = 1 }", "", ["`a` must be a string", "1"]),
        ("", "price = 3", "", ["`price` must be", "integer"]),
        ("", "", "warmup = 5", ["`warmup` must be a string", "5"]),
        ("", "", "tables = [1]", ["`tables` must be a whole number", "sequence"]),
        ("repeats = 99999999999999999999", "", "", ["`repeats` must be a whole number", "9999"]),
    ] {
        assert_says(&refusal_with(head, target, test), &parts);
    }
    let clients =
        refusal(&format!("{HEAD}{TARGET}[[test]]\nworkload=\"oltp_read_only\"\nclients=\"4\""));
    assert_says(&clients, &["s.toml:8:9", "a whole number or a list of whole numbers"]);
}

#[test]
fn a_report_answers_by_what_a_test_measures_or_prices_say() {
    let message = refusal_with("answer_by = \"downtime\"", "", "");
    assert_says(
        &message,
        &[
            "s.toml:3:13",
            "`answer_by` is `downtime`, which no test of the study measures",
            "`throughput`, `latency_mean`, `latency_p50`, `latency_p95`, `latency_p99`",
        ],
    );
    let message = refusal_with("answer_by = \"cost\"", "", "");
    assert_says(&message, &["`answer_by` is `cost`, and no target has a price", "monthly = 40"]);
    assert_says(&refusal_with("answer_by = \"speed\"", "", ""), &["`answer_by`", "`throughput`"]);
}

#[test]
fn single_brackets_are_recognised() {
    let message = refusal(&format!("{HEAD}[target]\nname = \"a\"\nsandbox = {{}}\n{TEST}"));
    assert_says(&message, &["s.toml:3:1", "must be a list", "write [[target]] with two brackets"]);
}

#[test]
fn what_is_missing_is_named() {
    assert_says(&refusal(&format!("{HEAD}{TEST}")), &["has no target", "add a [[target]]"]);
    assert_says(&refusal(&format!("{HEAD}{TARGET}")), &["has no test", "add a [[test]]"]);
    assert_says(&refusal(&format!("{TARGET}{TEST}")), &["[study] is missing"]);
    assert_says(&refusal(&format!("[study]\n{TARGET}{TEST}")), &["s.toml:1:1", "has no name"]);
    let message = refusal(&format!("{HEAD}[[target]]\n[[test]]\n"));
    for part in ["target has no name", "neither a sandbox nor a url", "no workload", "no levels"] {
        assert_says(&message, &[part]);
    }
}

#[test]
fn duplicate_names_point_at_both_places() {
    let message = refusal(&format!("{HEAD}{TARGET}{TARGET}{TEST}"));
    assert_says(
        &message,
        &["s.toml:7:8: a second target is named `a`", "s.toml:4:8: the first one"],
    );
    let message = refusal(&format!("{HEAD}{TARGET}{TEST}{TEST}"));
    assert_says(&message, &["s.toml:10:12: a second test", "s.toml:7:12: the first one"]);
}

#[test]
fn toml_errors_have_their_place() {
    let message = refusal(&format!("{HEAD}name = \"t\"\n"));
    assert_says(&message, &["s.toml:3:1: duplicate key", "3 | name = \"t\""]);
    assert_says(&refusal("[study\nname = 1\n"), &["s.toml:1:"]);
}

#[test]
fn every_load_generator_needs_a_client() {
    let with = |keys: &str| refusal_with("", "", keys);
    assert_says(&with("load_generators = 0"), &["`load_generators` must be from 1 to 64, not 0"]);
    let few = refusal(&format!(
        "{HEAD}{TARGET}[[test]]\nworkload=\"oltp_read_only\"\nclients=[1,8]\nload_generators=2"
    ));
    assert_says(&few, &["s.toml:9:17", "2 load generators cannot share", "begin with clients = 2"]);
    let slo = "slo = \"p95 < 5ms\"\nclients = 1\nload_generators = 2\n";
    let searched = refusal(&format!("{HEAD}{TARGET}[[test]]\nworkload=\"oltp_read_only\"\n{slo}"));
    assert_says(&searched, &["cannot share a level of 1 client"]);
    let enough =
        format!("{HEAD}{TARGET}[[test]]\nworkload=\"oltp_read_only\"\nrate=50\nload_generators=2");
    assert_eq!(parse(&enough, "s.toml").unwrap().tests[0].load().unwrap().load_generators, 2);
}

#[test]
fn rates_that_make_no_sense_are_refused() {
    let with = |keys: &str| refusal_with("", "", keys);
    let several = refusal(&format!(
        "{HEAD}{TARGET}[[test]]\nworkload=\"oltp_read_only\"\nclients=[1,2]\nrate=5"
    ));
    assert_says(&several, &["s.toml:8:9: `clients` has 2 levels beside `rate`", "one number"]);
    assert_says(&with("rate = 0"), &["`rate` must be from 1 to 10000000, not 0"]);
    assert_says(&with("rate = [7, 7]"), &["`rate` has the level 7 twice"]);
    assert_says(&with("rate = []"), &["`rate` is empty"]);
    assert_says(&with("rate = 5\ncross_check = true"), &["s.toml:11:8", "levels of `clients`"]);
    assert_says(&with("arrivals = \"poisson\""), &["`arrivals` applies only with `rate`"]);
    assert_says(&with("max_waiting = 5"), &["`max_waiting` applies only with `rate`"]);
    assert_says(&with("rate = 5\narrivals = \"poison\""), &["did you mean `poisson`?"]);
}

#[test]
fn policies_are_named_as_on_the_command_line() {
    let with = |keys: &str| refusal_with("", "", keys);
    assert_says(&with("on_error = \"stopp\""), &["unknown on_error `stopp`: did you mean `stop`?"]);
    let loss = with("on_lost_connection = \"ignore\"");
    assert_says(&loss, &["unknown on_lost_connection", "is `reconnect` or `stop`"]);
    let none = with("reconnect_after = 0");
    assert_says(&none, &["`reconnect_after` must be from 1 to 1000000000, not 0"]);
    let checked = with("reconnect_after = 5\ncross_check = true");
    assert_says(&checked, &["`cross_check` does not work with `reconnect_after`"]);
}

#[test]
fn a_load_settles_only_where_a_steady_state_can_be_waited_for() {
    let with = |keys: &str| refusal_with("", "", keys);
    let longest = with("steady_within = \"25h\"");
    assert_says(&longest, &["`steady_within` must be from 1s to 24h"]);
    let cold = with("steady_within = \"10m\"\ncache = \"cold\"");
    assert_says(&cold, &["`steady_within` does not work with cold caches"]);
    let work = with("steady_within = \"10m\"\ntransactions = 500");
    assert_says(&work, &["`steady_within` cannot stand beside `transactions`"]);
    // The same where the warm-up asks for it.
    let warmup = |keys: &str| with(&format!("warmup = \"steady\"\n{keys}"));
    let cold = warmup("cache = \"cold\"");
    assert_says(&cold, &["s.toml:11:10: `warmup = \"steady\"` does not work with cold caches"]);
    let work = warmup("transactions = 500");
    assert_says(&work, &["`warmup = \"steady\"` cannot stand beside `transactions`"]);
    let search =
        "[[test]]\nworkload = \"oltp_read_only\"\nslo = \"p95 < 5ms\"\nwarmup = \"steady\"\n";
    let search = refusal(&format!("{HEAD}{TARGET}{search}"));
    assert_says(&search, &["`warmup` cannot be `steady` in a search"]);
    assert_says(&with("warmup = \"steadi\""), &["`warmup`: "]);
}

/// The message for a Redis target and a test of keys, each with these lines.
fn refusal_of_keys(target: &str, test: &str) -> String {
    refusal(&format!(
        "{HEAD}[[target]]\nname = \"cache\"\n{target}\n\
         [[test]]\nworkload = \"key_value\"\nclients = [1]\n{test}\n"
    ))
}

const REDIS: &str = "kind = \"redis\"\nsandbox = {}";

#[test]
fn keys_of_the_other_kind_of_workload_are_refused() {
    let with = |test: &str| refusal_of_keys(REDIS, test);
    let message = with("tables = 4\nprepared = true");
    assert_says(
        &message,
        &["s.toml:10:10: `tables` does not apply to key_value", "`prepared` does not apply"],
    );
    assert_says(&with("skip_trx = true"), &["`skip_trx` does not apply to key_value"]);
    let message = refusal_with("", "", "keys = 5\nratio = \"1:1\"\npreload = false");
    for key in ["keys", "ratio", "preload"] {
        assert_says(
            &message,
            &[&format!("`{key}` does not apply to oltp_read_only: it is of key_value")],
        );
    }
    assert_says(&refusal_with("", "", "distribution = \"sequential\""), &["`special`"]);
}

#[test]
fn key_value_workloads_are_checked() {
    for (key, parts) in [
        ("keys = 0", ["`keys` must be from 1", "not 0"]),
        ("value_size = 0", ["`value_size` must be from 1", "[100, 1000]"]),
        ("value_size = [9, 8]", ["the shortest before the longest, not [9, 8]", "write 1024"]),
        ("value_size = [1, 2, 3]", ["`value_size`", "[100, 1000]"]),
        ("ratio = \"0:0\"", ["`ratio`: `0:0` is not a ratio", "`1:10`"]),
        ("ratio = \"half\"", ["`ratio`: `half` is not a ratio", "`1:1`"]),
        ("pipeline = 0", ["`pipeline` must be from 1", "not 0"]),
        ("expiry = \"60\"", ["`expiry`: `60` has no unit", "`60s`"]),
        ("expiry = \"0s\"", ["`expiry` must be more than zero", "forever"]),
        ("distribution = \"sequentail\"", ["did you mean `sequential`?", "`zipfian`"]),
    ] {
        assert_says(&refusal_of_keys(REDIS, key), &parts);
    }
}

#[test]
fn a_workload_that_no_target_of_the_kind_can_run_names_both() {
    let message = refusal_of_keys("sandbox = {}", "");
    assert_says(&message, &["s.toml:7:12", "key_value cannot run on the target `cache`"]);
    assert_says(&message, &["which is MariaDB or MySQL", "s.toml:4:8: the target", "kind redis"]);
    let redis = TARGET.replace("sandbox", "kind = \"valkey\"\nsandbox");
    let message = refusal(&format!("{HEAD}{redis}{TEST}"));
    assert_says(&message, &["oltp_read_only cannot run on the target `a`, which is Redis"]);
    let message = refusal_of_keys("kind = \"redis\"\nurl = \"mysql://u@h/db\"", "");
    assert_says(&message, &["s.toml:6:7: this is the URL of a MariaDB", "the kind says redis"]);
    let message = refusal_of_keys("url = \"redis://h/sbtest\"", "");
    assert_says(&message, &["is a number, as in redis://host:6379/0"]);
}

#[test]
fn settings_of_a_private_redis_server_that_weighin_owns_are_refused() {
    for name in ["dir", "port", "requirepass", "tls_port", "UnixSocket", "replicaof"] {
        let settings = format!("kind = \"redis\"\nsandbox = {{ settings = {{ {name} = \"1\" }} }}");
        let message = refusal_of_keys(&settings, "");
        assert_says(&message, &[&format!("`{name}` cannot be set for a sandbox: weighin")]);
    }
}

#[test]
fn names_are_checked() {
    for (name, part) in [
        ("", "is empty"),
        (&"x".repeat(65), "65 characters, more than 64"),
        (" a", "space at one end"),
        ("a\\nb", "control character"),
    ] {
        let target = format!("[[target]]\nname = \"{name}\"\nsandbox = {{}}\n");
        assert_says(&refusal(&format!("{HEAD}{target}{TEST}")), &["name of a target", part]);
    }
    let message = refusal(&format!("[study]\nname = \"a/b\"\n{TARGET}{TEST}"));
    assert_says(&message, &["s.toml:2:8", "cannot be part of a file name"]);
}

#[test]
fn levels_are_checked_and_sorted() {
    let with = |clients: &str| {
        format!("{HEAD}{TARGET}[[test]]\nworkload = \"oltp_read_only\"\nclients = {clients}\n")
    };
    for (clients, part) in [
        ("0", "from 1 to 65535, not 0"),
        ("[-1]", "not -1"),
        ("[1, 70000]", "not 70000"),
        ("[4, 1, 4]", "has the level 4 twice"),
        ("[]", "`clients` is empty"),
    ] {
        assert_says(&refusal(&with(clients)), &["s.toml:8:11", part]);
    }
    let levels = |text: &str| -> Vec<u32> {
        parse(text, "s").unwrap().tests[0]
            .load()
            .unwrap()
            .levels
            .iter()
            .map(|level| level.clients)
            .collect()
    };
    assert_eq!(levels(&with("[16, 1, 4]")), [1, 4, 16]);
    assert_eq!(levels(&with("8")), [8]);
}

#[test]
fn values_out_of_range_are_refused() {
    for (head, target, test, part) in [
        ("confidence = 95", "", "", "write 95 % as 0.95"),
        ("margin = 3", "", "", "write 3 % as 0.03"),
        ("margin = nan", "", "", "must be from 0.0001 to 0.5"),
        ("seed = -1", "", "", "0 or more"),
        ("", "price = { monthly = -1, currency = \"EUR\" }", "", "a price is 0 or more"),
        ("", "price = { monthly = 1, currency = \"euro\" }", "", "ISO 4217"),
        ("", "price = { monthly = 1 }", "", "an amount and a currency"),
        ("", "price = { currency = \"EUR\" }", "", "an amount and a currency"),
        ("", "price = { monthly = 1, currency = \"EUR\", requests_per_io = 0 }", "", "more than 0"),
        ("", &priced("amount = 1"), "", "a name and an amount"),
        ("", &priced("name = \"x\", amount = -1"), "", "a price is 0 or more"),
        ("", &priced("name = \"x\", amount = 1, per = \"moth\""), "", "did you mean `month`?"),
        ("", &priced("name = \"x\", amount = 1, quantity = -2"), "", "a quantity is 0 or more"),
        (
            "",
            &priced("name = \"x\", amount = 1, per = \"million_ios\", quantity = 2"),
            "",
            "the load decides how often a million_ios comes",
        ),
        ("", "kind = \"mariadbb\"", "", "did you mean `mariadb`?"),
        ("", "", "duration = \"0s\"", "must be more than zero"),
        ("sample_every = \"50ms\"", "", "", "must be from 100ms to 60s, not 50ms"),
        ("sample_every = \"2m\"", "", "", "must be from 100ms to 60s, not 2m"),
        ("sample_every = \"2.5\"", "", "", "`sample_every`: `2.5` has no unit"),
        ("", "", "warmup = \"5 minutes\"", "is not a duration"),
        ("", "", "tables = 0", "from 1 to 10000, not 0"),
        ("", "", "table_size = 3000000000", "not 3000000000"),
        ("", "", "distribution = \"zipf\"", "`zipfian`"),
        ("", "", "cache = \"hot\"", "`warm` or `cold`"),
    ] {
        assert_says(&refusal_with(head, target, test), &[part]);
    }
    let workload = "[[test]]\nworkload = \"oltp_readwrite\"\nclients = 1\n";
    let message = refusal(&format!("{HEAD}{TARGET}{workload}"));
    assert_says(&message, &["s.toml:7:12", "did you mean `oltp_read_write`?"]);
}

#[test]
fn a_target_is_a_sandbox_or_a_url() {
    let message = refusal_with("", "url = \"mysql://u@h/d\"", "");
    assert_says(&message, &["s.toml:7:7", "and this has both", "s.toml:6:11: the sandbox"]);
    let message = refusal_with("", "password_env = \"PW\"\ntls = \"off\"", "");
    assert_says(&message, &["`password_env` belongs to a url", "`tls` belongs to a url"]);
}

#[test]
fn settings_that_weighin_owns_are_refused_with_the_reason() {
    for name in ["datadir", "socket", "port", "pid-file", "pid_file", "bind-address", "loose_port"]
    {
        let target =
            format!("[[target]]\nname=\"a\"\nsandbox = {{ settings = {{ {name} = 1 }} }}\n");
        let message = refusal(&format!("{HEAD}{target}{TEST}"));
        assert_says(&message, &[&format!("`{name}` cannot be set for a sandbox: weighin")]);
    }
    let twice = "[[target]]\nname=\"a\"\nsandbox = { settings = { a-b = 1, a_b = 2 } }\n";
    assert_says(&refusal(&format!("{HEAD}{twice}{TEST}")), &["is set twice", "spelt differently"]);
    let broken = "[[target]]\nname=\"a\"\nsandbox = { settings = { a = \"1\\nport=2\" } }\n";
    assert_says(&refusal(&format!("{HEAD}{broken}{TEST}")), &["control character"]);
}

#[test]
fn settings_that_could_harm_the_host_need_trust() {
    for (kind, setting) in [
        ("mariadb", "plugin_load_add = \"ha_evil\""),
        ("mariadb", "log_bin = \"/root/binlog\""),
        ("mariadb", "innodb_data_file_path = \"../../x:12M\""),
        ("redis", "loadmodule = \"/tmp/evil.so\""),
        ("valkey", "dbfilename = \"../x\""),
    ] {
        let target = |trust: &str| {
            let keys = format!("{trust}settings = {{ {setting} }}");
            format!("kind = \"{kind}\"\nsandbox = {{ {keys} }}")
        };
        let message = refusal_of_keys(&target(""), "");
        assert_says(&message, &["needs trust: it", "trusted = true next to `settings`"]);
        let workload = if kind == "mariadb" { "oltp_read_only" } else { "key_value" };
        let study = format!(
            "{HEAD}[[target]]\nname = \"a\"\n{}\n[[test]]\nworkload = \"{workload}\"\nclients = 1\n",
            target("trusted = true, ")
        );
        parse(&study, "s.toml").unwrap_or_else(|error| panic!("{setting}: {error}"));
    }
    // Some are refused all the same.
    let decided = "sandbox = { trusted = true, settings = { datadir = \"/x\" } }";
    assert_says(&refusal_of_keys(decided, ""), &["`datadir` cannot be set"]);
    let dotted = "sandbox = { trusted = true, settings = { \"x.datadir\" = \"/x\" } }";
    assert_says(&refusal_of_keys(dotted, ""), &["is not the name of a server setting"]);
}

#[test]
fn a_secret_in_a_study_is_refused_and_never_echoed() {
    for (head, lines) in [
        ("", "password = \"hunter2\"\nurl = \"mysql://u@h/d\""),
        ("", "url = \"mysql://u@h/d\"\n\"db-passwd\" = 'hunter2'"),
        ("", "url = \"mysql://u@h/d\"\npassword = 'hunter2"),
        ("", "url = \"mysql://u@h/d\"\npassword = \"\"\"\nhunter2\n"),
        ("", "url = \"mysql://u@h/d\"\npassword_env = [\"hunter2\"]"),
        ("", "url = \"mysql://u@h/d\"\nlabels = { password = \"hunter2\" }"),
        ("", "sandbox = { pasword = 1, password = \"hunter2\", restart = 3 }"),
        ("", "kind = \"redis\"\nsandbox = { settings = { requirepass = \"hunter2\" } }"),
        ("", "sandbox = { settings = { port = 1, report_password = \"hunter2\" } }"),
        ("token = \"hunter2\"\nrepeats = 0\n", "sandbox = {}"),
    ] {
        let head = format!("{HEAD}{head}");
        let message = refusal(&format!("{head}[[target]]\nname = \"a\"\n{lines}\n{TEST}"));
        assert!(!message.contains("hunter2"), "{message}");
    }
    let message = refusal_of_keys("url = \"mysql://u@h/d\"\npassword = \"hunter2\"", "");
    assert_says(&message, &["`password` in [[target]]", "no secrets", "password_env"]);
}

#[test]
fn a_url_in_place_of_a_study_is_not_echoed() {
    let message = load("mysql://u:hunter2@h/d".as_ref()).unwrap_err().to_string();
    assert!(!message.contains("hunter2") && message.contains("URL"), "{message}");
}

#[test]
fn a_password_is_never_echoed() {
    let with = |lines: &str| refusal(&format!("{HEAD}[[target]]\nname = \"a\"\n{lines}\n{TEST}"));
    for lines in [
        "url = \"mysql://u:hunter2@h/d\"",
        "url = \"mysql://u:hunter2/x@h/d\"\ntls = 3",
        "url = \"mysql://u:hunter2@h/d\" junk",
        "tables = \"mysql://u:hunter2@h/d\"\nlabels = \"mysql://u:hunter2@h/d\"",
        "url = \"mysql://u@h/d\"\npassword_env = \"hunter2!\"",
    ] {
        let message = with(lines);
        assert!(!message.contains("hunter2"), "{message}");
    }
    let message = with("url = \"mysql://u:hunter2@h/d\"");
    assert_says(&message, &["s.toml:5:7", "`password_env`", "~/.my.cnf"]);
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let message =
        refusal(&format!("{HEAD}{TARGET}{TEST}cache = \"\u{202e}\\u001b[31m\" # \t\u{85}\n"));
    assert!(!message.contains(['\u{1b}', '\u{85}']), "{message:?}");
}

#[test]
fn a_long_line_is_cut_around_the_mark() {
    let message =
        refusal_with("", "", &format!("tables = {}", "1".repeat(3) + &" ".repeat(500) + "x"));
    assert!(message.lines().all(|line| line.chars().count() < 160), "{message}");
    assert_says(&message, &["^"]);
}

#[test]
fn bounds_on_latency_that_make_no_sense_are_refused() {
    let with = |keys: &str| {
        refusal(&format!("{HEAD}{TARGET}[[test]]\nworkload=\"oltp_read_only\"\n{keys}"))
    };
    let text = "\
s.toml:8:7: `slo`: `p96` is not a figure of latency: use mean, p50, p95, p99, p999 or max
   |
 8 | slo = \"p96 < 20ms\"
   |       ^^^^^^^^^^^^";
    assert_eq!(with("slo = \"p96 < 20ms\""), text);
    assert_says(&with("slo = \"p95 < 20\""), &["s.toml:8:7", "has no unit", "`20ms`"]);
    assert_says(&with("slo = \"fast\""), &["`fast` is not a bound", "p95 < 20ms"]);
    let slo = "slo = \"p95 < 20ms\"\n";
    assert_says(&with(&format!("{slo}rate = 5")), &["s.toml:9:8", "`rate`", "search looks for"]);
    assert_says(&with(&format!("{slo}clients = [1, 2]")), &["2 levels beside `slo`"]);
    assert_says(&with(&format!("{slo}search = \"client\"")), &["did you mean `clients`?"]);
    assert_says(&with(&format!("{slo}cache = \"cold\"")), &["s.toml:9:9", "`cold`"]);
    assert_says(&with(&format!("{slo}cross_check = true")), &["s.toml:8:7", "sysbench"]);
    let arrivals = with(&format!("{slo}search = \"clients\"\narrivals = \"uniform\""));
    assert_says(&arrivals, &["s.toml:10:12", "`arrivals` applies only with `rate`"]);
    assert_says(&with("clients = 1\nsearch = \"rate\""), &["`search` applies only with `slo`"]);
}

#[test]
fn a_servers_key_is_said_once_and_only_of_mysql() {
    let server = |url: &str, keys: &str| {
        format!("{HEAD}[[target]]\nname = \"a\"\nurl = \"{url}\"\n{keys}\n{TEST}")
    };
    let both = "get_server_public_key = true\nserver_public_key = \"/k.pem\"";
    let refused = refusal(&server("mysql://db/sbtest", both));
    assert_says(&refused, &["one key is trusted, and any key is", "keep either"]);
    for key in ["get_server_public_key = true", "server_public_key = \"/k.pem\""] {
        let refused = refusal(&server("redis://db", key));
        assert_says(&refused, &["only MySQL has public keys"]);
        assert_says(&refusal_with("", key, ""), &["belongs to a url, and this is a sandbox"]);
    }
    assert!(parse(&server("mysql://db/sbtest", "get_server_public_key = false"), "s").is_ok());
}

#[test]
fn compression_is_of_mysql_and_of_servers_that_run_already() {
    let server = |url: &str| {
        format!("{HEAD}[[target]]\nname = \"a\"\nurl = \"{url}\"\ncompression = true\n{TEST}")
    };
    let refused = refusal(&server("redis://db"));
    assert_says(&refused, &["only MariaDB and MySQL compress", "leave out `compression`"]);
    let sandbox = refusal_with("", "compression = true", "");
    assert_says(&sandbox, &["belongs to a url, and this is a sandbox"]);
    let study = parse(&server("mysql://db/sbtest"), "s").unwrap();
    let model::Place::Server(spec) = &study.targets[0].place else { panic!("no server") };
    assert!(spec.address.compression);
}

#[test]
fn a_load_profile_names_the_stage_and_the_key() {
    for (stage, said) in [
        (
            "rate = 1e9, hold = \"2s\"",
            "`rate` must be a whole number from 0 to 10000000, not 1000000000.0",
        ),
        ("rate = -1, hold = \"2s\"", "`rate` must be from 0 to 10000000, not -1"),
        ("rate = 5", "it has no `hold`"),
        ("rate = 5, hold = 2", "`hold` must be a time such as \"60s\", not 2"),
        ("rate = 5, hold = \"2s\", rmap = \"1s\"", "unknown key `rmap`: did you mean `ramp`?"),
    ] {
        let profile = format!("load_profile = [{{ rate = 5, hold = \"2s\" }}, {{ {stage} }}]");
        let whole = format!("stage 2 of the load profile: {said}");
        assert_says(&refusal_with("", "", &profile), &[whole.as_str(), "help: "]);
    }
    let other = refusal_with("", "", "load_profile = [5]");
    assert_says(&other, &["`load_profile` must be a list of tables such as"]);
}
