//! How a command ends when it is asked to, by SIGINT, SIGTERM or SIGHUP.
//!
//! A command that can end in good order takes [`stop`] and looks at it. It has [`GRACE`] for that;
//! then it is ended wherever it is: in a system call that nothing interrupts, in a library, or
//! behind a pipe that nobody writes to. A command that does not take it ends at once, and so does
//! every command at the second signal. However it ends, private servers and the volumes under them
//! go with their guardians, load generators with their pipes, and files that would be left behind
//! with [`Unfinished`].

use crate::Exit;
use crate::messages::{self, tell};
use crate::view;
use model::Stop;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How long a command may take to end in good order. With what follows it stays below two seconds.
const GRACE: Duration = Duration::from_millis(1_500);

static STOP: LazyLock<Stop> = LazyLock::new(Stop::default);
/// How the command ends where it is ended.
static EXIT: AtomicU8 = AtomicU8::new(Exit::Interrupted as u8);
/// Whether the command looks at [`STOP`].
static LOOKS: AtomicBool = AtomicBool::new(false);
/// Whether it has ended in good order.
static ENDED: AtomicBool = AtomicBool::new(false);
static ENDING: Mutex<Ending> = Mutex::new(Ending { files: Vec::new(), help: String::new() });

/// What is done where a command is ended and can do nothing itself.
struct Ending {
    /// Files to remove.
    files: Vec<PathBuf>,
    /// What the user is told.
    help: String,
}

/// Begins to listen for signals, with which a command ends as `exit` says, whatever it does just then. A
/// process in which that is not possible ends as the system has it.
pub(crate) fn listen(exit: Exit) {
    EXIT.store(exit as u8, Ordering::Release);
    let _ = ctrlc::set_handler(request_stop);
}

/// Passes over signals: what ends this process is the end of its orders.
pub(crate) fn pass_over() {
    let _ = ctrlc::set_handler(|| {});
}

/// Does what a signal does.
pub(crate) fn request_stop() {
    if STOP.is_requested() || !LOOKS.load(Ordering::Acquire) {
        end();
    }
    STOP.request();
    let overseer = thread::Builder::new().name("overseer".to_owned()).spawn(|| {
        thread::sleep(GRACE);
        if !ENDED.load(Ordering::Acquire) {
            end();
        }
    });
    if overseer.is_err() {
        end();
    }
}

/// The command has ended in good order; what it still does may take longer, until the next signal.
pub(crate) fn ended_in_order() {
    ENDED.store(true, Ordering::Release);
}

/// What signals ask to stop. Whoever takes it looks at it, and ends in good order.
pub(crate) fn stop() -> Stop {
    LOOKS.store(true, Ordering::Release);
    STOP.clone()
}

/// Says what the user is told where the command cannot end in good order.
pub(crate) fn if_ended(help: impl Into<String>) {
    ending().help = help.into();
}

/// Files that are removed when the command is ended, until this is dropped.
#[derive(Debug)]
pub(crate) struct Unfinished(Vec<PathBuf>);

impl Unfinished {
    pub(crate) fn new(files: Vec<PathBuf>) -> Self {
        ending().files.extend(files.iter().cloned());
        Self(files)
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        ending().files.retain(|file| !self.0.contains(file));
    }
}

fn ending() -> MutexGuard<'static, Ending> {
    ENDING.lock().unwrap_or_else(PoisonError::into_inner)
}

#[expect(clippy::exit, reason = "whoever waits elsewhere cannot be told to return")]
fn end() {
    view::uncover_for_good();
    messages::release();
    // Nobody may begin a file that is then left behind.
    let ending = ending();
    for file in &ending.files {
        // What is not there need not be removed.
        let _ = std::fs::remove_file(file);
    }
    tell("weighin: stopped");
    if !ending.help.is_empty() {
        tell(&format!("  = help: {}", ending.help));
    }
    std::process::exit(EXIT.load(Ordering::Acquire).into());
}
