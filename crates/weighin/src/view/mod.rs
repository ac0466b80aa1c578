//! A view of a run that fills the terminal.
//!
//! It is to cost the measurement nothing: a thread of its own draws it, at the lowest priority, and
//! wakes up once a second, or for a key. Who runs the trials hands it what happened through a channel,
//! which wakes nobody and waits for nothing, and takes over what the user asked for between two
//! trials. The threads that make a load know nothing of it.

mod draw;
mod keys;
mod observer;
mod state;
mod stream;
mod terminal;
#[cfg(test)]
mod tests;

pub(crate) use state::{Sentence, State};
pub(crate) use terminal::uncover_for_good;

use crate::messages;
use model::{Note, Stop, UnixMillis};
use rustix::process::setpriority_process;
use rustix::thread::gettid;
use state::Wish;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use terminal::Screen;

/// Time between two frames: a load tells of each second, and each time that a thread wakes up the
/// kernel may move those of the server about. Keys are noticed at once.
const TICK: Duration = Duration::from_secs(1);
/// How often it is looked whether a pause is over.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// The lowest priority that a thread can have.
const NICENESS: i32 = 19;

type Update = Box<dyn FnOnce(&mut State) + Send>;

/// What the user asked for, and whether the view is over.
#[derive(Default)]
struct Wishes {
    /// Whether to pause before the next trial.
    pauses: AtomicBool,
    notes: Mutex<Vec<Note>>,
    is_over: AtomicBool,
}

impl Wishes {
    fn notes(&self) -> MutexGuard<'_, Vec<Note>> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, text: String) {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let at = UnixMillis(u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX));
        self.notes().push(Note { at, text });
    }
}

/// A view until it is dropped.
pub(crate) struct View {
    updates: Sender<Update>,
    wishes: Arc<Wishes>,
    thread: Option<JoinHandle<()>>,
}

impl View {
    /// Begins to show a run; `None` where there is no terminal for it. What is told from here on is
    /// shown below it when it is over. `request_stop` is what the user's wish to stop does.
    pub(crate) fn start(state: State, request_stop: fn()) -> Option<Self> {
        if !terminal::is_there() {
            return None;
        }
        let screen = Screen::new().ok()?;
        terminal::mind_signals().ok()?;
        let (updates, received) = channel();
        let wishes = Arc::new(Wishes::default());
        let drawn = Drawn {
            state,
            screen,
            wishes: Arc::clone(&wishes),
            request_stop,
            colour: messages::colours(),
        };
        messages::hold();
        let thread =
            thread::Builder::new().name("view".to_owned()).spawn(move || drawn.run(&received));
        match thread {
            Ok(thread) => Some(Self { updates, wishes, thread: Some(thread) }),
            Err(_) => {
                messages::release();
                None
            }
        }
    }

    /// Changes what is shown.
    fn update(&self, update: impl FnOnce(&mut State) + Send + 'static) {
        self.updater()(Box::new(update));
    }

    /// What changes what is shown, from other threads.
    fn updater(&self) -> impl Fn(Update) + Send + Sync + use<> {
        let updates = self.updates.clone();
        // A view that has ended shows nothing more.
        move |update| drop(updates.send(update))
    }

    /// Whether the user has it pause before the next trial.
    pub(crate) fn pauses(&self) -> bool {
        self.wishes.pauses.load(Ordering::Acquire)
    }

    /// Waits as long as the user has it pause, and notes that it did.
    pub(crate) fn wait_while_paused(&self, stop: &Stop) {
        if !self.pauses() {
            return;
        }
        let since = Instant::now();
        while self.pauses() && !stop.is_requested() {
            thread::sleep(POLL_INTERVAL);
        }
        let length = Duration::from_secs(since.elapsed().as_secs());
        self.wishes.note(format!("paused for {}", report::numbers::duration(length)));
    }

    /// The notes that the user has made since they were last asked for.
    pub(crate) fn take_notes(&self) -> Vec<Note> {
        std::mem::take(&mut *self.wishes.notes())
    }
}

impl Drop for View {
    fn drop(&mut self) {
        self.wishes.is_over.store(true, Ordering::Release);
        terminal::wake();
        if let Some(thread) = self.thread.take() {
            // If it panicked, the panic hook has said so.
            let _ = thread.join();
        }
        terminal::uncover();
        messages::release();
    }
}

/// The thread that draws.
struct Drawn {
    state: State,
    screen: Screen,
    wishes: Arc<Wishes>,
    request_stop: fn(),
    colour: bool,
}

impl Drawn {
    fn run(mut self, received: &Receiver<Update>) {
        // Where that is not permitted, it still does little.
        let _ = setpriority_process(Some(gettid()), NICENESS);
        if self.show(received).is_err() {
            // The terminal is gone; the run goes on, and nobody could end a pause.
            uncover_for_good();
            self.wishes.pauses.store(false, Ordering::Release);
        }
    }

    fn show(&mut self, received: &Receiver<Update>) -> io::Result<()> {
        while !self.wishes.is_over.load(Ordering::Acquire) {
            for update in received.try_iter() {
                update(&mut self.state);
            }
            if !self.screen.cover()? {
                terminal::wait(TICK)?;
                continue;
            }
            self.state.waits_for(&host::long_waits());
            let now = Instant::now();
            self.screen.draw(|frame| draw::draw(frame, &self.state, self.colour, now))?;
            for key in terminal::keys(TICK)? {
                if let Some(wish) = self.state.key(key, Instant::now()) {
                    self.carry_out(wish);
                }
            }
        }
        Ok(())
    }

    fn carry_out(&self, wish: Wish) {
        match wish {
            Wish::Pause(pauses) => self.wishes.pauses.store(pauses, Ordering::Release),
            Wish::Note(text) => self.wishes.note(text),
            Wish::Stop => (self.request_stop)(),
        }
    }
}
