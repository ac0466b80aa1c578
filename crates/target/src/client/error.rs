use protocol::mysql::{ProtocolError, ServerError};

/// Why a statement on an open connection did not succeed.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The server refused it, and the connection is as good as before.
    #[error(transparent)]
    Server(#[from] ServerError),
    /// The connection broke, or had been broken by an earlier error.
    #[error("lost the connection to the server: {0}")]
    Lost(#[source] std::io::Error),
    /// No answer within the read timeout. The connection is closed: the answer might still come.
    #[error("the server did not answer within {} seconds", .0.as_secs_f64())]
    TimedOut(std::time::Duration),
    /// The server broke the protocol.
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
    /// The statement gave the server no reason to ask for a file, or a reason that it should not
    /// have had: `load_local` belongs to `LOAD DATA LOCAL`, and only there.
    #[error("{0}")]
    Infile(&'static str),
}

impl ClientError {
    /// The server's error number, if it was the server that refused.
    pub fn code(&self) -> Option<u16> {
        match self {
            Self::Server(error) => Some(error.code),
            _ => None,
        }
    }
}
