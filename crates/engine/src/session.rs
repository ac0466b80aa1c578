use model::{ErrorClass, StatementCounts};

/// One client's side of a protocol, from login to the last reply: bytes in, bytes out.
///
/// An implementation never blocks, reads no clock and keeps no books; whoever drives it does.
/// One operation is under way at a time.
pub trait Session {
    /// Kinds of requests whose latencies are kept apart, by name. Where there are none, driving
    /// the session costs nothing for it.
    const REQUESTS: &'static [&'static str] = &[];
    /// Whether a connection that is to be encrypted is encrypted before the first byte of the
    /// protocol; else the session says when ([`Event::StartTls`]).
    const ENCRYPTED_AT_ONCE: bool = false;
    /// Threads with which a server serves any number of clients; absent where it has one for each.
    const SERVER_THREADS: Option<usize> = None;

    /// Starts over on a new connection; appends what the client says first, if anything.
    fn open(&mut self, out: &mut Vec<u8>);

    /// The transport is encrypted from here on (after [`Event::StartTls`]); appends what follows.
    fn tls_started(&mut self, out: &mut Vec<u8>);

    /// Begins the next operation; appends its first request.
    fn begin(&mut self, out: &mut Vec<u8>);

    /// Consumes bytes from the server, appends what is to be sent in return, and counts every
    /// acknowledged statement. Returns how many bytes it consumed: all of them, unless the rest
    /// is an incomplete message that must be shown again with more, or belongs to TLS.
    ///
    /// # Errors
    /// When the session cannot go on.
    fn receive(
        &mut self,
        input: &[u8],
        out: &mut Vec<u8>,
        counts: &mut StatementCounts,
    ) -> Result<(usize, Event), SessionError>;

    /// The kind of request, as a place in [`Self::REQUESTS`], whose reply was completed without
    /// error by the bytes last received.
    fn take_answered(&mut self) -> Option<usize> {
        None
    }

    /// Appends a goodbye, if the protocol has one.
    fn close(&mut self, out: &mut Vec<u8>);
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
    /// The server's code; 0 where there is none.
    pub code: u16,
    /// SQL state, or the word that stands in its place; empty where there is neither.
    pub sql_state: String,
    /// The server's words.
    pub message: String,
}

impl OperationError {
    /// The code as people look it up: a number with its SQL state, or a word.
    pub fn name(&self) -> String {
        match (self.code, self.sql_state.as_str()) {
            (0, "") => "no code".to_owned(),
            (0, word) => word.to_owned(),
            (code, "") => format!("error {code}"),
            (code, state) => format!("error {code}, SQL state {state}"),
        }
    }
}

/// Why a session cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The login failed.
    #[error(transparent)]
    Login(#[from] protocol::mysql::LoginError),
    /// The server refused the login.
    #[error("the server refused the login: {}", .0.message)]
    LoginRefused(Box<OperationError>),
    /// A statement could not be prepared.
    #[error("cannot prepare «{sql}»: {error}")]
    Prepare {
        /// The statement.
        sql: String,
        /// The server's answer.
        error: protocol::mysql::ServerError,
    },
    /// An operation failed in a way that the next one will too.
    #[error("the server refused an operation: {} ({})", .0.message, .0.name())]
    Refused(Box<OperationError>),
    /// The server broke the protocol, or speaks another one.
    #[error("unexpected bytes from the server: {0}")]
    Protocol(String),
}
