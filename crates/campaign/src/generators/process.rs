//! One generator as its lead hears it.

use super::allowance::Unread;
use super::wire::Instruction;
use host::{Heard, Lines, Weighin};
use std::io;
use std::sync::mpsc::Sender;
use system::load::PreparedLoad;

/// Longest answer, in bytes: an account has a few histograms, of at most 200 kB each.
const LONGEST_ANSWER: usize = 64 << 20;

/// What was heard of a generator.
pub(super) enum GeneratorMessage {
    /// A line: it is taken apart by who reads it, and keeps nobody else from being heard.
    Said(Vec<u8>),
    /// It says nothing more: it has ended, or says what is no line.
    End,
    /// It says more than is read.
    Flood,
}

/// Tells a generator something.
///
/// # Errors
/// When it listens no more.
pub(super) fn tell(
    weighin: &mut dyn Weighin,
    instruction: &Instruction<&PreparedLoad>,
) -> io::Result<()> {
    weighin.tell(&line(instruction)?)
}

/// The same, again and again: see [`Weighin::tell_at_beats`].
///
/// # Errors
/// As [`tell`].
pub(super) fn tell_at_beats(
    weighin: &mut dyn Weighin,
    instruction: &Instruction<&PreparedLoad>,
) -> io::Result<()> {
    weighin.tell_at_beats(&line(instruction)?)
}

fn line(instruction: &Instruction<&PreparedLoad>) -> io::Result<String> {
    let mut line = serde_json::to_string(instruction)?;
    line.push('\n');
    Ok(line)
}

/// Hands on what generator number `index` answers, to its end.
pub(super) fn listen(
    index: u32,
    answers: Lines,
    unread: Unread,
    heard: &Sender<(u32, GeneratorMessage)>,
) {
    let heard = heard.clone();
    // A machine over SSH may send whatever it likes.
    answers.hear(LONGEST_ANSWER, move |said| {
        let said = match said {
            Heard::Line(line) if unread.take(line.len() as u64) => {
                GeneratorMessage::Said(line.to_vec())
            }
            Heard::Line(_) => GeneratorMessage::Flood,
            Heard::End(_) => GeneratorMessage::End,
        };
        let goes_on = !matches!(said, GeneratorMessage::Flood);
        // The lead may have given up listening.
        heard.send((index, said)).is_ok() && goes_on
    });
}
