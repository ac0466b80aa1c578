//! Statements of a server's log, with their values taken away, and how often each ran.

use super::without_values::without_values;
use model::{OutlineStatement, SqlSyntax};
use std::collections::HashMap;

/// Different statements that are kept.
const MOST: usize = 10_000;
/// Bytes of one.
const LONGEST: usize = 64 << 10;

/// Reads a server's log of statements, line by line.
pub trait StatementLog {
    /// What a log is that it can read, for whoever has another one.
    fn wanted(&self) -> &'static str;

    /// Takes the next line.
    fn line(&mut self, line: &str);

    /// What was found, those that took the most time first.
    fn finish(self: Box<Self>) -> LoggedStatements;
}

/// What a log has.
#[derive(Clone, Debug, Default)]
pub struct LoggedStatements {
    pub statements: Vec<OutlineStatement>,
    /// Whether there were more different statements than are kept.
    pub is_cut: bool,
}

/// Counts statements by what they are without their values.
#[derive(Debug)]
pub struct StatementTally {
    syntax: SqlSyntax,
    /// By text: how often it ran, and how long all of that took.
    found: HashMap<String, (u64, f64)>,
    is_cut: bool,
}

impl StatementTally {
    pub fn new(syntax: SqlSyntax) -> Self {
        Self { syntax, found: HashMap::new(), is_cut: false }
    }

    /// Appends a line to a statement, unless that is too long already.
    pub fn append(statement: &mut String, line: &str) {
        if statement.len() + line.len() < LONGEST {
            if !statement.is_empty() {
                statement.push('\n');
            }
            statement.push_str(line);
        }
    }

    /// Counts a statement that took so long.
    pub fn add(&mut self, statement: &str, seconds: f64) {
        let text = without_values(statement, &self.syntax);
        if text.is_empty() {
            return;
        }
        if !self.found.contains_key(&text) && self.found.len() >= MOST {
            self.is_cut = true;
            return;
        }
        let found = self.found.entry(text).or_default();
        *found = (found.0 + 1, found.1 + seconds);
    }

    /// What was counted, those that took the most time first.
    pub fn finish(self) -> LoggedStatements {
        let mut found: Vec<(String, (u64, f64))> = self.found.into_iter().collect();
        found.sort_by(|a, b| b.1.1.total_cmp(&a.1.1).then(b.1.0.cmp(&a.1.0)).then(a.0.cmp(&b.0)));
        let statement = |(text, (count, _))| OutlineStatement { text, count };
        let statements = found.into_iter().map(statement).collect();
        LoggedStatements { statements, is_cut: self.is_cut }
    }
}
