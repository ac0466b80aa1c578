//! The figures of a run while it goes on, for programs that collect them.
//!
//! They cost the measurement nothing: who runs the trials hands a thread what happened through a channel,
//! which waits for nothing; that thread keeps the figures, at the lowest priority, and writes them down
//! when it is asked. The threads that make a load know nothing of it.

mod families;
mod observer;
mod state;
#[cfg(test)]
mod tests;

pub(crate) use state::{RunState, Verdict};

use crate::exit::CliError;
use rustix::process::setpriority_process;
use rustix::thread::gettid;
use serve::{FigureListener, Figures, TextFormat};
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Instant;

/// The lowest priority that a thread can have.
const NICENESS: i32 = 19;

type Update = Box<dyn FnOnce(&mut RunState) + Send>;

enum Message {
    Update(Update),
    Asked(TextFormat, Sender<String>),
    End,
}

/// Keeps the figures of a run, and answers who asks for them, until it is dropped.
pub(crate) struct Metrics {
    messages: Sender<Message>,
    figures: Option<Figures>,
    thread: Option<JoinHandle<()>>,
}

impl Metrics {
    /// # Errors
    /// When there can be no thread for it.
    pub(crate) fn start(listener: FigureListener, state: RunState) -> Result<Self, CliError> {
        let (messages, received) = channel();
        let keeper = thread::Builder::new().name("figures".to_owned());
        let thread = keeper.spawn(move || keep(state, &received)).map_err(no_thread)?;
        let asking = messages.clone();
        let answer = move |format| {
            let (answer, answered) = channel();
            asking.send(Message::Asked(format, answer)).ok()?;
            answered.recv().ok()
        };
        let mut metrics = Self { messages, figures: None, thread: Some(thread) };
        metrics.figures = Some(listener.serve(Arc::new(answer))?);
        Ok(metrics)
    }

    /// Changes the figures.
    fn update(&self, update: impl FnOnce(&mut RunState) + Send + 'static) {
        self.updater()(Box::new(update));
    }

    /// What changes them, from other threads.
    fn updater(&self) -> impl Fn(Update) + Send + Sync + use<> {
        let messages = self.messages.clone();
        // There are no figures without the thread that keeps them.
        move |update| drop(messages.send(Message::Update(update)))
    }
}

impl Drop for Metrics {
    fn drop(&mut self) {
        // Who asks last is answered.
        drop(self.figures.take());
        let _ = self.messages.send(Message::End);
        if let Some(thread) = self.thread.take() {
            // If it panicked, the panic hook has said so.
            let _ = thread.join();
        }
    }
}

fn keep(mut state: RunState, received: &Receiver<Message>) {
    // Where that is not permitted, it still does little.
    let _ = setpriority_process(Some(gettid()), NICENESS);
    for message in received {
        match message {
            Message::Update(update) => update(&mut state),
            Message::Asked(format, answer) => {
                let text = format.write(&families::all(&state, Instant::now()));
                // Who asked may have gone away.
                let _ = answer.send(text);
            }
            Message::End => break,
        }
    }
}

fn no_thread(error: io::Error) -> CliError {
    CliError::unavailable(
        format!("cannot start a thread: {error}"),
        "raise the limit of processes (ulimit -u)",
    )
}
