//! Examples of keys, from the templates.

use crate::{Template, template};
use std::collections::BTreeMap;
use toml::Value;

/// The longest example, in characters: what is longer is no help in a table.
const LONGEST: usize = 60;

/// The value that the templates give each key first, or mention in a comment.
pub(super) struct Examples(BTreeMap<String, String>);

impl Examples {
    pub(super) fn of_templates() -> Self {
        let mut found = Self(BTreeMap::new());
        let texts = || Template::ALL.into_iter().map(template);
        // What a template sets comes before what it only mentions.
        for is_comment in [false, true] {
            texts().for_each(|text| found.read(text, is_comment));
        }
        found
    }

    /// That of a key, as it is written behind `=`.
    pub(super) fn value_of(&self, path: &[&str]) -> Option<&str> {
        self.0.get(&path.join(".")).map(String::as_str)
    }

    /// Takes in lines of the form `key = value`, commented out or not, below the heading of a table.
    fn read(&mut self, text: &str, of_comments: bool) {
        let mut table = String::new();
        for line in text.lines() {
            let commented = line.strip_prefix('#');
            let line = commented.unwrap_or(line).trim();
            if let Some(heading) = heading(line) {
                table = heading;
                continue;
            }
            if commented.is_some() != of_comments || table.is_empty() {
                continue;
            }
            if let Ok(Value::Table(parsed)) = line.parse::<toml::Table>().map(Value::Table) {
                for (key, value) in parsed {
                    self.take(&format!("{table}.{key}"), &value);
                }
            }
        }
    }

    fn take(&mut self, path: &str, value: &Value) {
        let written = value.to_string();
        if written.chars().count() <= LONGEST && !written.contains('\n') {
            self.0.entry(path.to_owned()).or_insert(written);
        }
        let tables = match value {
            Value::Array(items) => items.iter().filter_map(Value::as_table).collect(),
            other => other.as_table().into_iter().collect::<Vec<_>>(),
        };
        for (key, inner) in tables.into_iter().flatten() {
            self.take(&format!("{path}.{key}"), inner);
        }
    }
}

/// The name in the heading of a table: `[target.sandbox]`, `[[test]]`.
fn heading(line: &str) -> Option<String> {
    let inner = line.strip_prefix('[')?.split(']').next()?;
    let name = inner.trim_start_matches('[');
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    (!name.is_empty() && name.chars().all(is_name)).then(|| name.to_owned())
}
