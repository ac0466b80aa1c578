//! Moving bytes: sockets, TLS, and the thread that waits for them.

mod connection;
mod tls;
mod worker;

pub use connection::Address;
pub use tls::TlsUpgrade;
pub(crate) use worker::{Control, Report, Worker, WorkerSpec};
