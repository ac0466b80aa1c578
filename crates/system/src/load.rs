//! Loads as several processes can share them: everything that making a part of one takes.

use crate::login::Login;
pub use crate::login::PipedLogin;
use engine::{Account, LoadError, LoadSpec, Part, PartRun, RunLoad, Timing};
use host::Host;
use model::{ErrorCount, Failure, FailureKind, System};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A load of one system.
pub trait SystemLoad: RunLoad + Send {
    /// Whose load it is: [`System::read_load`](crate::System::read_load) of that system reads its
    /// document.
    fn system(&self) -> System;

    /// It as another process of weighin gets it. It may hold a password: not to be shown.
    ///
    /// # Errors
    /// When it holds what no document can.
    fn document(&self) -> serde_json::Result<Value>;

    /// How to fix an error that operations had; empty where that is not known.
    fn error_remedy(&self, _error: &ErrorCount) -> &'static str {
        ""
    }

    /// Whether it is made only on machines that have what it reads and writes.
    fn is_of_volumes(&self) -> bool {
        false
    }

    /// Gets what a part of it takes of the machine that makes that part, and does not travel.
    ///
    /// # Errors
    /// `NotPermitted` where the machine does not give it.
    fn settle(&mut self, _host: &dyn Host, _part: Part) -> Result<(), Failure> {
        Ok(())
    }

    /// What it takes of the machine that makes it, besides connections to a server over a network.
    fn needs_of_machine(&self) -> Option<&'static str>;

    /// What ended the load early, with how to fix it.
    fn failure(&self, error: &LoadError) -> Failure;

    /// As what the engine runs.
    fn runner(&self) -> &dyn RunLoad;
}

/// A load that a target is ready for.
pub struct PreparedLoad(Box<dyn SystemLoad>);

impl<L: SystemLoad + 'static> From<L> for PreparedLoad {
    fn from(load: L) -> Self {
        Self(Box::new(load))
    }
}

impl std::ops::Deref for PreparedLoad {
    type Target = dyn SystemLoad;

    fn deref(&self) -> &Self::Target {
        self.0.as_ref()
    }
}

impl std::ops::DerefMut for PreparedLoad {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.0.as_mut()
    }
}

impl PreparedLoad {
    /// Whether another machine can make it.
    ///
    /// # Errors
    /// `NotPermitted` where it takes more of that than connections to a server over a network.
    pub fn check_remote(&self) -> Result<(), Failure> {
        self.needs_of_machine().map_or(Ok(()), |needs| {
            Err(Failure::new(
                FailureKind::NotPermitted,
                format!("a load that {needs} is not made for a lead on another machine"),
                "make it on the machine that weighin runs on: load_hosts = []",
            ))
        })
    }
}

/// How a load travels.
#[derive(Serialize, Deserialize)]
pub(crate) struct Document {
    pub(crate) system: System,
    pub(crate) load: Value,
}

impl Serialize for PreparedLoad {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let load = self.0.document().map_err(serde::ser::Error::custom)?;
        Document { system: self.0.system(), load }.serialize(serializer)
    }
}

/// Makes the sessions of a load on a kind of server.
pub trait Clients: Serialize + DeserializeOwned + Send + Sync + 'static {
    const SYSTEM: System;

    /// Runs a part with sessions that log in like this.
    ///
    /// # Errors
    /// As [`RunLoad::run_part`].
    fn run_part(
        &self,
        spec: &LoadSpec,
        login: &Login,
        run: &mut PartRun<'_>,
    ) -> Result<Account, LoadError>;

    /// What ended the load early, with how to fix it.
    fn failure(error: &LoadError, login: &Login) -> Failure;

    /// How to fix an error that operations had; empty where that is not known.
    fn error_remedy(_error: &ErrorCount) -> &'static str {
        ""
    }
}

/// A load on a server.
#[derive(Serialize, Deserialize)]
pub struct ServerLoad<C> {
    pub spec: LoadSpec,
    pub clients: C,
    pub login: PipedLogin,
}

impl<C: Clients> RunLoad for ServerLoad<C> {
    fn timing(&self) -> Timing<'_> {
        self.spec.timing()
    }

    fn run_part(&self, run: &mut PartRun<'_>) -> Result<Account, LoadError> {
        let tls = self.login.0.tls().map_err(|failure| LoadError::Tls(failure.message))?;
        let spec = LoadSpec { tls, ..self.spec.clone() };
        self.clients.run_part(&spec, &self.login.0, run)
    }
}

impl<C: Clients> SystemLoad for ServerLoad<C> {
    fn system(&self) -> System {
        C::SYSTEM
    }

    fn document(&self) -> serde_json::Result<Value> {
        serde_json::to_value(self)
    }

    fn error_remedy(&self, error: &ErrorCount) -> &'static str {
        C::error_remedy(error)
    }

    fn needs_of_machine(&self) -> Option<&'static str> {
        self.login.0.needs_of_machine()
    }

    fn failure(&self, error: &LoadError) -> Failure {
        C::failure(error, &self.login.0)
    }

    fn runner(&self) -> &dyn RunLoad {
        self
    }
}
