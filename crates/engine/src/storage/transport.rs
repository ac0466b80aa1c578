use crate::Nanos;
use model::{Effect, RequestKind};
use std::io;
use std::time::Duration;

/// What storage is asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Read,
    Write,
    Sync,
}

impl Kind {
    /// Their names in results, in the order of the kinds.
    pub(super) const NAMES: &'static [&'static str] = &["read", "write", "sync"];
    /// What they count as, in the same order. The kernel counts what reached a device, which may
    /// have merged or split what was asked for.
    pub(super) const KINDS: [RequestKind; 3] = [
        RequestKind::uncounted("read", Effect::Read),
        RequestKind::uncounted("write", Effect::Write),
        RequestKind::uncounted("sync", Effect::Control),
    ];
}

/// One thing to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Request {
    /// Whose buffer it takes. One request of a slot is under way at a time.
    pub(super) slot: u32,
    /// The number of the file among those of the transport.
    pub(super) file: u32,
    pub(super) kind: Kind,
    /// From the beginning of the file, in bytes.
    pub(super) offset: u64,
    pub(super) bytes: u32,
}

/// One thing that is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Done {
    pub(super) slot: u32,
    /// Bytes, or an error number of the operating system below 0.
    pub(super) result: i32,
    /// When it was begun, where that was later than when it was asked for.
    pub(super) began: Option<Nanos>,
    /// When it was noticed to be done.
    pub(super) ended: Nanos,
}

/// Carries out reads, writes and syncs of one thread, many at once.
pub(super) trait Transport {
    /// Takes a request, whose buffer ([`Self::buffer`]) is in place.
    fn push(&mut self, request: &Request) -> io::Result<()>;

    /// Hands over what was pushed.
    fn submit(&mut self) -> io::Result<()>;

    /// Hands over what was pushed and waits until something is done, or so long. Returns when the
    /// wait ended.
    fn wait(&mut self, timeout: Duration) -> io::Result<Nanos>;

    /// One request that was found done by the last wait.
    fn take(&mut self) -> Option<Done>;

    /// The buffer of a slot for reads or for writes; empty while a request of it is under way.
    fn buffer(&mut self, slot: u32, kind: Kind, bytes: u32) -> &mut [u8];
}
