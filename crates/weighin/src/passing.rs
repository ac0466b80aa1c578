//! What passes while a command goes on: the line on a terminal while something is made or read, and
//! elsewhere what is being done where that takes long.

use crate::messages;
use crate::progress::{News, Observer, Standing, activity};
use host::Waiting;
use report::numbers::count;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::io::IsTerminal;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use system::Step;

/// Time between two changes of a line that passes.
const REFRESH: Duration = Duration::from_millis(100);
/// Columns of the bar in it.
const BAR: usize = 20;

/// What is done to targets, by their names.
#[derive(Default)]
pub(crate) struct Doings(HashMap<String, Doing>);

impl Observer for Doings {
    fn note(&mut self, news: &News<'_>, standing: &Standing) {
        let News::Event(event) = news else { return };
        let Some((target, what)) = activity(event, standing) else { return };
        let Some(what) = what.map(|what| format!("{target}: {what}")) else {
            self.0.remove(target);
            return;
        };
        match self.0.get(target) {
            Some(doing) => doing.update(&what),
            None => drop(self.0.insert(target.to_owned(), Doing::begin(&what))),
        }
    }
}

/// Something that is being done, told where it takes long.
struct Doing {
    what: Arc<Mutex<String>>,
    _waiting: Waiting,
}

impl Doing {
    fn begin(what: &str) -> Self {
        let what = Arc::new(Mutex::new(what.to_owned()));
        let told = Arc::clone(&what);
        let words = move || told.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Self { what, _waiting: Waiting::told_by(words) }
    }

    fn update(&self, what: &str) {
        what.clone_into(&mut self.what.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// Rows, keys or bytes being made.
pub(crate) struct Progress {
    what: &'static str,
    is_watched: bool,
    shown: Cell<Option<Instant>>,
    /// Where nobody watches.
    doing: RefCell<Option<Doing>>,
}

impl Progress {
    /// Begins to show what is being made, `rows`, `keys` or `bytes`.
    pub(crate) fn start(what: &'static str) -> Self {
        let is_watched = std::io::stderr().is_terminal();
        Self { what, is_watched, shown: Cell::new(None), doing: RefCell::new(None) }
    }

    pub(crate) fn show(&self, step: Step) {
        let is_due = self.shown.get().is_none_or(|shown| shown.elapsed() >= REFRESH);
        if !is_due {
            return;
        }
        self.shown.set(Some(Instant::now()));
        if !self.is_watched {
            let what = format!("{} of {} {}", count(step.done), count(step.of), self.what);
            match &mut *self.doing.borrow_mut() {
                Some(doing) => doing.update(&what),
                none => *none = Some(Doing::begin(&what)),
            }
            return;
        }
        let share = (step.done as f64 / step.of.max(1) as f64).min(1.0);
        let full = (share * BAR as f64) as usize;
        let bar = "━".repeat(full) + &"─".repeat(BAR - full);
        let percent = (share * 100.0) as u64;
        messages::pass(&format!("{bar} {percent} %  {} {}", count(step.done), self.what));
    }

    pub(crate) fn finish(&self) {
        *self.doing.borrow_mut() = None;
        if self.shown.take().is_some() && self.is_watched {
            messages::pass("");
        }
    }
}
