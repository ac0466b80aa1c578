use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many more operations may begin in the measured phase, over all workers.
#[derive(Clone, Debug)]
pub(crate) struct Quota(Option<Arc<AtomicU64>>);

impl Quota {
    /// So many, or any number.
    pub(crate) fn new(events: Option<u64>) -> Self {
        Self(events.map(|events| Arc::new(AtomicU64::new(events))))
    }

    /// Takes one; false when none is left.
    #[inline]
    pub(crate) fn take(&self) -> bool {
        let Some(left) = &self.0 else { return true };
        left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1)).is_ok()
    }

    /// Leaves none.
    pub(crate) fn close(&self) {
        if let Some(left) = &self.0 {
            left.store(0, Ordering::Relaxed);
        }
    }

    pub(crate) fn is_used_up(&self) -> bool {
        self.0.as_ref().is_some_and(|left| left.load(Ordering::Relaxed) == 0)
    }
}
