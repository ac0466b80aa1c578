//! Slow logs of MariaDB and MySQL: statements, with their values taken away, and how often each ran.

use model::OutlineStatement;
use std::collections::HashMap;

/// Different statements that are kept.
const MOST: usize = 10_000;
/// Bytes of one.
const LONGEST: usize = 64 << 10;

/// Reads a slow log line by line.
#[derive(Debug, Default)]
pub struct SlowLog {
    /// By text: how often it ran, and how long all of that took.
    found: HashMap<String, (u64, f64)>,
    /// The statement that is read.
    statement: String,
    seconds: f64,
    /// Whether more statements were there than are kept.
    pub is_cut: bool,
}

impl SlowLog {
    /// Takes the next line.
    pub fn line(&mut self, line: &str) {
        let line = line.trim_end();
        if let Some(comment) = line.strip_prefix('#') {
            self.end();
            if let Some(rest) = comment.trim_start().strip_prefix("Query_time:") {
                let number = rest.split_whitespace().next().and_then(|word| word.parse().ok());
                self.seconds = number.unwrap_or(0.0);
            }
            return;
        }
        let is_of_session = |word: &str| {
            let begin = line.get(..word.len());
            self.statement.is_empty() && begin.is_some_and(|begin| begin.eq_ignore_ascii_case(word))
        };
        if is_of_session("SET timestamp=") || is_of_session("use ") {
            return;
        }
        // What stands before the first comment are the words of the server that wrote it.
        if self.statement.len() + line.len() < LONGEST {
            if !self.statement.is_empty() {
                self.statement.push(' ');
            }
            self.statement.push_str(line);
        }
        if line.ends_with(';') {
            self.end();
        }
    }

    fn end(&mut self) {
        let statement = std::mem::take(&mut self.statement);
        let seconds = self.seconds;
        let text = without_values(&statement);
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

    /// What was found, those that took the most time first.
    pub fn finish(mut self) -> Vec<OutlineStatement> {
        self.end();
        let mut found: Vec<(String, (u64, f64))> = self.found.into_iter().collect();
        found.sort_by(|a, b| b.1.1.total_cmp(&a.1.1).then(b.1.0.cmp(&a.1.0)).then(a.0.cmp(&b.0)));
        let statement = |(text, (count, _))| OutlineStatement { text, count };
        found.into_iter().map(statement).collect()
    }
}

/// A statement with `?` for every number and text, and `(...)` for lists of nothing else.
pub(super) fn without_values(statement: &str) -> String {
    let mut out = String::new();
    let mut rest = statement.trim().trim_end_matches(';').chars().peekable();
    let mut last = ' ';
    while let Some(c) = rest.next() {
        let in_word = last.is_alphanumeric() || matches!(last, '_' | '$' | '`' | '.');
        match c {
            '\'' | '"' => {
                let mut escaped = false;
                while let Some(inner) = rest.next() {
                    match inner {
                        _ if escaped => escaped = false,
                        '\\' => escaped = true,
                        _ if inner == c && rest.peek() == Some(&c) => escaped = true,
                        _ if inner == c => break,
                        _ => {}
                    }
                }
                out.push('?');
            }
            '`' => {
                out.push(c);
                for inner in rest.by_ref() {
                    out.push(inner);
                    if inner == '`' {
                        break;
                    }
                }
            }
            c if c.is_ascii_digit() && !in_word => {
                let number = |c: &char| c.is_ascii_alphanumeric() || *c == '.';
                while rest.next_if(number).is_some() {}
                out.push('?');
            }
            c if c.is_whitespace() => {
                if !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            c => out.push(c),
        }
        last = c;
    }
    with_lists_cut(out.trim())
}

/// Lists of different lengths are the same statement.
fn with_lists_cut(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('(') {
        out.push_str(&rest[..open]);
        rest = &rest[open..];
        let close = rest.find(')').map(|close| &rest[1..close]);
        let is_list = |inside: &&str| {
            inside.contains('?') && inside.chars().all(|c| matches!(c, '?' | ',' | ' '))
        };
        let word = out.trim_end().rsplit([' ', ')', '(']).next().unwrap_or_default();
        let takes_list = ["IN", "VALUES", "VALUE"].iter().any(|w| word.eq_ignore_ascii_case(w));
        match close.filter(is_list).filter(|_| takes_list) {
            Some(inside) => {
                out.push_str("(...)");
                rest = &rest[inside.len() + 2..];
            }
            None => {
                out.push('(');
                rest = &rest[1..];
            }
        }
    }
    out + rest
}
