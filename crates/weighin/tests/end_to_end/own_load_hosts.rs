//! Targets with load hosts of their own: two servers in network namespaces, each with a machine that
//! reaches it and no other.

use crate::load_hosts::{LoadHost, assert_counted};
use crate::ssh::command;
use crate::support::{Ran, Server, Workplace, not_tested};
use host::{PrivateServer, ServerAct};
use model::Endpoint;

/// A server, and the machine that makes its load.
pub struct Pair {
    _load_host: LoadHost,
    pub server: Server,
    address: String,
}

impl Pair {
    /// `None` where this user may not make one.
    pub fn start(place: &Workplace, load_host: (&str, &str)) -> Option<Self> {
        let mut server = Server::start();
        if let Err(failure) = server.sandbox.act(ServerAct::MoveApart) {
            not_tested(&failure.to_string());
            return None;
        }
        let Endpoint::Tcp { host, port } = server.sandbox.address().endpoint.clone() else {
            panic!("a server with a network listens on it")
        };
        let load_host = LoadHost::start(place, 0, load_host, (&host, server.sandbox.pid()));
        Some(Self { _load_host: load_host, server, address: format!("{host}:{port}") })
    }

    pub fn target(&self, name: &str, load_host: &str) -> String {
        format!(
            "[[target]]\nname = \"{name}\"\nurl = \"mysql://weighin@{}/sbtest\"\n\
             password_file = \"{}\"\nload_hosts = [\"{load_host}\"]\n",
            self.address,
            self.server.password_file().display()
        )
    }
}

/// A study of two targets.
fn study(targets: [String; 2]) -> String {
    let [one, two] = targets;
    format!(
        "[study]\nname = \"zones\"\nrepeats = 1\n\
         [[load_host]]\nname = \"a\"\nssh = \"a\"\n[[load_host]]\nname = \"b\"\nssh = \"b\"\n{one}{two}\
         [[test]]\nworkload = \"oltp_point_select\"\ntable_size = 1000\nclients = 3\nrate = 400\n\
         warmup = \"300ms\"\nduration = \"1s\"\n"
    )
}

#[test]
fn each_target_has_its_load_from_its_own_load_hosts() {
    let place = Workplace::new();
    let Some(one) = Pair::start(&place, ("a", "86400")) else { return };
    let Some(two) = Pair::start(&place, ("b", "7200")) else { return };
    place.write("study.toml", study([one.target("one", "a"), two.target("two", "b")]));
    let planned = Ran::of(command(&place, &["plan", "study.toml"])).done();
    for (target, host) in [("one", "a"), ("two", "b")] {
        let said = format!("the load on {target} comes from {host}, by 1 load generator");
        assert!(planned.contains(&said), "{planned}");
    }
    // The other machine does not reach it, and need not.
    Ran::of(command(&place, &["check", "study.toml"])).done();
    Ran::of(command(&place, &["run", "study.toml"])).done();
    let dataset = place.store().dataset().unwrap();
    assert_eq!(dataset.trials.len(), 2);
    for trial in &dataset.trials {
        let expected = if trial.key.target == "one" { "a" } else { "b" };
        let made_by: Vec<&str> =
            trial.sampling.load_hosts.iter().map(|load_host| load_host.host.as_str()).collect();
        assert_eq!(made_by, [expected], "{}", trial.key);
        let shares = &trial.load().unwrap().generators;
        assert!(shares.iter().all(|share| share.host.as_deref() == Some(expected)), "{shares:?}");
        assert_counted(trial);
    }
    let store = place.files(".weighin")[0].display().to_string();
    let report = |format: &str| Ran::of(command(&place, &["report", &store, "--format", format]));
    let json = report("json").json();
    let made: Vec<&str> = json["trials"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|t| t["load_hosts"].as_str())
        .collect();
    assert_eq!(made.len(), 2, "{made:?}");
    let page = report("markdown").done();
    assert!(page.contains("from the load hosts of each target"), "{page}");

    // Each by the other's machine, which does not get there.
    place.write("study.toml", study([one.target("one", "b"), two.target("two", "a")]));
    let checked = Ran::of(command(&place, &["check", "study.toml"]));
    assert_eq!(checked.code, Some(3), "{}\n{}", checked.out, checked.err);
    for host in ["from b", "from a"] {
        assert!(checked.out.contains(host), "no «{host}» in {}", checked.out);
    }
}
