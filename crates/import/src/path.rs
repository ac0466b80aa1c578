//! Files that belong together by their names.

/// What a word of a file's name says of the file, and nothing of what was measured: its type, what it
/// is for, and the names of the tools.
const KINDS: [&str; 50] = [
    "txt", "log", "logs", "out", "output", "stdout", "json", "xml", "csv", "tsv", "tab", "dat",
    "data", "raw", "res", "result", "results", "report", "summary", "sysbench", "fio", "memtier",
    "pgbench", "hammerdb", "benchbase", "clickbench", "postgresbench", "mysqlslap", "hlog", "hdr",
    "iostat", "vmstat", "mpstat", "dstat", "md", "html", "htm", "err", "stderr", "tar", "tgz",
    "gz", "bz2", "xz", "zst", "zip", "7z", "bak", "orig", "tee",
];
/// What was read of a server or host beside a trial, and when.
const BESIDE: [&str; 15] = [
    "show", "global", "status", "variables", "vars", "counters", "mysql", "mariadb", "before",
    "after", "start", "end", "begin", "pre", "post",
];
/// What parts the words of a file's name.
const PARTING: [char; 4] = ['.', '-', '_', ' '];

/// A file's name without its directory and without the words at its end that only say its kind:
/// `rw-16` for `runs/rw-16.iostat.log`. Files of one stem and directory belong together.
pub(crate) fn stem(file: &str) -> &str {
    let mut name = crate::without_container(name(file));
    while let Some((rest, word)) = split_last_word(name) {
        if rest.is_empty() || !is_of_kind(word) {
            break;
        }
        name = rest;
    }
    name
}

/// The words of a path, in lower case, without those that only say a kind or when a server was read.
/// Names of servers stay: they may be those of targets.
pub(crate) fn words(path: &str) -> Vec<String> {
    let is_server = |word: &str| is_among(&["mysql", "mariadb"], word);
    let says = |word: &&str| is_server(word) || !is_of_kind(word);
    all_words(path).filter(says).map(str::to_lowercase).collect()
}

/// All words of a path.
pub(crate) fn all_words(path: &str) -> impl Iterator<Item = &str> {
    let all = path.split(['/', '\\']).flat_map(|part| part.split(PARTING));
    all.filter(|word| !word.is_empty())
}

/// `status1` and `before2` as well.
fn is_of_kind(word: &str) -> bool {
    let bare = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let kind = |word: &str| is_kind(word) || is_among(&BESIDE, word);
    kind(word) || (!bare.is_empty() && kind(bare))
}

/// The name of a file, without its directory.
pub(crate) fn name(file: &str) -> &str {
    file.rsplit(['/', '\\']).next().unwrap_or(file)
}

/// What of a path is below a directory, if it is.
pub(crate) fn below<'a>(path: &'a str, directory: &str) -> Option<&'a str> {
    if directory.is_empty() {
        return Some(path.trim_start_matches(['/', '\\']));
    }
    path.strip_prefix(directory)?.strip_prefix(['/', '\\'])
}

/// How many directories a file is in.
pub(crate) fn depth(file: &str) -> usize {
    file.matches(['/', '\\']).count()
}

/// Whether a word only says what kind of file it is.
pub(crate) fn is_kind(word: &str) -> bool {
    is_among(&KINDS, word)
}

fn is_among(words: &[&str], word: &str) -> bool {
    words.iter().any(|known| known.eq_ignore_ascii_case(word))
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
            "a/rw-16.sysbench.gz",
            "a/rw-16.iostat.log",
            "a/rw-16.status-before",
            "a/rw-16_show_global_status_after.txt",
            "rw-16-status2.txt",
            "a/rw-16.res",
            "a/rw-16.summary.json",
        ] {
            assert_eq!(stem(file), "rw-16", "{file}");
        }
        assert_eq!(stem("variables.txt"), "variables", "something is left of every name");
        assert_eq!(stem(".log"), ".log");
    }
}
