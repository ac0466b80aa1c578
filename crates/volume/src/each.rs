//! Work on the volumes of several machines: on all machines at once, on each volume by volume.

use engine::Stop;
use host::{HeldVolume, Looking};
use model::Failure;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// How often it is told how far all are.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// How long the work on one volume may go on, and who is told how far it is.
pub(super) struct At<'a> {
    pub(super) stop: &'a Stop,
    pub(super) progress: &'a mut dyn FnMut(u64, u64),
}

impl<'a> At<'a> {
    pub(super) fn looking(self) -> Looking<'a> {
        Looking { stop: self.stop, progress: self.progress }
    }
}

/// Does something to each of these volumes, which are dealt to so many machines in turns; what came of
/// each, in their request. `told` gets bytes done and bytes to do of all together.
///
/// # Errors
/// That of the first that failed: the others are stopped then. [`Failure::stopped`].
pub(super) fn on_each<T: Send>(
    volumes: &mut [Box<dyn HeldVolume>],
    machines: usize,
    stop: &Stop,
    told: &mut dyn FnMut(u64, u64),
    act: impl Fn(usize, &mut dyn HeldVolume, At<'_>) -> Result<T, Failure> + Sync,
) -> Result<Vec<T>, Failure> {
    let machines = machines.max(1);
    let mut by_machine: Vec<Vec<(usize, &mut Box<dyn HeldVolume>)>> = Vec::new();
    by_machine.resize_with(machines, Vec::new);
    let mut done: Vec<Option<T>> = Vec::new();
    for (number, volume) in volumes.iter_mut().enumerate() {
        by_machine[number % machines].push((number, volume));
        done.push(None);
    }
    let amounts: Vec<(AtomicU64, AtomicU64)> = done.iter().map(|_| Default::default()).collect();
    let (stop, mut failed) = (stop.of_part(), None::<Failure>);
    thread::scope(|scope| {
        let (ended, ends) = channel();
        for own in by_machine {
            let (ended, stop, act, amounts) = (ended.clone(), &stop, &act, &amounts);
            scope.spawn(move || {
                for (number, volume) in own {
                    let (so_far, all) = &amounts[number];
                    let progress = &mut |done, of| {
                        so_far.store(done, Ordering::Relaxed);
                        all.store(of, Ordering::Relaxed);
                    };
                    let came = act(number, volume.as_mut(), At { stop, progress });
                    let goes_on = came.is_ok();
                    if ended.send((number, came)).is_err() || !goes_on {
                        return;
                    }
                }
            });
        }
        drop(ended);
        loop {
            match ends.recv_timeout(PROGRESS_INTERVAL) {
                Ok((number, Ok(came))) => done[number] = Some(came),
                Ok((_, Err(failure))) => {
                    // What it stops says so itself.
                    if failed.is_none() {
                        failed = Some(failure);
                    }
                    stop.request();
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            let sum = |of: fn(&(AtomicU64, AtomicU64)) -> &AtomicU64| {
                amounts.iter().map(|amount| of(amount).load(Ordering::Relaxed)).sum()
            };
            told(sum(|amount| &amount.0), sum(|amount| &amount.1));
        }
    });
    match failed {
        Some(failure) => Err(failure),
        None => done.into_iter().map(|came| came.ok_or_else(Failure::stopped)).collect(),
    }
}
