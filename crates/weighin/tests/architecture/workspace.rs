//! What is in the workspace: documents, sources, and what cargo knows.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the workspace.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("crates/weighin lies two levels below the root").to_owned()
}

/// The text of a file, by its path from the root.
pub fn text(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The rows of the Markdown table with this first heading, cells trimmed.
pub fn table(document: &str, first_heading: &str) -> Vec<Vec<String>> {
    let row = |line: &str| -> Vec<String> {
        let inner = line.trim().trim_start_matches('|').trim_end_matches('|');
        inner.split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    let rows: Vec<Vec<String>> = document
        .lines()
        .skip_while(|line| !line.starts_with(&format!("| {first_heading} |")))
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(row)
        .collect();
    assert!(!rows.is_empty(), "there is no table that begins with “{first_heading}”");
    rows
}

/// A cell that lists names: `a, b`; `nothing` and an empty cell list none.
pub fn names(cell: &str) -> Vec<String> {
    let names = cell.split(',').map(|name| name.trim().trim_matches('`').to_owned());
    names.filter(|name| !name.is_empty() && name != "nothing").collect()
}

/// A Rust source file of the workspace.
pub struct Source {
    /// From the root, such as `crates/model/src/lib.rs`.
    pub path: String,
    pub text: String,
}

impl Source {
    /// The name of its crate.
    pub fn of_crate(&self) -> &str {
        self.path.split('/').nth(1).unwrap_or_default()
    }

    /// Whether it belongs to the crate itself, not to its tests, benches or examples.
    pub fn is_shipped(&self) -> bool {
        self.path.split('/').nth(2) == Some("src") && !self.path.ends_with("/tests.rs")
    }

    /// Its lines with their numbers, without comments.
    pub fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let numbered = self.text.lines().enumerate().map(|(i, line)| (i + 1, line));
        numbered.filter(|(_, line)| !line.trim_start().starts_with("//"))
    }

    /// Its lines of code up to the tests within it.
    pub fn shipped_code(&self) -> impl Iterator<Item = (usize, &str)> {
        let tests = self.text.find("#[cfg(test)]\nmod tests {").unwrap_or(self.text.len());
        let last = self.text[..tests].lines().count();
        self.code().take_while(move |(number, _)| *number <= last)
    }
}

/// All Rust sources of all crates.
pub fn sources() -> Vec<Source> {
    let root = root();
    let mut sources = Vec::new();
    let mut directories = vec![root.join("crates")];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                let path = path.strip_prefix(&root).unwrap().display().to_string();
                sources.push(Source { path, text });
            }
        }
    }
    assert!(sources.len() > 100, "only {} sources were found", sources.len());
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    sources
}

/// What `cargo metadata` says, with these arguments besides.
pub fn metadata(arguments: &[&str]) -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1"])
        .args(arguments)
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The members of an array in a document of [`metadata`].
pub fn items<'v>(value: &'v Value, field: &str) -> &'v [Value] {
    value[field].as_array().unwrap_or_else(|| panic!("no array {field} in {value}"))
}

/// A text in a document of [`metadata`].
pub fn string<'v>(value: &'v Value, field: &str) -> &'v str {
    value[field].as_str().unwrap_or_else(|| panic!("no text {field} in {value}"))
}
