//! One generator as its lead hears it.

use super::wire::{Answer, Order};
use crate::systems::load::PreparedLoad;
use host::Weighin;
use std::io::{self, BufRead, Read};
use std::sync::mpsc::Sender;

/// Longest answer, in bytes: an account has a few histograms, of at most 200 kB each.
const LONGEST_ANSWER: u64 = 64 << 20;

/// What was heard of a generator.
pub(super) enum GeneratorMessage {
    Answer(Answer),
    /// It says nothing more: it has ended.
    End,
    /// What it says is no answer.
    Invalid,
}

/// Tells a generator something.
///
/// # Errors
/// When it listens no more.
pub(super) fn tell(weighin: &mut dyn Weighin, order: &Order<&PreparedLoad>) -> io::Result<()> {
    let mut line = serde_json::to_string(order)?;
    line.push('\n');
    weighin.tell(&line)
}

/// Hands on what generator number `index` answers, to its end.
pub(super) fn listen(
    index: u32,
    mut answers: impl BufRead,
    heard: &Sender<(u32, GeneratorMessage)>,
) {
    loop {
        let mut line = Vec::new();
        // A machine over SSH may send whatever it likes.
        let read = answers.by_ref().take(LONGEST_ANSWER).read_until(b'\n', &mut line);
        if !read.is_ok_and(|count| count > 0) {
            break;
        }
        let said = serde_json::from_slice(&line);
        let said = said.map_or(GeneratorMessage::Invalid, GeneratorMessage::Answer);
        let is_invalid = matches!(said, GeneratorMessage::Invalid);
        if heard.send((index, said)).is_err() || is_invalid {
            return;
        }
    }
    // The lead may have given up listening.
    let _ = heard.send((index, GeneratorMessage::End));
}
