//! The private parsers of this module on any text.

/// Reads a text as what a server says of its version.
pub fn read_version(text: &str) {
    let _ = super::version::Version::parse(text);
}
