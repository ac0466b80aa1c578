//! Results files: what is kept, whatever ends the program, and whoever else writes there.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod crash;
mod found;
mod full_disk;
mod limits;
mod logs;
mod planted;
mod queries;
mod refusals;
mod round_trip;
mod strangers;
mod tampering;
