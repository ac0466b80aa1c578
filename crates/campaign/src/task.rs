//! What carries a task out is given, and what that comes to.

use crate::event::Event;
use crate::together::Member;
use crate::{Measured, OnSample};
use engine::Stop;
use host::Host;
use model::{Figure, Metric, Outcome, Sampling, Search, Study};
use system::Hosts;

/// What the trials of a study share.
pub(crate) struct Context<'a> {
    pub(crate) study: &'a Study,
    pub(crate) hosts: &'a Hosts,
    /// The machine that leads.
    pub(crate) host: &'a dyn Host,
    /// Ends the trial alone, or with the run.
    pub(crate) stop: &'a Stop,
    pub(crate) stop_of_run: &'a Stop,
    pub(crate) on_sample: Option<&'a OnSample>,
    /// The others that run at the same time, where there are any.
    pub(crate) together: Option<&'a Member>,
    pub(crate) observe: &'a mut dyn FnMut(Event<'_>),
}

/// What a task came to that was carried out to its end.
pub(crate) struct Done {
    pub(crate) outcome: Outcome,
    pub(crate) sampling: Sampling,
    pub(crate) search: Option<Box<Search>>,
}

impl Done {
    pub(crate) fn of_load(measured: Measured, search: Option<Box<Search>>) -> Self {
        let Measured { load, sampling, marks, .. } = measured;
        Self { outcome: Outcome { marks, ..Outcome::of_load(load) }, sampling, search }
    }

    /// That of a load which ends after so many operations: the time that all of them took is a
    /// figure of its own. What was cut off has none.
    pub(crate) fn of_work(measured: Measured, operations: u64) -> Self {
        let (totals, ended) = (measured.load.measure, measured.load.ended());
        let mut done = Self::of_load(measured, None);
        if ended >= operations {
            done.outcome.figures.push(Figure::measured(
                Metric::Elapsed,
                totals.elapsed.as_secs_f64(),
                CLOCK_RESOLUTION,
            ));
        }
        done
    }
}

/// To how much of a second the engine's clock is read.
const CLOCK_RESOLUTION: f64 = 1e-9;
