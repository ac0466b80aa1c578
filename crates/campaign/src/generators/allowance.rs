//! How much memory of the lead's generators may take: they may be on machines that say whatever they
//! like.

use super::wire::Answer;
use model::{OverBudget, ReadBudget, ReadLimit};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of the longest text of an interval that is honest, and of an account: some distributions of
/// latencies, of which thousands of values in a second, and millions in a load, take a tenth of it.
/// Of intervals no more are taken than seconds have passed.
const HONEST_INTERVAL: u64 = 64 << 10;
const HONEST_ACCOUNT: u64 = 1 << 20;
/// How many times its text an answer takes while it is taken apart.
const TAKEN_APART: u64 = 4;

/// What all generators of a load may have their lead keep beyond what is honest.
pub(super) struct Kept(ReadBudget);

impl Kept {
    pub fn up_to(bytes: u64) -> Self {
        Self(ReadLimit { bytes, ..ReadLimit::NONE }.budget())
    }

    /// Takes what an answer of so many bytes needs while it is taken apart, and then what is kept of it.
    ///
    /// # Errors
    /// When there is not as much left: then nothing is read any more.
    pub fn read(
        &self,
        bytes: u64,
        read: impl FnOnce() -> Option<Answer>,
    ) -> Result<Option<Answer>, OverBudget> {
        let most = bytes.saturating_mul(TAKEN_APART);
        self.0.charge(most)?;
        let answer = read();
        self.0.give_back(most);
        let honest = match answer {
            Some(Answer::Interval(_)) => HONEST_INTERVAL,
            Some(Answer::Done(_)) => HONEST_ACCOUNT,
            Some(Answer::Ready | Answer::Failed(_)) | None => u64::MAX,
        };
        self.0.charge(bytes.saturating_sub(honest)).map(|()| answer)
    }
}

/// What generators have said that the lead has not read yet.
#[derive(Clone)]
pub(super) struct Unread {
    own: Arc<AtomicU64>,
    all: Arc<AtomicU64>,
    most: u64,
}

impl Unread {
    /// Of the first of so many.
    pub fn for_generators(generators: u32) -> Self {
        let most = ReadLimit::BYTES + u64::from(generators) * HONEST_ACCOUNT / 4;
        Self { own: Arc::default(), all: Arc::default(), most }
    }

    /// Of another one.
    pub fn beside(&self) -> Self {
        Self { own: Arc::default(), ..self.clone() }
    }

    /// Whether there is room for so many bytes, which are then taken. Who has said little is not the one
    /// that fills it.
    pub fn take(&self, bytes: u64) -> bool {
        let own = self.own.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        let all = self.all.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        all <= self.most || own <= HONEST_ACCOUNT
    }

    /// That so many bytes were read.
    pub fn give_back(&self, bytes: u64) {
        self.own.fetch_sub(bytes, Ordering::Relaxed);
        self.all.fetch_sub(bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_floods_its_lead_is_told_from_those_beside_it() {
        let first = Unread::for_generators(2);
        let second = first.beside();
        let half = ReadLimit::BYTES / 2;
        assert!(first.take(half));
        first.give_back(half);
        assert!(first.take(half) && first.take(half));
        assert!(!first.take(HONEST_ACCOUNT));
        assert!(second.take(HONEST_ACCOUNT / 2), "it is not this one");
    }
}
