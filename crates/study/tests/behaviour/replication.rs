//! Targets that are groups: what a study file says of replicas, and how mistakes are told.
use model::{
    Backlog, CatchUp, ControlAct, Endpoint, Level, OltpMix, Place, PrivateReplication, SandboxSpec,
    SearchOver, ServerSpec, Task,
};
use study::parse;

fn study(target: &str) -> String {
    format!(
        "[study]\nname = \"s\"\n[[target]]\nname = \"a\"\n{target}\n\
         [[test]]\nworkload = \"oltp_write_only\"\nclients = [1]\n"
    )
}

fn place(target: &str) -> Place {
    let study = parse(&study(target), "s.toml").unwrap_or_else(|error| panic!("{error}"));
    study.targets[0].place.clone()
}

fn sandbox(keys: &str) -> SandboxSpec {
    match place(&format!("sandbox = {{ {keys} }}")) {
        Place::Sandbox(spec) => spec,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn refused(target: &str, parts: &[&str]) {
    let message = parse(&study(target), "s.toml").expect_err(target).to_string();
    for part in parts {
        assert!(message.contains(part), "no {part:?} in:\n{message}");
    }
}

#[test]
fn a_sandbox_has_replicas_with_settings_of_their_own() {
    let spec = sandbox(
        "replicas = 2, semi_sync = true, settings = { sync_binlog = 1, max_connections = 50 }, \
         replica_settings = { slave_parallel_threads = 4, sync-binlog = 0 }",
    );
    let group = spec.replication.as_ref().unwrap();
    assert_eq!((group.replicas, group.semi_sync), (2, true));
    assert_eq!(spec.settings["sync_binlog"], "1");
    let replicas = spec.replica_settings();
    assert_eq!(replicas["sync_binlog"], "0");
    assert_eq!(replicas["max_connections"], "50");
    assert_eq!(replicas["slave_parallel_threads"], "4");
    let plain = sandbox("replicas = 1");
    let expected = PrivateReplication { replicas: 1, semi_sync: false, settings: [].into() };
    assert_eq!(plain.replication, Some(expected));
    assert_eq!(sandbox("").replication, None);
}

#[test]
fn settings_of_replication_that_harm_nothing_need_no_trust() {
    for setting in [
        "slave_parallel_threads = 8",
        "slave_parallel_mode = \"optimistic\"",
        "replica_parallel_workers = 8",
        "replica_preserve_commit_order = true",
        "slave_compressed_protocol = true",
        "rpl_semi_sync_master_wait_point = \"AFTER_SYNC\"",
        "rpl_semi_sync_source_timeout = 1000",
        "binlog_format = \"ROW\"",
        "binlog_row_image = \"minimal\"",
        "log_slave_updates = true",
        "gtid_strict_mode = true",
        "relay_log_recovery = true",
    ] {
        sandbox(&format!("replicas = 1, replica_settings = {{ {setting} }}"));
    }
    for (setting, why) in [
        ("init_slave = \"SET GLOBAL x = 1\"", "needs trust"),
        ("init_replica = \"SET GLOBAL x = 1\"", "needs trust"),
        ("report_host = \"db1\"", "needs trust"),
        ("slave_load_tmpdir = \"/var\"", "needs trust"),
        ("relay_log = \"/var/relay\"", "needs trust"),
        ("server_id = 7", "server with replicas"),
        ("log-bin = \"mine\"", "server with replicas"),
    ] {
        let key = format!("sandbox = {{ replicas = 1, replica_settings = {{ {setting} }} }}");
        refused(&key, &[why]);
    }
    refused("sandbox = { replicas = 1, settings = { skip_log_bin = true } }", &["skip_log_bin"]);
    sandbox("settings = { server_id = 7, log_bin = true }");
}

#[test]
fn servers_that_run_already_have_replicas_by_url() {
    let keys = "url = \"mysql://bench@db1/sbtest\"\npassword_file = \"/run/pw\"\n\
                replicas = [\"mysql://db2:3307/sbtest\", \"mysql://reader@db3/sbtest\"]\n\
                [target.replication]\nstop_applier = \"CALL mysql.rds_stop_replication\"\n\
                start_applier = [\"start-it\", \"db2\"]\ntrusted = true";
    let Place::Server(spec) = place(keys) else { panic!("a server") };
    let ServerSpec { address, replicas, control, .. } = spec;
    assert_eq!(replicas.len(), 2);
    assert_eq!(replicas[0].endpoint, Endpoint::Tcp { host: "db2".into(), port: 3307 });
    assert_eq!(replicas[0].user.as_deref(), Some("bench"));
    assert_eq!(replicas[1].user.as_deref(), Some("reader"));
    assert!(replicas.iter().all(|replica| replica.password == address.password));
    let stop = ControlAct::Statement("CALL mysql.rds_stop_replication".into());
    assert_eq!(control.stop_applier, Some(stop));
    let start = ControlAct::Command(vec!["start-it".into(), "db2".into()]);
    assert_eq!(control.start_applier, Some(start));
}

#[test]
fn mistakes_are_told_with_the_way_to_fix_them() {
    refused("sandbox = { replicas = 0 }", &["`replicas` must be from 1 to 8"]);
    refused("sandbox = { semi_sync = true }", &["`semi_sync` applies only with `replicas`"]);
    let settings = "sandbox = { replica_settings = { sync_binlog = 1 } }";
    refused(settings, &["`replica_settings` applies only with `replicas`", "replicas = 1"]);
    refused("kind = \"redis\"\nsandbox = { replicas = 1 }", &["no replicas", "kind Redis"]);
    let redis = "url = \"redis://cache\"\nreplicas = [\"redis://cache2\"]";
    refused(redis, &["no replicas of targets of the kind Redis", "MariaDB, MySQL and PostgreSQL"]);
    refused(
        "sandbox = {}\nreplicas = [\"mysql://db2/sbtest\"]",
        &["`replicas` belongs to a url", "sandbox = { replicas = 1 }"],
    );
    let url = "url = \"mysql://db1/sbtest\"\n";
    refused(&format!("{url}replicas = []"), &["`replicas` is empty"]);
    refused(&format!("{url}replicas = [\"mysql://db1/sbtest\"]"), &["in the group twice"]);
    refused(
        &format!("{url}replicas = [\"mysql://db2/other\"]"),
        &["a replica has the database of its primary", "write /sbtest at the end"],
    );
    refused(&format!("{url}replicas = [\"redis://db2\"]"), &["not the URL of a MariaDB or MySQL"]);
    refused(
        &format!("{url}[target.replication]\nstop_applier = \"X\""),
        &["`replication` applies only with `replicas`"],
    );
    let group = format!("{url}replicas = [\"mysql://db2/sbtest\"]\n[target.replication]\n");
    refused(&format!("{group}stop_applier = [\"stop\"]"), &["runs a program", "trusted = true"]);
    refused(&format!("{group}stop_applier = \" \""), &["`stop_applier` is empty"]);
    refused(&format!("{group}stop_appliers = \"X\""), &["unknown key", "`stop_applier`"]);
}

fn catching_up(target: &str, keys: &str) -> String {
    format!(
        "[study]\nname = \"s\"\n[[target]]\nname = \"a\"\n{target}\n\
         [[test]]\ntask = \"catch_up\"\n{keys}\n"
    )
}

fn catch_up(keys: &str) -> CatchUp {
    let study = catching_up("sandbox = { replicas = 1 }", keys);
    let study = parse(&study, "s.toml").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(study.tests[0].name, "catch_up");
    match study.tests[0].task.clone() {
        Task::CatchUp(task) => task,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_backlog_is_so_many_transactions_unless_another_measure_is_named() {
    let plain = catch_up("");
    assert_eq!(plain.backlog, Backlog::Transactions(100_000));
    assert_eq!((plain.level, plain.timeout.as_secs()), (Level::clients(8), 3600));
    assert_eq!(plain.workload.oltp().unwrap().mix, OltpMix::WriteOnly);
    let keys = "workload = \"oltp_read_write\"\ntables = 2\ntable_size = 7\nclients = 3\n\
                rate = 50\nbacklog_time = \"90s\"\ntimeout = \"2m\"";
    let timed = catch_up(keys);
    assert_eq!(timed.backlog, Backlog::Time(std::time::Duration::from_secs(90)));
    assert_eq!((timed.level, timed.timeout.as_secs()), (Level::rate(3, 50), 120));
    let tables = timed.workload.oltp().unwrap();
    assert_eq!((tables.mix, tables.tables, tables.table_size), (OltpMix::ReadWrite, 2, 7));
    assert_eq!(catch_up("backlog_bytes = \"3MiB\"").backlog, Backlog::Bytes(3 << 20));
}

#[test]
fn catching_up_takes_replicas_and_a_workload_that_writes() {
    let refused = |target: &str, keys: &str, parts: &[&str]| {
        let text = catching_up(target, keys);
        let message = parse(&text, "s.toml").expect_err(&text).to_string();
        for part in parts {
            assert!(message.contains(part), "no {part:?} in:\n{message}");
        }
    };
    let group = "sandbox = { replicas = 1 }";
    refused("sandbox = {}", "", &["catch_up needs replicas", "`a` has none", "replicas = 1"]);
    let reads = "workload = \"oltp_point_select\"";
    refused(group, reads, &["writes nothing that replicates", "oltp_write_only"]);
    refused(group, "workload = \"oltp_writ_only\"", &["did you mean `oltp_write_only`"]);
    let both = "backlog_time = \"1m\"\nbacklog_transactions = 5";
    refused(group, both, &["second measure of the backlog", "keep one"]);
    refused(group, "backlog_transactions = 0", &["`backlog_transactions` must be from 1"]);
    refused(group, "backlog_bytes = \"0B\"", &["`backlog_bytes` must be more than zero"]);
    refused(group, "backlog_bytes = \"many\"", &["`backlog_bytes`"]);
    let long = "backlog_time = \"2m\"\ntimeout = \"1m\"";
    refused(group, long, &["`backlog_time` must be", "raise `timeout`"]);
    refused(group, "timeout = \"0s\"", &["`timeout` must be more than zero"]);
    refused(group, "cache = \"cold\"", &["`catch_up` does not work with `cold`"]);
    refused(group, "slo = \"p95 < 1ms\"", &["slo", "does not apply to the task catch_up"]);
}

#[test]
fn a_bound_on_the_lag_of_replicas_makes_a_search() {
    let text = |target: &str, keys: &str| {
        format!(
            "[study]\nname = \"s\"\n[[target]]\nname = \"a\"\n{target}\n\
             [[test]]\nworkload = \"oltp_write_only\"\n{keys}\n"
        )
    };
    let group = "sandbox = { replicas = 1 }";
    let search = |keys: &str| {
        let study = parse(&text(group, keys), "s.toml").unwrap_or_else(|error| panic!("{error}"));
        match study.tests[0].task.clone() {
            Task::Search(search) => search,
            other => panic!("{other:?}"),
        }
    };
    let plain = search("replica_lag = \"1500ms\"");
    assert_eq!(plain.bound().to_string(), "replicas at most 1.5 s behind");
    assert_eq!(plain.load.levels, [Level::searched(SearchOver::Rate, 64)]);
    let both =
        search("replica_lag = \"1s\"\nslo = \"p99 < 5ms\"\nsearch = \"clients\"\nclients = 9");
    assert_eq!(both.bound().to_string(), "p99 < 5 ms and replicas at most 1 s behind");
    assert_eq!(both.load.levels, [Level::searched(SearchOver::Clients, 9)]);

    let refused = |target: &str, keys: &str, parts: &[&str]| {
        let message = parse(&text(target, keys), "s.toml").expect_err(keys).to_string();
        for part in parts {
            assert!(message.contains(part), "no {part:?} in:\n{message}");
        }
    };
    let lag = "replica_lag = \"1s\"";
    refused("sandbox = {}", lag, &["needs replicas", "`a` has none", "replicas = 1"]);
    refused(group, "replica_lag = \"100ms\"", &["at least 200ms", "known to 100 ms"]);
    refused(group, &format!("{lag}\nrate = 5"), &["`rate` and `replica_lag` cannot be combined"]);
    refused(
        group,
        &format!("{lag}\ncache = \"cold\""),
        &["`replica_lag` does not work with `cold`"],
    );
    refused(group, &format!("{lag}\ncross_check = true"), &["does not work with `replica_lag`"]);
    let idle = "index_updates = 0\nnon_index_updates = 0\ndelete_inserts = 0\npoint_selects = 1";
    refused(group, &format!("{lag}\n{idle}"), &["writes nothing that replicates"]);
}
