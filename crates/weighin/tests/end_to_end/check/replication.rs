//! Servers that replicate from others.

use super::{READS, WRITES, all_rights, refused, said, study, warned};
use crate::support::{Server, Workplace, wait_for};

fn start(id: &str) -> Server {
    Server::start_with(&[("log_bin", "binlog"), ("server_id", id)])
}

/// Makes a server replicate from another.
fn attach(replica: &Server, primary: &Server) {
    let position = primary.query("SHOW MASTER STATUS")[0].clone();
    let mut fields = position.split('\t');
    let (file, at) = (fields.next().unwrap(), fields.next().unwrap());
    primary.execute("CREATE USER copier@'127.0.0.1' IDENTIFIED BY 'copy'");
    primary.execute("GRANT REPLICATION SLAVE ON *.* TO copier@'127.0.0.1'");
    replica.execute(&format!(
        "CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = {}, MASTER_USER = 'copier', \
         MASTER_PASSWORD = 'copy', MASTER_LOG_FILE = '{file}', MASTER_LOG_POS = {at}",
        primary.sandbox.port()
    ));
    replica.execute("START SLAVE");
}

fn has(server: &Server, table: &str) -> bool {
    server.query(&format!("SHOW TABLES LIKE '{table}'")).len() == 1
}

#[test]
fn a_broken_replica_is_refused_and_one_that_works_is_told() {
    let place = Workplace::new();
    let (primary, replica) = (start("1"), start("2"));
    attach(&replica, &primary);
    primary.execute("CREATE DATABASE other");
    primary.execute("CREATE TABLE other.t (id INT PRIMARY KEY)");
    let there = "SELECT 1 FROM information_schema.tables WHERE table_name = 't'";
    wait_for("the table on the replica", || !replica.query(there).is_empty());

    let of = |server: &Server, test: &str| study(&[("one", &all_rights(server))], test);
    warned(
        &place,
        &of(&primary, WRITES),
        &["a replica is connected from 127.0.0.1 and gets everything"],
    );
    let from = format!("the server is a replica of 127.0.0.1:{}", primary.sandbox.port());
    warned(&place, &of(&replica, WRITES), &[&from, "makes it differ from its primary"]);

    // A group, whose replica is part of the study.
    let grants = [
        "SET SESSION sql_log_bin = 0",
        "CREATE USER app@'127.0.0.1'",
        "GRANT ALL ON sbtest.* TO app@'127.0.0.1'",
        "GRANT SLAVE MONITOR, BINLOG MONITOR ON *.* TO app@'127.0.0.1'",
    ];
    for server in [&primary, &replica] {
        let mut connection = server.connect();
        for sql in grants {
            connection.execute(sql).unwrap();
        }
    }
    let group = format!(
        "url = \"{}\"\nreplicas = [\"{}\"]",
        primary.url_of("app", "sbtest"),
        replica.url_of("app", "sbtest")
    );
    let words = ["may not stop the applier of the replica at", "REPLICATION SLAVE ADMIN"];
    let checked = warned(&place, &study(&[("one", &group)], WRITES), &words);
    assert!(!checked.contains("is connected"), "{checked}");
    let catch_up = "task = \"catch_up\"\nbacklog_transactions = 100\n";
    refused(&place, &study(&[("one", &group)], catch_up), &words);

    // Weighin's own tables take rights too: that of the heartbeats, and the one that a probe writes to.
    // What is asked of the account is done, and leaves nothing.
    let may = |rights: &str| {
        for server in [&primary, &replica] {
            let mut connection = server.connect();
            for sql in [
                "SET SESSION sql_log_bin = 0",
                "REVOKE ALL ON sbtest.* FROM app@'127.0.0.1'",
                &format!("GRANT {rights} ON sbtest.* TO app@'127.0.0.1'"),
            ] {
                connection.execute(sql).unwrap();
            }
        }
    };
    let failover = "task = \"failover\"\ncommand = [\"true\"]\ntrusted = true\n";
    may("SELECT, INSERT, DELETE");
    let rights = ["lacks CREATE on the database sbtest", "GRANT CREATE ON `sbtest`.*"];
    let no_data = "task = \"statement\"\nsql = \"SELECT 1\"";
    refused(&place, &study(&[("one", &group)], no_data), &rights);
    refused(&place, &study(&[("one", &group)], failover), &rights);
    let twice = study(&[("one", &group)], failover).replace("repeats = 1", "repeats = 2");
    let rights = ["lacks CREATE, DROP on the database sbtest", "GRANT CREATE, DROP ON `sbtest`.*"];
    refused(&place, &twice, &rights);
    may("ALL");
    let several = ["all take writes of this account", "set read_only = 1 on the replicas"];
    refused(&place, &study(&[("one", &group)], failover), &several);
    replica.execute("SET GLOBAL read_only = 1");
    place.write("asked.toml", study(&[("one", &group)], failover));
    said(&place.weighin(&["check", "asked.toml"]).done(), &["The study can run"]);
    // One that writes to read-only servers would write to the replica.
    replica.execute("GRANT READ_ONLY ADMIN ON *.* TO app@'127.0.0.1'");
    refused(&place, &study(&[("one", &group)], failover), &several);
    assert!(!has(&primary, "weighin_failover") && !has(&primary, "weighin_heartbeat"));

    // A row that is there already.
    replica.execute("INSERT INTO other.t VALUES (1)");
    primary.execute("INSERT INTO other.t VALUES (1)");
    wait_for("the end of the applier", || {
        let status = replica.query("SHOW SLAVE STATUS");
        status[0].contains("Duplicate entry")
    });
    let broken = ["and its applier is broken: error 1062", "Duplicate entry", "START REPLICA"];
    for test in [WRITES, READS] {
        refused(&place, &of(&replica, test), &broken);
    }
    replica.execute("STOP SLAVE");
    replica.execute("SET GLOBAL sql_slave_skip_counter = 1");
    replica.execute("START SLAVE");
    wait_for("the applier", || replica.query("SHOW SLAVE STATUS")[0].contains("\tYes\tYes\t"));
    replica.execute("STOP SLAVE SQL_THREAD");
    warned(&place, &of(&replica, READS), &[&from, "its applier is stopped"]);
    assert!(!has(&replica, "sbtest1") && !has(&primary, "sbtest1"));
}
