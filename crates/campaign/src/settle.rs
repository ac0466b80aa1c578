//! Runs a load before it is measured, until its target puts off no more and no less than before.

use crate::debts::Debts;
use crate::measure::measure_beside;
use crate::{LoadProgress, Measured, Measurement, OnSample};
use engine::{Limit, Schedule, Stop};
use model::{Failure, Interval, Phase, Settled};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use system::TargetHandle;

/// Sets the random streams of a load that settles apart from those of the one that is measured: rows that
/// it has just read are in the caches.
const SEED: u64 = 0x5e77_1e5e_77ed;

/// Runs one load with sampling beside it, on a target that is ready for it; before that, where the measurement
/// asks for it, the same load unmeasured until the debts of the target are level.
///
/// # Errors
/// When a load did not run to its end; [`Failure::stopped`].
pub fn measure(
    target: &mut dyn TargetHandle,
    measurement: &Measurement<'_>,
    stop: &Stop,
    on_progress: &mut dyn FnMut(LoadProgress<'_>),
) -> Result<Measured, Failure> {
    let settled = match measurement.steady_within {
        Some(at_most) => Some(settle(target, measurement, at_most, stop, on_progress)?),
        None => None,
    };
    let mut measured = measure_beside(target, measurement, None, stop, on_progress)?;
    measured.load.settled = settled;
    Ok(measured)
}

fn settle(
    target: &mut dyn TargetHandle,
    measurement: &Measurement<'_>,
    at_most: Duration,
    stop: &Stop,
    on_progress: &mut dyn FnMut(LoadProgress<'_>),
) -> Result<Settled, Failure> {
    let debts = Arc::new(Mutex::new(Debts::over(measured_for(&measurement.load.schedule))));
    let before = settling(measurement, at_most, &debts);
    let measured = measure_beside(target, &before, None, stop, &mut |progress| match progress {
        LoadProgress::Interval(interval) => {
            let warms_up = Interval { phase: Phase::Warmup, ..interval.clone() };
            on_progress(LoadProgress::Interval(&warms_up));
        }
        waiting @ LoadProgress::Waiting(_) => on_progress(waiting),
    })?;
    let debts = debts.lock().unwrap_or_else(PoisonError::into_inner).changes();
    Ok(Settled { took: measured.load.measure.elapsed, at_most, debts })
}

/// The load that settles: as ordered, until the debts are level, or nothing is told of any.
fn settling<'a>(
    measurement: &Measurement<'a>,
    at_most: Duration,
    debts: &Arc<Mutex<Debts>>,
) -> Measurement<'a> {
    let mut before = measurement.clone();
    before.steady_within = None;
    before.interventions = &[];
    before.load.by_statement = false;
    before.load.enough = Stop::default();
    before.load.seed ^= SEED;
    if let Some(open) = &mut before.load.open {
        open.seed ^= SEED;
    }
    before.load.schedule = Schedule {
        warmup: Duration::ZERO,
        limit: Limit::LastReply { duration: Some(at_most), events: Some(u64::MAX) },
        turns: None,
    };
    let (shown, enough, debts) =
        (measurement.on_sample.clone(), before.load.enough.clone(), Arc::clone(debts));
    before.on_sample = Some(OnSample(Arc::new(move |sample| {
        if let Some(OnSample(show)) = &shown {
            show(sample);
        }
        let mut debts = debts.lock().unwrap_or_else(PoisonError::into_inner);
        debts.take(sample.at_seconds, sample.counters.as_ref());
        if debts.are_level() || debts.are_untold() {
            enough.request();
        }
    })));
    before
}

/// How long a load is measured.
fn measured_for(schedule: &Schedule) -> Duration {
    match schedule.limit {
        Limit::Window(length) => length,
        Limit::LastReply { duration, .. } => duration.unwrap_or_default(),
    }
}
