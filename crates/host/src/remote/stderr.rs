//! What ssh prints to standard error.

use std::io::Read;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How long after its connection has ended ssh may take to say why.
const LAST_WORDS_TIMEOUT: Duration = Duration::from_millis(500);
/// Bytes that are kept: the last ones.
const KEPT: usize = 2048;

/// The last of what ssh, and the shell there, had to say; with whether that is all.
#[derive(Clone, Default)]
pub(super) struct Stderr(Arc<Shared>);

#[derive(Default)]
struct Shared {
    said: Mutex<Received>,
    is_all: Condvar,
}

#[derive(Default)]
struct Received {
    bytes: Vec<u8>,
    is_all: bool,
}

impl Stderr {
    fn held(&self) -> MutexGuard<'_, Received> {
        self.0.said.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn read(mut stream: impl Read + Send + 'static) -> Self {
        let stderr = Self::default();
        let kept = stderr.clone();
        thread::spawn(move || {
            let mut piece = [0; 512];
            while let Ok(count @ 1..) = stream.read(&mut piece) {
                let mut state = kept.held();
                state.bytes.extend_from_slice(piece.get(..count).unwrap_or_default());
                let excess = state.bytes.len().saturating_sub(KEPT);
                state.bytes.drain(..excess);
            }
            kept.held().is_all = true;
            kept.0.is_all.notify_all();
        });
        stderr
    }

    /// In words that follow the agent's name.
    pub(super) fn how_it_ended(&self) -> String {
        match self.said() {
            Some(said) => format!("was cut off: {said}"),
            None => "was cut off".to_owned(),
        }
    }

    /// What was said, in one line.
    pub(super) fn said(&self) -> Option<String> {
        let state = self.held();
        let waited =
            self.0.is_all.wait_timeout_while(state, LAST_WORDS_TIMEOUT, |said| !said.is_all);
        let state = waited.unwrap_or_else(PoisonError::into_inner).0;
        let text = String::from_utf8_lossy(&state.bytes);
        let lines: Vec<&str> =
            text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let last = lines.get(lines.len().saturating_sub(3)..).unwrap_or_default().join("; ");
        (!last.is_empty()).then_some(last)
    }
}
