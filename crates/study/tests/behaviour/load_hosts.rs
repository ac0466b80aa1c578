//! Machines that make loads: `[[load_host]]` and `load_hosts`.

use model::{AgentChoice, PasswordSource, Study, Test, Transport};

const TWO: &str = "[[load_host]]\nname = \"a\"\nssh = \"bench@a\"\n\
                   [[load_host]]\nname = \"b\"\nssh = \"bench@b\"\n";
const URL: &str = "url = \"mysql://u@db2/sbtest\"";

fn study(hosts: &str, target: &str, test: &str) -> Result<Study, String> {
    let text = format!(
        "[study]\nname = \"far\"\n{hosts}\n[[target]]\nname = \"one\"\n{target}\n\
         [[test]]\nworkload = \"oltp_point_select\"\n{test}\n"
    );
    study::parse(&text, "far.toml").map_err(|error| error.to_string())
}

#[test]
fn a_test_names_its_load_hosts_or_how_many_and_has_all_of_them_unless_it_says() {
    for (keys, names) in [
        ("clients = 2", vec!["a", "b"]),
        ("clients = 4\nload_generators = 2", vec!["a", "b"]),
        ("clients = 2\nload_hosts = 2", vec!["a", "b"]),
        ("clients = 2\nload_hosts = [\"b\", \"a\"]", vec!["b", "a"]),
        ("rate = 50\nload_hosts = [\"b\", \"a\"]", vec!["b", "a"]),
        ("slo = \"p95 < 5ms\"\nclients = 8", vec!["a", "b"]),
    ] {
        let study = study(TWO, URL, keys).unwrap();
        let load = study.tests.iter().find_map(Test::load).unwrap();
        let load_hosts = load.load_hosts(&study.targets[0]);
        let made_by: Vec<&str> = load_hosts.iter().map(|host| host.name.as_str()).collect();
        assert_eq!(made_by, names, "{keys}");
        assert_eq!(load_hosts[0].transport, Transport::Ssh(format!("bench@{}", names[0])));
        assert_eq!(load.generators(&study.targets[0]), load.load_generators * 2);
    }
    let both = "clients = 1\nload_hosts = [\"b\"]\n[[test]]\nname = \"here\"\n\
         workload = \"oltp_point_select\"\nclients = 1\nload_hosts = []\n[[test]]\nname = \"a\"\n\
         workload = \"oltp_point_select\"\nclients = 1\nload_hosts = 1";
    let study = study(TWO, URL, both).unwrap();
    let made_by: Vec<usize> = study
        .tests
        .iter()
        .map(|test| test.load().unwrap().load_hosts(&study.targets[0]).len())
        .collect();
    assert_eq!(made_by, [1, 0, 1]);
}

#[test]
fn what_makes_no_sense_is_refused_with_the_way_round_it() {
    let again = format!("{TWO}[[load_host]]\nname = \"c\"\nssh = \"bench@a\"\n");
    let same = format!("{URL}\nssh = \"bench@b\"");
    for (hosts, target, test, words) in [
        (TWO, URL, "clients = 1", "2 load generators cannot share a level of 1 client"),
        (TWO, URL, "clients = 3\nload_generators = 2", "4 load generators cannot share"),
        (TWO, URL, "clients = 4\nload_hosts = 3", "asks for 3, and the study has 2"),
        (TWO, URL, "clients = 4\nload_hosts = 0", "asks for 0"),
        (TWO, URL, "clients = 4\nload_hosts = [\"c\"]", "no load host of this study is named `c`"),
        (TWO, URL, "clients = 4\nload_hosts = [\"a\", \"a\"]", "has `a` twice"),
        (TWO, URL, "clients = 4\nload_hosts = 1", "no test has its load made by `b`"),
        ("", URL, "clients = 4\nload_hosts = 1", "the study has 0"),
        (&again, URL, "clients = 4", "two load hosts are one machine"),
        (TWO, &same, "clients = 4", "the load host `b` is the machine of a target"),
        (TWO, "sandbox = {}", "clients = 4", "load hosts do not reach the target `one`"),
        (TWO, "url = \"mysql://u@127.0.0.1/x\"", "clients = 4", "do not reach the target"),
        (TWO, URL, "clients = 4\ncross_check = true", "on another machine than the load"),
        (
            "[[load_host]]\nname = \"a\"",
            URL,
            "clients = 4",
            "this load host has no `ssh`, `agent`, `agents` or `instance`",
        ),
    ] {
        let said = study(hosts, target, test).unwrap_err();
        assert!(said.contains(words) && said.contains("help"), "no «{words}» in:\n{said}");
    }
}

/// A study of two targets with these keys, and a test.
fn of_two(hosts: &str, first: &str, second: &str, test: &str) -> Result<Study, String> {
    let target = format!(
        "{URL}\n{first}\n[[target]]\nname = \"two\"\nurl = \"mysql://u@db3/sbtest\"\n{second}"
    );
    study(hosts, &target, test)
}

/// Who makes the load of the first test on each of the measured targets.
fn made_by(study: &Study) -> Vec<Vec<&str>> {
    let load = study.tests.iter().find_map(Test::load).unwrap();
    let names = |target| load.load_hosts(target).iter().map(|host| host.name.as_str()).collect();
    study.measured().map(names).collect()
}

#[test]
fn targets_have_load_hosts_of_their_own() {
    let (a, b) = ("load_hosts = [\"a\"]", "load_hosts = [\"b\"]");
    let (both, none) = ("load_hosts = [\"b\", \"a\"]", "load_hosts = []");
    let further =
        "clients = 1\n[[test]]\nname = \"all\"\nworkload = \"oltp_point_select\"\nclients = 2";
    for (first, second, test, expected) in [
        (a, b, "clients = 1", [vec!["a"], vec!["b"]]),
        (a, b, "slo = \"p95 < 5ms\"", [vec!["a"], vec!["b"]]),
        (a, b, "clients = 1\nload_hosts = 1", [vec!["a"], vec!["b"]]),
        (a, both, "clients = 1\nload_hosts = 1", [vec!["a"], vec!["b"]]),
        (a, both, "clients = 2", [vec!["a"], vec!["b", "a"]]),
        (both, none, "clients = 2", [vec!["b", "a"], vec![]]),
        (a, b, &format!("load_hosts = []\n{further}"), [vec![], vec![]]),
    ] {
        let study = of_two(TWO, first, second, test).unwrap();
        assert_eq!(made_by(&study), expected, "{first} {second} {test}");
    }
    // The A/A control of a target is that target again.
    let noise = TWO.replacen("[[load_host]]", "noise_floor = true\n[[load_host]]", 1);
    let study = of_two(&noise, a, b, "clients = 1").unwrap();
    assert_eq!(made_by(&study), [["a"], ["b"], ["a"]]);
    // What a run keeps of it.
    let kept = serde_json::to_string(&study).unwrap();
    assert_eq!(serde_json::from_str::<Study>(&kept).unwrap(), study);
    let other = of_two(&noise, b, a, "clients = 1").unwrap();
    let conflicts = study::changes(&study, &other).unwrap_err();
    assert!(
        conflicts.iter().all(|conflict| conflict.change.contains("load_hosts")),
        "{conflicts:?}"
    );
}

#[test]
fn load_hosts_of_targets_that_make_no_sense_are_refused() {
    let (a, b) = ("load_hosts = [\"a\"]", "load_hosts = [\"b\"]");
    let both = "load_hosts = [\"a\", \"b\"]";
    for (first, second, test, words) in [
        (both, "", "clients = 2", "the target `two` does not say which load hosts make its loads"),
        (a, b, "clients = 2\nload_hosts = 2", "asks for 2, and the target `one` has 1"),
        (a, b, "clients = 2\nload_hosts = 0", "asks for 0, and the target `one` has 1"),
        (both, "load_hosts = []", "clients = 2\nload_hosts = 1", "the target `two` has 0"),
        (
            a,
            b,
            "clients = 2\nload_hosts = [\"a\"]",
            "the test and the targets both name load hosts",
        ),
        (a, b, "clients = 2\nload_hosts = []", "no test has its load made by `a`"),
        (a, a, "clients = 2", "no test has its load made by `b`"),
        (a, "load_hosts = [\"bb\"]", "clients = 2", "named `bb`: did you mean `b`?"),
        (a, "load_hosts = [\"b\", \"b\"]", "clients = 2", "has `b` twice"),
        (
            both,
            both,
            "clients = 1",
            "2 load hosts with 2 load generators cannot share a level of 1",
        ),
        (both, b, "clients = 1", "cannot share a level of 1"),
        (a, b, "clients = 2\ncross_check = true", "on another machine than the load"),
        (
            "load_hosts = [\"a\"]\nssh = \"bench@b\"",
            b,
            "clients = 2",
            "`b` is the machine of a target",
        ),
        (
            a,
            "load_hosts = [\"b\"]\nserver_public_key = \"x\"",
            "clients = 2",
            "login to the target `two`",
        ),
    ] {
        let said = of_two(TWO, first, second, test).unwrap_err();
        assert!(said.contains(words) && said.contains("help"), "no «{words}» in:\n{said}");
    }
}

const FLEET: &str =
    "[fleet]\nnats = \"tls://broker/nightly\"\ntoken_env = \"TOKEN\"\nca = \"ca.pem\"\n";
const POOL: &str = "[[load_host]]\nname = \"west\"\nagents = 2\nlabels = { zone = \"w\" }\n";

#[test]
fn load_hosts_are_agents_by_name_or_any_with_labels() {
    let hosts = format!("{FLEET}[[load_host]]\nname = \"one\"\nagent = \"db-3.internal\"\n{POOL}");
    let study = study(&hosts, URL, "clients = 3").unwrap();
    let fleet = study.fleet.unwrap();
    assert_eq!(fleet.address.to_string(), "tls://broker:4222/nightly");
    assert_eq!(fleet.token, PasswordSource::Environment("TOKEN".into()));
    let load = study.tests.iter().find_map(Test::load).unwrap();
    let load_hosts = load.load_hosts(&study.targets[0]);
    let any = || Transport::Agent(AgentChoice::Any([("zone".into(), "w".into())].into()));
    let made_by: Vec<_> =
        load_hosts.iter().map(|host| (host.name.as_str(), host.transport.clone())).collect();
    let named = Transport::Agent(AgentChoice::Named("db-3.internal".into()));
    assert_eq!(made_by, [("one", named), ("west-1", any()), ("west-2", any())]);
}

#[test]
fn fleets_that_make_no_sense_are_refused() {
    let plain = FLEET.replace("tls://broker/nightly", "nats://10.0.0.7:4222");
    let open = FLEET.replace("token_env = \"TOKEN\"\n", "");
    let secret = FLEET.replace("tls://broker", "tls://hunter2@broker");
    let named = |name: &str| format!("[[load_host]]\nname = \"{name}\"\nagent = \"x\"\n");
    let unencrypted = FLEET.replace("tls://broker/nightly", "nats://127.0.0.1");
    let labelled = POOL.replace("agents = 2", "agent = \"x\"");
    for (hosts, words) in [
        (POOL.to_owned(), "does not say where agents register"),
        (FLEET.to_owned(), "no load host of this study is an agent"),
        (format!("{plain}{POOL}"), "would send tokens and passwords over a network"),
        (format!("{open}{POOL}"), "does not say how to log in to the broker"),
        (format!("{secret}{POOL}"), "holds an account or a token"),
        (format!("{unencrypted}{POOL}"), "`ca` is for tls://"),
        (format!("{FLEET}{}", POOL.replace("agents = 2", "agents = 0")), "must be from 1 to 256"),
        (format!("{FLEET}{}", POOL.replace("agents", "ssh = \"b@c\"\nagents")), "both say how"),
        (format!("{FLEET}{labelled}"), "`labels` choose among `agents`"),
        (format!("{FLEET}{}{}", named("a"), named("b")), "two load hosts are one machine"),
        (format!("{FLEET}{}{POOL}", named("west-2")), "would call two load hosts `west-2`"),
        (
            format!("{FLEET}{POOL}{}", POOL.replace("west", "w").replace("2", "255")),
            "has 257 load hosts",
        ),
    ] {
        let said = study(&hosts, URL, "clients = 512").unwrap_err();
        // A range says by itself how to fix it.
        let helps = said.contains("help") || words.starts_with("must be from");
        assert!(said.contains(words) && helps, "no «{words}» in:\n{said}");
        assert!(!said.contains("hunter2"), "{said}");
    }
}
