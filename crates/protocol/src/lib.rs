//! Wire protocols without IO: bytes in, bytes out.
//!
//! Nothing here opens a socket or waits. Whoever owns the connection feeds what it received into
//! a reader and sends what a writer appended to a buffer, which is why the same code serves
//! blocking control connections and the event loop of the load engine, and can be fuzzed.

pub mod mysql;
pub mod redis;
