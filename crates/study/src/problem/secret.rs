//! Passwords that were written into a study file, where none belongs: found so that no message
//! repeats them.

/// Parts of keys whose values are secrets.
const TELLING: [&str; 11] = [
    "apikey", "api_key", "auth", "credential", "passphrase", "passw", "private_key", "pwd", "pass",
    "secret", "token",
];
/// Keys of a study that hold such a part and name where a password is.
const HARMLESS: [&str; 4] = ["password_env", "password_file", "token_env", "token_file"];

/// Whether the value of a key is probably a secret.
pub(crate) fn is_secret_key(key: &str) -> bool {
    let key = key.to_ascii_lowercase().replace('-', "_");
    !HARMLESS.contains(&key.as_str()) && TELLING.iter().any(|part| key.contains(part))
}

/// Whether a text gives such a key a text for its value, anywhere.
pub(crate) fn holds_secret(text: &str) -> bool {
    text.match_indices('=').any(|(at, _)| {
        let key = text[..at].trim_end().trim_end_matches(['"', '\'']);
        let start = key.rfind(|c: char| !c.is_alphanumeric() && c != '_' && c != '-');
        let key =
            &key[start.map_or(0, |at| at + key[at..].chars().next().map_or(1, char::len_utf8))..];
        let value = text[at + 1..].trim_start();
        is_secret_key(key) && value.starts_with(['"', '\''])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_known_by_their_keys() {
        for text in [
            "password = \"x\"",
            "PASSWD='x'",
            "target = { name = \"a\", \"db-password\" = \"x\" }",
            "requirepass = \"x\"",
            "a.b.secret_token=\n\"x\"",
        ] {
            assert!(holds_secret(text), "{text}");
        }
        for text in [
            "password_env = \"NAME\"",
            "password_file = \"/run/password\"",
            "strict_password_validation = true",
            "question = \"Which?\"",
            "ä= \"x\"",
        ] {
            assert!(!holds_secret(text), "{text}");
        }
    }
}
