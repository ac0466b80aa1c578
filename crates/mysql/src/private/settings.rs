//! The study's server settings, checked and made into options.

use super::facts::FACTS;
use host::recipe::{permitted, refusal};
use model::Failure;
use settings::{NameError, Options, Resolved};
use std::collections::BTreeMap;

/// Settings that cannot be changed once a data directory is initialised.
const AT_INITIALISATION: [&str; 6] = [
    "aria_block_size",
    "innodb_checksum_algorithm",
    "innodb_data_file_path",
    "innodb_page_size",
    "innodb_undo_tablespaces",
    "lower_case_table_names",
];

/// A target's settings by the names that the server itself has for them, known to be harmless to
/// the host or trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Settings(Vec<Setting>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Setting {
    resolved: Resolved,
    value: String,
}

impl Settings {
    /// Resolves names as the server does and checks them. What is optional (`loose_`) and unknown
    /// to the server is left out.
    ///
    /// With `trusted` a name that the server does not know is given to it as it is: it may belong
    /// to a plugin that the settings load.
    ///
    /// # Errors
    /// `SandboxStart` that names the setting: it is unknown, fits several options, is not
    /// permitted, or is another setting of the target once more.
    pub(super) fn new(
        target: &str,
        known: &Options,
        settings: &BTreeMap<String, String>,
        trusted: bool,
    ) -> Result<Self, Failure> {
        let mut found: BTreeMap<String, &str> = BTreeMap::new();
        let mut list = Vec::new();
        for (written, value) in settings {
            let check = |name: &str| permitted((target, &FACTS), (written, name, value), trusted);
            // First of all as it is written: that refuses what is no name.
            check(written)?;
            let resolved = match known.resolve(written) {
                Ok(resolved) => resolved,
                Err(NameError::Unknown { .. }) if trusted => {
                    Resolved { prefix: "", name: written.clone() }
                }
                Err(NameError::Unknown { optional: true, .. }) => continue,
                Err(error) => {
                    let remedy = "correct or remove the setting: the server lists them all with \
                                  --no-defaults --verbose --help";
                    return Err(refusal(target, written, &error.to_string(), remedy));
                }
            };
            check(&resolved.name)?;
            if let Some(first) = found.insert(resolved.name.clone(), written) {
                let why = format!("is the same setting as \"{first}\": {}", resolved.name);
                return Err(refusal(target, written, &why, "remove one of them"));
            }
            list.push(Setting { resolved, value: value.clone() });
        }
        Ok(Self(list))
    }

    /// All settings as command-line options, by their whole names.
    pub(super) fn options(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(Setting::option)
    }

    /// Whether there is one with such a start of its name.
    pub(super) fn has_any(&self, start: &str) -> bool {
        self.0.iter().any(|setting| setting.resolved.name.starts_with(start))
    }

    /// The value of the setting that the server has under that name.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        let setting = self.0.iter().find(|setting| setting.resolved.name == name)?;
        Some(setting.value.as_str())
    }

    /// The options that initialising a data directory needs.
    pub(super) fn initial_options(&self) -> Vec<String> {
        let initial = |setting: &&Setting| AT_INITIALISATION.contains(&&*setting.resolved.name);
        self.0.iter().filter(initial).map(Setting::option).collect()
    }
}

impl Setting {
    fn option(&self) -> String {
        let Resolved { prefix, name } = &self.resolved;
        match self.value.as_str() {
            "" => format!("--{prefix}{name}"),
            value => format!("--{prefix}{name}={value}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::FailureKind;

    const HELP: &str = "
  --aria-block-size=#
  --datadir=name
  --innodb-io-capacity=#
  --innodb-page-size=#
  --log-bin[=name]
  --plugin-load=name
  --skip-grant-tables
  --tmpdir=name
";

    fn start(pairs: &[(&str, &str)], trusted: bool) -> Result<Vec<String>, Failure> {
        let pairs = pairs.iter().map(|&(name, value)| (name.to_owned(), value.to_owned()));
        let known = Options::from_help(HELP);
        let settings = Settings::new("durable", &known, &pairs.collect(), trusted)?;
        Ok(settings.options().collect())
    }

    #[test]
    fn settings_become_options_by_their_whole_names() {
        let options = start(&[("innodb-io-cap", "1000"), ("log-bin", "")], false).unwrap();
        assert_eq!(options, ["--innodb_io_capacity=1000", "--log_bin"]);
        let options = start(&[("loose_skip-log-bin", ""), ("loose_other", "1")], false).unwrap();
        assert_eq!(options, ["--skip_log_bin"]);
    }

    #[test]
    fn initialisation_gets_what_it_needs_however_it_is_written() {
        let settings = [("innodb-page-size", "8k"), ("loose_aria_block_size", "4096")];
        let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let known = Options::from_help(HELP);
        let settings = Settings::new("durable", &known, &settings.into(), false).unwrap();
        let options = settings.initial_options();
        assert_eq!(options, ["--innodb_page_size=8k", "--aria_block_size=4096"]);
    }

    #[test]
    fn what_weighin_decides_is_refused_in_any_spelling() {
        for name in
            ["datadir", "datad", "LOOSE-tmpdir", "skip_grant_table", "skip-g", "enable_skip_grant"]
        {
            for trusted in [false, true] {
                let failure = start(&[(name, "1")], trusted).unwrap_err();
                assert_eq!(failure.kind, FailureKind::SandboxStart);
                let message = &failure.message;
                assert!(message.contains(name) && message.contains("durable"), "{message}");
                assert!(message.contains("cannot be set"), "{message}");
            }
        }
    }

    #[test]
    fn what_could_harm_the_host_needs_trust() {
        for (name, value) in [("plugin_loa", "x"), ("log_bin", "/var/x"), ("loose_plugin_l", "x")] {
            let failure = start(&[(name, value)], false).unwrap_err();
            assert!(failure.message.contains("needs trust"), "{failure}");
            assert!(failure.remedy.contains("trusted = true"), "{failure}");
            start(&[(name, value)], true).unwrap();
        }
        assert_eq!(start(&[("rocksdb_x", "1")], true).unwrap(), ["--rocksdb_x=1"]);
    }

    #[test]
    fn names_and_values_that_are_none_are_refused() {
        for name in
            ["", "--datadir", "a b", "a=b", "ä", "a\nb", "x.datadir", "x.innodb_io_capacity"]
        {
            assert!(start(&[(name, "1")], true).is_err(), "{name:?}");
        }
        assert!(start(&[("log_bin", "a\nb")], false).is_err());
        let twice = start(&[("innodb_io_cap", "1"), ("innodb_io_capacity", "2")], false);
        assert!(twice.unwrap_err().message.contains("same setting"));
        let unknown = start(&[("innodb_io_capasity", "1")], false).unwrap_err();
        assert!(unknown.message.contains("did you mean \"innodb_io_capacity\""), "{unknown}");
    }
}
