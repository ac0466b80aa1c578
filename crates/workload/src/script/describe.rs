//! What a statement does, how it is called, and which columns its answer has.

use super::cut::{Statement, Token, TokenKind};
use crate::program::StatementKind;

/// Characters of a statement's name.
const LONGEST_NAME: usize = 48;

pub(super) struct Described<'t> {
    text: &'t str,
    tokens: &'t [Token],
    /// Its first word, behind parentheses.
    first: usize,
    pub(super) kind: StatementKind,
}

/// The columns of an answer.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Columns {
    /// Their names, as far as they can be known from the statement.
    pub(super) names: Vec<Option<String>>,
    /// Whether others follow of which nothing is known.
    pub(super) open: bool,
}

impl<'t> Described<'t> {
    pub(super) fn new(text: &'t str, statement: &'t Statement<'_>) -> Self {
        let tokens = &statement.tokens[..];
        let first = tokens.iter().take_while(|token| token.kind == TokenKind::Open).count();
        let mut described = Self { text, tokens, first, kind: StatementKind::Other };
        described.find_kind();
        described
    }

    fn find_kind(&mut self) {
        if self.is_word(self.first, "with") {
            let does = |at: &usize| {
                self.tokens[*at].depth == self.tokens[self.first].depth
                    && ["select", "insert", "update", "delete"]
                        .iter()
                        .any(|word| self.is_word(*at, word))
            };
            self.first = (self.first..self.tokens.len()).find(does).unwrap_or(self.first);
        }
        let first = self.first;
        let word = |word: &str| self.is_word(first, word);
        self.kind = if word("select") {
            StatementKind::Select
        } else if word("insert") {
            StatementKind::Insert
        } else if word("update") {
            StatementKind::Update
        } else if word("delete") {
            StatementKind::Delete
        } else if word("begin") || (word("start") && self.is_word(first + 1, "transaction")) {
            StatementKind::Begin
        } else if word("commit") || word("end") {
            StatementKind::Commit
        } else if (word("rollback") && !self.has_word("to")) || word("abort") {
            StatementKind::Rollback
        } else {
            StatementKind::Other
        };
    }

    fn str(&self, token: &Token) -> &'t str {
        &self.text[token.from..token.to]
    }

    fn is_word(&self, at: usize, word: &str) -> bool {
        self.tokens.get(at).is_some_and(|token| {
            token.kind == TokenKind::Word && self.str(token).eq_ignore_ascii_case(word)
        })
    }

    fn has_word(&self, word: &str) -> bool {
        (0..self.tokens.len()).any(|at| self.is_word(at, word))
    }

    /// The place of a word at the depth of the first.
    fn find(&self, from: usize, words: &[&str]) -> Option<usize> {
        let depth = self.tokens.get(self.first)?.depth;
        (from..self.tokens.len()).find(|at| {
            self.tokens[*at].depth == depth && words.iter().any(|word| self.is_word(*at, word))
        })
    }

    /// How its figures are called, such as `SELECT accounts`: what it does, and to which table.
    pub(super) fn label(&self) -> String {
        let Some(first) = self.tokens.get(self.first) else { return "nothing".to_owned() };
        let verb = self.str(first).to_ascii_uppercase();
        let at = match self.kind {
            StatementKind::Select | StatementKind::Delete => self.find(self.first, &["from"]),
            StatementKind::Insert => self.find(self.first, &["into"]).or(Some(self.first)),
            StatementKind::Update => Some(self.first),
            StatementKind::Begin | StatementKind::Commit | StatementKind::Rollback => None,
            StatementKind::Other => Some(self.first),
        };
        let object = at.and_then(|at| self.object(at + 1)).unwrap_or_default();
        let label = match self.kind {
            StatementKind::Begin if verb == "START" => "START TRANSACTION".to_owned(),
            _ if object.is_empty() => verb,
            _ => format!("{verb} {object}"),
        };
        label.chars().take(LONGEST_NAME).collect()
    }

    /// The last part of the name that stands at a place, or soon after it.
    fn object(&self, mut at: usize) -> Option<String> {
        const BETWEEN: [&str; 9] = [
            "only", "lateral", "low_priority", "high_priority", "ignore", "delayed", "into",
            "quick", "table",
        ];
        while BETWEEN.iter().any(|word| self.is_word(at, word)) {
            at += 1;
        }
        let mut name = self.name(at)?;
        while self.tokens.get(at + 1).is_some_and(|dot| dot.kind == TokenKind::Other(b'.')) {
            at += 2;
            name = self.name(at).unwrap_or(name);
        }
        Some(name)
    }

    /// A name without its quotes.
    fn name(&self, at: usize) -> Option<String> {
        let token = self.tokens.get(at)?;
        let text = self.str(token);
        match token.kind {
            TokenKind::Word => Some(text.to_owned()),
            TokenKind::Quoted => {
                let quote = &text[..1];
                let inner = &text[1..text.len() - 1];
                Some(inner.replace(&format!("{quote}{quote}"), quote))
            }
            _ => None,
        }
    }

    /// The columns of its answer; `None` where it has none for sure.
    pub(super) fn columns(&self, folds_names: bool) -> Option<Columns> {
        const ENDS: [&str; 14] = [
            "from", "into", "where", "group", "having", "order", "limit", "union", "except",
            "intersect", "fetch", "for", "window", "offset",
        ];
        let from = match self.kind {
            StatementKind::Select => self.first + 1,
            StatementKind::Insert | StatementKind::Update | StatementKind::Delete => {
                self.find(self.first, &["returning"])? + 1
            }
            StatementKind::Begin | StatementKind::Commit | StatementKind::Rollback => return None,
            StatementKind::Other => return Some(Columns { names: vec![], open: true }),
        };
        let end = match self.kind {
            StatementKind::Select => self.find(from, &ENDS),
            _ => None,
        };
        // A parenthesis around the whole statement ends it as well.
        let depth = self.tokens[self.first].depth;
        let close = (from..self.tokens.len()).find(|at| self.tokens[*at].depth < depth);
        let end = end.unwrap_or(self.tokens.len()).min(close.unwrap_or(self.tokens.len()));
        let from = self.behind_distinct(from, end);
        let mut columns = Columns::default();
        let tokens = &self.tokens[from..end.max(from)];
        for item in tokens.split(|t| t.kind == TokenKind::Other(b',') && t.depth == depth) {
            if item.last().is_some_and(|last| last.kind == TokenKind::Other(b'*')) {
                columns.open = true;
                return Some(columns);
            }
            columns.names.push(self.column(item, folds_names));
        }
        Some(columns)
    }

    fn behind_distinct(&self, from: usize, end: usize) -> usize {
        if self.is_word(from, "all") {
            return from + 1;
        }
        if !self.is_word(from, "distinct") {
            return from;
        }
        if !self.is_word(from + 1, "on") {
            return from + 1;
        }
        let depth = self.tokens[from].depth;
        let closes = |at: &usize| {
            self.tokens[*at].kind == TokenKind::Close && self.tokens[*at].depth == depth
        };
        (from..end).find(closes).map_or(end, |at| at + 1)
    }

    /// The name of a column, where the statement tells it: an alias, a column or a function.
    fn column(&self, item: &[Token], folds_names: bool) -> Option<String> {
        const AROUND_CALLS: [&str; 4] = ["over", "filter", "within", "group"];
        let (last, before) = item.split_last()?;
        let depth = item.first()?.depth;
        let name = |token: &Token| {
            let text = self.str(token);
            match token.kind {
                TokenKind::Word if folds_names => Some(text.to_ascii_lowercase()),
                TokenKind::Word => Some(text.to_owned()),
                TokenKind::Quoted => Some(text[1..text.len() - 1].to_owned()),
                _ => None,
            }
        };
        let operand = |token: &Token| match token.kind {
            TokenKind::Word => !self.is_operator(token),
            TokenKind::Quoted | TokenKind::Literal | TokenKind::Variable | TokenKind::Close => true,
            TokenKind::Open | TokenKind::Cast | TokenKind::Other(_) => false,
        };
        let is_as = |token: &Token| self.str(token).eq_ignore_ascii_case("as");
        if last.depth == depth && before.last().is_some_and(|token| is_as(token) || operand(token))
        {
            // The end of a CASE is no alias.
            if !self.str(last).eq_ignore_ascii_case("end") && last.kind != TokenKind::Close {
                return name(last);
            }
        }
        let cast = item.iter().position(|t| t.kind == TokenKind::Cast && t.depth == depth);
        if let Some(cast) = cast {
            return self.column(&item[..cast], folds_names);
        }
        let path = item.iter().take_while(|t| {
            t.kind == TokenKind::Other(b'.')
                || matches!(t.kind, TokenKind::Word | TokenKind::Quoted)
        });
        let path = path.count();
        let rest = &item[path..];
        let around_calls = |token: &Token| match token.kind {
            TokenKind::Open | TokenKind::Close => true,
            _ => AROUND_CALLS.iter().any(|word| self.str(token).eq_ignore_ascii_case(word)),
        };
        let is_call = rest.first().is_some_and(|token| token.kind == TokenKind::Open)
            && rest.iter().filter(|token| token.depth == depth).all(around_calls);
        match path > 0 && (rest.is_empty() || is_call) {
            true => name(&item[path - 1]),
            false => None,
        }
    }

    fn is_operator(&self, token: &Token) -> bool {
        const WORDS: [&str; 12] = [
            "and", "or", "not", "is", "in", "like", "ilike", "between", "div", "mod", "xor",
            "regexp",
        ];
        WORDS.iter().any(|word| self.str(token).eq_ignore_ascii_case(word))
    }
}
