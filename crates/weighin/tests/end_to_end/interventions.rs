//! Interventions: what is done to targets while they are measured, from the study file to every
//! report, and that nothing of it is left behind.

use crate::support::{Server, Workplace, command_lines_with, shared_directory, wait_for};
use model::{ActResult, Mark, TrialRecord};
use std::path::Path;

/// A study of a server that runs already, with these lines after its test.
fn on(server: &Server, interventions: &str) -> String {
    format!(
        "[study]\nname = \"acts\"\nrepeats = 1\n\
         [[target]]\nname = \"db\"\nurl = \"{}\"\npassword_file = \"{}\"\n\
         [[test]]\nname = \"selects\"\nworkload = \"oltp_point_select\"\ntable_size = 10_000\n\
         clients = 2\nrate = 300\nwarmup = \"200ms\"\nduration = \"15s\"\n{interventions}\n",
        server.url(),
        server.password_file().display()
    )
}

/// A study of a directory, loaded by so many processes for so long.
fn on_storage(directory: &Path, generators: u32, duration: &str, command: &str) -> String {
    format!(
        "[study]\nname = \"acts\"\nrepeats = 1\n\
         [[target]]\nname = \"disk\"\nkind = \"storage\"\nvolumes = [{directory:?}]\n\
         [[test]]\nworkload = \"storage\"\npattern = \"t1 o1 b4k\"\ndata = \"4MiB\"\nvms = 2\n\
         load_generators = {generators}\nwarmup = \"100ms\"\nduration = \"{duration}\"\n\
         [[test.intervention]]\nat = \"100ms\"\ncommand = {command}\ntrusted = true\n"
    )
}

fn only_trial(place: &Workplace) -> TrialRecord {
    place.store().dataset().unwrap().trials.remove(0)
}

#[track_caller]
fn mark<'a>(record: &'a TrialRecord, name: &str) -> &'a Mark {
    let marks: Vec<&Mark> = record.interventions().collect();
    let found = marks.iter().find(|mark| mark.name == name);
    found.unwrap_or_else(|| panic!("no {name} in {marks:?}"))
}

#[track_caller]
fn assert_failed(record: &TrialRecord, name: &str, words: &[&str]) {
    let mark = mark(record, name);
    assert_eq!(mark.result, Some(ActResult::Failed), "{mark:?}");
    let note = mark.note.as_deref().unwrap_or_default();
    words.iter().for_each(|word| assert!(note.contains(word), "no {word:?} in {note:?}"));
}

#[test]
fn statements_and_commands_leave_marks_that_say_what_came_of_them() {
    let place = Workplace::new();
    let server = Server::start_with(&[
        ("slow_query_log", "ON"),
        ("log_output", "TABLE"),
        ("long_query_time", "0.001"),
    ]);
    let own = std::process::id();
    let acts = format!(
        "[[test.intervention]]
        name = \"rebuild\"
        at = \"300ms\"
        statement = \"ALTER TABLE sbtest1 ENGINE = InnoDB, ALGORITHM = COPY\"
        [[test.intervention]]
        name = \"missing\"
        at = \"400ms\"
        statement = \"ALTER TABLE nowhere ADD COLUMN x INT\"
        [[test.intervention]]
        name = \"slow\"
        at = \"400ms\"
        statement = \"SELECT SLEEP(6001)\"
        timeout = \"500ms\"
        [[test.intervention]]
        name = \"endless\"
        at = \"1s\"
        statement = \"SELECT SLEEP(6002)\"
        [[test.intervention]]
        at = \"1s\"
        name = \"good\"
        command = [\"sh\", \"-c\", \"echo $WEIGHIN_TARGET:$WEIGHIN_PORT\"]
        trusted = true
        [[test.intervention]]
        at = \"1s\"
        name = \"bad\"
        command = [\"sh\", \"-c\", \"echo one; echo two >&2; exit 3\"]
        trusted = true
        [[test.intervention]]
        at = \"1s\"
        name = \"late\"
        command = [\"sleep\", \"6003.{own}\"]
        timeout = \"500ms\"
        trusted = true
        [[test.intervention]]
        at = \"1s\"
        name = \"lasting\"
        command = [\"sh\", \"-c\", \"trap '' TERM; sleep 6004.{own} & sleep 6004.{own}\"]
        trusted = true"
    );
    place.write("acts.toml", on(&server, &acts));
    let planned = place.weighin(&["plan", "acts.toml"]).done();
    assert!(planned.contains("selects: rebuild, 300\u{a0}ms into each measurement"), "{planned}");
    let checked = place.weighin(&["check", "acts.toml"]).done();
    assert!(checked.contains("runs a command on this host"), "{checked}");
    place.weighin(&["run", "acts.toml"]).done();

    let trial = only_trial(&place);
    let rebuild = mark(&trial, "rebuild");
    assert_eq!((rebuild.result, &rebuild.note), (Some(ActResult::Done), &None));
    // From the start of the load, which warms up for 200 ms.
    assert!(rebuild.at_seconds >= 0.5, "{rebuild:?}");
    let took = rebuild.until_seconds.unwrap() - rebuild.at_seconds;
    let logged =
        "SELECT TIME_TO_SEC(query_time) FROM mysql.slow_log WHERE sql_text LIKE 'ALTER%COPY'";
    let logged: f64 = server.query(logged)[0].parse().unwrap();
    assert!(took >= logged - 0.01, "{took} s, by the server {logged} s");
    assert_failed(&trial, "missing", &["nowhere", "doesn't exist"]);
    assert_failed(&trial, "slow", &["did not end within 0.5 s", "ended on the server"]);
    assert_failed(&trial, "bad", &["ended with exit code 3", "one | two"]);
    assert_failed(&trial, "late", &["did not end within 0.5 s"]);
    let good = mark(&trial, "good");
    let port = server.sandbox.port();
    assert_eq!(good.note.as_deref(), Some(format!("db:{port}").as_str()));
    for endless in ["endless", "lasting"] {
        let mark = mark(&trial, endless);
        assert_eq!(mark.result, Some(ActResult::CutOff), "{mark:?}");
        assert!(mark.until_seconds.unwrap() >= 15.2, "{mark:?}");
        assert!(rebuild.until_seconds < mark.until_seconds, "{rebuild:?} {mark:?}");
    }
    wait_for("the end of the commands", || {
        ["sleep 6003", "sleep 6004"]
            .iter()
            .all(|sleeping| command_lines_with(&format!("{sleeping}.{own}")).is_empty())
    });
    let processes = "SELECT info FROM information_schema.processlist WHERE info LIKE '%SLEEP(600%'";
    wait_for("the end of the statements", || server.query(processes).len() == 1);

    // The stored marks are all that a report needs, and a run that is complete is not run again.
    host::local::os::kill(server.sandbox.pid()).unwrap();
    let report = place.weighin(&["report", "acts.toml", "--format", "json"]).json();
    assert_ne!(report["trials"][0]["validity"], "valid", "{report:#}");
    assert_eq!(report["trials"][0]["interventions"], 8);
    assert_eq!(report["trials"][0]["interventions_failed"], 4);
    assert_eq!(report["trials"][0]["interventions_cut_off"], 2);
    assert_eq!(report["marks"].as_array().unwrap().len(), 8, "{report:#}");
    let markdown = place.weighin(&["report", "acts.toml", "--format", "markdown"]).done();
    for part in [
        "The intervention bad failed: the command sh ended with exit code 3",
        "The intervention lasting was still under way when the load ended",
        "rebuild: done",
    ] {
        assert!(markdown.contains(part), "no {part:?} in:\n{markdown}");
    }
    place.weighin(&["run", "acts.toml", "--resume"]).done();
    assert_eq!(only_trial(&place), trial);
}

#[test]
fn commands_act_beside_loads_on_storage_and_of_several_processes() {
    let place = Workplace::new();
    let directory = shared_directory();
    let command = "[\"sh\", \"-c\", \"echo on $WEIGHIN_VOLUMES\"]";
    place.write("acts.toml", on_storage(directory.path(), 2, "5s", command));
    place.weighin(&["run", "acts.toml"]).done();
    let trial = only_trial(&place);
    let mark = mark(&trial, "command");
    assert_eq!(mark.result, Some(ActResult::Done), "{mark:?}");
    let said = format!("on {}", directory.path().display());
    assert_eq!(mark.note.as_deref(), Some(said.as_str()));
    assert!(mark.at_seconds >= 0.2, "{mark:?}");
}

#[test]
fn a_command_ends_with_weighin_however_that_ends() {
    for (signal, time) in [("INT", 6011), ("KILL", 6012)] {
        let time = format!("{time}.{}", std::process::id());
        let place = Workplace::new();
        let directory = shared_directory();
        let command = format!("[\"sh\", \"-c\", \"sleep {time} & exec sleep {time}\"]");
        place.write("acts.toml", on_storage(directory.path(), 1, "60s", &command));
        let run = place.start(&["run", "acts.toml"]);
        let sleeping = format!("sleep {time}");
        // The study names it as well, but only its own processes have it as their last words.
        let running = || {
            let lines = command_lines_with(&sleeping);
            lines.iter().filter(|line| line.trim_end() == sleeping).count()
        };
        wait_for("the command and its child", || running() == 2);
        run.signal(signal);
        drop(run.end());
        wait_for("the end of the command and its child", || running() == 0);
    }
}

#[test]
fn a_command_that_is_not_there_is_found_before_anything_runs() {
    let place = Workplace::new();
    let directory = shared_directory();
    place.write("acts.toml", on_storage(directory.path(), 1, "1s", "[\"./no-such-program\"]"));
    for command in ["check", "run"] {
        let ran = place.weighin(&[command, "acts.toml"]);
        let said = format!("{}{}", ran.out, ran.err);
        assert!(said.contains("runs ./no-such-program, and there is no such program"), "{said}");
        assert_ne!(ran.code, Some(0));
    }
}
