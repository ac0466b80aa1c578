//! Which changes of a study a run can take.

use model::Study;
use study::{Part, changes, parse};

const STUDY: &str = r#"
[study]
name = "duel"
repeats = 3

[[target]]
name = "fast"
sandbox = { settings = { innodb_buffer_pool_size = "1G" } }
price = { monthly = 23, currency = "EUR" }

[[target]]
name = "remote"
url = "mysql://bench@db2:3307/sbtest"
password_file = "/run/pw"

[[test]]
name = "oltp"
workload = "oltp_read_write"
table_size = 1_000
clients = [2, 4]
warmup = "1s"
duration = "5s"
"#;

fn study(text: &str) -> Study {
    parse(text, "study.toml").unwrap_or_else(|error| panic!("{error}"))
}

fn changed(from: &str, to: &str) -> Result<Vec<String>, Vec<study::Conflict>> {
    assert!(STUDY.contains(from), "{from}");
    changes(&study(STUDY), &study(&STUDY.replace(from, to)))
}

#[test]
fn what_touches_no_trial_is_taken() {
    for (from, to, said) in [
        ("repeats = 3", "repeats = 3 # enough", &[][..]),
        ("name = \"duel\"", "name = \"duel\"\nquestion = \"Which?\"", &["question"]),
        ("name = \"duel\"", "name = \"duel\"\nanswer_by = \"latency_p95\"", &["answer_by"]),
        ("repeats = 3", "repeats = 3\nmargin = 0.05\nconfidence = 0.9", &["confidence", "margin"]),
        ("repeats = 3", "repeats = 5", &["repeats"]),
        ("monthly = 23", "monthly = 29", &["price of fast"]),
        ("\n[[test]]", "labels = { tier = \"2\" }\n\n[[test]]", &["labels of remote"]),
        ("/run/pw", "/run/other", &["password of remote"]),
        ("[2, 4]", "[2, 4, 8]", &["oltp at 8 clients added"]),
        ("repeats = 3", "repeats = 3\nnoise_floor = true", &["target fast (again) added"]),
        ("[[test]]", "[[target]]\nname = \"new\"\nsandbox = {}\n[[test]]", &["target new added"]),
        (
            "[[test]]",
            "[[test]]\nname = \"reads\"\nworkload = \"oltp_read_only\"\ntable_size = 1_000\n\
             clients = [2]\nwarmup = \"1s\"\nduration = \"5s\"\n[[test]]",
            &["test reads added"],
        ),
    ] {
        assert_eq!(changed(from, to).unwrap(), said, "{to}");
    }
}

#[test]
fn what_touches_trials_is_named_with_both_values() {
    let target = |name: &str| Part::Target(name.to_owned());
    let test = || Part::Test("oltp".to_owned());
    for (from, to, part, said) in [
        ("\"1G\"", "\"2G\"", target("fast"), "innodb_buffer_pool_size was 1G, is 2G"),
        (
            "innodb_buffer_pool_size = \"1G\"",
            "sync_binlog = 1",
            target("fast"),
            "innodb_buffer_pool_size was 1G, is not set",
        ),
        ("db2:3307", "db3:3307", target("remote"), "host was db2, is db3"),
        ("name = \"remote\"", "name = \"other\"", target("remote"), "not in the study any more"),
        ("1_000", "2_000", test(), "table_size was 1000, is 2000"),
        ("\"5s\"", "\"2500ms\"", test(), "duration was 5 s, is 2.5 s"),
        ("[2, 4]", "[2, 8]", test(), "level 4 clients is not in the study any more"),
        ("repeats = 3", "repeats = 2", Part::Study, "repeats was 3, is 2"),
        ("repeats = 3", "repeats = 3\nseed = 7", Part::Study, "seed was 1, is 7"),
        ("oltp_read_write", "oltp_read_only", test(), "was"),
    ] {
        let conflicts = changed(from, to).unwrap_err();
        assert_eq!(conflicts[0].part, part, "{conflicts:?}");
        assert!(conflicts[0].change.contains(said), "{conflicts:?}");
    }
}
