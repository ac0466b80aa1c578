use super::error::ProtocolError;

/// Reads the fields of one packet from front to back.
pub(super) struct Fields<'a> {
    rest: &'a [u8],
    /// What the packet is, for the error when it ends too soon.
    what: &'static str,
}

impl<'a> Fields<'a> {
    pub(super) fn new(packet: &'a [u8], what: &'static str) -> Self {
        Self { rest: packet, what }
    }

    /// What has not been read yet.
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

    pub(super) fn u8(&mut self) -> Result<u8, ProtocolError> {
        Ok(self.array::<1>()?[0])
    }

    pub(super) fn u16(&mut self) -> Result<u16, ProtocolError> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub(super) fn u32(&mut self) -> Result<u32, ProtocolError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(super) fn u64(&mut self) -> Result<u64, ProtocolError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// A length-encoded integer. `None` is the marker of a NULL column (0xFB).
    pub(super) fn lenenc(&mut self) -> Result<Option<u64>, ProtocolError> {
        Ok(match self.u8()? {
            0xFB => None,
            0xFC => Some(u64::from(self.u16()?)),
            0xFD => {
                let [a, b, c] = self.array()?;
                Some(u64::from(u32::from_le_bytes([a, b, c, 0])))
            }
            0xFE => Some(u64::from_le_bytes(self.array()?)),
            0xFF => return Err(ProtocolError::Unexpected { expected: self.what, first: 0xFF }),
            small => Some(u64::from(small)),
        })
    }

    /// A length-encoded integer where NULL makes no sense.
    pub(super) fn lenenc_int(&mut self) -> Result<u64, ProtocolError> {
        self.lenenc()?.ok_or(ProtocolError::Unexpected { expected: self.what, first: 0xFB })
    }

    /// A length-encoded string; `None` is NULL.
    pub(super) fn lenenc_bytes(&mut self) -> Result<Option<&'a [u8]>, ProtocolError> {
        let Some(length) = self.lenenc()? else { return Ok(None) };
        let length = usize::try_from(length).map_err(|_| ProtocolError::Truncated(self.what))?;
        self.bytes(length).map(Some)
    }

    /// A string that ends with a zero byte, which is taken and not returned.
    pub(super) fn zero_terminated(&mut self) -> Result<&'a [u8], ProtocolError> {
        let end = self
            .rest
            .iter()
            .position(|&byte| byte == 0)
            .ok_or(ProtocolError::Truncated(self.what))?;
        let head = self.bytes(end)?;
        self.bytes(1)?;
        Ok(head)
    }
}
