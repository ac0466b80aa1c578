//! A key as a row of a table.

use super::examples::Examples;
use crate::keys::key::ABSENT;
use serde_json::Value;

/// The row of a key: its name, what it is, its values, what holds without it, and an example. Where the
/// key differs from form to form, all of these.
pub(super) fn key_row(
    path: &[&str],
    schemas: &[&Value],
    is_required: bool,
    examples: &Examples,
) -> Vec<String> {
    let key = path.last().copied().unwrap_or_default();
    let (mut meanings, mut defaults, mut kinds) = (Vec::new(), Vec::new(), Vec::new());
    for schema in schemas {
        let default = absence(schema).map(|default| markdown_cell(&default));
        for (told, all) in [
            (markdown_cell(described(schema)), &mut meanings),
            (default.unwrap_or_default(), &mut defaults),
            (values(schema, path), &mut kinds),
        ] {
            if !told.is_empty() && !all.contains(&told) {
                all.push(told);
            }
        }
    }
    let absent = if is_required { "required".to_owned() } else { defaults.join("; ") };
    let example = examples.value_of(path).map(|value| code(&format!("{key} = {value}")));
    vec![code(key), meanings.join(" / "), kinds.join(" / "), absent, example.unwrap_or_default()]
}

pub(super) fn described(schema: &Value) -> &str {
    schema.get("description").and_then(Value::as_str).unwrap_or_default()
}

/// What holds where the key is absent: its default, or what the schema says in words.
pub(crate) fn absence(schema: &Value) -> Option<String> {
    let words = schema.get(ABSENT).and_then(Value::as_str).map(str::to_owned);
    words.or_else(|| match schema.get("default")? {
        Value::String(text) => Some(code(text)),
        Value::Number(number) => number.as_f64().map(grouped),
        Value::Object(_) => None,
        other => Some(other.to_string()),
    })
}

/// Which values a key takes.
fn values(schema: &Value, path: &[&str]) -> String {
    if let Some(choices) = schema.get("anyOf").and_then(Value::as_array) {
        let mut told: Vec<String> = Vec::new();
        for choice in choices {
            let one = values(choice, path);
            if !one.is_empty() && !told.contains(&one) {
                told.push(one);
            }
        }
        return told.join(", or ");
    }
    if let Some(only) = schema.get("const") {
        return code(&only.to_string());
    }
    if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
        return choices.iter().map(|one| code(&one.to_string())).collect::<Vec<_>>().join(", ");
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("boolean") => "`true`, `false`".to_owned(),
        Some("integer") => range(schema, "a whole number"),
        Some("number") => range(schema, "a number"),
        Some("string") => text(schema),
        Some("array") => list(schema, path),
        Some("object") if schema.get("properties").is_some() => {
            let name = path.join(".");
            format!("a table: [below](#the-table-{})", anchor(&name))
        }
        Some("object") => {
            let inner = schema.get("additionalProperties").map(|inner| values(inner, path));
            match inner.filter(|inner| !inner.is_empty()) {
                Some(inner) => format!("a table of names, each with {inner}"),
                None => "a table".to_owned(),
            }
        }
        _ => String::new(),
    }
}

fn range(schema: &Value, what: &str) -> String {
    let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
    // The largest numbers of a type are no bounds that anybody would reach.
    let most = bound("maximum").filter(|most| *most < 9e15).map(grouped);
    match (bound("minimum").map(grouped), most, bound("exclusiveMinimum").map(grouped)) {
        (Some(least), Some(most), _) => format!("{least} to {most}"),
        (Some(least), None, _) => format!("{what}, {least} or more"),
        (None, Some(most), Some(above)) => format!("above {above}, at most {most}"),
        (None, None, Some(above)) => format!("{what} above {above}"),
        (None, Some(most), None) => format!("{what}, at most {most}"),
        (None, None, None) => what.to_owned(),
    }
}

/// A number as people write it: `1,000,000`, `0.9999`.
fn grouped(bound: f64) -> String {
    if bound.fract() != 0.0 || bound.abs() < 10_000.0 {
        return bound.to_string();
    }
    let digits = format!("{bound:.0}");
    let groups = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    groups.collect::<Vec<_>>().join(",")
}

fn text(schema: &Value) -> String {
    match schema.get("maxLength").and_then(Value::as_u64) {
        Some(most) => format!("text of at most {most} characters"),
        None => "text".to_owned(),
    }
}

fn list(schema: &Value, path: &[&str]) -> String {
    let number = |name: &str| schema.get(name).and_then(Value::as_u64);
    let of = match schema.get("items") {
        Some(items) if items.get("properties").is_some() => {
            format!("tables: [below](#each-of-{})", anchor(&path.join(".")))
        }
        Some(items) => values(items, path),
        None => String::new(),
    };
    let of = if of.is_empty() { of } else { format!(" of {of}") };
    match (number("minItems"), number("maxItems")) {
        (Some(least), Some(most)) if least == most => format!("a list{of}, exactly {least}"),
        (_, Some(most)) => format!("a list{of}, at most {most}"),
        _ => format!("a list{of}"),
    }
}

/// What renderers of Markdown call a heading: lower case, without dots.
fn anchor(name: &str) -> String {
    name.replace('.', "").to_lowercase()
}

/// Code within a cell; a text with a backtick gets two around it.
fn code(text: &str) -> String {
    let text = text.replace('|', "\\|");
    match text.contains('`') {
        true => format!("`` {text} ``"),
        false => format!("`{text}`"),
    }
}

/// A description as a paragraph.
pub(super) fn prose(description: &str) -> String {
    description.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text of plain English with code in it, as a cell of a table of Markdown.
pub fn markdown_cell(text: &str) -> String {
    let line = prose(text);
    let (mut escaped, mut is_code) = (String::with_capacity(line.len()), false);
    for character in line.chars() {
        is_code ^= character == '`';
        match character {
            '|' => escaped += "\\|",
            '<' if !is_code => escaped += "&lt;",
            '*' | '[' | ']' | '_' if !is_code => {
                escaped.push('\\');
                escaped.push(character);
            }
            _ => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_holds_without_a_key_is_told_apart() {
        for (schema, absent) in [
            (json!({ "default": 3 }), Some("3")),
            (json!({ "default": 10_000 }), Some("10,000")),
            (json!({ "default": 4.0 }), Some("4")),
            (json!({ "default": "1h" }), Some("`1h`")),
            (json!({ "default": true }), Some("true")),
            (json!({ "default": {} }), None),
            (json!({ ABSENT: "forever" }), Some("forever")),
            (json!({}), None),
        ] {
            assert_eq!(absence(&schema).as_deref(), absent, "{schema}");
        }
    }

    #[test]
    fn cells_hold_no_markup_of_their_own() {
        assert_eq!(markdown_cell("a | b <c> `x_y|z`\n[d]"), "a \\| b &lt;c> `x_y\\|z` \\[d\\]");
        assert_eq!(code("a`b"), "`` a`b ``");
    }
}
