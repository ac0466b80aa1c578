//! The sessions of a load, made in one place whoever drives them.

use crate::Login;
use engine::Session;
use engine::mysql::{OltpSession, OltpStatements};
use engine::redis::{KeyValueCommands, KeyValueSession};
use model::{Failure, Workload};
use std::sync::Arc;

/// What the clients of a load do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work<'a> {
    pub(crate) workload: &'a Workload,
    /// Of the whole load.
    pub(crate) clients: u32,
    /// Whether to keep the latencies of each kind of statement apart.
    pub(crate) by_statement: bool,
    /// Seeds all random streams.
    pub(crate) seed: u64,
}

/// Whoever does something with the sessions of a load, whatever their kind.
pub(crate) trait Sessions {
    /// What comes of it.
    type Outcome;

    /// Takes what makes the session of each client, numbered from 0.
    fn take<S: Session>(self, session: impl Fn(u32) -> S + Sync) -> Self::Outcome;
}

impl Work<'_> {
    /// Makes sessions that log in like this for `driver`.
    ///
    /// # Errors
    /// When the workload is none that can be run.
    pub(crate) fn hand_to<D: Sessions>(
        self,
        login: &Login,
        driver: D,
    ) -> Result<D::Outcome, Failure> {
        match self.workload {
            Workload::KeyValue(workload) => {
                let commands = Arc::new(KeyValueCommands::new(workload, self.seed, self.clients));
                let options = login.redis_options();
                Ok(driver.take(|client| {
                    KeyValueSession::new(options.clone(), Arc::clone(&commands), client)
                }))
            }
            Workload::Oltp(_) | Workload::Storage(_) => {
                let oltp = self.workload.oltp()?;
                let statements = Arc::new(OltpStatements::new(oltp, self.seed, self.clients));
                let options = login.options();
                let shared = || (options.clone(), Arc::clone(&statements));
                // Decided here, once, and not for every statement.
                Ok(if self.by_statement {
                    driver.take(|client| {
                        let (options, statements) = shared();
                        OltpSession::<true>::new(options, statements, client)
                    })
                } else {
                    driver.take(|client| {
                        let (options, statements) = shared();
                        OltpSession::<false>::new(options, statements, client)
                    })
                })
            }
        }
    }
}
