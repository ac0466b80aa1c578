//! Loads on real files and devices.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

#[path = "storage/failing.rs"]
mod failing;
#[path = "storage/files.rs"]
mod files;
#[path = "storage/loads.rs"]
mod loads;
#[path = "storage/processors.rs"]
mod processors;
#[path = "storage/support.rs"]
mod support;
#[path = "storage/verified.rs"]
mod verified;
