//! What the user says of a column: `--map 'Tx/sec=transactions_per_s'`.

use super::DecimalMark;
use super::names::{self, ColumnRole, Name};
use model::Metric;
use std::cell::Cell;

/// Why a text says nothing of a column.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MapError {
    /// It has no sign of equality.
    #[error("«{0}» does not say what a column is; write 'COLUMN=ROLE'")]
    Form(String),
    /// Nothing of that name is known.
    #[error(
        "«{0}» is neither a role of a column nor a figure that is known; a figure of any other name is \
         written with its unit, as in 'COLUMN=cache_hits:1/s'"
    )]
    Role(String),
}

/// What the user said of a column.
#[derive(Clone, Debug)]
pub(super) struct ColumnMapping {
    /// `*` stands for columns of targets or of numbers of clients.
    column: String,
    role: ColumnRole,
    /// Whether any table has it.
    used: Cell<bool>,
}

/// What the user says of tables.
#[derive(Clone, Debug, Default)]
pub struct TableOptions {
    /// What columns are ([`Self::say`]).
    map: Vec<ColumnMapping>,
    /// The decimal mark, where numbers do not tell it.
    pub(super) decimal: Option<DecimalMark>,
    /// The test of rows that name none.
    pub(super) test: Option<String>,
}

impl TableOptions {
    /// What is said of all tables; of their columns nothing yet.
    pub fn new(decimal: Option<DecimalMark>, test: Option<String>) -> Self {
        Self { map: Vec::new(), decimal, test }
    }

    /// Takes what the user says of one column.
    ///
    /// # Errors
    /// When the text is of another form, or names no role and no figure.
    pub fn say(&mut self, text: &str) -> Result<(), MapError> {
        let parts = text.rsplit_once('=').map(|(column, role)| (column.trim(), role.trim()));
        let (column, role) = parts
            .filter(|(column, role)| !column.is_empty() && !role.is_empty())
            .ok_or_else(|| MapError::Form(text.to_owned()))?;
        let known = parsed(role).ok_or_else(|| MapError::Role(role.to_owned()))?;
        self.map.push(ColumnMapping {
            column: column.to_owned(),
            role: known,
            used: Cell::new(false),
        });
        Ok(())
    }

    /// The columns that no table had of which anything was said.
    pub fn unused(&self) -> impl Iterator<Item = &str> {
        self.map.iter().filter(|said| !said.used.get()).map(|said| said.column.as_str())
    }

    /// What the user said of the column of that name.
    pub(super) fn said(&self, heading: &str) -> Option<&ColumnRole> {
        let named = self.map.iter().rev().find(|said| said.column.eq_ignore_ascii_case(heading))?;
        named.used.set(true);
        Some(&named.role)
    }

    /// The figure of columns that are named after targets or numbers of clients.
    pub(super) fn of_cells(&self) -> Option<(String, String)> {
        let said = self.map.iter().rev().find(|said| said.column == "*");
        match said.map(|said| &said.role) {
            Some(ColumnRole::Figure(metric, unit)) => Some((metric.clone(), unit.clone())),
            _ => None,
        }
    }

    /// What was said of such columns was used.
    pub(super) fn used_of_cells(&self) {
        self.map.iter().filter(|said| said.column == "*").for_each(|said| said.used.set(true));
    }
}

fn parsed(role: &str) -> Option<ColumnRole> {
    Some(match role {
        "target" => ColumnRole::Target,
        "test" => ColumnRole::Test,
        "clients" => ColumnRole::Clients,
        "queue_depth" => ColumnRole::QueueDepth,
        "rate" => ColumnRole::Rate,
        "repeat" => ColumnRole::Repeat,
        "block" => ColumnRole::Block,
        "factor" => ColumnRole::Factor,
        "note" => ColumnRole::Note,
        "failure" => ColumnRole::Failure,
        "metric" => ColumnRole::Metric,
        "-" => ColumnRole::Ignored,
        figure => return self::figure(figure),
    })
}

/// `latency_p95:ms`, `transactions_per_s`, or any name that a column may have.
fn figure(text: &str) -> Option<ColumnRole> {
    if let Some((metric, unit)) = text.split_once(':') {
        let plain = |c: char| c.is_ascii_alphanumeric() || "_.".contains(c);
        let named = !metric.is_empty() && metric.chars().all(plain) && !unit.is_empty();
        return named.then(|| ColumnRole::Figure(metric.to_owned(), unit.to_owned()));
    }
    let known = Metric::ALL.iter().map(|metric| metric.entry());
    let mut printed = known.flat_map(|entry| entry.printed_as.iter().map(|printed| printed.name));
    let (metric, unit) = names::figure(&Name::from_heading(text))
        .or_else(|| printed.find(|name| *name == text).map(|n| (n.to_owned(), String::new())))?;
    Some(ColumnRole::Figure(metric, unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_named_by_the_user() {
        let mut options = TableOptions::default();
        for (text, column, role) in [
            ("A=target", "A", ColumnRole::Target),
            ("x=y=latency_p95:ms", "x=y", ColumnRole::Figure("latency_p95".into(), "ms".into())),
            ("*=TPS", "*", ColumnRole::Figure("transactions_per_s".into(), "1/s".into())),
            ("n = -", "n", ColumnRole::Ignored),
            ("n=cache_hits:1/s", "n", ColumnRole::Figure("cache_hits".into(), "1/s".into())),
        ] {
            options.say(text).unwrap();
            let said = options.map.last().unwrap();
            assert_eq!((said.column.as_str(), &said.role), (column, &role), "{text}");
        }
        assert!(options.of_cells().is_some(), "asked of every table");
        assert!(options.unused().any(|column| column == "*"), "no table has such columns yet");
        options.used_of_cells();
        assert!(!options.unused().any(|column| column == "*"));
        assert!(options.say("x").is_err() && options.say("x=").is_err());
        assert!(options.say("x=transaction_per_z").is_err(), "a typing error is no new figure");
    }
}
