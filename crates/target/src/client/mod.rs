//! A blocking connection to a server, for everything but the load itself: setting up, checking,
//! reading counters.
//!
//! Who logs in is decided by [`resolve`]; [`tls`] serves the load engine's connections too.

mod connection;
mod credentials;
mod error;
mod failure;
pub mod fuzzing;
mod guest;
mod line;
mod option_file;
mod private_file;
pub mod redis;
mod secrets;
mod server_key;
mod session;
mod system_user;
pub mod tls;
mod transport;
mod visitors;

pub use connection::Connection;
pub use credentials::{
    Credentials, LoginEnvironment, Secret, resolve, resolve_redis, resolve_server_key,
    resolve_token,
};
pub use error::{Broken, ClientError, How};
pub use failure::{connect_failure, login_failure, server_failure};
pub use guest::Guest;
pub use line::Limits;
pub use protocol::mysql::TextRows as Rows;
pub use secrets::{Consent, SecretRules, WantedSecret, is_loopback, wanted_secrets};
pub use server_key::server_key;
pub use visitors::{certificate_and_key, read_seed, visitors_token};
