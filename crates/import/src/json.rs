//! JSON whose numbers keep the digits that they were printed with.

use crate::printed_number;
use model::{FigureNumber, ReadBudget};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A value, as it stands in the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Json<'a>(&'a RawValue);

/// How many lines that are no JSON are taken out of a document.
const MAX_STRAY_LINES: usize = 64;
/// How many documents may break off. Each is read to its end in vain: a file of nothing else would
/// take the square of its length.
const MAX_BROKEN: usize = 16;

impl<'a> Json<'a> {
    /// The members of an object; none of anything else.
    pub(crate) fn members(self) -> BTreeMap<String, Json<'a>> {
        let members: Option<BTreeMap<String, &'a RawValue>> =
            serde_json::from_str(self.0.get()).ok();
        members.unwrap_or_default().into_iter().map(|(name, value)| (name, Json(value))).collect()
    }

    /// The elements of an array; none of anything else.
    pub(crate) fn elements(self) -> Vec<Json<'a>> {
        let elements: Option<Vec<&'a RawValue>> = serde_json::from_str(self.0.get()).ok();
        elements.unwrap_or_default().into_iter().map(Json).collect()
    }

    /// The member at a path of names.
    pub(crate) fn at(self, path: &[&str]) -> Option<Json<'a>> {
        path.iter().try_fold(self, |json, name| json.members().remove(*name))
    }

    /// A number as printed.
    pub(crate) fn number(self) -> Option<FigureNumber> {
        printed_number(self.0.get())
    }

    /// A number without fraction and sign, also where it is written as a text.
    pub(crate) fn whole(self) -> Option<u64> {
        self.0.get().trim_matches('"').parse().ok()
    }

    /// As it stands there.
    pub(crate) fn as_printed(self) -> &'a str {
        self.0.get()
    }

    /// A text.
    pub(crate) fn text(self) -> Option<String> {
        serde_json::from_str(self.0.get()).ok()
    }
}

/// A document with the line that it begins in, or what is wrong in which line.
pub(crate) type NumberedDocument<'a> = Result<(u32, Json<'a>), (u32, String)>;

/// Takes out the lines that tools print into the middle of their JSON: all that begin at the
/// margin and with neither a bracket nor a quote. The lines keep their numbers.
///
/// Gives the text, and those lines from between the lines of a document.
pub(crate) fn without_stray_lines(text: &str) -> (String, Vec<(u32, String)>) {
    let (mut kept, mut stray) = (String::with_capacity(text.len()), Vec::new());
    let mut within = false;
    for (at, line) in (1_u32..).zip(text.lines()) {
        match line.chars().next() {
            Some('{') => within = true,
            Some('}') => within = false,
            Some(c) if within && !(c.is_whitespace() || "]\"[".contains(c)) => {
                if stray.len() < MAX_STRAY_LINES {
                    stray.push((at, line.to_owned()));
                }
                kept.push('\n');
                continue;
            }
            _ => {}
        }
        kept.push_str(&with_finite_numbers(line));
        kept.push('\n');
    }
    (kept, stray)
}

/// The same with `null` in place of `nan` and `inf`, which tools print in their JSON where they know no
/// number: one of them would take a whole document with it.
pub(crate) fn with_finite_numbers(text: &str) -> Cow<'_, str> {
    let lower = text.to_ascii_lowercase();
    if !["nan", "inf"].iter().any(|word| lower.contains(word)) {
        return Cow::Borrowed(text);
    }
    let bytes = lower.as_bytes();
    let (mut kept, mut from, mut at, mut in_text) = (String::new(), 0, 0, false);
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if in_text => at += 1,
            b'"' => in_text = !in_text,
            // No text of JSON goes over a line.
            b'\n' => in_text = false,
            b':' | b',' | b'[' if !in_text => {
                let rest = &lower[at + 1..];
                let start = at + 1 + (rest.len() - rest.trim_start().len());
                if let Some(length) = not_finite(&lower[start..]) {
                    kept.push_str(&text[from..start]);
                    kept.push_str("null");
                    from = start + length;
                    at = from - 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    kept.push_str(&text[from..]);
    Cow::Owned(kept)
}

/// The length of a number that is none: `-nan`, `inf`, `-nan(ind)`.
fn not_finite(text: &str) -> Option<usize> {
    let sign = usize::from(text.starts_with(['-', '+']));
    let words = ["infinity", "inf", "nan"];
    let word = words.iter().find(|word| text[sign..].starts_with(**word))?;
    let mut end = sign + word.len();
    if text[end..].starts_with('(') {
        end += text[end..].find(')')? + 1;
    }
    let ends = text[end..].chars().next();
    ends.is_none_or(|c| c.is_whitespace() || ",]}".contains(c)).then_some(end)
}

/// The objects that begin at the margin of a line, whatever text stands before, between and after
/// them.
pub(crate) fn documents<'a>(text: &'a str, budget: &ReadBudget) -> Vec<NumberedDocument<'a>> {
    let mut found = Vec::new();
    let (mut at, mut counted, mut line, mut broken) = (0, 0, 1_u32, 0);
    while let Some(start) = next_object(text, at) {
        if budget.charge(size_of::<NumberedDocument<'_>>() as u64).is_err() {
            break;
        }
        let lines = text[counted..start].bytes().filter(|byte| *byte == b'\n').count();
        line = line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        counted = start;
        if broken == MAX_BROKEN {
            found
                .push(Err((line, "too many documents break off; what follows is left out".into())));
            break;
        }
        let mut values =
            serde_json::Deserializer::from_str(&text[start..]).into_iter::<&RawValue>();
        match values.next() {
            Some(Ok(value)) => {
                found.push(Ok((line, Json(value))));
                at = start + values.byte_offset();
            }
            Some(Err(error)) => {
                let wrong = line.saturating_add(u32::try_from(error.line()).unwrap_or(1)) - 1;
                let message = format!("the document that begins in line {line} breaks off here");
                found.push(Err((wrong, message)));
                at = start + 1;
                broken += 1;
            }
            None => break,
        }
    }
    found
}

fn next_object(text: &str, from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    if rest.starts_with('{') && (from == 0 || text[..from].ends_with('\n')) {
        return Some(from);
    }
    rest.find("\n{").map(|at| from + at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_found_between_text() {
        let text = "warning: x\n{\n \"a\": 1.50\n}\nmore\n{\"a\": [1, 2]}\n{\n \"a\":\n";
        let found = documents(text, &ReadBudget::default());
        assert_eq!(found.len(), 3);
        let (line, first) = *found[0].as_ref().unwrap();
        assert_eq!(line, 2);
        let number = first.at(&["a"]).unwrap().number().unwrap();
        assert_eq!((number.value, number.resolution), (1.5, 0.01), "the last zero counts");
        assert_eq!(found[1].as_ref().unwrap().1.at(&["a"]).unwrap().elements().len(), 2);
        assert!(found[2].as_ref().unwrap_err().1.contains("breaks off"));
    }

    #[test]
    fn documents_that_break_off_do_not_take_the_square_of_the_time() {
        let text = "{\"a\":\n".repeat(200_000);
        let found = documents(&text, &ReadBudget::default());
        assert_eq!(found.len(), MAX_BROKEN + 1);
        assert!(found.last().unwrap().as_ref().unwrap_err().1.contains("left out"));
        let many = "{\"a\": 1}\n".repeat(100_000);
        assert_eq!(
            documents(&many, &ReadBudget::default()).last().unwrap().as_ref().unwrap().0,
            100_000
        );
    }

    #[test]
    fn numbers_that_are_none_do_not_take_the_document_with_them() {
        let text = "{\"a, nan\": -nan, \"b\":inf,\"c\": [nan, -nan(ind) , Infinity],\n\"d\": 1.5,\
                    \"e\":\"inf\", \"f\": info}";
        let expected = "{\"a, nan\": null, \"b\":null,\"c\": [null, null , null],\n\"d\": 1.5,\
                        \"e\":\"inf\", \"f\": info}";
        assert_eq!(with_finite_numbers(text), expected);
        assert_eq!(with_finite_numbers("\"é\": nan"), "\"é\": null");
        assert!(matches!(with_finite_numbers("{\"a\": 1}"), Cow::Borrowed(_)));
    }

    #[test]
    fn text_within_a_document_is_taken_out_and_named() {
        let (kept, stray) = without_stray_lines("{\n \"a\": 1,\nfio: disk full\n \"b\": 2\n}\n");
        assert_eq!(stray, [(3, "fio: disk full".to_owned())]);
        assert_eq!(
            documents(&kept, &ReadBudget::default())[0]
                .as_ref()
                .unwrap()
                .1
                .at(&["b"])
                .unwrap()
                .whole(),
            Some(2)
        );
    }
}
