//! What PostgreSQL servers are asked and answer.
#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod client;
mod load;
mod logs;
mod sessions;
#[path = "../support/mod.rs"]
mod support;
