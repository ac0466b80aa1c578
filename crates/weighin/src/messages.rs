//! What goes to standard output and standard error. Every command writes through here, so that nothing
//! from outside steers the terminal: all of it passes [`model::text`]. Two more things write to a
//! terminal: the view of a run (`view/stream.rs`), which has a gate of its own and for whose time lines
//! are held here (tested), and clap's help, which holds nothing from outside.

use crate::exit::{CliError, Exit};
use model::{OverBudget, text};
use rustix::termios::tcgetwinsize;
use std::borrow::Cow;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Columns of a terminal that does not tell them.
const COLUMNS: u16 = 80;

/// What writes the contents of a file, part by part: a report may be hundreds of MB.
pub(crate) type Contents<'a> = &'a mut dyn FnMut(&mut dyn Write) -> io::Result<()>;

/// Lines that are told when the view is over that covers the terminal.
static HELD: Mutex<Option<Vec<String>>> = Mutex::new(None);

/// The name of a file or directory within a line.
pub(crate) fn shown(path: &Path) -> String {
    text::line(&path.display().to_string()).into_owned()
}

/// Writes a line to standard error. Nobody there to read it, as in `weighin run … 2>&1 | head`, is
/// no reason to end: what is being measured counts for more.
pub(crate) fn tell(message: &str) {
    let line = text::visible(message);
    match held().as_mut() {
        Some(held) => held.push(line.into_owned()),
        None => drop(writeln!(io::stderr(), "{line}")),
    }
}

impl CliError {
    /// Shows the error to the user.
    pub(crate) fn print(&self) {
        self.lines().iter().for_each(|line| tell(line));
    }
}

/// Shows what clap says of the arguments: help and versions in clap's styles; of errors, which
/// repeat what was typed, the text alone.
pub(crate) fn tell_usage(error: &clap::Error) -> Exit {
    if !error.use_stderr() {
        // Standard output that cannot be written to has nobody to tell.
        let _ = error.print();
        return Exit::Done;
    }
    tell(error.render().to_string().trim_end());
    Exit::Usage
}

fn held() -> MutexGuard<'static, Option<Vec<String>>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Holds what is told from here on, because a view covers the terminal.
pub(crate) fn hold() {
    held().get_or_insert_default();
}

/// Tells what was held; from here on lines are told at once.
pub(crate) fn release() {
    let held = held().take();
    held.into_iter().flatten().for_each(|line| tell(&line));
}

/// Changes the line of standard error that passes; an empty one takes it away.
pub(crate) fn pass(line: &str) {
    let room = usize::from(columns(io::stderr())).saturating_sub(1);
    let mut shown = String::new();
    for c in text::line(line).chars() {
        if shown.width() + c.width().unwrap_or(0) > room {
            break;
        }
        shown.push(c);
    }
    // As in `tell`.
    let _ = write!(io::stderr(), "\r{shown}\x1b[K");
}

fn columns(stream: impl AsFd) -> u16 {
    match tcgetwinsize(stream) {
        Ok(size) if size.ws_col > 0 => size.ws_col,
        _ => COLUMNS,
    }
}

/// Columns of the terminal that standard output is.
pub(crate) fn terminal_width() -> usize {
    columns(io::stdout()).into()
}

/// Whether the user wants colours (<https://no-color.org>).
pub(crate) fn colours() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Writes a command's result to standard output. A reader that has seen enough (`| head`) is no
/// error.
pub(crate) fn print(text: &str) -> Result<(), CliError> {
    write(&text::visible(text))
}

/// The same of JSON, which keeps its value.
pub(crate) fn print_json(document: &str) -> Result<(), CliError> {
    write(&text::json(document))
}

/// The same of what the report makes for terminals, with its styles.
pub(crate) fn print_styled(styled: &str) -> Result<(), CliError> {
    write(&gated(styled, colours()))
}

/// Text in which only the report's own escape sequences are left, or none without colours.
fn gated(styled: &str, colours: bool) -> String {
    let (mut safe, mut rest) = (String::with_capacity(styled.len()), styled);
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        safe += &text::visible(before);
        let style = after.split_once('m').filter(|(code, _)| report::STYLES.contains(code));
        match style {
            Some((code, after)) => {
                if colours {
                    safe += &format!("\u{1b}[{code}m");
                }
                rest = after;
            }
            None => {
                safe += "\\x1b[";
                rest = after;
            }
        }
    }
    safe + &text::visible(rest)
}

/// Writes to standard output what is made part by part. Parts end between characters; what is no text,
/// such as an image, is one, and a terminal gets none of it.
pub(crate) fn print_made(contents: Contents<'_>) -> Result<(), CliError> {
    let mut out = Parts(BufWriter::with_capacity(PARTS, io::stdout().lock()));
    let made = contents(&mut out).and_then(|()| out.flush());
    match made {
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Err(CliError::usage(
            "standard output is a terminal, and this is no text",
            "name a file with --out, or send it on with > or |",
        )),
        made => written(made),
    }
}

/// Bytes that go to standard output at once.
const PARTS: usize = 64 << 10;

/// Passes on what nothing from outside steers a terminal with.
struct Parts<W>(W);

impl<W: Write> Write for Parts<W> {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        match str::from_utf8(part) {
            Ok(said) => self.0.write_all(text::visible(said).as_bytes())?,
            Err(_) if io::stdout().is_terminal() => {
                return Err(io::ErrorKind::InvalidData.into());
            }
            Err(_) => self.0.write_all(part)?,
        }
        Ok(part.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn write(text: &str) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    written(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// A reader that has seen enough is no error.
fn written(to_output: io::Result<()>) -> Result<(), CliError> {
    match to_output {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) if error.get_ref().is_some_and(|reason| reason.is::<OverBudget>()) => {
            Err(CliError::unavailable(format!("cannot make it: {error}"), ""))
        }
        Err(error) => {
            Err(CliError::unavailable(format!("cannot write to standard output: {error}"), ""))
        }
        Ok(()) => Ok(()),
    }
}

/// Standard output for lines of JSON.
pub(crate) struct JsonLines {
    line: Vec<u8>,
}

impl JsonLines {
    pub(crate) fn new() -> Self {
        Self { line: Vec::new() }
    }
}

impl Write for JsonLines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.line.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    /// Passes on the lines that are complete.
    fn flush(&mut self) -> io::Result<()> {
        let end = self.line.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let lines: Vec<u8> = self.line.drain(..end).collect();
        let lines = String::from_utf8_lossy(&lines);
        let mut out = io::stdout().lock();
        out.write_all(text::json(&lines).as_bytes())?;
        out.flush()
    }
}

/// Lets panics speak through here too: their messages may hold what a server said.
pub(crate) fn gate_panics(uncover: fn()) {
    std::panic::set_hook(Box::new(move |panic| {
        uncover();
        release();
        let said = panic.payload();
        let said = said.downcast_ref::<&str>().copied().or(said.downcast_ref().map(String::as_str));
        let said = said.unwrap_or("no message");
        let place = panic.location().map_or(Cow::Borrowed("?"), |at| at.to_string().into());
        let thread = std::thread::current();
        let name = thread.name().unwrap_or("unnamed");
        tell(&format!("thread '{name}' panicked at {place}:\n{}", text::message(said)));
        let trace = std::backtrace::Backtrace::capture();
        if trace.status() == std::backtrace::BacktraceStatus::Captured {
            tell(&trace.to_string());
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_escape_sequences_only_the_reports_styles_pass() {
        assert_eq!(gated("\u{1b}[31mbad\u{1b}[0m", true), "\u{1b}[31mbad\u{1b}[0m");
        assert_eq!(
            gated("a\u{1b}[2Jb\u{1b}[8mc\u{1b}]0;d\u{7}", true),
            "a\\x1b[2Jb\\x1b[8mc\\x1b]0;d\\x07"
        );
        assert_eq!(gated("\u{1b}[", true), "\\x1b[");
        assert_eq!(gated("\u{1b}[31mbad\u{1b}[0m", false), "bad");
    }
}
