//! The systems that a program knows.

use crate::client::{LoginEnvironment, SecretRules};
use crate::haproxy;
use crate::load::{Document, PreparedLoad};
use crate::{Login, Outliner, System, TargetHandle};
use model::{Failure, FailureKind, ServerAddress, Target};
use serde::Deserialize;
use std::sync::OnceLock;

static KNOWN: OnceLock<Vec<&'static dyn System>> = OnceLock::new();

/// Says which systems there are. A program calls it once, before anything else; later calls say the
/// same or are of no effect.
pub fn register<const N: usize>(systems: [&'static dyn System; N]) {
    let of_systems = systems.iter().flat_map(|one| one.private_servers());
    host::recipe::register(of_systems.chain([&haproxy::KIND]).collect());
    let _ = KNOWN.set(systems.into());
}

/// A system by its kind.
///
/// # Errors
/// `NotPermitted` where the program has none of that kind.
pub fn of_kind(kind: model::System) -> Result<&'static dyn System, Failure> {
    let known = KNOWN.get().into_iter().flat_map(|systems| systems.iter());
    known.copied().find(|system| system.kind() == kind).ok_or_else(|| {
        Failure::new(
            FailureKind::NotPermitted,
            format!("this program knows no targets of the kind {kind}"),
            "",
        )
    })
}

/// The system of a target.
///
/// # Errors
/// `Unreachable` for a target whose results were imported.
pub fn of_target(target: &Target) -> Result<&'static dyn System, Failure> {
    match target.system {
        model::System::Unknown => Err(target.out_of_reach()),
        kind => of_kind(kind),
    }
}

/// A server that runs already, for ad hoc loads.
///
/// # Errors
/// `NotPermitted` where its system has no servers.
pub fn reach(login: Login) -> Result<Box<dyn TargetHandle>, Failure> {
    of_kind(login.system())?.reach(login)
}

/// A server that is asked what it holds, to draft a workload from.
///
/// # Errors
/// As [`System::outline`].
pub fn outline(login: &Login) -> Result<Box<dyn Outliner>, Failure> {
    of_kind(login.system())?.outline(login)
}

/// Finds user and password for a server of that kind where the address says, as far as the rules
/// let a password be sent there.
///
/// # Errors
/// When the password cannot be found or may not be sent, a pinned key cannot be read, TLS cannot be
/// set up, or that kind of target has no server.
pub fn log_in(
    system: model::System,
    address: &ServerAddress,
    rules: &SecretRules,
) -> Result<Login, Failure> {
    of_kind(system)?.log_in(address, &LoginEnvironment::of_this_process(rules))
}

/// The URL of a server with what it leaves open: [`System::completed_url`].
///
/// # Errors
/// Why that cannot be found.
pub fn completed_url(url: &str, says_tls: bool) -> Result<Option<String>, String> {
    let scheme = url.split_once("://").map(|(scheme, _)| scheme);
    let named = model::System::urls()
        .find(|(facts, _)| facts.schemes.iter().any(|one| Some(*one) == scheme));
    match named.and_then(|(_, kind)| of_kind(kind).ok()) {
        Some(system) => system.completed_url(url, says_tls, &|name| std::env::var_os(name)),
        None => Ok(None),
    }
}

impl<'de> Deserialize<'de> for PreparedLoad {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Document { system, load } = Document::deserialize(deserializer)?;
        let known = of_kind(system);
        let known = known.map_err(|failure| serde::de::Error::custom(failure.message))?;
        known.read_load(load).map_err(serde::de::Error::custom)
    }
}
