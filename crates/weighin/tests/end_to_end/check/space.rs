//! Room on servers that run already.

use super::{WRITES, refused, said, study, url_of, warned};
use crate::failover::Relay;
use crate::support::{Disk, Server, Workplace, not_tested};
use std::os::unix::fs::PermissionsExt;

#[test]
fn room_is_known_where_the_server_tells_and_else_that_it_is_not() {
    let place = Workplace::new();
    let server = Server::start_with(&[("log_bin", "binlog"), ("server_id", "7")]);
    server.execute("CREATE USER app@'127.0.0.1'");
    server.execute("GRANT ALL ON sbtest.* TO app@'127.0.0.1'");
    // The process behind a proxy is not known, even where it is on the machine of the tests.
    let port = server.sandbox.port();
    let relay = Relay::start(port);
    let url = url_of(&server, "app").replace(&format!(":{port}"), &format!(":{}", relay.port));
    let over_tcp = |test: &str| study(&[("one", &url)], test);
    let sort = |rows: &str| {
        format!("task = \"statement\"\nname = \"s\"\nstatements = [\"sort\"]\ntable_size = {rows}")
    };
    let check = |test: &str| {
        place.write("asked.toml", over_tcp(test));
        place.weighin(&["check", "asked.toml"]).done()
    };
    let unknown = "the server does not say how much room its disks have";
    // Two tables, and one sorted.
    let checked = check(&sort("6_000_000"));
    said(&checked, &[unknown, "about 4.2 GiB of it", "INSTALL SONAME 'disks'"]);
    assert!(!check(&sort("1000")).contains(unknown));

    // Binary logs hold everything once more.
    let checked = check(WRITES);
    said(&checked, &["for each million transactions of loads that have no rate", "are kept until"]);
    server.execute("SET GLOBAL expire_logs_days = 3");
    let rates = WRITES.replace("[1, 4]", "4\nrate = 100_000").replace("200ms", "60s");
    said(&check(&rates), &["what the study writes takes up to 9.", "they are kept for 3 days"]);

    if server.connect().execute("INSTALL SONAME 'disks'").is_err() {
        return not_tested("the server has no plugin that tells of its disks");
    }
    server.execute("GRANT FILE ON *.* TO app@'127.0.0.1'");
    if server.query("SELECT Path FROM information_schema.disks WHERE Path = '/'").is_empty() {
        return not_tested("the plugin that tells of disks does not tell of that of these tests");
    }
    assert!(!check(&sort("6_000_000")).contains(unknown));
    let huge = sort("2_000_000_000\ntables = 100");
    refused(&place, &over_tcp(&huge), &[" free, and the tables to be made need about "]);
    let words = ["of binary logs (log_bin), and /", " free beside the data"];
    warned(&place, &over_tcp(&rates.replace("60s", "5h")), &words);
}

#[test]
fn changes_and_temporary_tables_have_directories_and_limits_of_their_own() {
    let place = Workplace::new();
    let Some(disk) = Disk::with_size("ext4", 64) else { return };
    std::fs::set_permissions(disk.path(), PermissionsExt::from_mode(0o777)).unwrap();
    let server = Server::start();
    let on_socket =
        format!("url = \"{}\"\npassword_file = {:?}", server.socket_url(), server.password_file());
    let of = |test: &str| study(&[("one", &on_socket)], test);
    let change = |algorithm: &str| {
        of(&format!(
            "task = \"schema_change\"\nname = \"c\"\nchange = \"add_index\"\n\
             algorithm = \"{algorithm}\"\ntable_size = 1_000_000"
        ))
    };
    let path = disk.path().display();
    server.execute(&format!("SET GLOBAL innodb_tmpdir = '{path}'"));
    let words = [
        &format!("{path} (innodb_tmpdir) has "),
        "changing the largest table takes up to 238.",
        "set innodb_tmpdir to a directory with more room",
    ];
    warned(&place, &change("inplace"), &words);
    place.write("asked.toml", change("instant"));
    let checked = place.weighin(&["check", "asked.toml"]).done();
    assert!(!checked.contains("innodb_tmpdir"), "{checked}");

    let own = of("task = \"statement\"\nname = \"s\"\nsql = \"SELECT 1\"");
    server.execute("SET GLOBAL tmp_disk_table_size = 1048576");
    let words =
        ["a temporary table of more than 1.0 MiB on disk", "SET GLOBAL tmp_disk_table_size"];
    let checked = warned(&place, &own, &words);
    said(&checked, &["go to disk beyond 16.0 MiB (tmp_table_size, max_heap_table_size)"]);
}
