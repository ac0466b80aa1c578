//! By which name MariaDB's server knows a setting.
//!
//! The server takes any abbreviation that fits one option only, and prefixes that change what an
//! option means. So a list of refused names has to be held against the name that the server finds,
//! not against the one that is written.

use std::collections::BTreeSet;

/// What may stand before the name of any option. `loose` makes it no error that the option is not
/// known; the others change its value.
pub(crate) const PREFIXES: [&str; 6] =
    ["skip_", "disable_", "enable_", "maximum_", "loose_", "autoset_"];
const LOOSE: &str = "loose_";

/// Names that a message about an ambiguous setting shows.
const SHOWN: usize = 4;

/// All options that a server of MariaDB says it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options(BTreeSet<String>);

/// A setting by the name that the server has for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// What stands before the name and changes its value, such as `skip_`; empty when nothing does.
    pub prefix: &'static str,
    /// The whole name, with underscores.
    pub name: String,
}

/// Why a server would not take a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// No option begins so. Holds the most similar one.
    #[error("is unknown to this server{}", suggestion(.nearest.as_deref()))]
    Unknown {
        /// The option that was probably meant.
        nearest: Option<String>,
        /// The name has the prefix that tells the server to go on without the option.
        optional: bool,
    },
    /// Several options begin so.
    #[error("is ambiguous to this server: it may be {}", list(.0))]
    Ambiguous(Vec<String>),
}

fn suggestion(nearest: Option<&str>) -> String {
    nearest.map(|name| format!(": did you mean \"{name}\"?")).unwrap_or_default()
}

fn list(names: &[String]) -> String {
    let more = if names.len() > SHOWN { " and others" } else { "" };
    format!("{}{more}", names[..names.len().min(SHOWN)].join(", "))
}

impl Options {
    /// Reads what `mariadbd --no-defaults --verbose --help` prints. Options that the server takes
    /// but does not show have no effect any more, and are unknown here.
    pub fn from_help(text: &str) -> Self {
        let names = text.lines().filter_map(|line| {
            // Such as `  --bind-address=name` and `  -a, --ansi`: indented by two, where the
            // explanations are indented further.
            let option = line.strip_prefix("  ").filter(|rest| rest.starts_with('-'))?;
            let (_, name) = option.split_once("--")?;
            let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_');
            let name = &name[..end.unwrap_or(name.len())];
            (!name.is_empty()).then(|| name.to_ascii_lowercase().replace('-', "_"))
        });
        Self(names.collect())
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The option that the server takes a name for: the whole name or an abbreviation that fits no
    /// other, and where there is neither, the same after a prefix.
    ///
    /// # Errors
    /// When the server would find no option or several.
    pub fn resolve(&self, written: &str) -> Result<Resolved, NameError> {
        let mut name = &*written.to_ascii_lowercase().replace('-', "_");
        let (mut prefix, mut optional) = ("", false);
        loop {
            if let Some(name) = self.find(name)? {
                return Ok(Resolved { prefix, name: name.to_owned() });
            }
            let found = PREFIXES.into_iter().find(|&word| name.starts_with(word));
            match found {
                Some(LOOSE) => optional = true,
                // Two of them contradict or repeat each other.
                Some(word) if prefix.is_empty() => prefix = word,
                _ => return Err(NameError::Unknown { nearest: self.nearest(name), optional }),
            }
            name = &name[found.map_or(0, str::len)..];
        }
    }

    fn find(&self, name: &str) -> Result<Option<&str>, NameError> {
        if name.is_empty() {
            return Ok(None);
        }
        if let Some(whole) = self.0.get(name) {
            return Ok(Some(whole));
        }
        let begin: Vec<&String> = self.0.iter().filter(|known| known.starts_with(name)).collect();
        match begin.as_slice() {
            [] => Ok(None),
            [only] => Ok(Some(only)),
            several => Err(NameError::Ambiguous(several.iter().map(|&s| s.clone()).collect())),
        }
    }

    fn nearest(&self, name: &str) -> Option<String> {
        let distances =
            self.0.iter().map(|known| (strsim::damerau_levenshtein(name, known), known));
        let (distance, nearest) = distances.min()?;
        (distance <= (nearest.len() / 3).max(1)).then(|| nearest.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HELP: &str = "Usage: mariadbd [OPTIONS]
--print-defaults          Print the program argument list and exit.

  --allow-suspicious-udfs 
                      Allows use of user-defined functions, see --not-an-option
  --analyze-max-length=# 
  -a, --ansi          Use ANSI SQL syntax
  --datadir=name      Path
  --innodb-doublewrite[=name] 
  --innodb-doublewrite-batch=# 
  --log-bin[=name]    Log
  --log-bin-index=name
  --skip-grant-tables Start without
  --skip-networking   Don't
  --skip-name-resolve Don't

Variables (--variable-name=value)
datadir           /var/lib/mysql/
";

    fn resolve(name: &str) -> Result<(&'static str, String), NameError> {
        let resolved = Options::from_help(HELP).resolve(name)?;
        Ok((resolved.prefix, resolved.name))
    }

    #[test]
    fn options_are_read_from_the_servers_help() {
        assert_eq!(Options::from_help(HELP).count(), 11);
        assert_eq!(Options::from_help("").count(), 0);
    }

    #[test]
    fn names_are_found_as_the_server_finds_them() {
        for (written, prefix, name) in [
            ("datadir", "", "datadir"),
            ("DATADI", "", "datadir"),
            ("skip-grant_t", "", "skip_grant_tables"),
            ("skip_log_bin", "skip_", "log_bin"),
            ("loose-skip-log-bin", "skip_", "log_bin"),
            ("skip_loose_log_bin", "skip_", "log_bin"),
            ("loose_loose_d", "", "datadir"),
            ("enable_ans", "enable_", "ansi"),
            ("innodb_doublewrite", "", "innodb_doublewrite"),
            ("innodb_doublewrite_", "", "innodb_doublewrite_batch"),
        ] {
            let expected = (prefix, name.to_owned());
            assert_eq!(resolve(written).unwrap(), expected, "{written}");
        }
    }

    #[test]
    fn names_that_fit_several_options_or_none_are_errors() {
        let ambiguous = resolve("skip_n").unwrap_err();
        let NameError::Ambiguous(names) = &ambiguous else { panic!("{ambiguous:?}") };
        assert_eq!(names, &["skip_name_resolve", "skip_networking"]);
        assert!(ambiguous.to_string().contains("skip_networking"), "{ambiguous}");
        assert!(matches!(resolve("an"), Err(NameError::Ambiguous(_))));

        let unknown = resolve("innodb_dublewrite").unwrap_err();
        assert!(unknown.to_string().contains("did you mean \"innodb_doublewrite\"?"), "{unknown}");
        let optional = |error| matches!(error, NameError::Unknown { optional: true, .. });
        assert!(optional(resolve("loose_rocksdb_x").unwrap_err()));
        for name in ["", "disable_", "skip_enable_log_bin", "not_an_option", "print_defaults"] {
            let error = resolve(name).unwrap_err();
            assert!(matches!(error, NameError::Unknown { optional: false, .. }), "{name}: {error}");
        }
    }
}
