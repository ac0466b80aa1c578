//! File operations that are safe where other accounts of the machine may write.
//!
//! Another account that may write in a directory can put a symbolic link, a hard link, a FIFO or a
//! device there, under any name and at any moment. A program with more rights that opens, makes,
//! removes or hands over files by path then acts on whatever the link leads to. Here a path is
//! resolved once, to the descriptor of a [`Directory`]. Everything else names one entry of that
//! directory and never follows a link.
//!
//! Since names have one component, `O_NOFOLLOW` and its kin do what `openat2` with
//! `RESOLVE_NO_SYMLINKS` would do, on every kernel and under every seccomp filter.

mod directory;
mod facts;
mod refusal;
mod tree;
mod trust;
mod unfinished;

pub use directory::{Access, Directory};
pub use facts::{Facts, Kind};
pub use refusal::Refusal;
pub use tree::ENTRY_BYTES;
pub use unfinished::Unfinished;
