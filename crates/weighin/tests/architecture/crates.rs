//! Which crate depends on what.

use crate::workspace::{items, metadata, names, root, string, table, text};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

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
