//! What a run tells, and where: on standard error, in a file, and to a command at its end.

use crate::support::Workplace;
use std::fs::{read_to_string, set_permissions, write};
use std::os::unix::fs::{PermissionsExt, symlink};

const STUDY: &str = r#"
[study]
name = "told"
repeats = 1

[[target]]
name = "plain"
sandbox = {}

[[test]]
name = "reads"
workload = "oltp_point_select"
table_size = 1_000
clients = [1]
warmup = "200ms"
duration = "5s"
"#;

#[test]
fn a_run_tells_as_much_as_is_asked_and_hands_on_how_it_ended() {
    let place = Workplace::new();
    place.write("told.toml", STUDY);
    place.write("told.log", "a line of before\n");
    let command = "echo \"$WEIGHIN_EXIT_CODE $WEIGHIN_RESULTS $WEIGHIN_REPORT\" >ended; exit 3";
    let quiet = ["run", "told.toml", "--store", "a.weighin", "--quiet", "--log", "told.log"];
    let ran = place.weighin(&[&quiet[..], &["--on-finish", command]].concat());
    // Its failure is told, and changes nothing.
    assert!(ran.err.contains("warning: --on-finish") && !ran.err.contains("[1/1]"), "{ran:?}");
    assert!(ran.done().contains("transactions per second"));
    let ended = read_to_string(place.path("ended")).unwrap();
    assert_eq!(ended, "0 a.weighin a.html\n");
    let log = read_to_string(place.path("told.log")).unwrap();
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(lines[0], "a line of before");
    assert!(lines.iter().any(|line| line.contains("Z [1/1] reads on plain")), "{log}");

    let verbose = ["run", "told.toml", "--store", "b.weighin", "--verbose"];
    let ran = place.weighin(&verbose);
    let of_seconds = ran.err.lines().filter(|line| line.contains("/s")).count();
    assert!(ran.err.contains("[1/1]") && of_seconds > 1, "{ran:?}");
    ran.done();
}

#[test]
fn a_log_is_added_to_nothing_that_it_should_not_touch() {
    let place = Workplace::new();
    place.write("told.toml", STUDY);
    let refused = |log: &str, why: &str| {
        let arguments = ["run", "told.toml", "--store", "new.weighin", "--log", log];
        let ran = place.weighin(&arguments);
        assert!(ran.code != Some(0) && ran.err.contains(why), "{log}: {ran:?}");
        assert!(!place.path("new.weighin").exists(), "{log}: {ran:?}");
    };
    place.write("precious", "do not touch\n");
    symlink(place.path("precious"), place.path("link")).unwrap();
    refused("link", "link");
    write(place.path("database"), b"SQLite format 3\0and more").unwrap();
    refused("database", "another database");
    refused("other.weighin", "results");
    refused("missing/told.log", "missing/told.log");
    set_permissions(place.path("precious"), PermissionsExt::from_mode(0o666)).unwrap();
    refused("precious", "precious");
    assert_eq!(read_to_string(place.path("precious")).unwrap(), "do not touch\n");
}
