use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Asks work under way to end early. Clones ask the same work.
///
/// Whatever waits for longer than a moment takes one, looks at it several times a second, and
/// returns [`crate::Failure::stopped`] or its own way to say so.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks.
    pub fn request(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether somebody asked.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}
