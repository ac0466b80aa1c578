//! Settings of Redis, Valkey and KeyDB, by names with hyphens.

use crate::option_file::redis_lines;
use crate::{KnownSettings, PATH, Rule, Verdict, is_path};

/// What weighin knows of them.
pub static KNOWN: KnownSettings = KnownSettings {
    separator: '-',
    decided: &DECIDED,
    decided_prefixes: &PREFIXES_DECIDED,
    need_trust: &NEED_TRUST,
    need_trust_prefixes: &PREFIXES_NEED_TRUST,
    judge_value,
    secrets: &SECRETS,
    read_lines: redis_lines,
    // Its files have none.
    groups: &[""],
    adding: &["client-output-buffer-limit", "save"],
    ..KnownSettings::NONE
};

/// Settings that weighin chooses itself, and why.
const DECIDED: [Rule; 5] = [
    (
        "weighin gives every sandbox a directory of its own; choose it with `directory`, next to \
         `settings`",
        &["cluster-config-file", "dir", "logfile", "pidfile"],
    ),
    (
        "weighin chooses the socket and a free loopback port, so that sandboxes don't meet",
        &[
            "bind", "bind-source-addr", "port", "tls-port", "unixsocket", "unixsocketgroup",
            "unixsocketperm",
        ],
    ),
    (
        "weighin sets up the account of a sandbox",
        &["aclfile", "protected-mode", "rename-command", "requirepass", "user"],
    ),
    (
        "weighin starts single servers from a file of its own and must stay their parent",
        &[
            "active-replica", "cluster-enabled", "daemonize", "include", "multi-master",
            "replicaof", "sentinel", "slaveof", "supervised", "syslog-enabled", "tls-cluster",
        ],
    ),
    ("weighin keeps no passwords in studies", &SECRETS),
];

/// Settings whose values are passwords.
const SECRETS: [&str; 7] = [
    "masterauth",
    "masteruser",
    "primaryauth",
    "primaryuser",
    "requirepass",
    "tls-client-key-file-pass",
    "tls-key-file-pass",
];

/// The first words of settings of which each is the server's address in another network.
const PREFIXES_DECIDED: [Rule; 1] = [(
    "weighin chooses the socket and a free loopback port, so that sandboxes don't meet",
    &["rdma-"],
)];

/// Settings that could harm the host, and how.
const NEED_TRUST: [Rule; 3] = [
    (
        "it makes the server load code",
        &["enable-debug-command", "enable-module-command", "enable-protected-configs"],
    ),
    ("it makes the server connect to others", &["db-s3-object", "primaryof"]),
    (
        "it decides which processes of the host the kernel kills when memory runs out",
        &["oom-score-adj", "oom-score-adj-values"],
    ),
];

/// The same by the beginnings of names.
const PREFIXES_NEED_TRUST: [Rule; 2] = [
    ("it makes the server load code", &["loadmodule"]),
    ("it makes the server write outside its own directory", &["storage-provider", "scratch-file"]),
];

/// What is to be done with a setting by what the server reads in its value.
fn judge_value(_name: &str, value: &str) -> Verdict {
    let Some(arguments) = arguments(value) else {
        return Verdict::Decided("its value has a quote that does not end, or that text follows");
    };
    // What a zero byte ends is shorter for the server than for the eye, and may be a path then.
    let leads_out = |argument: &Vec<u8>| match std::str::from_utf8(argument) {
        Ok(text) => is_path(text) || text.contains(char::is_control),
        Err(_) => true,
    };
    if arguments.iter().any(leads_out) { Verdict::NeedsTrust(PATH) } else { Verdict::Allowed }
}

/// The line of a configuration file that gives a setting this value: every argument that the server
/// reads in it, in quotes, so that it means what was judged. `None` where its quotes do not fit.
pub fn line(name: &str, value: &str) -> Option<String> {
    let mut line = name.to_owned();
    let mut arguments = arguments(value)?;
    if arguments.is_empty() {
        arguments.push(Vec::new());
    }
    for argument in arguments {
        line += " \"";
        for byte in argument {
            match byte {
                b'"' | b'\\' => line.extend(['\\', byte.into()]),
                b' '..=b'~' => line.push(byte.into()),
                other => line += &format!("\\x{other:02x}"),
            }
        }
        line.push('"');
    }
    Some(line)
}

/// The arguments that a server reads in a value: Redis and its kin split a line of a configuration file
/// at spaces, and take quotes in any place, with escapes between double ones (`sdssplitargs` of their
/// `sds.c`). `None` where a quote does not end, or something follows the end of one.
fn arguments(value: &str) -> Option<Vec<Vec<u8>>> {
    let is_space = |byte: u8| byte.is_ascii_whitespace() || byte == 0x0b;
    let mut rest = value.as_bytes();
    let mut all = Vec::new();
    while let Some(start) = rest.iter().position(|&byte| !is_space(byte)) {
        rest = &rest[start..];
        let mut argument = Vec::new();
        while let Some((&byte, after)) = rest.split_first().filter(|(byte, _)| !is_space(**byte)) {
            rest = after;
            match byte {
                b'"' | b'\'' => {
                    rest = quoted(byte, rest, &mut argument)?;
                    if rest.first().is_some_and(|&byte| !is_space(byte)) {
                        return None;
                    }
                }
                plain => argument.push(plain),
            }
        }
        all.push(argument);
    }
    Some(all)
}

/// Reads to the end of a quote; what comes after it.
fn quoted<'a>(quote: u8, mut rest: &'a [u8], argument: &mut Vec<u8>) -> Option<&'a [u8]> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    loop {
        rest = match rest {
            [b'\\', b'x', high, low, after @ ..]
                if quote == b'"' && digit(*high).is_some() && digit(*low).is_some() =>
            {
                argument.push(digit(*high)? << 4 | digit(*low)?);
                after
            }
            [b'\\', escaped, after @ ..] if quote == b'"' => {
                argument.push(match escaped {
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'b' => 0x08,
                    b'a' => 0x07,
                    other => *other,
                });
                after
            }
            [b'\\', b'\'', after @ ..] if quote == b'\'' => {
                argument.push(b'\'');
                after
            }
            [byte, after @ ..] if *byte == quote => return Some(after),
            [byte, after @ ..] => {
                argument.push(*byte);
                after
            }
            [] => return None,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: &str) -> Option<Vec<String>> {
        let read = arguments(value)?.into_iter();
        Some(read.map(|argument| String::from_utf8_lossy(&argument).into_owned()).collect())
    }

    #[test]
    fn values_are_read_as_the_server_reads_them() {
        for (value, expected) in [
            ("", &[][..]),
            ("  ", &[]),
            (r#""""#, &[""]),
            ("60 1", &["60", "1"]),
            (r#"".." "#, &[".."]),
            (" '..' ", &[".."]),
            (r#""\x2e\x2E""#, &[".."]),
            (r#"."\x2e""#, &[".."]),
            (r#""a\"b\q""#, &["a\"bq"]),
            (r#""\xg""#, &["xg"]),
            (r"'it\'s \x2e'", &[r"it's \x2e"]),
            (r"a\x2e", &[r"a\x2e"]),
        ] {
            let expected: Vec<String> = expected.iter().map(ToString::to_string).collect();
            assert_eq!(read(value), Some(expected), "{value}");
        }
        for broken in [r#"""#, r#"."."#, "'", r#""a"b"#, r#""a""b""#, r#""a\""#, "don't"] {
            assert_eq!(read(broken), None, "{broken}");
        }
    }

    #[test]
    fn a_line_says_what_was_read() {
        for (value, expected) in [
            ("", r#"save """#),
            ("  60   1 ", r#"save "60" "1""#),
            (r#"'a "b'"#, r#"save "a \"b""#),
            (r#""\x00\n""#, r#"save "\x00\x0a""#),
            (r"a\b", r#"save "a\\b""#),
            ("ä", r#"save "\xc3\xa4""#),
        ] {
            assert_eq!(line("save", value).unwrap(), expected, "{value}");
            let again = arguments(expected.strip_prefix("save").unwrap()).unwrap();
            let read = arguments(value).unwrap();
            assert_eq!(again, if read.is_empty() { vec![Vec::new()] } else { read });
        }
        assert_eq!(line("save", "\""), None);
    }
}
