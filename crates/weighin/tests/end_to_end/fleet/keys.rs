//! A fleet with keys, set up by the very commands and files that docs/hosts.md shows.

use super::machines::Process;
use crate::support::{Started, Workplace, wait_for};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

const DOCUMENT: &str = include_str!("../../../../../docs/hosts.md");
const NAME: &str = "ip-10-0-1-21";

/// What the document has between two texts, the first included.
fn shown(from: &str, to: &str) -> String {
    let start = DOCUMENT.find(from).unwrap_or_else(|| panic!("no «{from}»"));
    let rest = &DOCUMENT[start..];
    rest[..rest.find(to).unwrap_or_else(|| panic!("no «{to}» behind «{from}»"))].to_owned()
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn the_setup_of_the_document_works() {
    let place = Workplace::new();
    let port = test_support::free_port();
    let mut keys = Vec::new();
    for line in shown("weighin seed lead.seed", "```").lines() {
        let arguments = words(line);
        let arguments: Vec<&str> = arguments[1..].iter().map(String::as_str).collect();
        let key = place.weighin(&arguments).done().trim().to_owned();
        assert_eq!(place.weighin(&arguments).done().trim(), key, "it is there already");
        let mode = fs::metadata(place.path(arguments[1])).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        keys.push(key);
    }
    let [lead, agent] = <[String; 2]>::try_from(keys).unwrap();
    let here = |text: String| {
        text.replace("broker.internal:4222", &format!("localhost:{port}"))
            .replace("broker.internal", "localhost")
            .replace("0.0.0.0:4222", &format!("127.0.0.1:{port}"))
            .replace("/etc/nats/", &format!("{}/", place.path("").display()))
            .replace("LEAD_KEY", &lead)
            .replace("AGENT_KEY", &agent)
    };
    let openssl = words(&here(shown("openssl req -x509", "\n")));
    let mut command = Command::new(&openssl[0]);
    command.args(&openssl[1..]).current_dir(place.path("")).stderr(Stdio::null());
    assert!(command.status().unwrap().success(), "{openssl:?}");
    place.write("broker.conf", here(shown("# /etc/nats-server.conf", "```")));
    let mut command = Command::new("nats-server");
    command.arg("-c").arg(place.path("broker.conf")).stderr(Stdio::null());
    let _broker = Process(command.spawn().unwrap());
    wait_for("the broker", || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok());

    let mut started = words(&here(shown("weighin agent tls://broker.internal:4222 --seed", "\n")));
    started.extend(["--name".to_owned(), NAME.to_owned()]);
    let started: Vec<&str> = started[1..].iter().map(String::as_str).collect();
    let mut of_agent: Started = place.start(&started);
    of_agent.wait_for_line(&format!("registered as {NAME}"));

    let fleet = here(shown("[fleet]\n", "[[load_host]]"));
    let known = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4";
    let study = |fleet: &str| {
        format!(
            "[study]\nname = \"keys\"\n{fleet}\n[[load_host]]\nname = \"load1\"\nagent = \"{NAME}\"\n\
             [[target]]\nname = \"one\"\nurl = \"mysql://bench@10.0.1.12/sbtest\"\n\
             [[test]]\nworkload = \"oltp_point_select\"\ntable_size = 1000\nclients = 2\n"
        )
    };
    // With the key of another agent.
    place.write("study.toml", study(&fleet));
    let refused = place.weighin(&["hosts", "study.toml"]);
    refused
        .refused(3, &["load1: ", &format!("with the key {agent}, which the study does not list")]);
    assert!(refused.out.contains("is not taken"), "{}", refused.out);
    place.write("study.toml", study(&fleet.replace(known, &agent)));
    let said = place.weighin(&["hosts", "study.toml"]).done();
    assert!(said.contains("load1: ") && said.contains("processor"), "{said}");
    // Another lead that the broker does not know.
    fs::remove_file(place.path("lead.seed")).unwrap();
    let other = place.weighin(&["seed", "lead.seed"]).done();
    let refused = place.weighin(&["hosts", "study.toml"]);
    refused.refused(3, &[&format!("does not know the key {}", other.trim())]);
    of_agent.kill();
}

#[test]
fn seeds_are_not_taken_from_files_of_others_and_none_is_overwritten() {
    let place = Workplace::new();
    place.weighin(&["seed", "own"]).done();
    let mode = PermissionsExt::from_mode(0o644);
    fs::set_permissions(place.path("own"), mode).unwrap();
    let refused = place.weighin(&["seed", "own"]);
    refused.refused(3, &["chmod 600"]);
    place.write("text", "no seed\n");
    fs::set_permissions(place.path("text"), PermissionsExt::from_mode(0o600)).unwrap();
    place.weighin(&["seed", "text"]).refused(3, &["this is no seed", "it stays as it is"]);
    assert_eq!(fs::read_to_string(place.path("text")).unwrap(), "no seed\n");
    let refused = place.weighin(&["agent", "tls://localhost", "--seed-file", "own"]);
    refused.refused(2, &["--lead"]);
    let seed = fs::read_to_string(place.path("own")).unwrap();
    let with_seed = ["agent", "tls://localhost", "--seed-file", "own", "--lead", seed.trim()];
    place.weighin(&with_seed).refused(2, &["this is no public key"]);
}
