//! Templates with their schema, and the Debian package.

use crate::support::{Ran, Workplace};
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn templates_are_listed_with_what_they_measure() {
    let place = Workplace::new();
    let said = place.weighin(&["init", "--list"]).done();
    assert_eq!(said.lines().count(), 14);
    for line in said.lines() {
        let (name, description) = line.split_once("  ").unwrap();
        assert!(!description.trim().is_empty());
        let path = format!("{name}.toml");
        place.weighin(&["init", "--template", name, &path]).done();
    }
    assert!(!place.path("study.toml").exists());
}

#[test]
fn a_study_names_the_schema_beside_it() {
    let place = Workplace::new();
    let said = place.weighin(&["init", "--schema"]).done();
    assert!(said.contains("study.toml and study.schema.json"), "{said}");
    let study = std::fs::read_to_string(place.path("study.toml")).unwrap();
    assert!(study.starts_with("#:schema ./study.schema.json\n"), "{study}");
    let schema = std::fs::read_to_string(place.path("study.schema.json")).unwrap();
    assert_eq!(schema, place.weighin(&["schema"]).done());
    place.weighin(&["plan", "study.toml"]).done();
    // A second study shares it; another file of that name stays as it is.
    place.weighin(&["init", "--schema", "other.toml"]).done();
    place.write("study.schema.json", "mine");
    place.weighin(&["init", "--schema", "third.toml"]).refused(2, &["study.schema.json"]);
    assert_eq!(std::fs::read_to_string(place.path("study.schema.json")).unwrap(), "mine");
    assert!(!place.path("third.toml").exists());
}

/// Files below a directory, without it.
fn files(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut directories = vec![root.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() && !path.is_symlink() {
                true => directories.push(path),
                false => found.push(path.strip_prefix(root).unwrap().to_owned()),
            }
        }
    }
    found
}

#[test]
fn the_debian_package_installs_works_and_goes_without_a_trace() {
    let place = Workplace::new();
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let program = assert_cmd::cargo::cargo_bin("weighin");
    let run = |program: &str, arguments: &[&str]| {
        let mut command = place.surround(Command::new(program));
        command
            .args(arguments)
            .env("COMPRESSION", "none")
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        Ran::of(command)
    };
    let script = repository.join("scripts/package-deb");
    let directory = place.path(".");
    let said =
        run(script.to_str().unwrap(), &[program.to_str().unwrap(), directory.to_str().unwrap()])
            .done();
    let package = said.trim().strip_prefix("Wrote ").unwrap().to_owned();
    // A root directory of its own, with what it depends on taken as given.
    let root = place.path("root");
    for path in ["var/lib/dpkg/info", "var/lib/dpkg/updates"] {
        std::fs::create_dir_all(root.join(path)).unwrap();
    }
    std::fs::write(root.join("var/lib/dpkg/status"), "").unwrap();
    let dpkg = |arguments: &[&str]| {
        let at = format!("--root={}", root.display());
        let log = format!("--log={}", place.path("dpkg.log").display());
        run(
            "dpkg",
            &[&[at.as_str(), &log, "--force-depends", "--force-not-root"], arguments].concat(),
        )
    };
    dpkg(&["--install", &package]).done();
    let installed = root.join("usr/bin/weighin");
    assert!(run(installed.to_str().unwrap(), &["--version"]).done().starts_with("weighin "));
    for path in [
        "usr/share/man/man1/weighin.1.gz",
        "usr/share/man/man1/weighin-run.1.gz",
        "usr/share/bash-completion/completions/weighin",
        "usr/share/zsh/vendor-completions/_weighin",
        "usr/share/fish/vendor_completions.d/weighin.fish",
        "usr/share/doc/weighin/copyright",
    ] {
        let length = std::fs::metadata(root.join(path)).unwrap().len();
        assert!(length > 100, "{path}: {length}");
    }
    // What it writes names the schema that came with it.
    let study = place.path("study.toml");
    run(installed.to_str().unwrap(), &["init", study.to_str().unwrap()]).done();
    let study = std::fs::read_to_string(study).unwrap();
    let url = study.lines().next().unwrap().strip_prefix("#:schema file://").unwrap();
    assert_eq!(std::fs::read_to_string(url).unwrap(), place.weighin(&["schema"]).done());
    dpkg(&["--purge", "weighin"]).done();
    let left = files(&root);
    let left: Vec<_> = left.iter().filter(|path| !path.starts_with("var/lib/dpkg")).collect();
    assert_eq!(left, Vec::<&PathBuf>::new());
}
