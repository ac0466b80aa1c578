//! A key as a row of a table.

use super::examples::Examples;
use serde_json::Value;

/// What descriptions say before what holds where a key is left out.
const ABSENT: &str = " when absent";

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
        let (meaning, default) = parted(described(schema));
        for (told, all) in [
            (markdown_cell(&meaning), &mut meanings),
            (default.map(|default| markdown_cell(&default)).unwrap_or_default(), &mut defaults),
            (values(schema, path), &mut kinds),
        ] {
            if !told.is_empty() && !all.contains(&told) {
                all.push(told);
            }
        }
    }
    let absent = if is_required { "required".to_owned() } else { defaults.join("; ") };
    let example = examples.of(path).map(|value| code(&format!("{key} = {value}")));
    vec![code(key), meanings.join(" / "), kinds.join(" / "), absent, example.unwrap_or_default()]
}

pub(super) fn described(schema: &Value) -> &str {
    schema.get("description").and_then(Value::as_str).unwrap_or_default()
}

/// A description without what holds in the key's absence, and that: `…; 3 when absent.`
fn parted(description: &str) -> (String, Option<String>) {
    let description = description.split_whitespace().collect::<Vec<_>>().join(" ");
    let whole = |description: String| {
        let named = description.split_once(" (the default)").map(|(before, _)| before);
        let named = named.and_then(|before| before.rsplit(' ').next()).map(str::to_owned);
        (description, named)
    };
    let Some((before, after)) = description.split_once(ABSENT) else { return whole(description) };
    if !after.starts_with(['.', ';']) && !after.is_empty() {
        return whole(description);
    }
    let clause = before.rfind("; ").map(|at| (at, at + 2));
    let sentence = before.rfind(". ").map(|at| (at + 1, at + 2));
    match clause.max(sentence) {
        // A condition before it, or several defaults, are told as they stand.
        Some((_, start)) if before[start..].contains(", ") => whole(description),
        Some((end, start)) => {
            let kept = before[..end].trim_end();
            let after = after.trim_start_matches(['.', ';']);
            let full_stop = if kept.ends_with('.') { "" } else { "." };
            (format!("{kept}{full_stop}{after}"), Some(before[start..].to_owned()))
        }
        None => whole(description),
    }
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
    let bound =
        |name: &str| schema.get(name).and_then(Value::as_f64).map(|bound| grouped(bound, what));
    match (bound("minimum"), bound("maximum"), bound("exclusiveMinimum")) {
        (Some(least), Some(most), _) => format!("{least} to {most}"),
        (Some(least), None, _) => format!("{what}, {least} or more"),
        (None, Some(most), Some(above)) => format!("above {above}, at most {most}"),
        (None, None, Some(above)) => format!("{what} above {above}"),
        (None, Some(most), None) => format!("{what}, at most {most}"),
        (None, None, None) => what.to_owned(),
    }
}

/// A bound as people write it: `1,000,000`, `0.9999`.
fn grouped(bound: f64, what: &str) -> String {
    // The largest numbers of a type are no bounds that anybody would reach.
    if bound >= 9e15 {
        return format!("any larger {}", what.trim_start_matches("a "));
    }
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

    #[test]
    fn what_holds_without_a_key_is_told_apart() {
        for (description, meaning, default) in [
            ("Repeats; 3 when absent.", "Repeats.", Some("3")),
            ("Repeats; 3 when absent. More later.", "Repeats. More later.", Some("3")),
            ("How many. 10,000 when absent.", "How many.", Some("10,000")),
            ("A table; when absent none.", "A table; when absent none.", None),
            ("None.", "None.", None),
            (
                "As `30s` (the default); there, 5s when absent.",
                "As `30s` (the default); there, 5s when absent.",
                Some("`30s`"),
            ),
            ("Which; 64 when absent, but not here.", "Which; 64 when absent, but not here.", None),
        ] {
            assert_eq!(parted(description), (meaning.to_owned(), default.map(str::to_owned)));
        }
    }

    #[test]
    fn cells_hold_no_markup_of_their_own() {
        assert_eq!(markdown_cell("a | b <c> `x_y|z`\n[d]"), "a \\| b &lt;c> `x_y\\|z` \\[d\\]");
        assert_eq!(code("a`b"), "`` a`b ``");
    }
}
