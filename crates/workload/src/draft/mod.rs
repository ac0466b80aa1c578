//! Drafts a script of a statement whose values are `?`: each is drawn from the column that it is compared
//! with, or becomes a value of.

mod array;
mod log;
mod named;
mod token;
mod without_values;

pub use log::{LoggedStatements, StatementLog, StatementTally};
pub use without_values::without_values;

use model::{OutlineColumn, OutlineTable, Placeholder, SqlSyntax};
use named::Named;
use std::fmt::Write;
use token::{Kind, Token, tokens};
use without_values::SIGNED;

/// Values of a list that came without them.
const LISTED: usize = 3;
/// Rows of which values are taken where a column has no range.
const VALUES: u32 = 1_000;
/// How far apart the ends of a range are.
const SPAN: i64 = 99;
/// Characters of a statement that is drafted.
const LONGEST: usize = 16_384;
/// A statement as a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// What it does and to which table.
    pub name: String,
    /// Commands and the statement.
    pub script: String,
    /// The statement as a server prepares it, with a parameter for each of its values.
    pub marked: String,
    /// Whether it may change data.
    pub writes: bool,
    /// What was guessed of its values.
    pub guesses: Vec<String>,
}

/// Drafts a script of a statement.
///
/// # Errors
/// Why that is not possible.
pub fn draft(text: &str, tables: &[OutlineTable], syntax: &SqlSyntax) -> Result<Draft, String> {
    let text = text.trim().trim_end_matches(';').trim_end();
    // How a server writes the two numbers of a LIMIT.
    let limit = text.strip_suffix("LIMIT ?, ...").map(|before| format!("{before}LIMIT ?, ?"));
    let text = limit.as_deref().unwrap_or(text);
    if text.len() > LONGEST {
        return Err("it is too long".to_owned());
    }
    if text.ends_with("...") {
        return Err("the server has kept only its beginning".to_owned());
    }
    if text.chars().any(char::is_control) || text.contains("'''") || text.contains('\\') {
        return Err("it has characters that a script cannot have".to_owned());
    }
    // A server that is asked to prepare it would run what follows.
    if text.contains(';') {
        return Err("it may be several statements".to_owned());
    }
    const OPEN: &str = "a quote in it does not end";
    let text = unsigned(text, &tokens(text, syntax).ok_or(OPEN)?);
    let tokens = tokens(&text, syntax).ok_or(OPEN)?;
    Drafting::new(&text, &tokens, tables, syntax)?.finish()
}

/// Without the signs that servers keep before values: a value of the column has its own.
fn unsigned(text: &str, tokens: &[Token<'_>]) -> String {
    let mut out = text.to_owned();
    for three in tokens.windows(3).rev() {
        let [before, sign, value] = three else { continue };
        let is_sign = (sign.is("-") || sign.is("+")) && value.is("?");
        if is_sign && SIGNED.iter().any(|word| before.is(word)) {
            out.replace_range(sign.from..value.from, "");
        }
    }
    out
}

/// The query of a row of a table by the first of its columns in which no two rows have the same value, as a
/// statement to draft: where nothing is known of what a server is asked.
pub fn by_key(table: &OutlineTable, syntax: &SqlSyntax) -> Option<String> {
    let key = table.columns.iter().find(|column| column.is_unique)?;
    let (name, key) = (quoted(&table.name, syntax), quoted(&key.name, syntax));
    (table.rows > 0).then(|| format!("SELECT * FROM {name} WHERE {key} = ?"))
}

/// What stands in place of a `?`.
enum Filled<'t> {
    /// As it is; what it is a value of, where it makes a difference to what the statement does.
    Constant(&'static str, Option<&'static str>),
    /// A value of a column.
    Of(&'t OutlineTable, &'t OutlineColumn),
    /// A new value of a column in which no two rows have the same.
    New(&'t OutlineTable, &'t OutlineColumn),
    /// A little more than the value before.
    Above,
}

const LIMIT: Filled<'static> = Filled::Constant("10", Some("LIMIT"));
const OFFSET: Filled<'static> = Filled::Constant("0", Some("OFFSET"));

struct Drafting<'t> {
    text: &'t str,
    tokens: &'t [Token<'t>],
    syntax: &'t SqlSyntax,
    named: Named<'t>,
    draft: Draft,
    /// Of the statement, up to the token that comes next.
    sql: String,
    variables: usize,
    /// Parameters of the marked statement.
    marks: usize,
    /// The column of the last variable, where that is a number within a range.
    last: Option<usize>,
}

impl<'t> Drafting<'t> {
    fn new(
        text: &'t str,
        tokens: &'t [Token<'t>],
        tables: &'t [OutlineTable],
        syntax: &'t SqlSyntax,
    ) -> Result<Self, String> {
        let mut named = Named::new(tokens)?;
        let verb = named.verb.clone();
        let has = |word: &str| tokens.iter().any(|token| token.is(word));
        if has("OUTFILE") || has("DUMPFILE") || (verb == "SELECT" && writes_elsewhere(tokens)) {
            return Err("it writes what it reads elsewhere".to_owned());
        }
        named.find(tokens, tables)?;
        let Some((_, first)) = named.tables.first() else {
            return Err("it names no table of this database".to_owned());
        };
        if let Some((_, empty)) = named.tables.iter().find(|(_, table)| table.rows == 0)
            && verb == "SELECT"
        {
            return Err(format!("the table {} is empty", empty.name));
        }
        let changes = ["UPDATE", "SHARE", "INSERT", "DELETE"];
        let draft = Draft {
            name: format!("{verb} {}", first.name),
            script: String::new(),
            marked: String::new(),
            writes: verb != "SELECT" || changes.iter().any(|word| has(word)),
            guesses: Vec::new(),
        };
        let (sql, variables, marks, last) = (String::new(), 0, 0, None);
        Ok(Self { text, tokens, syntax, named, draft, sql, variables, marks, last })
    }

    fn finish(mut self) -> Result<Draft, String> {
        let mut copied = 0;
        let mut at = 0;
        while let Some(token) = self.tokens.get(at) {
            match token.kind {
                Kind::Mark => {
                    self.copy(copied, token.from);
                    let filled = self.filled(at)?;
                    self.fill(&filled)?;
                    copied = token.to;
                }
                Kind::List => {
                    self.copy(copied, token.from);
                    self.list(at)?;
                    copied = token.to;
                }
                Kind::Sign => {
                    if let Some(array) = array::compared(self.tokens, at) {
                        self.copy(copied, token.from);
                        self.array(at, array.is_not)?;
                        copied = self.tokens[array.last].to;
                        at = array.last;
                    }
                }
                // Servers note a space there, by which they themselves find no function.
                Kind::Word if self.tokens.get(at + 1).is_some_and(|next| next.is("(")) => {
                    self.copy(copied, token.to);
                    copied = self.tokens[at + 1].from;
                }
                _ => {}
            }
            at += 1;
        }
        self.copy(copied, self.text.len());
        let _ = writeln!(self.draft.script, "{};", self.sql);
        Ok(self.draft)
    }

    fn copy(&mut self, from: usize, to: usize) {
        let part = &self.text[from..to];
        // A colon of the statement is no variable.
        self.sql.push_str(&part.replace(':', "\\:"));
        self.draft.marked.push_str(part);
    }

    /// `= ANY(?)`: a list of values, whose number the script can tell.
    fn array(&mut self, at: usize, is_not: bool) -> Result<(), String> {
        let (table, column) = self.column_before(at).ok_or_else(|| self.unseen(at + 1))?;
        self.both(if is_not { "NOT IN (" } else { "IN (" });
        self.values(&[(); LISTED].map(|()| Filled::Of(table, column)))?;
        self.both(")");
        self.guess(format!("{}.{}: an array of {LISTED} values", table.name, column.name));
        Ok(())
    }

    /// `(...)`: the values of a row, or those of an IN.
    fn list(&mut self, at: usize) -> Result<(), String> {
        let before = at.checked_sub(1).map(|before| &self.tokens[before]);
        let is_row = before.is_some_and(|token| token.is("VALUES") || token.is("VALUE"));
        let fills: Vec<Filled<'t>> = match is_row {
            true => self.row(at - 1)?,
            false if before.is_some_and(|token| token.is("IN")) => {
                let (table, column) = self.column_before(at - 1).ok_or_else(|| self.unseen(at))?;
                (0..LISTED).map(|_| Filled::Of(table, column)).collect()
            }
            false => return Err(self.unseen(at)),
        };
        self.both("(");
        self.values(&fills)?;
        self.both(")");
        Ok(())
    }

    fn values(&mut self, fills: &[Filled<'_>]) -> Result<(), String> {
        for (number, filled) in fills.iter().enumerate() {
            if number > 0 {
                self.both(", ");
            }
            self.fill(filled)?;
        }
        Ok(())
    }

    fn both(&mut self, text: &str) {
        self.sql.push_str(text);
        self.draft.marked.push_str(text);
    }

    /// The values of an INSERT, by its list of columns.
    fn row(&self, values: usize) -> Result<Vec<Filled<'t>>, String> {
        let table = self.named.filled(self.tokens, values).ok_or_else(|| self.unseen(values))?;
        let mut columns: Vec<&OutlineColumn> = Vec::new();
        let close = values.checked_sub(1).filter(|close| self.tokens[*close].is(")"));
        match close {
            None => columns.extend(&table.columns),
            Some(close) => {
                let named = self.tokens[..close].iter().rev().take_while(|token| !token.is("("));
                let mut named: Vec<&Token<'_>> = named.filter(|token| token.is_name()).collect();
                named.reverse();
                for name in named {
                    let column = table.columns.iter().find(|column| name.names(&column.name));
                    columns.push(
                        column
                            .ok_or_else(|| format!("it has an unknown column {}", name.name()))?,
                    );
                }
            }
        }
        Ok(columns.into_iter().map(|column| filled(table, column, true)).collect())
    }

    /// What a `?` is.
    fn filled(&self, at: usize) -> Result<Filled<'t>, String> {
        let before = |back: usize| at.checked_sub(back).map(|at| &self.tokens[at]);
        let is = |back: usize, word: &str| before(back).is_some_and(|token| token.is(word));
        if is(1, "OFFSET") {
            return Ok(OFFSET);
        }
        if is(1, "LIMIT") {
            let first = self.tokens.get(at + 1).is_some_and(|token| token.is(","));
            return Ok(if first { OFFSET } else { LIMIT });
        }
        if is(1, ",") && is(2, "?") && is(3, "LIMIT") {
            return Ok(LIMIT);
        }
        if is(1, "(") && is(2, "COUNT") {
            return Ok(Filled::Constant("1", None));
        }
        if let Some(word) = ["INTERVAL", "SELECT"].into_iter().find(|word| is(1, word)) {
            return Ok(Filled::Constant("1", Some(word)));
        }
        if is(1, "AND") && is(2, "?") && is(3, "BETWEEN") {
            let (table, column) = self.column_before(at - 3).ok_or_else(|| self.unseen(at))?;
            return Ok(if column.range.is_some() {
                Filled::Above
            } else {
                Filled::Of(table, column)
            });
        }
        // `SET a = a + ?`
        if let Some(sign) = ["+", "-"].into_iter().find(|sign| is(1, sign)) {
            return Ok(Filled::Constant("1", Some(sign)));
        }
        let compared = before(1).is_some_and(|token| {
            ["=", "<", ">", "<=", ">=", "<>", "!=", "<=>", "LIKE", "BETWEEN"]
                .iter()
                .any(|word| token.is(word))
        });
        if compared {
            let (table, column) = self.column_before(at - 1).ok_or_else(|| self.unseen(at))?;
            return Ok(filled(table, column, false));
        }
        if let Some((table, column)) = self.in_list(at) {
            return Ok(filled(table, column, false));
        }
        if let Some(filled) = self.in_row(at) {
            return Ok(filled);
        }
        let after = self.tokens.get(at + 1);
        if after.is_some_and(|token| ["=", "<", ">", "<=", ">="].iter().any(|word| token.is(word)))
            && let Some((table, column)) = self.column_at(at + 2)
        {
            return Ok(filled(table, column, false));
        }
        Err(self.unseen(at))
    }

    /// The column of `column IN (?, ?)`.
    fn in_list(&self, at: usize) -> Option<(&'t OutlineTable, &'t OutlineColumn)> {
        let open = self.list_begin(at)?;
        let is_in = open.checked_sub(1).is_some_and(|at| self.tokens[at].is("IN"));
        is_in.then(|| self.column_before(open - 1))?
    }

    /// The value of `(a, b) VALUES (?, ?)`.
    fn in_row(&self, at: usize) -> Option<Filled<'t>> {
        let open = self.list_begin(at)?;
        let values = open.checked_sub(1)?;
        if !self.tokens[values].is("VALUES") && !self.tokens[values].is("VALUE") {
            return None;
        }
        let number = self.tokens[open + 1..at].iter().filter(|token| token.is(",")).count();
        self.row(values).ok()?.into_iter().nth(number)
    }

    /// Where the parenthesis of a plain list is in which a token stands.
    fn list_begin(&self, at: usize) -> Option<usize> {
        let plain = |token: &&Token<'_>| token.is("?") || token.is(",");
        let inside = self.tokens[..at].iter().rev().take_while(plain).count();
        let open = at.checked_sub(inside + 1)?;
        self.tokens[open].is("(").then_some(open)
    }

    /// The column whose name ends before a token.
    fn column_before(&self, at: usize) -> Option<(&'t OutlineTable, &'t OutlineColumn)> {
        let mut end = at.checked_sub(1)?;
        // NOT IN, NOT LIKE, NOT BETWEEN.
        if self.tokens[end].is("NOT") {
            end = end.checked_sub(1)?;
        }
        let qualified = end.checked_sub(2).filter(|_| self.tokens[end - 1].is("."));
        self.resolve(qualified.map(|at| &self.tokens[at]), &self.tokens[end])
    }

    /// The column whose name begins with a token.
    fn column_at(&self, at: usize) -> Option<(&'t OutlineTable, &'t OutlineColumn)> {
        let first = self.tokens.get(at)?;
        match self.tokens.get(at + 1).is_some_and(|token| token.is(".")) {
            true => self.resolve(Some(first), self.tokens.get(at + 2)?),
            false => self.resolve(None, first),
        }
    }

    fn resolve(
        &self,
        of: Option<&Token<'_>>,
        name: &Token<'_>,
    ) -> Option<(&'t OutlineTable, &'t OutlineColumn)> {
        if !name.is_name() {
            return None;
        }
        // What a WITH calls by a name may give any column of the tables that it reads.
        let of = of.filter(|of| !self.named.is_query(of));
        let fits = |alias: &str| of.is_none_or(|of| of.names(alias));
        self.named.tables.iter().filter(|(alias, _)| fits(alias)).find_map(|(_, table)| {
            let column = table.columns.iter().find(|column| name.names(&column.name))?;
            Some((*table, column))
        })
    }

    fn unseen(&self, at: usize) -> String {
        let from = self.tokens[at.saturating_sub(4)].from;
        let to = self.tokens[at].to;
        let part = model::text::excerpt(&self.text[from..to], 60).into_owned();
        format!("no column is seen from which the value of «{part}» could be drawn")
    }

    /// Writes a value, and the command that draws it.
    fn fill(&mut self, filled: &Filled<'_>) -> Result<(), String> {
        let (table, column) = match filled {
            Filled::Constant(text, of) => {
                self.both(text);
                if let Some(of) = of {
                    self.guess(format!("{of} {text}: the value that was asked for is not known"));
                }
                return Ok(());
            }
            Filled::Above => {
                let last = self.last.ok_or("the beginning of a range is not seen")?;
                let _ = write!(self.sql, ":v{last} + {SPAN}");
                self.mark();
                let _ = write!(self.draft.marked, " + {SPAN}");
                self.guess(format!("a range ends {SPAN} above its beginning"));
                return Ok(());
            }
            Filled::Of(table, column) | Filled::New(table, column) => (*table, *column),
        };
        self.variables += 1;
        let number = self.variables;
        let shown = format!("{}.{}", table.name, column.name);
        self.last = None;
        let command = match (filled, column.range) {
            (Filled::New(..), Some((_, high))) if column.is_unique => {
                self.guess(format!("{shown}: new numbers above {high}"));
                let low = high.saturating_add(1);
                // As a column of 32 bits takes them, if it has not more already.
                format!("random({low}, {})", i64::from(i32::MAX).max(low))
            }
            (_, Some((low, high))) => {
                self.guess(format!("{shown}: {low} to {high}, all as likely as any other"));
                self.last = Some(number);
                format!("random({low}, {high})")
            }
            (_, None) if table.rows == 0 => {
                return Err(format!(
                    "the table {} is empty, and has no values to draw",
                    table.name
                ));
            }
            (_, None) => {
                self.guess(format!(
                    "{shown}: values of {VALUES} of its rows, all as likely as any other"
                ));
                let of = quoted(&table.name, self.syntax);
                let name = quoted(&column.name, self.syntax);
                let _ = writeln!(
                    self.draft.script,
                    "\\values v{number} = SELECT {name} FROM {of} WHERE {name} IS NOT NULL LIMIT {VALUES}"
                );
                let _ = write!(self.sql, ":v{number}");
                self.mark();
                return Ok(());
            }
        };
        let _ = writeln!(self.draft.script, "\\set v{number} {command}");
        let _ = write!(self.sql, ":v{number}");
        self.mark();
        Ok(())
    }

    /// Adds a parameter to the statement that a server prepares.
    fn mark(&mut self) {
        self.marks += 1;
        match self.syntax.placeholder {
            Placeholder::QuestionMark => self.draft.marked.push('?'),
            Placeholder::Numbered => drop(write!(self.draft.marked, "${}", self.marks)),
        }
    }

    fn guess(&mut self, guess: String) {
        if !self.draft.guesses.contains(&guess) {
            self.draft.guesses.push(guess);
        }
    }
}

/// Whether a query writes what it reads into a variable, a file or a new table.
fn writes_elsewhere(tokens: &[Token<'_>]) -> bool {
    let begins = ["INSERT", "REPLACE", "IGNORE"];
    tokens.iter().enumerate().any(|(at, token)| {
        let before = at.checked_sub(1).map(|before| &tokens[before]);
        let adds = before.is_some_and(|before| begins.iter().any(|word| before.is(word)));
        token.is("INTO") && !adds
    })
}

fn filled<'t>(table: &'t OutlineTable, column: &'t OutlineColumn, is_new: bool) -> Filled<'t> {
    if is_new { Filled::New(table, column) } else { Filled::Of(table, column) }
}

fn quoted(name: &str, syntax: &SqlSyntax) -> String {
    let quote = if syntax.backticks { "`" } else { "\"" };
    format!("{quote}{}{quote}", name.replace(quote, &quote.repeat(2)))
}

#[cfg(test)]
mod tests;
