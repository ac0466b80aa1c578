//! Names of members, and of files without what says how they are packed.

/// Endings that say how a file is packed, and nothing of what was measured.
const CONTAINERS: [&str; 14] = [
    "tar", "tgz", "tbz", "tbz2", "txz", "tzst", "gz", "zst", "zstd", "bz2", "xz", "zip", "xlsx",
    "ods",
];

/// A component of a path without endings of containers: `runs` of `runs.tar.gz`.
pub fn without_container(component: &str) -> &str {
    let mut name = component;
    while let Some((rest, ending)) = name.rsplit_once('.') {
        if rest.is_empty() || !CONTAINERS.iter().any(|known| known.eq_ignore_ascii_case(ending)) {
            break;
        }
        name = rest;
    }
    name
}

/// The name of a member below its archive. Steps up and roots mean nothing there; `None` for what
/// is hidden, or has no name at all. Bytes that are no UTF-8 stand for the letters that they are in
/// Latin-1.
pub(super) fn of_member(bytes: &[u8]) -> Option<String> {
    let name = crate::decode::utf8_or_latin1(bytes);
    let parts: Vec<&str> =
        name.split(['/', '\\']).filter(|part| !matches!(*part, "" | "." | "..")).collect();
    let hidden = |part: &&str| part.starts_with('.') || *part == "__MACOSX";
    (!parts.is_empty() && !parts.iter().any(hidden)).then(|| parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_members_lead_nowhere_else() {
        for (name, expected) in [
            ("../../etc/passwd", Some("etc/passwd")),
            ("/root/a.txt", Some("root/a.txt")),
            ("a\\b.txt", Some("a/b.txt")),
            ("./a//b", Some("a/b")),
            ("..", None),
            (".hidden/a", None),
            ("__MACOSX/a", None),
        ] {
            assert_eq!(of_member(name.as_bytes()).as_deref(), expected, "{name}");
        }
        assert_eq!(of_member(b"m\xfcnchen").as_deref(), Some("münchen"));
    }

    #[test]
    fn containers_are_no_part_of_a_name() {
        for (name, expected) in [
            ("runs.tar.gz", "runs"),
            ("a.txt.GZ", "a.txt"),
            ("mysql-8.0", "mysql-8.0"),
            (".tar", ".tar"),
            ("book.xlsx", "book"),
        ] {
            assert_eq!(without_container(name), expected);
        }
    }
}
