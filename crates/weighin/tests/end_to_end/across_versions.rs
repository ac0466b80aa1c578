//! Versions side by side: private servers of unpacked distributions, which scripts/servers fetches.

mod containers;

use crate::support::{
    MARIADB, MYSQL, VALKEY, Workplace, command_lines_with, fetched, not_tested, processes_with,
    shared_directory, wait_for,
};
use model::Metric;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

fn target(name: &str, kind: &str, sandbox: &str) -> String {
    format!("[[target]]\nname = \"{name}\"\nkind = \"{kind}\"\nsandbox = {{ {sandbox} }}\n")
}

fn base(name: &str) -> String {
    format!("base = {:?}", fetched(name))
}

const HEAD: &str = "[study]\nname = \"versions\"\nrepeats = 1\n";
const OLTP: &str = "[[test]]\nworkload = \"oltp_read_write\"\ntable_size = 200\nclients = 2\n\
                    warmup = \"100ms\"\nduration = \"400ms\"\n";

const KEY_VALUE: &str = "[[test]]\nworkload = \"key_value\"\nkeys = 100\nclients = 2\n\
                         warmup = \"100ms\"\nduration = \"300ms\"\n";

/// A study of the installed MariaDB, another one, and MySQL, on servers that commit without waiting
/// for the disk.
fn three_versions() -> String {
    let set = "settings = { innodb_flush_log_at_trx_commit = 0 }";
    [
        HEAD,
        &target("installed", "mariadb", set),
        &target("newer", "mariadb", &format!("{set}, {}", base(MARIADB))),
        &target("other", "mysql", &format!("{set}, {}", base(MYSQL))),
        OLTP,
    ]
    .concat()
}

#[test]
fn versions_of_two_makes_are_measured_side_by_side_and_their_defaults_compared() {
    let place = Workplace::new();
    place.write("versions.toml", three_versions());
    let plan = place.weighin(&["plan", "versions.toml"]).done();
    assert!(plan.contains("runs the server in"), "{plan}");
    let check = place.weighin(&["check", "versions.toml"]).done();
    assert!(check.contains("newer: MariaDB 11.4.5-MariaDB;"), "{check}");
    assert!(check.contains("other: MySQL 8.0.15;"), "{check}");
    place.weighin(&["run", "versions.toml", "--store", "kept.weighin"]).done();
    let report = place.weighin(&["report", "kept.weighin", "--format", "json"]).json();
    let targets = report["targets"].as_array().unwrap();
    let server = |number: usize, key: &str| targets[number]["server"][key].as_str().unwrap();
    assert_eq!(server(2, "version"), "8.0.15");
    for (number, name) in [(1, MARIADB), (2, MYSQL)] {
        assert!(server(number, "program").contains(name), "{}", server(number, "program"));
    }
    // Every statement that a client sent is one that the server has counted.
    let found = |kind: &str| {
        report["findings"].as_array().unwrap().iter().filter(|one| one["kind"] == kind).count()
    };
    assert_eq!(found("counters_disagree"), 0);
    let settings = report["settings"].as_array().unwrap();
    let setting = |name: &str| settings.iter().find(|setting| setting["name"] == name);
    let character_set = setting("character_set_server").unwrap();
    assert_eq!(character_set["origin"], "default");
    assert_eq!(character_set["values"]["installed"], "latin1");
    assert_eq!(character_set["values"]["other"], "utf8mb4");
    assert_eq!(setting("log_bin").unwrap()["values"]["other"], "ON");
    // It would make a key at each start, for seconds.
    assert_eq!(setting("have_ssl").unwrap()["values"]["newer"], "DISABLED");
    // What the study sets for all is no difference, and neither is where a server has its files.
    for name in ["innodb_flush_log_at_trx_commit", "datadir", "basedir", "plugin_dir", "version"] {
        assert!(setting(name).is_none(), "{name}");
    }
    let page = std::fs::read_to_string(place.path("kept.html")).unwrap();
    assert!(page.contains("Defaults that differ ("), "no table of defaults");
    assert!(page.contains("of the distribution in"), "the page does not say where the server is");
}

#[test]
fn caching_sha2_logs_in_to_a_private_mysql_after_every_restart() {
    let place = Workplace::new();
    let study = [HEAD, &target("a", "mysql", &base(MYSQL)), OLTP].concat();
    place.write("study.toml", study.replace("repeats = 1", "repeats = 2"));
    let said = place.weighin(&["run", "study.toml", "--store", "kept.weighin"]).done();
    assert!(said.contains("transactions per second"), "{said}");
}

/// Two servers of MySQL that replicate.
fn mysql_pair(more: &str) -> String {
    let set = "settings = { innodb_flush_log_at_trx_commit = 0 }";
    target("pair", "mysql", &format!("replicas = 1, {more}{set}, {}", base(MYSQL)))
}

/// A figure of the only trial of a study.
fn figure(place: &Workplace, tests: &str, name: &str) -> f64 {
    place.write("study.toml", [HEAD, &mysql_pair(""), tests].concat());
    place.weighin(&["run", "study.toml", "--store", "kept.weighin"]).done();
    place.assert_no_server_left();
    let report = place.weighin(&["report", "kept.weighin", "--format", "json"]).json();
    std::fs::remove_file(place.path("kept.weighin")).unwrap();
    let trial = &report["trials"][0];
    trial[name].as_f64().unwrap_or_else(|| panic!("no {name} in {trial:#}"))
}

#[test]
fn a_private_replica_of_mysql_catches_up_and_takes_plugins_to_be_semi_synchronous() {
    let place = Workplace::new();
    let tests = "[[test]]\ntask = \"catch_up\"\nclients = 2\ntable_size = 200\n\
                 backlog_transactions = 200\n";
    // By global transaction ids: heartbeats are known as well, and deadlocks have none.
    assert!(figure(&place, tests, "backlog_transactions") >= 150.0);

    // The distribution has no plugins.
    place.write("study.toml", [HEAD, &mysql_pair("semi_sync = true, "), tests].concat());
    let check = place.weighin(&["check", "study.toml"]);
    for part in ["MySQL 8.0.15 in", "without the plugin semisync_master.so", "leave out semi_sync"]
    {
        assert!(check.out.contains(part), "{check:?}");
    }
}

#[test]
fn a_private_replica_of_another_mariadb_follows_without_tls() {
    let place = Workplace::new();
    let pair = target("pair", "mariadb", &format!("replicas = 1, {}", base(MARIADB)));
    let test = "[[test]]\ntask = \"catch_up\"\nclients = 2\ntable_size = 200\n\
                backlog_transactions = 50\n";
    place.write("study.toml", [HEAD, &pair, test].concat());
    place.weighin(&["run", "study.toml"]).done();
    let trials = place.store().dataset().unwrap().trials;
    assert!(trials[0].outcome().is_some(), "{:?}", trials[0].end);
}

#[test]
fn a_private_pair_of_mysql_fails_over() {
    let place = Workplace::new();
    let test = |name: &str, cause: &str| {
        format!("[[test]]\nname = \"{name}\"\ntask = \"failover\"\n{cause}\nat = \"1s\"\n")
    };
    let loss = match host::this_machine().check_networks() {
        Ok(()) => test("network", "loss = \"network\"\ntimeout = \"2s\""),
        Err(_) => test("kill", "loss = \"kill\""),
    };
    let handover = test("handover", "switch = \"planned\"");
    place.write("study.toml", [HEAD, &mysql_pair(""), &loss, &handover].concat());
    place.weighin(&["run", "study.toml"]).done();
    place.assert_no_server_left();
    for trial in place.store().dataset().unwrap().trials {
        let outcome = trial.outcome().unwrap_or_else(|| panic!("{:?}", trial.end));
        let least = if trial.key.test == "network" { 3.3 } else { 0.0 };
        assert!(outcome.metric(Metric::Downtime).unwrap().value > least, "{outcome:?}");
        assert_eq!(outcome.number("acknowledged writes").map(|n| n.value > 100.0), Some(true));
    }
}

#[test]
fn redis_runs_beside_its_kin_from_a_distribution() {
    let place = Workplace::new();
    let study = [
        HEAD,
        &target("redis", "redis", ""),
        &target("valkey", "valkey", &base(VALKEY)),
        KEY_VALUE,
    ];
    place.write("study.toml", study.concat());
    place.weighin(&["run", "study.toml", "--store", "kept.weighin"]).done();
    let report = place.weighin(&["report", "kept.weighin", "--format", "json"]).json();
    assert_eq!(report["targets"][1]["server"]["version"], "Valkey 9.1.2");
}

#[test]
fn a_distribution_that_cannot_be_run_says_why() {
    let place = Workplace::new();
    let directory = shared_directory();
    let empty = directory.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    let open = directory.path().join("open");
    std::fs::create_dir_all(open.join("bin")).unwrap();
    std::fs::copy("/bin/true", open.join("bin/mariadbd")).unwrap();
    std::fs::set_permissions(open.join("bin"), PermissionsExt::from_mode(0o777)).unwrap();
    let another = directory.path().join("another");
    std::fs::create_dir_all(another.join("bin")).unwrap();
    std::fs::copy("/bin/echo", another.join("bin/mysqld")).unwrap();
    let away = directory.path().join("away");
    std::fs::create_dir_all(away.join("bin")).unwrap();
    symlink("/bin/true", away.join("bin/mariadbd")).unwrap();
    let cases: [(&Path, &str, &str); 6] = [
        (Path::new("/nonexistent"), "mariadb", "cannot be opened"),
        (&empty, "mariadb", "no mariadbd or mysqld in"),
        (&open, "mariadb", "others could exchange its programs"),
        (&another, "mysql", "says with --version what no MariaDB or MySQL server says"),
        (&away, "mariadb", "leads out of the distribution"),
        (&fetched(MYSQL), "redis", "no redis-server"),
    ];
    for (path, kind, told) in cases {
        let study = [HEAD, &target("a", kind, &format!("base = {path:?}"))].concat();
        let test = match kind {
            "redis" => "[[test]]\nworkload = \"key_value\"\nclients = 1\n",
            _ => OLTP,
        };
        place.write("study.toml", &(study + test));
        let check = place.weighin(&["check", "study.toml"]);
        assert!(check.out.contains(told), "{told}: {check:?}");
        assert!(check.out.contains("= help: "), "{check:?}");
    }
}

#[test]
fn nothing_stays_of_servers_whose_weighin_is_killed() {
    let place = Workplace::new();
    let sandboxes = shared_directory();
    let study = [
        HEAD,
        &target("newer", "mariadb", &base(MARIADB)),
        &target("other", "mysql", &base(MYSQL)),
        &OLTP.replace("400ms", "60s"),
    ];
    place.write("study.toml", study.concat());
    let mut command = place.command(&["run", "study.toml"]);
    let mut weighin = command.env("WEIGHIN_SANDBOX_DIR", sandboxes.path()).spawn().unwrap();
    let inside = sandboxes.path().display().to_string();
    let servers = || {
        let lines = processes_with(&format!("--datadir={inside}"));
        lines.into_iter().filter(|(_, line)| line.contains("--port=")).collect::<Vec<_>>()
    };
    wait_for("a server", || !servers().is_empty());
    if host::local::os::is_root() {
        // The server of one target may end, and that of the next begin, while they are looked at.
        let uids = || -> Vec<(String, String)> {
            let users = |(pid, line): (u32, String)| {
                let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
                let uid = status.lines().find(|line| line.starts_with("Uid:"))?;
                Some((line, uid.to_owned()))
            };
            servers().into_iter().filter_map(users).collect()
        };
        let mut seen = Vec::new();
        wait_for("the user of a server", || {
            seen = uids();
            !seen.is_empty()
        });
        for (line, uid) in seen {
            assert!(!uid.split_whitespace().any(|id| id == "0"), "{line} runs as root: {uid}");
        }
    } else {
        not_tested("as whom root runs a server");
    }
    weighin.kill().unwrap();
    weighin.wait().unwrap();
    wait_for("the end of all that it started", || {
        command_lines_with(&inside).is_empty()
            && std::fs::read_dir(sandboxes.path()).unwrap().next().is_none()
    });
}

/// The programs of installed packages in a directory, where `dpkg -x` puts them; `None` where this is no
/// Debian.
fn unpacked(directory: &Path, packages: &[&str]) -> Option<()> {
    let script = "dpkg --listfiles \"$@\" | grep ^/usr/ | grep -v ^/usr/share/doc/ | sort -u >list
                  tar -c --no-recursion -P -T list | tar -x --no-same-owner --transform 's,^/,,'
                  rm list";
    if !Path::new("/usr/bin/dpkg").exists() {
        not_tested("packages of Debian: there is no dpkg");
        return None;
    }
    let mut copy = Command::new("sh");
    let done = copy.args(["-ec", script, "sh"]).args(packages).current_dir(directory).status();
    assert!(done.unwrap().success());
    Some(())
}

#[test]
fn unpacked_packages_of_debian_are_distributions() {
    let place = Workplace::new();
    let directory = shared_directory();
    let packages = [
        "mariadb-server-core",
        "mariadb-client-core",
        "mariadb-server",
        "redis-server",
        "redis-tools",
    ];
    if unpacked(directory.path(), &packages).is_none() {
        return;
    }
    let base = format!("base = {:?}", directory.path());
    let set = "replicas = 1, semi_sync = true, settings = { innodb_flush_log_at_trx_commit = 0 }, ";
    let sql = [HEAD, &target("unpacked", "mariadb", &format!("{set}{base}")), OLTP];
    let redis = [HEAD, &target("unpacked", "redis", &base), KEY_VALUE];
    for (study, program) in [(sql.concat(), "usr/sbin/mariadbd"), (redis.concat(), "redis-server")]
    {
        place.write("study.toml", study);
        place.weighin(&["run", "study.toml", "--store", "kept.weighin"]).done();
        place.assert_no_server_left();
        let report = place.weighin(&["report", "kept.weighin", "--format", "json"]).json();
        let named = report["targets"][0]["server"]["program"].as_str().unwrap();
        assert!(named.starts_with(directory.path().to_str().unwrap()), "{named}");
        assert!(named.ends_with(program), "{named}");
        std::fs::remove_file(place.path("kept.weighin")).unwrap();
    }
}
