use crate::Nanos;
use crate::storage::transport::{Kind, Request};

/// What a slot is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Idle,
    /// A read or write is under way.
    Busy,
    /// Its write is done, and is to be synced when the others of its virtual machine are.
    ToSync,
    /// A sync is under way.
    Syncing,
}

/// Room for one read or write under way.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) vm: u32,
    /// What it asks for.
    pub(super) source: u32,
    pub(super) kind: Kind,
    pub(super) state: State,
    pub(super) bytes: u32,
    /// In the data of its virtual machine.
    pub(super) offset: u64,
    pub(super) due: Nanos,
    pub(super) began: Nanos,
    /// When its sync was asked for.
    pub(super) synced_from: Nanos,
    /// When its last operation ended.
    pub(super) ended: Nanos,
    /// When it could have begun the next.
    pub(super) free_from: Nanos,
    /// Whether a write to the same place was under way at the same time; only with verification.
    pub(super) disturbed: bool,
}

impl Slot {
    pub(super) fn new(vm: u32, source: u32) -> Self {
        let never = Nanos(0);
        Self {
            vm,
            source,
            kind: Kind::Read,
            state: State::Idle,
            bytes: 0,
            offset: 0,
            due: never,
            began: never,
            synced_from: never,
            ended: never,
            free_from: never,
            disturbed: false,
        }
    }

    /// What is asked of the storage, whose data of this virtual machine begins there.
    #[inline]
    pub(super) fn request(&self, id: u32, from: u64) -> Request {
        let kind = if self.state == State::Syncing { Kind::Sync } else { self.kind };
        let (file, bytes) = (self.vm, self.bytes);
        Request { slot: id, file, kind, offset: from + self.offset, bytes }
    }

    /// Whether it and another are at the same place, and one of them writes.
    pub(super) fn clashes_with(&self, other: &Self) -> bool {
        let writes = self.kind == Kind::Write || other.kind == Kind::Write;
        writes
            && self.offset < other.offset + u64::from(other.bytes)
            && other.offset < self.offset + u64::from(self.bytes)
    }
}
