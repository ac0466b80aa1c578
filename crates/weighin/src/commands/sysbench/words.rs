use crate::exit::CliError;

/// A command line cut into its options and the rest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Words {
    /// Options in the order given, names with `-` in place of `_` as sysbench treats them alike;
    /// without a value where none was given.
    pub(super) options: Vec<(String, Option<String>)>,
    /// Everything that does not start with `--`: test and command.
    pub(super) positional: Vec<String>,
}

impl Words {
    /// Cuts the words.
    pub(super) fn parse(words: &[std::ffi::OsString]) -> Result<Self, CliError> {
        let mut parsed = Self::default();
        for word in words {
            let word = word.to_str().ok_or_else(|| {
                CliError::usage(
                    format!("the argument {} is not UTF-8", word.to_string_lossy()),
                    "write it in UTF-8",
                )
            })?;
            match word.strip_prefix("--") {
                None => parsed.positional.push(word.to_owned()),
                Some(option) => {
                    let (name, value) = match option.split_once('=') {
                        Some((name, value)) => (name, Some(value.to_owned())),
                        None => (option, None),
                    };
                    parsed.options.push((name.replace('_', "-"), value));
                }
            }
        }
        Ok(parsed)
    }

    /// The last value given to an option.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        self.options.iter().rev().find(|(given, _)| given == name)?.1.as_deref()
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
}
