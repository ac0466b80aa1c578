//! Tools that read and write single keys on a Redis server: run on the very keys that weighin's
//! loads work on.

pub(crate) mod memtier;
pub(crate) mod redis_benchmark;
mod server;
mod tool;
mod trouble;

pub use memtier::Memtier;
pub use redis_benchmark::RedisBenchmark;
pub use server::{Guest, Server};
pub use tool::{KeyValueTool, choose};

/// Threads of a tool, where it has as many connections: what weighin's one thread is held
/// against, and what tools of one event loop a thread need on a server that has one as well.
const THREADS: u32 = 2;
