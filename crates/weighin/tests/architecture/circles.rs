//! Inside a crate the files form a tree as well: none imports what imports it.

use crate::workspace::{Source, sources};
use std::collections::{BTreeMap, BTreeSet};

/// Crates whose files import one another in circles: how many circles, and how many files are in
/// them. The numbers may only fall; a crate that is not here has none.
const CIRCLES: [(&str, usize, usize); 5] =
    [("analyse", 1, 15), ("campaign", 1, 12), ("engine", 1, 8), ("host", 4, 16), ("report", 3, 12)];

/// A module by the names that lead to it from the root of its crate.
type Module = Vec<String>;

/// The files of one crate.
#[derive(Default)]
struct Files {
    paths: BTreeMap<Module, String>,
    /// What each file imports or names by a path from its crate's root or from its parent.
    uses: BTreeMap<Module, Vec<Module>>,
    /// Where the names come from that a module passes on.
    passed_on: BTreeMap<Module, BTreeMap<String, Module>>,
}

impl Files {
    fn add(&mut self, source: &Source) {
        let (_, path) = source.path.split_once("/src/").unwrap();
        let path = path.strip_suffix(".rs").unwrap();
        let mut module: Module = path.split('/').map(str::to_owned).collect();
        if ["mod", "lib"].contains(&path.rsplit('/').next().unwrap()) {
            module.pop();
        }
        let code: Vec<&str> = source.shipped_code().map(|(_, line)| line).collect();
        let code = code.join("\n");
        let uses = ["crate::", "super::"].into_iter().flat_map(|root| paths_from(&code, root));
        let uses = uses.map(|path| absolute(&module, path)).collect();
        let mut passed_on = BTreeMap::new();
        for statement in code.split("pub").skip(1).filter_map(after_use) {
            for path in tree(statement) {
                let path = absolute(&module, path);
                passed_on.extend(path.last().cloned().map(|name| (name, path)));
            }
        }
        self.passed_on.insert(module.clone(), passed_on);
        self.uses.insert(module.clone(), uses);
        self.paths.insert(module, source.path.clone());
    }

    /// The module whose file defines what a path leads to.
    fn defining(&self, path: &[String], steps: usize) -> Module {
        let mut at = path.len();
        while !self.paths.contains_key(&path[..at]) && at > 0 {
            at -= 1;
        }
        let module = path[..at].to_vec();
        let passed_on = path.get(at).and_then(|name| self.passed_on.get(&module)?.get(name));
        match passed_on {
            Some(source) if steps > 0 && source.as_slice() != path => {
                let rest = source.iter().chain(&path[at + 1..]).cloned().collect::<Module>();
                self.defining(&rest, steps - 1)
            }
            _ => module,
        }
    }

    /// What each module's file needs of others.
    fn needs(&self) -> BTreeMap<Module, BTreeSet<Module>> {
        let needs = self.uses.iter().map(|(module, uses)| {
            let mut needed: BTreeSet<Module> =
                uses.iter().map(|path| self.defining(path, 8)).collect();
            needed.remove(module);
            (module.clone(), needed)
        });
        needs.collect()
    }

    /// The files of each circle.
    fn circles(&self) -> Vec<Vec<String>> {
        let needs = self.needs();
        let reached: BTreeMap<&Module, BTreeSet<&Module>> =
            needs.keys().map(|module| (module, reached_from(module, &needs))).collect();
        let mut left: BTreeSet<&Module> = needs.keys().collect();
        let mut circles = Vec::new();
        while let Some(module) = left.pop_first() {
            let both_ways = |other: &&Module| {
                reached[module].contains(other) && reached[*other].contains(module)
            };
            let mut circle = vec![module];
            circle.extend(left.iter().copied().filter(both_ways));
            left.retain(|other| !circle.contains(other));
            if circle.len() > 1 {
                circles.push(circle.into_iter().map(|one| self.paths[one].clone()).collect());
            }
        }
        circles
    }
}

fn reached_from<'n>(
    start: &Module,
    needs: &'n BTreeMap<Module, BTreeSet<Module>>,
) -> BTreeSet<&'n Module> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<&Module> = needs[start].iter().collect();
    while let Some(module) = next.pop() {
        if reached.insert(module) {
            next.extend(needs.get(module).into_iter().flatten());
        }
    }
    reached
}

/// The tree of a `pub use` or `pub(…) use`, given what follows `pub`.
fn after_use(text: &str) -> Option<&str> {
    let text = match text.strip_prefix('(') {
        Some(inner) => inner.split_once(')')?.1,
        None => text,
    };
    text.trim_start().strip_prefix("use ")?.split(';').next()
}

/// All paths that begin with `root` in a text.
fn paths_from(code: &str, root: &str) -> Vec<Vec<String>> {
    let begins = code.match_indices(root).filter(|(at, _)| {
        !code[..*at].ends_with(|c: char| c.is_alphanumeric() || "_$:".contains(c))
    });
    begins.flat_map(|(at, _)| tree(&code[at..])).collect()
}

/// The paths of a tree of names such as `a::{b, c::{d, e}}`, which ends where something else begins.
fn tree(text: &str) -> Vec<Vec<String>> {
    parse(text).0
}

/// The same, with what follows the tree.
fn parse(text: &str) -> (Vec<Vec<String>>, &str) {
    let text = text.trim_start();
    if let Some(mut rest) = text.strip_prefix('{') {
        let mut all = Vec::new();
        loop {
            rest = rest.trim_start().trim_start_matches(',').trim_start();
            if rest.is_empty() || rest.starts_with('}') {
                return (all, rest.get(1..).unwrap_or_default());
            }
            let (some, after) = parse(rest);
            assert!(after.len() < rest.len(), "this is no tree of names: {}", excerpt(rest));
            all.extend(some);
            // What a name is called here plays no part.
            rest = &after[after.find([',', '}']).unwrap_or(after.len())..];
        }
    }
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let (below, rest) = match rest.strip_prefix("::") {
        Some(rest) if rest.starts_with(|c: char| c.is_alphabetic() || "_{".contains(c)) => {
            parse(rest)
        }
        _ => (vec![Vec::new()], rest.strip_prefix("::*").unwrap_or(rest)),
    };
    let prefixed = below.into_iter().map(|path| {
        let name = (!name.is_empty()).then(|| name.to_owned());
        name.into_iter().chain(path).collect()
    });
    (prefixed.collect(), rest)
}

fn excerpt(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// A path as written in a module, from the root of the crate.
fn absolute(module: &[String], path: Vec<String>) -> Module {
    let mut names = path.into_iter().peekable();
    let mut base = module.to_vec();
    match names.peek().map(String::as_str) {
        Some("crate") => {
            names.next();
            base.clear();
        }
        Some("self") => {
            names.next();
        }
        _ => {}
    }
    while names.next_if(|name| name == "super").is_some() {
        base.pop();
    }
    base.into_iter().chain(names.filter(|name| name != "self")).collect()
}

#[test]
fn circles_become_fewer() {
    let mut crates: BTreeMap<String, Files> = BTreeMap::new();
    for source in sources().iter().filter(|source| source.is_shipped()) {
        crates.entry(source.of_crate().to_owned()).or_default().add(source);
    }
    let mut more = Vec::new();
    for (name, files) in &crates {
        let circles = files.circles();
        let count = (circles.len(), circles.iter().map(Vec::len).sum::<usize>());
        let known = CIRCLES.iter().find(|(of, ..)| of == name);
        let limit = known.map_or((0, 0), |&(_, circles, files)| (circles, files));
        if count.0 > limit.0 || count.1 > limit.1 {
            let listed: Vec<String> = circles.iter().map(|circle| circle.join("\n    ")).collect();
            more.push(format!(
                "{name} has {} circles of {} files, and {limit:?} may be:\n    {}",
                count.0,
                count.1,
                listed.join("\n  and\n    ")
            ));
        }
    }
    assert!(more.is_empty(), "{}", more.join("\n"));
}

#[test]
fn trees_of_names_are_read_whole() {
    let read = |text: &str| -> Vec<String> {
        tree(text).into_iter().map(|path| path.join("::")).collect()
    };
    assert_eq!(
        read("crate::a::{b, c::{D, self}, E as F};"),
        ["crate::a::b", "crate::a::c::D", "crate::a::c::self", "crate::a::E"]
    );
    assert_eq!(read("super::*;"), ["super"]);
    assert_eq!(read("crate::a::f(x::y)"), ["crate::a::f"]);
    assert_eq!(paths_from("x = crate::a::<u8>::b; xcrate::c", "crate::"), [["crate", "a"]]);
    let module = ["a".to_owned(), "b".to_owned()];
    let path = tree("super::c::D").remove(0);
    assert_eq!(absolute(&module, path), ["a", "c", "D"]);
}
