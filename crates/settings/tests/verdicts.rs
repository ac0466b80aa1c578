//! What may be set, however it is written.

use settings::{MARIADB, REDIS, Verdict, is_name};

#[test]
fn what_weighin_chooses_is_refused_however_it_is_written() {
    for name in [
        "datadir",
        "DataDir",
        "bind-address",
        "loose_tmpdir",
        "loose-skip-grant-tables",
        "disable_skip_grant_tables",
        "maximum-port",
        "skip_networking",
        "proxy_protocol_networks",
        "report_password",
        "mysqlx_bind_address",
        "loose-mysqlx",
        "admin-address",
        "initialize_insecure",
    ] {
        assert!(matches!(MARIADB.judge(name, "1"), Verdict::Decided(_)), "{name}");
    }
    for name in ["dir", "DIR", "UnixSocket", "rdma-bind", "slaveof"] {
        assert!(matches!(REDIS.judge(name, "x"), Verdict::Decided(_)), "{name}");
    }
}

#[test]
fn what_could_harm_the_host_needs_trust() {
    for (name, value) in [
        ("plugin_load", "x"),
        ("plugin-load-add", "ha_x"),
        ("early-plugin-load", "keyring.so"),
        ("group_replication_group_seeds", "x:33061"),
        ("clone_valid_donor_list", "x:3306"),
        ("loose_plugin_dir", "x"),
        ("wsrep_notify_cmd", "reboot"),
        ("wsrep_provider", "none"),
        ("init_connect", "DROP DATABASE x"),
        ("feedback", "ON"),
        ("report_host", "x"),
        ("log_bin", "/var/lib/other/binlog"),
        ("log_bin", "../binlog"),
        ("skip_log_bin", "/x"),
        ("general_log_file", "~mysql"),
        ("innodb_data_file_path", "/dev/sdb1:3Gnewraw"),
        ("ft_stopword_file", "/etc/shadow"),
        ("an_option_of_later", "a/b"),
    ] {
        assert!(matches!(MARIADB.judge(name, value), Verdict::NeedsTrust(_)), "{name}");
    }
    for (name, value) in [
        ("loadmodule", "x.so"),
        ("enable-debug-command", "yes"),
        ("Enable-Module-Command", "yes"),
        ("appenddirname", "../x"),
        ("dbfilename", "\"\\x2fetc\\x2fx\""),
        ("storage-provider", "flash x"),
        ("tls-cert-file", "/etc/x.pem"),
        ("oom-score-adj-values", "-1000 -1000 -1000"),
    ] {
        assert!(matches!(REDIS.judge(name, value), Verdict::NeedsTrust(_)), "{name}");
    }
}

#[test]
fn what_makes_servers_differ_is_allowed() {
    for (name, value) in [
        ("innodb_flush_log_at_trx_commit", "2"),
        ("log_bin", ""),
        ("log_bin", "binlog"),
        ("skip_log_bin", ""),
        ("skip-innodb-doublewrite", ""),
        ("sql_mode", "ANSI,TRADITIONAL"),
        ("default_time_zone", "Europe/Berlin"),
        ("innodb_data_file_path", "ibdata1:12M:autoextend"),
        ("default_password_lifetime", "90"),
    ] {
        assert_eq!(MARIADB.judge(name, value), Verdict::Allowed, "{name}");
    }
    for (name, value) in [
        ("save", ""),
        ("save", "60 1 300 10"),
        ("appendonly", "ON"),
        ("dbfilename", "dump.rdb"),
        ("client-output-buffer-limit", "normal 0 0 0"),
        ("rdbcompression", "no"),
    ] {
        assert_eq!(REDIS.judge(name, value), Verdict::Allowed, "{name}");
    }
}

#[test]
fn names_hold_nothing_that_could_be_read_as_more() {
    for name in ["innodb_io_capacity", "log-bin", "maxmemory"] {
        assert!(is_name(name));
    }
    for name in ["", "--datadir", "_x", "a b", "a=b", "a\nb", "ä", "x.datadir", "#a"] {
        assert!(!is_name(name), "{name:?}");
    }
}

#[test]
fn what_a_copy_does_not_go_on_with_is_known_however_it_is_written() {
    for name in [
        "event_scheduler",
        "Event-Scheduler",
        "loose-skip-slave-start",
        "disable_skip_replica_start",
    ] {
        assert!(MARIADB.is_of_originals(name), "{name}");
    }
    assert!(!MARIADB.is_of_originals("event_scheduler_x") && !REDIS.is_of_originals("save"));
}

#[test]
fn passwords_among_settings_are_known() {
    assert!(REDIS.is_secret("MasterAuth") && MARIADB.is_secret("loose-report-password"));
    assert!(MARIADB.is_secret("DB_PASSWORD") && MARIADB.is_secret("loose_secret-token"));
    assert!(!MARIADB.is_secret("disconnect_on_expired_password"));
    assert!(!REDIS.is_secret("maxmemory") && !MARIADB.is_secret("old_passwords"));
}
