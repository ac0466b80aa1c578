//! Names of targets and tests that files do not say: taken from where they lie and what they are
//! called.

use crate::Source;

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
/// What stands before or after the number of clients.
const CLIENTS: [&str; 9] =
    ["t", "c", "th", "thr", "thread", "threads", "client", "clients", "thds"];
/// What stands before the number of a repeat.
const REPEATS: [&str; 5] = ["r", "rep", "repeat", "run", "trial"];
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

/// The target: as the user says, or else the name of the directory that the file lies in.
pub(crate) fn target(source: &Source<'_>) -> String {
    let named = |name: &&str| !matches!(*name, "" | "." | "..");
    let directory = directory(source.file).rsplit(['/', '\\']).next().filter(named);
    source.target.or(directory).unwrap_or("imported").to_owned()
}

/// The test: as the user says, or else the file's stem without the number of clients and of the
/// repeat at its end; what is left of nothing is the tool's name.
pub(crate) fn test(source: &Source<'_>, clients: u32, tool: &str) -> String {
    if let Some(test) = source.test {
        return test.to_owned();
    }
    let mut name = stem(source.file);
    loop {
        let (rest, word) = split_last_word(name).unwrap_or(("", name));
        if !(numbered(word, &CLIENTS) == Some(clients) || numbered(word, &REPEATS).is_some()) {
            return name.to_owned();
        }
        if rest.is_empty() {
            return tool.to_owned();
        }
        name = rest;
    }
}

fn split_last_word(name: &str) -> Option<(&str, &str)> {
    let at = name.rfind(PARTING)?;
    Some((name[..at].trim_end_matches(PARTING), &name[at + 1..]))
}

/// `16` of `16`, `t16`, `thr16` or `16threads`; for repeats the word must be there.
fn numbered(word: &str, words: &[&str]) -> Option<u32> {
    let number = word.trim_matches(|c: char| c.is_ascii_alphabetic());
    let before =
        &word[..word.len() - word.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len()];
    let after = word.strip_prefix(before)?.strip_prefix(number)?;
    let known = |text: &str| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    let fits = match (before.is_empty(), after.is_empty()) {
        (true, true) => words.len() == CLIENTS.len(),
        (false, true) => known(before),
        (true, false) => words.len() == CLIENTS.len() && known(after),
        (false, false) => false,
    };
    fits.then(|| number.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(file: &str) -> Source<'_> {
        Source { file, text: "", target: None, test: None }
    }

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

    #[test]
    fn a_test_is_named_by_its_file_without_level_and_repeat() {
        for file in ["rw-16.txt", "rw_t16.log", "rw-16threads.out", "rw-16-r2.txt", "rw.run3.txt"] {
            assert_eq!(test(&source(file), 16, "sysbench"), "rw", "{file}");
        }
        assert_eq!(test(&source("rw-8.txt"), 16, "sysbench"), "rw-8", "8 is no number of clients");
        assert_eq!(test(&source("16.txt"), 16, "sysbench"), "sysbench");
        assert_eq!(test(&Source { test: Some("x"), ..source("rw.txt") }, 1, "fio"), "x");
    }

    #[test]
    fn a_target_is_named_by_its_directory() {
        assert_eq!(target(&source("runs/durable/rw.txt")), "durable");
        assert_eq!(target(&source("./rw.txt")), "imported");
        assert_eq!(target(&source("rw.txt")), "imported");
        assert_eq!(target(&Source { target: Some("x"), ..source("a/rw.txt") }), "x");
    }
}
