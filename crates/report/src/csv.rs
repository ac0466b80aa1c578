//! One row per trial of the plan.

use crate::trial_columns::{columns, rows};
use analyse::Analysis;
use serde_json::Value;
use std::io::{self, Write};

/// Writes the heading and the rows.
pub(crate) fn write(analysis: &Analysis, out: &mut impl Write) -> io::Result<()> {
    let names: Vec<&str> = columns().map(|(name, _)| name).collect();
    writeln!(out, "{}", names.join(","))?;
    for row in rows(analysis) {
        let fields: Vec<String> = columns().map(|(_, value)| field(&value(&row))).collect();
        writeln!(out, "{}", fields.join(","))?;
    }
    Ok(())
}

/// A field as RFC 4180 wants it: quoted where it holds a comma, a quote or a line break.
fn field(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) if text.contains([',', '"', '\n', '\r']) => {
            format!("\"{}\"", text.replace('"', "\"\""))
        }
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        assert_eq!(field(&Value::Null), "");
        assert_eq!(field(&1.5.into()), "1.5");
        assert_eq!(field(&"plain text".into()), "plain text");
        assert_eq!(field(&"a \"b\", c\n".into()), "\"a \"\"b\"\", c\n\"");
    }
}
