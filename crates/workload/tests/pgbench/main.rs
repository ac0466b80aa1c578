//! Scripts mean what they mean to pgbench 15 of PostgreSQL, run on a server of its own.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]
#![allow(clippy::print_stderr, reason = "what cannot be tested here is said")]

mod accepted;
mod functions;
mod server;
mod support;
