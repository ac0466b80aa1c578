//! A blocking connection to a server, for everything but the load itself: setting up, checking,
//! reading counters.

mod binding;
mod connection;
mod credentials;
mod error;
mod failure;
pub(crate) mod password_file;
mod session;

pub use crate::protocol::TextRows as Rows;
pub use connection::Connection;
pub use credentials::usual_login;
pub use error::ClientError;
pub(crate) use failure::{LOOK, quoted};
pub use failure::{login_failure, server_failure};
pub(crate) use session::login_options;
