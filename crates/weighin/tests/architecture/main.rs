//! Checks that the invariants of `ARCHITECTURE.md` hold. The tables of that page are read here,
//! so that the page and the code say the same.

mod crates;
mod documents;
mod sources;
mod workspace;
