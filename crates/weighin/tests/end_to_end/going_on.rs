//! Runs that go on after their end: with further repeats, and with what failed.

use crate::server_trouble::server_of;
use crate::support::{Ran, Server, Started, Workplace, restarting_study, server_study};
use model::{Dataset, TrialRecord};

/// Long enough for a busy machine to kill what it is to kill while a trial lasts.
const SHORT: &str = "warmup = \"200ms\"\nduration = \"2s\"";

fn run(place: &Workplace, more: &[&str]) -> Ran {
    place.weighin(&[&["run", "duel.toml"], more].concat())
}

fn start(place: &Workplace, more: &[&str]) -> Started {
    place.start(&[&["run", "duel.toml"], more].concat())
}

/// Kills weighin while this line has been the last that it has said, in the middle of a load.
fn killed_after(mut started: Started, line: &str, place: &Workplace) {
    started.wait_for_line(line);
    started.wait_for_load();
    started.kill();
    place.assert_no_server_left();
}

fn dataset(place: &Workplace) -> Dataset {
    place.store().dataset().unwrap()
}

#[test]
fn a_finished_run_takes_up_what_failed_and_further_repeats() {
    let place = Workplace::new();
    place.write("duel.toml", restarting_study(SHORT));

    // The server dies under the third trial.
    let mut first = start(&place, &[]);
    first.wait_for_line("[2/8]");
    first.wait_for_load();
    host::local::os::kill(server_of(place.sandboxes())).unwrap();
    assert_eq!(first.end().code, Some(1));
    let before = dataset(&place).trials;
    let failed = before.iter().find(|record| record.has_failed()).unwrap().clone();
    assert!(before.len() == 8 && failed.position >= 3, "{failed:?}");

    // It is measured anew, by a run that is killed meanwhile and goes on.
    killed_after(start(&place, &["--retry-failed"]), "7 of 8 trials", &place);
    let interrupted = dataset(&place);
    assert_eq!(interrupted.missing().collect::<Vec<_>>(), [&failed.key]);
    assert_eq!(interrupted.superseded[0].record, failed);
    run(&place, &["--more", "1"]).refused(2, &["1 trial", "--resume"]);
    run(&place, &["--resume"]).done();
    let after = dataset(&place);
    let counts = |record: &&TrialRecord| record.position != failed.position;
    assert!(before.iter().filter(counts).all(|record| after.trials.contains(record)));
    let anew = after.trials.iter().find(|record| record.key == failed.key).unwrap();
    assert_eq!((anew.position, anew.seed), (9, failed.seed));
    assert!(anew.load().is_some());
    assert_eq!(after.superseded.len(), 1);
    assert_eq!(after.superseded[0].record, failed);
    let nothing = run(&place, &["--retry-failed"]);
    assert!(nothing.err.contains("no trial"), "{}", nothing.err);
    nothing.done();
    assert_eq!(dataset(&place), after);

    // Further repeats, by a run that is killed meanwhile and goes on.
    killed_after(start(&place, &["--more", "2"]), "[10/16]", &place);
    assert!((1..=6).contains(&dataset(&place).missing().count()));
    run(&place, &["--resume"]).done();
    let extended = dataset(&place);
    assert!(after.trials.iter().all(|record| extended.trials.contains(record)));
    assert_eq!((extended.repeats(), extended.trials.len()), (4, 16));
    assert_eq!(extended.run.extensions.len(), 2);
    let repeats: Vec<u32> = extended.plan.blocks.iter().map(|block| block.number).collect();
    assert_eq!(repeats, [1, 2, 1, 3, 4]);

    // The report tells of all of it.
    let page = std::fs::read_to_string(&place.files(".html")[0]).unwrap();
    for words in ["planned again", "superseded", "from 2 repeats to 4", "8.3"] {
        assert!(page.contains(words), "{words}");
    }
    let csv = place.weighin(&["report", "--format", "csv"]).done();
    assert_eq!(csv.lines().count(), 1 + 17);
}

/// A comment that changed is an extension without trials.
#[test]
fn a_run_can_be_extended_after_a_comment_alone_has_changed() {
    let place = Workplace::new();
    let server = Server::start();
    let keys = format!("password_file = {:?}", server.password_file());
    let study = server_study(&server.url(), 1, &keys);
    place.write("lone.toml", &study);
    place.weighin(&["run", "lone.toml"]).done();
    place.write("lone.toml", format!("# Once more.\n{study}"));
    let resumed = place.weighin(&["run", "lone.toml", "--resume"]);
    assert!(resumed.err.contains("comments"), "{}", resumed.err);
    resumed.done();
    place.weighin(&["run", "lone.toml", "--more", "2"]).done();
    let data = dataset(&place);
    assert_eq!((data.run.extensions.len(), data.trials.len()), (2, 4));
    let extensions: Vec<u32> = data.plan.blocks.iter().map(|block| block.extension).collect();
    assert_eq!(extensions, [0, 0, 2, 2]);
    // What opens it for writing checks every digest.
    place.weighin(&["run", "lone.toml", "--resume"]).done();
    assert_eq!(dataset(&place), data);
    let csv = place.weighin(&["report", "--format", "csv"]).done();
    assert_eq!(csv.lines().count(), 1 + 4);
}
