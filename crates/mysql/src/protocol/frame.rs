//! Frames: every packet travels as one or more frames of a four-byte header (three bytes of
//! length, one of sequence number) and at most 16 MiB − 1 of payload. A packet of several frames
//! ends with the first frame that is not full, which may be empty.

use super::capabilities::Dialect;
use super::error::ProtocolError;

/// Bytes of a frame's header.
pub(super) const HEADER: usize = 4;
/// Longest payload of a frame, in bytes; a frame of this length is followed by another.
pub(super) const FULL: usize = 0xFF_FFFF;

/// First byte of an ERR packet.
pub(super) const ERR: u8 = 0xFF;

/// Length and sequence number of a frame.
pub(super) fn parse_header([a, b, c, sequence]: [u8; HEADER]) -> (usize, u8) {
    (u32::from_le_bytes([a, b, c, 0]) as usize, sequence)
}

/// A frame's header. Only the lower 24 bits of the length travel.
pub(super) fn header(length: usize, sequence: u8) -> [u8; HEADER] {
    let [a, b, c, ..] = length.to_le_bytes();
    [a, b, c, sequence]
}

/// Appends a packet made of `head` and `body`, split into as many frames as it takes, and returns
/// the sequence number that comes after it.
pub(super) fn write_packet(sequence: u8, head: &[u8], body: &[u8], out: &mut Vec<u8>) -> u8 {
    let (mut head, mut body, mut sequence) = (head, body, sequence);
    out.reserve(head.len() + body.len() + HEADER);
    loop {
        let length = (head.len() + body.len()).min(FULL);
        out.extend_from_slice(&header(length, sequence));
        sequence = sequence.wrapping_add(1);
        let from_head = head.len().min(length);
        let from_body = length - from_head;
        out.extend_from_slice(&head[..from_head]);
        out.extend_from_slice(&body[..from_body]);
        (head, body) = (&head[from_head..], &body[from_body..]);
        if length < FULL {
            return sequence;
        }
    }
}

/// What to do with a packet whose start has been seen and whose end has not.
pub(super) enum Want {
    /// Count its bytes and forget them.
    Skip,
    /// Keep it until it is whole, unless it is longer than this many bytes.
    Collect {
        /// Longest packet that makes sense here, in bytes.
        limit: usize,
    },
}

/// How a packet starts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    /// Its first byte; `None` for an empty packet.
    pub(super) first: Option<u8>,
    /// Length of its first frame in bytes; [`FULL`] if others follow.
    pub(super) length: usize,
}

/// A packet that has ended.
pub(super) struct Packet<'a> {
    /// How it started.
    pub(super) start: Start,
    /// All of it, or nothing if the reader wanted to skip it and it came in pieces.
    pub(super) payload: &'a [u8],
}

/// Finds the packets in a stream that arrives in pieces of any size.
///
/// A packet that lies whole in the input is lent from there; only one that is cut is copied, and
/// only if its reader wants it.
#[derive(Debug)]
pub(super) struct Packets {
    /// Whether frames are numbered one after another.
    numbered: bool,
    next_sequence: u8,
    state: State,
    /// The part of a header that has arrived.
    header: [u8; HEADER],
    header_length: usize,
    collected: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// The header of a new packet comes next.
    Between,
    /// The header of a packet has arrived and its first byte has not.
    Started { length: usize, sequence: u8 },
    /// In the payload of a frame, `left` bytes before its end; `full` if another frame follows.
    Body { start: Start, limit: Option<usize>, left: usize, full: bool },
    /// The header of the next frame of the same packet comes next.
    Continued { start: Start, limit: Option<usize> },
}

impl Packets {
    /// Starts between packets; the next one must have that sequence number.
    pub(super) fn new(next_sequence: u8) -> Self {
        Self {
            numbered: true,
            next_sequence,
            state: State::Between,
            header: [0; HEADER],
            header_length: 0,
            collected: Vec::new(),
        }
    }

    /// The same where a dialect does not number frames one after another.
    pub(super) fn in_dialect(dialect: Dialect, next_sequence: u8) -> Self {
        Self { numbered: !dialect.compressed, ..Self::new(next_sequence) }
    }

    /// Forgets what was under way; the next packet must have that sequence number.
    pub(super) fn reset(&mut self, next_sequence: u8) {
        self.next_sequence = next_sequence;
        self.state = State::Between;
        self.header_length = 0;
    }

    /// The sequence number that the next frame must have.
    pub(super) fn next_sequence(&self) -> u8 {
        self.next_sequence
    }

    /// Takes from the input up to the end of a packet, or all of it if none ends there. `want`
    /// is asked about a packet that does not lie whole in the input.
    #[inline]
    pub(super) fn next<'a, 'i: 'a>(
        &'a mut self,
        input: &mut &'i [u8],
        want: impl Fn(Start) -> Want,
    ) -> Result<Option<Packet<'a>>, ProtocolError> {
        if matches!(self.state, State::Between)
            && self.header_length == 0
            && let Some((&header, rest)) = input.split_first_chunk()
        {
            let (length, sequence) = parse_header(header);
            if length < FULL
                && let Some((payload, rest)) = rest.split_at_checked(length)
            {
                let start = Start { first: payload.first().copied(), length };
                self.check_sequence(sequence, start.first)?;
                *input = rest;
                return Ok(Some(Packet { start, payload }));
            }
        }
        self.next_in_pieces(input, want)
    }

    fn next_in_pieces<'a, 'i: 'a>(
        &'a mut self,
        input: &mut &'i [u8],
        want: impl Fn(Start) -> Want,
    ) -> Result<Option<Packet<'a>>, ProtocolError> {
        loop {
            match self.state {
                State::Between => {
                    let Some((length, sequence)) = self.take_header(input) else {
                        return Ok(None);
                    };
                    if length == 0 {
                        self.check_sequence(sequence, None)?;
                        return Ok(Some(Packet {
                            start: Start { first: None, length },
                            payload: &[],
                        }));
                    }
                    self.state = State::Started { length, sequence };
                }
                State::Started { length, sequence } => {
                    let Some(&first) = input.first() else { return Ok(None) };
                    self.check_sequence(sequence, Some(first))?;
                    self.collected.clear();
                    let start = Start { first: Some(first), length };
                    let limit = match want(start) {
                        Want::Skip => None,
                        Want::Collect { limit } => Some(limit),
                    };
                    self.enter_frame(start, limit, length)?;
                }
                State::Body { start, limit, left, full } => {
                    let (now, rest) = input.split_at(left.min(input.len()));
                    *input = rest;
                    if limit.is_some() {
                        self.collected.extend_from_slice(now);
                    }
                    let left = left - now.len();
                    if left > 0 {
                        self.state = State::Body { start, limit, left, full };
                        return Ok(None);
                    }
                    if !full {
                        self.state = State::Between;
                        return Ok(Some(Packet { start, payload: &self.collected }));
                    }
                    self.state = State::Continued { start, limit };
                }
                State::Continued { start, limit } => {
                    let Some((length, sequence)) = self.take_header(input) else {
                        return Ok(None);
                    };
                    self.check_sequence(sequence, None)?;
                    self.enter_frame(start, limit, length)?;
                }
            }
        }
    }

    fn enter_frame(
        &mut self,
        start: Start,
        limit: Option<usize>,
        length: usize,
    ) -> Result<(), ProtocolError> {
        let total = self.collected.len() + length;
        if let Some(limit) = limit
            && total > limit
        {
            return Err(ProtocolError::TooLong { length: total, limit });
        }
        self.state = State::Body { start, limit, left: length, full: length == FULL };
        Ok(())
    }

    /// Takes bytes until a header is complete.
    fn take_header(&mut self, input: &mut &[u8]) -> Option<(usize, u8)> {
        let (now, rest) = input.split_at(input.len().min(HEADER - self.header_length));
        self.header[self.header_length..][..now.len()].copy_from_slice(now);
        self.header_length += now.len();
        *input = rest;
        if self.header_length < HEADER {
            return None;
        }
        self.header_length = 0;
        Some(parse_header(self.header))
    }

    /// An ERR packet may have any number: a server that ends a connection on its own account does
    /// not wait for its turn.
    #[inline]
    fn check_sequence(&mut self, got: u8, first: Option<u8>) -> Result<(), ProtocolError> {
        let expected = self.next_sequence;
        if got != expected && self.numbered && first != Some(ERR) {
            return Err(ProtocolError::Sequence { expected, got });
        }
        self.next_sequence = got.wrapping_add(1);
        Ok(())
    }
}
