//! How the tables are made that statements of the user's own use: what may make two servers differ although
//! their settings do not.

use crate::Control;
use model::{Study, Test};
use std::collections::{BTreeMap, BTreeSet};
use system::TableDefinition;

/// The tables that statements of the user's own name in a study, as far as the server shows them.
pub fn definitions<C: Control>(
    control: &mut C,
    study: &Study,
) -> BTreeMap<String, TableDefinition> {
    let words = words(study);
    if words.is_empty() {
        return BTreeMap::new();
    }
    let mut ask = |sql: &str| pairs(control, sql);
    let storage = ask(C::DEFINITIONS.storage).into_iter();
    let mut tables: BTreeMap<String, TableDefinition> = storage
        .filter(|(name, _)| words.contains(&name.to_lowercase()))
        .map(|(name, storage)| (name, TableDefinition { storage, ..TableDefinition::default() }))
        .collect();
    for (name, index) in ask(C::DEFINITIONS.indexes) {
        if let Some(table) = tables.get_mut(&name) {
            table.indexes.insert(index);
        }
    }
    for (name, trigger) in ask(C::DEFINITIONS.triggers) {
        if let Some(table) = tables.get_mut(&name) {
            table.triggers.insert(trigger);
        }
    }
    tables
}

/// Both columns of a query; nothing where the account may not look.
fn pairs<C: Control>(control: &mut C, sql: &str) -> Vec<(String, String)> {
    let text = |value: Option<Option<Vec<u8>>>| {
        String::from_utf8_lossy(&value.flatten().unwrap_or_default()).into_owned()
    };
    let pair = |row: Vec<Option<Vec<u8>>>| {
        let mut values = row.into_iter();
        (text(values.next()), text(values.next()))
    };
    control.rows(sql).unwrap_or_default().into_iter().map(pair).collect()
}

/// The words of all statements of the user's own: names of tables are among them.
fn words(study: &Study) -> BTreeSet<String> {
    let own = study.tests.iter().filter_map(|test| test.workload()?.transactions());
    let scripts = own.flat_map(|own| {
        let invariants = own.data.invariants.iter().map(|one| one.sql.clone());
        own.transactions.iter().map(|one| one.script.text.clone()).chain(invariants)
    });
    let needs = study.tests.iter().map(Test::needs);
    let single = needs.flat_map(|needs| needs.own_statements).map(|(_, sql)| sql);
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let split = |text: String| -> Vec<String> {
        let words = text.split(|c: char| !is_of_word(c)).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    };
    scripts.chain(single).flat_map(split).collect()
}
