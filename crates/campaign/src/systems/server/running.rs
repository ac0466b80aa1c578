//! Servers that weighin did not start, and that may run on the machine that makes the load: there
//! their processes are sampled like those of private servers.

use super::ServerKind;
use crate::systems::SamplingScope;
use host::{Host, RunningServer};
use model::Failure;
use std::iter;

/// Where a server and its replicas run.
#[derive(Debug, Default)]
pub(super) struct Running {
    pub(super) primary: Whereabouts,
    pub(super) replicas: Vec<Whereabouts>,
}

/// Where one of them runs.
#[derive(Debug, Default)]
pub(super) enum Whereabouts {
    /// On another machine, or that is not known.
    #[default]
    Elsewhere,
    /// Something on this machine answers, and its process may not be looked at or is not the
    /// server's own.
    Hidden,
    Here(RunningServer),
}

impl Whereabouts {
    /// Of the server that a connection leads to.
    ///
    /// # Errors
    /// When the connection is of no use any more; [`Failure::stopped`].
    pub(super) fn of<K: ServerKind>(
        host: &dyn Host,
        connection: &mut K::Connection,
    ) -> Result<Self, Failure> {
        let Some(ends) = K::ends(connection).ok().filter(|ends| ends.on_one_machine()) else {
            return Ok(Self::Elsewhere);
        };
        let clue = K::process_clue(connection)?;
        let found = clue.and_then(|clue| host.running_server(&ends, &clue));
        Ok(found.map_or(Self::Hidden, Self::Here))
    }
}

impl Running {
    /// Whether its process is known.
    pub(super) fn is_here(&self) -> bool {
        matches!(self.primary, Whereabouts::Here(_))
    }

    /// Whether it is known, and its paths are those of this machine.
    pub(super) fn shares_files(&self) -> bool {
        matches!(&self.primary, Whereabouts::Here(server) if server.shares_files)
    }

    /// Whether one of them is on this machine and its process is not known.
    pub(super) fn is_hidden(&self) -> bool {
        let mut all = iter::once(&self.primary).chain(&self.replicas);
        all.any(|server| matches!(server, Whereabouts::Hidden))
    }

    /// What is sampled of them: nothing where a part would be missing, which would then be taken for
    /// the work of others.
    pub(super) fn sampling_scope(&self) -> SamplingScope {
        let Whereabouts::Here(primary) = &self.primary else { return SamplingScope::default() };
        if self.is_hidden() {
            return SamplingScope::default();
        }
        let pid = |server: &Whereabouts| match server {
            Whereabouts::Here(server) => Some(server.pid),
            Whereabouts::Elsewhere | Whereabouts::Hidden => None,
        };
        SamplingScope {
            server_pid: Some(primary.pid),
            replica_pids: self.replicas.iter().filter_map(pid).collect(),
            disks: primary.disks.clone(),
            // What it holds besides the study's data is not weighin's to walk through.
            data_directory: None,
        }
    }
}
