//! The line that passes while a command makes or reads something.

use crate::messages;
use campaign::Step;
use report::numbers::count;
use std::cell::Cell;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Time between two changes of a line that passes.
const REFRESH: Duration = Duration::from_millis(100);
/// Columns of the bar in it.
const BAR: usize = 20;

/// Rows, keys or bytes being made.
pub(crate) struct Progress {
    what: &'static str,
    is_watched: bool,
    shown: Cell<Option<Instant>>,
}

impl Progress {
    /// Begins to show what is being made, `rows`, `keys` or `bytes`.
    pub(crate) fn start(what: &'static str) -> Self {
        Self { what, is_watched: std::io::stderr().is_terminal(), shown: Cell::new(None) }
    }

    pub(crate) fn show(&self, step: Step) {
        let is_due = self.shown.get().is_none_or(|shown| shown.elapsed() >= REFRESH);
        if !self.is_watched || !is_due {
            return;
        }
        self.shown.set(Some(Instant::now()));
        let share = (step.done as f64 / step.of.max(1) as f64).min(1.0);
        let full = (share * BAR as f64) as usize;
        let bar = "━".repeat(full) + &"─".repeat(BAR - full);
        let percent = (share * 100.0) as u64;
        messages::pass(&format!("{bar} {percent} %  {} {}", count(step.done), self.what));
    }

    pub(crate) fn finish(&self) {
        if self.shown.take().is_some() {
            messages::pass("");
        }
    }
}
