//! Work that servers are told to do in the middle of trials.

use model::{BackgroundWork, Trigger};
use std::time::Duration;
use study::{parse, scaled};

/// A study of one test on a target of that kind, with these lines in the test.
fn text(kind: &str, workload: &str, test: &str) -> String {
    format!(
        "[study]\nname = \"s\"\n[[target]]\nname = \"a\"\nkind = \"{kind}\"\nsandbox = {{}}\n\
         [[test]]\nworkload = \"{workload}\"\n{test}\n"
    )
}

fn on_redis(test: &str) -> String {
    text("redis", "key_value", &format!("clients = 4\n{test}"))
}

#[track_caller]
fn assert_refused(text: &str, parts: &[&str]) {
    let message = parse(text, "s.toml").expect_err(text).to_string();
    for part in parts {
        assert!(message.contains(part), "no {part:?} in:\n{message}");
    }
}

#[test]
fn a_trigger_has_its_work_and_its_time() {
    for work in BackgroundWork::ALL {
        let keys =
            format!("trigger = \"{}\"\ntrigger_at = \"1m10s\"\nduration = \"2m\"", work.name());
        let study = parse(&on_redis(&keys), "s").unwrap();
        let expected = Trigger { work, at: Duration::from_secs(70) };
        assert_eq!(study.tests[0].load().unwrap().trigger, Some(expected));
    }
    assert_eq!(parse(&on_redis(""), "s").unwrap().tests[0].load().unwrap().trigger, None);
}

#[test]
fn a_trigger_keeps_its_place_when_times_are_scaled() {
    let keys = "trigger = \"bgsave\"\ntrigger_at = \"5s\"\nduration = \"20s\"";
    let study = parse(&on_redis(keys), "s").unwrap();
    // By a hundredth the duration would be less than the second that it keeps.
    for (factor, seconds) in [(2.0, 10.0), (0.1, 0.5), (0.01, 0.25)] {
        let trigger = scaled(&study, factor).tests[0].load().unwrap().trigger.unwrap();
        assert!((trigger.at.as_secs_f64() - seconds).abs() < 1e-6, "{factor}: {trigger:?}");
    }
}

#[test]
fn what_is_wrong_with_a_trigger_is_said_with_the_way_to_mend_it() {
    for (keys, parts) in [
        ("trigger = \"bgsav\"\ntrigger_at = \"1s\"", ["did you mean `bgsave`?", "`bgrewriteaof`"]),
        (
            "trigger = \"bgsave\"",
            ["s.toml:10:11: this `trigger` has no time", "trigger_at = \"10s\""],
        ),
        (
            "trigger_at = \"1s\"",
            ["`trigger_at` means nothing without `trigger`", "trigger = \"bgsave\""],
        ),
        ("trigger = \"bgsave\"\ntrigger_at = \"5\"", ["`trigger_at`: `5` has no unit", "`5s`"]),
        (
            "trigger = \"bgsave\"\ntrigger_at = \"30s\"",
            ["`trigger_at` must lie within the time measured", "raise `duration`"],
        ),
    ] {
        assert_refused(&on_redis(keys), &parts);
    }
    let keys = "trigger = \"bgsave\"\ntrigger_at = \"1s\"";
    let search = text("redis", "key_value", &format!("slo = \"p95 < 5ms\"\n{keys}"));
    assert_refused(&search, &["a `trigger` cannot stand beside an `slo`", "levels of `clients`"]);
    let cross_check = on_redis(&format!("{keys}\ncross_check = true"));
    assert_refused(&cross_check, &["`cross_check` cannot be had of a `trigger`"]);
    let sql = text("mariadb", "oltp_read_only", &format!("clients = 4\n{keys}"));
    assert_refused(
        &sql,
        &["s.toml:10:11: `trigger` does not apply to oltp_read_only", "s.toml:11:14: `trigger_at`"],
    );
}
