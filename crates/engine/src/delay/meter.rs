//! What is counted of a delay while its load measures, and what tells its threads of that.

use crate::usage::thread_cpu;
use crate::{Nanos, Schedule};
use model::Phase;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Shared by the relay, what echoes through it, and the load.
#[derive(Debug)]
pub(super) struct Meter {
    schedule: Schedule,
    /// When the load begins; 0 until that is known.
    start: AtomicU64,
    measures: AtomicBool,
    over: AtomicBool,
    round_trips: AtomicU64,
    cpu: Mutex<CpuUsed>,
}

/// Processor time of the relay.
#[derive(Debug, Default)]
struct CpuUsed {
    /// What it had used when the measured phase began that goes on.
    since: Option<Duration>,
    used: Duration,
}

impl Meter {
    pub(super) fn new(schedule: Schedule) -> Self {
        Self {
            schedule,
            start: AtomicU64::new(0),
            measures: AtomicBool::new(false),
            over: AtomicBool::new(false),
            round_trips: AtomicU64::new(0),
            cpu: Mutex::default(),
        }
    }

    /// The load begins then.
    pub(super) fn start_at(&self, start: Nanos) {
        self.start.store(start.0.max(1), Ordering::Release);
    }

    pub(super) fn end(&self) {
        self.over.store(true, Ordering::Release);
    }

    pub(super) fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    /// Whether the load measures at that moment.
    pub(super) fn measures_at(&self, now: Nanos) -> bool {
        match self.start.load(Ordering::Acquire) {
            0 => false,
            start => self.schedule.phase(Nanos(start), now) == Phase::Measure,
        }
    }

    /// Called by the relay again and again, and with [`Nanos::NEVER`] when it ends.
    pub(super) fn look(&self, now: Nanos) {
        let measures = now < Nanos::NEVER && self.measures_at(now);
        if self.measures.swap(measures, Ordering::Relaxed) == measures {
            return;
        }
        let mut cpu = self.cpu.lock().unwrap_or_else(PoisonError::into_inner);
        match cpu.since.take() {
            Some(since) => cpu.used += thread_cpu().saturating_sub(since),
            None => cpu.since = Some(thread_cpu()),
        }
    }

    /// A client asks, after an answer or for the first time. Counted while the load measures.
    pub(super) fn count_round_trip(&self) {
        if self.measures.load(Ordering::Relaxed) {
            self.round_trips.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(super) fn round_trips(&self) -> u64 {
        self.round_trips.load(Ordering::Relaxed)
    }

    pub(super) fn cpu(&self) -> Duration {
        self.cpu.lock().unwrap_or_else(PoisonError::into_inner).used
    }
}
