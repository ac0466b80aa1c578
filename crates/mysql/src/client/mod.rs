//! A blocking connection to a server, for everything but the load itself: setting up, checking,
//! reading counters.

mod connection;
mod credentials;
mod error;
mod failure;
pub(crate) mod option_file;
mod server_key;
mod session;

pub use crate::protocol::TextRows as Rows;
pub use connection::Connection;
pub use credentials::{resolve_server_key, usual_login};
pub use error::ClientError;
pub use failure::{login_failure, server_failure};
pub use server_key::server_key;

use model::Failure;
use system::Login;
use system::client::Limits;

/// Opens a connection for control work.
///
/// # Errors
/// When the server cannot be reached or refuses.
pub fn connect(login: &Login) -> Result<Connection, Failure> {
    Connection::open_within(login.address(), login.credentials(), Limits::default(), login.stop())
}
