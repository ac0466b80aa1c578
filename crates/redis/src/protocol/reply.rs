/// Longest line that is not a value: an error message, a number.
const LONGEST_LINE: usize = 64 * 1024;
/// Longest value that a server may send: its own limit (`proto-max-bulk-len`) by default.
const LONGEST_VALUE: i64 = 512 * 1024 * 1024;
/// Most elements of one array.
const MAX_ELEMENTS: i64 = 1024 * 1024;

/// Bytes that no server of this protocol sends.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RespError(pub(super) String);

/// One reply, of which nothing is kept but what it amounts to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Done: a status, a number or an array.
    Done,
    /// A value of so many bytes.
    Value(usize),
    /// No such key.
    Nothing,
    /// An error: its line, without the sign in front.
    Error(String),
}

/// Passes over replies, however they are cut into pieces.
#[derive(Clone, Debug, Default)]
pub struct ReplyReader {
    /// Bytes of a value, with its line end, that are still to come.
    skip: usize,
    /// Elements of an array that are still to come.
    elements: u64,
    /// What the reply is, once its first line is read.
    reply: Option<Reply>,
    /// Whether what is being read is no reply to a request.
    unasked: bool,
}

impl ReplyReader {
    /// Consumes bytes up to the end of the next reply. Returns how many it consumed, and the reply
    /// when it is complete; an unfinished line is left, to be shown again with more.
    ///
    /// # Errors
    /// When the bytes are not of this protocol; the connection is of no use then.
    #[inline]
    pub fn receive(&mut self, input: &[u8]) -> Result<(usize, Option<Reply>), RespError> {
        let mut at = 0;
        loop {
            let skipped = self.skip.min(input.len() - at);
            at += skipped;
            self.skip -= skipped;
            if self.skip > 0 {
                return Ok((at, None));
            }
            if let (0, Some(reply)) = (self.elements, &mut self.reply) {
                let reply = std::mem::replace(reply, Reply::Done);
                self.reply = None;
                if std::mem::take(&mut self.unasked) {
                    continue;
                }
                return Ok((at, Some(reply)));
            }
            let Some(line) = line(&input[at..])? else { return Ok((at, None)) };
            at += line.len() + 2;
            self.take_line(line)?;
        }
    }

    #[inline]
    fn take_line(&mut self, line: &[u8]) -> Result<(), RespError> {
        let nested = self.reply.is_some();
        if nested {
            self.elements -= 1;
        }
        let (&kind, rest) = line.split_first().ok_or_else(|| RespError("an empty line".into()))?;
        let reply = match kind {
            b'$' | b'=' | b'!' => match number(rest)? {
                -1 => Reply::Nothing,
                length if (0..=LONGEST_VALUE).contains(&length) => {
                    self.skip = length as usize + 2;
                    Reply::Value(length as usize)
                }
                length => return Err(RespError(format!("a value of {length} bytes"))),
            },
            b'+' | b':' | b',' | b'#' | b'(' => Reply::Done,
            b'_' => Reply::Nothing,
            b'-' => Reply::Error(String::from_utf8_lossy(rest).into_owned()),
            b'*' | b'~' | b'%' | b'>' | b'|' => match number(rest)? {
                -1 => Reply::Nothing,
                count if (0..=MAX_ELEMENTS).contains(&count) => {
                    let each = if matches!(kind, b'%' | b'|') { 2 } else { 1 };
                    self.elements += count as u64 * each;
                    // An attribute stands before its element, and is none itself.
                    self.elements += u64::from(nested && kind == b'|');
                    self.unasked |= !nested && matches!(kind, b'>' | b'|');
                    Reply::Done
                }
                count => return Err(RespError(format!("an array of {count} elements"))),
            },
            other => {
                let sign = char::from(other).escape_default();
                return Err(RespError(format!("a reply that begins with '{sign}'")));
            }
        };
        if !nested {
            self.reply = Some(reply);
        }
        Ok(())
    }
}

/// The line that the bytes begin with, without its end; `None` while that has not come.
#[inline]
pub(super) fn line(input: &[u8]) -> Result<Option<&[u8]>, RespError> {
    let searched = &input[..input.len().min(LONGEST_LINE)];
    match searched.iter().position(|&byte| byte == b'\r') {
        Some(end) => match input.get(end + 1) {
            Some(b'\n') => Ok(Some(&input[..end])),
            Some(_) => Err(RespError("a line that does not end as it should".into())),
            None => Ok(None),
        },
        None if input.len() >= LONGEST_LINE => Err(RespError("a line without end".into())),
        None => Ok(None),
    }
}

/// A length or count.
#[inline]
pub(super) fn number(digits: &[u8]) -> Result<i64, RespError> {
    std::str::from_utf8(digits)
        .ok()
        .and_then(|digits| digits.parse().ok())
        .ok_or_else(|| RespError(format!("«{}» where a number belongs", digits.escape_ascii())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// All replies in the bytes, shown in pieces of that size.
    fn read(bytes: &[u8], piece: usize) -> Result<Vec<Reply>, RespError> {
        let (mut reader, mut replies) = (ReplyReader::default(), Vec::new());
        let (mut shown, mut consumed) = (0, 0);
        while shown < bytes.len() {
            shown = (shown + piece).min(bytes.len());
            loop {
                let (used, reply) = reader.receive(&bytes[consumed..shown])?;
                consumed += used;
                match reply {
                    Some(reply) => replies.push(reply),
                    None => break,
                }
            }
        }
        assert!(bytes.len() - consumed <= LONGEST_LINE);
        Ok(replies)
    }

    #[test]
    fn replies_are_told_apart_however_they_are_cut() {
        let bytes =
            b"+OK\r\n$3\r\na\rb\r\n$-1\r\n:-7\r\n-OOM no room\r\n*2\r\n$1\r\nx\r\n*1\r\n|1\r\n+a\r\n+b\r\n:1\r\n\
                      *-1\r\n>2\r\n+invalidate\r\n_\r\n%1\r\n+k\r\n#t\r\n$0\r\n\r\n";
        let expected = [
            Reply::Done,
            Reply::Value(3),
            Reply::Nothing,
            Reply::Done,
            Reply::Error("OOM no room".into()),
            Reply::Done,
            Reply::Nothing,
            Reply::Done,
            Reply::Value(0),
        ];
        for piece in [1, 2, 3, 7, 1000] {
            assert_eq!(read(bytes, piece).unwrap(), expected, "in pieces of {piece}");
        }
    }

    #[test]
    fn other_protocols_are_refused() {
        for bytes in [
            &b"HTTP/1.1 400\r\n"[..],
            b"$x\r\n",
            b"$-2\r\n",
            b"*99999999999\r\n",
            b"\r\n",
            b"+a\rb",
        ] {
            assert!(read(bytes, 100).is_err(), "{}", bytes.escape_ascii());
        }
        assert!(read(&[b'+'; LONGEST_LINE], 1000).is_err());
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), piece in 1..50_usize) {
            let _ = read(&bytes, piece);
        }

        #[test]
        fn nearly_right_bytes_do_not_either(bytes in "[$*+:>%|0-9a\r\n-]{0,80}", piece in 1..50_usize) {
            let _ = read(bytes.as_bytes(), piece);
        }
    }
}
