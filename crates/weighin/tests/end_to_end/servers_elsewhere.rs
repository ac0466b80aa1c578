//! Private servers on another machine, which ssh reaches: a real sshd in a network namespace. What is
//! started there is reached by its address, encrypted, and gone with its lead.

use crate::load_hosts::{LoadHost, assert_counted};
use crate::ssh::{command, copies_with, signal, sshd};
use crate::support::{
    MARIADB, MYSQL, Ran, Server, Started, VALKEY, Workplace, assert_read_cold, command_lines_with,
    fetched, not_tested, shared_directory, wait_for,
};
use crate::volumes::{files_of_loop_devices, volumes_can_be_built};
use host::{PrivateServer, ServerAct};
use model::{Endpoint, FailureKind, TrialEnd};
use std::fs;
use std::process::Child;

/// The other machine. Its namespace is that of a server which has no part in the studies.
pub struct Far {
    sshd: Child,
    other: Server,
    address: String,
    /// Where private servers are made there.
    servers: tempfile::TempDir,
}

impl Drop for Far {
    fn drop(&mut self) {
        let _ = self.sshd.kill();
        let _ = self.sshd.wait();
    }
}

impl Far {
    /// `None` where this user may not make one.
    pub fn start(place: &Workplace) -> Option<Self> {
        let mut other = Server::start();
        if let Err(failure) = other.sandbox.act(ServerAct::MoveApart) {
            not_tested(&failure.to_string());
            return None;
        }
        let Endpoint::Tcp { host: address, .. } = other.sandbox.address().endpoint.clone() else {
            panic!("a server with a network listens on it")
        };
        let sshd = sshd(place, "far", &address, other.sandbox.pid(), "86400");
        Some(Self { sshd, other, address, servers: shared_directory() })
    }

    /// A target with a private server there.
    pub fn target(&self, keys: &str) -> String {
        format!(
            "[[target]]\nname = \"one\"\nssh = \"far\"\n\
             sandbox = {{ directory = \"{}\" }}\n{keys}\n",
            self.servers.path().display()
        )
    }

    fn processes(&self) -> Vec<String> {
        command_lines_with(&self.servers.path().display().to_string())
    }

    pub fn assert_nothing_left(&self) {
        wait_for("the end of all that was there", || {
            self.processes().is_empty()
                && fs::read_dir(self.servers.path()).unwrap().next().is_none()
        });
    }
}

const HEAD: &str = "[study]\nname = \"private\"\nrepeats = 1\n";

#[test]
fn a_private_server_of_another_machine_is_measured_warm_and_cold() {
    is_measured_warm_and_cold("", "maria");
}

#[test]
fn one_of_postgresql_is_too() {
    is_measured_warm_and_cold("kind = \"postgresql\"", "postgres");
}

fn is_measured_warm_and_cold(kind: &str, program: &str) {
    let place = Workplace::new();
    let Some(far) = Far::start(&place) else { return };
    let target = far.target(kind);
    place.write(
        "study.toml",
        format!(
            "{HEAD}{target}\
             [[test]]\nname = \"warm\"\nworkload = \"oltp_read_write\"\ntable_size = 50000\n\
             clients = 2\nwarmup = \"300ms\"\nduration = \"2s\"\n\
             [[test]]\nname = \"cold\"\nworkload = \"oltp_point_select\"\ntable_size = 50000\n\
             clients = 2\nwarmup = \"0s\"\nduration = \"2s\"\ncache = \"cold\"\n"
        ),
    );
    let checked = Ran::of(command(&place, &["check", "study.toml"])).done();
    assert!(checked.contains("its private server on far is reached over TLS"), "{checked}");
    far.assert_nothing_left();

    let run = Started::new(command(&place, &["run", "study.toml"]));
    wait_for("a server that listens on its machine's address", || {
        far.processes().iter().any(|line| line.contains(&far.address))
    });
    let ran = run.end();
    assert_eq!(ran.code, Some(0), "{ran:?}");
    far.assert_nothing_left();
    let dataset = place.store().dataset().unwrap();
    assert_eq!(dataset.trials.len(), 2);
    for trial in &dataset.trials {
        assert!(matches!(trial.end, TrialEnd::Completed(_)), "{:?}", trial.end);
        assert_counted(trial);
        let own = trial.sampling.target_host.as_ref().unwrap();
        assert_eq!(own.host, "far");
        assert!(own.samples.iter().any(|s| s.server.is_some_and(|s| s.cpus > 0.0)));
        assert!(!trial.sampling.volume.is_empty(), "no disk under its data");
        if trial.key.test == "cold" {
            assert_read_cold(trial);
        }
    }
    let server = &dataset.targets[0].server;
    assert!(server.program.as_ref().is_some_and(|p| p.contains(program)), "{:?}", server.program);
    assert!(server.host.is_some());
    let store = place.files(".weighin")[0].display().to_string();
    let json = Ran::of(command(&place, &["report", &store, "--format", "json"])).json();
    assert!(!json["findings"].to_string().contains("cache_not_cold"), "{}", json["findings"]);
    let page = fs::read_to_string(&place.files(".html")[0]).unwrap();
    assert!(page.contains("a private server on the host far"));
    // What was said over ssh is kept nowhere.
    assert!(!page.contains("BEGIN PRIVATE KEY"));
}

/// The volume is built, limited and removed by the agent there.
#[test]
fn a_server_is_on_a_volume_that_is_built_on_the_other_machine() {
    let place = Workplace::new();
    let Some(far) = Far::start(&place) else { return };
    place.write(
        "study.toml",
        format!(
            "{HEAD}[[target]]\nname = \"one\"\nssh = \"far\"\n[target.sandbox]\ndirectory = \"{}\"\n\
             volume = {{ size = \"256MiB\", file_system = \"ext4\", write_iops = 300 }}\n\
             [[test]]\nworkload = \"oltp_update_index\"\ntable_size = 1000\nclients = 4\n\
             warmup = \"300ms\"\nduration = \"3s\"\n",
            far.servers.path().display()
        ),
    );
    if !volumes_can_be_built() {
        return;
    }
    Ran::of(command(&place, &["check", "study.toml"])).done();
    let run = Started::new(command(&place, &["run", "study.toml"]));
    run.wait_for_load();
    let mounted = || fs::read_to_string("/proc/mounts").unwrap();
    let directory = far.servers.path().display().to_string();
    // Mounted where the agent is, and nowhere else.
    assert!(!mounted().contains(&directory), "{}", mounted());
    run.end().done();
    far.assert_nothing_left();
    let dataset = place.store().dataset().unwrap();
    let trial = &dataset.trials[0];
    assert_counted(trial);
    let store = place.files(".weighin")[0].display().to_string();
    let json = Ran::of(command(&place, &["report", &store, "--format", "json"])).json();
    let writes = json["trials"][0]["disk_writes_per_second"].as_f64().unwrap();
    assert!((10.0..400.0).contains(&writes), "{writes} writes a second where 300 are the limit");
    assert!(!trial.sampling.volume.is_empty(), "no disk under its data");
    // What is left is looked for by the files under loop devices.
    wait_for("the end of its devices", || !files_of_loop_devices().contains(&directory));
}

#[test]
fn a_load_host_makes_the_load_on_a_private_redis_of_another_machine() {
    let place = Workplace::new();
    let Some(far) = Far::start(&place) else { return };
    let at = (far.address.as_str(), far.other.sandbox.pid());
    let _load_host = LoadHost::start(&place, 0, ("a", "7200"), at);
    let target = far.target("kind = \"redis\"");
    let test = "[[test]]\nworkload = \"key_value\"\nkeys = 1000\nclients = 3\n\
                warmup = \"300ms\"\nduration = \"2s\"\n";
    let load_host = "[[load_host]]\nname = \"a\"\nssh = \"a\"\n";
    for (machines, made_by) in [("", None), (load_host, Some("a"))] {
        place.write("study.toml", format!("{HEAD}{machines}{target}{test}"));
        Ran::of(command(&place, &["run", "study.toml"])).done();
        far.assert_nothing_left();
        let dataset = place.store().dataset().unwrap();
        let [trial] = &dataset.trials[..] else { panic!("{:?}", dataset.trials) };
        assert!(matches!(trial.end, TrialEnd::Completed(_)), "{:?}", trial.end);
        assert_counted(trial);
        assert_eq!(trial.sampling.target_host.as_ref().unwrap().host, "far");
        let load_hosts = trial.sampling.load_hosts.iter().map(|load_host| load_host.host.as_str());
        assert_eq!(load_hosts.collect::<Vec<_>>(), made_by.into_iter().collect::<Vec<_>>());
        for file in place.files(".weighin") {
            fs::remove_file(file).unwrap();
        }
    }
}

#[test]
fn the_server_of_an_unpacked_distribution_is_started_there() {
    let place = Workplace::new();
    let Some(far) = Far::start(&place) else { return };
    let sandbox =
        format!("directory = \"{}\", base = {:?}", far.servers.path().display(), fetched(MARIADB));
    place.write(
        "study.toml",
        format!(
            "{HEAD}[[target]]\nname = \"one\"\nssh = \"far\"\nsandbox = {{ {sandbox} }}\n\
             [[test]]\nworkload = \"oltp_read_write\"\ntable_size = 1000\nclients = 2\n\
             warmup = \"300ms\"\nduration = \"1s\"\n"
        ),
    );
    Ran::of(command(&place, &["run", "study.toml"])).done();
    far.assert_nothing_left();
    let dataset = place.store().dataset().unwrap();
    assert!(dataset.targets[0].server.version.contains("11.4"), "{:?}", dataset.targets[0].server);
    assert_counted(&dataset.trials[0]);
}

#[test]
fn no_private_server_stays_on_another_machine_whoever_is_killed() {
    let place = Workplace::new();
    let Some(far) = Far::start(&place) else { return };
    let target = far.target("");
    place.write(
        "study.toml",
        format!(
            "{HEAD}{target}[[test]]\nworkload = \"oltp_point_select\"\ntable_size = 1000\n\
             clients = 2\nwarmup = \"0s\"\nduration = \"60s\"\n"
        )
        .replace("repeats = 1", "repeats = 2"),
    );
    let run = Started::new(command(&place, &["run", "study.toml"]));
    run.wait_for_load();
    let first = run.workers();
    assert!(!far.processes().is_empty());
    // With its server; the next trial has another.
    let [agent] = copies_with(&place, "far", " agent --stdio")[..] else { panic!("no agent") };
    signal(agent, "KILL");
    wait_for("the second trial's load", || {
        let workers = run.workers();
        !workers.is_empty() && workers.iter().all(|worker| !first.contains(worker))
    });
    wait_for("the end of the first server", || {
        fs::read_dir(far.servers.path()).unwrap().count() == 1
    });
    run.kill();
    far.assert_nothing_left();
    wait_for("the agents' end", || copies_with(&place, "far", " agent --stdio").is_empty());
    let dataset = place.store().dataset().unwrap();
    let [lost] = &dataset.trials[..] else { panic!("{:?}", dataset.trials) };
    let TrialEnd::Failed(failure) = &lost.end else { panic!("{:?}", lost.end) };
    assert_eq!(failure.kind, FailureKind::HostLost, "{failure}");
}

#[test]
fn what_a_machine_lacks_for_a_private_server_is_told() {
    let place = Workplace::new();
    let Some(far) = Far::start(&place) else { return };
    let directory = far.servers.path().display();
    for (sandbox, words) in [
        (
            format!(
                "directory = \"{directory}\", base = {:?} }}\nkind = \"valkey\" #",
                fetched(VALKEY)
            ),
            "TLS support",
        ),
        (format!("directory = \"{directory}\", base = \"/no/such\""), "far: `base` names /no/such"),
        (
            format!("directory = \"{directory}\", listen = \"192.0.2.77\""),
            "far: a private server cannot listen on 192.0.2.77",
        ),
        (format!("directory = \"{directory}/none\""), "far: "),
        // Its TLS has no key exchange that is still taken.
        (
            format!("directory = \"{directory}\", base = {:?}", fetched(MYSQL)),
            "has no TLS as weighin",
        ),
    ] {
        let target =
            format!("[[target]]\nname = \"one\"\nssh = \"far\"\nsandbox = {{ {sandbox} }}\n");
        let workload = if sandbox.contains("valkey") { "key_value" } else { "oltp_point_select" };
        let test = format!("[[test]]\nworkload = \"{workload}\"\nclients = 2\nduration = \"1s\"\n");
        place.write("study.toml", format!("{HEAD}{target}{test}"));
        let ran = Ran::of(command(&place, &["check", "study.toml"]));
        assert_eq!(ran.code, Some(3), "{sandbox}: {ran:?}");
        assert!(format!("{}{}", ran.out, ran.err).contains(words), "no «{words}» in {ran:?}");
        far.assert_nothing_left();
    }
}
