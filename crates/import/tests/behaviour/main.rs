//! What others measured, read from what they wrote.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod audit;
mod formats;
mod layouts;
mod packed;
mod repeats;
mod studies;
mod tables;
mod tidy_csv;
