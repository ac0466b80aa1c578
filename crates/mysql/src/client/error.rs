use crate::protocol::{ProtocolError, ServerError};
use model::Endpoint;
use system::client::{Broken, ReceiveError};

/// Why a statement on an open connection did not succeed.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The server refused it, and the connection is as good as before.
    #[error(transparent)]
    Server(#[from] ServerError),
    /// The connection is of no use any more.
    #[error(transparent)]
    Broken(#[from] Broken),
    /// The server broke the protocol.
    #[error("{0}: {1}")]
    Protocol(Endpoint, ProtocolError),
    /// The statement gave the server no reason to ask for a file, or a reason that it should not
    /// have had: `load_local` belongs to `LOAD DATA LOCAL`, and only there.
    #[error("{0}")]
    Infile(&'static str),
}

impl From<ReceiveError<ProtocolError>> for ClientError {
    fn from(error: ReceiveError<ProtocolError>) -> Self {
        match error {
            ReceiveError::Broken(broken) => Self::Broken(broken),
            ReceiveError::Protocol(endpoint, error) => Self::Protocol(endpoint, error),
        }
    }
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
