use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Asks work under way to end early. Clones ask the same work.
///
/// Whatever waits for longer than a moment takes one, looks at it several times a second, and
/// returns [`crate::Failure::stopped`] or its own way to say so.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    own: Arc<AtomicBool>,
    /// That of the whole, of which the work is a part.
    whole: Option<Arc<Stop>>,
}

impl Stop {
    /// Asks.
    pub fn request(&self) {
        self.own.store(true, Ordering::Release);
    }

    /// One for a part of the work: it is requested with this one, or alone.
    #[must_use]
    pub fn of_part(&self) -> Self {
        Self { own: Arc::default(), whole: Some(Arc::new(self.clone())) }
    }

    /// Whether somebody asked.
    pub fn is_requested(&self) -> bool {
        self.own.load(Ordering::Acquire)
            || self.whole.as_ref().is_some_and(|whole| whole.is_requested())
    }
}
