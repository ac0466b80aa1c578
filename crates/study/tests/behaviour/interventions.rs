//! What is done to targets in the middle of trials.

use model::{Act, BackgroundWork, Intervention, Task};
use std::time::Duration;
use study::{parse, scaled};

/// A study of one test on a target of that kind, with these lines in the target, in the test, and
/// after it.
fn text(target: &str, test: &str, interventions: &str) -> String {
    format!(
        "[study]\nname = \"s\"\n[[target]]\nname = \"a\"\n{target}\n[[test]]\n{test}\n{interventions}\n"
    )
}

const REDIS: &str = "kind = \"redis\"\nsandbox = {}";
const KEYS: &str = "workload = \"key_value\"\nclients = 4";
const TRUSTED: &str = "sandbox = { trusted = true }";
const SELECTS: &str = "workload = \"oltp_point_select\"\nclients = 4";

fn on_redis(interventions: &str) -> String {
    text(REDIS, KEYS, interventions)
}

#[track_caller]
fn accepted(text: &str) -> Vec<Intervention> {
    let study = parse(text, "s").unwrap_or_else(|error| panic!("{error}"));
    study.tests[0].load().expect("a load").interventions.clone()
}

#[track_caller]
fn assert_refused(text: &str, parts: &[&str]) {
    let message = parse(text, "s.toml").expect_err(text).to_string();
    for part in parts {
        assert!(message.contains(part), "no {part:?} in:\n{message}");
    }
}

#[test]
fn every_act_has_its_name_its_time_and_its_limit() {
    let all = accepted(&on_redis(
        "[[test.intervention]]\nat = \"0s\"\nbackground_work = \"snapshot\"\n\
         [[test.intervention]]\nat = \"20s\"\nbackground_work = \"snapshot\"\ntimeout = \"5s\"\n\
         [[test.intervention]]\nat = \"25s\"\nname = \"switch\"\ncommand = [\"true\", \"-x\"]\n\
         trusted = true",
    ));
    let names: Vec<&str> = all.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["snapshot", "snapshot 2", "switch"]);
    let seconds = |seconds| Some(Duration::from_secs(seconds));
    let times: Vec<_> = all.iter().map(|one| (Some(one.at), one.timeout)).collect();
    assert_eq!(times, [(seconds(0), None), (seconds(20), seconds(5)), (seconds(25), None)]);
    assert_eq!(all[1].act, Act::BackgroundWork(BackgroundWork::Snapshot));
    assert_eq!(all[2].act, Act::Command(vec!["true".to_owned(), "-x".to_owned()]));
    let sql = "ALTER TABLE sbtest1 ENGINE = InnoDB";
    let statement = format!("[[test.intervention]]\nat = \"1s\"\nstatement = \"{sql}\"");
    let all = accepted(&text(TRUSTED, SELECTS, &statement));
    assert_eq!((all[0].name.as_str(), &all[0].act), ("statement", &Act::Statement(sql.to_owned())));
    assert!(accepted(&on_redis("")).is_empty());
}

#[test]
fn interventions_keep_their_place_when_times_are_scaled() {
    let test = format!("{KEYS}\nduration = \"20s\"");
    let keys = "[[test.intervention]]\nat = \"5s\"\nbackground_work = \"log_rewrite\"";
    let study = parse(&text(REDIS, &test, keys), "s").unwrap();
    // By a hundredth the duration would be less than the second that it keeps.
    for (factor, seconds) in [(2.0, 10.0), (0.1, 0.5), (0.01, 0.25)] {
        let scaled = scaled(&study, factor);
        let Task::Load(load) = &scaled.tests[0].task else { panic!("a load") };
        let at = load.interventions[0].at.as_secs_f64();
        assert!((at - seconds).abs() < 1e-6, "{factor}: {at}");
    }
}

#[test]
fn what_is_wrong_with_an_intervention_is_said_with_the_way_to_fix_it() {
    for (keys, parts) in [
        (
            "at = \"1s\"\nbackground_work = \"snapshto\"",
            ["did you mean `snapshot`?", "`log_rewrite`"],
        ),
        (
            "background_work = \"snapshot\"",
            ["s.toml:10:1: this intervention has no time", "at = \"10s\""],
        ),
        ("at = \"1s\"", ["this intervention does nothing", "statement = \"ALTER TABLE ...\""]),
        (
            "at = \"1s\"\nbackground_work = \"snapshot\"\ncommand = [\"true\"]\ntrusted = true",
            ["s.toml:13:11: an intervention does one thing", "for each"],
        ),
        ("at = \"5\"\nbackground_work = \"snapshot\"", ["`at`: `5` has no unit", "`5s`"]),
        (
            "at = \"30s\"\nbackground_work = \"snapshot\"",
            ["`at` must lie within the time measured", "raise `duration`"],
        ),
        (
            "at = \"1s\"\nbackground_work = \"snapshot\"\ntimeout = \"0s\"",
            ["`timeout` must be more than zero", "leave it out"],
        ),
        (
            "at = \"1s\"\ncommand = [\"true\"]",
            ["s.toml:12:11: this `command` would run on this host", "trusted = true"],
        ),
        (
            "at = \"1s\"\ncommand = []\ntrusted = true",
            ["`command` names no program", "./switch.sh"],
        ),
        ("at = \"1s\"\ncommand = \"true\"", ["`command` must be a list", "string"]),
        (
            "att = \"1s\"\nbackground_work = \"snapshot\"",
            ["unknown key `att`", "did you mean `at`?"],
        ),
    ] {
        assert_refused(&on_redis(&format!("[[test.intervention]]\n{keys}")), &parts);
    }
    let two = "[[test.intervention]]\nname = \"x\"\nat = \"1s\"\nbackground_work = \"snapshot\"\n";
    assert_refused(&on_redis(&two.repeat(2)), &["a second intervention of the test is named `x`"]);
    let many = two.replace("name = \"x\"\n", "").repeat(17);
    assert_refused(&on_redis(&many), &["at most 16 interventions"]);
}

#[test]
fn interventions_belong_to_loads_at_levels() {
    let snapshot = "[[test.intervention]]\nat = \"1s\"\nbackground_work = \"snapshot\"";
    let search = "workload = \"key_value\"\nslo = \"p95 < 5ms\"";
    assert_refused(
        &text(REDIS, search, &snapshot.replace("1s", "100ms")),
        &["a search has no interventions", "test with levels"],
    );
    let cross_check = format!("{KEYS}\ncross_check = true");
    assert_refused(
        &text(REDIS, &cross_check, snapshot),
        &["`cross_check` is not possible with interventions"],
    );
    assert_refused(
        &text(TRUSTED, "task = \"statement\"\nsql = \"SELECT 1\"", snapshot),
        &["`intervention` does not apply to the task statement"],
    );
}

#[test]
fn an_act_must_suit_every_target() {
    let snapshot = "[[test.intervention]]\nat = \"1s\"\nbackground_work = \"snapshot\"";
    assert_refused(
        &text(TRUSTED, SELECTS, snapshot),
        &[
            "there is no snapshot on the target `a`, which is MariaDB or MySQL",
            "what can be done there: statement, command",
        ],
    );
    let statement = "[[test.intervention]]\nat = \"1s\"\nstatement = \"SELECT 1\"";
    assert_refused(
        &on_redis(statement),
        &["there is no statement on", "snapshot, log_rewrite, command"],
    );
    let volumes = "kind = \"storage\"\nvolumes = [\"/tmp\"]";
    let storage = "workload = \"storage\"\npattern = \"t1 o1 b4k\"";
    assert_refused(&text(volumes, storage, snapshot), &["what can be done there: command"]);
    let command = "[[test.intervention]]\nat = \"1s\"\ncommand = [\"true\"]\ntrusted = true";
    assert_eq!(accepted(&text(volumes, storage, command)).len(), 1);
}

#[test]
fn a_statement_on_a_private_server_must_be_trusted() {
    let statement = "[[test.intervention]]\nat = \"1s\"\nstatement = \"SELECT 1\"";
    assert_refused(
        &text("sandbox = {}", SELECTS, statement),
        &["s.toml:11:13: `statement` on the private server `a`", "trusted = true"],
    );
    assert!(parse(&text("url = \"mysql://h/d\"", SELECTS, statement), "s").is_ok());
}
