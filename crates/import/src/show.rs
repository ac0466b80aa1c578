//! What SHOW GLOBAL STATUS and SHOW GLOBAL VARIABLES give.

use crate::figures::problem;
use crate::{CompanionContent, CompanionFile, Format, Parsed, Source};
use std::collections::BTreeMap;

/// Dumps of SHOW GLOBAL STATUS and SHOW GLOBAL VARIABLES, one or several in a file: parted by tabs
/// (with a heading or without), drawn as a table (also mysqladmin's), or one value a line (`\G`).
#[derive(Clone, Copy, Debug)]
pub struct ShowDump;

/// The heading's first word.
const NAME: &str = "Variable_name";

impl Format for ShowDump {
    fn name(&self) -> &'static str {
        "show"
    }

    fn description(&self) -> &'static str {
        "SHOW GLOBAL STATUS and SHOW GLOBAL VARIABLES, next to results"
    }

    fn recognises(&self, text: &str) -> bool {
        let known = |line: &str| {
            matches!(line_of(line), Line::Heading | Line::Name(_))
                || ["Uptime\t", "version_comment\t"].iter().any(|start| line.starts_with(start))
        };
        text.lines().any(known)
    }

    fn parse(&self, source: Source<'_>) -> Parsed {
        let mut parsed = Parsed::default();
        let mut dump = Dump::default();
        let mut name = None;
        for (number, line) in source.lines() {
            match line_of(line) {
                Line::Heading => dump.finish(&source, &mut parsed),
                Line::Pair(name, value) => {
                    dump.take(&source, number, (name, value), &mut parsed);
                }
                Line::Name(text) => name = Some(text),
                Line::Value(value) => match name.take() {
                    Some(name) => dump.take(&source, number, (name, value), &mut parsed),
                    None => {
                        parsed.problems.push(problem(&source, number, "a value without a name"))
                    }
                },
                Line::Decoration => {}
                Line::Unknown => {
                    let message = format!("not understood: «{}»", line.trim());
                    parsed.problems.push(problem(&source, number, message));
                }
            }
        }
        dump.finish(&source, &mut parsed);
        parsed
    }
}

enum Line<'a> {
    Heading,
    Pair(&'a str, &'a str),
    /// Of `\G`, where the value is in the next line.
    Name(&'a str),
    Value(&'a str),
    /// Rules, row numbers and what the client says of itself.
    Decoration,
    Unknown,
}

fn line_of(line: &str) -> Line<'_> {
    let trimmed = line.trim();
    if let Some(cells) = trimmed.strip_prefix('|').and_then(|line| line.strip_suffix('|')) {
        return match cells.split_once('|') {
            Some((name, _)) if name.trim() == NAME => Line::Heading,
            Some((name, value)) => Line::Pair(name.trim(), value.trim()),
            None => Line::Unknown,
        };
    }
    if let Some(name) = trimmed.strip_prefix("Variable_name: ") {
        return Line::Name(name);
    }
    if let Some(value) = trimmed.strip_prefix("Value:") {
        return Line::Value(value.trim());
    }
    if let Some((name, value)) = line.split_once('\t') {
        let word = !name.is_empty() && !name.contains(' ');
        return match (name == NAME, word) {
            (true, _) => Line::Heading,
            (_, true) => Line::Pair(name, value.trim()),
            _ => Line::Unknown,
        };
    }
    let says = |start: &str| trimmed.starts_with(start);
    let rule = trimmed.chars().all(|c| "+-".contains(c));
    let warning = says("mysql: [Warning]") || says("mysqladmin: [Warning]");
    if rule || says("***") || warning || (trimmed.contains(" rows in set") && !says("|")) {
        Line::Decoration
    } else {
        Line::Unknown
    }
}

/// The pairs since the last heading.
#[derive(Default)]
struct Dump {
    line: u32,
    pairs: BTreeMap<String, String>,
}

impl Dump {
    fn take(&mut self, source: &Source<'_>, line: u32, pair: (&str, &str), parsed: &mut Parsed) {
        let (name, value) = pair;
        // The next dump, where there are no headings between.
        if self.pairs.contains_key(name) {
            self.finish(source, parsed);
        }
        if self.pairs.is_empty() {
            self.line = line;
        }
        self.pairs.insert(name.to_owned(), value.to_owned());
    }

    /// Status has an uptime and variables a version; other dumps, such as those of a pattern,
    /// cannot be told apart.
    fn finish(&mut self, source: &Source<'_>, parsed: &mut Parsed) {
        let Self { line, pairs } = std::mem::take(self);
        if pairs.is_empty() {
            return;
        }
        let uptime = pairs.get("Uptime").and_then(|uptime| uptime.parse().ok());
        let says = match (uptime, pairs.contains_key("version")) {
            (Some(uptime), false) => {
                let count = |(name, value): (String, String)| Some((name, value.parse().ok()?));
                CompanionContent::Counters(uptime, pairs.into_iter().filter_map(count).collect())
            }
            (None, true) => CompanionContent::Variables(pairs),
            (uptime, _) => {
                let has = if uptime.is_some() { "both" } else { "neither" };
                let message = format!(
                    "this dump has {has} of Uptime and version: it is not known whether it is of \
                     status or of variables"
                );
                return parsed.problems.push(problem(source, line, message));
            }
        };
        parsed.beside.push(CompanionFile { file: source.file.to_owned(), line, says });
    }
}
