//! Private servers of other programs than the installed ones.

use model::{Place, SandboxSpec, Software};
use std::path::PathBuf;
use study::parse;

fn study(sandbox: &str) -> String {
    format!(
        "[study]\nname = \"s\"\n[[target]]\nname = \"a\"\nsandbox = {{ {sandbox} }}\n\
         [[test]]\nworkload = \"oltp_read_only\"\nclients = [1]\n"
    )
}

fn sandbox(keys: &str) -> SandboxSpec {
    let study = parse(&study(keys), "s.toml").unwrap();
    match study.targets.into_iter().next().unwrap().place {
        Place::Sandbox(spec) => spec,
        other => panic!("{other:?}"),
    }
}

fn refusal(keys: &str) -> String {
    parse(&study(keys), "s.toml").expect_err(keys).to_string()
}

#[test]
fn a_server_comes_from_a_distribution_or_an_image_or_is_installed() {
    assert_eq!(sandbox("").software, Software::Installed);
    let base = sandbox("base = \"/opt/mariadb-11.4\"").software;
    assert_eq!(base, Software::Base(PathBuf::from("/opt/mariadb-11.4")));
    for image in ["mysql:8.4", "docker.io/library/mariadb:11", "localhost:5000/a/b@sha256:0a1b"] {
        let container = sandbox(&format!("container = \"{image}\"")).software;
        assert_eq!(container, Software::Container(image.to_owned()));
    }
}

#[test]
fn what_cannot_be_run_is_refused() {
    for (keys, parts) in [
        ("base = \"mariadb\"", ["absolute path", "/opt/NAME-VERSION"]),
        ("base = \"\"", ["`base` must be a path", ""]),
        ("base = \"/opt/x\", container = \"mysql\"", ["both say which server", "two targets"]),
        ("container = \"--privileged\"", ["not the name of a container image", "NAME:VERSION"]),
        ("container = \"a b\"", ["not the name of a container image", ""]),
        ("container = \"\"", ["not the name of a container image", ""]),
        (
            "container = \"mysql\", volume = { size = \"1GiB\" }",
            ["no volume that weighin builds", "`base`"],
        ),
    ] {
        let message = refusal(keys);
        assert!(parts.iter().all(|part| message.contains(part)), "{message}");
    }
}
