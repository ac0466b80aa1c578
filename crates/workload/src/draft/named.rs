//! The tables that a statement names, and the queries to which a WITH gives names.

use super::token::Token;
use model::OutlineTable;

/// Words of SQL that stand where an alias may.
const NO_ALIAS: [&str; 18] = [
    "WHERE", "JOIN", "INNER", "LEFT", "RIGHT", "CROSS", "ON", "USING", "GROUP", "ORDER", "LIMIT",
    "SET", "VALUES", "VALUE", "HAVING", "UNION", "FOR", "SELECT",
];

/// What a statement may begin with.
const VERBS: [&str; 5] = ["SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE"];

pub(super) struct Named<'t> {
    /// What the statement does, in capitals: of one with a WITH, what comes after that.
    pub(super) verb: String,
    /// By alias or name, in their order.
    pub(super) tables: Vec<(String, &'t OutlineTable)>,
    /// Names of queries, and other names that these have.
    queries: Vec<String>,
    /// The token that says what the statement does.
    main: usize,
}

impl<'t> Named<'t> {
    /// Of a statement whose tables are not looked for yet.
    pub(super) fn new(tokens: &[Token<'_>]) -> Result<Self, String> {
        let is_with = tokens.first().is_some_and(|first| first.is("WITH"));
        let (queries, main) = if is_with { queries(tokens)? } else { (Vec::new(), 0) };
        let verb = tokens.get(main).map(Token::upper).unwrap_or_default();
        if !VERBS.contains(&verb.as_str()) {
            return Err("it is neither a query nor a change of rows".to_owned());
        }
        Ok(Self { verb, tables: Vec::new(), queries, main })
    }

    /// Whether a token is the name of a query.
    pub(super) fn is_query(&self, token: &Token<'_>) -> bool {
        self.queries.iter().any(|query| token.names(query))
    }

    /// The table whose rows the VALUES in that place are.
    pub(super) fn filled(&self, tokens: &[Token<'_>], values: usize) -> Option<&'t OutlineTable> {
        let into = tokens[..values].iter().rposition(|token| token.is("INTO"));
        let Some(into) = into else {
            let is_change = ["INSERT", "REPLACE"].contains(&self.verb.as_str());
            return self.tables.first().filter(|_| is_change).map(|(_, table)| *table);
        };
        let is_of = tokens.get(into + 2).is_some_and(|dot| dot.is("."));
        let name = tokens.get(into + if is_of { 3 } else { 1 })?;
        let found = self.tables.iter().find(|(_, table)| name.names(&table.name));
        found.map(|(_, table)| *table)
    }

    /// Finds the tables.
    pub(super) fn find(
        &mut self,
        tokens: &[Token<'_>],
        tables: &'t [OutlineTable],
    ) -> Result<(), String> {
        let main = self.main;
        let mut at = 0;
        // Whether a name that comes is that of a table.
        let mut due = false;
        while let Some(token) = tokens.get(at) {
            let first_in_query = at == main || at > 0 && tokens[at - 1].is("(");
            let begins = ["FROM", "JOIN", "INTO"].iter().any(|word| token.is(word))
                || (token.is("UPDATE") && first_in_query)
                || (token.is("REPLACE") && at == main)
                || (token.is("INSERT") && at == main);
            if begins {
                due = true;
            } else if token.is("(") && tokens.get(at + 1).is_some_and(|next| next.is("SELECT")) {
                due = false;
            } else if due && token.is_name() && !token.is("IGNORE") && !token.is("LOW_PRIORITY") {
                let is_of = tokens.get(at + 1).is_some_and(|dot| dot.is("."));
                let name = if is_of { tokens.get(at + 2) } else { Some(token) };
                let name = name.ok_or("it ends too early")?;
                at += if is_of { 2 } else { 0 };
                let alias = tokens[at + 1..].iter().find(|token| !token.is("AS"));
                let alias = alias
                    .filter(|token| token.is_name() && !NO_ALIAS.iter().any(|word| token.is(word)))
                    .map(|alias| alias.name().to_owned());
                due = false;
                if !is_of && self.is_query(name) {
                    self.queries.extend(alias);
                } else {
                    let found = tables.iter().find(|table| name.names(&table.name));
                    let found = found.ok_or_else(|| {
                        let name = model::text::excerpt(name.name(), 64).into_owned();
                        format!("{name} is no table of this database")
                    })?;
                    self.tables.push((alias.unwrap_or_else(|| found.name.clone()), found));
                }
            } else if token.is(",") && at > 0 && follows_table(tokens, at) {
                due = true;
            }
            at += 1;
        }
        Ok(())
    }
}

/// The names that a WITH gives to queries, and where the statement after it begins.
fn queries(tokens: &[Token<'_>]) -> Result<(Vec<String>, usize), String> {
    let mut names = Vec::new();
    let (mut depth, mut due) = (0_usize, true);
    for (at, token) in tokens.iter().enumerate().skip(1) {
        match depth {
            0 if token.is("RECURSIVE") && at == 1 => {}
            0 if due && token.is_name() => {
                names.push(token.name().to_owned());
                due = false;
            }
            0 if token.is(",") => due = true,
            0 if VERBS.iter().any(|verb| token.is(verb)) => return Ok((names, at)),
            _ => {}
        }
        if token.is("(") {
            depth += 1;
        } else if token.is(")") {
            depth = depth.saturating_sub(1);
        }
    }
    Err("what comes after its WITH is neither a query nor a change of rows".to_owned())
}

/// Whether a comma stands between tables of a FROM.
fn follows_table(tokens: &[Token<'_>], at: usize) -> bool {
    let from = tokens[..at].iter().rposition(|token| token.is("FROM"));
    let clause = tokens[..at].iter().rposition(|token| {
        const CLAUSES: [&str; 14] = [
            "WHERE", "SET", "GROUP", "HAVING", "WINDOW", "ORDER", "LIMIT", "OFFSET", "ON",
            "SELECT", "VALUES", "RETURNING", "(", ")",
        ];
        CLAUSES.iter().any(|word| token.is(word))
    });
    from.is_some_and(|from| clause.is_none_or(|clause| clause < from))
}
