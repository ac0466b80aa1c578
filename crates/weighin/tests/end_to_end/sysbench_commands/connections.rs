//! Connections that are compressed, and connections that do not last.

use super::{figure, ours};
use crate::support::{MYSQL, Server, Workplace, fetched, proxy};
use std::path::PathBuf;

/// Connections that the server has been asked for.
pub fn connections(server: &Server) -> u64 {
    let said = server.query("SHOW GLOBAL STATUS LIKE 'Connections'").concat();
    said.split_whitespace().last().and_then(|word| word.parse().ok()).expect("a number")
}

/// An account that logs in over TCP whatever the version.
const ACCOUNT: &str = "CREATE USER plain@'%' IDENTIFIED WITH mysql_native_password";
const GRANT: &str = "GRANT ALL ON sbtest.* TO plain@'%'";

#[test]
fn what_travels_is_compressed_and_the_answers_are_the_same() {
    let mysql: PathBuf = fetched(MYSQL);
    for server in [Server::start(), Server::start_from(mysql)] {
        let place = Workplace::new();
        [ACCOUNT, GRANT].iter().for_each(|sql| server.execute(sql));
        let words = "oltp_read_write --tables=2 --table-size=2000";
        ours(&server, &place, words, "", "prepare").done();
        // Ranges of 1000 rows make answers of several frames.
        let load = "--threads=3 --events=90 --time=0 --range-size=1000 --mysql-socket= \
                    --mysql-host=127.0.0.1 --mysql-user=plain --mysql-password=";
        for mode in ["auto", "disable"] {
            let [clear, compressed] = ["off", "on"].map(|compression| {
                let proxy = proxy(server.sandbox.port());
                let before = server.counters();
                let options = format!(
                    "{load} --db-ps-mode={mode} --mysql-port={} --mysql-compression={compression}",
                    proxy.port()
                );
                let ran = ours(&server, &place, words, &options, "run");
                let said = ran.done();
                let selects = server.counters()["Com_select"] - before["Com_select"];
                assert_eq!(figure(&said, "read"), selects, "{said}");
                assert_eq!(figure(&said, "total number of events"), 90, "{said}");
                proxy.bytes()
            });
            assert!(compressed > 10_000, "{compressed} of {clear} bytes passed");
            assert!(compressed * 10 < clear * 8, "{compressed} of {clear} bytes passed");
        }
    }
}

#[test]
fn connections_are_made_anew_after_so_many_events() {
    let (place, server) = (Workplace::new(), Server::start());
    let words = "oltp_point_select --table-size=100 --threads=4";
    ours(&server, &place, words, "", "prepare").done();
    for (options, expected) in [
        ("--events=400 --reconnect=0", 0),
        // Each thread makes one before its next event.
        ("--events=400 --reconnect=10", 40),
        ("--events=200 --reconnect=1 --mysql-compression=on", 200),
    ] {
        let before = connections(&server);
        let said = ours(&server, &place, words, &format!("{options} --time=0"), "run").done();
        let made = connections(&server) - before;
        assert!(said.starts_with("sysbench 1.1.0 "), "{said}");
        let reconnects = figure(&said, "reconnects");
        // The last connection of a thread has no event after its share.
        assert!((expected - expected.min(4)..=expected).contains(&reconnects), "{said}");
        assert!(made >= reconnects + 4 && made <= reconnects + 4 + 4, "{made} connections: {said}");
    }
    let old = "--test=oltp --oltp-table-name=sbtest1 --oltp-table-size=100 --oltp-test-mode=simple \
               --num-threads=2 --max-requests=50 --oltp-reconnect-mode=";
    let before = connections(&server);
    ours(&server, &place, &format!("{old}transaction"), "", "run").done();
    assert!(connections(&server) - before >= 50);
    ours(&server, &place, &format!("{old}query"), "", "run")
        .refused(1, &["--oltp-reconnect-mode=query", "transaction"]);
}

#[test]
fn a_study_says_how_long_connections_last_and_what_travels_compressed() {
    let (place, server) = (Workplace::new(), Server::start());
    let study = format!(
        "[study]\nname = \"short\"\nrepeats = 2\n[[target]]\nname = \"a\"\nurl = \"{}\"\n\
         password_file = {:?}\ncompression = true\n\
         [[test]]\nworkload = \"oltp_point_select\"\ntable_size = 100\nclients = 3\n\
         reconnect_after = 50\ntransactions = 6000\nwarmup = \"0s\"\n",
        server.url(),
        server.password_file(),
    );
    place.write("short.toml", study);
    let before = connections(&server);
    place.weighin(&["run", "short.toml", "--store", "short.weighin"]).done();
    // Each of two trials shares 6000 transactions out in fifties; there are control connections too.
    let made = connections(&server) - before;
    assert!((240 - 2 * 3..300).contains(&made), "{made} connections");
    let report = place.weighin(&["report", "short.weighin", "--format", "markdown"]).done();
    assert!(report.contains("a new connection after every 50 transactions"), "{report}");
    let json = place.weighin(&["report", "short.weighin", "--format", "json"]).json();
    for trial in json["trials"].as_array().unwrap() {
        assert_ne!(trial["validity"], "void", "{report}");
        assert_eq!(trial["transactions"], 6000, "{trial}");
    }
}
