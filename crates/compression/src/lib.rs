//! Streams that others compressed, recognised by their contents and unpacked in bounded memory.

mod contents;
mod stream;

pub use contents::{Contents, ContentsError};
pub use stream::{Compression, Decoder};
