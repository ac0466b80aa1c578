//! A blocking connection to a server, for everything but the load itself: setting up, checking,
//! reading counters.

mod connection;
mod credentials;
mod error;
mod failure;
pub(crate) mod password_file;
pub(crate) mod service;
mod session;
mod url;

pub use crate::protocol::TextRows as Rows;
pub use connection::Connection;
pub use credentials::usual_login;
pub use error::ClientError;
pub(crate) use failure::{LOOK, quoted};
pub use failure::{login_failure, server_failure};
pub(crate) use session::login_options;
pub(crate) use url::completed_url;

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
