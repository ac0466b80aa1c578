//! Machines of targets: `ssh`, `host` and `[[host]]`.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use model::SshHost;

fn study(hosts: &str, target: &str) -> Result<model::Study, String> {
    let text = format!(
        "[study]\nname = \"far\"\n{hosts}\n[[target]]\nname = \"one\"\n{target}\n\
         [[test]]\nworkload = \"oltp_point_select\"\nclients = 1\n"
    );
    study::parse(&text, "far.toml").map_err(|error| error.to_string())
}

const URL: &str = "url = \"mysql://u@db2/sbtest\"";

#[test]
fn a_target_names_its_machine_or_where_ssh_finds_it() {
    let host = |name: &str, destination: &str| SshHost {
        name: name.to_owned(),
        destination: destination.to_owned(),
    };
    let direct = study("", &format!("{URL}\nssh = \"admin@db2.internal\"")).unwrap();
    assert_eq!(
        direct.targets[0].ssh_host(),
        Some(&host("admin@db2.internal", "admin@db2.internal"))
    );
    let table = "[[host]]\nname = \"db2\"\nssh = \"admin@db2.internal\"";
    let named = study(table, &format!("{URL}\nhost = \"db2\"")).unwrap();
    assert_eq!(named.targets[0].ssh_host(), Some(&host("db2", "admin@db2.internal")));
    assert_eq!(study("", URL).unwrap().targets[0].ssh_host(), None);
}

#[test]
fn what_makes_no_sense_is_refused_with_the_way_round_it() {
    let table = "[[host]]\nname = \"db2\"\nssh = \"db2\"";
    let (by_host, by_ssh) = (format!("{URL}\nhost = \"db2\""), format!("{URL}\nssh = \"db2\""));
    for (hosts, target, words) in [
        (table, URL, "no target is on the host `db2`"),
        ("", by_host.as_str(), "no host of this study is named `db2`"),
        (table, &format!("{by_ssh}\nhost = \"db2\""), "`host` and `ssh` both say"),
        (table, "sandbox = {}\nhost = \"db2\"", "`host` belongs to a url"),
        ("", "sandbox = {}\nssh = \"db2\"", "`ssh` belongs to a url"),
        ("", &format!("{URL}\nssh = \"-oProxyCommand=id\""), "`ssh` must be a destination"),
        ("[[host]]\nname = \"db2\"", &by_host, "this host has no `ssh`"),
        ("[[host]]\nssh = \"db2\"", &by_host, "this host has no name"),
        (&format!("{table}\n{table}"), &by_host, "a second host is named `db2`"),
        // Figures of two machines would be under one name.
        ("[[host]]\nname = \"db2\"\nssh = \"db3\"", &by_ssh, "would call this machine `db2`"),
        ("[[host]]\nname = \"this machine\"\nssh = \"db2\"", URL, "results call the machine"),
    ] {
        let said = study(hosts, target).unwrap_err();
        assert!(said.contains(words) && said.contains("help"), "no «{words}» in:\n{said}");
    }
}
