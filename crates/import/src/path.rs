//! Files that belong together by their names.

/// What file names say of a file's kind or of the moment it is from, and nothing of its test.
const KINDS: [&str; 29] = [
    "txt",
    "log",
    "out",
    "json",
    "dat",
    "tsv",
    "tab",
    "sysbench",
    "fio",
    "memtier",
    "hlog",
    "hdr",
    "pgbench",
    "iostat",
    "show",
    "global",
    "status",
    "variables",
    "vars",
    "counters",
    "mysql",
    "mariadb",
    "before",
    "after",
    "start",
    "end",
    "begin",
    "pre",
    "post",
];
/// What parts the words of a file's name.
const PARTING: [char; 4] = ['.', '-', '_', ' '];

/// A file's name without its directory and without the words at its end that only say its kind:
/// `rw-16` for `runs/rw-16.iostat.log`. Files of one stem and directory belong together.
pub(crate) fn stem(file: &str) -> &str {
    let mut name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    while let Some((rest, word)) = split_last_word(name) {
        // `status1` and `before2` as well.
        let bare = word.trim_end_matches(|c: char| c.is_ascii_digit());
        let kind = |word: &str| KINDS.iter().any(|kind| word.eq_ignore_ascii_case(kind));
        if rest.is_empty() || !(kind(word) || (!bare.is_empty() && kind(bare))) {
            break;
        }
        name = rest;
    }
    name
}

/// The directory that a file lies in, as it is named; empty where there is none.
pub(crate) fn directory(file: &str) -> &str {
    file.rfind(['/', '\\']).map_or("", |at| &file[..at])
}

fn split_last_word(name: &str) -> Option<(&str, &str)> {
    let at = name.rfind(PARTING)?;
    Some((name[..at].trim_end_matches(PARTING), &name[at + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_one_trial_have_one_stem() {
        for file in [
            "a/rw-16.sysbench",
            "a/rw-16.iostat.log",
            "a/rw-16.status-before",
            "a/rw-16_show_global_status_after.txt",
            "rw-16-status2.txt",
        ] {
            assert_eq!(stem(file), "rw-16", "{file}");
        }
        assert_eq!(stem("variables.txt"), "variables", "something is left of every name");
        assert_eq!(stem(".log"), ".log");
    }
}
