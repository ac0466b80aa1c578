//! The compressed protocol: after the login, what would travel is cut into frames of its own, each
//! with a header of seven bytes (three of length as it travels, one of sequence number, three of length
//! before compression) and at most 16 MiB − 1 of content, compressed with zlib. What is not worth it
//! travels as it is, with 0 as its length before compression.

use super::error::ProtocolError;
use super::frame::FULL;
use flate2::{Compress, Compression as Level, Decompress, FlushCompress, FlushDecompress, Status};
use std::cell::RefCell;

thread_local! {
    /// Every frame is a stream of its own, so the connections of a thread share one compressor, which
    /// takes some 300 KB.
    static DEFLATE: RefCell<Deflate> = RefCell::new(Deflate::default());
}

const HEADER: usize = 7;
/// Shortest content that is compressed, in bytes: the limit that servers and clients have.
const WORTH_IT: usize = 50;
/// Most content that is given at a time, in bytes. It bounds the memory of a connection, whatever
/// lengths the server announces.
const CHUNK: usize = 16 * 1024;

/// Both directions of one connection, from the end of its login on.
#[derive(Debug)]
pub struct Compressed {
    inflate: Decompress,
    /// What was decompressed and is not given yet.
    clear: Box<[u8]>,
    filled: usize,
    /// The part of a header that has arrived.
    header: [u8; HEADER],
    header_length: usize,
    /// The content of a frame under way.
    frame: Option<Frame>,
    next_sequence: u8,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    /// Bytes that are still to come.
    left: usize,
    /// Bytes that they will make; absent where they are not compressed.
    clear_left: Option<usize>,
    /// Whether the compressed stream has ended.
    ended: bool,
}

impl Default for Compressed {
    fn default() -> Self {
        Self {
            inflate: Decompress::new(true),
            clear: vec![0; CHUNK].into(),
            filled: 0,
            header: [0; HEADER],
            header_length: 0,
            frame: None,
            next_sequence: 0,
        }
    }
}

/// What compresses commands.
struct Deflate {
    stream: Compress,
    plain: Vec<u8>,
}

impl Default for Deflate {
    fn default() -> Self {
        // The level that servers and clients have unless they are told otherwise.
        Self { stream: Compress::new(Level::default(), true), plain: Vec::new() }
    }
}

impl Deflate {
    /// Does what [`Compressed::wrap`] says; returns the sequence number that comes next.
    fn wrap(&mut self, out: &mut Vec<u8>, from: usize) -> u8 {
        let Self { stream, plain } = self;
        plain.clear();
        plain.extend_from_slice(&out[from..]);
        out.truncate(from);
        let mut sequence = 0_u8;
        for content in plain.chunks(FULL) {
            write_frame(stream, sequence, content, out);
            sequence = sequence.wrapping_add(1);
        }
        sequence
    }
}

fn write_frame(stream: &mut Compress, sequence: u8, content: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(&[0; HEADER]);
    let compressed = content.len() >= WORTH_IT && deflate(stream, content, out);
    if !compressed {
        out.truncate(start + HEADER);
        out.extend_from_slice(content);
    }
    let length = out.len() - start - HEADER;
    let before = if compressed { content.len() } else { 0 };
    out[start..start + 3].copy_from_slice(&length.to_le_bytes()[..3]);
    out[start + 3] = sequence;
    out[start + 4..start + HEADER].copy_from_slice(&before.to_le_bytes()[..3]);
}

/// Appends the content compressed; false where that is no shorter.
fn deflate(stream: &mut Compress, content: &[u8], out: &mut Vec<u8>) -> bool {
    stream.reset();
    // `compress_vec` fills what room there is and no more.
    let start = out.len();
    out.reserve(content.len());
    let status = stream.compress_vec(content, out, FlushCompress::Finish);
    matches!(status, Ok(Status::StreamEnd)) && out.len() - start < content.len()
}

impl Compressed {
    /// Compresses the command that `out` has from that place on; nothing where it has none.
    pub fn wrap(&mut self, out: &mut Vec<u8>, from: usize) {
        if out.len() <= from {
            return;
        }
        self.next_sequence = DEFLATE.with_borrow_mut(|deflate| deflate.wrap(out, from));
    }

    /// Takes from the input and gives content: empty when there is none without more input. Where a
    /// frame ends, its last content is given when all of it has come.
    ///
    /// # Errors
    /// When frames are out of order or damaged, or make more or less than they announce.
    pub fn unwrap<'a, 'i: 'a>(
        &'a mut self,
        input: &mut &'i [u8],
    ) -> Result<&'a [u8], ProtocolError> {
        loop {
            let Some(mut frame) = self.frame.take() else {
                match self.take_header(input)? {
                    None => return Ok(&[]),
                    frame => self.frame = frame,
                }
                continue;
            };
            let (here, rest) = input.split_at(frame.left.min(input.len()));
            let Some(clear_left) = frame.clear_left else {
                *input = rest;
                frame.left -= here.len();
                self.frame = (frame.left > 0).then_some(frame);
                if here.is_empty() && frame.left > 0 {
                    return Ok(&[]);
                }
                if here.is_empty() {
                    continue;
                }
                return Ok(here);
            };
            let taken = self.inflate(here, clear_left, &mut frame)?;
            *input = &input[taken..];
            let clear_left = frame.clear_left.unwrap_or_default();
            if frame.left == 0 && clear_left == 0 && frame.ended {
                return Ok(&self.clear[..std::mem::take(&mut self.filled)]);
            }
            self.frame = Some(frame);
            if self.filled == CHUNK && clear_left > 0 {
                self.filled = 0;
                return Ok(&self.clear);
            }
            if input.is_empty() && frame.left > 0 {
                return Ok(&[]);
            }
        }
    }

    /// Decompresses as far as there is input and room, and returns how much input that took.
    fn inflate(
        &mut self,
        here: &[u8],
        clear_left: usize,
        frame: &mut Frame,
    ) -> Result<usize, ProtocolError> {
        let damaged = |what| Err(ProtocolError::Compression(what));
        let room = (CHUNK - self.filled).min(clear_left);
        let before = (self.inflate.total_in(), self.inflate.total_out());
        // The end of a stream is found with room for what must not be there.
        let mut beyond = [0];
        let space = match clear_left {
            0 => &mut beyond[..],
            _ => &mut self.clear[self.filled..][..room],
        };
        let Ok(status) = self.inflate.decompress(here, space, FlushDecompress::None) else {
            return damaged("cannot be decompressed");
        };
        let taken = (self.inflate.total_in() - before.0) as usize;
        let given = (self.inflate.total_out() - before.1) as usize;
        if given > clear_left {
            return damaged("is longer than announced");
        }
        self.filled += given;
        frame.left -= taken;
        frame.clear_left = Some(clear_left - given);
        frame.ended |= status == Status::StreamEnd;
        let (all_in, all_out) = (frame.left == 0, clear_left == given);
        if frame.ended && !(all_in && all_out) {
            return damaged("ends before its length");
        }
        if all_in && !frame.ended && taken == 0 && given == 0 {
            return damaged("is shorter than announced");
        }
        Ok(taken)
    }

    /// Takes bytes until a header is complete.
    fn take_header(&mut self, input: &mut &[u8]) -> Result<Option<Frame>, ProtocolError> {
        let (now, rest) = input.split_at(input.len().min(HEADER - self.header_length));
        self.header[self.header_length..][..now.len()].copy_from_slice(now);
        self.header_length += now.len();
        *input = rest;
        if self.header_length < HEADER {
            return Ok(None);
        }
        self.header_length = 0;
        let [a, b, c, sequence, d, e, f] = self.header;
        if sequence != self.next_sequence {
            return Err(ProtocolError::Sequence { expected: self.next_sequence, got: sequence });
        }
        self.next_sequence = sequence.wrapping_add(1);
        let length = |bytes: [u8; 3]| {
            let [a, b, c] = bytes;
            u32::from_le_bytes([a, b, c, 0]) as usize
        };
        let before = length([d, e, f]);
        self.inflate.reset(true);
        self.filled = 0;
        let clear_left = (before > 0).then_some(before);
        Ok(Some(Frame { left: length([a, b, c]), clear_left, ended: false }))
    }
}
