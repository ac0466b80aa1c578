//! Checks that the invariants of `ARCHITECTURE.md` hold. The tables of that page are read here,
//! so that the page and the code say the same.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod circles;
mod crates;
mod documents;
mod sources;
mod systems;
mod workspace;
