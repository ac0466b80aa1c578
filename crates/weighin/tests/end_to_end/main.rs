//! Weighin as its users run it, against real servers.
#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod bad_input;
mod closed_pipes;
mod full_disks;
mod load;
mod login;
mod prepare;
mod resume;
mod run;
mod second_opinion;
mod secrets;
mod server_trouble;
mod support;
mod sysbench;
mod sysbench_commands;
