//! Loads as several processes can share them: everything that making a part of one takes.

use super::login::{Login, PipedLoginData};
use super::{mysql, redis, volume};
use engine::storage::StorageLoad;
use engine::{Account, LoadError, LoadSpec, Nanos, Part, PartProgress, RunLoad, Stop, Timing};
use host::Host;
use model::{ErrorCount, Failure, FailureKind};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A load that a target is ready for. It holds the password of the server: not to be shown.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PreparedLoad {
    Mysql(ServerLoad<mysql::OltpClients>),
    Redis(ServerLoad<redis::KeyValueClients>),
    Volume(Box<StorageLoad>),
}

impl PreparedLoad {
    /// Dispatches once: what runs is of one kind.
    pub(crate) fn runner(&self) -> &dyn RunLoad {
        match self {
            Self::Mysql(load) => load,
            Self::Redis(load) => load,
            Self::Volume(load) => load.as_ref(),
        }
    }

    /// How to fix an error that operations had; empty where that is not known.
    pub(crate) fn error_remedy(&self, error: &ErrorCount) -> &'static str {
        match self {
            Self::Redis(_) => redis::error_remedy(&error.message),
            Self::Mysql(_) | Self::Volume(_) => "",
        }
    }

    /// Whether it is made only on machines that have what it reads and writes.
    pub(crate) fn is_of_volumes(&self) -> bool {
        matches!(self, Self::Volume(_))
    }

    /// Gets what a part of it takes of the machine that makes that part, and does not travel.
    ///
    /// # Errors
    /// `NotPermitted` where the machine does not give it.
    pub(crate) fn settle(&mut self, host: &dyn Host, part: Part) -> Result<(), Failure> {
        if let Self::Volume(load) = self {
            let vms = part.share(load.storage.vms.into()) as u32;
            load.processors = volume::hold_processors(host, &load.storage, vms)?;
        }
        Ok(())
    }

    /// Whether it takes nothing of the machine that makes it but connections to a server over a network.
    ///
    /// # Errors
    /// `NotPermitted` where it takes more.
    pub(crate) fn check_remote(&self) -> Result<(), Failure> {
        let needs = match self {
            Self::Mysql(load) => load.login.0.needs_of_machine(),
            Self::Redis(load) => load.login.0.needs_of_machine(),
            Self::Volume(_) => Some("writes to volumes"),
        };
        needs.map_or(Ok(()), |needs| {
            Err(Failure::new(
                FailureKind::NotPermitted,
                format!("a load that {needs} is not made for a lead on another machine"),
                "make it on the machine that weighin runs on: load_hosts = []",
            ))
        })
    }

    /// What ended the load early, with how to fix it.
    pub(crate) fn failure(&self, error: &LoadError) -> Failure {
        match self {
            Self::Mysql(load) => mysql::load_failure(error, &load.login.0),
            Self::Redis(load) => redis::load_failure(error, &load.login.0),
            Self::Volume(_) => volume::load_failure(error),
        }
    }
}

/// Makes the sessions of a load on a kind of server.
pub(crate) trait Clients: Sync {
    /// Runs a part with sessions that log in like this.
    fn run_part(
        &self,
        spec: &LoadSpec,
        login: &Login,
        run: &mut PartRun<'_>,
    ) -> Result<Account, LoadError>;
}

/// How a part is run: see [`RunLoad::run_part`].
pub(crate) struct PartRun<'a> {
    part: Part,
    stop: &'a Stop,
    start: &'a mut dyn FnMut() -> Option<Nanos>,
    progress: &'a mut dyn FnMut(PartProgress),
}

impl PartRun<'_> {
    /// Runs it with that load.
    pub(crate) fn with(&mut self, load: &dyn RunLoad) -> Result<Account, LoadError> {
        load.run_part(self.part, self.stop, self.start, self.progress)
    }
}

/// A load on a server.
#[derive(Serialize, Deserialize)]
pub struct ServerLoad<C> {
    pub(crate) spec: LoadSpec,
    pub(crate) clients: C,
    pub(crate) login: PipedLogin,
}

/// A login that another process of weighin gets through a pipe.
#[derive(Clone, Serialize, Deserialize)]
#[serde(from = "PipedLoginData", into = "PipedLoginData")]
pub(crate) struct PipedLogin(pub(crate) Login);

impl<C: Clients> RunLoad for ServerLoad<C> {
    fn timing(&self) -> Timing<'_> {
        self.spec.timing()
    }

    fn run_part(
        &self,
        part: Part,
        stop: &Stop,
        start: &mut dyn FnMut() -> Option<Nanos>,
        progress: &mut dyn FnMut(PartProgress),
    ) -> Result<Account, LoadError> {
        let tls = self.login.0.tls().map_err(|failure| LoadError::Tls(failure.message))?;
        let spec = LoadSpec { tls, ..self.spec.clone() };
        self.clients.run_part(&spec, &self.login.0, &mut PartRun { part, stop, start, progress })
    }

    fn lost(&self, since: Duration, _: &[ErrorCount]) -> LoadError {
        LoadError::lost_since(since)
    }
}
