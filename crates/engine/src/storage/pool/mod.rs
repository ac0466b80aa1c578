//! The virtual machines of one worker: what each does next, and the account of what it did.

mod done;
mod fault;
mod ledger;
mod offered;
mod slot;
#[cfg(test)]
mod tests;
mod vm;

use self::ledger::UnitLedger;
use self::offered::Offered;
use self::slot::{Slot, State};
use self::vm::{Limit, Syncs, Vm};
use super::VmSpec;
use super::account::{FleetPart, VmDone};
use super::transport::{Kind, Request};
use crate::pool::{Quota, Rules};
use crate::recorder::{Ended, Recorded, Recorder, Times};
use crate::{ErrorPolicy, Nanos, Schedule};
use model::{IoAccount, Latencies, Storage, Verified};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::time::Duration;
use workload::storage::{IoSource, number, unit};

/// What the virtual machines of one worker do.
pub(super) struct Assignment<'a> {
    pub(super) storage: &'a Storage,
    pub(super) vms: Vec<VmSpec>,
    /// Slots of each.
    pub(super) queue_depth: u32,
    pub(super) seed: u64,
    /// The load, as blocks that it verifies carry it; not 0.
    pub(super) load: u64,
    /// Whether every unit of every file was checksummed before.
    pub(super) checksummed: bool,
}

/// The virtual machines of one worker and the account of what they do.
///
/// Sees moments and results, no ring and no clock, so that every behaviour can be tested in
/// simulated time.
pub(super) struct Pool {
    slots: Vec<Slot>,
    vms: Vec<Vm>,
    sources: Vec<IoSource>,
    queue_depth: u32,
    /// Whether nothing but the end keeps a free slot from going on.
    plain: bool,
    schedule: Schedule,
    policy: ErrorPolicy,
    quota: Quota,
    offered: Option<Offered>,
    /// Virtual machines that may go on at a moment.
    timers: BinaryHeap<Reverse<(Nanos, u32)>>,
    under_way: usize,
    /// Device errors since the last success, and when the first of them was.
    streak: (u32, Nanos),
    held: Duration,
    /// The next number for blocks that are written without verification.
    numbers: u64,
    start: Nanos,
    measure_from: Nanos,
    last_begin: Nanos,
    window_end: Nanos,
    recorder: Option<Recorder>,
}

impl Pool {
    pub(super) fn new(assignment: Assignment<'_>, rules: Rules) -> Self {
        let Assignment { storage, vms, queue_depth, seed, load, checksummed } = assignment;
        let queue_depth = queue_depth.max(1);
        let threads = storage.threads.clamp(1, queue_depth);
        let source = |vm: &VmSpec, thread| IoSource::new(storage, seed, vm.number, thread);
        let sources = vms.iter().flat_map(|vm| (0..threads).map(move |thread| source(vm, thread)));
        let slots = (0..vms.len() as u32).flat_map(|vm| {
            (0..queue_depth).map(move |place| Slot::new(vm, vm * threads + place % threads))
        });
        let vm = |spec: &VmSpec| Vm {
            reads: IoAccount::default(),
            writes: IoAccount::default(),
            idle: VecDeque::new(),
            waiting: VecDeque::new(),
            syncs: Syncs { every: storage.sync_every.unwrap_or(0), ..Syncs::default() },
            limit: storage.iops_limit.map(Limit::new),
            has_timer: false,
            known: storage.verify.then(|| {
                UnitLedger::new(spec.number, load, unit(storage), checksummed, storage.bytes_per_vm)
            }),
            spec: spec.clone(),
        };
        let vms_of_pool = vms.len();
        Self {
            slots: slots.collect(),
            sources: sources.collect(),
            vms: vms.iter().map(vm).collect(),
            queue_depth,
            plain: storage.sync_every.is_none()
                && storage.iops_limit.is_none()
                && rules.arrivals.is_none(),
            schedule: rules.schedule,
            policy: rules.policy,
            quota: rules.quota,
            offered: rules
                .arrivals
                .map(|(arrivals, most)| Offered::new(arrivals, most, vms_of_pool, seed)),
            timers: BinaryHeap::new(),
            under_way: 0,
            streak: (0, Nanos(0)),
            held: Duration::ZERO,
            numbers: load,
            start: Nanos(0),
            measure_from: Nanos::NEVER,
            last_begin: Nanos::NEVER,
            window_end: Nanos::NEVER,
            recorder: None,
        }
    }

    /// The load begins at that moment. Appends what is to be asked for.
    pub(super) fn start(&mut self, at: Nanos, now: Nanos, out: &mut Vec<Request>) {
        self.start = at;
        self.measure_from = self.schedule.measure_from(at);
        self.last_begin = self.schedule.last_begin(at);
        self.window_end = self.schedule.window_end(at);
        let open_loop = self.offered.is_some();
        self.recorder = Some(Recorder::open(self.schedule, at, open_loop, Kind::NAMES.len()));
        // Slot by slot over all virtual machines: none of them gets a start over the others.
        for place in 0..self.queue_depth {
            for vm in 0..self.vms.len() as u32 {
                self.free(vm * self.queue_depth + place, now, now, out);
            }
        }
    }

    /// Whether the content of what is read is to be shown to [`Self::completed`].
    pub(super) fn verifies(&self) -> bool {
        self.vms.first().is_some_and(|vm| vm.known.is_some())
    }

    /// Puts what a request is to write into its buffer.
    pub(super) fn fill(&mut self, request: &Request, buffer: &mut [u8]) {
        let Some(slot) = self.slots.get(request.slot as usize) else { return };
        let vm = &mut self.vms[slot.vm as usize];
        match &mut vm.known {
            Some(known) => known.write_header(slot.offset, buffer),
            None => self.numbers = number(buffer, vm.spec.number, self.numbers),
        }
    }

    /// How many reads and writes can be under way.
    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    /// A slot has nothing to do: it goes on with what there is. Its last operation ended then.
    #[inline]
    fn free(&mut self, id: u32, ended: Nanos, now: Nanos, out: &mut Vec<Request>) {
        let slot = &mut self.slots[id as usize];
        slot.state = State::Idle;
        (slot.ended, slot.free_from) = (ended, now);
        if self.plain {
            if self.takes_one(now) {
                self.begin(id, now, now, out);
            }
        } else {
            let vm = slot.vm;
            self.vms[vm as usize].idle.push_back(id);
            self.go_on(vm, now, out);
        }
    }

    /// Recorded loop: whether another operation may begin.
    #[inline]
    fn takes_one(&mut self, now: Nanos) -> bool {
        let may = now < self.last_begin && (now < self.measure_from || self.quota.take());
        if may && let Some(recorder) = &mut self.recorder {
            recorder.ledger.scheduled += 1;
        }
        may
    }

    /// Lets a virtual machine begin what it may.
    fn go_on(&mut self, number: u32, now: Nanos, out: &mut Vec<Request>) {
        loop {
            let vm = &mut self.vms[number as usize];
            let (Some(&id), None) = (vm.idle.front(), vm.syncs.by) else { return };
            if self.offered.is_some() && vm.waiting.is_empty() {
                return;
            }
            if let Some(limit) = vm.limit.filter(|limit| limit.from > now) {
                if !vm.has_timer {
                    vm.has_timer = true;
                    self.timers.push(Reverse((limit.from, number)));
                }
                return;
            }
            let due = if let Some(offered) = &mut self.offered {
                offered.waiting -= 1;
                vm.waiting.pop_front().unwrap_or(now)
            } else if self.takes_one(now) {
                now
            } else {
                return;
            };
            let vm = &mut self.vms[number as usize];
            vm.idle.pop_front();
            if let Some(limit) = &mut vm.limit {
                limit.begins(now);
            }
            self.begin(id, due, now, out);
        }
    }

    /// A slot begins its next operation.
    #[inline]
    fn begin(&mut self, id: u32, due: Nanos, now: Nanos, out: &mut Vec<Request>) {
        let slot = &mut self.slots[id as usize];
        let io = self.sources[slot.source as usize].next_io();
        slot.kind = if io.write { Kind::Write } else { Kind::Read };
        (slot.offset, slot.bytes) = (io.offset, io.bytes);
        (slot.due, slot.began) = (due, now);
        slot.state = State::Busy;
        slot.disturbed = false;
        let (free_from, client_delay) = (slot.free_from, slot.free_from.since(slot.ended));
        let vm = &mut self.vms[slot.vm as usize];
        if io.write && vm.syncs.every > 0 {
            vm.syncs.writes(id);
        }
        out.push(slot.request(id, vm.spec.offset));
        self.under_way += 1;
        if self.offered.is_none() {
            if let Some(recorder) = &mut self.recorder {
                recorder.delayed_by_client(client_delay);
            }
            self.held += self.in_window(free_from, now);
        }
        if self.vms[self.slots[id as usize].vm as usize].known.is_some() {
            self.disturb(id);
        }
    }

    /// The part of a time that is in the measured phase while operations may begin.
    #[inline]
    fn in_window(&self, from: Nanos, until: Nanos) -> Duration {
        if from == until {
            return Duration::ZERO;
        }
        until.min(self.last_begin).since(from.max(self.measure_from))
    }

    /// Marks what is under way at the same place at the same time as the slot, if either writes.
    fn disturb(&mut self, id: u32) {
        let first = id / self.queue_depth * self.queue_depth;
        let (this, mut disturbed) = (self.slots[id as usize].clone(), false);
        for other in first..first + self.queue_depth {
            let slot = &mut self.slots[other as usize];
            if other != id && slot.state == State::Busy && slot.clashes_with(&this) {
                slot.disturbed = true;
                disturbed = true;
            }
        }
        self.slots[id as usize].disturbed = disturbed;
    }

    /// It is now that late: closes intervals that have ended, takes in what is due, and lets
    /// virtual machines go on whose limit permits it.
    pub(super) fn tick(&mut self, now: Nanos, out: &mut Vec<Request>) {
        let Some(recorder) = &mut self.recorder else { return };
        recorder.advance(now);
        while let Some(&Reverse((at, number))) = self.timers.peek()
            && at <= now
        {
            self.timers.pop();
            self.vms[number as usize].has_timer = false;
            self.go_on(number, now, out);
        }
        while let Some((due, number)) = self.next_offered(now) {
            self.vms[number as usize].waiting.push_back(due);
            self.go_on(number, now, out);
            let (Some(offered), Some(recorder)) = (&mut self.offered, &mut self.recorder) else {
                return;
            };
            if offered.is_full() {
                self.vms[number as usize].waiting.pop_back();
                offered.waiting -= 1;
                recorder.ledger.dropped += 1;
            }
            recorder.due(due, offered.waiting);
        }
    }

    /// What has come due by now, and whose it is.
    fn next_offered(&mut self, now: Nanos) -> Option<(Nanos, u32)> {
        let due = self.next_due()?;
        if due > now || !self.offered.as_mut()?.may_take(now) {
            return None;
        }
        if due >= self.measure_from && !self.quota.take() {
            return None;
        }
        Some((due, self.offered.as_mut()?.take()))
    }

    /// Open loop: when the next operation is due; `None` when nothing more will be.
    fn next_due(&self) -> Option<Nanos> {
        let due = self.offered.as_ref()?.next(self.start);
        (due < self.last_begin && !self.quota.is_used_up()).then_some(due)
    }

    /// When something is to be done next, whatever the storage does.
    pub(super) fn next_moment(&self, now: Nanos) -> Nanos {
        let timer = self.timers.peek().map_or(Nanos::NEVER, |Reverse((at, _))| *at);
        // The end is met exactly too: nothing may begin after it.
        let end = Some(self.last_begin).filter(|end| *end > now).unwrap_or(Nanos::NEVER);
        timer.min(self.next_due().unwrap_or(Nanos::NEVER)).min(end)
    }

    /// Whether nothing is or will be under way.
    pub(super) fn is_finished(&self, now: Nanos) -> bool {
        let over = now >= self.last_begin || self.quota.is_used_up();
        let waiting = self.offered.as_ref().is_some_and(|offered| offered.waiting > 0);
        let pending = self.next_due().is_some_and(|due| due <= now);
        self.recorder.is_some() && self.under_way == 0 && over && !waiting && !pending
    }

    /// The moment from which no operation begins.
    pub(super) fn last_begin(&self) -> Nanos {
        self.last_begin
    }

    /// Gives up on everything under way or waiting.
    pub(super) fn give_up(&mut self, now: Nanos) {
        let Some(recorder) = &mut self.recorder else { return };
        recorder.advance(now);
        for slot in self.slots.iter_mut().filter(|slot| slot.state != State::Idle) {
            let Slot { due, began, synced_from, .. } = *slot;
            recorder.timed_out(Times::new(due, began, now));
            let vm = &mut self.vms[slot.vm as usize];
            match (slot.state, slot.kind) {
                (State::Syncing, _) => {
                    recorder.never_answered(Kind::Sync as usize, now.since(synced_from));
                }
                // Its write is done, and waits for those of others.
                (State::ToSync, _) => {}
                (_, Kind::Read) => vm.reads.latencies.record(now.since(began)),
                (_, _) => vm.writes.latencies.record(now.since(began)),
            }
            slot.state = State::Idle;
        }
        self.under_way = 0;
        if let Some(offered) = &mut self.offered {
            offered.waiting = 0;
            for vm in &mut self.vms {
                vm.waiting.drain(..).for_each(|due| recorder.never_began(due, now));
            }
        }
    }

    /// Intervals closed since the last call.
    pub(super) fn take_intervals(&mut self) -> Vec<Ended> {
        self.recorder.as_mut().map(Recorder::take_closed).unwrap_or_default()
    }

    /// The finished account; `None` for a load that never began.
    pub(super) fn close(mut self, now: Nanos) -> Option<(Recorded, FleetPart)> {
        if self.offered.is_none() && !self.plain {
            // Slots that a limit still held when the phase ended.
            let held = self.vms.iter().flat_map(|vm| &vm.idle);
            let held: Duration =
                held.map(|&id| self.in_window(self.slots[id as usize].free_from, now)).sum();
            self.held += held;
        }
        let mut recorder = self.recorder?.close(now);
        let mut both = [Latencies::new(), Latencies::new()];
        let mut verified = None;
        for vm in &self.vms {
            both[0].merge(&vm.reads.latencies);
            both[1].merge(&vm.writes.latencies);
            if let Some(known) = &vm.known {
                *verified.get_or_insert_with(Verified::default) += known.verified;
            }
        }
        let syncs = std::mem::take(&mut recorder.by_request[Kind::Sync as usize]);
        let [reads, writes] = both;
        recorder.by_request = Box::new([reads.into(), writes.into(), syncs]);
        let of_vm = |vm: Vm| VmDone {
            number: vm.spec.number,
            volume: vm.spec.volume,
            reads: vm.reads,
            writes: vm.writes,
        };
        let vms = self.vms.into_iter().map(of_vm).collect();
        let (queue_depth, held) = (self.queue_depth, self.held);
        Some((recorder, FleetPart { queue_depth, vms, held, verified, processors: None }))
    }
}
