//! Work that servers put off: found after loading, waited for before measuring, and told of a trial that
//! grew it.

use crate::support::Workplace;
use model::{Debt, TrialRecord, signal};
use std::time::Duration;

const SCHEMA: &str =
    "CREATE TABLE filler (id INT PRIMARY KEY, c VARCHAR(200) NOT NULL, pad VARCHAR(200) NOT NULL);";

/// A study of one private server whose log takes some 40 MB, and which begins to write what was changed
/// when that is nearly full. Each transaction writes some 200 KB of log, 25 come a second.
fn place(keys: &str) -> Workplace {
    let place = Workplace::new();
    place.write("schema.sql", SCHEMA);
    let study = format!(
        r#"
[study]
name = "debt"
repeats = 1

[[target]]
name = "small"
[target.sandbox]
trusted = true
restart = false
settings = {{ innodb_log_file_size = "48M", innodb_adaptive_flushing = "OFF", innodb_flush_log_at_trx_commit = 0, innodb_max_dirty_pages_pct = 90 }}

[[test]]
name = "change"
workload = "transactions"
clients = 4
rate = 25
warmup = "0s"
setup = "schema.sql"
load = [{{ table = "filler", rows = 20000, columns = {{ id = "sequence", c = {{ text = [120, 120] }}, pad = {{ text = [60, 60] }} }} }}]
{keys}

[[test.transaction]]
name = "change"
sql = ['\set low random(1, 19000)', "UPDATE filler SET c = REVERSE(c), pad = REVERSE(pad) WHERE id BETWEEN :low AND :low + 400"]
"#
    );
    place.write("debt.toml", study);
    place
}

fn only_trial(place: &Workplace) -> TrialRecord {
    let trials = place.store().dataset().unwrap().trials;
    let [trial] = trials.try_into().expect("one trial");
    trial
}

#[test]
fn a_trial_that_fills_the_log_says_that_its_rate_does_not_last() {
    let place = place("duration = \"4s\"");
    place.weighin(&["run", "debt.toml"]).done();
    let page = place.weighin(&["report", "debt.toml", "--format", "markdown"]).out;
    for words in
        ["Checkpoint age grew from", "of the log in", "whether the rate lasts is not known"]
    {
        assert!(page.contains(words), "no «{words}» in {page}");
    }
    let json = place.weighin(&["report", "debt.toml", "--format", "json"]).json();
    assert_eq!(json["trials"][0]["validity"], "suspect");
    place.assert_no_server_left();
}

#[test]
fn a_load_that_does_not_settle_in_time_goes_on_and_is_suspect() {
    let place = place("duration = \"2s\"\nsteady_within = \"5s\"");
    place.weighin(&["run", "debt.toml"]).done();
    let trial = only_trial(&place);
    let load = trial.load().unwrap();
    let settled = load.settled.as_ref().unwrap();
    assert_eq!(settled.is_level(), Some(false));
    assert!(settled.took >= Duration::from_secs(5), "{settled:?}");
    let age = settled.debts.iter().find(|change| change.debt == Debt::CheckpointAge).unwrap();
    assert!(age.to > age.from && age.limit.is_some(), "{settled:?}");
    assert!(load.measure.transactions > 0, "measured all the same");
    let page = place.weighin(&["report", "debt.toml", "--format", "markdown"]).out;
    assert!(page.contains("was not level when measuring began"), "{page}");
}

#[test]
fn a_load_is_measured_once_debts_are_level() {
    let place = Workplace::new();
    let servers = "[study]\nname = \"level\"\nrepeats = 1\n\
         [[target]]\nname = \"maria\"\nsandbox = {}\n\
         [[target]]\nname = \"postgres\"\nkind = \"postgresql\"\nsandbox = {}\n";
    let test = "[[test]]\nname = \"read\"\nworkload = \"oltp_point_select\"\ntables = 1\n\
         table_size = 1000\nrate = 50\nwarmup = \"steady\"\nduration = \"1s\"\nsteady_within = \"5m\"\n";
    place.write("level.toml", format!("{servers}{test}"));
    let plan = place.weighin(&["plan", "level.toml"]).done();
    assert!(plan.contains("runs until what the server puts off is level"), "{plan}");
    place.weighin(&["run", "level.toml"]).done();
    let trials = place.store().dataset().unwrap().trials;
    assert_eq!(trials.len(), 2);
    for trial in &trials {
        let settled = trial.load().unwrap().settled.as_ref().unwrap();
        assert_eq!(settled.is_level(), Some(true), "{}: {settled:?}", trial.key);
        // The shortest time in which it shows.
        assert!(settled.took >= Duration::from_secs(7), "{settled:?}");
        assert!(settled.debts.iter().any(|change| change.debt == Debt::CheckpointAge));
    }
    let page = place.weighin(&["report", "level.toml", "--format", "markdown"]).out;
    assert!(page.contains("until what the server puts off was level"), "{page}");
}

#[test]
fn what_loading_leaves_is_paid_before_the_first_trial() {
    let place = Workplace::new();
    place.write(
        "load.toml",
        "[study]\nname = \"load\"\nrepeats = 1\n\
         [[target]]\nname = \"maria\"\nsandbox = { restart = false }\n\
         [[test]]\nworkload = \"oltp_point_select\"\ntables = 2\ntable_size = 50_000\nclients = 1\n\
         warmup = \"0s\"\nduration = \"1s\"\n",
    );
    place.weighin(&["run", "load.toml"]).done();
    let dataset = place.store().dataset().unwrap();
    let facts = &dataset.targets[0].server;
    assert!(facts.dataset_bytes.unwrap() > 20 << 20);
    let left = facts.loading_debt.as_ref().map_or(&[][..], |left| left.debts.as_slice());
    assert!(left.iter().all(|debt| debt.is_level), "{left:?}");
    // A checkpoint was made, so that no age of what was loaded is left.
    assert!(left.iter().all(|debt| debt.debt != Debt::CheckpointAge), "{left:?}");
    let before = dataset.trials[0].sampling.before.as_ref().unwrap();
    let dirty = before.counters[signal::DIRTY_BYTES];
    assert!(dirty < 4 << 20, "{dirty} bytes of what was loaded are yet to be written");
}
