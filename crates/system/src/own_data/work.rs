//! What all who make the data of one target share.

use super::register::{self, Register};
use super::{SqlConnection, SqlServer};
use crate::Step;
use model::{Failure, Stop};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use workload::data::ObjectKind;

pub(super) struct Work<'a> {
    pub(super) server: &'a dyn SqlServer,
    pub(super) connections: u32,
    pub(super) stop: &'a Stop,
    /// Databases of others, which no script may name; `None` on a server of weighin's own.
    pub(super) elsewhere: Option<Vec<String>>,
    /// Whether what scripts make is weighin's to remove.
    registers: bool,
    noted: Mutex<Noted>,
    done: AtomicU64,
    of: u64,
}

/// The register, with the connection that writes to it.
pub(super) struct Noted {
    pub(super) register: Register,
    pub(super) connection: Box<dyn SqlConnection>,
}

impl<'a> Work<'a> {
    pub(super) fn new(
        server: &'a dyn SqlServer,
        connections: u32,
        stop: &'a Stop,
        elsewhere: Option<Vec<String>>,
        connection: Box<dyn SqlConnection>,
        of: u64,
    ) -> Self {
        let noted = Mutex::new(Noted { register: Register::default(), connection });
        let (registers, done) = (true, AtomicU64::new(0));
        Self { server, connections, stop, elsewhere, registers, noted, done, of }
    }

    /// The same where nothing that scripts make is weighin's.
    pub(super) fn unregistered(self) -> Self {
        Self { registers: false, ..self }
    }

    pub(super) fn check_stop(&self) -> Result<(), Failure> {
        if self.stop.is_requested() { Err(Failure::stopped()) } else { Ok(()) }
    }

    pub(super) fn has_done(&self, amount: u64) {
        self.done.fetch_add(amount, Ordering::Relaxed);
    }

    pub(super) fn step(&self) -> Step {
        Step { done: self.done.load(Ordering::Relaxed).min(self.of), of: self.of }
    }

    pub(super) fn noted(&self) -> MutexGuard<'_, Noted> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what a statement is about to make, once.
    pub(super) fn note_object(&self, kind: ObjectKind, name: &str) -> Result<(), Failure> {
        if !self.registers {
            return Ok(());
        }
        let Noted { register, connection } = &mut *self.noted();
        let is_noted = register.objects.iter().any(|(of, known)| *of == kind && known == name);
        if !is_noted && name != register::REGISTER {
            register::note(self.server, connection.as_mut(), kind.name(), name)?;
            register.objects.push((kind, name.to_owned()));
        }
        Ok(())
    }
}
