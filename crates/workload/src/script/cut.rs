//! Cuts a script into statements and what stands between them.

use super::error::Problem;
use super::names::{begins_name, in_name};
use super::options::Syntax;

/// A statement as it is written.
#[derive(Debug, Default)]
pub(super) struct Statement<'t> {
    /// Where it begins.
    pub(super) at: usize,
    /// The name that a comment before it gives it.
    pub(super) name: Option<&'t str>,
    /// What stands around its variables: one more than those.
    pub(super) pieces: Vec<String>,
    pub(super) variables: Vec<Variable<'t>>,
    /// What it consists of.
    pub(super) tokens: Vec<Token>,
    /// What looks like a variable in quotes.
    pub(super) quoted: Vec<Variable<'t>>,
    /// A `?` outside of quotes.
    pub(super) question_mark: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Variable<'t> {
    pub(super) name: &'t str,
    /// The place of its colon.
    pub(super) at: usize,
    /// Whether it is a part of a longer word, so that its value stands there as it is.
    pub(super) joined: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) from: usize,
    pub(super) to: usize,
    /// How many parentheses are open around it.
    pub(super) depth: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    Word,
    /// A name in quotes.
    Quoted,
    /// A number or a text.
    Literal,
    Variable,
    Open,
    Close,
    Cast,
    Other(u8),
}

/// What ends a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Semicolon,
    /// `\;`, by which several statements are one command.
    Joint,
    /// A command begins.
    Backslash,
    Script,
}

pub(super) struct Cutter<'t> {
    text: &'t str,
    syntax: Syntax,
    at: usize,
}

impl<'t> Cutter<'t> {
    pub(super) fn new(text: &'t str, syntax: Syntax) -> Self {
        Self { text, syntax, at: 0 }
    }

    /// The place of what comes next.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Goes on at that place, after a command.
    pub(super) fn go_on(&mut self, at: usize) {
        self.at = at;
    }

    /// The next statement, without one where nothing stands before its end.
    pub(super) fn next(&mut self) -> Result<(Option<Statement<'t>>, End), Problem> {
        let mut reader = Reader {
            text: self.text,
            bytes: self.text.as_bytes(),
            syntax: self.syntax,
            at: self.at,
            taken: self.at,
            piece: String::new(),
            statement: Statement::default(),
            open: Vec::new(),
            blocks: 0,
        };
        let end = reader.read()?;
        self.at = reader.at;
        Ok((reader.finish(), end))
    }
}

struct Reader<'t> {
    text: &'t str,
    bytes: &'t [u8],
    syntax: Syntax,
    at: usize,
    /// Up to where the text has been taken over.
    taken: usize,
    piece: String,
    statement: Statement<'t>,
    /// The places of the parentheses that are open.
    open: Vec<usize>,
    /// `BEGIN … END` within the body of a routine.
    blocks: usize,
}

impl<'t> Reader<'t> {
    fn read(&mut self) -> Result<End, Problem> {
        loop {
            let Some(&byte) = self.bytes.get(self.at) else {
                self.take();
                self.closed()?;
                return Ok(End::Script);
            };
            match byte {
                b';' if self.open.is_empty() && self.blocks == 0 => {
                    self.take();
                    self.at += 1;
                    return Ok(End::Semicolon);
                }
                b'\\' => {
                    if let Some(end) = self.backslash()? {
                        return Ok(end);
                    }
                }
                b':' => self.colon(),
                _ => self.plain(byte)?,
            }
        }
    }

    fn finish(mut self) -> Option<Statement<'t>> {
        let mut statement = self.statement;
        if statement.tokens.is_empty() {
            return None;
        }
        self.piece.truncate(self.piece.trim_end().len());
        statement.pieces.push(self.piece);
        Some(statement)
    }

    fn closed(&self) -> Result<(), Problem> {
        match self.open.last() {
            None => Ok(()),
            Some(at) => Err(Problem::new(*at, "this parenthesis is never closed", "add a )")),
        }
    }

    fn next_is(&self, ahead: usize, byte: u8) -> bool {
        self.bytes.get(self.at + ahead) == Some(&byte)
    }

    /// Takes the text over up to here.
    fn take(&mut self) {
        // What was cut out begins and ends at ASCII.
        self.piece.push_str(self.text.get(self.taken..self.at).unwrap_or_default());
        self.taken = self.at;
    }

    /// What stands before the statement is no part of it, but for a hint.
    fn begin_text(&mut self) {
        if self.piece.is_empty() {
            self.taken = self.at;
        }
    }

    /// Leaves out so many bytes.
    fn leave_out(&mut self, bytes: usize) {
        match self.statement.tokens.is_empty() {
            true => self.begin_text(),
            false => self.take(),
        }
        self.at += bytes;
        self.taken = self.at;
    }

    fn push(&mut self, kind: TokenKind, bytes: usize) {
        if self.statement.tokens.is_empty() {
            self.statement.at = self.at;
            self.begin_text();
        }
        let (from, to, depth) = (self.at, self.at + bytes, self.open.len());
        self.statement.tokens.push(Token { kind, from, to, depth });
        self.at = to;
    }

    fn backslash(&mut self) -> Result<Option<End>, Problem> {
        if self.next_is(1, b':') {
            self.leave_out(1);
            self.push(TokenKind::Other(b':'), 1);
            return Ok(None);
        }
        self.take();
        if self.next_is(1, b';') && (!self.open.is_empty() || self.blocks > 0) {
            self.leave_out(1);
            self.push(TokenKind::Other(b';'), 1);
            return Ok(None);
        }
        self.closed()?;
        let joint = self.next_is(1, b';');
        self.at += 1 + usize::from(joint);
        Ok(Some(if joint { End::Joint } else { End::Backslash }))
    }

    fn colon(&mut self) {
        let colons = self.bytes[self.at..].iter().take_while(|byte| **byte == b':').count();
        let name = match colons {
            1 => self.name_at(self.at + 1),
            _ => "",
        };
        if name.is_empty() {
            let kind = if colons == 2 { TokenKind::Cast } else { TokenKind::Other(b':') };
            return self.push(kind, colons);
        }
        let joined = self.is_joined(name.len() + 1);
        let at = self.at;
        self.push(TokenKind::Variable, name.len() + 1);
        let to = std::mem::replace(&mut self.at, at);
        self.take();
        (self.at, self.taken) = (to, to);
        self.statement.pieces.push(std::mem::take(&mut self.piece));
        self.statement.variables.push(Variable { name, at, joined });
    }

    /// The name that begins at a place, if one does.
    fn name_at(&self, at: usize) -> &'t str {
        let rest = &self.bytes[at.min(self.bytes.len())..];
        if !rest.first().is_some_and(|byte| begins_name(*byte)) {
            return "";
        }
        let length = rest.iter().take_while(|byte| in_name(**byte)).count();
        &self.text[at..at + length]
    }

    /// Whether a variable of that length touches a word or a name.
    fn is_joined(&self, length: usize) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.bytes.get(at));
        let in_word = |byte: u8| in_name(byte) || matches!(byte, b'$' | b'"' | b'`' | b'.');
        if before.is_some_and(|byte| in_word(*byte)) {
            return true;
        }
        let rest = &self.bytes[self.at + length..];
        match rest {
            [b'.', next, ..] => begins_name(*next) || matches!(next, b'"' | b'`'),
            [b':', next, ..] => begins_name(*next),
            [next, ..] => matches!(next, b'"' | b'`' | b'$'),
            [] => false,
        }
    }

    /// What is no end and no variable.
    fn plain(&mut self, byte: u8) -> Result<(), Problem> {
        match byte {
            byte if byte.is_ascii_whitespace() || byte == 0x0b => self.at += 1,
            b'-' if self.begins_comment() => self.line_comment(),
            b'#' if self.syntax.hash_comments => self.line_comment(),
            b'/' if self.next_is(1, b'*') => self.block_comment()?,
            b'\'' => {
                let escapes = self.syntax.backslash_escapes || self.follows_e();
                let bytes = self.quoted(byte, escapes)?;
                self.push(TokenKind::Literal, bytes);
            }
            b'"' => {
                let bytes = self.quoted(byte, self.syntax.backslash_escapes)?;
                self.push(TokenKind::Quoted, bytes);
            }
            b'`' if self.syntax.backticks => {
                let bytes = self.quoted(byte, false)?;
                self.push(TokenKind::Quoted, bytes);
            }
            b'$' if self.syntax.dollar_quotes && self.dollar_tag().is_some() => {
                let bytes = self.dollar_quoted()?;
                self.push(TokenKind::Literal, bytes);
            }
            b'(' => {
                self.push(TokenKind::Open, 1);
                self.open.push(self.at - 1);
            }
            b')' => {
                self.open.pop();
                self.push(TokenKind::Close, 1);
            }
            byte if byte.is_ascii_digit() => {
                let number = |byte: &&u8| in_name(**byte) || **byte == b'.';
                let bytes = self.bytes[self.at..].iter().take_while(number).count();
                self.push(TokenKind::Literal, bytes);
            }
            byte if begins_name(byte) => {
                let word = |byte: &&u8| in_name(**byte) || **byte == b'$';
                let bytes = self.bytes[self.at..].iter().take_while(word).count();
                self.push(TokenKind::Word, bytes);
                self.count_blocks();
            }
            byte => {
                if byte == b'?' {
                    self.statement.question_mark.get_or_insert(self.at);
                }
                self.push(TokenKind::Other(byte), 1);
            }
        }
        Ok(())
    }

    fn begins_comment(&self) -> bool {
        let spaced = !self.syntax.hash_comments
            || self.bytes.get(self.at + 2).is_none_or(|byte| *byte <= b' ');
        self.next_is(1, b'-') && spaced
    }

    /// Leaves a comment out, up to the end of its line. Before a statement it may name it.
    fn line_comment(&mut self) {
        let rest = &self.text[self.at..];
        let length = rest.find('\n').unwrap_or(rest.len());
        if self.statement.tokens.is_empty() {
            let comment = rest[..length].trim_start_matches(['-', '#']).trim();
            let name = comment.strip_prefix("name:").map(str::trim);
            self.statement.name = name.filter(|name| !name.is_empty()).or(self.statement.name);
        }
        self.leave_out(length);
    }

    /// Goes over a comment, which may be a hint to the server; one before a statement that is none is
    /// left out.
    fn block_comment(&mut self) -> Result<(), Problem> {
        let from = self.at;
        let (mut at, mut depth) = (from + 2, 1);
        while depth > 0 {
            match self.bytes[at.min(self.bytes.len())..] {
                [] => {
                    let help = "end it with */";
                    return Err(Problem::new(from, "this comment is never closed", help));
                }
                [b'*', b'/', ..] => (at, depth) = (at + 2, depth - 1),
                [b'/', b'*', ..] if self.syntax.nested_comments => {
                    (at, depth) = (at + 2, depth + 1)
                }
                _ => at += 1,
            }
        }
        let hint = matches!(self.bytes[from + 2..at], [b'+' | b'!', ..]);
        match self.statement.tokens.is_empty() && !hint {
            true => self.leave_out(at - from),
            false => {
                if self.statement.tokens.is_empty() {
                    self.begin_text();
                }
                self.at = at;
                self.take();
            }
        }
        Ok(())
    }

    /// Whether the word before a quote says that backslashes escape in it.
    fn follows_e(&self) -> bool {
        let last = self.statement.tokens.last();
        last.is_some_and(|last| {
            last.to == self.at
                && last.kind == TokenKind::Word
                && matches!(self.bytes[last.from..last.to], [b'e' | b'E'])
        })
    }

    /// The length of what stands in quotes here.
    fn quoted(&mut self, quote: u8, escapes: bool) -> Result<usize, Problem> {
        let mut at = self.at + 1;
        loop {
            match self.bytes[at.min(self.bytes.len())..] {
                [] => {
                    let message = "this quote is never closed";
                    let help = format!("end it with {}", char::from(quote));
                    return Err(Problem::new(self.at, message, help));
                }
                [b'\\', ..] if escapes => at += 2,
                [first, second, ..] if first == quote && second == quote => at += 2,
                [first, ..] if first == quote => return Ok(at + 1 - self.at),
                [b':', ..] => {
                    let name = self.name_at(at + 1);
                    if !name.is_empty() {
                        self.statement.quoted.push(Variable { name, at, joined: true });
                    }
                    at += 1;
                }
                _ => at += 1,
            }
        }
    }

    /// What stands between two `$` here, where that begins a text.
    fn dollar_tag(&self) -> Option<&'t str> {
        let name = self.name_at(self.at + 1);
        let end = self.at + 1 + name.len();
        (self.bytes.get(end) == Some(&b'$')).then(|| &self.text[self.at..=end])
    }

    fn dollar_quoted(&self) -> Result<usize, Problem> {
        let tag = self.dollar_tag().unwrap_or("$$");
        match self.text[self.at + tag.len()..].find(tag) {
            Some(inner) => Ok(inner + 2 * tag.len()),
            None => {
                let help = format!("end it with {tag}");
                Err(Problem::new(self.at, "this quote is never closed", help))
            }
        }
    }

    /// In the body of a routine a semicolon does not end the statement.
    fn count_blocks(&mut self) {
        let tokens = &self.statement.tokens;
        let is = |token: &Token, word: &str| {
            token.kind == TokenKind::Word
                && self.bytes[token.from..token.to].eq_ignore_ascii_case(word.as_bytes())
        };
        let creates = tokens.first().is_some_and(|first| is(first, "create"));
        let routine = |token: &Token| is(token, "function") || is(token, "procedure");
        let replaces = |token: &Token| is(token, "or");
        let what = match tokens.get(1) {
            Some(or) if replaces(or) => tokens.get(3),
            second => second,
        };
        if !creates || !what.is_some_and(routine) || !self.open.is_empty() {
            return;
        }
        let Some(last) = tokens.last() else { return };
        if is(last, "begin") || (self.blocks > 0 && is(last, "case")) {
            self.blocks += 1;
        } else if is(last, "end") {
            self.blocks = self.blocks.saturating_sub(1);
        }
    }
}
