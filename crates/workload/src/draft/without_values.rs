use model::{Placeholder, SqlSyntax};
use std::iter::Peekable;
use std::str::Chars;

/// What a value follows, so that a sign after it belongs to the value.
pub(super) const SIGNED: [&str; 27] = [
    "=", "<", ">", "<=", ">=", "<>", "!=", "<=>", "(", ",", "LIKE", "BETWEEN", "AND", "OR", "NOT",
    "IN", "WHEN", "THEN", "ELSE", "LIMIT", "OFFSET", "INTERVAL", "SELECT", "WHERE", "ON", "HAVING",
    "BY",
];
/// How comments begin that a server reads.
const READ: [&str; 3] = ["+", "!", "M!"];
/// Characters of the value of a LIMIT, an OFFSET or an INTERVAL.
const LONGEST_BOUND: usize = 40;

/// A statement in one line without comments, with `?` for every number, text and parameter, and `(...)`
/// for lists of nothing else.
pub fn without_values(statement: &str, syntax: &SqlSyntax) -> String {
    Reading::through(statement, syntax, false)
}

/// As [`without_values`], but with the values of LIMIT, OFFSET and INTERVAL, which belong to no column and
/// say how much a statement does.
pub(super) fn with_bounds(statement: &str, syntax: &SqlSyntax) -> String {
    Reading::through(statement, syntax, true)
}

struct Reading<'s> {
    syntax: &'s SqlSyntax,
    rest: Peekable<Chars<'s>>,
    keeps_bounds: bool,
    /// Of the number that comes next.
    sign: Option<char>,
    out: String,
}

impl<'s> Reading<'s> {
    fn through(statement: &'s str, syntax: &'s SqlSyntax, keeps_bounds: bool) -> String {
        let rest = statement.trim().trim_end_matches(';').chars().peekable();
        let mut reading = Self { syntax, rest, keeps_bounds, sign: None, out: String::new() };
        reading.all();
        with_lists_cut(reading.out.trim())
    }

    fn all(&mut self) {
        let mut last = ' ';
        while let Some(c) = self.rest.next() {
            let in_word = last.is_alphanumeric() || matches!(last, '_' | '$' | '`' | '.');
            match c {
                '\'' => self.text(c),
                '"' if self.syntax.backticks => self.text(c),
                '"' | '`' => self.name(c),
                '$' if !in_word => self.dollars(),
                '-' if self.rest.peek() == Some(&'-') && self.is_line_comment() => self.skip_line(),
                '-' | '+' if self.is_sign() => self.sign = Some(c),
                '#' if self.syntax.hash_comments => self.skip_line(),
                '/' if self.rest.peek() == Some(&'*') => self.comment(),
                c if c.is_ascii_digit() && !in_word => {
                    let is_more = |c: &char| c.is_ascii_alphanumeric() || *c == '.';
                    let mut number = String::from(c);
                    while let Some(more) = self.rest.next_if(is_more) {
                        number.push(more);
                    }
                    self.value(&number);
                }
                c if c.is_whitespace() => self.space(),
                c => self.out.push(c),
            }
            last = c;
        }
    }

    /// A number or a text as it was written.
    fn value(&mut self, written: &str) {
        let sign = self.sign.take();
        match self.keeps_bounds && is_bound(&self.out) && is_plain(written) {
            true => {
                self.out.extend(sign);
                self.out.push_str(written);
            }
            false => self.out.push('?'),
        }
    }

    /// Whether a plus or minus is part of the number that follows, and no operation.
    fn is_sign(&self) -> bool {
        let next = self.rest.clone().find(|c| !c.is_whitespace());
        let before = self.out.trim_end();
        let word = before.rsplit(|c: char| !c.is_alphanumeric() && !"_$`\".".contains(c)).next();
        let takes_value = |before: &str| SIGNED.iter().any(|one| before.eq_ignore_ascii_case(one));
        let symbol = before.chars().next_back().map(String::from);
        next.is_some_and(|c| c.is_ascii_digit())
            && (word.is_some_and(takes_value) || symbol.as_deref().is_some_and(takes_value))
    }

    fn space(&mut self) {
        if !self.out.ends_with(' ') {
            self.out.push(' ');
        }
    }

    /// A text, which a letter may stand before that says how it is written.
    fn text(&mut self, quote: char) {
        let letter = self.out.chars().next_back().filter(|c| "eEbBxX".contains(*c));
        let before = self.out.chars().rev().nth(1);
        let is_alone = before.is_none_or(|c| !c.is_alphanumeric() && c != '_');
        let letter = letter.filter(|_| is_alone);
        if letter.is_some() {
            self.out.pop();
        }
        let escapes = self.syntax.backslash_escapes || letter.is_some_and(|c| "eE".contains(c));
        let mut escaped = false;
        let mut written: String = letter.into_iter().chain([quote]).collect();
        while let Some(inner) = self.rest.next() {
            written.push(inner);
            match inner {
                _ if escaped => escaped = false,
                '\\' if escapes => escaped = true,
                _ if inner == quote && self.rest.peek() == Some(&quote) => escaped = true,
                _ if inner == quote => break,
                _ => {}
            }
        }
        self.value(&written);
    }

    fn name(&mut self, quote: char) {
        self.out.push(quote);
        for inner in self.rest.by_ref() {
            self.out.push(inner);
            if inner == quote {
                break;
            }
        }
    }

    /// A parameter, or a text between dollars.
    fn dollars(&mut self) {
        let digits = self.rest.clone().take_while(char::is_ascii_digit).count();
        if self.syntax.placeholder == Placeholder::Numbered && digits > 0 {
            self.rest.nth(digits - 1);
            self.out.push('?');
            return;
        }
        let is_name = |c: &char| c.is_alphanumeric() || *c == '_';
        let name: String = self.rest.clone().take_while(is_name).collect();
        let is_text = self.rest.clone().nth(name.chars().count()) == Some('$');
        if !self.syntax.dollar_quotes || !is_text {
            self.out.push('$');
            return;
        }
        let end = format!("${name}$");
        let rest: String = self.rest.clone().skip(end.chars().count() - 1).collect();
        let text = rest.find(&end).map_or(rest.len(), |at| at + end.len());
        let taken = end.chars().count() - 1 + rest[..text].chars().count();
        self.rest.nth(taken.saturating_sub(1));
        self.out.push('?');
    }

    /// Where `#` begins comments, a space follows on the dashes of one.
    fn is_line_comment(&self) -> bool {
        let after = self.rest.clone().nth(1);
        !self.syntax.hash_comments || after.is_none_or(char::is_whitespace)
    }

    fn skip_line(&mut self) {
        self.rest.by_ref().find(|c| *c == '\n');
        self.space();
    }

    /// One that no server reads is left out.
    fn comment(&mut self) {
        let text: String = self.rest.clone().skip(1).take(2).collect();
        if READ.iter().any(|begin| text.starts_with(begin)) {
            self.out.push('/');
            return;
        }
        self.rest.next();
        let (mut depth, mut last) = (1, ' ');
        for c in self.rest.by_ref() {
            match (last, c) {
                ('*', '/') => depth -= 1,
                ('/', '*') if self.syntax.nested_comments => depth += 1,
                _ => {
                    last = c;
                    continue;
                }
            }
            last = ' ';
            if depth == 0 {
                break;
            }
        }
        self.space();
    }
}

/// Whether a value that comes next is one of a LIMIT, an OFFSET or an INTERVAL.
fn is_bound(before: &str) -> bool {
    let ends = |text: &str, word: &str| {
        let cut = text.len().checked_sub(word.len()).and_then(|at| text.split_at_checked(at));
        cut.is_some_and(|(begin, end)| {
            let in_name = |c: char| c.is_alphanumeric() || "_$`\".".contains(c);
            end.eq_ignore_ascii_case(word) && !begin.ends_with(in_name)
        })
    };
    let before = before.trim_end();
    // `LIMIT 400, 3`: its first number is there already.
    let offset = before.strip_suffix(',').map(str::trim_end);
    let offset = offset.map(|text| text.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end());
    ["LIMIT", "OFFSET", "INTERVAL"].iter().any(|word| ends(before, word))
        || offset.is_some_and(|before| ends(before, "LIMIT"))
}

/// Whether a value can stand in a script as it was written.
fn is_plain(written: &str) -> bool {
    let inside = written.trim_matches('\'');
    inside.len() < LONGEST_BOUND
        && inside.chars().all(|c| c.is_ascii_alphanumeric() || " .:+-".contains(c))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn backticks(text: &str) -> String {
        let syntax = SqlSyntax {
            placeholder: Placeholder::QuestionMark,
            backslash_escapes: true,
            backticks: true,
            dollar_quotes: false,
            hash_comments: true,
            nested_comments: false,
            folds_names: false,
            pipelines: false,
        };
        without_values(text, &syntax)
    }

    #[test]
    fn values_lists_and_comments_are_taken_away() {
        assert_eq!(
            backticks("SELECT a1, `b2`  FROM t WHERE x = 'it''s; 5' AND y IN (1, 2.5,3) AND z=-7;"),
            "SELECT a1, `b2` FROM t WHERE x = ? AND y IN (...) AND z=?"
        );
        assert_eq!(
            backticks(
                "SELECT a FROM t WHERE x > - 7 AND y IN (-1, +2) AND z = a -7 AND w = b-1 - -2"
            ),
            "SELECT a FROM t WHERE x > ? AND y IN (...) AND z = a -? AND w = b-? - -?"
        );
        assert_eq!(
            backticks("SELECT /*+ hint */ a -- one\n, \"it\\\"s\" /* of 'two' */ FROM t # three"),
            "SELECT /*+ hint */ a , ? FROM t"
        );
        assert_eq!(backticks("SELECT a--1 FROM t"), "SELECT a--? FROM t");
    }

    #[test]
    fn values_of_no_column_are_kept_where_they_are_asked_for() {
        for (statement, kept) in [
            ("SELECT a FROM t WHERE id > 5 LIMIT 5000", "SELECT a FROM t WHERE id > ? LIMIT 5000"),
            ("SELECT a FROM t limit 20 OFFSET 500;", "SELECT a FROM t limit 20 OFFSET 500"),
            ("SELECT a FROM t LIMIT 400,3", "SELECT a FROM t LIMIT 400,3"),
            ("DELETE FROM t WHERE a = 1 LIMIT 400 , 3", "DELETE FROM t WHERE a = ? LIMIT 400 , 3"),
            ("SELECT a + INTERVAL '7 days' - '8'", "SELECT a + INTERVAL '7 days' - ?"),
            ("SELECT a + INTERVAL -7 DAY", "SELECT a + INTERVAL -7 DAY"),
            ("SELECT a + INTERVAL '7\n' DAY", "SELECT a + INTERVAL ? DAY"),
            ("SELECT a FROM t WHERE t.limit in (5, 6)", "SELECT a FROM t WHERE t.limit in (...)"),
            (
                "SELECT myLIMIT 5, t.LIMIT 5 FROM t LIMIT ?",
                "SELECT myLIMIT ?, t.LIMIT ? FROM t LIMIT ?",
            ),
        ] {
            assert_eq!(with_bounds(statement, &SqlSyntax::STANDARD), kept);
            let digest = without_values(statement, &SqlSyntax::STANDARD);
            assert_eq!(without_values(kept, &SqlSyntax::STANDARD), digest);
        }
    }

    #[test]
    fn standard_sql_has_names_in_quotes_numbered_parameters_and_texts_of_its_own() {
        let standard = |text: &str| without_values(text, &SqlSyntax::STANDARD);
        assert_eq!(
            standard(
                "SELECT \"a 1\", t.b2 FROM t\n\tWHERE x = $12 AND y IN ($1, $2 /*, ... */) AND z = E'it\\'s' \
                 AND d >= '2024-01-01'::date AND n = $x$ 'a' $$ $x$ -- it's\n AND m = 'a\\'"
            ),
            "SELECT \"a 1\", t.b2 FROM t WHERE x = ? AND y IN (...) AND z = ? AND d >= ?::date AND n = ? \
             AND m = ?"
        );
        assert_eq!(standard("SELECT 1 /* a /* b */ c */ , a$1 FROM t"), "SELECT ? , a$1 FROM t");
        for odd in ["$", "$$", "$a$", "'", "\"", "/*", "--", "E'\\", "$1", "''$$é$$é"] {
            standard(odd);
        }
    }
}
