//! Connections, private servers and volumes: real ones, and servers that lie.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod client_limits;
mod client_login;
mod client_statements;
mod client_tls;
mod credentials;
mod postgres_servers;
mod prepared;

mod redis_servers;
mod sandbox;
mod sandbox_attacked;
mod sandbox_ends;
mod sandbox_hangs;
mod secrets;
#[path = "../support/mod.rs"]
mod support;
mod volumes;
