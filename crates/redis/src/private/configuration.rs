//! The study's server settings, checked and made into a configuration file.

use super::facts::FACTS;
use host::recipe::{Home, permitted};
use model::Failure;
use std::collections::BTreeMap;

/// A target's settings, known to be harmless to the host or trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Configuration(BTreeMap<String, String>);

impl Configuration {
    /// Checks names and values. Whether the server knows them, it says itself when it starts.
    ///
    /// # Errors
    /// `SandboxStart` that names the setting.
    pub(super) fn new(
        target: &str,
        settings: BTreeMap<String, String>,
        trusted: bool,
    ) -> Result<Self, Failure> {
        for (name, value) in &settings {
            permitted((target, &FACTS), (name, name, value), trusted)?;
        }
        Ok(Self(settings))
    }

    /// The text of the configuration file. `yes` and `no` are what booleans of a study file
    /// (`ON`, `OFF`) are called here.
    pub(super) fn text(&self, home: &Home, password: &str) -> String {
        let quoted = |path: std::path::PathBuf| {
            let path = path.display().to_string();
            format!("\"{}\"", path.replace('\\', "\\\\").replace('"', "\\\""))
        };
        let mut text = format!(
            "unixsocket {}\nunixsocketperm 700\ndir {}\nlogfile \"\"\ndaemonize no\n\
             supervised no\nrequirepass {password}\n",
            quoted(home.socket()),
            quoted(home.data()),
        );
        for (name, value) in &self.0 {
            let value = match value.as_str() {
                "ON" => "yes",
                "OFF" => "no",
                value => value,
            };
            // One whose quotes do not fit was refused.
            text += &settings::redis_line(name, value).unwrap_or_default();
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn configuration(name: &str, value: &str) -> Result<Configuration, Failure> {
        Configuration::new("cache", BTreeMap::from([(name.to_owned(), value.to_owned())]), false)
    }

    #[test]
    fn what_weighin_decides_is_refused() {
        for name in ["dir", "Port", "replicaof", "include"] {
            let failure = configuration(name, "x").unwrap_err();
            assert!(failure.message.contains(name) && failure.message.contains("cache"));
        }
    }

    #[test]
    fn what_could_say_more_than_one_setting_is_refused() {
        for (name, value) in
            [("", "1"), ("a b", "1"), ("save", "60 1\ndir /"), ("dbfilename", "../x")]
                .into_iter()
                .chain(
                    [
                        r#"".."#, r#"".."#, "'..'", r#""\x2e\x2e""#, r#"."\x2e""#, ".. ",
                        r#""..\x00""#, "\"", r#""a"b"#,
                    ]
                    .map(|value| ("appenddirname", value)),
                )
        {
            assert!(configuration(name, value).is_err(), "{name:?} {value:?}");
        }
        let module = BTreeMap::from([("loadmodule".to_owned(), "/tmp/x.so".to_owned())]);
        assert!(Configuration::new("cache", module.clone(), false).is_err());
        assert!(Configuration::new("cache", module, true).is_ok());
        assert!(configuration("save", "").is_ok());
        assert!(configuration("dbfilename", "dump.rdb").is_ok());
    }
}
