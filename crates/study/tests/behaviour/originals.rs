//! Private servers with the option file, or on a copy of the data, of a server that is in use.

use model::{ConfigChange, Place, SandboxSpec};
use study::load;

/// The sandbox of a study beside which an option file stands.
fn sandbox(kind: &str, keys: &str, options: &str) -> Result<SandboxSpec, String> {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("prod.cnf"), options).unwrap();
    let path = directory.path().join("s.toml");
    let workload = if kind == "redis" { "key_value" } else { "oltp_read_only" };
    let text = format!(
        "[study]\nname = \"s\"\n[[target]]\nname = \"a\"\nkind = \"{kind}\"\nsandbox = {{ {keys} }}\n\
         [[test]]\nworkload = \"{workload}\"\nclients = [1]\n"
    );
    std::fs::write(&path, text).unwrap();
    let study = load(&path).map_err(|error| error.to_string())?;
    match study.targets.into_iter().next().unwrap().place {
        Place::Sandbox(spec) => Ok(spec),
        other => panic!("{other:?}"),
    }
}

/// A member of a cluster, with files outside of its data directory. A private server with these settings would
/// join the cluster, and write to the files.
const MEMBER: &str = "[mysqld]
wsrep_on = ON
wsrep_provider = /usr/lib/galera/libgalera_smm.so
wsrep-cluster-address = gcomm://10.0.0.1,10.0.0.2
loose-group_replication_group_seeds = 10.0.0.1:33061
init_connect = 'INSERT INTO logins VALUES (1)'
plugin_load_add = server_audit
server_audit_file_path = /var/log/mysql/audit.log
rocksdb_datadir = /srv/rocksdb
log_bin = /srv/log/binlog
event_scheduler = ON
sort_buffer_size = 1M
[mysqld-8.0]
mysqlx_ssl_key = /etc/mysql/key.pem
";

#[test]
fn trust_is_for_what_the_study_says_and_not_for_the_file_of_another_server() {
    for trust in ["", "trusted = true, "] {
        let spec = sandbox("mysql", &format!("{trust}config = \"prod.cnf\""), MEMBER).unwrap();
        let given: Vec<&str> = spec.settings.keys().map(String::as_str).collect();
        assert_eq!(given, ["loose_event_scheduler", "loose_log_bin", "loose_sort_buffer_size"]);
        assert_eq!(spec.settings["loose_log_bin"], "binlog");
        let config = spec.config.unwrap();
        assert!(config.of_versions.is_empty(), "{:?}", config.of_versions);
        let left_out = |change: &&ConfigChange| change.instead.is_none();
        assert_eq!(config.changes.iter().filter(left_out).count(), 9, "{:?}", config.changes);
    }
    // What the study itself says is given with trust, also beside such a file.
    let own = "trusted = true, config = \"prod.cnf\", settings = { wsrep_provider = \"none\" }";
    assert_eq!(sandbox("mysql", own, MEMBER).unwrap().settings["wsrep_provider"], "none");
    let module =
        sandbox("redis", "trusted = true, config = \"prod.cnf\"", "loadmodule /opt/x.so\n");
    assert!(module.unwrap().settings.is_empty());
}

#[test]
fn a_copy_goes_on_with_nothing_that_its_original_does() {
    let options = "[mysqld]\nevent-scheduler = 1\nskip_slave_start = 0\nsort_buffer_size = 1M\n";
    let copy = "trusted = true, data = \"/backup\", config = \"prod.cnf\"";
    let spec = sandbox("mysql", copy, options).unwrap();
    assert_eq!(spec.settings.keys().collect::<Vec<_>>(), ["loose_sort_buffer_size"]);
    let why = |change: &ConfigChange| change.why.contains("neither replicates nor runs events");
    assert!(spec.config.unwrap().changes.iter().all(why));
    let own = format!("{copy}, settings = {{ event_scheduler = true }}");
    assert_eq!(sandbox("mysql", &own, options).unwrap().settings["event_scheduler"], "ON");
}

/// As Redis reads its file: an empty `save` takes all before it back.
#[test]
fn points_at_which_data_is_saved_add_up_until_one_is_empty() {
    for (lines, expected) in [
        ("save 900 1\nsave 300 10\n", "900 1 300 10"),
        ("save 900 1\nsave \"\"\n", "\"\""),
        ("save \"\"\nsave 60 1\n", "60 1"),
    ] {
        let spec = sandbox("redis", "config = \"prod.cnf\"", lines).unwrap();
        assert_eq!(spec.settings["save"], expected, "{lines}");
    }
}

/// It would be measured without that data, and nothing would say so.
#[test]
fn data_of_a_server_that_none_is_copied_of_is_refused() {
    for kind in ["postgresql", "redis"] {
        let said = sandbox(kind, "trusted = true, data = \"/backup\"", "").unwrap_err();
        assert!(said.contains("`data` is a data directory of MariaDB and MySQL"), "{said}");
    }
}
