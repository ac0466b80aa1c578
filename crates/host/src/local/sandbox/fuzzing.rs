//! The private parsers of this module on any text.

use super::owner::Owner;
use super::{account, mariadb, trouble};

/// Reads a text as an owner's mark, a list of accounts, a server's version, and its log.
pub(crate) fn read(text: &str) {
    if let Ok(owner) = text.parse::<Owner>() {
        assert_eq!(owner.to_string().parse::<Owner>().ok(), Some(owner), "{text}");
    }
    let _ = account::find(text, "mysql");
    let _ = mariadb::Version::parse(text);
    let failure = trouble::log_trouble("the server ended", text);
    assert!(failure.message.starts_with("the server ended"));
}
