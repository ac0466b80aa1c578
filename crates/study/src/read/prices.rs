//! Files of prices: what targets cost, given for results that are there already.

use super::price::price;
use super::{read_text, shape};
use crate::StudyError;
use crate::keys::schema::price_schema;
use crate::problem::Problems;
use crate::problem::render::{Source, render};
use model::{Price, text};
use std::collections::BTreeMap;
use std::path::Path;
use toml::Spanned;
use toml::de::DeTable;

/// Reads a file of prices: a table for each target, by its name, with the keys of a study's `price`, in
/// TOML, or in JSON where the name of the file ends so.
///
/// # Errors
/// When the file cannot be read, or a price in it is wrong.
pub fn prices(path: &Path) -> Result<BTreeMap<String, Price>, StudyError> {
    let (written, mut origin, directory) = read_text(path).map_err(|error| match error {
        StudyError::Unreadable { path, reason } => StudyError::NoPrices {
            origin: text::line(&path.display().to_string()).into_owned(),
            reason: reason.to_string(),
        },
        other => other,
    })?;
    let is_json = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("json"));
    let written = match is_json {
        true => {
            let as_toml = from_json(&written)
                .map_err(|reason| StudyError::NoPrices { origin: origin.clone(), reason })?;
            origin.push_str(" (lines are those of the same in TOML)");
            as_toml
        }
        false => written,
    };
    let mut problems = Problems::default();
    problems.directory = Some(directory);
    let (tree, syntax_errors) = DeTable::parse_recoverable(&written);
    for error in &syntax_errors {
        let end = written.len();
        problems.add(error.span().unwrap_or(end..end), error.message());
    }
    let found = match syntax_errors.is_empty() {
        true => tables(tree.into_inner(), &mut problems),
        false => BTreeMap::new(),
    };
    if problems.is_empty() {
        return Ok(found);
    }
    let problems = problems.into_sorted();
    let report = render(&problems, &Source::File { text: &written, origin: &origin });
    Err(StudyError::Invalid { report, problems: problems.len() })
}

/// The price of each target.
fn tables(tree: DeTable<'_>, problems: &mut Problems) -> BTreeMap<String, Price> {
    let schema = price_schema();
    let mut found = BTreeMap::new();
    for (name, value) in tree {
        let at = value.span();
        let name = name.into_inner().into_owned();
        let Some(table) = value.into_inner().as_table().cloned() else {
            problems
                .add(at, format!("the price of {} is no table", text::line(&name)))
                .help("write a table with the name of the target, such as [a]");
            continue;
        };
        let mut table = Spanned::new(at.clone(), table);
        shape::unknown_keys(table.get_ref(), &schema, "a price", problems);
        let wire = shape::typed(&mut table, problems);
        let read = wire.and_then(|wire| price(Spanned::new(at, wire), problems));
        found.extend(read.map(|price| (name, price)));
    }
    found
}

/// The same in TOML, which has no null: an entry without a value is not there.
fn from_json(written: &str) -> Result<String, String> {
    let mut value: serde_json::Value =
        serde_json::from_str(written).map_err(|error| error.to_string())?;
    without_nulls(&mut value);
    toml::to_string(&value).map_err(|error| error.to_string())
}

fn without_nulls(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(entries) => {
            entries.retain(|_, value| !value.is_null());
            entries.values_mut().for_each(without_nulls);
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(without_nulls),
        _ => {}
    }
}
