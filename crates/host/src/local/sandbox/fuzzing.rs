//! The private parsers of this module on any text.

use super::owner::Owner;
use super::{account, recipe, trouble};

/// Reads a text as an owner's mark, a list of accounts, and the log of a server of each kind.
pub(crate) fn read(text: &str) {
    if let Ok(owner) = text.parse::<Owner>() {
        assert_eq!(owner.to_string().parse::<Owner>().ok(), Some(owner), "{text}");
    }
    for kind in recipe::kinds() {
        let _ = account::find(text, kind.facts.account);
        let failure = trouble::log_trouble("the server ended", text, &kind.facts.log_words);
        assert!(failure.message.starts_with("the server ended"));
    }
}
