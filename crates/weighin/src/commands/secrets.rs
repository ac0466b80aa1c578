//! What of this machine's secrets a study wants, and whether the command line lets it have them.

use crate::arguments::SecretArguments;
use crate::exit::CliError;
use model::{Study, text};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use system::client::{Consent, LoginEnvironment, SecretRules, WantedSecret, wanted_secrets};

/// What holds for the secrets that a study names.
///
/// # Errors
/// When it names some that neither belong to it nor are allowed: all of them, where they would go, and
/// the options that allow it.
pub(super) fn rules(
    file: &Path,
    study: &Study,
    arguments: &SecretArguments,
) -> Result<Arc<SecretRules>, CliError> {
    let rules = rules_of(file, arguments);
    let wanted = wanted_secrets(study, &LoginEnvironment::of_this_process(&rules));
    let options: Vec<&str> = wanted.iter().filter_map(lacking).collect();
    if options.is_empty() {
        return Ok(Arc::new(rules));
    }
    let mut told =
        "the study wants secrets or files of this machine that are not its own, and that the command line does \
         not allow:"
            .to_owned();
    for one in wanted.iter().filter(|one| lacking(one).is_some()) {
        // Writing to a text does not fail.
        let _ = write!(told, "\n  {}", described(one));
    }
    let mut options: Vec<&str> = options;
    options.sort_unstable();
    options.dedup();
    let help = format!("if you trust the study with them, add: {}", text::line(&options.join(" ")));
    Err(CliError::usage(told, help))
}

/// The secrets that a study wants, for its plan; nothing where there are none.
pub(super) fn planned(file: &Path, study: &Study, arguments: &SecretArguments) -> String {
    let rules = rules_of(file, arguments);
    let wanted = wanted_secrets(study, &LoginEnvironment::of_this_process(&rules));
    if wanted.is_empty() {
        return String::new();
    }
    let mut told = "\nSecrets and files of this machine that the study uses:\n".to_owned();
    for one in &wanted {
        let consent = match &one.consent {
            Consent::OwnFile => "belongs to the study".to_owned(),
            Consent::NamesServer => "the option file names that server".to_owned(),
            Consent::CommandLine => "allowed".to_owned(),
            Consent::Lacking(option) => format!("takes {}", text::line(option)),
        };
        let _ = writeln!(told, "  {}; {consent}", described(one));
    }
    told
}

fn rules_of(file: &Path, arguments: &SecretArguments) -> SecretRules {
    SecretRules::study(file, &arguments.allow_secret, arguments.cleartext.allow_cleartext)
}

fn lacking(wanted: &WantedSecret) -> Option<&str> {
    match &wanted.consent {
        Consent::Lacking(option) => Some(option),
        Consent::OwnFile | Consent::NamesServer | Consent::CommandLine => None,
    }
}

fn described(wanted: &WantedSecret) -> String {
    let line = format!("{}, for {}", wanted.what, wanted.servers.join(", "));
    text::line(&line).into_owned()
}
