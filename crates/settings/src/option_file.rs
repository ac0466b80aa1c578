//! Option files of MariaDB and MySQL (`my.cnf`), line by line.

/// What a line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionLine {
    /// Another file, or all files of a directory, are read here.
    Include { path: Vec<u8>, is_directory: bool },
    /// An option of a group; absent where a line has no value.
    Option { group: String, name: String, value: Option<Vec<u8>> },
}

/// The lines of a file that say something, each with its number from 1. Both separators mean the same
/// in names: they come with underscores.
pub fn option_lines(content: &[u8]) -> Vec<(usize, OptionLine)> {
    let mut group = None;
    let mut lines = Vec::new();
    for (index, line) in content.split(|&byte| byte == b'\n').enumerate() {
        let said = match line.trim_ascii() {
            [] | [b'#' | b';', ..] => None,
            [b'!', directive @ ..] => include(directive),
            [b'[', name @ ..] => {
                let end = name.iter().position(|&byte| byte == b']').unwrap_or(name.len());
                group = Some(String::from_utf8_lossy(name[..end].trim_ascii()).into_owned());
                None
            }
            option => group.as_ref().map(|group| parsed(group, option)),
        };
        lines.extend(said.map(|said| (index + 1, said)));
    }
    lines
}

/// The lines of a configuration file of Redis that say something, each with its number from 1. Names have
/// hyphens; options are of no group.
pub(crate) fn redis_lines(content: &[u8]) -> Vec<(usize, OptionLine)> {
    let mut lines = Vec::new();
    for (index, line) in content.split(|&byte| byte == b'\n').enumerate() {
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
        let name = String::from_utf8_lossy(&line[..end]).to_ascii_lowercase().replace('_', "-");
        let value = line[end..].trim_ascii();
        let said = match name.as_str() {
            "include" => {
                let path = value.strip_prefix(b"\"").and_then(|path| path.strip_suffix(b"\""));
                OptionLine::Include { path: path.unwrap_or(value).to_vec(), is_directory: false }
            }
            _ => OptionLine::Option { group: String::new(), name, value: Some(value.to_vec()) },
        };
        lines.push((index + 1, said));
    }
    lines
}

fn include(directive: &[u8]) -> Option<OptionLine> {
    let of = |word: &[u8], is_directory| {
        let rest = directive.strip_prefix(word)?;
        let path = rest.first().filter(|byte| byte.is_ascii_whitespace()).map(|_| rest)?;
        Some(OptionLine::Include { path: path.trim_ascii().to_vec(), is_directory })
    };
    of(b"includedir", true).or_else(|| of(b"include", false))
}

fn parsed(group: &str, option: &[u8]) -> OptionLine {
    let option = without_comment(option);
    let equals = option.iter().position(|&byte| byte == b'=');
    let (name, value) = match equals {
        Some(equals) => (&option[..equals], Some(unquoted(option[equals + 1..].trim_ascii()))),
        None => (option, None),
    };
    let name = String::from_utf8_lossy(name.trim_ascii()).replace('-', "_");
    OptionLine::Option { group: group.to_owned(), name, value }
}

/// Cuts a comment at the end of a line: `#` outside quotes.
fn without_comment(line: &[u8]) -> &[u8] {
    let mut quote = None;
    let mut escaped = false;
    for (at, &byte) in line.iter().enumerate() {
        match (quote, byte) {
            (None, b'#') => return &line[..at],
            (None, b'\'' | b'"') => quote = Some(byte),
            (Some(open), _) if byte == open && !escaped => quote = None,
            _ => {}
        }
        escaped = quote.is_some() && byte == b'\\' && !escaped;
    }
    line
}

/// A value without the quotes around it, escapes resolved. An unknown escape stands for itself,
/// backslash included.
fn unquoted(value: &[u8]) -> Vec<u8> {
    let value = match value {
        [b'\'', inner @ .., b'\''] | [b'"', inner @ .., b'"'] => inner,
        bare => bare,
    };
    let mut plain = Vec::with_capacity(value.len());
    let mut bytes = value.iter();
    while let Some(&byte) = bytes.next() {
        if byte != b'\\' {
            plain.push(byte);
            continue;
        }
        match bytes.next() {
            Some(b'n') => plain.push(b'\n'),
            Some(b't') => plain.push(b'\t'),
            Some(b'r') => plain.push(b'\r'),
            Some(b'b') => plain.push(0x08),
            Some(b's') => plain.push(b' '),
            Some(&quoted @ (b'\\' | b'"' | b'\'')) => plain.push(quoted),
            Some(&other) => plain.extend_from_slice(&[b'\\', other]),
            None => plain.push(b'\\'),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_redis_have_a_name_and_the_rest() {
        let option = |name: &str, value: &[u8]| OptionLine::Option {
            group: String::new(),
            name: name.into(),
            value: Some(value.into()),
        };
        let lines = redis_lines(
            b"# x\n  MaxMemory_policy   allkeys-lru \n\nsave 900 1\ninclude \"a.conf\"\n",
        );
        let include = OptionLine::Include { path: b"a.conf".to_vec(), is_directory: false };
        assert_eq!(
            lines,
            [
                (2, option("maxmemory-policy", b"allkeys-lru")),
                (4, option("save", b"900 1")),
                (5, include)
            ]
        );
    }

    #[test]
    fn options_groups_and_includes_are_told_apart() {
        let file = b"ignored = 1\n[mysqld]\n# comment\ninnodb-buffer-pool-size = 1G # much\n\
                     skip-name-resolve\n!includedir /etc/mysql/conf.d\n[ client ]\nuser='a#b'\n\
                     !include more.cnf\n!other x\n";
        let lines = option_lines(file);
        let option = |group: &str, name: &str, value: Option<&[u8]>| OptionLine::Option {
            group: group.into(),
            name: name.into(),
            value: value.map(<[u8]>::to_vec),
        };
        let include =
            |path: &[u8], is_directory| OptionLine::Include { path: path.into(), is_directory };
        assert_eq!(
            lines,
            [
                (4, option("mysqld", "innodb_buffer_pool_size", Some(b"1G"))),
                (5, option("mysqld", "skip_name_resolve", None)),
                (6, include(b"/etc/mysql/conf.d", true)),
                (8, option("client", "user", Some(b"a#b"))),
                (9, include(b"more.cnf", false)),
            ]
        );
    }
}
