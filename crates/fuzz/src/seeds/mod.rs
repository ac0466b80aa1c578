//! Inputs to start from: what well-behaved servers and tools send.

pub(crate) mod import;
pub(crate) mod local;
pub(crate) mod mysql;
pub(crate) mod postgres;
pub(crate) mod redis;
pub(crate) mod store;
pub(crate) mod study;

/// A seed: the bytes that decide how it is run, and its content.
fn seed(head: &[u8], content: &[u8]) -> Vec<u8> {
    [head, content].concat()
}
