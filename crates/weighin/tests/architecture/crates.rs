//! Which crate depends on what.

use crate::workspace::{items, metadata, names, root, string, table, text};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Licences that ask for no more than to be named.
const PERMISSIVE: [&str; 10] = [
    "0BSD",
    "Apache-2.0",
    "BSL-1.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-3-Clause",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// A crate of the workspace: what it depends on, tests aside.
struct Member {
    ours: BTreeSet<String>,
    external: BTreeSet<String>,
}

fn members() -> BTreeMap<String, Member> {
    let metadata = metadata(&["--no-deps", "--offline"]);
    let member = |package: &Value| {
        let shipped = || items(package, "dependencies").iter().filter(|d| d["kind"].is_null());
        let names = |ours: bool| {
            let wanted = shipped().filter(|dependency| dependency["path"].is_string() == ours);
            wanted.map(|dependency| string(dependency, "name").to_owned()).collect()
        };
        (string(package, "name").to_owned(), Member { ours: names(true), external: names(false) })
    };
    items(&metadata, "packages").iter().map(member).collect()
}

fn crate_table() -> Vec<Vec<String>> {
    table(&text("ARCHITECTURE.md"), "Crate")
}

#[test]
fn crates_use_each_other_as_the_table_says() {
    let members = members();
    let documented: BTreeMap<String, BTreeSet<String>> = crate_table()
        .iter()
        .map(|row| (names(&row[0]).concat(), names(&row[2]).into_iter().collect()))
        .collect();
    let real: BTreeMap<String, BTreeSet<String>> =
        members.into_iter().map(|(name, member)| (name, member.ours)).collect();
    assert_eq!(real, documented, "Cargo.toml files on the left, ARCHITECTURE.md on the right");
}

#[test]
fn what_belongs_to_one_crate_is_used_by_no_other() {
    let members = members();
    for row in crate_table() {
        let owner = names(&row[0]).concat();
        for external in names(&row[3]) {
            let users: Vec<&str> = members
                .iter()
                .filter(|(_, member)| member.external.contains(&external))
                .map(|(name, _)| name.as_str())
                .collect();
            assert_eq!(users, [owner.as_str()], "crates that use {external}");
        }
    }
}

#[test]
fn every_shared_dependency_is_used() {
    let root_manifest = text("Cargo.toml");
    let (_, shared) = root_manifest.split_once("[workspace.dependencies]\n").unwrap();
    let shared = shared.lines().take_while(|line| !line.starts_with('['));
    let shared = shared.filter(|line| !line.starts_with('#') && !line.contains("path = "));
    let manifests: Vec<String> =
        members().keys().map(|name| text(format!("crates/{name}/Cargo.toml"))).collect();
    for name in shared.filter_map(|line| line.split_once(" = ")).map(|(name, _)| name) {
        let uses =
            [format!("\n{name}.workspace = true"), format!("\n{name} = {{ workspace = true")];
        let is_used = manifests.iter().any(|manifest| uses.iter().any(|u| manifest.contains(u)));
        assert!(is_used, "no crate uses {name}");
    }
}

#[test]
fn crates_take_the_lints_of_the_workspace() {
    for name in members().keys() {
        let manifest = text(format!("crates/{name}/Cargo.toml"));
        assert!(manifest.contains("[lints]\nworkspace = true\n"), "{name}");
    }
}

#[test]
fn crates_say_what_they_are_for() {
    for name in members().keys() {
        let source = root().join("crates").join(name).join("src");
        let file = ["lib.rs", "main.rs"].map(|file| source.join(file));
        let file = file.iter().find(|file| file.exists()).unwrap();
        let text = std::fs::read_to_string(file).unwrap();
        assert!(text.starts_with("//! "), "{}", file.display());
    }
}

#[test]
fn licences_are_permissive() {
    let metadata = metadata(&["--locked", "--filter-platform", &host()]);
    let used: BTreeSet<&str> =
        items(&metadata["resolve"], "nodes").iter().map(|node| string(node, "id")).collect();
    let packages = items(&metadata, "packages");
    let packages = packages.iter().filter(|package| used.contains(string(package, "id")));
    let mut checked = 0;
    for package in packages {
        let licence = package["license"].as_str().unwrap_or("none named");
        // Every alternative must do, so that nobody has to choose.
        let plain = licence.replace(['(', ')'], "").replace('/', " OR ");
        for part in plain.split(" OR ").flat_map(|part| part.split(" AND ")) {
            assert!(PERMISSIVE.contains(&part.trim()), "{}: {licence}", string(package, "name"));
        }
        checked += 1;
    }
    assert!(checked > 50, "only {checked} packages were looked at");
}

/// What this test runs on, as cargo calls it: packages for other systems are not downloaded.
fn host() -> String {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let output = Command::new(rustc).args(["--print", "host-tuple"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}
