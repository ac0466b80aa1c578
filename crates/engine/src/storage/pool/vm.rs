use super::ledger::UnitLedger;
use crate::Nanos;
use crate::storage::VmSpec;
use model::IoAccount;
use std::collections::VecDeque;
use std::time::Duration;

/// How far a virtual machine may fall behind its limit and catch up: as long as it takes to notice
/// that it may go on.
const CATCH_UP: Duration = Duration::from_millis(10);

/// One virtual machine: its account, and what keeps it from going on.
#[derive(Debug)]
pub(super) struct Vm {
    pub(super) spec: VmSpec,
    /// Of the measured phase.
    pub(super) reads: IoAccount,
    pub(super) writes: IoAccount,
    /// Slots with nothing to do, longest idle first.
    pub(super) idle: VecDeque<u32>,
    /// Open loop: what is due and waits for a slot.
    pub(super) waiting: VecDeque<Nanos>,
    pub(super) syncs: Syncs,
    pub(super) limit: Option<Limit>,
    /// Whether it is in the list of those that wait for a moment.
    pub(super) has_timer: bool,
    /// With verification.
    pub(super) known: Option<UnitLedger>,
}

/// When a virtual machine's writes are followed by a sync.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Syncs {
    /// After every so many writes; 0 for never.
    pub(super) every: u32,
    /// Writes since the last one.
    pub(super) since: u32,
    pub(super) writes_under_way: u32,
    /// The slot whose write is to be followed by a sync: until that is done nothing begins.
    pub(super) by: Option<u32>,
}

impl Syncs {
    /// A write of that slot begins.
    pub(super) fn writes(&mut self, slot: u32) {
        self.writes_under_way += 1;
        self.since += 1;
        if self.since == self.every {
            self.since = 0;
            self.by = Some(slot);
        }
    }
}

/// Reads and writes a second that a virtual machine may begin, evenly spread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    gap: Duration,
    /// When the next one may begin.
    pub(super) from: Nanos,
}

impl Limit {
    pub(super) fn new(per_second: u32) -> Self {
        Self { gap: Duration::from_secs(1) / per_second.max(1), from: Nanos(0) }
    }

    /// One begins.
    pub(super) fn begins(&mut self, now: Nanos) {
        let earliest = Nanos(now.0.saturating_sub(CATCH_UP.as_nanos() as u64));
        self.from = self.from.max(earliest).plus(self.gap);
    }
}
