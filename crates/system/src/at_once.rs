//! Questions to many machines, which take a round trip or more each.

use std::sync::{Mutex, PoisonError};
use std::thread;

/// Machines that are asked at a time.
const MOST: usize = 32;

/// What `ask` gives for each item, in their order; several are asked at a time.
pub fn at_once<T: Send, R: Send>(items: Vec<T>, ask: impl Fn(T) -> R + Sync) -> Vec<R> {
    let count = items.len();
    if count < 2 {
        return items.into_iter().map(ask).collect();
    }
    let items = Mutex::new(items.into_iter().enumerate());
    let next = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
    let answers = || -> Vec<(usize, R)> {
        std::iter::from_fn(next).map(|(place, item)| (place, ask(item))).collect()
    };
    let mut all: Vec<(usize, R)> = thread::scope(|scope| {
        let threads: Vec<_> = (0..count.min(MOST)).map(|_| scope.spawn(answers)).collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined
            .flat_map(|done| done.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    all.sort_by_key(|(place, _)| *place);
    all.into_iter().map(|(_, answer)| answer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    #[test]
    fn answers_are_in_order_and_questions_do_not_wait_for_each_other() {
        // Each waits until all are asked.
        let all = Barrier::new(MOST);
        let ask = |number: usize| {
            all.wait();
            number * 2
        };
        let numbers: Vec<usize> = (0..MOST).collect();
        assert_eq!(at_once(numbers, ask), (0..MOST).map(|n| n * 2).collect::<Vec<_>>());
        assert_eq!(at_once((0..1000).collect(), |n: usize| n), (0..1000).collect::<Vec<_>>());
        assert_eq!(at_once(Vec::<u8>::new(), |n| n), Vec::<u8>::new());
    }
}
