//! Colours and other orders to terminals.

const ESCAPE: char = '\u{1b}';
const BELL: char = '\u{7}';

/// The text without escape sequences (ECMA-48); `None` where it has none.
pub(super) fn without(text: &str) -> Option<String> {
    if !text.contains(ESCAPE) {
        return None;
    }
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != ESCAPE {
            plain.push(c);
            continue;
        }
        match chars.peek() {
            // Parameters up to a final letter, on the same line.
            Some('[') => {
                chars.next();
                while chars.next_if(|c| (' '..='?').contains(c)).is_some() {}
                chars.next_if(|c| ('@'..='~').contains(c));
            }
            // A title or a link up to its end.
            Some(']') => {
                while let Some(c) = chars.next_if(|c| *c != '\n') {
                    if c == BELL || (c == ESCAPE && chars.next_if_eq(&'\\').is_some()) {
                        break;
                    }
                }
            }
            Some('(' | ')' | '#') => {
                chars.next();
                chars.next_if(|c| *c != '\n');
            }
            _ => {
                chars.next_if(|c| ('0'..='~').contains(c));
            }
        }
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_to_terminals_are_taken_out() {
        for (text, plain) in [
            ("\u{1b}[0mtps: \u{1b}[1;32m5\u{1b}[0m\n", "tps: 5\n"),
            ("\u{1b}[2K\u{1b}[1Gdone", "done"),
            ("\u{1b}]0;title\u{7}x", "x"),
            ("\u{1b}]8;;http://a\u{1b}\\x", "x"),
            ("\u{1b}(Bx\u{1b}", "x"),
            ("\u{1b}[", ""),
        ] {
            assert_eq!(without(text).unwrap(), plain, "{text:?}");
        }
        assert_eq!(without("plain"), None);
    }
}
