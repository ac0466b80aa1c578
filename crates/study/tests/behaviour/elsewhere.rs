//! Private servers on other machines: a `sandbox` beside `ssh` or `host`.

use model::{Place, Study};

fn study(head: &str, target: &str) -> Result<Study, String> {
    let text = format!(
        "[study]\nname = \"far\"\n{head}[[target]]\nname = \"one\"\n{target}\n\
         [[test]]\nworkload = \"oltp_point_select\"\nclients = 1\n"
    );
    study::parse(&text, "far.toml").map_err(|error| error.to_string())
}

#[test]
fn a_sandbox_may_be_on_another_machine() {
    let table = "[[host]]\nname = \"db2\"\nssh = \"root@10.0.1.12\"\n";
    for (head, target, name) in [
        ("", "ssh = \"root@10.0.1.12\"\nsandbox = {}", "root@10.0.1.12"),
        (table, "host = \"db2\"\nsandbox = { listen = \"10.0.1.12\" }", "db2"),
    ] {
        let study = study(head, target).unwrap();
        let target = &study.targets[0];
        assert_eq!(target.ssh_host().unwrap().name, name);
        let Place::Sandbox(spec) = &target.place else { panic!("{:?}", target.place) };
        assert_eq!(spec.listen.is_some(), name == "db2");
    }
    // Load hosts reach it, and so may it stand beside others.
    let load_host = "[[load_host]]\nname = \"a\"\nssh = \"bench@a\"\n";
    assert!(study(load_host, "ssh = \"root@b\"\nsandbox = {}").is_ok());
    assert!(study(load_host, "sandbox = {}").unwrap_err().contains("a private server"));
}

#[test]
fn what_is_not_possible_there_is_refused_with_the_way_round_it() {
    let far = "ssh = \"root@b\"\n";
    for (target, words) in [
        (format!("{far}sandbox = {{ container = \"mysql:8.4\" }}"), "a container has no network"),
        (format!("{far}sandbox = {{ replicas = 1 }}"), "has no `replicas`"),
        // Whoever reaches that network could log in by the accounts of the original.
        (
            format!("{far}sandbox = {{ trusted = true, data = \"/backup\" }}"),
            "on another machine it would listen on a network",
        ),
        (format!("{far}sandbox = {{ listen = \"0.0.0.0\" }}"), "must be one address"),
        (format!("{far}sandbox = {{ listen = \"db2\" }}"), "must be one address"),
        ("sandbox = { listen = \"10.0.1.12\" }".to_owned(), "is of a server on another machine"),
    ] {
        let said = study("", &target).unwrap_err();
        assert!(said.contains(words) && said.contains("far.toml:"), "no «{words}» in:\n{said}");
    }
}
