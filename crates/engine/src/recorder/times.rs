use crate::Nanos;
use std::time::Duration;

/// When an operation was due, when it was begun, and when its last byte was there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Times {
    pub(crate) due: Nanos,
    pub(crate) began: Nanos,
    pub(crate) ended: Nanos,
    /// How long its client paused in it, in nanoseconds: no part of how long it took.
    pub(crate) thought: u64,
}

impl Times {
    /// Of an operation without a pause.
    #[inline]
    pub(crate) fn new(due: Nanos, began: Nanos, ended: Nanos) -> Self {
        Self { due, began, ended, thought: 0 }
    }

    /// From when it was due.
    #[inline]
    pub(crate) fn response(&self) -> Duration {
        Duration::from_nanos(self.response_nanos())
    }

    #[inline]
    pub(super) fn response_nanos(&self) -> u64 {
        self.ended.0.saturating_sub(self.due.0).saturating_sub(self.thought)
    }

    /// From when it began.
    #[inline]
    pub(super) fn service_nanos(&self) -> u64 {
        self.ended.0.saturating_sub(self.began.0).saturating_sub(self.thought)
    }
}
