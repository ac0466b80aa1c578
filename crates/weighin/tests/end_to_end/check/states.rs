//! States of a server, and differences between servers, that keep a study from running or mislead.

use super::instead::Told;
use super::{READS, WRITES, all_rights, refused, said, study, warned};
use crate::support::{MARIADB, Server, Workplace, fetched};

/// What a check says that finds no error.
fn check(place: &Workplace, study: &str) -> String {
    place.write("asked.toml", study);
    place.weighin(&["check", "asked.toml"]).done()
}

#[test]
fn a_server_that_is_being_rescued_is_refused() {
    let place = Workplace::new();
    let server = Server::start_with(&[("innodb_force_recovery", "1")]);
    for test in [READS, WRITES] {
        let one = study(&[("one", &all_rights(&server))], test);
        refused(&place, &one, &["runs with innodb_force_recovery = 1", "start it without"]);
    }
}

#[test]
fn a_server_whose_tables_take_no_writes_is_refused_where_the_study_writes() {
    let place = Workplace::new();
    let server = Server::start();
    let told = Told::of(&server);
    let of = |test: &str| study(&[("one", &told.keys)], test);
    told.tell("innodb_read_only", "ON");
    let words = ["InnoDB takes no writes at ", "(innodb_read_only)", "the writer's endpoint"];
    refused(&place, &of(WRITES), &words);
    // The tables of one that only reads would be made there.
    refused(&place, &of(READS), &words);
    server.weighin(&place, "prepare", &["--tables=2", "--table-size=1000"]).done();
    assert!(!check(&place, &of(READS)).contains("innodb_read_only"));
    told.tell_the_truth("innodb_read_only");
    assert!(!check(&place, &of(WRITES)).contains("innodb_read_only"));
}

#[test]
fn a_node_of_galera_is_told() {
    let place = Workplace::new();
    let server = Server::start();
    let told = Told::of(&server);
    let one = study(&[("one", &told.keys)], WRITES);
    assert!(!check(&place, &one).contains("Galera"));
    told.tell("wsrep_on", "ON");
    // Switched on and with nothing that replicates it is none.
    told.tell("wsrep_provider", "none");
    assert!(!check(&place, &one).contains("Galera"));
    told.tell("wsrep_provider", "/usr/lib/galera/libgalera_smm.so");
    let words = ["a node of a Galera cluster: every write waits", "name a server of its own"];
    warned(&place, &one, &words);
}

#[test]
fn versions_and_settings_in_which_servers_differ_are_told() {
    let place = Workplace::new();
    let one = Server::start();
    let durable = Server::start_with(&[("innodb_flush_log_at_trx_commit", "1")]);
    let newer = Server::start_from(fetched(MARIADB));
    let [one, durable, newer] = [&one, &durable, &newer].map(all_rights);
    let of = |other: &str| study(&[("first", &one), ("other", other)], WRITES);
    let words = [
        "the targets differ in settings that the study does not name",
        "innodb_flush_log_at_trx_commit (first 0, other 1)",
        "set them alike, or say in `labels`",
    ];
    let checked = warned(&place, &of(&durable), &words);
    assert!(!checked.contains("different versions"), "{checked}");

    let checked = check(&place, &of(&newer));
    said(&checked, &["the targets have different versions: first 10.", ", other 11.4.5"]);
    assert!(!checked.contains("innodb_flush_log_at_trx_commit"), "{checked}");
}

#[test]
fn a_setting_that_decides_little_is_a_note() {
    let place = Workplace::new();
    let (one, other) = (Server::start(), Server::start());
    let of = study(&[("first", &all_rights(&one)), ("other", &all_rights(&other))], WRITES);
    assert!(!check(&place, &of).contains("differ in a setting"));
    other.execute("SET GLOBAL net_retry_count = 11");
    let checked = check(&place, &of);
    let note = "the targets differ in a setting that the study does not name: net_retry_count";
    said(&checked, &[note]);
    let line = checked.lines().find(|line| line.contains(note)).unwrap();
    assert!(line.starts_with("note "), "{line}");
}
