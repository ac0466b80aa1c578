//! Servers that weighin did not start, and that may run on the machine that makes the load or on one
//! that the study names: there their processes are sampled like those of private servers.

use super::ServerKind;
use crate::SamplingScope;
use host::{Host, RunningServer};
use model::{Failure, Place, Target};
use std::iter;
use std::sync::Arc;

/// Where a server and its replicas run.
#[derive(Debug, Default)]
pub(super) struct Running {
    pub(super) primary: Whereabouts,
    pub(super) replicas: Vec<Whereabouts>,
}

/// Where one of them runs.
#[derive(Debug, Default)]
pub(super) enum Whereabouts {
    /// On a machine that weighin cannot look at, or that is not known.
    #[default]
    Elsewhere,
    /// Something on a machine that it can look at answers, and its process may not be looked at or is
    /// not the server's own.
    Hidden,
    On(Machine, RunningServer),
}

/// A machine that weighin can look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Machine {
    /// The one that makes the load.
    LoadHost,
    /// The one that the study names for the target.
    Own,
}

impl Whereabouts {
    /// Of the server that a connection leads to. `own` is the machine that the study names for it.
    ///
    /// # Errors
    /// When the connection is of no use any more; [`Failure::stopped`].
    pub(super) fn find<K: ServerKind>(
        load_host: &dyn Host,
        own: Option<&dyn Host>,
        connection: &mut K::Connection,
    ) -> Result<Self, Failure> {
        let Ok(ends) = connection.ends() else { return Ok(Self::Elsewhere) };
        let is_here = ends.on_one_machine();
        if !is_here && own.is_none() {
            return Ok(Self::Elsewhere);
        }
        let Some(clue) = K::process_clue(connection)? else { return Ok(Self::Hidden) };
        let here = is_here.then(|| load_host.running_server(&ends, &clue)).flatten();
        let here = here.map(|server| Self::On(Machine::LoadHost, server));
        let there = || Some(Self::On(Machine::Own, own?.running_server(&ends, &clue)?));
        Ok(here.or_else(there).unwrap_or(Self::Hidden))
    }
}

impl Running {
    /// The machine that it is on, where its process is known.
    pub(super) fn machine(&self) -> Option<Machine> {
        match &self.primary {
            Whereabouts::On(machine, _) => Some(*machine),
            Whereabouts::Elsewhere | Whereabouts::Hidden => None,
        }
    }

    /// The same where its paths are those of the machine.
    pub(super) fn shares_files(&self) -> Option<Machine> {
        match &self.primary {
            Whereabouts::On(machine, server) if server.shares_files => Some(*machine),
            _ => None,
        }
    }

    /// Whether one of them is on a machine that weighin can look at, and its process is not known.
    pub(super) fn is_hidden(&self) -> bool {
        let mut all = iter::once(&self.primary).chain(&self.replicas);
        all.any(|server| matches!(server, Whereabouts::Hidden))
    }

    /// What is sampled of them: nothing where a part would be missing, which would then be taken for
    /// the work of others.
    pub(super) fn sampling_scope(&self) -> SamplingScope {
        let Whereabouts::On(machine, primary) = &self.primary else {
            return SamplingScope::default();
        };
        if self.is_hidden() {
            return SamplingScope::default();
        }
        let pid = |server: &Whereabouts| match server {
            Whereabouts::On(on, server) if on == machine => Some(server.pid),
            _ => None,
        };
        SamplingScope {
            server_pid: Some(primary.pid),
            replica_pids: self.replicas.iter().filter_map(pid).collect(),
            proxy_pid: None,
            disks: primary.disks.clone(),
            // What it holds besides the study's data is not weighin's to walk through.
            data_directory: None,
        }
    }
}

/// The machine of a target whose server runs already, where the study says how to reach it.
pub(super) fn ssh_host<'a>(
    target: Option<&Target>,
    host: Option<&'a Arc<dyn Host>>,
) -> Option<&'a Arc<dyn Host>> {
    let runs_already =
        |target: &Target| matches!(target.place, Place::Server(_)) && target.ssh_host().is_some();
    host.filter(|_| target.is_some_and(runs_already))
}
