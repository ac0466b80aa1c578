//! Messages: a byte that says the type, four bytes of length which count themselves, and a body.

use super::error::ProtocolError;

/// Bytes before the body.
pub(super) const HEAD: usize = 5;
/// What the length counts of the head.
const OWN_LENGTH: i32 = 4;
/// Longest message that is neither a row nor a description of one, in bytes.
pub(super) const CONTROL_LIMIT: usize = 1 << 20;

/// Types of the messages that a server sends.
pub(super) mod tag {
    pub(crate) const AUTHENTICATION: u8 = b'R';
    pub(crate) const BACKEND_KEY: u8 = b'K';
    pub(crate) const BIND_COMPLETE: u8 = b'2';
    pub(crate) const CLOSE_COMPLETE: u8 = b'3';
    pub(crate) const COMMAND_COMPLETE: u8 = b'C';
    pub(crate) const COPY_BOTH: u8 = b'W';
    pub(crate) const COPY_DATA: u8 = b'd';
    pub(crate) const COPY_DONE: u8 = b'c';
    pub(crate) const COPY_IN: u8 = b'G';
    pub(crate) const COPY_OUT: u8 = b'H';
    pub(crate) const DATA_ROW: u8 = b'D';
    pub(crate) const EMPTY_QUERY: u8 = b'I';
    pub(crate) const ERROR: u8 = b'E';
    pub(crate) const NEGOTIATE_VERSION: u8 = b'v';
    pub(crate) const NO_DATA: u8 = b'n';
    pub(crate) const NOTICE: u8 = b'N';
    pub(crate) const NOTIFICATION: u8 = b'A';
    pub(crate) const PARAMETER_DESCRIPTION: u8 = b't';
    pub(crate) const PARAMETER_STATUS: u8 = b'S';
    pub(crate) const PARSE_COMPLETE: u8 = b'1';
    pub(crate) const PORTAL_SUSPENDED: u8 = b's';
    pub(crate) const READY: u8 = b'Z';
    pub(crate) const ROW_DESCRIPTION: u8 = b'T';
}

/// What to do with a message whose end has not arrived.
#[derive(Clone, Copy, Debug)]
pub(super) enum Want {
    /// Its body is not looked at: what comes of it is passed over.
    Skip,
    /// It is shown again with more, unless it is longer than this many bytes.
    Whole { limit: usize },
}

/// A message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message<'a> {
    pub(super) tag: u8,
    /// All of it, or nothing if the reader wanted to skip it and its end has not arrived.
    pub(super) body: &'a [u8],
}

/// Finds the messages in a stream that arrives in pieces of any size. Keeps nothing of it: a message
/// that is wanted whole stays in the input until it is.
#[derive(Clone, Debug, Default)]
pub(super) struct Messages {
    /// Bytes to come of a message that is passed over.
    to_skip: usize,
}

impl Messages {
    /// Takes the next message from the input; `None` where none is there, or not as much of it as is
    /// wanted.
    #[inline]
    pub(super) fn next<'i>(
        &mut self,
        input: &mut &'i [u8],
        want: impl FnOnce(u8) -> Want,
    ) -> Result<Option<Message<'i>>, ProtocolError> {
        if self.to_skip > 0 {
            let now = self.to_skip.min(input.len());
            self.to_skip -= now;
            *input = &input[now..];
        }
        let Some((&[tag, a, b, c, d], rest)) = input.split_first_chunk::<HEAD>() else {
            return Ok(None);
        };
        let length = i32::from_be_bytes([a, b, c, d]);
        if length < OWN_LENGTH {
            return Err(ProtocolError::BadLength { tag, length });
        }
        let length = (length - OWN_LENGTH) as usize;
        if let Some((body, after)) = rest.split_at_checked(length) {
            *input = after;
            return Ok(Some(Message { tag, body }));
        }
        match want(tag) {
            Want::Skip => {
                self.to_skip = length - rest.len();
                *input = &[];
                Ok(Some(Message { tag, body: &[] }))
            }
            Want::Whole { limit } if length > limit => {
                Err(ProtocolError::TooLong { tag, length, limit })
            }
            Want::Whole { .. } => Ok(None),
        }
    }
}

/// Whether a message may come at any time and says nothing of what is under way.
#[inline]
pub(super) fn is_aside(tag: u8) -> bool {
    matches!(tag, tag::NOTICE | tag::PARAMETER_STATUS | tag::NOTIFICATION)
}

/// Reads the fields of a body from front to back.
pub(super) struct Fields<'a> {
    rest: &'a [u8],
    /// What the message is, for the error when it ends too soon.
    what: &'static str,
}

impl<'a> Fields<'a> {
    pub(super) fn new(body: &'a [u8], what: &'static str) -> Self {
        Self { rest: body, what }
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(super) fn bytes(&mut self, length: usize) -> Result<&'a [u8], ProtocolError> {
        let (head, tail) =
            self.rest.split_at_checked(length).ok_or(ProtocolError::Truncated(self.what))?;
        self.rest = tail;
        Ok(head)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ProtocolError> {
        let (head, tail) =
            self.rest.split_first_chunk::<N>().ok_or(ProtocolError::Truncated(self.what))?;
        self.rest = tail;
        Ok(*head)
    }

    pub(super) fn u16(&mut self) -> Result<u16, ProtocolError> {
        Ok(u16::from_be_bytes(self.array()?))
    }

    pub(super) fn u32(&mut self) -> Result<u32, ProtocolError> {
        Ok(u32::from_be_bytes(self.array()?))
    }

    pub(super) fn i32(&mut self) -> Result<i32, ProtocolError> {
        Ok(i32::from_be_bytes(self.array()?))
    }

    /// A value with its length before it; `None` is NULL.
    pub(super) fn value(&mut self) -> Result<Option<&'a [u8]>, ProtocolError> {
        match self.i32()? {
            -1 => Ok(None),
            length => {
                let length =
                    usize::try_from(length).map_err(|_| ProtocolError::Truncated(self.what))?;
                self.bytes(length).map(Some)
            }
        }
    }

    /// A string that ends with a zero byte, which is taken and not returned.
    pub(super) fn zero_terminated(&mut self) -> Result<&'a [u8], ProtocolError> {
        let end = self.rest.iter().position(|&byte| byte == 0);
        let head = self.bytes(end.ok_or(ProtocolError::Truncated(self.what))?)?;
        self.bytes(1)?;
        Ok(head)
    }
}
