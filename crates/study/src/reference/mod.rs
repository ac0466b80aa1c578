//! The reference of study files, as a page of Markdown: from the schema what keys mean and which values
//! they may have, and from the templates an example of each.

mod examples;
mod keys;

use crate::keys::schema::schema;
use examples::Examples;
use keys::{described, key_row, prose};
use serde_json::{Map, Value};
use std::fmt::Write;

pub(crate) use keys::absence;
pub use keys::markdown_cell;

const HEAD: &str = "# Reference of study files

Every table and key, made by `make reference` from what the program itself checks a study by. `weighin schema` \
prints the same for editors, and `weighin init --schema` writes it beside a study. The [guide](../guide.md) \
shows how a study comes about; `weighin init --list` lists the templates that the examples are from.

A length of time is written `500ms`, `30s`, `2m` or `1h30m`, a size `4KiB`, `64MiB` or `10GiB`, a rate of bytes \
`50MiB/s`. A key that is not listed is refused, with the name that was probably meant.
";

/// The columns of a table of keys.
const COLUMNS: &str =
    "| Key | What it is | Values | When absent | Example |\n|---|---|---|---|---|\n";
const TEST_COLUMNS: &str =
    "| Key | Forms | What it is | Values | When absent | Example |\n|---|---|---|---|---|---|\n";

/// The reference of study files.
pub fn reference() -> String {
    let schema = schema();
    let examples = Examples::of_templates();
    let mut page = HEAD.to_owned();
    for (key, value) in properties(&schema) {
        let (inner, path) = (value.get("items").unwrap_or(value), [key.as_str()]);
        let is_list = value.get("items").is_some();
        let heading = if is_list { format!("[[{key}]]") } else { format!("[{key}]") };
        let _ = write!(page, "\n## `{heading}`\n\n{}\n", prose(described(value)));
        if inner.get("oneOf").is_some() {
            tests(inner, &examples, &mut page);
            continue;
        }
        let said = prose(described(inner));
        if is_list && !said.is_empty() {
            let _ = write!(page, "\n{said}\n");
        }
        table(&path, inner, &examples, &mut page);
    }
    page
}

fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

/// The keys of a table, and below them the tables that they may hold.
fn table(path: &[&str], schema: &Value, examples: &Examples, page: &mut String) {
    page.push('\n');
    page.push_str(COLUMNS);
    let required = required(schema);
    for (key, value) in properties(schema) {
        let whole = [path, &[key.as_str()]].concat();
        let is_required = required.contains(&key.as_str());
        let row = key_row(&whole, &[value], is_required, examples);
        let _ = writeln!(page, "| {} |", row.join(" | "));
    }
    for (key, value) in properties(schema) {
        inner(&[path, &[key.as_str()]].concat(), value, examples, page);
    }
}

/// The tables that a key may hold.
fn inner<'v>(path: &[&str], value: &'v Value, examples: &Examples, page: &mut String) {
    let choices = |of: Option<&'v Value>| {
        of.and_then(|of| of.get("anyOf")).and_then(Value::as_array).into_iter().flatten()
    };
    let (item, named) = (value.get("items"), value.get("additionalProperties"));
    let chosen = choices(Some(value)).chain(choices(item)).chain(choices(named));
    let chosen = chosen.flat_map(|one| [Some(one), one.get("items")]).flatten();
    for table_of in chosen.chain([value]).chain(item).chain(named) {
        if table_of.get("properties").is_none() {
            continue;
        }
        let items = choices(Some(value)).filter_map(|one| one.get("items")).chain(item);
        let of_list = items.into_iter().any(|item| std::ptr::eq(item, table_of));
        let name = path.join(".");
        let what = if of_list { "Each of" } else { "The table" };
        let heading = format!("\n### {what} `{name}`\n");
        if page.contains(&heading) {
            continue;
        }
        let _ = write!(page, "{heading}\n{}\n", prose(described(table_of)));
        table(path, table_of, examples, page);
    }
}

fn required(schema: &Value) -> Vec<&str> {
    let listed = schema.get("required").and_then(Value::as_array);
    listed.into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Tests have one of several forms: what tells these apart, then all of their keys, each once.
fn tests(schema: &Value, examples: &Examples, page: &mut String) {
    let forms: Vec<&Value> =
        schema.get("oneOf").and_then(Value::as_array).into_iter().flatten().collect();
    page.push_str(
        "\nA test has one of these forms, which its `workload` and `task` tell apart:\n\n",
    );
    page.push_str("| Form | What it is | Keys that it must have |\n|---|---|---|\n");
    for (number, form) in forms.iter().enumerate() {
        let title = form.get("title").and_then(Value::as_str).unwrap_or_default();
        let _ = writeln!(page, "| {} | {} | {} |", number + 1, markdown_cell(title), demands(form));
    }
    page.push('\n');
    page.push_str(TEST_COLUMNS);
    let names: Map<String, Value> = forms
        .iter()
        .flat_map(|form| properties(form))
        .map(|(k, v)| (k.clone(), v.clone()))
        .collect();
    for key in names.keys() {
        let of: Vec<(usize, &Value)> = (1..)
            .zip(&forms)
            .filter_map(|(number, form)| Some((number, form.get("properties")?.get(key)?)))
            .collect();
        let numbers: Vec<usize> = of.iter().map(|(number, _)| *number).collect();
        let mut distinct: Vec<&Value> = Vec::new();
        for (_, value) in &of {
            if !distinct.contains(value) {
                distinct.push(value);
            }
        }
        let always = forms.iter().all(|form| required(form).contains(&key.as_str()));
        let mut row = key_row(&["test", key], &distinct, always, examples);
        let shown = if numbers.len() == forms.len() { "all".to_owned() } else { runs(&numbers) };
        row.insert(1, shown);
        let _ = writeln!(page, "| {} |", row.join(" | "));
    }
    let mut shown: Vec<(&String, &Value)> = Vec::new();
    for (key, value) in forms.iter().flat_map(|form| properties(form)) {
        if !shown.contains(&(key, value)) {
            shown.push((key, value));
            inner(&["test", key.as_str()], value, examples, page);
        }
    }
}

/// Which keys a form of tests demands.
fn demands(form: &Value) -> String {
    let code = |key: &str| format!("`{key}`");
    let all: Vec<String> = required(form).into_iter().map(code).collect();
    let choices = form.get("anyOf").and_then(Value::as_array).into_iter().flatten();
    let one_of: Vec<String> = choices
        .map(|choice| required(choice).into_iter().map(code).collect::<Vec<_>>().join(" and "))
        .collect();
    match one_of.is_empty() {
        true => all.join(", "),
        false => format!("{}, and {}", all.join(", "), one_of.join(" or ")),
    }
}

/// Numbers as runs: `1–4, 7`.
fn runs(numbers: &[usize]) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let shown = runs.into_iter().map(|(first, last)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first}–{last}"),
    });
    shown.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_of_the_schema_has_a_row() {
        let page = reference();
        let mut keys = 0;
        let mut pending = vec![schema()];
        while let Some(schema) = pending.pop() {
            for (key, value) in properties(&schema) {
                let is_table = page.contains(&format!("## `[{key}]`"))
                    || page.contains(&format!("## `[[{key}]]`"));
                assert!(is_table || page.contains(&format!("\n| `{key}` |")), "{key}");
                pending.push(value.clone());
                keys += 1;
            }
            for part in ["items", "oneOf", "anyOf"] {
                match schema.get(part) {
                    Some(Value::Array(several)) => pending.extend(several.iter().cloned()),
                    Some(one) => pending.push(one.clone()),
                    None => {}
                }
            }
        }
        assert!(keys > 200, "{keys}");
    }

    #[test]
    fn rows_have_as_many_cells_as_their_heading() {
        let cells = |line: &str| line.replace("\\|", "").matches('|').count();
        let mut expected = None;
        for line in reference().lines() {
            match (line.starts_with('|'), expected) {
                (true, None) => expected = Some(cells(line)),
                (true, Some(expected)) => assert_eq!(cells(line), expected, "{line}"),
                (false, _) => expected = None,
            }
        }
    }

    #[test]
    fn ranges_defaults_and_examples_are_told() {
        let page = reference();
        let row = |key: &str| {
            let start = format!("| `{key}` |");
            page.lines().find(|line| line.starts_with(&start)).unwrap().to_owned()
        };
        let confidence = row("confidence");
        assert!(confidence.contains("| 0.5 to 0.9999 | 0.95 |"), "{confidence}");
        assert!(
            row("sample_every").contains("`sample_every = \"2.5s\"`"),
            "{}",
            row("sample_every")
        );
        assert!(row("until").contains("`\"resolved\"`"), "{}", row("until"));
        assert!(row("up").contains("required"), "{}", row("up"));
        assert_eq!(runs(&[1, 2, 3, 5, 7, 8]), "1–3, 5, 7, 8");
    }
}
