//! The study's server settings, checked and made into options.

use super::facts::FACTS;
use super::programs::Programs;
use host::recipe::{Distribution, permitted, refusal};
use model::{Failure, FailureKind};
use std::collections::BTreeMap;

/// What a server says that took all options, and was given nothing to run on.
const TOOK_ALL: &str = "does not know where to find";
/// How it marks what it refuses.
const REFUSAL: &str = "FATAL:";
const UNKNOWN: &str = "unrecognized configuration parameter";

/// A target's settings by their names in lower case, known to the server, and known to be harmless to the
/// host or trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Settings(BTreeMap<String, String>);

impl Settings {
    /// Checks names and values, and asks the server whether it takes them.
    ///
    /// # Errors
    /// `SandboxStart` that names the setting.
    pub(super) fn new(
        target: &str,
        settings: &BTreeMap<String, String>,
        trusted: bool,
        programs: &Programs,
        distribution: &Distribution,
    ) -> Result<Self, Failure> {
        let mut list = BTreeMap::new();
        for (written, value) in settings {
            permitted((target, &FACTS), (written, written, value), trusted)?;
            let name = settings::POSTGRES.normal_name(written);
            if list.insert(name.clone(), value.clone()).is_some() {
                let why = format!("is the same setting as another: {name}");
                return Err(refusal(target, written, &why, "remove one of them"));
            }
        }
        let settings = Self(list);
        settings.ask_server(target, programs, distribution)?;
        Ok(settings)
    }

    /// The server looks at its options first of all, and says what is wrong with the first one that it
    /// does not take: its name, its value, or the unit of that.
    fn ask_server(
        &self,
        target: &str,
        programs: &Programs,
        distribution: &Distribution,
    ) -> Result<(), Failure> {
        for (name, value) in &self.0 {
            let option = format!("{name}={value}");
            let answer =
                distribution.answer(&programs.server, &["-c", &option, "-C", name]).map_err(
                    |error| refusal(target, name, &format!("cannot be checked: {error}"), ""),
                )?;
            let said = String::from_utf8_lossy(&answer.stderr);
            if said.contains(TOOK_ALL) {
                continue;
            }
            let Some(why) = said.lines().find_map(|line| Some(line.split_once(REFUSAL)?.1.trim()))
            else {
                continue;
            };
            return Err(refused(target, name, why, &said, programs, distribution));
        }
        Ok(())
    }

    /// All settings as command-line options.
    pub(super) fn options(&self) -> impl Iterator<Item = String> {
        self.0.iter().flat_map(|(name, value)| ["-c".to_owned(), format!("{name}={value}")])
    }
}

fn refused(
    target: &str,
    name: &str,
    why: &str,
    said: &str,
    programs: &Programs,
    distribution: &Distribution,
) -> Failure {
    if !why.contains(UNKNOWN) {
        let hint = said.lines().find_map(|line| Some(line.split_once("HINT:")?.1.trim()));
        let remedy = match hint {
            Some(hint) => format!("correct or remove it: {hint}"),
            None => "correct or remove it".to_owned(),
        };
        return refusal(target, name, &format!("is refused by the server: {why}"), &remedy);
    }
    let known = distribution.ask(&programs.server, &["--describe-config"]).unwrap_or_default();
    let nearest = settings::postgres_nearest(&known, name);
    let meant = nearest.map(|nearest| format!(": did you mean \"{nearest}\"?")).unwrap_or_default();
    let version = &programs.version;
    let why = format!("is unknown to PostgreSQL {version}{meant}");
    Failure {
        kind: FailureKind::SandboxStart,
        ..refusal(target, name, &why, "correct or remove the setting: pg_settings lists them")
    }
}
