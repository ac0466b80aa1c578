//! Asking the server for its counters without waiting for it longer than wanted.

use crate::question::CounterSource;
use model::ServerCounters;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long a counter source that is at work gets to finish when sampling ends.
const END_TIMEOUT: Duration = Duration::from_millis(500);

/// Longest wait for an answer, of a source that is known to take its time.
const MAX_PATIENCE: Duration = Duration::from_secs(1);

/// What a source gave, and how long that took.
struct Answer {
    counters: Option<ServerCounters>,
    took: Duration,
}

/// A thread of its own for a source that may be slow or hang.
pub(crate) struct CounterThread {
    ask: Option<Sender<()>>,
    answers: Receiver<Answer>,
    busy: bool,
    /// Twice what the last answer took that came late.
    patience: Duration,
}

impl CounterThread {
    /// Starts the thread; it ends when this value is dropped and the source has returned.
    pub(crate) fn start(mut source: CounterSource) -> Self {
        let (ask, asked) = channel();
        let (answer, answers) = channel();
        thread::spawn(move || {
            while asked.recv().is_ok() {
                let began = Instant::now();
                let counters = source();
                if answer.send(Answer { counters, took: began.elapsed() }).is_err() {
                    return;
                }
            }
        });
        Self { ask: Some(ask), answers, busy: false, patience: Duration::ZERO }
    }

    /// The counters as of now, if the source answers within `timeout`.
    ///
    /// While an earlier answer is outstanding the source isn't asked again; that answer, when it
    /// comes, is of another moment and is thrown away. From then on the source is waited for twice as
    /// long as that answer took, at most a second: on a busy machine every answer may take longer than
    /// `timeout`, and all would be thrown away.
    pub(crate) fn ask(&mut self, timeout: Duration) -> Option<ServerCounters> {
        if self.busy {
            let late = self.answers.try_recv().ok()?;
            self.patience = (2 * late.took).min(MAX_PATIENCE);
            self.busy = false;
        }
        self.ask.as_ref()?.send(()).ok()?;
        match self.answers.recv_timeout(timeout.max(self.patience)) {
            Ok(answer) => answer.counters,
            Err(RecvTimeoutError::Timeout) => {
                self.busy = true;
                None
            }
            Err(RecvTimeoutError::Disconnected) => None,
        }
    }
}

impl Drop for CounterThread {
    /// Waits for the source to be let go, but not for long: it may hang on a dead server.
    fn drop(&mut self) {
        self.ask = None;
        let deadline = Instant::now() + END_TIMEOUT;
        while self.answers.recv_timeout(deadline.saturating_duration_since(Instant::now())).is_ok()
        {
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    fn counters(value: i64) -> ServerCounters {
        ServerCounters::from([("Questions".to_owned(), value)])
    }

    #[test]
    fn a_quick_source_answers_every_time() {
        let mut value = 0;
        let mut thread = CounterThread::start(Box::new(move || {
            value += 1;
            Some(counters(value))
        }));
        assert_eq!(thread.ask(Duration::from_secs(20)), Some(counters(1)));
        assert_eq!(thread.ask(Duration::from_secs(20)), Some(counters(2)));
    }

    #[test]
    fn a_stalled_source_is_not_asked_again_and_its_late_answer_is_not_used() {
        let (release, gate) = channel::<i64>();
        let calls = Arc::new(Mutex::new(0));
        let seen = Arc::clone(&calls);
        let mut asker = CounterThread::start(Box::new(move || {
            *seen.lock().unwrap() += 1;
            gate.recv().ok().map(counters)
        }));
        let deadline = Instant::now() + Duration::from_secs(60);
        assert_eq!(asker.ask(Duration::from_millis(50)), None);
        while *calls.lock().unwrap() == 0 {
            assert!(Instant::now() < deadline, "it was not asked");
            thread::yield_now();
        }
        for _ in 0..2 {
            assert_eq!(asker.ask(Duration::from_millis(50)), None);
        }
        assert_eq!(*calls.lock().unwrap(), 1);
        release.send(1).unwrap();
        release.send(2).unwrap();
        // The first answer, late, is swallowed; the second one is to the question it is asked by.
        let deadline = Instant::now() + Duration::from_secs(60);
        let mut fresh = None;
        while fresh.is_none() && Instant::now() < deadline {
            thread::yield_now();
            fresh = asker.ask(Duration::from_secs(20));
        }
        assert_eq!(fresh, Some(counters(2)));
    }

    #[test]
    fn a_source_that_always_takes_longer_is_waited_for_once_that_is_known() {
        let took = Duration::from_millis(80);
        let mut thread = CounterThread::start(Box::new(move || {
            thread::sleep(took);
            Some(counters(1))
        }));
        let deadline = Instant::now() + Duration::from_secs(60);
        let mut answer = None;
        while answer.is_none() && Instant::now() < deadline {
            answer = thread.ask(Duration::from_millis(1));
        }
        assert_eq!(answer, Some(counters(1)));
    }

    #[test]
    fn a_source_that_fails_gives_nothing() {
        let mut thread = CounterThread::start(Box::new(|| None));
        assert_eq!(thread.ask(Duration::from_secs(20)), None);
    }
}
