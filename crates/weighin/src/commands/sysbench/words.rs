use crate::exit::CliError;
use std::path::Path;

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Make the tables.
    Prepare,
    /// Read the tables into the server's cache.
    Prewarm,
    /// Run the load.
    Run,
    /// Drop the tables.
    Cleanup,
}

/// A command line cut into its options and the rest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Words {
    /// Options in the order given, names with `-` in place of `_` as sysbench treats them alike;
    /// without a value where none was given.
    pub(super) options: Vec<(String, Option<String>)>,
    /// Everything that does not start with `--`: test and command.
    pub(super) positional: Vec<String>,
    /// Options without a value that a word follows which is no option, with that word.
    unvalued: Vec<(String, String)>,
}

impl Words {
    /// Cuts the words.
    pub(super) fn parse(words: &[std::ffi::OsString]) -> Result<Self, CliError> {
        let mut parsed = Self::default();
        let mut last: Option<String> = None;
        for word in words {
            let before = last.take();
            let word = word.to_str().ok_or_else(|| {
                CliError::usage(
                    format!("the argument {} is not UTF-8", word.to_string_lossy()),
                    "write it in UTF-8",
                )
            })?;
            match word.strip_prefix("--") {
                None => {
                    parsed.unvalued.extend(before.map(|option| (option, word.to_owned())));
                    parsed.positional.push(word.to_owned());
                }
                Some(option) => {
                    let (name, value) = match option.split_once('=') {
                        Some((name, value)) => (name, Some(value.to_owned())),
                        None => (option, None),
                    };
                    last = value.is_none().then(|| name.to_owned());
                    parsed.options.push((name.replace('_', "-"), value));
                }
            }
        }
        Ok(parsed)
    }

    /// The same with what is in the files that `--config-file` names, each in its place: later options
    /// count. A file has one option a line, `NAME=VALUE`; lines that begin with # are comments.
    pub(super) fn with_files(self) -> Result<Self, CliError> {
        let mut options = Vec::new();
        for (name, value) in self.options {
            match (name.as_str(), value.as_deref()) {
                ("config-file", Some(path)) if !path.is_empty() => options.extend(in_file(path)?),
                _ => options.push((name, value)),
            }
        }
        Ok(Self { options, ..self })
    }

    /// The last value given to an option.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        self.options.iter().rev().find(|(given, _)| given == name)?.1.as_deref()
    }

    /// That the value of an option was given as a word of its own; of any option where no name is
    /// given. `None` where that is not so.
    pub(super) fn value_apart(&self, name: Option<&str>) -> Option<CliError> {
        let is_meant = |given: &str| name.is_none_or(|name| given.replace('_', "-") == name);
        let (option, word) = self.unvalued.iter().find(|(option, _)| is_meant(option))?;
        Some(CliError::usage(
            format!("--{option} {word}: values of options are given with ="),
            format!("write --{option}={word}"),
        ))
    }

    /// Whether an option was given, with any value or none.
    pub(super) fn has(&self, name: &str) -> bool {
        self.options.iter().any(|(given, _)| given == name)
    }

    /// Whether a flag was given and not turned off.
    pub(super) fn has_flag(&self, name: &str) -> bool {
        self.has(name) && self.value(name) != Some("off")
    }
}

fn in_file(path: &str) -> Result<Vec<(String, Option<String>)>, CliError> {
    let path = Path::new(path);
    let text = std::fs::read_to_string(path);
    let text = text.map_err(|error| CliError::file("read", path, error))?;
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let option = |line: &str| {
        let line = line.trim_start_matches("--");
        let (name, value) = match line.split_once('=') {
            Some((name, value)) => (name, Some(value.trim().to_owned())),
            None => (line, None),
        };
        (name.trim().replace('_', "-"), value)
    };
    Ok(lines.map(option).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_same_with_hyphens_and_underscores() {
        let words = ["--oltp_tables_count=20", "run", "--rand-init", "--tables=1", "--tables=2"];
        let words = Words::parse(&words.map(Into::into)).unwrap();
        assert_eq!(words.value("oltp-tables-count"), Some("20"));
        assert_eq!(words.positional, ["run"]);
        assert!(words.has_flag("rand-init") && words.value("rand-init").is_none());
        assert_eq!(words.value("tables"), Some("2"), "the last one counts");
    }

    #[test]
    fn a_file_of_options_counts_where_it_is_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, "# ours\n\ntables = 4\n--table_size=77\nskip-trx\n").unwrap();
        let name = format!("--config-file={}", file.path().display());
        let words = ["--tables=9", &name, "--table-size=5"].map(Into::into);
        let words = Words::parse(&words).unwrap().with_files().unwrap();
        assert_eq!(words.value("tables"), Some("4"));
        assert_eq!(words.value("table-size"), Some("5"));
        assert!(words.has_flag("skip-trx") && !words.has("config-file"));
        let absent = Words::parse(&["--config-file=/nonexistent/x".into()]).unwrap();
        assert!(absent.with_files().is_err());
    }
}
