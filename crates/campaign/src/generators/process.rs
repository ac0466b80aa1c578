//! One generator as its lead sees it.

use super::GENERATOR_COMMAND;
use super::wire::{Answer, Order};
use crate::systems::load::PreparedLoad;
use host::{Host, Weighin};
use std::io::{self, BufRead};
use std::sync::mpsc::Sender;

/// What was heard of a generator.
pub(super) enum Heard {
    Answer(Answer),
    /// It says nothing more: it has ended.
    End,
    /// What it says is no answer.
    Nonsense,
}

/// A generator; it ends when this is dropped.
pub(super) struct Process {
    pub(super) weighin: Weighin,
}

impl Process {
    /// Starts generator number `index` on a machine; its answers go to `heard`.
    ///
    /// # Errors
    /// When the process cannot be started.
    pub(super) fn start(
        host: &dyn Host,
        index: u32,
        heard: Sender<(u32, Heard)>,
    ) -> io::Result<Self> {
        let mut weighin = host.start_weighin(GENERATOR_COMMAND)?;
        if let Some(answers) = weighin.take_answers() {
            std::thread::spawn(move || listen(index, answers, &heard));
        }
        Ok(Self { weighin })
    }

    /// Tells it something.
    ///
    /// # Errors
    /// When it listens no more.
    pub(super) fn tell(&mut self, order: &Order<&PreparedLoad>) -> io::Result<()> {
        let mut line = serde_json::to_vec(order)?;
        line.push(b'\n');
        self.weighin.tell(&line)
    }
}

fn listen(index: u32, answers: impl BufRead, heard: &Sender<(u32, Heard)>) {
    for line in answers.lines().map_while(Result::ok) {
        let said = serde_json::from_str(&line).map_or(Heard::Nonsense, Heard::Answer);
        if heard.send((index, said)).is_err() {
            return;
        }
    }
    // The lead may have given up listening.
    let _ = heard.send((index, Heard::End));
}
