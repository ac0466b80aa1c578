//! What goes to standard output and standard error. Every command writes through here and nowhere
//! else (tested), so that nothing from outside steers the terminal: all of it passes
//! [`model::text`]. Two more things write to a terminal: the progress bar, which gates what it is
//! given in `progress.rs`, and clap's help, which holds nothing from outside.

use crate::exit::CliError;
use model::text;
use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

/// The name of a file or directory within a line.
pub(crate) fn shown(path: &Path) -> String {
    text::line(&path.display().to_string()).into_owned()
}

/// Writes a line to standard error. Nobody there to read it, as in `weighin run … 2>&1 | head`, is
/// no reason to end: what is being measured counts for more.
pub(crate) fn tell(message: &str) {
    let _ = writeln!(io::stderr(), "{}", text::visible(message));
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
    write(&gated(styled))
}

/// Text in which only the report's own escape sequences are left.
fn gated(styled: &str) -> String {
    let (mut safe, mut rest) = (String::with_capacity(styled.len()), styled);
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        safe += &text::visible(before);
        let style = after.split_once('m').filter(|(code, _)| report::STYLES.contains(code));
        match style {
            Some((code, after)) => {
                safe += &format!("\u{1b}[{code}m");
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

fn write(text: &str) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
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
pub(crate) fn gate_panics() {
    std::panic::set_hook(Box::new(|panic| {
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
        assert_eq!(gated("\u{1b}[31mbad\u{1b}[0m"), "\u{1b}[31mbad\u{1b}[0m");
        assert_eq!(
            gated("a\u{1b}[2Jb\u{1b}[8mc\u{1b}]0;d\u{7}"),
            "a\\x1b[2Jb\\x1b[8mc\\x1b]0;d\\x07"
        );
        assert_eq!(gated("\u{1b}["), "\\x1b[");
    }
}
