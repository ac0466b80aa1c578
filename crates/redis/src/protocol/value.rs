use super::RespError;
use super::reply::{line, number};

/// Deepest nesting of arrays that is read.
const DEEPEST: usize = 32;
/// Most memory in bytes that one answer takes in control work, where the largest are lists of
/// settings of some 50 KiB.
const MAX_MEMORY: usize = 32 << 20;
/// What an allocation of any length costs besides its bytes.
const ALLOCATION: usize = 16;

/// A reply as a whole.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A short text that is no error.
    Status(String),
    /// An error, without the sign in front.
    Error(String),
    /// A whole number.
    Integer(i64),
    /// A value.
    Bytes(Vec<u8>),
    /// Nothing there.
    Nil,
    /// Several; a map's keys and values in turn.
    Array(Vec<Value>),
}

impl Value {
    /// A text or number as text; `None` for errors, arrays and nothing.
    pub fn text(&self) -> Option<String> {
        match self {
            Self::Status(text) => Some(text.clone()),
            Self::Integer(number) => Some(number.to_string()),
            Self::Bytes(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
            Self::Error(_) | Self::Nil | Self::Array(_) => None,
        }
    }
}

/// Reads one reply and keeps it, however it is cut into pieces: for control connections. Every byte
/// is looked at once, but for a line that is cut.
#[derive(Debug)]
pub struct ValueReader {
    /// Arrays that are not complete, the innermost last.
    open: Vec<Open>,
    /// A byte string whose end has not come.
    text: Option<Text>,
    /// Memory that the reply may still take, in bytes.
    left: usize,
}

/// An array under way.
#[derive(Debug)]
struct Open {
    role: Role,
    values: Vec<Value>,
    /// Elements still to come, at least one.
    left: usize,
}

/// What becomes of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// It is the reply, or part of it.
    Part,
    /// It says something of the value after it, or of no reply at all: it is dropped.
    Beside,
}

/// A byte string under way.
#[derive(Debug)]
struct Text {
    bytes: Vec<u8>,
    /// How long it will be.
    length: usize,
    is_error: bool,
}

/// What a line of the protocol begins.
enum Begun {
    Value(Value),
    Text(Text),
    Array(Role, usize),
}

impl Default for ValueReader {
    fn default() -> Self {
        Self { open: Vec::new(), text: None, left: MAX_MEMORY }
    }
}

impl ValueReader {
    /// Takes bytes up to the end of the reply. Returns how many it took, and the reply when it is
    /// complete; an unfinished line is left, to be shown again with more. Then the next reply may
    /// follow.
    ///
    /// # Errors
    /// When the bytes are not of this protocol, or the reply takes more than 32 MiB of memory, or is
    /// nested more deeply than 32 arrays; the connection is of no use then.
    pub fn receive(&mut self, input: &[u8]) -> Result<(usize, Option<Value>), RespError> {
        let mut at = 0;
        loop {
            let value = match self.text.take() {
                Some(text) => {
                    let (taken, ended) = text.receive(&input[at..])?;
                    at += taken;
                    match ended {
                        Ok(value) => value,
                        Err(text) => {
                            self.text = Some(text);
                            return Ok((at, None));
                        }
                    }
                }
                None => {
                    let Some(line) = line(&input[at..])? else { return Ok((at, None)) };
                    at += line.len() + 2;
                    match self.begin(line)? {
                        Begun::Value(value) => value,
                        Begun::Text(text) => {
                            self.text = Some(text);
                            continue;
                        }
                        Begun::Array(Role::Part, 0) => Value::Array(Vec::new()),
                        Begun::Array(Role::Beside, 0) => continue,
                        Begun::Array(role, left) => {
                            if self.open.len() == DEEPEST {
                                let message = format!("arrays nested more than {DEEPEST} deep");
                                return Err(RespError(message));
                            }
                            self.open.push(Open { role, values: Vec::new(), left });
                            continue;
                        }
                    }
                }
            };
            if let Some(reply) = self.put(value) {
                *self = Self::default();
                return Ok((at, Some(reply)));
            }
        }
    }

    /// Puts a value where it belongs; returns the reply if that completes it.
    fn put(&mut self, mut value: Value) -> Option<Value> {
        while let Some(mut open) = self.open.pop() {
            open.values.push(value);
            open.left -= 1;
            if open.left > 0 {
                self.open.push(open);
                return None;
            }
            if open.role == Role::Beside {
                return None;
            }
            value = Value::Array(open.values);
        }
        Some(value)
    }

    fn begin(&mut self, line: &[u8]) -> Result<Begun, RespError> {
        // Lists grow by doubling.
        const ELEMENT: usize = 2 * size_of::<Value>();
        self.charge(ELEMENT + ALLOCATION + line.len())?;
        let (&kind, rest) = line.split_first().ok_or_else(|| RespError("an empty line".into()))?;
        let text = || String::from_utf8_lossy(rest).into_owned();
        Ok(match kind {
            b'+' | b',' | b'#' | b'(' => Begun::Value(Value::Status(text())),
            b'-' => Begun::Value(Value::Error(text())),
            b':' => Begun::Value(Value::Integer(number(rest)?)),
            b'_' => Begun::Value(Value::Nil),
            b'$' | b'=' | b'!' => match length(rest, "a value", "bytes")? {
                None => Begun::Value(Value::Nil),
                Some(length) => {
                    // Refused before the bytes come; they are kept as they come.
                    self.charge(length)?;
                    Begun::Text(Text { bytes: Vec::new(), length, is_error: kind == b'!' })
                }
            },
            b'*' | b'~' | b'>' | b'%' | b'|' => match length(rest, "an array", "elements")? {
                None => Begun::Value(Value::Nil),
                Some(count) => {
                    let each = if matches!(kind, b'%' | b'|') { 2 } else { 1 };
                    let count = count.saturating_mul(each);
                    if count.saturating_mul(ELEMENT) > self.left {
                        return Err(RespError(format!("an array of {count} elements")));
                    }
                    let beside = kind == b'|' || kind == b'>' && self.open.is_empty();
                    Begun::Array(if beside { Role::Beside } else { Role::Part }, count)
                }
            },
            other => {
                let sign = char::from(other).escape_default();
                return Err(RespError(format!("a reply that begins with '{sign}'")));
            }
        })
    }

    fn charge(&mut self, bytes: usize) -> Result<(), RespError> {
        self.left = self.left.checked_sub(bytes).ok_or_else(|| {
            RespError(format!("a reply that takes more than {} MiB", MAX_MEMORY >> 20))
        })?;
        Ok(())
    }
}

impl Text {
    /// Takes bytes up to the end of the line after the string; returns how many, and the string
    /// when it is complete.
    fn receive(mut self, input: &[u8]) -> Result<(usize, Result<Value, Self>), RespError> {
        let taken = (self.length + 2 - self.bytes.len()).min(input.len());
        self.bytes.extend_from_slice(&input[..taken]);
        if self.bytes.len() < self.length + 2 {
            return Ok((taken, Err(self)));
        }
        if !self.bytes.ends_with(b"\r\n") {
            return Err(RespError("a value that is longer than announced".into()));
        }
        self.bytes.truncate(self.length);
        let value = match self.is_error {
            true => Value::Error(String::from_utf8_lossy(&self.bytes).into_owned()),
            false => Value::Bytes(self.bytes),
        };
        Ok((taken, Ok(value)))
    }
}

/// A length or count; `None` for -1, which stands for nothing.
fn length(digits: &[u8], what: &str, unit: &str) -> Result<Option<usize>, RespError> {
    match number(digits)? {
        -1 => Ok(None),
        length => usize::try_from(length)
            .map(Some)
            .map_err(|_| RespError(format!("{what} of {length} {unit}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// All replies in the bytes, shown in pieces of that size.
    fn read(bytes: &[u8], piece: usize) -> Result<Vec<Value>, RespError> {
        let (mut reader, mut replies) = (ValueReader::default(), Vec::new());
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
        Ok(replies)
    }

    #[test]
    fn replies_are_read_however_they_are_cut() {
        let bytes = b"*3\r\n$3\r\nd\rr\r\n:7\r\n*-1\r\n+OK\r\n$0\r\n\r\n*0\r\n%1\r\n+k\r\n#t\r\n!5\r\nERR x\r\n";
        let expected = [
            Value::Array(vec![Value::Bytes(b"d\rr".to_vec()), Value::Integer(7), Value::Nil]),
            Value::Status("OK".into()),
            Value::Bytes(Vec::new()),
            Value::Array(Vec::new()),
            Value::Array(vec![Value::Status("k".into()), Value::Status("t".into())]),
            Value::Error("ERR x".into()),
        ];
        for piece in [1, 2, 3, 7, 1000] {
            assert_eq!(read(bytes, piece).unwrap(), expected, "in pieces of {piece}");
        }
    }

    #[test]
    fn what_is_no_reply_is_passed_over() {
        let bytes = b">2\r\n+invalidate\r\n*1\r\n$1\r\nk\r\n|1\r\n+ttl\r\n:9\r\n*2\r\n|0\r\n:1\r\n|1\r\n+a\r\n+b\r\n:2\r\n";
        let expected = [Value::Array(vec![Value::Integer(1), Value::Integer(2)])];
        for piece in [1, 5, 1000] {
            assert_eq!(read(bytes, piece).unwrap(), expected, "in pieces of {piece}");
        }
    }

    #[test]
    fn what_would_take_too_much_memory_is_refused_when_it_is_announced() {
        for bytes in [
            &b"*67000000\r\n"[..],
            b"$67108864\r\n",
            b"*9223372036854775807\r\n",
            b"%9223372036854775807\r\n",
            b"$-2\r\n",
            b"*-2\r\n",
            b"$99999999999999999999\r\n",
        ] {
            let refused = ValueReader::default().receive(bytes);
            assert!(refused.is_err(), "{} gave {refused:?}", bytes.escape_ascii());
        }
        assert!(read("*1\r\n".repeat(DEEPEST + 1).as_bytes(), 1000).is_err());
        assert!(read("*1\r\n".repeat(DEEPEST).as_bytes(), 1000).is_ok());
    }

    #[test]
    fn a_reply_without_end_is_refused() {
        for piece in ["|1\r\n+a\r\n+b\r\n", ">1\r\n+a\r\n", "|0\r\n"] {
            let (mut reader, bytes) = (ValueReader::default(), piece.repeat(1000));
            let refused = (0..1000).any(|_| reader.receive(bytes.as_bytes()).is_err());
            assert!(refused, "{}", piece.escape_debug());
        }
        let (mut reader, bytes) = (ValueReader::default(), b"*100000\r\n".to_vec());
        reader.receive(&bytes).unwrap();
        let text = [&b"$1000\r\n"[..], &[b'x'; 1000], b"\r\n"].concat();
        assert!((0..100_000).any(|_| reader.receive(&text).is_err()));
    }

    #[test]
    fn an_array_is_not_read_again_with_every_piece() {
        // Read from its start each time, this would take hours.
        let mut bytes = b"*200000\r\n".to_vec();
        bytes.extend(b":1\r\n".repeat(200_000));
        let replies = read(&bytes, 7).unwrap();
        assert!(matches!(&replies[..], [Value::Array(values)] if values.len() == 200_000));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), piece in 1..50_usize) {
            let _ = read(&bytes, piece);
        }

        #[test]
        fn nearly_right_bytes_do_not_either(bytes in "[$*+:>%|!0-9a\r\n-]{0,80}", piece in 1..50_usize) {
            let _ = read(bytes.as_bytes(), piece);
        }
    }
}
