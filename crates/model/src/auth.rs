use serde::{Deserialize, Serialize};
use std::fmt;

/// How a server of PostgreSQL may ask who logs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum AuthMethod {
    /// By the password as it is.
    Password,
    Md5,
    Gss,
    Sspi,
    ScramSha256,
    /// It lets everybody in.
    None,
}

/// With their words, as libpq 16 has them in `require_auth`.
const METHODS: [(AuthMethod, &str); 6] = [
    (AuthMethod::Password, "password"),
    (AuthMethod::Md5, "md5"),
    (AuthMethod::Gss, "gss"),
    (AuthMethod::Sspi, "sspi"),
    (AuthMethod::ScramSha256, "scram-sha-256"),
    (AuthMethod::None, "none"),
];

/// Those of them that are allowed, all unless something is said: a bit for each.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct AuthMethods(u8);

impl Default for AuthMethods {
    fn default() -> Self {
        Self(METHODS.iter().fold(0, |all, (method, _)| all | bit(*method)))
    }
}

fn bit(method: AuthMethod) -> u8 {
    1 << method as u8
}

impl AuthMethods {
    /// Reads a list as of libpq: words with commas between them that are allowed, or with `!` before each of
    /// them, that are not.
    ///
    /// # Errors
    /// In words, where it is none.
    pub fn parse(text: &str) -> Result<Self, String> {
        let is_negative = text.starts_with('!');
        let mut named = 0;
        for part in text.split(',') {
            let word = part.strip_prefix('!');
            if word.is_some() != is_negative {
                return Err(
                    "require_auth has ! before all of its methods, or before none".to_owned()
                );
            }
            let word = word.unwrap_or(part);
            let Some((method, _)) = METHODS.iter().find(|(_, known)| *known == word) else {
                let words = METHODS.map(|(_, word)| word).join(", ");
                return Err(format!("require_auth lists, with commas between them: {words}"));
            };
            if named & bit(*method) != 0 {
                return Err(format!("require_auth has {word} twice"));
            }
            named |= bit(*method);
        }
        Ok(Self(if is_negative { Self::default().0 & !named } else { named }))
    }

    pub fn allow(self, method: AuthMethod) -> bool {
        self.0 & bit(method) != 0
    }

    pub fn are_all(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for AuthMethods {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A list is never empty.
        if self.0 == 0 {
            return f.write_str(&METHODS.map(|(_, word)| format!("!{word}")).join(","));
        }
        let allowed = METHODS.iter().filter(|(method, _)| self.allow(*method));
        f.write_str(&allowed.map(|(_, word)| *word).collect::<Vec<_>>().join(","))
    }
}

impl fmt::Debug for AuthMethods {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AuthMethods({self})")
    }
}

impl From<AuthMethods> for String {
    fn from(methods: AuthMethods) -> Self {
        methods.to_string()
    }
}

impl TryFrom<String> for AuthMethods {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_as_libpq_reads_them() {
        let all = "password,md5,gss,sspi,scram-sha-256,none";
        for (text, allowed) in [
            ("scram-sha-256", "scram-sha-256"),
            ("none,md5", "md5,none"),
            ("!password", "md5,gss,sspi,scram-sha-256,none"),
            ("!none,!password", "md5,gss,sspi,scram-sha-256"),
            (all, all),
        ] {
            let methods = AuthMethods::parse(text).unwrap();
            assert_eq!(methods.to_string(), allowed, "{text}");
            assert_eq!(AuthMethods::parse(allowed).unwrap(), methods, "{text}");
            assert_eq!(methods.are_all(), text == all);
        }
        let none = AuthMethods::parse("!password,!md5,!gss,!sspi,!scram-sha-256,!none").unwrap();
        assert_eq!(AuthMethods::parse(&none.to_string()), Ok(none));
        for text in [
            "", "scram", "md5,", "md5, password", "md5,md5", "!md5,password", "md5,!none", "!",
            "!!md5",
        ] {
            assert!(AuthMethods::parse(text).is_err(), "{text}");
        }
    }
}
