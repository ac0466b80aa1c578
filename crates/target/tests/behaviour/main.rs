//! Connections, private servers and volumes: real ones, and servers that lie.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod client_limits;
mod client_login;
mod client_statements;
mod client_tls;
mod prepared;
mod redis;
mod sandbox;
mod sandbox_attacked;
mod sandbox_ends;
mod sandbox_hangs;
#[path = "../support/mod.rs"]
mod support;
mod volumes;
