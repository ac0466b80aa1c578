use crate::{PipelineWire, Statements};
use engine::{OperationError, ServedBy, SessionError, Unasked};
use model::RequestKind;
use workload::program::Run;

/// A protocol by which a client runs the statements of a program on one connection.
///
/// The session that drives it knows what comes next and what it counts as; this knows how it travels.
pub trait Wire {
    /// What statements may count as, in the order of [`workload::program::StatementKind`].
    const KINDS: &'static [RequestKind];
    const SERVED_BY: ServedBy = ServedBy::ThreadOfEach;

    /// What those of a program count as.
    fn kinds(statements: &Statements) -> &'static [RequestKind];

    /// Starts over on a new connection; appends what the client says first, if anything.
    fn open(&mut self, out: &mut Vec<u8>);

    /// The transport is encrypted from here on.
    fn tls_started(&mut self, out: &mut Vec<u8>);

    /// The server has shown this certificate, in DER, before anything that it says encrypted.
    fn peer_certificate(&mut self, _certificate: &[u8]) {}

    /// Logs in and prepares what is to be prepared. Returns how many bytes it took.
    ///
    /// # Errors
    /// When the session cannot be opened.
    fn get_ready(
        &mut self,
        statements: &Statements,
        input: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(usize, Ready), SessionError>;

    /// Nobody logs in anywhere, and everything counts as prepared.
    fn pretend_ready(&mut self, statements: &Statements);

    /// Appends a statement, by its number and that of its text, with its values. Returns how many rows
    /// it inserts that a source made.
    fn write(
        &mut self,
        statements: &Statements,
        what: (usize, usize),
        run: &mut Run,
        out: &mut Vec<u8>,
    ) -> u64;

    /// Appends what ends a transaction that failed.
    fn write_rollback(&mut self, out: &mut Vec<u8>);

    /// Takes in what came in answer. Variables that read from the answer to that statement have their
    /// values when it has ended.
    ///
    /// # Errors
    /// When the session cannot go on.
    fn receive(
        &mut self,
        statements: &Statements,
        statement: Option<usize>,
        run: &mut Run,
        input: &[u8],
    ) -> Result<(usize, Option<Answer>), SessionError>;

    /// How statements are sent without waiting; absent where the protocol has no such thing, whose systems
    /// refuse scripts that do.
    fn pipelines(&mut self) -> Option<&mut dyn PipelineWire> {
        None
    }

    /// What the bytes are that no request had been sent for when they came: their first message.
    ///
    /// # Errors
    /// When they are no message, or one after which the session cannot go on.
    fn unasked(&mut self, input: &[u8]) -> Result<Unasked, SessionError>;

    fn close(&mut self, out: &mut Vec<u8>);
}

/// How far a session is that is being opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ready {
    NotYet,
    /// The transport is to be encrypted now.
    StartTls,
    Ready,
}

/// An answer that has ended.
#[derive(Debug)]
pub enum Answer {
    Done {
        rows: u64,
        /// Rows that the statement inserted, changed or removed; absent of what does none of this.
        affected_rows: Option<u64>,
    },
    Failed {
        error: Box<OperationError>,
        /// Whether the server has no transaction open any more.
        rolled_back: bool,
    },
}
