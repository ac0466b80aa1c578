//! The text of a file, however it was written down: its encoding, its line ends, colours, and what a
//! log puts before each line.

mod ansi;
mod prefix;
mod stamp;

use std::borrow::Cow;

/// The text of a file. Line ends are `\n`; a line that a program wrote over itself, as progress does, is
/// several. A tidy table stays as it is but for its encoding.
pub fn text(bytes: &[u8]) -> Cow<'_, str> {
    let text = decoded(bytes);
    // What stands in a tidy table is data: names are kept to the letter.
    if crate::table::is_tidy(&text) {
        return text;
    }
    let text = replaced(text, ansi::without);
    let text = replaced(text, unix_line_ends);
    replaced(text, prefix::without)
}

/// Applies what gives a new text only where there is something to change.
fn replaced<'a>(text: Cow<'a, str>, change: impl Fn(&str) -> Option<String>) -> Cow<'a, str> {
    match change(&text) {
        Some(changed) => Cow::Owned(changed),
        None => text,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ByteOrder {
    Little,
    Big,
}

fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    if let Some(rest) = bytes.strip_prefix(b"\xef\xbb\xbf") {
        return utf8_or_latin1(rest);
    }
    let marked = [(b"\xff\xfe", ByteOrder::Little), (b"\xfe\xff", ByteOrder::Big)];
    if let Some((mark, order)) = marked.into_iter().find(|(mark, _)| bytes.starts_with(*mark)) {
        return Cow::Owned(utf16(&bytes[mark.len()..], order));
    }
    match unmarked_utf16(bytes) {
        Some(order) => Cow::Owned(utf16(bytes, order)),
        None => utf8_or_latin1(bytes),
    }
}

/// The order of the bytes of UTF-16 without a mark: what tools print is mostly ASCII, of which
/// every other byte is zero.
fn unmarked_utf16(bytes: &[u8]) -> Option<ByteOrder> {
    const TELLING: usize = 4096;
    let telling = &bytes[..bytes.len().min(TELLING) & !1];
    if telling.len() < 4 {
        return None;
    }
    let zeros = |from: usize| telling[from..].iter().step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd, pairs) = (zeros(0), zeros(1), telling.len() / 2);
    let most = |count: usize| count * 10 >= pairs * 7;
    match (even, odd) {
        (0, odd) if most(odd) => Some(ByteOrder::Little),
        (even, 0) if most(even) => Some(ByteOrder::Big),
        _ => None,
    }
}

fn utf16(bytes: &[u8], order: ByteOrder) -> String {
    let unit = |pair: &[u8]| match order {
        ByteOrder::Little => u16::from_le_bytes([pair[0], pair[1]]),
        ByteOrder::Big => u16::from_be_bytes([pair[0], pair[1]]),
    };
    let units = bytes.chunks_exact(2).map(unit);
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// Bytes that are no UTF-8 stand for the letters that they are in Latin-1.
pub(crate) fn utf8_or_latin1(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|byte| char::from(*byte)));
    }
    Cow::Owned(text)
}

/// `\r\n` and `\r` as `\n`.
fn unix_line_ends(text: &str) -> Option<String> {
    text.contains('\r').then(|| text.replace("\r\n", "\n").replace('\r', "\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16_bytes(text: &str, order: ByteOrder) -> Vec<u8> {
        let bytes = |unit: u16| match order {
            ByteOrder::Little => unit.to_le_bytes(),
            ByteOrder::Big => unit.to_be_bytes(),
        };
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn encodings_and_line_ends_make_no_difference() {
        let written = "{\r\n \"name\": \"Zürich\"\r\n}\r\n";
        let expected = "{\n \"name\": \"Zürich\"\n}\n";
        let marked = |text: &str| format!("\u{feff}{text}");
        for (what, bytes) in [
            ("UTF-8", written.as_bytes().to_vec()),
            ("UTF-8, marked", marked(written).into_bytes()),
            ("UTF-16 LE, marked", utf16_bytes(&marked(written), ByteOrder::Little)),
            ("UTF-16 BE, marked", utf16_bytes(&marked(written), ByteOrder::Big)),
            ("UTF-16 LE", utf16_bytes(written, ByteOrder::Little)),
            ("UTF-16 BE", utf16_bytes(written, ByteOrder::Big)),
            ("Latin-1", written.chars().map(|c| c as u8).collect()),
            ("old Macintosh", written.replace("\r\n", "\r").into_bytes()),
        ] {
            assert_eq!(text(&bytes), expected, "{what}");
        }
    }

    #[test]
    fn half_a_character_is_no_panic() {
        for bytes in [&b"\xff\xfea"[..], b"\xff\xfe\x00\xd8", b"\xef\xbb", b"\xff", b"a\0b", b""] {
            text(bytes);
        }
    }
}
