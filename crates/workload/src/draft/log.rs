//! Statements of a server's log, with their values taken away, and how often each ran.

use super::without_values::{with_bounds, without_values};
use model::{OutlineStatement, SqlSyntax};
use std::cmp::Reverse;
use std::collections::HashMap;

/// Different statements that are kept.
const MOST: usize = 10_000;
/// Bytes of one.
const LONGEST: usize = 64 << 10;

/// Different values of LIMIT, OFFSET and INTERVAL that are kept of one.
const MOST_FORMS: usize = 100;

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
    /// By text.
    found: HashMap<String, Tallied>,
    is_cut: bool,
}

#[derive(Debug, Default)]
struct Tallied {
    /// How often it ran, and how long all of that took.
    count: u64,
    seconds: f64,
    /// With the values of its LIMIT, OFFSET and INTERVAL: how often each ran.
    forms: HashMap<String, u64>,
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
        let form = with_bounds(statement, &self.syntax);
        let found = self.found.entry(text).or_default();
        found.count += 1;
        found.seconds += seconds;
        if found.forms.len() < MOST_FORMS || found.forms.contains_key(&form) {
            *found.forms.entry(form).or_default() += 1;
        }
    }

    /// What was counted, those that took the most time first.
    pub fn finish(self) -> LoggedStatements {
        let mut found: Vec<(String, Tallied)> = self.found.into_iter().collect();
        found.sort_by(|(a, of_a), (b, of_b)| {
            let by_time = of_b.seconds.total_cmp(&of_a.seconds);
            by_time.then(of_b.count.cmp(&of_a.count)).then(a.cmp(b))
        });
        let statements = found.into_iter().map(|(text, tallied)| tallied.statement(text)).collect();
        LoggedStatements { statements, is_cut: self.is_cut }
    }
}

impl Tallied {
    /// The statement in its most frequent form.
    fn statement(self, text: String) -> OutlineStatement {
        let count = self.count;
        let forms = self.forms.into_iter().map(|(form, count)| (count, Reverse(form)));
        let Some((most, Reverse(form))) = forms.max() else {
            return OutlineStatement { text, count, ..OutlineStatement::default() };
        };
        let guesses = match most < count {
            true => vec![format!(
                "LIMIT, OFFSET and INTERVAL are those of {most} of the {count} times; other times they had \
                 other values"
            )],
            false => Vec::new(),
        };
        OutlineStatement { text: form, count, guesses }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_keeps_the_most_frequent_of_the_values_that_no_column_has() {
        let mut tally = StatementTally::new(SqlSyntax::STANDARD);
        for (id, offset) in [(1, 500), (2, 0), (3, 500), (4, 20)] {
            tally.add(&format!("SELECT a FROM t WHERE id > {id} LIMIT 20 OFFSET {offset}"), 1.0);
        }
        (0..150).for_each(|id| tally.add(&format!("DELETE FROM t WHERE id = {id} LIMIT 5"), 0.01));
        (0..150).for_each(|many| tally.add(&format!("SELECT a FROM t LIMIT {many}"), 0.001));
        let [paged, deleted, many] = tally.finish().statements.try_into().unwrap();
        assert_eq!(paged.text, "SELECT a FROM t WHERE id > ? LIMIT 20 OFFSET 500");
        assert_eq!((paged.count, paged.guesses.len()), (4, 1));
        assert!(paged.guesses[0].contains("those of 2 of the 4 times"), "{:?}", paged.guesses);
        assert_eq!(deleted.text, "DELETE FROM t WHERE id = ? LIMIT 5");
        assert_eq!((deleted.count, deleted.guesses), (150, Vec::new()));
        assert_eq!(many.text, "SELECT a FROM t LIMIT 0");
        assert!(many.guesses[0].contains("those of 1 of the 150 times"), "{:?}", many.guesses);
    }
}
