//! This machine: its disks, programs and samples.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod disks;
mod programs;
mod sampling;
