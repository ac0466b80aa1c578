//! What documents say again and again is kept once.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::Arc;

/// A text of a document, which is no copy where it stands there as it is.
#[derive(Serialize, Deserialize)]
pub(crate) struct Text<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);

/// How many are kept.
const MOST: usize = 32;

/// What a thread has read last of what recurs from document to document, such as the names of a server's
/// counters: whoever reads the same again shares it.
pub(crate) struct Recent<T: ?Sized>(RefCell<Vec<Arc<T>>>);

impl<T: ?Sized> Recent<T> {
    pub(crate) const fn new() -> Self {
        Self(RefCell::new(Vec::new()))
    }

    /// The latest of which that is true.
    pub(crate) fn find(&self, is: impl Fn(&T) -> bool) -> Option<Arc<T>> {
        self.0.borrow().iter().rev().find(|known| is(known)).cloned()
    }

    /// Keeps another in the place of the oldest. It stays beyond what is read, and so must be small.
    pub(crate) fn keep(&self, one: &Arc<T>) {
        let mut kept = self.0.borrow_mut();
        if kept.len() == MOST {
            kept.remove(0);
        }
        kept.push(Arc::clone(one));
    }
}
