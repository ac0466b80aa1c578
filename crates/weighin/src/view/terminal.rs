//! The terminal while a view covers it: how it is covered, and how it is given back whatever happens.
//!
//! Its keys for signals stay in force, so that Ctrl-C and Ctrl-Z do what they always do, also where
//! the view hangs. What ends or stops the process uncovers the terminal first: the end of the view, a
//! panic, the end by a signal ([`crate::signals`]), and here SIGTSTP and SIGQUIT. Only the process in
//! the foreground covers a terminal and reads from it: one in the background would be stopped by that.

use super::keys::{Key, parsed};
use super::stream::{self, Stream};
use ratatui::Frame;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::io::{Errno, read, write};
use rustix::process::getpgrp;
use rustix::termios::{
    InputModes, LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcgetpgrp,
    tcsetattr,
};
use signal_hook::consts::{SIGCONT, SIGQUIT, SIGTSTP, SIGWINCH};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::io::{self, IsTerminal, stdin};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

/// To the screen that programs cover, without a cursor.
const COVER: &[u8] = b"\x1b[?1049h\x1b[?25l\x1b[2J";
/// And back.
const UNCOVER: &[u8] = b"\x1b[0m\x1b[?25h\x1b[?1049l";
/// How long a frame that is being written may take to be done before the terminal is given back.
const FRAME_TIMEOUT: Duration = Duration::from_millis(200);
const POLL_INTERVAL: Duration = Duration::from_millis(5);
/// Bytes of keys that are taken at once.
const KEY_BYTES: usize = 1024;

/// How the terminal was before it was covered, while it is. Held while a frame is written.
static COVERED: Mutex<Option<Termios>> = Mutex::new(None);
/// The same, held for no longer than it takes to look.
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);
/// Whether it was uncovered for good: the process ends, or something went wrong.
static IS_OVER: AtomicBool = AtomicBool::new(false);
/// Whether the process was stopped and goes on: somebody else may have had the terminal.
static GOES_ON: AtomicBool = AtomicBool::new(false);
/// What the thread that draws is woken by.
static WAKE: OnceLock<OwnedFd> = OnceLock::new();

/// Whether there is a terminal to show a view on and to take keys from.
pub(crate) fn is_there() -> bool {
    let knows_escapes =
        std::env::var_os("TERM").is_some_and(|term| !term.is_empty() && term != "dumb");
    knows_escapes && stdin().is_terminal() && stream::is_terminal()
}

/// Whether it may be covered and read now.
fn is_ours() -> bool {
    !IS_OVER.load(Ordering::Acquire) && tcgetpgrp(stdin()).is_ok_and(|group| group == getpgrp())
}

/// Gives the terminal back, for now.
pub(crate) fn uncover() {
    give_back(&mut lock(&COVERED));
}

/// Gives the terminal back for good, and at once: also where a frame cannot be written to its end.
pub(crate) fn uncover_for_good() {
    IS_OVER.store(true, Ordering::Release);
    let deadline = Instant::now() + FRAME_TIMEOUT;
    loop {
        match COVERED.try_lock() {
            Ok(mut covered) => return give_back(&mut covered),
            Err(TryLockError::Poisoned(covered)) => return give_back(&mut covered.into_inner()),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                thread::sleep(POLL_INTERVAL)
            }
            Err(TryLockError::WouldBlock) => return give_back(&mut lock(&BEFORE).clone()),
        }
    }
}

fn give_back(covered: &mut Option<Termios>) {
    let Some(before) = covered.take() else { return };
    *lock(&BEFORE) = None;
    // Nobody is left to be told where that fails: the terminal is gone.
    let _ = stream::write(UNCOVER);
    let _ = tcsetattr(stdin(), OptionalActions::Now, &before);
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sees to it that the process gives the terminal back before it is stopped or ended by the keyboard.
pub(crate) fn mind_signals() -> io::Result<()> {
    let mut signals = Signals::new([SIGCONT, SIGQUIT, SIGTSTP, SIGWINCH])?;
    let mind = move || {
        for signal in signals.forever() {
            match signal {
                SIGWINCH => wake(),
                SIGCONT => {
                    GOES_ON.store(true, Ordering::Release);
                    wake();
                }
                _ => {
                    uncover();
                    let _ = emulate_default_handler(signal);
                }
            }
        }
    };
    thread::Builder::new().name("terminal".to_owned()).spawn(mind).map(drop)
}

/// A terminal that is covered whenever it may be.
pub(crate) struct Screen(ratatui::Terminal<Stream>);

impl Screen {
    pub(crate) fn new() -> io::Result<Self> {
        // A second view takes that of the first.
        let _ = WAKE.set(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?);
        ratatui::Terminal::new(Stream::default()).map(Self)
    }

    /// Covers the terminal where it may be and is not yet. Whether it is covered.
    pub(crate) fn cover(&mut self) -> io::Result<bool> {
        if !is_ours() {
            return Ok(false);
        }
        let mut covered = lock(&COVERED);
        let goes_on = GOES_ON.swap(false, Ordering::AcqRel);
        if covered.is_some() && !goes_on {
            return Ok(true);
        }
        let before = match covered.take() {
            Some(before) => before,
            None => tcgetattr(stdin())?,
        };
        *lock(&BEFORE) = Some(before.clone());
        let mut own = before.clone();
        // Keys one by one and unseen, but those for signals as ever.
        own.local_modes -= LocalModes::ICANON | LocalModes::ECHO | LocalModes::IEXTEN;
        own.input_modes -= InputModes::IXON;
        own.special_codes[SpecialCodeIndex::VMIN] = 1;
        own.special_codes[SpecialCodeIndex::VTIME] = 0;
        *covered = Some(before);
        tcsetattr(stdin(), OptionalActions::Now, &own)?;
        stream::write(COVER)?;
        // Whatever the last frame was, all of the next is drawn.
        self.0.resize(self.0.size()?.into())?;
        Ok(true)
    }

    /// Draws a frame, unless the terminal was given back meanwhile.
    pub(crate) fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        let covered = lock(&COVERED);
        if covered.is_some() {
            self.0.draw(draw)?;
        }
        Ok(())
    }
}

/// Ends a wait of [`keys`] or [`wait`]: of the one under way, or else of the next.
pub(crate) fn wake() {
    if let Some(wake) = WAKE.get() {
        // It only fails where it was woken often enough.
        let _ = write(wake, &1_u64.to_ne_bytes());
    }
}

/// Waits at most so long for [`wake`], and not for keys.
pub(crate) fn wait(limit: Duration) -> io::Result<()> {
    wait_for(None, limit).map(drop)
}

/// Waits at most so long for [`wake`], or for what can be read of the keys. Whether it can be.
fn wait_for(keys: Option<BorrowedFd<'_>>, limit: Duration) -> io::Result<bool> {
    let limit = Timespec::try_from(limit).map_err(io::Error::other)?;
    let wake = WAKE.get();
    let all = wake.map(AsFd::as_fd).into_iter().chain(keys);
    let mut descriptors: Vec<_> =
        all.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)).collect();
    match poll(&mut descriptors, Some(&limit)) {
        Ok(_) => {}
        Err(Errno::INTR) => return Ok(false),
        Err(error) => return Err(error.into()),
    }
    if let Some(wake) = wake {
        // How often it was woken, which is forgotten; there may have been nothing.
        let _ = read(wake, &mut [0; size_of::<u64>()]);
    }
    let can_be_read = |descriptor: &PollFd<'_>| !descriptor.revents().is_empty();
    Ok(keys.is_some() && descriptors.last().is_some_and(can_be_read))
}

/// Waits at most so long for keys or [`wake`]; gives the keys that there are.
///
/// # Errors
/// When the terminal is gone.
pub(crate) fn keys(limit: Duration) -> io::Result<Vec<Key>> {
    let stdin = stdin();
    if !wait_for(Some(stdin.as_fd()), limit)? {
        return Ok(Vec::new());
    }
    if !is_ours() {
        // Of the keys of others it would be told at once, again and again.
        return wait(limit).map(|()| Vec::new());
    }
    let mut bytes = [0; KEY_BYTES];
    match read(&stdin, &mut bytes) {
        Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
        Ok(length) => Ok(parsed(&bytes[..length])),
        Err(Errno::INTR | Errno::AGAIN) => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}
