//! What weighin waits for, told when it takes long.
//!
//! Whatever may have to wait for something that it does not control (a process to end, a device to be
//! free, a machine to answer) says so with [`Waiting`]. When that has taken two seconds, whoever
//! listens is told for what, and again at growing intervals. Nobody is told of shorter waits, and
//! without a listener, as in the agent on another machine, nobody of any.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// When a wait is told for the first time.
const FIRST: Duration = Duration::from_secs(2);
/// The longest time until it is told again.
const LONGEST: Duration = Duration::from_secs(60);
/// How often to look.
const LOOK_EVERY: Duration = Duration::from_millis(200);

type Words = Arc<dyn Fn() -> String + Send + Sync>;
type Listener = Arc<dyn Fn(&str) + Send + Sync>;

static STATE: Mutex<State> = Mutex::new(State { waits: BTreeMap::new(), next: 0, listener: None });

struct State {
    waits: BTreeMap<u64, Wait>,
    next: u64,
    listener: Option<Listener>,
}

struct Wait {
    what: Words,
    since: Instant,
    told: u32,
    /// What was told last.
    words: String,
}

impl Wait {
    /// How long after its begin it is told next: at 2, 4, 8, … seconds.
    fn due(&self) -> Duration {
        let doubled = FIRST.saturating_mul(1 << self.told.min(5));
        doubled.min(LONGEST) + LONGEST * self.told.saturating_sub(5)
    }
}

/// A wait, as long as this is there.
#[derive(Debug)]
pub struct Waiting(u64);

impl Waiting {
    /// Begins to wait for what these words name, such as `the server of target "a" to end`.
    pub fn for_the(what: impl Into<String>) -> Self {
        let what = what.into();
        Self::told_by(move || what.clone())
    }

    /// The same of what has to be looked up, such as who holds a device: only where it takes long.
    pub fn told_by(what: impl Fn() -> String + Send + Sync + 'static) -> Self {
        let mut state = state();
        let number = state.next;
        state.next += 1;
        let wait =
            Wait { what: Arc::new(what), since: Instant::now(), told: 0, words: String::new() };
        state.waits.insert(number, wait);
        Self(number)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        state().waits.remove(&self.0);
    }
}

/// From here on, waits that take long are told, by a thread of their own. For programs, once.
///
/// # Errors
/// When no thread can be started.
pub fn listen(tell: impl Fn(&str) + Send + Sync + 'static) -> std::io::Result<()> {
    state().listener = Some(Arc::new(tell));
    thread::Builder::new().name("waits".to_owned()).spawn(|| {
        loop {
            thread::sleep(LOOK_EVERY);
            look(Instant::now());
        }
    })?;
    Ok(())
}

/// Tells whoever listens at once what nobody waits for, such as what is left behind.
pub(crate) fn notice(text: &str) {
    let listener = state().listener.clone();
    if let Some(tell) = listener {
        tell(text);
    }
}

/// What is waited for now and was told, with the time that it has taken: for who shows it for as long.
pub fn long_waits() -> Vec<String> {
    let state = state();
    let long = state.waits.values().filter(|wait| !wait.words.is_empty());
    long.map(|wait| told(&wait.words, wait.since.elapsed().as_secs())).collect()
}

fn told(words: &str, seconds: u64) -> String {
    format!("waiting for {words} ({seconds} s)")
}

fn look(now: Instant) {
    let mut due: Vec<(u64, Words, u64)> = Vec::new();
    let listener = {
        let mut state = state();
        for (&number, wait) in &mut state.waits {
            let waited = now.saturating_duration_since(wait.since);
            if waited >= wait.due() {
                wait.told += 1;
                due.push((number, Arc::clone(&wait.what), waited.as_secs()));
            }
        }
        state.listener.clone()
    };
    // Without the lock: words may take a while, and whoever is told may wait himself.
    for (number, what, seconds) in due {
        let words = what();
        if let Some(wait) = state().waits.get_mut(&number) {
            wait.words.clone_from(&words);
        }
        if let Some(tell) = &listener {
            tell(&told(&words, seconds));
        }
    }
}

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_told_at_growing_intervals() {
        let (what, since) = (Arc::new(|| "it".to_owned()), Instant::now());
        let mut wait = Wait { what, since, told: 0, words: String::new() };
        let due: Vec<u64> = (0..9)
            .map(|told| {
                wait.told = told;
                wait.due().as_secs()
            })
            .collect();
        assert_eq!(due, [2, 4, 8, 16, 32, 60, 120, 180, 240]);
    }

    #[test]
    fn long_waits_are_told_and_short_ones_and_those_that_are_over_are_not() {
        let told = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&told);
        state().listener =
            Some(Arc::new(move |text: &str| kept.lock().unwrap().push(text.to_owned())));
        let long = Waiting::for_the("the test to end");
        let over = Waiting::for_the("what is over");
        drop(over);
        let begun = Instant::now();
        look(begun);
        look(begun + FIRST);
        look(begun + FIRST);
        let shown = |text: &str| long_waits().iter().any(|wait| wait.contains(text));
        assert!(shown("waiting for the test to end (") && !shown("what is over"));
        drop(long);
        assert!(!shown("the test to end"));
        look(begun + LONGEST);
        let told: Vec<String> = told.lock().unwrap().clone();
        let own: Vec<_> = told.iter().filter(|text| text.contains("the test to end")).collect();
        assert_eq!(own, ["waiting for the test to end (2 s)"], "{told:?}");
        assert!(!told.iter().any(|text| text.contains("what is over")), "{told:?}");
    }
}
