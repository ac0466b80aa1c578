//! Text from outside as a person may be shown it: names, messages and versions that a server, a
//! file, a program or an environment variable gave.
//!
//! Such text may try to steer the terminal, to hide a part of itself, to show its letters in
//! another order, or to look like a line of weighin's own. The characters that do so are shown as
//! escapes (`\x1b`, `\u{202e}`). What is stored stays exact: this is for what leaves a command.

use std::borrow::Cow;
use std::fmt::Write;

/// Most lines of a message.
const MAX_LINES: usize = 12;
/// Most characters of a line of a message: some lines of a terminal.
const LONGEST_LINE: usize = 600;

/// Whether a character is not shown as what it is: a control character, one that changes the
/// direction of text, one that is invisible, or a separator of lines that is no newline.
///
/// These are Unicode's categories Cc and Cf but for the format characters of Arabic, Syriac and
/// Kaithi that have a shape; Zl and Zp; and letters, fillers and selectors without a shape. Newline
/// and tab are among them.
pub fn deceives(c: char) -> bool {
    matches!(c,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// A text of several lines: newlines and tabs stay, as does a line break of two characters.
/// Everything else that [`deceives`] is shown as an escape.
pub fn visible(text: &str) -> Cow<'_, str> {
    let text = match text.contains("\r\n") {
        true => Cow::Owned(text.replace("\r\n", "\n")),
        false => Cow::Borrowed(text),
    };
    let hidden = |c| deceives(c) && c != '\n' && c != '\t';
    match has(&text, hidden) {
        true => Cow::Owned(escaped(&text, hidden)),
        false => text,
    }
}

/// A text that stands within a line: newlines and tabs are shown as escapes too.
pub fn line(text: &str) -> Cow<'_, str> {
    match has(text, deceives) {
        true => Cow::Owned(escaped(text, deceives)),
        false => Cow::Borrowed(text),
    }
}

/// A text within a line, of at most so many characters; of a longer one its beginning and its
/// length are shown.
pub fn excerpt(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => line(text),
        Some((end, _)) => Cow::Owned(format!("{}{}", line(&text[..end]), in_all(text))),
    }
}

/// The message of an error: at most 12 lines of 600 characters, with a note of the whole length
/// where it is longer.
pub fn message(text: &str) -> Cow<'_, str> {
    let text = visible(text);
    let long = |line: &str| line.len() > LONGEST_LINE && line.chars().nth(LONGEST_LINE).is_some();
    if !text.split('\n').any(long) && text.split('\n').nth(MAX_LINES).is_none() {
        return text;
    }
    let lines = text.split('\n').take(MAX_LINES);
    let lines: Vec<String> = lines.map(|line| line.chars().take(LONGEST_LINE).collect()).collect();
    Cow::Owned(lines.join("\n") + &in_all(&text))
}

/// A message below a heading or beside a mark: its lines but the first are indented, so that none
/// of them looks like a line of weighin's own.
pub fn indented(message: &str, by: &str) -> String {
    visible(message).trim_end().replace('\n', &format!("\n{by}"))
}

/// JSON that means the same, in which no character [`deceives`] but the newlines between values.
/// Outside of its strings JSON is ASCII, so that what is escaped stands in strings.
pub fn json(document: &str) -> Cow<'_, str> {
    let hidden = |c| deceives(c) && c != '\n';
    if !has(document, hidden) {
        return Cow::Borrowed(document);
    }
    let mut safe = String::with_capacity(document.len() + 64);
    for c in document.chars() {
        match hidden(c) {
            true => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| {
                // Writing to a text does not fail.
                let _ = write!(safe, "\\u{unit:04x}");
            }),
            false => safe.push(c),
        }
    }
    Cow::Owned(safe)
}

/// Whether a character of a text is hidden. No printable one of ASCII is, which most are.
fn has(text: &str, hidden: impl Fn(char) -> bool) -> bool {
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| !matches!(byte, b' '..=b'~')) {
        let mut others = rest[at..].chars();
        if others.next().is_some_and(&hidden) {
            return true;
        }
        rest = others.as_str();
    }
    false
}

fn escaped(text: &str, hidden: impl Fn(char) -> bool) -> String {
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        // Writing to a text does not fail.
        let _ = match c {
            c if !hidden(c) => safe.write_char(c),
            '\n' => safe.write_str("\\n"),
            '\t' => safe.write_str("\\t"),
            '\r' => safe.write_str("\\r"),
            c if c.is_ascii() => write!(safe, "\\x{:02x}", u32::from(c)),
            c => write!(safe, "\\u{{{:x}}}", u32::from(c)),
        };
    }
    safe
}

fn in_all(text: &str) -> String {
    match text.len() {
        bytes @ ..1024 => format!("… ({bytes} bytes in all)"),
        bytes => format!("… ({} KiB in all)", bytes / 1024),
    }
}

/// A text as one word of a shell's command line, in quotes where it needs them.
pub fn shell_word(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@%,".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => Cow::Borrowed(text),
        false => Cow::Owned(format!("'{}'", text.replace('\'', r"'\''"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_or_hides_is_shown() {
        assert_eq!(visible("a\x1b[31mb\x07\r\n\tc\rd"), "a\\x1b[31mb\\x07\n\tc\\rd");
        assert_eq!(line("a\nb\tc\u{9b}d"), "a\\nb\\tc\\u{9b}d");
        for c in ['\u{202e}', '\u{2066}', '\u{200b}', '\u{2028}', '\u{feff}', '\u{e0041}', '\x7f'] {
            assert!(!visible(&format!("x{c}y")).contains(c), "{c:?}");
            assert!(!json(&format!("\"x{c}y\"")).contains(c), "{c:?}");
        }
    }

    #[test]
    fn text_of_any_language_stays_as_it_is() {
        for text in ["größe ± 3 µs", "Σ ≤ 5 · 10⁶ €", "速い", "مرحبا", "नमस्ते", "e\u{301}", "🐬"]
        {
            assert!(matches!(line(text), Cow::Borrowed(_)), "{text}");
        }
    }

    #[test]
    fn json_keeps_its_value() {
        for hidden in ["\u{7f}", "\u{85}", "\u{202e}", "\u{e0041}", "\u{1d173}"] {
            let document = serde_json::to_string(hidden).unwrap();
            let safe = json(&document);
            assert!(safe.is_ascii(), "{safe}");
            assert_eq!(serde_json::from_str::<String>(&safe).unwrap(), hidden);
        }
    }

    #[test]
    fn long_messages_are_cut_and_say_so() {
        let long = "x".repeat(65_536);
        assert_eq!(message(&long), "x".repeat(600) + "… (64 KiB in all)");
        let many = message(&"y\n".repeat(100)).into_owned();
        assert_eq!((many.lines().count(), many.ends_with("(200 bytes in all)")), (12, true));
        assert_eq!(excerpt("äöü", 2), "äö… (6 bytes in all)");
        assert_eq!(excerpt("äöü", 3), "äöü");
        assert_eq!(message("short\nand good"), "short\nand good");
    }

    #[test]
    fn no_line_of_a_message_begins_like_one_of_weighins_own() {
        assert_eq!(indented("a\nweighin: b\n", "  "), "a\n  weighin: b");
    }
}
