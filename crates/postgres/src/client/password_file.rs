//! Password files (`.pgpass`): lines of host, port, database, user and password between colons.

use std::io::ErrorKind;
use std::path::Path;
use system::client::{Unreadable, read_private_options};

/// Whom a password is looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted<'a> {
    pub(crate) host: &'a str,
    pub(crate) port: &'a str,
    pub(crate) database: &'a str,
    pub(crate) user: &'a str,
}

/// What a password file says of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Nothing,
    /// Other accounts may read or write the file: it is ignored, as libpq does.
    Exposed,
    Password {
        content: Vec<u8>,
        /// Whether the line names the server, and not any.
        names_server: bool,
    },
}

/// Looks for a password in a file. There need be none.
///
/// # Errors
/// Why it could not be read.
pub(super) fn read(path: &Path, wanted: &Wanted<'_>) -> Result<Found, Unreadable> {
    match read_private_options(path) {
        Ok(Some(content)) => Ok(find(&content, wanted)),
        Ok(None) => Ok(Found::Exposed),
        Err(Unreadable::Failed(error))
            if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
        {
            Ok(Found::Nothing)
        }
        Err(error) => Err(error),
    }
}

/// The password of the first line that fits.
pub(crate) fn find(content: &[u8], wanted: &Wanted<'_>) -> Found {
    for line in content.split(|&byte| byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.starts_with(b"#") {
            continue;
        }
        let mut rest = Some(line);
        let mut field = || {
            let (value, after) = next_field(rest?);
            rest = after;
            Some(value)
        };
        let (Some(host), Some(port), Some(database), Some(user)) =
            (field(), field(), field(), field())
        else {
            continue;
        };
        let Some(password) = rest else { continue };
        let fits = |field: &[u8], value: &str| field == b"*" || field == value.as_bytes();
        if fits(&host, wanted.host)
            && fits(&port, wanted.port)
            && fits(&database, wanted.database)
            && fits(&user, wanted.user)
        {
            let content = next_field(password).0;
            return Found::Password { content, names_server: host != b"*" };
        }
    }
    Found::Nothing
}

/// A field with its escapes resolved, and what comes after the colon behind it.
fn next_field(line: &[u8]) -> (Vec<u8>, Option<&[u8]>) {
    let mut field = Vec::new();
    let mut at = 0;
    while let Some(&byte) = line.get(at) {
        match (byte, line.get(at + 1)) {
            (b':', _) => return (field, Some(&line[at + 1..])),
            (b'\\', Some(&next)) => {
                field.push(next);
                at += 2;
            }
            _ => {
                field.push(byte);
                at += 1;
            }
        }
    }
    (field, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn password(content: &str) -> Option<(String, bool)> {
        let wanted = Wanted { host: "db", port: "5432", database: "shop", user: "ann" };
        match find(content.as_bytes(), &wanted) {
            Found::Password { content, names_server } => {
                Some((String::from_utf8(content).unwrap(), names_server))
            }
            _ => None,
        }
    }

    #[test]
    fn the_first_line_that_fits_counts() {
        let file = "# db:5432:shop:ann:no\nother:5432:shop:ann:no\ndb:5432:shop:bob:no\n\
                    db:*:shop:ann:yes\n*:*:*:*:late\n";
        assert_eq!(password(file), Some(("yes".to_owned(), true)));
        assert_eq!(password("*:*:*:*:any\r\n"), Some(("any".to_owned(), false)));
        assert_eq!(password("db:5432:shop:ann\n\n:::\n"), None);
    }

    #[test]
    fn colons_and_backslashes_are_escaped() {
        assert_eq!(password("db:5432:shop:ann:a\\:b\\\\c"), Some(("a:b\\c".to_owned(), true)));
        assert_eq!(password("d\\b:5432:shop:ann:x"), Some(("x".to_owned(), true)));
    }
}
