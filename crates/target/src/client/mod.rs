//! A blocking connection to a server, for everything but the load itself: setting up, checking,
//! reading counters.
//!
//! Who logs in is decided by [`resolve`]; [`tls`] serves the load engine's connections too.

mod connection;
mod credentials;
mod error;
mod failure;
mod guest;
mod option_file;
mod private_file;
pub mod redis;
mod session;
pub mod tls;
mod transport;

pub use connection::{Connection, Timeouts};
pub use credentials::{Credentials, Secret, Surroundings, resolve, resolve_redis};
pub use error::ClientError;
pub use failure::{connect_failure, login_failure};
pub use guest::Guest;
pub use protocol::mysql::TextRows as Rows;
