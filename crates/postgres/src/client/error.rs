use crate::protocol::{ProtocolError, ServerError};
use model::Endpoint;
use system::client::{Broken, ReceiveError};

/// Why a statement on an open connection did not succeed.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The server refused it, and the connection is as good as before.
    #[error(transparent)]
    Server(Box<ServerError>),
    /// The server closed the connection, and said why.
    #[error("{0} closed the connection: {1}")]
    Ended(Endpoint, Box<ServerError>),
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

impl From<ReceiveError<ProtocolError>> for ClientError {
    fn from(error: ReceiveError<ProtocolError>) -> Self {
        match error {
            ReceiveError::Broken(broken) => Self::Broken(broken),
            ReceiveError::Protocol(endpoint, error) => Self::Protocol(endpoint, error),
        }
    }
}

impl ClientError {
    /// An error of the server at that place.
    pub(super) fn of_server(error: Box<ServerError>, endpoint: &Endpoint) -> Self {
        match error.is_last_word() {
            true => Self::Ended(endpoint.clone(), error),
            false => Self::Server(error),
        }
    }

    /// The SQL state, if it was the server that refused.
    pub fn sql_state(&self) -> Option<&str> {
        match self {
            Self::Server(error) | Self::Ended(_, error) => Some(error.sql_state_str()),
            _ => None,
        }
    }
}
