//! The processors that the virtual machines of a load share.

use super::error::StorageError;
use crate::result::Ends;
use crate::{Clock, LoadError, Nanos, Schedule};
use model::{FleetProcessors, ProcessorCount};
use std::fmt::Debug;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// What holds threads to a number of processors, such as a control group.
pub trait Processors: Debug + Send + Sync {
    /// How many they share; above 0.
    fn count(&self) -> f64;

    /// In which periods their time is accounted for.
    fn period(&self) -> Duration;

    /// Takes in the calling thread, and those that it starts from now on.
    ///
    /// # Errors
    /// When it can't be held: it would go on as it likes.
    fn join(&self) -> io::Result<()>;

    /// What all threads that it took in did, since it is there.
    ///
    /// # Errors
    /// When that can't be read.
    fn did(&self) -> io::Result<ProcessorCount>;
}

/// Takes in the calling thread where threads are to be held.
pub(super) fn join(processors: Option<&Arc<dyn Processors>>) -> Result<(), StorageError> {
    processors
        .map_or(Ok(()), |held| held.join())
        .map_err(|source| StorageError::Processors { source })
}

/// A reading and when it was taken, or why it could not be.
type Reading = Result<(Nanos, ProcessorCount), String>;

/// What threads that are held do in the measured phase.
pub(super) struct Meter<'a> {
    processors: &'a dyn Processors,
    schedule: Schedule,
    ends: Option<Ends<Reading>>,
}

impl<'a> Meter<'a> {
    pub(super) fn new(processors: &'a dyn Processors, schedule: Schedule) -> Self {
        Self { processors, schedule, ends: None }
    }

    /// To be called again and again.
    pub(super) fn look(&mut self, start: Nanos, now: Nanos) {
        let (processors, schedule) = (self.processors, self.schedule);
        let ends = self.ends.get_or_insert_with(|| Ends::new(schedule, start));
        ends.look(now, || read(processors));
    }

    /// What was found, once the load is over; nothing of one that did not begin.
    pub(super) fn found(self) -> Result<Option<FleetProcessors>, LoadError> {
        let Some(ends) = self.ends else { return Ok(None) };
        let (before, after) = ends.both(|| read(self.processors));
        let both = before.and_then(|before| Ok((before, after?)));
        let ((from, before), (until, after)) =
            both.map_err(|reason| StorageError::Uncounted { reason })?;
        let (count, period) = (self.processors.count(), self.processors.period());
        Ok(Some(FleetProcessors::from_count(count, after - before, until.since(from), period)))
    }
}

fn read(processors: &dyn Processors) -> Reading {
    let did = processors.did().map_err(|error| error.to_string())?;
    Ok((Clock.now(), did))
}
