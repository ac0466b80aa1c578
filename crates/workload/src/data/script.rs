//! Scripts of SQL statements, cut apart as the server's own client does it.

use super::copy::CopyRows;
use model::SqlSyntax;
use std::fmt::{self, Display, Formatter};

/// What differs between the clients of servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScriptSyntax {
    /// Characters that quote texts and names.
    pub quotes: &'static [u8],
    /// Those of them that quote names.
    pub name_quotes: &'static [u8],
    /// Those in which a backslash takes the next character as it is.
    pub backslash_in: &'static [u8],
    /// Whether `#` begins a comment.
    pub hash_comments: bool,
    /// Whether `--` begins a comment only before a space.
    pub dashes_need_space: bool,
    /// Whether `/* */` can stand within another.
    pub nested_comments: bool,
    /// What the server executes although it stands in a comment begins so, after `/*`.
    pub executed_comments: &'static [&'static [u8]],
    /// Whether `$name$` quotes a text up to the next one.
    pub dollar_quotes: bool,
    /// Whether a line `DELIMITER` says what ends statements from there on.
    pub delimiter_lines: bool,
    /// Whether a line that begins with a backslash is a command of the client, and the rows of
    /// `COPY … FROM stdin` stand behind it.
    pub backslash_lines: bool,
}

impl ScriptSyntax {
    /// That of the client of a server whose statements are written so.
    pub fn for_sql(sql: SqlSyntax) -> Self {
        // Where names stand between backticks, the client is of one family.
        let SqlSyntax { backticks, .. } = sql;
        Self {
            quotes: if backticks { b"'\"`" } else { b"'\"" },
            name_quotes: if backticks { b"`" } else { b"\"" },
            backslash_in: if sql.backslash_escapes { b"'\"" } else { b"" },
            hash_comments: sql.hash_comments,
            dashes_need_space: sql.hash_comments,
            nested_comments: sql.nested_comments,
            executed_comments: if backticks { &[b"!", b"M!"] } else { &[] },
            dollar_quotes: sql.dollar_quotes,
            delimiter_lines: backticks,
            backslash_lines: !backticks,
        }
    }

    /// Where what the server executes begins in a comment that begins here; none of any other, and of one for
    /// a version that no server has, by which dumps speak to the server's own client.
    pub(super) fn executed(&self, rest: &[u8]) -> Option<usize> {
        let mark = self.executed_comments.iter().find(|mark| rest[2..].starts_with(mark))?;
        let start = 2 + mark.len();
        let version = rest[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let is_of_none = &rest[start..start + version] == b"999999";
        (!is_of_none).then_some(start + version)
    }

    pub(super) fn begins_line_comment(&self, rest: &[u8]) -> bool {
        let is_dashes = rest.starts_with(b"--")
            && (!self.dashes_need_space
                || rest.get(2).is_none_or(|c| c.is_ascii_whitespace() || c.is_ascii_control()));
        is_dashes || self.hash_comments && rest.starts_with(b"#")
    }
}

/// A statement of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptStatement {
    /// The line on which it begins; the first is 1.
    pub line: u32,
    pub text: String,
}

/// Why a script cannot be cut apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptError {
    pub line: u32,
    pub message: String,
}

impl Display for ScriptError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// Bytes of one statement: a dump's inserts have 1 to 16 MiB.
const LONGEST_STATEMENT: usize = 64 << 20;
const NO_END_OF_ROWS: &str = "the rows of a COPY do not end: a line \\. is missing";
/// Bytes of a delimiter.
const LONGEST_DELIMITER: usize = 15;

/// What surrounds the next character.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Within {
    Statement,
    Quoted(u8),
    Dollars(Vec<u8>),
    LineComment,
    /// How deep, and whether the server executes it.
    Comment {
        depth: u32,
        executed: bool,
    },
    /// Behind a COPY.
    Rows(CopyRows),
}

/// Cuts a script apart, which it gets line by line.
#[derive(Clone, Debug)]
pub struct ScriptReader {
    syntax: ScriptSyntax,
    delimiter: Vec<u8>,
    within: Within,
    statement: Vec<u8>,
    /// Whether the statement has anything to execute.
    has_content: bool,
    line: u32,
    begins: u32,
    /// The line on which a quotation or comment began.
    opened: u32,
}

impl ScriptReader {
    pub fn new(syntax: ScriptSyntax) -> Self {
        Self {
            syntax,
            delimiter: b";".to_vec(),
            within: Within::Statement,
            statement: Vec::new(),
            has_content: false,
            line: 0,
            begins: 1,
            opened: 1,
        }
    }

    /// Takes the next line, with its line feed, and appends the statements that end on it.
    ///
    /// # Errors
    /// When a statement is too long or no UTF-8, or a delimiter is none.
    pub fn line(&mut self, line: &[u8], out: &mut Vec<ScriptStatement>) -> Result<(), ScriptError> {
        self.line += 1;
        if self.line == 1 && (line.starts_with(b"\xff\xfe") || line.starts_with(b"\xfe\xff")) {
            return Err(self.error("the script is in UTF-16; save it as UTF-8"));
        }
        let line = match self.line {
            1 => line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line),
            _ => line,
        };
        if let Within::Rows(rows) = &mut self.within {
            let taken = rows.line(line, self.line).map_err(|_| ScriptError {
                line: self.line,
                message: "a value is not UTF-8".to_owned(),
            })?;
            out.extend(taken.statement.map(|(line, text)| ScriptStatement { line, text }));
            if taken.ends {
                self.within = Within::Statement;
            }
            return Ok(());
        }
        let is_between = self.within == Within::Statement && !self.has_content;
        if is_between && (self.takes_delimiter(line)? || self.takes_command(line)?) {
            return Ok(());
        }
        let mut at = 0;
        while at < line.len() {
            at += self.step(line, at, out)?;
            if self.statement.len() > LONGEST_STATEMENT {
                return Err(ScriptError {
                    line: self.begins,
                    message: format!("a statement has more than {} MiB", LONGEST_STATEMENT >> 20),
                });
            }
        }
        if self.within == Within::LineComment {
            self.within = Within::Statement;
        }
        Ok(())
    }

    /// Ends the script: the last statement needs no delimiter.
    ///
    /// # Errors
    /// When a quotation or comment does not end.
    pub fn end(mut self) -> Result<Option<ScriptStatement>, ScriptError> {
        let what = match self.within {
            Within::Statement | Within::LineComment => {
                let mut out = Vec::new();
                self.finish(&mut out)?;
                match self.within {
                    Within::Rows(_) => NO_END_OF_ROWS.to_owned(),
                    _ => return Ok(out.pop()),
                }
            }
            Within::Rows(_) => NO_END_OF_ROWS.to_owned(),
            Within::Quoted(quote) => format!("a quotation by {} does not end", char::from(quote)),
            Within::Dollars(_) => "a quotation by dollar signs does not end".to_owned(),
            Within::Comment { .. } => "a comment does not end".to_owned(),
        };
        Err(ScriptError { line: self.opened, message: what })
    }

    /// Whether the line says what ends statements from here on.
    fn takes_delimiter(&mut self, line: &[u8]) -> Result<bool, ScriptError> {
        const WORD: &[u8] = b"delimiter";
        let line = line.trim_ascii();
        let is_command = self.syntax.delimiter_lines
            && line.get(..WORD.len()).is_some_and(|word| word.eq_ignore_ascii_case(WORD))
            && line.get(WORD.len()).is_none_or(u8::is_ascii_whitespace);
        if !is_command {
            return Ok(false);
        }
        let delimiter = line[WORD.len()..].trim_ascii();
        let delimiter = delimiter.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        if delimiter.is_empty() || delimiter.len() > LONGEST_DELIMITER || delimiter.contains(&b'\\')
        {
            return Err(ScriptError {
                line: self.line,
                message: format!(
                    "DELIMITER takes 1 to {LONGEST_DELIMITER} characters without a backslash"
                ),
            });
        }
        self.delimiter = delimiter.to_vec();
        Ok(true)
    }

    /// Whether the line is a command of the client. Those by which a dump keeps others from being carried out
    /// say nothing here, where none is.
    fn takes_command(&self, line: &[u8]) -> Result<bool, ScriptError> {
        let command = line.trim_ascii().strip_prefix(b"\\");
        let Some(command) = command.filter(|_| self.syntax.backslash_lines) else {
            return Ok(false);
        };
        let word: Vec<u8> =
            command.iter().copied().take_while(u8::is_ascii_graphic).take(20).collect();
        match word.as_slice() {
            b"restrict" | b"unrestrict" => Ok(true),
            word => Err(ScriptError {
                line: self.line,
                message: format!(
                    "\\{} is a command of the server's own client, and no SQL",
                    String::from_utf8_lossy(word)
                ),
            }),
        }
    }

    /// Takes what is at a place of a line, and returns how many bytes that were.
    fn step(
        &mut self,
        line: &[u8],
        at: usize,
        out: &mut Vec<ScriptStatement>,
    ) -> Result<usize, ScriptError> {
        let rest = &line[at..];
        let taken = match &mut self.within {
            // What stands behind a COPY on its line is nothing.
            Within::LineComment | Within::Rows(_) => return Ok(rest.len()),
            Within::Quoted(quote) => {
                let quote = *quote;
                if rest[0] == b'\\' && self.syntax.backslash_in.contains(&quote) {
                    rest.len().min(2)
                } else {
                    if rest[0] == quote {
                        self.within = Within::Statement;
                    }
                    1
                }
            }
            Within::Dollars(tag) => match rest.starts_with(tag) {
                true => {
                    let length = tag.len();
                    self.within = Within::Statement;
                    length
                }
                false => 1,
            },
            Within::Comment { depth, .. } => {
                if rest.starts_with(b"*/") {
                    *depth -= 1;
                    if *depth == 0 {
                        self.within = Within::Statement;
                    }
                    2
                } else if self.syntax.nested_comments && rest.starts_with(b"/*") {
                    *depth += 1;
                    2
                } else {
                    1
                }
            }
            Within::Statement => return self.step_of_statement(line, at, out),
        };
        self.statement.extend_from_slice(&rest[..taken]);
        Ok(taken)
    }

    fn step_of_statement(
        &mut self,
        line: &[u8],
        at: usize,
        out: &mut Vec<ScriptStatement>,
    ) -> Result<usize, ScriptError> {
        let rest = &line[at..];
        if rest.starts_with(&self.delimiter) {
            self.finish(out)?;
            return Ok(self.delimiter.len());
        }
        if self.syntax.begins_line_comment(rest) {
            self.within = Within::LineComment;
            // As the clients do: it would only be in the way of what follows on the next line.
            return Ok(rest.len());
        }
        let first = rest[0];
        let mut taken = 1;
        if rest.starts_with(b"/*") {
            let executed = self.syntax.executed(rest).is_some();
            self.note_content(executed);
            self.within = Within::Comment { depth: 1, executed };
            taken = 2;
        } else if self.syntax.quotes.contains(&first) {
            self.note_content(true);
            self.within = Within::Quoted(first);
        } else if let Some(tag) = self.dollar_tag(line, at) {
            self.note_content(true);
            taken = tag.len();
            self.within = Within::Dollars(tag.to_vec());
        } else {
            self.note_content(!first.is_ascii_whitespace());
        }
        self.opened = self.line;
        self.statement.extend_from_slice(&rest[..taken]);
        Ok(taken)
    }

    fn note_content(&mut self, is_content: bool) {
        if is_content && !self.has_content {
            self.has_content = true;
            self.begins = self.line;
        }
    }

    /// The `$name$` at a place of a line.
    fn dollar_tag<'a>(&self, line: &'a [u8], at: usize) -> Option<&'a [u8]> {
        let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
        let after_name = at > 0 && is_of_name(line[at - 1]);
        if !self.syntax.dollar_quotes || line[at] != b'$' || after_name {
            return None;
        }
        let name = line[at + 1..].iter().take_while(|byte| is_of_name(**byte)).count();
        let starts_with_digit = line.get(at + 1).is_some_and(u8::is_ascii_digit);
        let end = at + 1 + name;
        (!starts_with_digit && line.get(end) == Some(&b'$')).then(|| &line[at..=end])
    }

    fn error(&self, message: &str) -> ScriptError {
        ScriptError { line: self.line, message: message.to_owned() }
    }

    fn finish(&mut self, out: &mut Vec<ScriptStatement>) -> Result<(), ScriptError> {
        let bytes = std::mem::take(&mut self.statement);
        if std::mem::take(&mut self.has_content) {
            let wrong =
                |message: &str| ScriptError { line: self.begins, message: message.to_owned() };
            let text = std::str::from_utf8(&bytes)
                .map_err(|_| wrong("the statement is not UTF-8; write bytes as X'…'"))?;
            // To a server it may be the end of the statement.
            if text.contains('\0') {
                return Err(wrong("the statement has a zero byte; write bytes as X'…'"));
            }
            match CopyRows::from_statement(text.trim()).filter(|_| self.syntax.backslash_lines) {
                Some(rows) => {
                    self.opened = self.begins;
                    self.within = Within::Rows(rows);
                }
                None => {
                    out.push(ScriptStatement { line: self.begins, text: text.trim().to_owned() });
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    pub(in super::super) const ONE: ScriptSyntax = ScriptSyntax {
        quotes: b"'\"`",
        name_quotes: b"`",
        backslash_in: b"'\"",
        hash_comments: true,
        dashes_need_space: true,
        nested_comments: false,
        executed_comments: &[b"!", b"M!"],
        dollar_quotes: false,
        delimiter_lines: true,
        backslash_lines: false,
    };
    const OTHER: ScriptSyntax = ScriptSyntax {
        quotes: b"'\"",
        name_quotes: b"\"",
        backslash_in: b"",
        hash_comments: false,
        dashes_need_space: false,
        nested_comments: true,
        executed_comments: &[],
        dollar_quotes: true,
        delimiter_lines: false,
        backslash_lines: true,
    };

    fn cut(syntax: ScriptSyntax, script: &[u8]) -> Result<Vec<(u32, String)>, ScriptError> {
        let mut reader = ScriptReader::new(syntax);
        let mut out = Vec::new();
        for line in script.split_inclusive(|byte| *byte == b'\n') {
            reader.line(line, &mut out)?;
        }
        out.extend(reader.end()?);
        Ok(out.into_iter().map(|statement| (statement.line, statement.text)).collect())
    }

    fn texts(syntax: ScriptSyntax, script: &str) -> Vec<String> {
        cut(syntax, script.as_bytes()).unwrap().into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn what_a_dump_says_to_the_servers_client_is_a_comment() {
        let script = "/*M!999999\\- enable the sandbox mode */ \n-- a dump\n\
                      /*!40101 SET @a=1 */;\n/*!999999\\- x */;\nSELECT 1;\n";
        let cut = texts(ONE, script);
        assert_eq!(cut.len(), 2, "{cut:?}");
        assert_eq!(cut[1], "SELECT 1");
    }

    #[test]
    fn statements_end_at_semicolons_that_nothing_quotes() {
        let script = "CREATE TABLE a (b INT); INSERT INTO a VALUES ('x;''y\\';'), (\"-- ;\");\n\n\
                      SELECT `;` FROM a -- no ; here\n# nor ; here\n/* nor ; here */;\n\nSELECT 2";
        let cut = cut(ONE, script.as_bytes()).unwrap();
        let lines: Vec<u32> = cut.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [1, 1, 3, 7]);
        assert_eq!(cut[1].1, "INSERT INTO a VALUES ('x;''y\\';'), (\"-- ;\")");
        assert!(cut[2].1.starts_with("SELECT `;` FROM a"), "{}", cut[2].1);
        assert_eq!(cut[3].1, "SELECT 2");
    }

    #[test]
    fn what_is_no_text_in_utf_8_is_said_to_be_that() {
        let message = |script: &[u8]| cut(OTHER, script).unwrap_err();
        let utf_16: Vec<u8> =
            "\u{feff}SELECT 1;\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert!(message(&utf_16).message.contains("in UTF-16; save it as UTF-8"));
        let error = message(b"SELECT 1;\nSELECT '\xe4';\n");
        assert!(error.line == 2 && error.message.contains("not UTF-8"), "{error}");
        let error = message(b"SELECT 1;\n\nSELECT 'a\0b';\n");
        assert!(error.line == 3 && error.message.contains("a zero byte"), "{error}");
    }

    #[test]
    fn a_delimiter_holds_until_the_next_one() {
        let script = "delimiter //\nCREATE TRIGGER t BEFORE INSERT ON a FOR EACH ROW BEGIN\n\
                      SET @x = 1; SET @y = 2;\nEND//\nDELIMITER ;\nSELECT 1;";
        let texts = texts(ONE, script);
        assert_eq!(texts.len(), 2, "{texts:?}");
        assert!(texts[0].ends_with("END") && texts[1] == "SELECT 1");
        assert!(cut(ONE, b"DELIMITER\n").unwrap_err().message.contains("1 to 15"));
    }

    #[test]
    fn comments_alone_are_no_statement_unless_the_server_executes_them() {
        assert!(texts(ONE, "-- a\n# b\n/* c */;;\n").is_empty());
        let dump = "/*!40101 SET NAMES utf8mb4 */;\n/*M!100616 SET a=1 */;";
        assert_eq!(texts(ONE, dump).len(), 2);
        // Two dashes before a digit are a difference.
        assert_eq!(texts(ONE, "SELECT 1--1;"), ["SELECT 1--1"]);
        assert_eq!(texts(OTHER, "SELECT 1--1;\n;"), ["SELECT 1"]);
    }

    #[test]
    fn dollars_quote_and_comments_nest_where_they_do() {
        let body = "CREATE FUNCTION f() AS $b$ BEGIN; $$ ; END $b$ LANGUAGE x; SELECT a$1;";
        assert_eq!(texts(OTHER, body).len(), 2);
        assert_eq!(
            texts(OTHER, "/* a /* b; */ ; */ SELECT 'c\\'; SELECT 2"),
            ["/* a /* b; */ ; */ SELECT 'c\\'", "SELECT 2"]
        );
    }

    #[test]
    fn rows_behind_a_copy_become_statements_that_insert_them() {
        let dump = "\\restrict x\n-- a dump\nSET a = 1;\nCOPY public.t (a, b) FROM stdin;\n1\tit's ; --\n\
                    2\t\\N\n\\.\n\n\nSELECT 1;\nCOPY u FROM stdin; -- none\n\\.\n\\unrestrict x\n";
        let found = cut(OTHER, dump.as_bytes()).unwrap();
        let insert = "INSERT INTO public.t (a, b) OVERRIDING SYSTEM VALUE VALUES \
                      ('1', 'it''s ; --'), ('2', NULL)";
        let expected = [(3, "SET a = 1"), (5, insert), (10, "SELECT 1")];
        assert_eq!(found.iter().map(|(line, text)| (*line, &**text)).collect::<Vec<_>>(), expected);
        // Many rows are several statements.
        let rows: String = (0..1_001).map(|number| format!("{number}\n")).collect();
        let many = format!("COPY t FROM stdin;\n{rows}\\.\n");
        let found = cut(OTHER, many.as_bytes()).unwrap();
        assert_eq!(found.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 502, 1_002]);
        // Clients of other servers know none of this.
        assert_eq!(texts(ONE, "COPY t FROM stdin;\n\\."), ["COPY t FROM stdin", "\\."]);
    }

    #[test]
    fn commands_of_the_client_and_rows_without_end_are_told_with_their_lines() {
        let error = |script: &[u8]| cut(OTHER, script).unwrap_err();
        let connect = error(b"SELECT 1;\n\\connect shop\n");
        assert_eq!(connect.line, 2);
        assert!(connect.message.starts_with("\\connect is a command"), "{connect}");
        for script in [&b"SELECT 1;\nCOPY t FROM stdin;\n1\n"[..], b"\nCOPY t FROM stdin"] {
            let open = error(script);
            assert_eq!(open.line, 2);
            assert!(open.message.contains("a line \\. is missing"), "{open}");
        }
        assert_eq!(error(b"COPY t FROM stdin;\n\xff\n\\.\n").line, 2);
    }

    #[test]
    fn what_does_not_end_is_told_with_its_line() {
        let error = |script: &[u8]| cut(ONE, script).unwrap_err();
        assert_eq!(error(b"SELECT 1;\nSELECT 'a\nb").line, 2);
        assert_eq!(error(b"SELECT /* a").message, "a comment does not end");
        assert_eq!(error(b"SELECT 1;\nSELECT '\xff';").line, 2);
    }

    proptest! {
        #[test]
        fn any_bytes_are_cut_or_refused(script in proptest::collection::vec(any::<u8>(), 0..400)) {
            for syntax in [ONE, OTHER] {
                for (_, text) in cut(syntax, &script).unwrap_or_default() {
                    prop_assert!(!text.is_empty());
                }
            }
        }
    }
}
