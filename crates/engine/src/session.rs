use model::{ErrorClass, RequestKind, RequestTally};
use std::time::Duration;

/// What of a server works for its clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServedBy {
    /// So many threads, whatever the number of clients.
    Threads(usize),
    ThreadOfEach,
    ProcessOfEach,
}

/// One client's side of a protocol, from login to the last reply: bytes in, bytes out.
///
/// An implementation never blocks, reads no clock and records nothing; whoever drives it does.
/// One operation is under way at a time.
pub trait Session {
    /// Kinds of requests that [`Self::receive`] counts, by their place in the tally; at most
    /// [`model::MAX_REQUEST_KINDS`].
    const KINDS: &'static [RequestKind];
    /// Whether latencies are kept apart by statement ([`Self::names`]). Where they are not, driving the
    /// session costs nothing for it.
    const BY_STATEMENT: bool = false;
    /// Whether a connection that is to be encrypted is encrypted before the first byte of the
    /// protocol; else the session says when ([`Event::StartTls`]).
    const ENCRYPTED_AT_ONCE: bool = false;
    const SERVED_BY: ServedBy = ServedBy::ThreadOfEach;

    /// Those of [`Self::KINDS`] that its load can have: all, or the first.
    fn kinds(&self) -> &'static [RequestKind] {
        Self::KINDS
    }

    /// What statements whose latencies are kept apart are called; all sessions of a load call them
    /// alike.
    fn names(&self) -> Vec<String> {
        Vec::new()
    }

    /// Starts over on a new connection; appends what the client says first, if anything.
    fn open(&mut self, out: &mut Vec<u8>);

    /// The transport is encrypted from here on (after [`Event::StartTls`]); appends what follows.
    fn tls_started(&mut self, out: &mut Vec<u8>);

    /// The encryption is set up, and the server has shown this certificate, in DER. What [`Self::tls_started`]
    /// appended is on its way; nothing has come in answer yet.
    fn peer_certificate(&mut self, _certificate: &[u8]) {}

    /// Begins the next operation; appends its first request, or has another event
    /// ([`Self::take_event`]).
    fn begin(&mut self, out: &mut Vec<u8>);

    /// Goes on after [`Event::Pause`], as [`Self::begin`] begins.
    fn resume(&mut self, _out: &mut Vec<u8>) {}

    /// What beginning or going on came to, where nothing was asked that an answer is waited for.
    #[inline]
    fn take_event(&mut self) -> Option<Event> {
        None
    }

    /// Consumes bytes from the server, appends what is to be sent in return, and counts every
    /// acknowledged request. Returns how many bytes it consumed: all of them, unless the rest
    /// is an incomplete message that must be shown again with more, or belongs to TLS. What is left
    /// where a request is appended or an operation ends is shown to [`Self::unasked`].
    ///
    /// # Errors
    /// When the session cannot go on.
    fn receive(
        &mut self,
        input: &[u8],
        out: &mut Vec<u8>,
        tally: &mut RequestTally,
    ) -> Result<(usize, Event), SessionError>;

    /// A statement whose reply was completed by the bytes last received; to be asked until there is none.
    fn take_answered(&mut self) -> Option<Answered> {
        None
    }

    /// The kind of statement, as a place in [`Self::names`], whose reply is waited for.
    fn awaited(&self) -> Option<usize> {
        None
    }

    /// What operations are called; none where they are not told apart. All sessions of a load call them
    /// alike.
    fn transaction_names(&self) -> Vec<String> {
        Vec::new()
    }

    /// What the operation under way, or the last one, is called, as a place in
    /// [`Self::transaction_names`]; absent where operations are not told apart.
    fn transaction(&self) -> Option<usize> {
        None
    }

    /// The kind of statement, as a place in [`Self::names`], by whose refusal the last operation failed.
    fn refused_statement(&self) -> Option<usize> {
        None
    }

    /// Whether the operation that has just failed is what begins next, with the same values: it is to be
    /// done again, and has not failed yet.
    fn does_again(&self) -> bool {
        false
    }

    /// What the bytes are that no request had been sent for when they came: their first message.
    ///
    /// # Errors
    /// When they are no message, or one after which the session cannot go on.
    fn unasked(&mut self, _input: &[u8]) -> Result<Unasked, SessionError> {
        Ok(Unasked::Answer)
    }

    /// Appends a goodbye, if the protocol has one.
    fn close(&mut self, out: &mut Vec<u8>);
}

/// A statement that was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answered {
    /// Its kind, as a place in [`Session::names`].
    pub kind: usize,
    /// Whether the answer was an error.
    pub refused: bool,
    /// Rows in the answer, or that were changed.
    pub rows: u64,
}

/// What came although nothing was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unasked {
    /// So many bytes, one at least, are something that the server tells by itself, such as a notice.
    Notice(usize),
    /// The server says that it closes the connection, as one that had nothing to do for too long.
    Farewell,
    /// The start of either: it is shown again with more.
    Unfinished,
    /// An answer: the session no longer knows which request an answer belongs to.
    Answer,
}

/// What the bytes just received amount to.
#[derive(Debug)]
pub enum Event {
    /// The operation, or the login, goes on.
    More,
    /// The transport is to be encrypted now.
    StartTls,
    /// The login is complete: operations may begin.
    Ready,
    /// The client does nothing for so long, and then goes on ([`Session::resume`]).
    Pause(Duration),
    /// The operation succeeded.
    Done,
    /// The operation failed; the next one may begin unless the class says that the connection is
    /// gone.
    Failed(Box<OperationError>),
}

/// An error that the server answered an operation with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationError {
    /// What kind of trouble.
    pub class: ErrorClass,
    /// The target's own code: a number, or a word; empty where there is none.
    pub code: String,
    /// Five characters where the server has such states; else empty.
    pub sql_state: String,
    /// The server's words.
    pub message: String,
}

impl OperationError {
    /// The code as people look it up: a number with its SQL state, or a word.
    pub fn name(&self) -> String {
        match (self.code.as_str(), self.sql_state.as_str()) {
            ("", "") => "no code".to_owned(),
            (code, "") if code.starts_with(|first: char| first.is_ascii_digit()) => {
                format!("error {code}")
            }
            (word, "") => word.to_owned(),
            (code, state) => format!("error {code}, SQL state {state}"),
        }
    }
}

/// Why a session cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The login failed for a reason that the system's own type tells.
    #[error(transparent)]
    Login(Box<dyn std::error::Error + Send + Sync>),
    /// The server has no room for a further connection: others may just be ending.
    #[error(transparent)]
    NoRoom(Box<dyn std::error::Error + Send + Sync>),
    /// The server refused the login.
    #[error("the server refused the login: {}", .0.message)]
    LoginRefused(Box<OperationError>),
    /// A statement could not be prepared.
    #[error("cannot prepare «{statement}»: {} ({})", error.message, error.name())]
    Prepare {
        /// The statement.
        statement: String,
        /// The server's answer.
        error: Box<OperationError>,
    },
    /// An operation failed in a way that the next one will too.
    #[error("an operation failed: {} ({})", .0.message, .0.name())]
    Refused(Box<OperationError>),
    /// The server says that it closes the connection, and no new one is to be made.
    #[error("the server closed the connection")]
    Closed,
    /// The server broke the protocol, or speaks another one.
    #[error("unexpected bytes from the server: {0}")]
    Protocol(String),
}

impl SessionError {
    /// Bytes came to which no request belongs.
    pub fn unasked() -> Self {
        Self::Protocol("an answer that nobody asked for".to_owned())
    }
}
