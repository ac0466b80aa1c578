use model::SqlSyntax;

/// A part of a statement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind,
    pub(super) from: usize,
    pub(super) to: usize,
    text: &'t str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    /// A name in quotes.
    Quoted,
    /// A `?`.
    Mark,
    /// `(...)`, a list whose values were left out.
    List,
    /// A number or a text.
    Literal,
    Sign,
}

impl Token<'_> {
    /// Whether it is a word or sign.
    pub(super) fn is(&self, word: &str) -> bool {
        self.kind != Kind::Quoted && self.text.eq_ignore_ascii_case(word)
    }

    pub(super) fn upper(&self) -> String {
        self.text.to_ascii_uppercase()
    }

    pub(super) fn is_name(&self) -> bool {
        matches!(self.kind, Kind::Word | Kind::Quoted)
    }

    pub(super) fn name(&self) -> &str {
        match self.kind {
            Kind::Quoted => self.text.trim_matches(['`', '"']),
            _ => self.text,
        }
    }

    pub(super) fn names(&self, name: &str) -> bool {
        self.is_name() && self.name().eq_ignore_ascii_case(name)
    }
}

/// Cuts a statement; `None` where a quote does not end. Comments are left out.
pub(super) fn tokens<'t>(text: &'t str, syntax: &SqlSyntax) -> Option<Vec<Token<'t>>> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut from = 0;
    while let Some(byte) = bytes.get(from) {
        let rest = &bytes[from..];
        let in_word =
            |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..);
        let (kind, length) = match byte {
            byte if byte.is_ascii_whitespace() => {
                from += 1;
                continue;
            }
            b'/' if rest.starts_with(b"/*") => {
                let end = text[from..].find("*/")?;
                from += end + 2;
                continue;
            }
            b'`' if syntax.backticks => (Kind::Quoted, quote(rest)?),
            b'"' if !syntax.backticks => (Kind::Quoted, quote(rest)?),
            b'\'' | b'"' => (Kind::Literal, quote(rest)?),
            b'?' => (Kind::Mark, 1),
            b'(' if list(rest).is_some() => (Kind::List, list(rest)?),
            byte if byte.is_ascii_digit() => {
                let number = |byte: &&u8| in_word(byte) || **byte == b'.';
                (Kind::Literal, rest.iter().take_while(number).count())
            }
            byte if in_word(&byte) => (Kind::Word, rest.iter().take_while(in_word).count()),
            _ => {
                let two = ["<=>", "<=", ">=", "<>", "!="];
                let long = two.iter().find(|sign| rest.starts_with(sign.as_bytes()));
                (Kind::Sign, long.map_or(1, |sign| sign.len()))
            }
        };
        let to = from + length;
        tokens.push(Token { kind, from, to, text: text.get(from..to)? });
        from = to;
    }
    Some(tokens)
}

/// The length of what is quoted, quotes included; a quote in it stands twice.
fn quote(bytes: &[u8]) -> Option<usize> {
    let quote = bytes[0];
    let mut at = 1;
    loop {
        at += bytes[at..].iter().position(|byte| *byte == quote)? + 1;
        if bytes.get(at) != Some(&quote) {
            return Some(at);
        }
        at += 1;
    }
}

/// The length of a list without its values, if it stands there.
fn list(bytes: &[u8]) -> Option<usize> {
    let plain = |at: &usize| !bytes[*at].is_ascii_whitespace();
    let signs: Vec<usize> = (0..bytes.len().min(16)).filter(plain).take(5).collect();
    let is = signs.iter().map(|at| bytes[*at]).eq(*b"(...)");
    is.then(|| signs[4] + 1)
}
