//! Moving bytes: sockets, TLS, and the thread that waits for them.

mod connection;
mod epoll;
mod goodbye;
mod option;
mod pace;
mod stamp;
mod timer;
mod tls;
mod uring;
mod worker;

pub use connection::Address;
pub(crate) use goodbye::LIMIT as GOODBYE_LIMIT;
pub(crate) use stamp::receive_delay;
pub(crate) use timer::Timer;
pub use tls::TlsUpgrade;
pub(crate) use worker::{Worker, WorkerSpec};
