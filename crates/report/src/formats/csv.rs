//! One row per trial of the plan.

use crate::trial_columns::{Field, names, rows, values};
use analyse::Analysis;
use model::text;
use std::io::{self, Write};

/// Writes the heading and the rows.
pub(crate) fn write(analysis: &Analysis, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "format_version,{}", names().join(","))?;
    let mut line = Vec::new();
    for row in rows(analysis) {
        line.clear();
        write!(line, "{FORMAT_VERSION}")?;
        for value in values(&row) {
            line.push(b',');
            field(&value, &mut line)?;
        }
        line.push(b'\n');
        out.write_all(&line)?;
    }
    Ok(())
}

/// Raised when a column changes its meaning or goes away; new columns may come without.
const FORMAT_VERSION: u32 = 1;
/// Most characters of a text in a field.
const LONGEST_TEXT: usize = 4_000;

/// Adds a field as RFC 4180 wants it: quoted where it holds a comma or a quote. Texts stay on one line,
/// and one that a spreadsheet would take for a formula gets an apostrophe before it, as OWASP
/// advises; numbers are weighin's own and stay numbers.
fn field(value: &Field, line: &mut Vec<u8>) -> io::Result<()> {
    let text = match value {
        Field::Null => return Ok(()),
        Field::Text(text) => text.as_ref(),
        // Numbers as in JSON.
        other => return serde_json::to_writer(line, other).map_err(io::Error::from),
    };
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']);
    let text = text::excerpt(text, LONGEST_TEXT);
    let text = if formula { format!("'{text}") } else { text.into_owned() };
    match text.contains([',', '"']) {
        true => write!(line, "\"{}\"", text.replace('"', "\"\"")),
        false => line.write_all(text.as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(value: &Field) -> String {
        let mut line = Vec::new();
        super::field(value, &mut line).unwrap();
        String::from_utf8(line).unwrap()
    }

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        assert_eq!(field(&Field::Null), "");
        assert_eq!(field(&1.5.into()), "1.5");
        assert_eq!(field(&"plain text".into()), "plain text");
        assert_eq!(field(&"a \"b\", c\n".into()), "\"a \"\"b\"\", c\\n\"");
    }

    #[test]
    fn no_text_is_a_formula_and_numbers_stay_numbers() {
        assert_eq!(field(&"=1+1".into()), "'=1+1");
        assert_eq!(field(&"@SUM(A1)".into()), "'@SUM(A1)");
        assert_eq!(field(&"+1,2".into()), "\"'+1,2\"");
        assert_eq!(field(&"-5".into()), "'-5");
        assert_eq!(field(&"\t=1".into()), "'\\t=1");
        assert_eq!(field(&(-5.5).into()), "-5.5");
        assert_eq!(field(&"1=1".into()), "1=1");
    }
}
