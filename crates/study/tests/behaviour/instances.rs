//! Provisioned targets: `instance`, and what its `up` says.

use model::{Endpoint, InstancePer, InstanceSpec, Place, Study};
use std::time::Duration;
use study::instance_output;

fn study(target: &str) -> Result<Study, String> {
    let text = format!(
        "[study]\nname = \"cloud\"\n[[target]]\nname = \"one\"\n{target}\n\
         [[test]]\nworkload = \"oltp_point_select\"\nclients = 1\n"
    );
    study::parse(&text, "cloud.toml").map_err(|error| error.to_string())
}

const INSTANCE: &str = "[target.instance]\nup = [\"./up.sh\", \"a\"]\ndown = [\"./down.sh\"]\n";

#[test]
fn an_instance_has_commands_and_no_address_before_it_is_up() {
    let keys =
        "per = \"repeat\"\ntime_limit = \"20m\"\nenvironment = [\"HCLOUD_TOKEN\"]\ntrusted = true";
    let study = study(&format!("ssh = \"admin@db\"\n{INSTANCE}{keys}")).unwrap();
    let spec = study.targets[0].instance().unwrap();
    let expected = InstanceSpec {
        up: vec!["./up.sh".into(), "a".into()],
        down: vec!["./down.sh".into()],
        per: InstancePer::Repeat,
        time_limit: Duration::from_secs(1200),
        environment: vec!["HCLOUD_TOKEN".into()],
    };
    assert_eq!(*spec, expected);
    let Place::Server(server) = &study.targets[0].place else { unreachable!() };
    assert_eq!(server.address.endpoint, Endpoint::NotUp);
    assert_eq!(server.host.as_ref().unwrap().destination, "admin@db");
}

#[test]
fn what_makes_no_sense_is_refused_with_the_way_round_it() {
    let trusted = format!("{INSTANCE}trusted = true\n");
    for (target, words) in [
        (INSTANCE.to_owned(), "this `up` would run on this host"),
        (format!("sandbox = {{}}\n{trusted}"), "is a server that is reached over a network"),
        ("[target.instance]\nup = [\"a\"]\ntrusted = true".into(), "this instance has no `down`"),
        ("[target.instance]\ndown = [\"a\"]\ntrusted = true".into(), "this instance has no `up`"),
        (
            "[target.instance]\nup = []\ndown = [\"a\"]\ntrusted = true".into(),
            "`up` names no program",
        ),
        (format!("{trusted}per = \"trial\""), "unknown per `trial`"),
        (format!("{trusted}time_limit = \"0s\""), "`time_limit` must be from 1s to 24h"),
        (format!("{trusted}time_limit = \"soon\""), "`time_limit`"),
        (format!("{trusted}environment = [\"TOKEN=hunter2\"]"), "names of environment variables"),
        (format!("{trusted}upp = [\"a\"]"), "unknown key `upp`"),
    ] {
        let said = study(&target).unwrap_err();
        assert!(said.contains(words) && said.contains("cloud.toml:"), "no «{words}» in:\n{said}");
        assert!(!said.contains("hunter2"), "{said}");
    }
}

#[test]
fn what_up_says_becomes_the_target() {
    let with = |keys: &str| study(&format!("{keys}\n{INSTANCE}trusted = true")).unwrap();
    let of = |study: &Study, output: &str| {
        instance_output(study, &study.targets[0], output).map(|told| {
            let Place::Server(server) = told.target.place else { unreachable!() };
            let host = server.host.map(|host| host.destination).unwrap_or_default();
            (server.address.endpoint.to_string(), host, told.labels)
        })
    };
    let plain = with("password_env = \"PW\"");
    let (endpoint, host, labels) = of(
        &plain,
        r#"{"url": "mysql://u@10.0.0.7/sbtest", "ssh": "a@10.0.0.7", "labels": {"zone": "b", "n": 2}}"#,
    )
    .unwrap();
    assert_eq!((endpoint.as_str(), host.as_str()), ("10.0.0.7:3306", "a@10.0.0.7"));
    assert_eq!((labels["zone"].as_str(), labels["n"].as_str()), ("b", "2"));
    let terraform = r#"{"url": {"sensitive": false, "type": "string", "value": "mysql://u@h:7/d"},
        "root_password": {"sensitive": true, "type": "string", "value": "hunter2"}}"#;
    assert_eq!(of(&plain, terraform).unwrap().0, "h:7");
    let named = with("url = \"mysql://u@fixed/sbtest\"");
    assert_eq!(of(&named, " \n").unwrap().0, "fixed:3306");

    for (output, words) in [
        ("{}", "it says no `url`"),
        ("up at 10.0.0.7", "no JSON object on standard output (line 1, column 1"),
        ("[1]", "no JSON object"),
        (r#"{"url": 7}"#, "`url` must be a text"),
        (r#"{"url": "mysql://u:hunter2@h/d"}"#, "the URL holds a password"),
        (r#"{"url": "redis://h"}"#, "another kind of server"),
        (r#"{"url": {"sensitive": true, "value": "mysql://u@hunter2/d"}}"#, "is sensitive"),
        (r#"{"url": "mysql://u@h/d", "ssh": "-oProxyCommand=id"}"#, "must be a destination"),
        (r#"{"url": "mysql://u@h/d", "labels": {"api_token": "hunter2"}}"#, "contain a secret"),
        (r#"{"url": "mysql://u@h/d", "labels": {"a": "x://u:hunter2@h"}}"#, "`labels`"),
        (r#"{"url": "mysql://u@h/d", "labels": ["a"]}"#, "`labels` must be an object"),
    ] {
        let error = of(&plain, output).unwrap_err();
        let said = format!("{error} {}", error.help());
        assert!(said.contains(words) && !said.contains("hunter2"), "no «{words}» in {said}");
    }
}

#[test]
fn load_hosts_must_reach_it_and_be_another_machine() {
    let text = format!(
        "[study]\nname = \"cloud\"\n[[load_host]]\nname = \"l\"\nssh = \"load\"\n[[target]]\n\
         name = \"one\"\n{INSTANCE}trusted = true\n[[test]]\nworkload = \"oltp_point_select\"\nclients = 1\n"
    );
    let study = study::parse(&text, "cloud.toml").unwrap();
    for (output, words) in [
        (r#"{"url": "mysql://u@127.0.0.1/d"}"#, "load hosts do not reach it"),
        (r#"{"url": "mysql://u@h/d", "ssh": "load"}"#, "its machine is the load host l"),
    ] {
        let error = instance_output(&study, &study.targets[0], output).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
}
