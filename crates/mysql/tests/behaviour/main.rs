//! Bytes to and from servers of MariaDB and MySQL, sound ones and others.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod commands;
mod compression;
mod login;
mod replies;
mod robustness;
mod server_key;
#[path = "../support/mod.rs"]
mod support;
mod surplus;
