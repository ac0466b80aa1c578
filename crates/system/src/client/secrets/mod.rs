//! Which secrets of this machine may leave it, to whom, and how.
//!
//! A study may be a stranger's. What it names as the source of a password or token is read only where
//! the command line names it too ([`SecretRules`]), or where it is a file of the study's own. Every
//! secret that is read passes through [`one_line`], and a password goes as it is only to a server that
//! cannot be another one ([`SecretRules::may_reveal`]).

mod wanted;

use super::private_file::{Opened, open_within};
use model::text::shell_word;
use model::{Endpoint, Failure, FailureKind, ServerAddress, ServerKey, Tls};
use std::fmt::Display;
use std::net::IpAddr;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
pub use wanted::{Consent, WantedSecret, wanted_secrets};

/// Longest password or token, in bytes.
const LONGEST: usize = 1024;
/// The option of the command line by which a source is allowed.
const ALLOW: &str = "--allow-secret";

/// What the command line allows of the secrets that a command may send.
#[derive(Clone, Debug, Default)]
pub struct SecretRules {
    named_by: NamedBy,
    /// A password may be sent as it is to a server that is not verified.
    allow_cleartext: bool,
}

/// Who named the sources of secrets.
#[derive(Clone, Debug)]
enum NamedBy {
    /// The user, who typed the command.
    CommandLine,
    /// A study.
    Study {
        /// Where the study file is, and who owns it; nothing where it came from elsewhere.
        place: Option<(PathBuf, u32)>,
        /// Sources that the command line allows, as the study writes them.
        allowed: Vec<String>,
    },
}

impl Default for NamedBy {
    /// A study, of which nothing is allowed.
    fn default() -> Self {
        Self::Study { place: None, allowed: Vec::new() }
    }
}

impl SecretRules {
    /// For sources that the command line itself names.
    pub fn command_line(allow_cleartext: bool) -> Self {
        Self { named_by: NamedBy::CommandLine, allow_cleartext }
    }

    /// For the sources that the study of this file names. `allowed` are those that the command line
    /// allows.
    pub fn study(file: &Path, allowed: &[String], allow_cleartext: bool) -> Self {
        let place = || {
            let owner = std::fs::metadata(file).ok()?.uid();
            let directory = std::path::absolute(file).ok()?.parent()?.to_path_buf();
            Some((directory, owner))
        };
        let named_by = NamedBy::Study { place: place(), allowed: allowed.to_vec() };
        Self { named_by, allow_cleartext }
    }

    /// Whether a password may reach this server as it is, or encrypted with a key that the server
    /// itself sends: over TLS with a certificate that is checked, over a Unix socket, on this machine's
    /// loopback, or because the command line says so.
    pub fn may_reveal(&self, address: &ServerAddress) -> bool {
        // The user has said of this very connection that any key will do.
        let own_key = matches!(self.named_by, NamedBy::CommandLine)
            && (&address.server_key, &address.tls) == (&ServerKey::Request, &Tls::Off);
        self.allow_cleartext || own_key || is_verified(address)
    }

    /// Whether the command line, or the study's own directory, gives this source.
    fn allows(&self, source: &str) -> bool {
        match &self.named_by {
            NamedBy::CommandLine => true,
            NamedBy::Study { allowed, .. } => allowed.iter().any(|one| one == source),
        }
    }

    /// Lets a source be sent that is allowed by its name.
    pub(super) fn check_named(
        &self,
        what: &str,
        source: &str,
        server: &dyn Display,
    ) -> Result<(), Failure> {
        match self.allows(source) {
            true => Ok(()),
            false => Err(not_allowed(what, source, server)),
        }
    }

    /// Opens the file of a secret where it may be sent. What is checked is what is opened.
    ///
    /// # Errors
    /// When neither study nor command line gives it; what opening it fails with is inside.
    pub(super) fn open(
        &self,
        what: &str,
        path: &Path,
        server: &dyn Display,
    ) -> Result<std::io::Result<Opened>, Failure> {
        if let Some(own) = self.open_own(path) {
            return Ok(Ok(own));
        }
        self.check_named(what, &path.display().to_string(), server)?;
        Ok(Opened::open(&self.path_of(path)))
    }

    /// Where a file is that a study or the command line names: a study means the directory of its own file.
    pub fn path_of(&self, named: &Path) -> PathBuf {
        match &self.named_by {
            NamedBy::Study { place: Some((directory, _)), .. } => directory.join(named),
            NamedBy::Study { place: None, .. } | NamedBy::CommandLine => named.to_path_buf(),
        }
    }

    /// An address, with the paths in it as [`Self::path_of`] gives them; but for that of a password, which
    /// takes the command line's word as it is written.
    pub(crate) fn with_paths(&self, address: &ServerAddress) -> ServerAddress {
        let tls = match &address.tls {
            Tls::Verified(Some(path)) => Tls::Verified(Some(self.path_of(path))),
            Tls::Chain(path) => Tls::Chain(self.path_of(path)),
            other => other.clone(),
        };
        let server_key = match &address.server_key {
            ServerKey::Pinned(path) => ServerKey::Pinned(self.path_of(path)),
            other => other.clone(),
        };
        ServerAddress { tls, server_key, ..address.clone() }
    }

    /// A file that belongs to the study: in its directory or below, under names that do not begin with
    /// a dot, through no link, with one name, and of the account that has the study file.
    fn open_own(&self, path: &Path) -> Option<Opened> {
        let NamedBy::Study { place: Some((directory, owner)), .. } = &self.named_by else {
            return None;
        };
        let whole = std::path::absolute(self.path_of(path)).ok()?;
        let below = whole.strip_prefix(directory).ok()?;
        let names: Option<Vec<_>> = below
            .components()
            .map(|component| match component {
                Component::Normal(name) if !name.as_encoded_bytes().starts_with(b".") => Some(name),
                _ => None,
            })
            .collect();
        let opened = open_within(directory, &names?).ok()?;
        let facts = &opened.facts;
        (facts.is_file() && facts.uid() == *owner && facts.nlink() == 1).then_some(opened)
    }
}

/// Whether what is sent to that address reaches the server that is meant, and nobody else.
fn is_verified(address: &ServerAddress) -> bool {
    match (&address.tls, &address.endpoint) {
        (Tls::Verified(_) | Tls::Pinned(_), _) | (_, Endpoint::Socket(_)) => true,
        (_, endpoint) => is_loopback(endpoint),
    }
}

/// Whether what is sent there stays on this machine's loopback: a loopback address, or the name that
/// stands for it.
pub fn is_loopback(endpoint: &Endpoint) -> bool {
    let Endpoint::Tcp { host, .. } = endpoint else { return false };
    let is_address = host.parse().is_ok_and(|ip: IpAddr| ip.to_canonical().is_loopback());
    is_address || host.eq_ignore_ascii_case("localhost")
}

/// That a study names a source which the command line does not.
fn not_allowed(what: &str, source: &str, server: &dyn Display) -> Failure {
    Failure::new(
        FailureKind::NotPermitted,
        format!(
            "the study would send the {what} of {source} to {server}, which the command line does not allow"
        ),
        format!("if it is meant for that server, add {}", allow_option(source)),
    )
}

/// The option that allows a source, as a shell takes it.
fn allow_option(source: &str) -> String {
    format!("{ALLOW} {}", shell_word(source))
}

/// The one line that a secret is.
///
/// # Errors
/// `AccessDenied` where it is more, holds a zero byte, or is too long: it is something else then.
/// `origin` says what it is of.
pub(super) fn one_line(content: &[u8], origin: &str) -> Result<Vec<u8>, Failure> {
    let line = content.strip_suffix(b"\n").unwrap_or(content);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let why = match line {
        _ if line.len() > LONGEST => "it is longer than 1 KiB",
        _ if line.contains(&0) => "it holds a zero byte",
        _ if line.iter().any(|byte| matches!(byte, b'\n' | b'\r')) => "it has several lines",
        _ => return Ok(line.to_vec()),
    };
    Err(Failure::new(
        FailureKind::AccessDenied,
        format!("{origin} is not used: {why}, so it is no password and no token"),
        "name a source that holds nothing but the password or token, on one line",
    ))
}
