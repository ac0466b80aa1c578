//! The installed tools of others, on private servers and files of their own.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod fio;
mod key_value;
mod real;
