//! All that a study wants of this machine, before anything is sent.

use super::{SecretRules, allow_option};
use crate::client::credentials::{LoginEnvironment, UsualPassword};
use crate::registry;
use model::{
    Endpoint, PasswordSource, Place, Proxy, ServerAddress, Study, StudyFile, System, Target,
};
use std::collections::BTreeSet;

/// A secret of this machine that a study wants, or a file that is not its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WantedSecret {
    /// Such as `the password in the file pw`.
    pub what: String,
    /// Where it would go: targets with their addresses, a broker, the results.
    pub servers: Vec<String>,
    /// Whether it may be sent.
    pub consent: Consent,
}

/// Whether a secret may be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Consent {
    /// It is a file of the study's own.
    OwnFile,
    /// The option file names the servers itself.
    NamesServer,
    /// The command line allows it.
    CommandLine,
    /// It takes this option.
    Lacking(String),
}

/// One source for one server.
struct Source {
    what: String,
    server: String,
    consent: Consent,
}

/// The secrets and files that a study wants of this machine, each once, in the order of the study. Nothing is
/// sent anywhere. A file of the study's own needs no word, and is not listed.
pub fn wanted_secrets(study: &Study, environment: &LoginEnvironment<'_>) -> Vec<WantedSecret> {
    let mut sources = Vec::new();
    for target in &study.targets {
        let Place::Server(spec) = &target.place else { continue };
        for address in std::iter::once(&spec.address).chain(&spec.replicas) {
            let server = match &address.endpoint {
                Endpoint::NotUp => format!("{}, where it comes up", target.name),
                endpoint => format!("{} at {endpoint}", target.name),
            };
            let server = match proxy(target, address) {
                Some(proxy) => format!("{server}, and for what listens at {proxy} before it"),
                None => server,
            };
            sources.extend(of_server(target.system, address, server, environment));
        }
    }
    if let Some(broker) = &study.fleet {
        let server = format!("the broker {}", broker.address);
        sources.extend(named(&broker.token, "token", server, environment.rules));
    }
    sources.extend(study.files.iter().filter_map(|file| of_file(file, environment.rules)));
    gathered(sources)
}

/// What is in a file may be anything that the account may read, so that only the study's own need no word.
fn of_file(file: &StudyFile, rules: &SecretRules) -> Option<Source> {
    // Where it is was found by the way to the study file, from the current directory on.
    let path = std::path::absolute(&file.path).ok();
    if path.is_some_and(|path| rules.open_own(&path).is_some()) {
        return None;
    }
    let what = format!("the contents of {}", file.name);
    let server = "the servers and the results of its tests".to_owned();
    Some(Source { what, server, consent: by_name(&file.name, rules) })
}

/// Where loads log in in place of the server itself.
fn proxy<'a>(target: &'a Target, address: &ServerAddress) -> Option<&'a Endpoint> {
    let is_own = matches!(&target.place, Place::Server(spec) if &spec.address == address);
    match target.path.as_ref().filter(|_| is_own)?.proxy.as_ref()? {
        Proxy::Running(endpoint) => Some(endpoint),
        Proxy::Private(_) => None,
    }
}

fn of_server(
    system: System,
    address: &ServerAddress,
    server: String,
    environment: &LoginEnvironment<'_>,
) -> Option<Source> {
    let rules = environment.rules;
    if !address.password.is_usual() {
        return named(&address.password, "password", server, rules);
    }
    // One that cannot be read is told when it is needed.
    let usual = registry::of_kind(system).ok()?.usual_login(address, environment).ok()?;
    match usual.password? {
        UsualPassword::Variable(name) => {
            named(&PasswordSource::Environment(name), "password", server, rules)
        }
        UsualPassword::OptionFile { content, .. } if content.is_empty() => None,
        UsualPassword::OptionFile { path, names_server, .. } => {
            let source = path.display().to_string();
            let consent = match names_server {
                true => Consent::NamesServer,
                false => by_name(&source, rules),
            };
            let what = format!("the password in the option file {source}");
            Some(Source { what, server, consent })
        }
    }
}

/// A source that the study names.
fn named(
    source: &PasswordSource,
    secret: &str,
    server: String,
    rules: &SecretRules,
) -> Option<Source> {
    let (what, consent) = match source {
        PasswordSource::OptionFile | PasswordSource::Service(_) => return None,
        PasswordSource::Environment(name) => {
            (format!("the {secret} in the environment variable {name}"), by_name(name, rules))
        }
        PasswordSource::File(path) => {
            let name = path.display().to_string();
            let consent = match rules.open_own(path) {
                Some(_) => Consent::OwnFile,
                None => by_name(&name, rules),
            };
            (format!("the {secret} in the file {name}"), consent)
        }
    };
    Some(Source { what, server, consent })
}

fn by_name(source: &str, rules: &SecretRules) -> Consent {
    match rules.allows(source) {
        true => Consent::CommandLine,
        false => Consent::Lacking(allow_option(source)),
    }
}

/// One entry for each source and what becomes of it.
fn gathered(sources: Vec<Source>) -> Vec<WantedSecret> {
    let mut all: Vec<WantedSecret> = Vec::new();
    let mut seen = BTreeSet::new();
    for Source { what, server, consent } in sources {
        if !seen.insert((what.clone(), server.clone())) {
            continue;
        }
        match all.iter_mut().find(|one| one.what == what && one.consent == consent) {
            Some(known) => known.servers.push(server),
            None => all.push(WantedSecret { what, servers: vec![server], consent }),
        }
    }
    all
}
