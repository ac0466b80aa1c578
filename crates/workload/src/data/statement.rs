//! What a statement of a setup would do, as far as its words tell.

use super::ScriptSyntax;

/// Something that a statement makes in its database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ObjectKind {
    Table,
    View,
    Sequence,
    Procedure,
    Function,
}

impl ObjectKind {
    const ALL: [Self; 5] =
        [Self::Table, Self::View, Self::Sequence, Self::Procedure, Self::Function];

    /// As statements and messages have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::View => "view",
            Self::Sequence => "sequence",
            Self::Procedure => "procedure",
            Self::Function => "function",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(name))
    }
}

/// What is known of a statement before it is run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatementFacts {
    /// Why a setup may not run it.
    pub refused: Option<String>,
    pub makes: Option<(ObjectKind, String)>,
    /// Whether it adds an extension to its database, whose code is the server's.
    pub extends: bool,
    /// Names before a point: databases, tables, aliases.
    pub qualifiers: Vec<String>,
}

/// What setups are made of; anything else would change more than the data of its database.
const VERBS: [&str; 24] = [
    "ALTER", "ANALYZE", "BEGIN", "CALL", "COMMENT", "COMMIT", "CREATE", "DELETE", "DO", "DROP",
    "INSERT", "LOCK", "OPTIMIZE", "REPLACE", "ROLLBACK", "SELECT", "SET", "SHOW", "START",
    "TRUNCATE", "UNLOCK", "UPDATE", "VALUES", "WITH",
];

/// What they may create, alter and drop.
const OBJECTS: [&str; 9] =
    ["TABLE", "VIEW", "SEQUENCE", "PROCEDURE", "FUNCTION", "INDEX", "KEY", "TRIGGER", "TYPE"];

/// What belongs to the server and not to a database.
const BEYOND: [&str; 18] = [
    "DATABASE", "SCHEMA", "USER", "ROLE", "EVENT", "SERVER", "TABLESPACE", "LOGFILE", "INSTANCE",
    "RESOURCE", "EXTENSION", "LANGUAGE", "SUBSCRIPTION", "PUBLICATION", "SYSTEM", "FOREIGN",
    "GROUP", "PACKAGE",
];

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    /// Letters and digits, as written.
    Word(String),
    /// A quoted name.
    Name(String),
    Text,
    Symbol(char),
}

impl Token {
    fn is(&self, word: &str) -> bool {
        matches!(self, Self::Word(written) if written.eq_ignore_ascii_case(word))
    }

    fn is_one_of(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(word))
    }

    /// The name that it is, quoted or not.
    fn name(&self) -> Option<&str> {
        match self {
            Self::Word(name) | Self::Name(name) => Some(name),
            Self::Text | Self::Symbol(_) => None,
        }
    }
}

impl StatementFacts {
    pub fn from_text(text: &str, syntax: &ScriptSyntax) -> Self {
        let tokens = tokens(text, syntax);
        let qualifiers = tokens.windows(2).filter(|pair| pair[1] == Token::Symbol('.'));
        let qualifiers = qualifiers.filter_map(|pair| pair[0].name());
        Self {
            refused: refusal(&tokens),
            makes: made(&tokens),
            extends: extends(&tokens),
            qualifiers: qualifiers.map(str::to_owned).collect(),
        }
    }
}

fn refusal(tokens: &[Token]) -> Option<String> {
    let first = tokens.iter().find(|token| !matches!(token, Token::Symbol(_)))?;
    if !first.is_one_of(&VERBS) {
        let word = first.name().unwrap_or_default().to_uppercase();
        return Some(match word.as_str() {
            "USE" => "it changes the database, and weighin makes data in that of the target".into(),
            word => format!("a setup has no {word}"),
        });
    }
    if extends(tokens) {
        return None;
    }
    if first.is_one_of(&["CREATE", "ALTER", "DROP"]) {
        let object =
            tokens.iter().find(|token| token.is_one_of(&OBJECTS) || token.is_one_of(&BEYOND));
        return match object {
            Some(object) if object.is_one_of(&OBJECTS) => None,
            object => {
                let what = object.and_then(Token::name).unwrap_or("what it names").to_uppercase();
                Some(format!("{what} belongs to the server, and not to the data of a database"))
            }
        };
    }
    if first.is("SET") {
        let beyond = ["GLOBAL", "PERSIST", "PERSIST_ONLY", "PASSWORD", "ROLE"];
        let beyond = tokens.iter().find(|token| token.is_one_of(&beyond)).and_then(Token::name);
        return beyond.map(|word| format!("SET {word} changes more than its session"));
    }
    let file = tokens.iter().find(|token| token.is_one_of(&["OUTFILE", "DUMPFILE"]));
    file.map(|_| "it writes a file of the server's machine".to_owned())
}

fn extends(tokens: &[Token]) -> bool {
    let mut words = tokens.iter().filter(|token| !matches!(token, Token::Symbol(_)));
    let mut next_is = |word: &str| words.next().is_some_and(|token| token.is(word));
    next_is("CREATE") && next_is("EXTENSION")
}

fn made(tokens: &[Token]) -> Option<(ObjectKind, String)> {
    let first = tokens.iter().position(|token| !matches!(token, Token::Symbol(_)))?;
    if !tokens[first].is("CREATE") {
        return None;
    }
    let at = first + tokens[first..].iter().position(|token| token.is_one_of(&OBJECTS))?;
    let is_temporary =
        tokens[first..at].iter().any(|token| token.is_one_of(&["TEMPORARY", "TEMP"]));
    let kind = ObjectKind::from_name(tokens[at].name()?).filter(|_| !is_temporary)?;
    let mut rest = tokens[at + 1..]
        .iter()
        .skip_while(|token| token.is_one_of(&["IF", "NOT", "EXISTS"]))
        .peekable();
    let mut name = rest.next()?.name()?;
    while rest.next_if_eq(&&Token::Symbol('.')).is_some() {
        name = rest.next()?.name()?;
    }
    Some((kind, name.to_owned()))
}

/// Cuts a statement into words. What stands in a comment is none, unless the server executes it.
fn tokens(text: &str, syntax: &ScriptSyntax) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let rest = &bytes[at..];
        if byte.is_ascii_whitespace() {
            at += 1;
        } else if rest.starts_with(b"/*") {
            at += match syntax.executed(rest) {
                Some(start) => start,
                None => find(rest, b"*/").map_or(rest.len(), |end| end + 2),
            };
        } else if rest.starts_with(b"*/") {
            at += 2;
        } else if syntax.begins_line_comment(rest) {
            at += find(rest, b"\n").unwrap_or(rest.len());
        } else if syntax.quotes.contains(&byte) {
            let (length, inner) = quoted(rest, byte, syntax);
            tokens.push(match syntax.name_quotes.contains(&byte) {
                true => Token::Name(inner),
                false => Token::Text,
            });
            at += length;
        } else if is_of_word(byte) {
            let length = rest.iter().take_while(|byte| is_of_word(**byte)).count();
            tokens.push(Token::Word(text[at..at + length].to_owned()));
            at += length;
        } else {
            tokens.push(Token::Symbol(char::from(byte)));
            at += 1;
        }
    }
    tokens
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

/// How long a quotation is, with both quotes, and what is in it.
fn quoted(rest: &[u8], quote: u8, syntax: &ScriptSyntax) -> (usize, String) {
    let mut inner = Vec::new();
    let mut at = 1;
    while let Some(&byte) = rest.get(at) {
        if byte == b'\\' && syntax.backslash_in.contains(&quote) {
            inner.extend(rest.get(at + 1));
            at += 2;
        } else if byte == quote && rest.get(at + 1) == Some(&quote) {
            inner.push(quote);
            at += 2;
        } else if byte == quote {
            return (at + 1, String::from_utf8_lossy(&inner).into_owned());
        } else {
            inner.push(byte);
            at += 1;
        }
    }
    (rest.len(), String::from_utf8_lossy(&inner).into_owned())
}

#[cfg(test)]
mod tests {
    use super::super::script::tests::ONE;
    use super::*;
    use proptest::prelude::*;

    fn facts(text: &str) -> StatementFacts {
        StatementFacts::from_text(text, &ONE)
    }

    fn made(text: &str) -> Option<(ObjectKind, String)> {
        let facts = facts(text);
        assert_eq!(facts.refused, None, "{text}");
        facts.makes
    }

    #[test]
    fn what_a_statement_makes_is_seen_in_its_words() {
        let table = |name: &str| Some((ObjectKind::Table, name.to_owned()));
        assert_eq!(made("create table if not exists `a``b` (id INT)"), table("a`b"));
        assert_eq!(made("CREATE OR REPLACE TABLE shop.orders (id INT)"), table("orders"));
        assert_eq!(made("CREATE TEMPORARY TABLE t (id INT)"), None);
        assert_eq!(made("CREATE UNIQUE INDEX i ON t (a)"), None);
        assert_eq!(made("INSERT INTO t VALUES ('CREATE TABLE u')"), None);
        let view = "/*!50001 CREATE ALGORITHM=UNDEFINED *//*!50013 DEFINER=`a`@`b` SQL SECURITY \
                    DEFINER *//*!50001 VIEW `v` AS select 1 */";
        assert_eq!(made(view), Some((ObjectKind::View, "v".to_owned())));
        assert_eq!(made("CREATE DEFINER=a@b PROCEDURE p() BEGIN END").unwrap().1, "p");
    }

    #[test]
    fn what_no_version_executes_is_no_word() {
        let text = "/*M!999999\\- enable the sandbox mode */ /*!40101 SET @a=1 */";
        assert_eq!(facts(text).refused, None);
        assert!(facts("/*M!100000 sandbox */ SET @a=1").refused.is_some());
    }

    #[test]
    fn what_reaches_beyond_the_database_is_refused() {
        for text in [
            "USE other",
            "CREATE DATABASE x",
            "DROP SCHEMA x",
            "/*!50001 DROP DATABASE x */",
            "CREATE USER a",
            "DROP EXTENSION x",
            "GRANT ALL ON *.* TO a",
            "SET GLOBAL max_connections = 1",
            "SET @@GLOBAL.gtid_purged = 'x'",
            "SET PASSWORD = 'x'",
            "SELECT 1 INTO OUTFILE '/tmp/x'",
            "LOAD DATA INFILE '/etc/passwd' INTO TABLE t",
            "SHUTDOWN",
            "CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO DELETE FROM t",
            "INSTALL PLUGIN x SONAME 'y'",
        ] {
            assert!(facts(text).refused.is_some(), "{text}");
        }
        for text in [
            "SET NAMES utf8mb4",
            "/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */",
            "ALTER TABLE t ADD KEY (a)",
            "DROP TABLE IF EXISTS t",
            "CREATE TRIGGER x BEFORE INSERT ON t FOR EACH ROW SET NEW.a = 1",
            "LOCK TABLES t WRITE",
            "INSERT INTO t VALUES ('OUTFILE')",
        ] {
            assert_eq!(facts(text).refused, None, "{text}");
        }
    }

    #[test]
    fn what_adds_an_extension_is_told() {
        let added = facts("CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public");
        assert!(added.extends && added.refused.is_none() && added.makes.is_none());
        assert!(!facts("CREATE TABLE extension (id INT)").extends);
    }

    #[test]
    fn names_before_a_point_are_told() {
        let facts = facts("INSERT INTO `crm`.people SELECT a.id FROM sales.a -- c.d\n");
        assert_eq!(facts.qualifiers, ["crm", "a", "sales"]);
    }

    proptest! {
        #[test]
        fn any_text_has_facts(text in ".{0,200}") {
            let _ = facts(&text);
        }
    }
}
