//! Keys, and what they ask for.

use model::text;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Char(char),
    Enter,
    Escape,
    Backspace,
    Up,
    Down,
    PageUp,
    PageDown,
    Home,
    End,
}

/// The keys that a terminal sent; what is none of these is left out.
pub(super) fn parsed(bytes: &[u8]) -> Vec<Key> {
    let typed = String::from_utf8_lossy(bytes);
    let mut rest = typed.chars().peekable();
    let mut keys = Vec::new();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' => match rest.next_if(|c| ['[', 'O'].contains(c)) {
                None => keys.push(Key::Escape),
                Some(_) => {
                    let mut number = String::new();
                    let last = rest.by_ref().find(|c| {
                        number.extend(Some(*c).filter(char::is_ascii_digit));
                        ('\u{40}'..='\u{7e}').contains(c)
                    });
                    keys.extend(last.and_then(|last| special(last, &number)));
                }
            },
            '\r' | '\n' => keys.push(Key::Enter),
            '\u{7f}' | '\u{8}' => keys.push(Key::Backspace),
            c if !text::deceives(c) && c != char::REPLACEMENT_CHARACTER => keys.push(Key::Char(c)),
            _ => {}
        }
    }
    keys
}

/// The key of a sequence that ends like that.
fn special(last: char, number: &str) -> Option<Key> {
    Some(match (last, number) {
        ('A', _) => Key::Up,
        ('B', _) => Key::Down,
        ('H', _) | ('~', "1" | "7") => Key::Home,
        ('F', _) | ('~', "4" | "8") => Key::End,
        ('~', "5") => Key::PageUp,
        ('~', "6") => Key::PageDown,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_told_apart_and_what_steers_a_terminal_is_none() {
        let typed = "pé\r\u{7f}\u{1b}[A\u{1b}OB\u{1b}[5~\u{1b}[1;5H\u{1b}[200~\u{3}\u{202e}\u{1b}";
        let keys = parsed(typed.as_bytes());
        let expected = [
            Key::Char('p'),
            Key::Char('é'),
            Key::Enter,
            Key::Backspace,
            Key::Up,
            Key::Down,
            Key::PageUp,
            Key::Home,
            Key::Escape,
        ];
        assert_eq!(keys, expected);
        assert_eq!(parsed(b"\xff\xfe"), []);
        assert_eq!(parsed(b"\x1b["), []);
    }
}
