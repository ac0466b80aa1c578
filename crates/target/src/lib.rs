//! How weighin talks to a server besides the load: control connections, logins, TLS.

pub mod client;

#[doc(hidden)]
pub use client::fuzzing;
