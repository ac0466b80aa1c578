//! A study that was drafted from what a server holds and is asked.

use model::{Outline, text};
use std::fmt::Write;
use workload::draft::Draft;

/// Weight of the most frequent statement.
const HEAVIEST: u64 = 10_000;
/// Characters of a statement that is shown.
const SHOWN: usize = 200;
/// Tables that are listed.
const TABLES: usize = 100;

/// What a study is drafted of.
#[derive(Clone, Debug, Default)]
pub struct Drafted {
    /// Keys of the target, such as its `url`, with their values.
    pub target: Vec<(String, String)>,
    /// Where the statements come from, in words.
    pub source: String,
    pub outline: Outline,
    /// Statements with how often each ran.
    pub drafts: Vec<(Draft, u64)>,
    /// Statements that are none, with the reasons.
    pub refused: Vec<(String, u64, String)>,
}

impl Drafted {
    /// How many statements run as the study is.
    pub fn reading(&self) -> usize {
        self.drafts.iter().filter(|(draft, _)| !draft.writes).count()
    }

    /// The text of the study file.
    pub fn study(&self) -> String {
        let mut out = String::from(
            "# Drafted by `weighin init --from-url`: a first guess of what this server is asked, to be corrected.\n\
             # Numbers and lists of values below are guesses from types, indexes and ranges; which values are\n\
             # asked for more often than others is not known, and all are drawn alike.\n",
        );
        let _ = writeln!(out, "# Statements: {}.", comment(&self.source));
        for note in &self.outline.notes {
            let _ = writeln!(out, "# Note: {}.", comment(note));
        }
        self.tables(&mut out);
        out.push_str(
            "\n[study]\nname = \"drafted\"\nrepeats = 3\n\n[[target]]\nname = \"server\"\n",
        );
        for (key, value) in &self.target {
            let _ = writeln!(out, "{key} = {}", toml::Value::from(value.as_str()));
        }
        out.push_str(
            "\n# To compare, name another server with the same data:\n\
             # [[target]]\n# name = \"other\"\n# url = \"\"\n\
             \n[[test]]\nname = \"drafted\"\nworkload = \"transactions\"\nclients = [1, 8]\nwarmup = \"5s\"\n\
             duration = \"30s\"\n# writes = true   # with the transactions below that change data, and --allow-writes\n",
        );
        let most = self.drafts.iter().map(|(_, count)| *count).max().unwrap_or(1).max(1);
        let mut names = Vec::new();
        for (draft, count) in &self.drafts {
            let weight = (u128::from(*count) * u128::from(HEAVIEST) / u128::from(most)).max(1);
            transaction(&mut out, draft, *count, weight, &unique(&draft.name, &mut names));
        }
        if !self.refused.is_empty() {
            out.push_str("\n# Statements that could not be drafted:\n");
            for (statement, count, why) in &self.refused {
                let _ = writeln!(out, "#   {count} times: {}", comment(statement));
                let _ = writeln!(out, "#     {}", comment(why));
            }
        }
        out
    }

    fn tables(&self, out: &mut String) {
        let _ = writeln!(out, "#\n# Tables, with about so many rows:");
        for table in self.outline.tables.iter().take(TABLES) {
            let _ = writeln!(out, "#   {}: {}", comment(&table.name), table.rows);
        }
        if let Some(more) = self.outline.tables.len().checked_sub(TABLES).filter(|more| *more > 0) {
            let _ = writeln!(out, "#   and {more} more");
        }
    }
}

/// A statement as a transaction; one that changes data is left to the user.
fn transaction(out: &mut String, draft: &Draft, count: u64, weight: u128, name: &str) {
    let mut text = format!("[[test.transaction]]\nname = {}\n", toml::Value::from(name));
    let _ = writeln!(text, "weight = {weight}\nsql = '''\n{}'''", draft.script);
    match count {
        0 => out.push('\n'),
        _ => drop(writeln!(out, "\n# It ran {count} times.")),
    }
    for guess in &draft.guesses {
        let _ = writeln!(out, "# Guessed: {}.", comment(guess));
    }
    match draft.writes {
        false => out.push_str(&text),
        true => {
            out.push_str("# It may change data: take away the marks, where that is meant.\n");
            text.lines().for_each(|line| {
                let _ = writeln!(out, "# {line}");
            });
        }
    }
}

/// What came from elsewhere, within a line of a comment.
fn comment(said: &str) -> String {
    text::excerpt(said, SHOWN).into_owned()
}

/// A name that no other has, short enough for one.
fn unique(name: &str, names: &mut Vec<String>) -> String {
    let plain: String = name.chars().filter(|c| !text::deceives(*c)).take(48).collect();
    let mut found = plain.clone();
    let mut number = 1;
    while names.contains(&found) {
        number += 1;
        found = format!("{plain} {number}");
    }
    names.push(found.clone());
    found
}
