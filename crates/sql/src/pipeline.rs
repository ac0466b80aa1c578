//! Statements that are sent without waiting for the answers to those before them.

use crate::Statements;
use engine::{Answered, OperationError, SessionError};
use std::collections::VecDeque;
use workload::program::{Run, StatementKind};

/// What a protocol does for pipelines.
pub trait PipelineWire {
    /// Appends a statement, by its number and that of its text, to which more will follow.
    fn write(
        &mut self,
        statements: &Statements,
        what: (usize, usize),
        run: &mut Run,
        out: &mut Vec<u8>,
    );

    /// Appends what ends a pipeline, and has the server answer.
    fn end(&mut self, out: &mut Vec<u8>);

    /// Takes in what came in answer, up to the end of an answer.
    ///
    /// # Errors
    /// When the session cannot go on.
    fn receive(&mut self, input: &[u8]) -> Result<(usize, Option<Piped>), SessionError>;
}

/// What comes in answer to a pipeline.
#[derive(Debug)]
pub enum Piped {
    /// The next of its statements has been carried out.
    Done {
        rows: u64,
        /// As of an [`Answer`](crate::Answer).
        affected_rows: Option<u64>,
    },
    /// Nothing more comes.
    Ended,
    /// The next statement was refused, and those after it were not looked at; or all were carried out and
    /// could not be committed. Nothing more comes.
    Failed {
        error: Box<OperationError>,
        /// Whether the server has no transaction open any more.
        rolled_back: bool,
    },
}

/// A session's side of the pipeline that is under way. Its queues keep their room.
#[derive(Debug, Default)]
pub(crate) struct Pipeline {
    /// Statements without an answer, in their order.
    pub(crate) awaited: VecDeque<usize>,
    /// The last statement of it.
    pub(crate) last: Option<usize>,
    /// What has been answered and not been told yet, after the first.
    pub(crate) untold: VecDeque<Answered>,
    /// Written before a pause in it: it travels with the rest.
    pub(crate) held: Vec<u8>,
    /// Whether it has begun and is not all written.
    pub(crate) is_open: bool,
    /// Whether a transaction was open before it.
    pub(crate) in_transaction: bool,
    /// Whether one is open behind the last statement that was answered.
    has_begun: bool,
    /// Whether statements outside of it, which are one implicit transaction together, wait for the end of
    /// the pipeline.
    is_implicit: bool,
}

impl Pipeline {
    /// Nothing is under way.
    pub(crate) fn clear(&mut self) {
        self.awaited.clear();
        self.untold.clear();
        self.held.clear();
        (self.is_open, self.is_implicit) = (false, false);
        self.last = None;
    }

    pub(crate) fn begin(&mut self, in_transaction: bool) {
        self.clear();
        (self.is_open, self.in_transaction) = (true, in_transaction);
        self.has_begun = in_transaction;
    }

    /// A statement of that kind was answered. BEGIN makes statements before it part of its transaction, and
    /// COMMIT and ROLLBACK end an implicit one like any other.
    pub(crate) fn answered(&mut self, kind: StatementKind) {
        if kind == StatementKind::Begin || kind.ends_transaction() {
            (self.has_begun, self.is_implicit) = (kind == StatementKind::Begin, false);
        } else {
            self.is_implicit |= !self.has_begun;
        }
    }

    /// Whether its end has ended an implicit transaction.
    pub(crate) fn take_implicit(&mut self) -> bool {
        std::mem::take(&mut self.is_implicit)
    }

    pub(crate) fn wrote(&mut self, statement: usize) {
        self.awaited.push_back(statement);
        self.last = Some(statement);
    }

    /// Keeps back what was written from that place on.
    pub(crate) fn hold(&mut self, from: usize, out: &mut Vec<u8>) {
        self.held.extend_from_slice(&out[from..]);
        out.truncate(from);
    }

    /// Puts what was held back before what was written from that place on.
    pub(crate) fn give_back(&mut self, from: usize, out: &mut Vec<u8>) {
        if !self.held.is_empty() {
            out.splice(from..from, self.held.drain(..));
        }
        self.is_open = false;
    }
}
