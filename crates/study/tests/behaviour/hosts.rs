//! Machines of targets: `ssh`, `host` and `[[host]]`.

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
        (table, "host = \"db2\"", "`host` belongs to a url or a sandbox"),
        ("", "ssh = \"db2\"", "`ssh` belongs to a url or a sandbox"),
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

#[test]
fn a_machine_may_come_for_the_study() {
    let commands = "up = [\"./up.sh\"], down = [\"./down.sh\"], trusted = true";
    let host = |keys: &str| format!("[[host]]\nname = \"vm\"\n{keys}");
    let comes = host(&format!("instance = {{ {commands} }}\n"));
    let on_it = format!("{URL}\nhost = \"vm\"");
    let read = study(&comes, &on_it).unwrap();
    assert_eq!(read.targets[0].ssh_host(), Some(&SshHost::of_instance("vm".to_owned())));
    assert_eq!(read.host_instances[0].name, "vm");
    assert_eq!(read.host_instances[0].spec.up, ["./up.sh"]);
    let priced = format!("{comes}price = {{ monthly = 73.0, currency = \"EUR\" }}");
    assert!(study(&priced, &on_it).unwrap().host_instances[0].price.is_some());
    // Its destination is none that ssh would be given.
    let said = study("", &format!("{URL}\nssh = \"the instance vm\"")).unwrap_err();
    assert!(said.contains("`ssh` must be a destination"), "{said}");
    for (hosts, words) in [
        (format!("{comes}ssh = \"vm\""), "`up` of the instance says how to reach"),
        (
            host("ssh = \"vm\"\nprice = { monthly = 1.0, currency = \"EUR\" }"),
            "`price` applies only to a machine with an `instance`",
        ),
        (host("instance = { up = [\"./up.sh\"], trusted = true }"), "this instance has no `down`"),
        (
            host(&format!("instance = {{ {commands}, per = \"repeat\" }}")),
            "exists for the whole study",
        ),
        (comes.replace("\"vm\"", "\"one\""), "named `one`"),
    ] {
        let target =
            on_it.replace("\"vm\"", if words.contains("one") { "\"one\"" } else { "\"vm\"" });
        let said = study(&hosts, &target).unwrap_err();
        assert!(said.contains(words) && said.contains("help"), "no «{words}» in:\n{said}");
    }
}

/// A study of volumes with these keys of the target.
fn of_volumes(target: &str, test: &str) -> Result<model::Study, String> {
    let host = |name: &str| format!("[[host]]\nname = \"{name}\"\nssh = \"admin@{name}\"\n");
    let named = |name: &&str| target.contains(&format!("\"{name}\""));
    let hosts: String = ["n1", "n2", "n3"].into_iter().filter(named).map(host).collect();
    let text = format!(
        "[study]\nname = \"far\"\n{hosts}\n[[target]]\nname = \"one\"\nkind = \"storage\"\n\
         volumes = [\"/v1\", \"/v2\"]\n{target}\n[[test]]\nworkload = \"storage\"\n\
         block = \"4KiB\"\nqueue_depth = 1\n{test}\n"
    );
    study::parse(&text, "far.toml").map_err(|error| error.to_string())
}

#[test]
fn volumes_are_on_this_machine_or_on_others_which_make_their_load() {
    let machines = |target: &str| {
        let study = of_volumes(target, "vms = 12").unwrap();
        let load = study.tests[0].load().unwrap().clone();
        let load_hosts = load.load_hosts(&study.targets[0]).iter().map(|host| host.name.clone());
        (load_hosts.collect::<Vec<_>>(), load.generators(&study.targets[0]))
    };
    assert_eq!(machines(""), (vec![], 1));
    assert_eq!(machines("ssh = \"me@n1\""), (vec!["me@n1".to_owned()], 1));
    assert_eq!(machines("host = \"n1\""), (vec!["n1".to_owned()], 1));
    let three = ["n1", "n2", "n3"].map(str::to_owned).to_vec();
    assert_eq!(machines("hosts = [\"n1\", \"n2\", \"n3\"]"), (three, 3));

    let study = of_volumes("hosts = [\"n1\", \"n2\", \"n3\"]", "vms = 13").unwrap();
    let needs = study::space(&study);
    let said: Vec<_> = needs.iter().map(|need| (need.volume.to_string(), need.vms)).collect();
    let of = |volume: &str, vms| (volume.to_owned(), vms);
    assert_eq!(said[..2], [of("n1:/v1", 3), of("n2:/v1", 2)]);
    assert_eq!(said[4..], [of("n2:/v2", 2), of("n3:/v2", 2)]);
}

#[test]
fn hosts_of_volumes_that_make_no_sense_are_refused() {
    let three = "hosts = [\"n1\", \"n2\", \"n3\"]";
    for (target, test, words) in [
        ("hosts = []", "vms = 6", "`hosts` is empty"),
        ("hosts = [\"n1\", \"n1\"]", "vms = 6", "named twice"),
        ("hosts = [\"n9\"]", "vms = 6", "no host of this study is named `n9`"),
        ("hosts = [\"n1\"]\nhost = \"n1\"", "vms = 6", "`host` and `hosts` both say"),
        (three, "vms = 5", "vms = 5 leaves some of 6 volumes idle"),
        (three, "vms = 6\nload_generators = 3", "cannot share 6 virtual machines"),
        (three, "vms = 6\ncross_check = true", "another machine than the load"),
    ] {
        let said = of_volumes(target, test).unwrap_err();
        assert!(said.contains(words) && said.contains("help"), "no «{words}» in:\n{said}");
    }
    let said = study("", &format!("{URL}\nhosts = [\"n1\"]")).unwrap_err();
    assert!(said.contains("`hosts` belongs to targets of the kind storage"), "{said}");
}
