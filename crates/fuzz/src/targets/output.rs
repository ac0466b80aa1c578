//! What leaves a command: the gate for text from elsewhere.

use super::{KIB, MIB, text};
use crate::Target;
use model::text::{deceives, excerpt, indented, json, line, message, visible};

/// The gate itself.
pub(super) const GATE: Target = Target {
    name: "output_gate",
    run: gate,
    seeds: || {
        [
            "a\x1b[31mb\x07\r\n\tc\rd",
            "a\u{202e}b\u{2066}c\u{200b}\u{e0041}",
            "größe ± 3 µs 速い مرحبا",
            "y\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\n",
            "\"\\u0007\\\"\"",
        ]
        .map(|text| text.as_bytes().to_vec())
        .to_vec()
    },
    mutations: 1000,
    longest: 4 * KIB,
    memory: MIB,
    dictionary: dictionary!(output_gate),
};

fn gate(data: &[u8]) {
    let text = text(data);
    for shown in [visible(&text), message(&text)] {
        assert_shown(&shown);
        assert_eq!(visible(&shown), shown, "what is shown is shown as it is");
    }
    for shown in [line(&text), excerpt(&text, 10)] {
        assert!(!shown.contains(deceives), "{shown:?}");
    }
    let below = indented(&text, "  ");
    assert!(below.split('\n').skip(1).all(|line| line.starts_with("  ")), "{below:?}");
    let document = serde_json::Value::String(text).to_string();
    let safe = json(&document);
    assert!(!safe.contains(deceives), "{safe:?}");
    assert_eq!(value(&safe), value(&document), "{safe}");
}

fn value(document: &str) -> serde_json::Value {
    serde_json::from_str(document).unwrap_or_else(|error| panic!("{error}: {document}"))
}

/// Holds a text of several lines to what may leave a command.
pub(super) fn assert_shown(text: &str) {
    let hidden = text.char_indices().find(|(_, c)| deceives(*c) && !matches!(c, '\n' | '\t'));
    if let Some((at, c)) = hidden {
        let before: String = text[..at].chars().rev().take(80).collect();
        panic!("{c:?} after {:?}", before.chars().rev().collect::<String>());
    }
}

/// A report in JSON: valid, and nothing hidden in it.
pub(super) fn assert_json(text: &str) {
    assert_shown(text);
    assert!(value(text).is_object());
}
