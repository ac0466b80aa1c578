use super::{Volumes, processors};
use crate::failure::{no_ring, storage_failure};
use crate::measure::{measured_phase, seconds_from};
use crate::{Measured, Order};
use engine::storage::{Method, StorageLoad, run};
use engine::{LoadError, Progress, Stop, available_workers};
use model::{CounterReading, Failure, FailureKind, Interval, IoMethod, Sampling, Storage};
use sample::{OpenAccount, Sampler, SamplerOptions};
use std::time::{Duration, Instant};

/// How long to wait for what is under way after the last read or write began.
const DRAIN_LIMIT: Duration = Duration::from_secs(30);

/// Runs one load on volumes with sampling beside it, which must have been filled for it.
///
/// # Errors
/// As [`crate::measure`].
pub(crate) fn measure(
    volumes: &Volumes,
    storage: &Storage,
    order: &Order<'_>,
    stop: &Stop,
    on_interval: &mut dyn FnMut(&Interval),
) -> Result<Option<Measured>, Failure> {
    let held = processors::hold(storage)?;
    let all_in_flight = storage.vms.saturating_mul(order.clients);
    let load = StorageLoad {
        storage: storage.clone(),
        files: volumes.files_of(storage),
        in_flight: order.clients,
        schedule: order.schedule,
        open: order.open.clone(),
        policy: order.policy.clone(),
        drain_limit: DRAIN_LIMIT,
        seed: order.seed,
        workers: order
            .workers
            .unwrap_or_else(|| processors::workers(storage, available_workers(all_in_flight))),
        method: order.io.map(method),
        sealed: volumes.is_sealed_for(storage),
        processors: held,
    };
    let account = OpenAccount::open(None);
    let before = (Instant::now(), volumes.counters());
    let mut started = None;
    let mut sampler = None;
    let outcome = run(&load, stop, &mut |progress| match progress {
        Progress::Started(origin) => {
            started = Some(origin);
            sampler = Some(Sampler::start(SamplerOptions {
                every: order.sample_every,
                origin,
                measured: measured_phase(&order.schedule),
                server_pid: None,
                companions: Vec::new(),
                counters: None,
                on_sample: None,
            }));
        }
        Progress::Interval(interval, _) => on_interval(interval),
    });
    let after = (Instant::now(), volumes.counters());
    let account = account.close();
    let samples = sampler.map(Sampler::stop).unwrap_or_default();
    let load = match outcome {
        Ok(load) => load,
        Err(LoadError::Stopped) => return Ok(None),
        Err(LoadError::Storage(error)) => return Err(storage_failure(&error)),
        Err(error @ LoadError::NoRing(_)) => return Err(no_ring(&error)),
        Err(error) => {
            return Err(Failure::new(
                FailureKind::Other,
                format!("this machine refused what the load needs: {error}"),
                "check the limits on open files (ulimit -n) and memory",
            ));
        }
    };
    let origin = started.unwrap_or(before.0);
    let reading = |(at, counters): (Instant, Option<_>)| {
        let at_seconds = seconds_from(origin, at);
        counters.map(|counters| CounterReading { at_seconds, counters })
    };
    let (before, after) = (reading(before), reading(after));
    let volume = order.volume.clone();
    let sampling = Sampling { samples, before, after, account, volume, triggered: None };
    Ok(Some(Measured { load, sampling }))
}

fn method(io: IoMethod) -> Method {
    match io {
        IoMethod::IoUring => Method::Ring,
        IoMethod::Epoll | IoMethod::Threads => Method::Threads,
    }
}
