//! What blocking connections to servers have in common, for everything but the load itself: sockets
//! with limits, TLS, and who logs in with which secret.
//!
//! [`tls`] serves the load engine's connections too.

mod channel;
mod credentials;
mod error;
mod failure;
pub mod fuzzing;
mod line;
mod private_file;
mod secrets;
pub mod tls;
mod transport;
mod visitors;

pub use channel::{Channel, ReceiveError};
pub use credentials::{
    Credentials, LoginEnvironment, Secret, UsualLogin, UsualPassword, Variable, refusal,
    resolve_token,
};
pub use error::{Broken, How};
pub use failure::{broken_login, connect_failure};
pub use line::{Cut, Limits, Line};
pub use private_file::{Unreadable, read_options, read_private_options, read_public};
pub use secrets::{Consent, SecretRules, WantedSecret, is_loopback, wanted_secrets};
pub use transport::Transport;
pub use visitors::{certificate_and_key, read_seed, visitors_token};
