//! Bytes on their way in one direction, and when each of them is due.

use crate::Nanos;
use std::collections::VecDeque;

/// Bytes that came in and have not gone out yet. They keep their order; those that are due may go.
#[derive(Debug, Default)]
pub(super) struct Flow {
    bytes: Vec<u8>,
    /// Where in `bytes` those begin that have not gone out.
    from: usize,
    /// How many of these are due.
    due: usize,
    /// Whether no more come in.
    has_ended: bool,
    /// Whether that is due as well.
    end_is_due: bool,
}

impl Flow {
    /// Takes bytes in.
    pub(super) fn take_in(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// No more come in.
    pub(super) fn end(&mut self) {
        self.has_ended = true;
    }

    /// So many more are due, or the end where there are none.
    pub(super) fn fall_due(&mut self, count: usize) {
        self.due += count;
        self.end_is_due |= count == 0;
    }

    /// What may go out now.
    pub(super) fn ready(&self) -> &[u8] {
        &self.bytes[self.from..self.from + self.due]
    }

    /// So many of these went out.
    pub(super) fn went_out(&mut self, count: usize) {
        self.from += count;
        self.due -= count;
        if self.from == self.bytes.len() {
            self.bytes.clear();
            self.from = 0;
        } else if self.from >= self.bytes.len() / 2 && self.from >= COMPACTED {
            self.bytes.drain(..self.from);
            self.from = 0;
        }
    }

    /// How many are on their way.
    pub(super) fn len(&self) -> usize {
        self.bytes.len() - self.from
    }

    pub(super) fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Whether everything went out, and the end is due.
    pub(super) fn is_through(&self) -> bool {
        self.end_is_due && self.len() == 0
    }
}

/// Bytes that went out are kept up to so many, so that moving the others costs little.
const COMPACTED: usize = 64 << 10;

/// Things that are due some time after they were put in, all after the same time: the first in is the
/// first out.
#[derive(Debug)]
pub(super) struct Later<T> {
    waiting: VecDeque<(Nanos, T)>,
}

impl<T> Default for Later<T> {
    fn default() -> Self {
        Self { waiting: VecDeque::new() }
    }
}

impl<T> Later<T> {
    pub(super) fn put(&mut self, due: Nanos, thing: T) {
        self.waiting.push_back((due, thing));
    }

    /// The first that is due by then.
    pub(super) fn take(&mut self, now: Nanos) -> Option<T> {
        let (due, _) = self.waiting.front()?;
        if *due > now {
            return None;
        }
        self.waiting.pop_front().map(|(_, thing)| thing)
    }

    /// When the first is due.
    pub(super) fn next(&self) -> Nanos {
        self.waiting.front().map_or(Nanos::NEVER, |(due, _)| *due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_keep_their_order_and_go_when_they_are_due() {
        let mut flow = Flow::default();
        flow.take_in(b"first");
        flow.take_in(b"second");
        flow.end();
        assert_eq!(flow.ready(), b"");
        flow.fall_due(5);
        assert_eq!(flow.ready(), b"first");
        flow.went_out(3);
        assert_eq!((flow.ready(), flow.len()), (&b"st"[..], 8));
        flow.fall_due(6);
        flow.fall_due(0);
        assert_eq!(flow.ready(), b"stsecond");
        assert!(!flow.is_through());
        flow.went_out(8);
        assert!(flow.is_through() && flow.has_ended());
    }

    #[test]
    fn much_that_went_out_takes_no_memory() {
        let mut flow = Flow::default();
        let piece = [7; 1_000];
        flow.take_in(b"!");
        for _ in 0..1_000 {
            flow.take_in(&piece);
            flow.fall_due(piece.len());
            assert_eq!(flow.ready().len(), piece.len());
            flow.went_out(piece.len());
            assert_eq!(flow.len(), 1);
        }
        assert!(flow.bytes.len() < 4 * COMPACTED, "{}", flow.bytes.len());
    }

    #[test]
    fn what_was_put_in_first_comes_out_first_and_not_before_its_time() {
        let mut later = Later::default();
        assert_eq!(later.next(), Nanos::NEVER);
        later.put(Nanos(10), 'a');
        later.put(Nanos(20), 'b');
        assert_eq!((later.take(Nanos(9)), later.next()), (None, Nanos(10)));
        assert_eq!((later.take(Nanos(15)), later.take(Nanos(15))), (Some('a'), None));
        assert_eq!((later.take(Nanos(20)), later.next()), (Some('b'), Nanos::NEVER));
    }
}
