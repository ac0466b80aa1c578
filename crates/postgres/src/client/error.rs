use crate::protocol::{ProtocolError, ServerError};
use model::Endpoint;
use system::client::Broken;

/// Why a statement on an open connection did not succeed.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The server refused it, and the connection is as good as before unless that was its last word.
    #[error(transparent)]
    Server(Box<ServerError>),
    /// The connection is of no use any more.
    #[error(transparent)]
    Broken(#[from] Broken),
    /// The server broke the protocol.
    #[error("{0}: {1}")]
    Protocol(Endpoint, ProtocolError),
    /// `copy_in` belongs to `COPY … FROM STDIN`, and only there.
    #[error("the statement asked for the data of a COPY; it got none")]
    UnwantedCopy,
}

impl ClientError {
    /// The SQL state, if it was the server that refused.
    pub fn sql_state(&self) -> Option<&str> {
        match self {
            Self::Server(error) => Some(error.sql_state_str()),
            _ => None,
        }
    }
}
