//! Documents that agree with each other and with the program.

use crate::workspace::{root, table, text};
use assert_cmd::Command;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Every page for people: those in the root, in `docs` and below it.
fn pages() -> Vec<PathBuf> {
    let root = root();
    let mut pages = Vec::new();
    let directories =
        ["", "docs", "docs/gallery", "docs/internals", "docs/reference", "docs/studies"];
    for directory in directories.map(|directory| root.join(directory)) {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "md") {
                pages.push(path);
            }
        }
    }
    assert!(pages.len() > 4, "{pages:?}");
    pages
}

fn help(arguments: &[&str]) -> String {
    printed(&[arguments, &["--help"]].concat())
}

fn printed(arguments: &[&str]) -> String {
    let output = Command::cargo_bin("weighin").unwrap().args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The commands that `weighin --help` lists.
fn commands() -> BTreeSet<String> {
    let help = help(&[]);
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| !line.is_empty());
    // A line that goes on with a description is indented further.
    let names = listed.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next()).map(str::to_owned);
    names.filter(|name| name != "help").collect()
}

/// The command lines of weighin in a page: in indented blocks, and after a prompt in fenced ones.
/// Other lines that begin with its name are output.
fn examples(page: &str) -> Vec<Vec<String>> {
    let joined = page.replace("\\\n", " ");
    let mut is_fenced = false;
    let ours = |line: &str| {
        is_fenced ^= line.starts_with("```");
        let start = if is_fenced { "$ weighin " } else { "    weighin " };
        let words = line.strip_prefix(start)?.split_whitespace();
        Some(words.map(str::to_owned).collect())
    };
    joined.lines().filter_map(ours).collect()
}

#[test]
fn the_page_of_commands_names_each_and_no_other() {
    let examples = examples(&text("docs/commands.md"));
    let named: BTreeSet<String> = examples.iter().map(|words| words[0].clone()).collect();
    assert_eq!(named, commands(), "docs/commands.md on the left, weighin --help on the right");
}

#[test]
fn options_in_examples_exist() {
    let mut options = 0;
    for page in pages() {
        for words in examples(&std::fs::read_to_string(&page).unwrap()) {
            let mut help = help(&[&words[0]]);
            if words[0] == "sysbench" {
                // As with the original, a test has the help for its own options.
                help.push_str(&printed(&["sysbench", "oltp_read_write", "help"]));
            }
            for option in words.iter().filter(|word| word.starts_with("--")) {
                // In options of sysbench both mean the same.
                let spelled = |word: &str| word.replace('_', "-");
                let name = spelled(option.split('=').next().unwrap_or(option));
                let mut named = help.split([' ', ',', '\n', ']', '[', '=']);
                let known = named.any(|word| spelled(word) == name);
                assert!(known, "{}: weighin {} has no {name}", page.display(), words[0]);
                options += 1;
            }
        }
    }
    assert!(options > 5, "only {options} options were found in examples");
}

#[test]
fn exit_codes_in_documents_are_those_of_the_program() {
    let help = help(&[]);
    let (_, listed) = help.split_once("Exit codes:").unwrap();
    let first_word = |entry: &str| entry.split_whitespace().next().unwrap_or_default().to_owned();
    let program: Vec<String> = listed.split(';').map(first_word).collect();
    let documented: Vec<String> =
        table(&text("docs/commands.md"), "Code").iter().map(|row| row[0].clone()).collect();
    assert_eq!(documented, program, "docs/commands.md on the left, weighin --help on the right");
}

/// What a link may name in a page: its headings, as they are called by what shows the page, and the
/// anchors that it sets itself.
fn anchors(page: &str) -> BTreeSet<String> {
    let mut is_fenced = false;
    let mut found = BTreeSet::new();
    for line in page.lines() {
        is_fenced ^= line.starts_with("```");
        let heading = line.trim_start_matches('#');
        if is_fenced || heading.len() == line.len() || !heading.starts_with(' ') {
            continue;
        }
        // Of a link its text.
        let said: String =
            heading.split("](").enumerate().fold(String::new(), |said, (i, part)| {
                said + if i == 0 { part } else { part.split_once(')').map_or("", |(_, rest)| rest) }
            });
        let kept = said.trim().to_lowercase();
        let kept = kept.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        let name: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
        // Of several of one name all but the first have a number.
        let same = (1..).map(|number| format!("{name}-{number}"));
        let name = std::iter::once(name.clone()).chain(same).find(|name| !found.contains(name));
        found.extend(name);
    }
    let own = ["id=\"", "name=\""].map(|set| page.split(set).skip(1));
    let own = own.into_iter().flatten().filter_map(|rest| rest.split('"').next());
    found.extend(own.map(str::to_owned));
    found
}

#[test]
fn headings_are_anchors_as_pages_link_to_them() {
    let page = "# `weighin serve` & more\n```sh\n# no heading\n```\n## More\n## More\n\
                ### See [the *guide*](guide.md), part 2.\n#none\n<a id=\"own\"></a>";
    let known = anchors(page);
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    assert_eq!(known, ["more", "more-1", "own", "see-the-guide-part-2", "weighin-serve--more"]);
}

#[test]
fn links_lead_somewhere() {
    let (mut links, mut anchored) = (0, 0);
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for target in targets.filter(|target| !target.contains("://")) {
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let there = match file {
                "" => page.clone(),
                file => page.parent().unwrap().join(file),
            };
            assert!(there.exists(), "{} links to {target}", page.display());
            links += 1;
            if !anchor.is_empty() {
                let known = anchors(&std::fs::read_to_string(&there).unwrap());
                let is_known = known.contains(anchor);
                assert!(is_known, "{} links to {target}, of {known:?}", page.display());
                anchored += 1;
            }
        }
    }
    assert!(links > 5, "only {links} links were found");
    assert!(anchored > 5, "only {anchored} links to headings were found");
}

#[test]
fn the_reference_is_what_the_program_says() {
    for page in ["study", "commands"] {
        let path = format!("docs/reference/{page}.md");
        let committed = text(&path);
        let made = printed(&["reference", page]);
        let differs = committed.lines().zip(made.lines()).find(|(is, should)| is != should);
        assert!(
            committed == made,
            "{path} is not what the program says now; `make reference` renews it. First difference: {differs:?}"
        );
    }
}
