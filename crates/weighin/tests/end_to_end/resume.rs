//! Runs that are killed at any moment, and go on.

use crate::support::{
    Server, Started, Workplace, light_study, sandbox_study, server_study, wait_for,
};
use model::{TrialKey, TrialRecord};
use std::path::Path;

const SHORT: &str = "warmup = \"200ms\"\nduration = \"1s\"";

fn start(place: &Workplace, resume: bool) -> Started {
    let arguments = ["run", "duel.toml", "--resume"];
    place.start(&arguments[..if resume { 3 } else { 2 }])
}

fn records(place: &Workplace) -> Vec<TrialRecord> {
    place.store().dataset().unwrap().trials
}

/// Whether a private server has begun to keep a table.
fn is_preparing(sandboxes: &Path) -> bool {
    let homes = std::fs::read_dir(sandboxes).unwrap().flatten();
    homes.map(|home| home.path().join("data/sbtest")).any(|database| {
        std::fs::read_dir(database).is_ok_and(|files| {
            files.flatten().any(|f| f.path().extension() == Some("ibd".as_ref()))
        })
    })
}

#[test]
fn a_run_that_is_killed_at_any_moment_goes_on_without_loss() {
    let place = Workplace::new();
    place.write("duel.toml", light_study(SHORT));

    // While tables are made.
    let run = start(&place, false);
    wait_for("a table being made", || is_preparing(place.sandboxes()));
    run.kill();
    place.assert_no_server_left();
    assert!(records(&place).is_empty());

    // Between two trials: servers are being stopped and started. A busy machine may begin another one before
    // it kills.
    let mut run = start(&place, true);
    run.wait_for_line("[1/8]");
    run.kill();
    place.assert_no_server_left();
    let kept = records(&place);
    assert!((1..8).contains(&kept.len()), "{kept:?}");

    // In the middle of a trial.
    let mut run = start(&place, true);
    run.wait_for_line(&format!("[{}/8]", kept.len() + 1));
    run.wait_for_load();
    run.kill();
    place.assert_no_server_left();
    let more = records(&place);
    assert!((kept.len() + 1..8).contains(&more.len()) && more.starts_with(&kept), "{more:?}");

    let ran = start(&place, true).end();
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let said = format!("{} of 8 trials are recorded; going on", more.len());
    assert!(ran.err.contains(&said), "{}", ran.err);
    place.assert_no_server_left();
    let all = records(&place);
    assert!(all.starts_with(&more), "completed trials were changed");
    let done: Vec<&TrialKey> = all.iter().map(|record| &record.key).collect();
    let plan = place.store().plan().clone();
    assert_eq!(done, plan.trials().map(|trial| &trial.key).collect::<Vec<_>>());
    assert!(all.iter().all(|record| record.load().is_some()));

    // Nothing is left to do, and nothing is done.
    place.weighin(&["run", "duel.toml", "--resume"]).done();
    assert_eq!(records(&place), all);
}

#[test]
fn an_interrupted_run_says_how_to_go_on() {
    let place = Workplace::new();
    place.write("duel.toml", light_study(SHORT));
    let mut done = 0;
    for signal in ["INT", "TERM"] {
        let mut run = start(&place, done > 0);
        run.wait_for_line(&format!("[{}/8]", done + 1));
        run.wait_for_load();
        run.signal(signal);
        run.end().refused(130, &["stopped", "--resume", ".weighin"]);
        place.assert_no_server_left();
        // One more, or on a busy machine some.
        let recorded = records(&place).len();
        assert!((done + 1..8).contains(&recorded), "{recorded} after {done}");
        done = recorded;
    }
    assert_eq!(place.weighin(&["run", "duel.toml", "--resume"]).code, Some(0));
    assert_eq!(records(&place).len(), 8);
}

#[test]
fn an_interrupt_before_the_first_trial_leaves_nothing_behind() {
    let place = Workplace::new();
    place.write("duel.toml", sandbox_study("").replace("1_000", "2_000_000"));
    let run = start(&place, false);
    wait_for("a table being made", || is_preparing(place.sandboxes()));
    run.signal("INT");
    run.end().refused(130, &["stopped"]);
    place.assert_no_server_left();
    assert!(place.files(".weighin").is_empty() && place.files(".lock").is_empty());
}

#[test]
fn two_runs_never_share_a_results_file() {
    let place = Workplace::new();
    let server = Server::start();
    let keys = format!("password_file = {:?}", server.password_file());
    place.write("lone.toml", server_study(&server.url(), 1, &keys).replace("200ms", "10s"));
    let mut run = place.start(&["run", "lone.toml", "--store", "same.weighin"]);
    run.wait_for_load();
    let arguments = ["run", "lone.toml", "--store", "same.weighin", "--resume"];
    place.weighin(&arguments).refused(3, &["same.weighin", "in use"]);
    place.weighin(&arguments[..4]).refused(3, &["same.weighin", "in use"]);
    run.wait_for_line("[1/2]");
    run.signal("INT");
    assert_eq!(run.end().code, Some(130));
    place.weighin(&arguments[..4]).refused(3, &["same.weighin", "exists already", "--resume"]);
}

#[test]
fn a_study_may_change_in_what_does_not_touch_its_trials() {
    let place = Workplace::new();
    let server = Server::start();
    let keys = format!("password_file = {:?}", server.password_file());
    let study = server_study(&server.url(), 1, &keys);
    place.write("lone.toml", &study);
    place.weighin(&["run", "lone.toml"]).done();
    let before = place.store().dataset().unwrap();

    place.write("lone.toml", study.replace("1_000", "2_000").replace("100ms", "150ms"));
    let words = ["test oltp_point_select", "table_size was 1000, is 2000", "2 trials", "warmup"];
    place.weighin(&["run", "lone.toml", "--resume"]).refused(2, &words);
    assert_eq!(place.store().dataset().unwrap(), before);

    // Another question, and a level and a target more: only these are measured.
    let level = study.replace("clients = 1", "clients = [1, 2]");
    let target = "[[target]]\nname = \"private\"\nsandbox = {}\n".to_owned();
    let grown = level.replace("[[test]]", &format!("{target}[[test]]"));
    let asked = grown.replace("repeats = 2", "repeats = 2 # enough\nquestion = \"Which?\"");
    // A target that cannot be used is not added.
    place.write("lone.toml", asked.replace("sandbox = {}", "sandbox = { base = \"/nowhere\" }"));
    place.weighin(&["run", "lone.toml", "--resume"]).refused(3, &["/nowhere", "same command"]);
    assert_eq!(place.store().dataset().unwrap(), before);
    place.write("lone.toml", &asked);
    let ran = place.weighin(&["run", "lone.toml", "--resume"]);
    for words in ["has changed", "question", "target private added", "at 2 clients added", "2 of 8"]
    {
        assert!(ran.err.contains(words), "{words}: {}", ran.err);
    }
    ran.done();
    let after = place.store().dataset().unwrap();
    assert_eq!(after.trials.len(), 8);
    assert_eq!(after.trials[..2], before.trials);
    assert_eq!(after.study.question.as_deref(), Some("Which?"));
    assert_eq!(after.run.extensions[0].changes.len(), 3);
    let page = std::fs::read_to_string(&place.files(".html")[0]).unwrap();
    assert!(page.contains("Measured later") && page.contains("Which?"));

    let never = place.write("never.toml", study.replace("lone", "never"));
    place.weighin(&["run", never, "--resume"]).refused(2, &["never", "weighin run never.toml"]);
}
