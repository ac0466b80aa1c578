//! One generator as its lead hears it.

use super::wire::{Answer, Order};
use crate::systems::load::PreparedLoad;
use host::Weighin;
use std::io::{self, BufRead};
use std::sync::mpsc::Sender;

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
pub(super) fn tell(weighin: &mut Weighin, order: &Order<&PreparedLoad>) -> io::Result<()> {
    let mut line = serde_json::to_vec(order)?;
    line.push(b'\n');
    weighin.tell(&line)
}

/// Hands on what generator number `index` answers, to its end.
pub(super) fn listen(index: u32, answers: impl BufRead, heard: &Sender<(u32, GeneratorMessage)>) {
    for line in answers.lines().map_while(Result::ok) {
        let said =
            serde_json::from_str(&line).map_or(GeneratorMessage::Invalid, GeneratorMessage::Answer);
        if heard.send((index, said)).is_err() {
            return;
        }
    }
    // The lead may have given up listening.
    let _ = heard.send((index, GeneratorMessage::End));
}
