//! The rows that stand behind `COPY … FROM stdin` in a script of PostgreSQL, as dumps have them: as
//! statements that insert them.

use std::string::FromUtf8Error;

/// Rows of one statement, and bytes from which on it has no more.
const MOST_ROWS: usize = 500;
const LONG: usize = 1 << 20;

/// Reads rows in the text format of COPY (PostgreSQL, "COPY": a line for each, tabs between the values).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CopyRows {
    /// What each statement begins with.
    head: String,
    statement: String,
    rows: usize,
    /// The line of its first row.
    begins: u32,
}

/// What came of a line.
pub(super) struct Taken {
    /// A statement that has its rows, with the line of the first.
    pub(super) statement: Option<(u32, String)>,
    /// Whether no rows follow.
    pub(super) ends: bool,
}

impl CopyRows {
    /// The rows of a statement that has rows behind it; `None` of any other.
    pub(super) fn from_statement(statement: &str) -> Option<Self> {
        let lower = statement.to_ascii_lowercase();
        let between = lower.strip_prefix("copy")?.strip_suffix("stdin")?.trim_end();
        let between = between.strip_suffix("from")?;
        let is_apart = between.starts_with(char::is_whitespace)
            && between.ends_with(|last: char| last.is_whitespace() || last == ')');
        let begin = "copy".len();
        let target = statement[begin..begin + between.len()].trim();
        // A dump has the values of identity columns too.
        let head = format!("INSERT INTO {target} OVERRIDING SYSTEM VALUE VALUES ");
        let new = Self { head, statement: String::new(), rows: 0, begins: 0 };
        (is_apart && !target.is_empty()).then_some(new)
    }

    /// Takes the next line, of that number.
    ///
    /// # Errors
    /// When a value is no text in UTF-8.
    pub(super) fn line(&mut self, line: &[u8], number: u32) -> Result<Taken, FromUtf8Error> {
        let row = line.strip_suffix(b"\n").unwrap_or(line);
        let row = row.strip_suffix(b"\r").unwrap_or(row);
        if row == b"\\." {
            return Ok(Taken { statement: self.end_statement(), ends: true });
        }
        if self.rows == 0 {
            self.begins = number;
            self.statement.push_str(&self.head);
        } else {
            self.statement.push_str(", ");
        }
        for (place, value) in row.split(|byte| *byte == b'\t').enumerate() {
            self.statement.push_str(if place == 0 { "(" } else { ", " });
            match value {
                b"\\N" => self.statement.push_str("NULL"),
                value => quote(&String::from_utf8(decoded(value))?, &mut self.statement),
            }
        }
        self.statement.push(')');
        self.rows += 1;
        let is_full = self.rows == MOST_ROWS || self.statement.len() >= LONG;
        let statement = if is_full { self.end_statement() } else { None };
        Ok(Taken { statement, ends: false })
    }

    fn end_statement(&mut self) -> Option<(u32, String)> {
        let has_rows = std::mem::take(&mut self.rows) > 0;
        has_rows.then(|| (self.begins, std::mem::take(&mut self.statement)))
    }
}

/// A value without its backslashes.
fn decoded(value: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(value.len());
    let mut rest = value;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        let Some((&escaped, after)) = rest.split_first().filter(|_| byte == b'\\') else {
            out.push(byte);
            continue;
        };
        let (taken, byte) = match escaped {
            b'b' => (1, 0x08),
            b'f' => (1, 0x0c),
            b'n' => (1, b'\n'),
            b'r' => (1, b'\r'),
            b't' => (1, b'\t'),
            b'v' => (1, 0x0b),
            b'0'..=b'7' => digits(rest, 3, 8),
            b'x' => match digits(after, 2, 16) {
                (0, _) => (1, b'x'),
                (length, byte) => (1 + length, byte),
            },
            other => (1, other),
        };
        out.push(byte);
        rest = &rest[taken..];
    }
    out
}

/// How many digits stand there, of so many at most, and the byte that they are.
fn digits(text: &[u8], most: usize, radix: u32) -> (usize, u8) {
    let values = text.iter().take(most).map_while(|digit| char::from(*digit).to_digit(radix));
    let (count, value) =
        values.fold((0, 0), |(count, value), digit| (count + 1, value * radix + digit));
    (count, value as u8)
}

/// Appends a text as a constant, which a backslash does not change whatever the server is set to.
fn quote(text: &str, out: &mut String) {
    let escapes = text.contains('\\');
    out.push_str(if escapes { "E'" } else { "'" });
    for character in text.chars() {
        if character == '\'' || escapes && character == '\\' {
            out.push(character);
        }
        out.push(character);
    }
    out.push('\'');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_copy_from_standard_input_has_rows_behind_it() {
        let head = |text: &str| CopyRows::from_statement(text).map(|rows| rows.head);
        let insert = |target: &str| format!("INSERT INTO {target} OVERRIDING SYSTEM VALUE VALUES ");
        assert_eq!(
            head("COPY public.t (a, \"B\") FROM stdin"),
            Some(insert("public.t (a, \"B\")"))
        );
        assert_eq!(head("copy t\nfrom STDIN"), Some(insert("t")));
        assert_eq!(head("COPY t(a)FROM stdin"), Some(insert("t(a)")));
        for other in [
            "COPY t FROM '/etc/passwd'",
            "COPY t FROM stdin WITH (FORMAT csv)",
            "COPY t TO stdout",
            "COPY FROM stdin",
            "copyfrom stdin",
            "SELECT 1",
        ] {
            assert_eq!(head(other), None, "{other}");
        }
    }

    #[test]
    fn values_are_those_that_the_dump_was_made_of() {
        for (written, meant) in [
            (&b"plain"[..], &b"plain"[..]),
            (b"a\\tb\\nc\\\\d", b"a\tb\nc\\d"),
            (b"\\b\\f\\r\\v\\.", b"\x08\x0c\r\x0b."),
            (b"\\101\\x41\\x4g\\xg", b"AA\x04gxg"),
            (b"\\1018\\", b"A8\\"),
            (b"", b""),
        ] {
            assert_eq!(decoded(written), meant, "{}", String::from_utf8_lossy(written));
        }
        let mut out = String::new();
        quote("it's", &mut out);
        quote("a\\b'", &mut out);
        assert_eq!(out, "'it''s'E'a\\\\b'''");
    }
}
