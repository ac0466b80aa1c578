//! Decisions taken from the front of an input.

/// An input that is read from front to back; zeros come after its end.
pub(crate) struct Input<'a> {
    rest: &'a [u8],
}

impl<'a> Input<'a> {
    pub(crate) fn new(data: &'a [u8]) -> Self {
        Self { rest: data }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn byte(&mut self) -> u8 {
        match self.rest.split_first() {
            Some((&first, rest)) => {
                self.rest = rest;
                first
            }
            None => 0,
        }
    }

    pub(crate) fn u16(&mut self) -> u16 {
        u16::from_le_bytes([self.byte(), self.byte()])
    }

    /// A number below that.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        usize::from(self.u16()) % limit.max(1)
    }

    /// So many bytes, or as many as are left.
    pub(crate) fn bytes(&mut self, length: usize) -> &'a [u8] {
        let (head, rest) = self.rest.split_at(length.min(self.rest.len()));
        self.rest = rest;
        head
    }

    pub(crate) fn rest(self) -> &'a [u8] {
        self.rest
    }
}

/// Lengths of the pieces in which a stream arrives: all at once for 0, else a mixture that the
/// number decides.
pub(crate) struct Cuts {
    state: u64,
    longest: u64,
}

impl Cuts {
    pub(crate) fn new(number: u8) -> Self {
        let longest = if number == 0 { u64::MAX >> 1 } else { 1 << (number % 12) };
        Self { state: u64::from(number) * 0x9E37_79B9 + 1, longest }
    }

    /// The next piece, from 1 on.
    pub(crate) fn piece(&mut self) -> usize {
        if self.longest > 1 << 12 {
            return self.longest as usize;
        }
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (1 + self.state % self.longest) as usize
    }
}

/// Feeds bytes in pieces to a reader that says how many it has consumed; what it leaves is shown
/// again with the next piece. Ends at the end of the bytes, when the reader wants no more, or when
/// it is shown all there is and takes nothing.
///
/// # Panics
/// When the reader claims more bytes than it was shown.
pub(crate) fn feed(bytes: &[u8], mut cuts: Cuts, mut read: impl FnMut(&[u8]) -> Option<usize>) {
    let (mut at, mut shown) = (0, 0);
    while shown < bytes.len() {
        shown = bytes.len().min(shown.saturating_add(cuts.piece()));
        while at < shown {
            let Some(consumed) = read(&bytes[at..shown]) else { return };
            assert!(consumed <= shown - at, "{consumed} bytes of {} consumed", shown - at);
            at += consumed;
            if consumed == 0 {
                break;
            }
        }
    }
}
