//! Loads that other machines make: two of them, each with a sshd in a network namespace of its own and a
//! monotonic clock that is hours ahead, and a server in a third, which they reach and the lead too.

use crate::ssh::{command, copies_with, reach_through, signal, sshd};
use crate::support::{
    Namespace, Ran, Server, Started, Workplace, certificates_for, far_proxy, not_tested,
    processes_with, wait_for,
};
use host::{PrivateServer, ServerAct};
use model::{Endpoint, FailureKind, TrialEnd, TrialRecord};
use std::fs;
use std::process::{Child, Command};
use std::time::Duration;

/// The machines, and by how many seconds their clocks are ahead.
pub const LOAD_HOSTS: [(&str, &str); 2] = [("a", "86400"), ("b", "7200")];

/// Seconds: less than their clocks are apart.
const APART: f64 = 3_600.0;

/// How far away a far machine is, in one direction.
const FAR: Duration = Duration::from_millis(500);

/// A machine that makes load.
pub struct LoadHost {
    sshd: Child,
    /// The lead's end of the link to it.
    link: String,
    _namespace: Namespace,
}

impl Drop for LoadHost {
    fn drop(&mut self) {
        self.end_sshd();
    }
}

impl LoadHost {
    /// Reaches a server, known by its address and its process, and is reached by the lead, by a link
    /// each; its clock is ahead by so many seconds. `number` tells it from others of that server.
    pub fn start(
        place: &Workplace,
        number: usize,
        (name, ahead): (&str, &str),
        server: (&str, u32),
    ) -> Self {
        let namespace = Namespace::make();
        let (link, address) = namespace.link();
        namespace.link_to_server((number, name), server);
        let sshd = sshd(place, name, &address, namespace.id(), ahead);
        Self { sshd, link, _namespace: namespace }
    }

    fn end_sshd(&mut self) {
        let _ = self.sshd.kill();
        let _ = self.sshd.wait();
    }

    fn set_link(&self, state: &str) {
        let set = Command::new("ip").args(["link", "set", &self.link, state]).status().unwrap();
        assert!(set.success());
    }
}

/// A server and two machines that make its load, with a study; `None` where this user may not.
pub fn start(place: &Workplace, repeats: u32, duration: &str) -> Option<(Vec<LoadHost>, Server)> {
    start_on(Server::start(), place, repeats, duration)
}

/// The same with that server.
fn start_on(
    mut server: Server,
    place: &Workplace,
    repeats: u32,
    duration: &str,
) -> Option<(Vec<LoadHost>, Server)> {
    if let Err(failure) = server.sandbox.act(ServerAct::MoveApart) {
        not_tested(&failure.to_string());
        return None;
    }
    let Endpoint::Tcp { host, port } = server.sandbox.address().endpoint.clone() else {
        panic!("a server with a network listens on it")
    };
    let at = (host.as_str(), server.sandbox.pid());
    let load_hosts = LOAD_HOSTS.iter().enumerate();
    let load_hosts = load_hosts
        .map(|(number, load_host)| LoadHost::start(place, number, *load_host, at))
        .collect();
    place.write(
        "study.toml",
        format!(
            "[study]\nname = \"made-elsewhere\"\nrepeats = {repeats}\n\
             [[load_host]]\nname = \"a\"\nssh = \"a\"\n[[load_host]]\nname = \"b\"\nssh = \"b\"\n\
             [[target]]\nname = \"one\"\nurl = \"mysql://weighin@{host}:{port}/sbtest\"\n\
             password_file = \"{}\"\n\
             [[test]]\nworkload = \"oltp_point_select\"\ntable_size = 1000\nclients = 5\nrate = 400\n\
             warmup = \"500ms\"\nduration = \"{duration}\"\n",
            server.password_file().display()
        ),
    );
    Some((load_hosts, server))
}

/// Links of half a second in each direction: clocks are read over them, and the start is told in time.
#[test]
fn far_machines_begin_when_they_were_told() {
    let place = Workplace::new();
    let Some((_makers, _server)) = start(&place, 1, "2s") else { return };
    // Copied while they are near.
    Ran::of(command(&place, &["hosts", "study.toml"])).done();
    let far = LOAD_HOSTS.map(|(name, _)| {
        let config = fs::read_to_string(place.path("ssh_config")).unwrap();
        let (_, of_host) = config.split_once(&format!("Host {name}\n  HostName ")).unwrap();
        let address = of_host.lines().next().unwrap();
        let proxy = far_proxy(format!("{address}:2222").parse().unwrap(), FAR);
        reach_through(&place, name, proxy.port());
        proxy
    });
    Ran::of(command(&place, &["run", "study.toml"])).done();
    assert!(far.iter().all(|proxy| proxy.bytes() > 10_000));
    let dataset = place.store().dataset().unwrap();
    let trial = &dataset.trials[0];
    assert_counted(trial);
    let load = trial.load().unwrap();
    // The news of the start was half a second on its way: both were late, if it had not been told in time.
    // A busy machine may hold up one.
    let late = load.generators.iter().map(|generator| generator.begun_late).min();
    assert!(late.is_some_and(|late| late < FAR / 2), "{:?}", load.generators);
    for load_host in &trial.sampling.load_hosts {
        for clock in [load_host.clock_before, load_host.clock_after] {
            assert!(clock.uncertainty_seconds >= FAR.as_secs_f64(), "{clock:?}");
        }
    }
}

#[test]
fn a_trial_begins_without_a_load_host_that_is_not_there_where_the_study_allows_it() {
    let place = Workplace::new();
    let Some((mut load_hosts, _server)) = start(&place, 1, "1s") else { return };
    // Its machine is there and refuses connections.
    load_hosts[1].end_sshd();
    let refused = Ran::of(command(&place, &["check", "study.toml"]));
    assert_eq!(refused.code, Some(3), "{refused:?}");
    let study = fs::read_to_string(place.path("study.toml")).unwrap();
    let optional = study.replace("ssh = \"b\"", "ssh = \"b\"\nrequired = false");
    place.write("study.toml", &optional);
    let checked = Ran::of(command(&place, &["check", "study.toml"])).done();
    assert!(
        checked.contains("warning  b is not there") && checked.contains("a makes load"),
        "{checked}"
    );
    Ran::of(command(&place, &["run", "study.toml"])).done();
    let dataset = place.store().dataset().unwrap();
    assert_counted(&dataset.trials[0]);
    let shares = &dataset.trials[0].load().unwrap().generators;
    let shares: Vec<_> = shares.iter().map(|one| (one.host.as_deref(), one.clients)).collect();
    assert_eq!(shares, [(Some("a"), 5)]);
    let store = place.files(".weighin")[0].display().to_string();
    let report = Ran::of(command(&place, &["report", &store, "--format", "markdown"])).done();
    let said =
        "The load was made without b, which was not there; the other load hosts had all clients";
    assert!(report.contains(said), "{report}");
    // None at all is a failed trial.
    place.write("study.toml", optional.replace("ssh = \"a\"", "ssh = \"a\"\nrequired = false"));
    load_hosts[0].end_sshd();
    let refused = Ran::of(command(&place, &["run", "study.toml", "--store", "none.weighin"]));
    assert_ne!(refused.code, Some(0), "{refused:?}");
    assert!(refused.err.contains("no load host is there"), "{refused:?}");
}

fn generators(place: &Workplace, machine: &str) -> Vec<u32> {
    copies_with(place, machine, " load-generator")
}

/// What the server counted is what both machines together got answers to.
pub fn assert_counted(trial: &TrialRecord) {
    let load = trial.load().unwrap();
    let (before, after) = (&trial.sampling.before, &trial.sampling.after);
    let (before, after) = (before.as_ref().unwrap(), after.as_ref().unwrap());
    let mut counted = 0;
    for (name, acknowledged) in load.requests.expected() {
        let grown = after.counters.get(name).unwrap() - before.counters.get(name).unwrap();
        assert_eq!(grown as u64, acknowledged, "{name}");
        counted += acknowledged;
    }
    assert!(counted > 10, "{counted}");
}

/// Load hosts take no file of theirs for it: the certificates come from the lead.
#[test]
fn load_hosts_check_the_certificate_of_a_server_as_the_lead_does() {
    let place = Workplace::new();
    let files = certificates_for("DNS:elsewhere");
    let file = |name: &str| files.path().join(name).display().to_string();
    let settings = [("ssl_cert", &*file("server.pem")), ("ssl_key", &*file("server.key"))];
    let server = Server::start_with(&settings);
    let Some((_makers, server)) = start_on(server, &place, 1, "2s") else { return };
    let study = fs::read_to_string(place.path("study.toml")).unwrap();
    let checked = "tls = \"verified\"\ntls_ca = \"ca.pem\"\n[[test]]";
    place.write("study.toml", study.replace("[[test]]", checked));
    // Its address is known only now.
    let Endpoint::Tcp { host, .. } = &server.sandbox.address().endpoint else {
        panic!("no network")
    };
    let own = certificates_for(&format!("IP:{host}"));
    for name in ["server.pem", "server.key"] {
        fs::copy(own.path().join(name), files.path().join(name)).unwrap();
    }
    server.query("FLUSH SSL");
    let accepted = || -> u32 {
        let said = server.query("SHOW GLOBAL STATUS LIKE 'Ssl_accepts'").remove(0);
        said.rsplit('\t').next().unwrap().parse().unwrap()
    };
    fs::copy(files.path().join("ca.pem"), place.path("ca.pem")).unwrap();
    let ran = Ran::of(command(&place, &["run", "study.toml"]));
    assert!(ran.code != Some(0) && ran.err.contains("certificate"), "{ran:?}");
    fs::copy(own.path().join("ca.pem"), place.path("ca.pem")).unwrap();
    let before = accepted();
    Ran::of(command(&place, &["run", "study.toml"])).done();
    assert!(accepted() >= before + 5, "every client of the load is encrypted");
    let dataset = place.store().dataset().unwrap();
    assert_counted(&dataset.trials[0]);
    assert_eq!(dataset.trials[0].load().unwrap().generators.len(), 2);
}

#[test]
fn two_machines_make_one_load_and_the_lead_none() {
    let place = Workplace::new();
    let Some((_makers, server)) = start(&place, 1, "5s") else { return };
    let planned = Ran::of(command(&place, &["plan", "study.toml"])).done();
    assert!(planned.contains("the load comes from a and b, by 2 load generators"), "{planned}");
    let checked = Ran::of(command(&place, &["check", "study.toml"])).done();
    assert!(checked.contains("a makes load") && checked.contains("b makes load"), "{checked}");

    let password = fs::read_to_string(server.password_file()).unwrap();
    let run = Started::new(command(&place, &["run", "study.toml"]));
    wait_for("the load generators", || {
        LOAD_HOSTS.iter().all(|(name, _)| generators(&place, name).len() == 1)
    });
    assert_eq!(processes_with(password.trim()), []);
    let mut made_here = false;
    wait_for("the end of the load", || {
        made_here |= !run.workers().is_empty();
        LOAD_HOSTS.iter().all(|(name, _)| generators(&place, name).is_empty())
    });
    assert!(!made_here, "the lead has made load");
    run.end().done();
    let dataset = place.store().dataset().unwrap();
    let trial = &dataset.trials[0];
    let load = trial.load().unwrap();
    assert_counted(trial);
    let shares: Vec<_> =
        load.generators.iter().map(|share| (share.host.as_deref(), share.clients)).collect();
    assert_eq!(shares, [(Some("a"), 3), (Some("b"), 2)]);
    let made: u64 = load.generators.iter().map(|share| share.transactions).sum();
    assert_eq!(made, load.measure.transactions);
    assert!(load.generators.iter().all(|share| share.transactions > 0), "{shares:?}");

    // Their clocks are hours apart, and they begin together, as far as a busy machine lets them.
    let spread = analyse::start_spread(load, &trial.sampling).unwrap();
    assert!(spread.seconds + spread.uncertainty_seconds < APART, "{spread:?}");
    let load_hosts = &trial.sampling.load_hosts;
    assert_eq!(
        load_hosts.iter().map(|load_host| load_host.host.as_str()).collect::<Vec<_>>(),
        ["a", "b"]
    );
    for load_host in load_hosts {
        assert_eq!(load_host.facts.as_ref().unwrap().cpus, dataset.run.host.cpus);
        for clock in [load_host.clock_before, load_host.clock_after] {
            assert!(
                clock.uncertainty_seconds > 0.0 && clock.uncertainty_seconds < FAR.as_secs_f64(),
                "{clock:?}"
            );
        }
        // With the generator, and not the agent alone.
        assert!(
            load_host.samples.iter().any(|sample| sample.client.cpus > 0.01),
            "{:?}",
            load_host.samples
        );
    }
    let page = fs::read_to_string(&place.files(".html")[0]).unwrap();
    for words in ["<h3>Load hosts</h3>", "from the load hosts a and b", "ahead", "±"] {
        assert!(page.contains(words), "no «{words}» in the report");
    }
    let store = place.files(".weighin")[0].display().to_string();
    let report = |format: &str| Ran::of(command(&place, &["report", &store, "--format", format]));
    let json = report("json").json();
    assert_eq!(json["load_hosts"][1]["host"], "b");
    assert_eq!(json["load_generators"][0]["host"], "a");
    assert_eq!(json["trials"][0]["load_hosts"], "a, b");
    assert!(json["trials"][0]["start_spread_ms"].as_f64().unwrap() < 1e3 * APART);
    assert!(report("csv").done().contains("start_spread_uncertainty_ms"));
    assert!(report("markdown").done().contains("### Load hosts"));
    wait_for("the agents' end", || {
        LOAD_HOSTS.iter().all(|(name, _)| copies_with(&place, name, "agent").is_empty())
    });
    let removed = Ran::of(command(&place, &["hosts", "--clean", "study.toml"])).done();
    assert_eq!(removed, "a: weighin is removed\nb: weighin is removed\n");
}

#[test]
fn a_lost_machine_fails_its_trial_and_nothing_loads_on_without_a_lead() {
    let place = Workplace::new();
    let Some((load_hosts, _server)) = start(&place, 4, "60s") else { return };
    let run = Started::new(command(&place, &["run", "study.toml"]));
    let mut known: Vec<u32> = Vec::new();
    let mut next = || {
        let mut made_by = Vec::new();
        wait_for("new load generators", || {
            made_by = LOAD_HOSTS.iter().flat_map(|(name, _)| generators(&place, name)).collect();
            made_by.len() == 2 && made_by.iter().all(|pid| !known.contains(pid))
        });
        known.extend(&made_by);
        // Threads of a load that is under way, and not logging in.
        wait_for("the load", || {
            made_by.iter().all(|pid| {
                let tasks = fs::read_dir(format!("/proc/{pid}/task"));
                tasks.is_ok_and(|tasks| tasks.count() > 2)
            })
        });
        std::thread::sleep(Duration::from_millis(700));
        made_by
    };
    let over = |made_by: &[u32], what: &str| {
        wait_for(what, || {
            let mut left = LOAD_HOSTS.iter().flat_map(|(name, _)| generators(&place, name));
            !left.any(|pid| made_by.contains(&pid))
        });
    };
    let agent = |machine: &str| copies_with(&place, machine, " agent --stdio")[0];

    let made_by = next();
    signal(agent("a"), "KILL");
    over(&made_by, "the end after an agent was killed");
    // Nothing passes, and nobody is told: the machine that is cut off ends its part by itself.
    let made_by = next();
    load_hosts[1].set_link("down");
    over(&made_by, "the end after a machine was cut off");
    load_hosts[1].set_link("up");
    // Its pipe to the generator stays open.
    let made_by = next();
    let silent = agent("a");
    signal(silent, "STOP");
    over(&made_by, "the end after an agent fell silent");
    signal(silent, "CONT");
    let made_by = next();
    run.kill();
    over(&made_by, "the end after the lead was killed");

    let dataset = place.store().dataset().unwrap();
    let said: Vec<String> = dataset
        .trials
        .iter()
        .map(|trial| match &trial.end {
            TrialEnd::Failed(failure) if failure.kind == FailureKind::HostLost => {
                failure.message.clone()
            }
            end => panic!("{end:?}"),
        })
        .collect();
    let words =
        ["the agent on a was cut off", "the agent on b was silent", "the agent on a was silent"];
    assert_eq!(said.len(), words.len(), "{said:?}");
    for (said, words) in said.iter().zip(words) {
        assert!(said.contains(words), "no «{words}» in {said}");
    }
}
