//! Private groups.

use crate::support::{Workplace, command_lines_with, processes_with, wait_for};
use std::path::Path;
use std::process::Command;

/// Of one target, a primary with a replica, and one load.
fn pair(load: &str) -> String {
    format!(
        "[study]\nname = \"pair\"\nrepeats = 2\n\
         [[target]]\nname = \"pair\"\n\
         sandbox = {{ replicas = 1, semi_sync = true, replica_settings = {{ \
         slave_parallel_threads = 2 }}, settings = {{ innodb_flush_log_at_trx_commit = 2 }} }}\n\
         [[test]]\nworkload = \"oltp_write_only\"\ntable_size = 1_000\nclients = 2\n{load}"
    )
}

/// The servers that run now, by the directories that they live in; the primary first.
fn homes(place: &Workplace) -> Vec<String> {
    let option = |line: &str, name: &str| {
        let (_, rest) = line.split_once(&format!("--{name}="))?;
        Some(rest.split(' ').next().unwrap_or_default().to_owned())
    };
    let lines = processes_with(place.sandboxes().to_str().unwrap());
    let mut servers: Vec<(String, String)> = lines
        .iter()
        .filter_map(|(_, line)| Some((option(line, "server-id")?, option(line, "datadir")?)))
        .collect();
    servers.sort();
    servers.into_iter().map(|(_, data)| data.trim_end_matches("/data").to_owned()).collect()
}

/// What a server answers to the client of its own distribution, in a process of its own.
fn ask(home: &str, sql: &str) -> Option<String> {
    let password = std::fs::read_to_string(Path::new(home).join("password")).ok()?;
    let output = Command::new("mariadb")
        .args(["--no-defaults", "--user=weighin", "--batch", "--vertical"])
        .arg(format!("--socket={home}/run/server.sock"))
        .args(["--execute", sql])
        .env("MYSQL_PWD", password)
        .output()
        .expect("the client of MariaDB is needed for this test");
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn a_private_group_replicates_from_its_first_row_and_is_gone_afterwards() {
    let place = Workplace::new();
    place.write("pair.toml", pair("rate = 200\nwarmup = \"100ms\"\nduration = \"15s\"\n"));
    let mut run = place.start(&["run", "pair.toml", "--store", "kept.weighin"]);
    run.wait_for_line("1 table made");
    run.wait_for_load();
    let homes = homes(&place);
    let [primary, replica] = homes.as_slice() else { panic!("two servers: {homes:?}") };
    let status = ask(replica, "SHOW ALL SLAVES STATUS").unwrap();
    for part in ["Slave_IO_Running: Yes", "Slave_SQL_Running: Yes", "Using_Gtid: Slave_Pos"] {
        assert!(status.contains(part), "no {part} in {status}");
    }
    assert!(status.contains("Master_Host: 127.0.0.1"), "{status}");
    assert!(ask(replica, "SELECT COUNT(*) FROM sbtest.sbtest1").unwrap().contains("1000"));
    assert!(ask(replica, "SELECT @@slave_parallel_threads").unwrap().contains('2'));
    assert!(ask(replica, "SELECT @@read_only").unwrap().contains('1'));
    assert!(ask(primary, "SELECT @@read_only, @@slave_parallel_threads").unwrap().contains('0'));
    let semi_sync = ask(primary, "SHOW STATUS LIKE 'Rpl_semi_sync_master_clients'").unwrap();
    assert!(semi_sync.contains('1'), "{semi_sync}");
    // The login of replicas is in no list of processes and no log.
    let secret = std::fs::read_to_string(Path::new(primary).join("replication-password")).unwrap();
    assert_eq!(secret.len(), 32);
    assert!(command_lines_with(&secret).is_empty());
    for home in &homes {
        let log = std::fs::read_to_string(Path::new(home).join("server.log")).unwrap();
        assert!(!log.contains(&secret), "{log}");
    }
    let ran = run.end();
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(!ran.err.contains(&secret) && !ran.out.contains(&secret));
    let stored = std::fs::read(place.path("kept.weighin")).unwrap();
    assert!(!stored.windows(secret.len()).any(|window| window == secret.as_bytes()));
    place.assert_no_server_left();

    let trials = place.store().dataset().unwrap().trials;
    assert_eq!(trials.len(), 2);
    for trial in &trials {
        assert!(trial.load().is_some(), "{:?}", trial.end);
        let used = |sample: &model::Sample| sample.replicas.map_or(0.0, |usage| usage.cpus);
        assert!(trial.sampling.samples.iter().any(|sample| used(sample) > 0.0), "{trial:?}");
    }
}

#[test]
fn a_replica_that_does_not_start_is_told_by_its_name_and_takes_the_primary_with_it() {
    let place = Workplace::new();
    let broken = pair("").replace("slave_parallel_threads = 2", "no_such_setting = 3");
    place.write("pair.toml", broken);
    let ran = place.weighin(&["run", "pair.toml"]);
    ran.refused(3, &["pair, replica 1", "no_such_setting"]);
    place.assert_no_server_left();
}

#[test]
fn servers_of_a_group_that_is_stopped_while_it_comes_up_are_gone() {
    let place = Workplace::new();
    place.write("pair.toml", pair(""));
    let mut run = place.start(&["run", "pair.toml"]);
    run.wait_for_line("bringing up");
    wait_for("the first server", || !homes(&place).is_empty());
    run.stopped_by_one_signal();
    place.assert_no_server_left();
}

#[test]
fn a_group_whose_data_diverged_is_made_anew_for_the_next_trial() {
    let place = Workplace::new();
    let load = "workload = \"oltp_write_only\"\ntable_size = 1_000\nclients = 2\n";
    let study = pair("").replace(load, "task = \"catch_up\"\nbacklog_time = \"8s\"\n");
    assert!(study.contains("catch_up"), "{study}");
    place.write("pair.toml", study);
    let mut run = place.start(&["run", "pair.toml", "--store", "kept.weighin"]);
    run.wait_for_line("1 table made");
    let stopped = |replica: &String| {
        ask(replica, "SHOW ALL SLAVES STATUS").is_some_and(|s| s.contains("SQL_Running: No"))
    };
    // In no log, so that nothing but the data tells of it.
    let sql = "SET sql_log_bin = 0; INSERT INTO sbtest.sbtest1 VALUES (1000000, 1, 'c', 'pad')";
    // A replica that has not begun is stopped too, and has no table yet.
    let diverged = |replica: &String| stopped(replica) && ask(replica, sql).is_some();
    wait_for("the first trial", || homes(&place).get(1).is_some_and(diverged));
    let ran = run.end();
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    place.assert_no_server_left();
    let trials = place.store().dataset().unwrap().trials;
    let [first, second] = trials.as_slice() else { panic!("{trials:?}") };
    let failure = first.failure().unwrap_or_else(|| panic!("{:?}", first.end));
    assert!(failure.message.contains("the data of pair, replica 1 differ"), "{failure}");
    assert!(second.outcome().is_some(), "{:?}", second.end);
}

/// Its servers do not run beside the next trial either. A MariaDB that is told to end while its
/// appliers wait for one another does not end for minutes.
#[test]
fn a_replica_that_is_applying_in_parallel_ends_with_its_trial() {
    let place = Workplace::new();
    let load = "workload = \"oltp_write_only\"\ntable_size = 1_000\nclients = 2\n";
    let task = "task = \"catch_up\"\nworkload = \"oltp_write_only\"\ntable_size = 10\nclients = 8\n\
                backlog_time = \"3s\"\ntimeout = \"3s\"\n";
    let study = pair("").replace(load, task).replace("threads = 2", "threads = 8");
    assert!(study.contains(task) && study.contains("threads = 8"), "{study}");
    let (before, target) = study.split_once("[[target]]").unwrap();
    let (target, test) = target.split_once("[[test]]").unwrap();
    let other = target.replace("\"pair\"", "\"other\"");
    let study = format!("{before}[[target]]{target}[[target]]{other}[[test]]{test}");
    let study = study.replace("repeats = 2", "repeats = 1\nseed = 1");
    place.write("pair.toml", study);
    let mut run = place.start(&["run", "pair.toml", "--store", "kept.weighin"]);
    // While the backlog is written.
    run.wait_for_load();
    let replica = homes(&place)[1].clone();
    // There alone, so that it has much left to apply when the time is over.
    let slow = "SET sql_log_bin = 0; CREATE TRIGGER sbtest.slow BEFORE UPDATE ON sbtest.sbtest1 \
                FOR EACH ROW DO SLEEP(0.02)";
    assert!(ask(&replica, slow).is_some());
    let ends = || {
        let log = std::fs::read_to_string(Path::new(&replica).join("server.log"));
        log.unwrap_or_default().matches(": Shutdown complete").count()
    };
    let before = ends();
    let said = run.wait_for_line("[1/2]");
    assert!(said.contains("did not catch up within 3 s"), "{said}");
    assert!(ends() > before, "it is ended before the next trial, and not killed");
    run.wait_for_load();
    let up = homes(&place);
    assert!(up.len() == 2 && !up.contains(&replica), "{up:?}");
    run.stopped_by_one_signal();
    place.assert_no_server_left();
}
