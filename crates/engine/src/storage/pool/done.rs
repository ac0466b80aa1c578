//! What follows from a request that is done, or failed.

use super::slot::State;
use super::{Pool, fault};
use crate::recorder::Times;
use crate::storage::StorageError;
use crate::storage::transport::{Done, Kind, Request};
use crate::{Action, Nanos, OperationError};
use model::ErrorClass;

/// So many device errors without a success in between are an outage; fewer are errors that happen.
const OUTAGE: u32 = 32;

impl Pool {
    /// A request is done; `content` is what was read, where that is verified. It is now `now`.
    ///
    /// # Errors
    /// When it failed in a way that ends the load.
    #[inline]
    pub(in crate::storage) fn completed(
        &mut self,
        done: Done,
        content: &[u8],
        now: Nanos,
        out: &mut Vec<Request>,
    ) -> Result<(), StorageError> {
        let id = done.slot;
        let Some(recorder) = &mut self.recorder else { return Ok(()) };
        recorder.advance(done.ended);
        let slot = &mut self.slots[id as usize];
        if slot.state == State::Syncing {
            return self.synced(done, now, out);
        }
        if let Some(began) = done.began {
            // It waited for one of our own threads: no part of what the storage took.
            recorder.delayed_by_client(began.since(slot.began));
            slot.began = began;
        }
        let vm = &mut self.vms[slot.vm as usize];
        if done.result != slot.bytes as i32 {
            let error = fault::operation_error(done.result, slot, &vm.spec);
            return self.failed(id, error, done.ended, now, out);
        }
        if let Some(known) = &mut vm.known {
            match (slot.kind, slot.disturbed) {
                (Kind::Read, false) => {
                    if let Err(what) = known.check(slot.offset, content) {
                        let error = fault::corruption(&what, &vm.spec);
                        return self.failed(id, error, done.ended, now, out);
                    }
                }
                (Kind::Read, true) => known.skip(slot.bytes),
                (_, false) => known.written(slot.offset, slot.bytes),
                (_, true) => {}
            }
        }
        let measured = done.ended >= self.measure_from && done.ended < self.window_end;
        let bytes = u64::from(slot.bytes);
        let tally = &mut recorder.tally;
        let account = if slot.kind == Kind::Read {
            tally.kinds[Kind::Read as usize] += 1;
            tally.moved.read += bytes;
            &mut vm.reads
        } else {
            tally.kinds[Kind::Write as usize] += 1;
            tally.moved.written += bytes;
            &mut vm.writes
        };
        if measured {
            account.bytes += bytes;
            account.latencies.record_nanos(done.ended.0.saturating_sub(slot.began.0));
        }
        if vm.syncs.every > 0 && slot.kind == Kind::Write {
            vm.syncs.writes_under_way -= 1;
            let is_to_sync = vm.syncs.by == Some(id);
            let number = slot.vm;
            if is_to_sync {
                slot.state = State::ToSync;
            }
            self.sync_if_due(number, now, out);
            if is_to_sync {
                return Ok(());
            }
        }
        self.succeeded(id, done.ended, now, out);
        Ok(())
    }

    /// An operation is wholly done.
    #[inline]
    fn succeeded(&mut self, id: u32, ended: Nanos, now: Nanos, out: &mut Vec<Request>) {
        let slot = &self.slots[id as usize];
        if let Some(recorder) = &mut self.recorder {
            recorder.succeeded(Times::new(slot.due, slot.began, ended));
        }
        self.streak.0 = 0;
        self.under_way -= 1;
        self.free(id, ended, now, out);
    }

    /// Begins the sync that all writes of a virtual machine were waited for with.
    fn sync_if_due(&mut self, number: u32, now: Nanos, out: &mut Vec<Request>) {
        let vm = &self.vms[number as usize];
        let Some(id) = vm.syncs.by.filter(|_| vm.syncs.writes_under_way == 0) else { return };
        let slot = &mut self.slots[id as usize];
        if slot.state == State::ToSync {
            slot.state = State::Syncing;
            slot.synced_from = now;
            out.push(slot.request(id, vm.spec.offset));
        }
    }

    /// A sync is done, and with it the write that it followed.
    fn synced(
        &mut self,
        done: Done,
        now: Nanos,
        out: &mut Vec<Request>,
    ) -> Result<(), StorageError> {
        let (id, ended) = (done.slot, done.ended);
        let slot = &self.slots[id as usize];
        let (number, from) = (slot.vm, done.began.unwrap_or(slot.synced_from));
        let vm = &mut self.vms[number as usize];
        if done.result < 0 {
            let error = fault::operation_error(done.result, slot, &vm.spec);
            return self.failed(id, error, ended, now, out);
        }
        vm.syncs.by = None;
        if let Some(recorder) = &mut self.recorder {
            recorder.tally.kinds[Kind::Sync as usize] += 1;
            recorder.answered(Kind::Sync as usize, ended.since(from), 0);
        }
        self.succeeded(id, ended, now, out);
        self.go_on(number, now, out);
        Ok(())
    }

    /// Something went wrong: does what the policy says.
    #[cold]
    fn failed(
        &mut self,
        id: u32,
        error: OperationError,
        ended: Nanos,
        now: Nanos,
        out: &mut Vec<Request>,
    ) -> Result<(), StorageError> {
        let Some(recorder) = &mut self.recorder else { return Ok(()) };
        let action = self.policy.action(error.class, &error.code);
        if action == Action::Stop {
            return Err(StorageError::Failed(Box::new(error)));
        }
        let slot = &mut self.slots[id as usize];
        let vm = &mut self.vms[slot.vm as usize];
        if action == Action::Retry && now < self.last_begin {
            recorder.noted(error);
            slot.synced_from = now;
            out.push(slot.request(id, vm.spec.offset));
            return Ok(());
        }
        let gone = error.class == ErrorClass::Device;
        let (due, began) = (slot.due, slot.began);
        recorder.failed(Times::new(due, began, ended.max(began)), error);
        if gone {
            let (errors, from) = &mut self.streak;
            if *errors == 0 {
                *from = ended;
            }
            *errors = errors.saturating_add(1);
            match *errors {
                ..OUTAGE => {}
                OUTAGE => (0..OUTAGE).for_each(|_| recorder.lost(*from, *from, true)),
                _ => recorder.lost(ended, ended, true),
            }
        }
        self.under_way -= 1;
        if vm.syncs.by == Some(id) {
            vm.syncs.by = None;
        }
        if vm.syncs.every > 0 && slot.kind == Kind::Write && slot.state == State::Busy {
            vm.syncs.writes_under_way -= 1;
        }
        let number = slot.vm;
        self.sync_if_due(number, now, out);
        self.free(id, ended, now, out);
        if !self.plain {
            self.go_on(number, now, out);
        }
        Ok(())
    }
}
