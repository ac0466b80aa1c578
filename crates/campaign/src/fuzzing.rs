//! The private parsers of this crate on any text, for the crate `fuzz` alone.

use crate::generators::wire::{Answer, Instruction};

/// Reads lines as what a lead and its load generators tell each other.
pub fn read(text: &str) {
    for line in text.lines() {
        let _ = serde_json::from_str::<Instruction>(line);
        let _ = serde_json::from_str::<Answer>(line);
    }
}
