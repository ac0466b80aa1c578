//! How private servers of a kind are made, started and recognised.

use super::account::RunAs;
use super::distribution::Distribution;
use super::home::Home;
use super::kind::{KindFacts, note_programs};
use crate::question::GroupMember;
use model::{Failure, FailureKind, ProxyProgram, System, VersionSetting};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io;
use std::net::SocketAddr;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

static KINDS: OnceLock<Vec<&'static PrivateServerKind>> = OnceLock::new();

/// Says which kinds of private servers this program can start, once, before it starts any: also where
/// it is the agent on another machine. Later calls change nothing.
pub fn register(kinds: Vec<&'static PrivateServerKind>) {
    KINDS.get_or_init(|| {
        note_programs(kinds.iter().map(|kind| &kind.facts));
        kinds
    });
}

/// The kinds that were registered.
pub(crate) fn kinds() -> &'static [&'static PrivateServerKind] {
    KINDS.get().map_or(&[], Vec::as_slice)
}

/// How servers of a system, or a program before one of them, are started: that of a target.
///
/// # Errors
/// `NotPermitted` where weighin starts none of them.
pub(crate) fn kind_of(
    system: System,
    proxy: Option<ProxyProgram>,
    target: &str,
) -> Result<&'static PrivateServerKind, Failure> {
    let is_it = |kind: &&PrivateServerKind| {
        kind.facts.proxy == proxy && (proxy.is_some() || kind.facts.system == system)
    };
    let kind = kinds().iter().copied().find(is_it);
    kind.ok_or_else(|| {
        Failure::new(
            FailureKind::NotPermitted,
            format!("nothing is known of the server of target \"{target}\""),
            "name its kind in the study file",
        )
    })
}

/// A kind of private server.
#[derive(Debug)]
pub struct PrivateServerKind {
    pub facts: KindFacts,
    /// Finds the programs and checks the settings. Fails with `MissingProgram` where there is no such
    /// server or it does not run, with `SandboxStart` that names a setting.
    pub recipe: fn(RecipeOrder, Distribution) -> Result<Box<dyn Recipe>, Failure>,
}

/// What is asked for of a private server; see [`super::SandboxOptions`].
#[derive(Clone, Debug, Default)]
pub struct RecipeOrder {
    /// The target's name, for messages.
    pub target: String,
    pub settings: BTreeMap<String, String>,
    pub trusted: bool,
    pub program: Option<String>,
    pub member: Option<GroupMember>,
    /// The settings are of another machine, which may have more memory.
    pub fits_memory: bool,
    /// Settings for servers of one version.
    pub of_versions: Vec<VersionSetting>,
    /// The data directory that it gets a copy of.
    pub data: Option<PathBuf>,
    /// The database that clients use, where it is not that of its kind.
    pub database: Option<String>,
    /// The server that a proxy forwards to.
    pub forwards_to: Option<SocketAddr>,
}

/// The program of a target's server.
#[derive(Debug)]
pub struct ServerProgram {
    /// The target's name, for messages.
    pub target: String,
    /// Where it comes from, and as whom it runs.
    pub distribution: Distribution,
    pub path: PathBuf,
}

impl ServerProgram {
    /// A command that runs it on a home.
    pub fn command(&self, home: &Home) -> Command {
        self.distribution.server_command(&self.path, home)
    }

    pub fn run_as(&self) -> &RunAs {
        self.distribution.run_as()
    }

    /// Which program it is, in words.
    pub(super) fn describe(&self) -> String {
        self.distribution.describe(&self.path)
    }
}

/// How one server is made, started and recognised.
pub trait Recipe: Debug + Send + Sync {
    fn program(&self) -> &ServerProgram;

    /// Fills an empty home, once: data, configuration, and the login with that password, for the
    /// member of a group that of its replicas with its own; and gives it to the server.
    ///
    /// # Errors
    /// When a program fails, or a file cannot be made.
    fn prepare(
        &self,
        home: &Home,
        password: &str,
        replication_password: Option<&str>,
    ) -> Result<(), Failure>;

    /// The command that starts the server on a prepared home, to listen there.
    fn command(&self, home: &Home, listen: SocketAddr) -> Command;

    /// The server has come up for the first time.
    ///
    /// # Errors
    /// When something that only the first start needed cannot be removed.
    fn has_come_up(&self, _home: &Home) -> Result<(), Failure> {
        Ok(())
    }

    /// Whether the server is ready to serve: one that listens is, unless its kind says otherwise. The
    /// kernel accepts connections before the server does, so what was connected stays open between calls.
    ///
    /// # Errors
    /// When nothing listens yet, or the server closed the connection; the next call has a new one.
    fn is_ready(&self, _stream: &mut UnixStream, _home: &Home) -> io::Result<bool> {
        Ok(true)
    }

    /// The file in the data directory by which a server that has ended remembers what was in its
    /// cache, to read it again when it starts; absent where it knows no such thing.
    fn cache_memory(&self) -> Option<&str> {
        None
    }

    /// Whether the server is several processes, which the first one ends. That waits for its clients when
    /// it is told to end by SIGTERM, and does not after SIGINT; SIGQUIT has it end all at once, and remove
    /// what would outlive them.
    fn has_processes(&self) -> bool {
        false
    }

    /// What makes a server of this kind end sooner.
    fn slow_end_remedy(&self) -> &'static str;
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::local::sandbox::kind::LogWords;

    /// A kind that no program has.
    pub(crate) static MADE_UP: PrivateServerKind = PrivateServerKind {
        facts: KindFacts {
            system: System::Unknown,
            proxy: None,
            login: (Some("weighin"), "sbtest"),
            replication_user: None,
            account: "nobody",
            runs_as_account: true,
            program_prefixes: &[],
            log_words: LogWords { disk_full: &[], unknown_setting: &[], error: &[] },
            setting_example: "memory",
            base_example: "/opt/server-1",
        },
        recipe: |_, _| {
            Err(Failure::new(FailureKind::MissingProgram, "nothing has such a server", ""))
        },
    };
}
