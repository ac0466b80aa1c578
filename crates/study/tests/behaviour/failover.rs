//! The task `failover` in study files.

use model::{FailoverCause, Task};

fn study(target: &str, test: &str) -> String {
    format!(
        "[study]\nname = \"s\"\n[[target]]\nname = \"a\"\n{target}\n\
         [[test]]\ntask = \"failover\"\n{test}\n"
    )
}

#[track_caller]
fn refused(text: &str, words: &[&str]) {
    let error = study::parse(text, "s.toml").expect_err("it is refused").to_string();
    for word in words {
        assert!(error.contains(word), "no {word:?} in {error}");
    }
}

#[test]
fn what_is_not_written_has_its_default() {
    let study =
        study::parse(&study("sandbox = {}", "loss = \"kill\""), "s.toml").expect("it is valid");
    let test = &study.tests[0];
    assert_eq!(test.name, "failover");
    let Task::Failover(failover) = &test.task else { panic!("{test:?}") };
    assert_eq!(failover.cause, FailoverCause::Kill);
    assert_eq!((failover.rate, failover.connections), (200, 4));
    assert_eq!((failover.at.as_secs(), failover.duration.as_secs()), (5, 60));
    assert_eq!(failover.timeout.as_secs(), 1);
    assert_eq!(failover.restore, None);
}

#[test]
fn the_primary_is_taken_away_in_one_way_that_there_is() {
    let with = |test: &str| study("sandbox = {}", test);
    refused(&with(""), &["nothing takes the primary away", "loss = \"kill\""]);
    refused(&with("loss = \"kill\"\nswitch = \"planned\""), &["in one way"]);
    refused(&with("loss = \"kil\""), &["did you mean `kill`"]);
    refused(&with("loss = \"kill\"\nclients = 4"), &["does not apply to the task failover"]);
    refused(&with("loss = \"kill\"\ncache = \"cold\""), &["does not start cold"]);
    refused(&with("loss = \"kill\"\nat = \"0s\""), &["`at` must be 1s or more"]);
    refused(&with("loss = \"kill\"\nat = \"2m\""), &["`at` must be 1s or more"]);
    refused(&with("loss = \"kill\"\nrate = 6_000"), &["rate", "from 1 to 5000"]);
    refused(&with("loss = \"kill\"\nrate = 5_000\nduration = \"1h\""), &["more than 2000000"]);
}

#[test]
fn commands_run_only_where_the_study_says_that_they_are_meant() {
    let url = "url = \"mysql://probe@127.0.0.1/weighin\"";
    let command = "command = [\"./switch.sh\"]\nrestore = [\"./back.sh\"]";
    refused(
        &study(url, command),
        &["`command` would run", "`restore` would run", "trusted = true"],
    );
    let trusted = format!("{command}\ntrusted = true");
    let parsed = study::parse(&study(url, &trusted), "s.toml").expect("it is valid");
    let commands: Vec<_> = parsed.tests[0].commands().into_iter().map(|(_, words)| words).collect();
    assert_eq!(commands, [["./switch.sh"], ["./back.sh"]]);
}

#[test]
fn what_weighin_does_itself_it_does_to_private_servers() {
    let url = "url = \"mysql://probe@127.0.0.1/weighin\"";
    refused(&study(url, "loss = \"kill\""), &["private servers", "command"]);
    refused(&study("sandbox = {}", "switch = \"planned\""), &["has no replicas", "replicas = 1"]);
    refused(
        &study("kind = \"redis\"\nsandbox = {}", "loss = \"kill\""),
        &["kind mariadb, mysql, postgresql or postgres"],
    );
}
