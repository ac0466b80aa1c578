use super::RespError;
use super::reply::{line, number};

/// Deepest nesting of arrays that is read.
const DEEPEST: u32 = 32;
/// Most elements or bytes of one answer in control work.
const LARGEST: i64 = 64 * 1024 * 1024;

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
    /// Reads the reply that the bytes begin with: how long it is, and the reply; `None` while
    /// it is not all there.
    ///
    /// # Errors
    /// When the bytes are not of this protocol.
    pub fn parse(input: &[u8]) -> Result<Option<(usize, Self)>, RespError> {
        parse(input, DEEPEST)
    }

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

fn parse(input: &[u8], depth: u32) -> Result<Option<(usize, Value)>, RespError> {
    let Some(line) = line(input)? else { return Ok(None) };
    let after = line.len() + 2;
    let (&kind, rest) = line.split_first().ok_or_else(|| RespError("an empty line".into()))?;
    let text = || String::from_utf8_lossy(rest).into_owned();
    let value = match kind {
        b'+' | b',' | b'#' | b'(' => Value::Status(text()),
        b'-' => Value::Error(text()),
        b':' => Value::Integer(number(rest)?),
        b'_' => Value::Nil,
        b'$' | b'=' | b'!' => return bytes(input, after, number(rest)?),
        b'*' | b'~' | b'>' => return array(input, after, number(rest)?, depth),
        b'%' | b'|' => return array(input, after, number(rest)?.saturating_mul(2), depth),
        other => {
            let sign = char::from(other).escape_default();
            return Err(RespError(format!("a reply that begins with '{sign}'")));
        }
    };
    Ok(Some((after, value)))
}

fn bytes(input: &[u8], start: usize, length: i64) -> Result<Option<(usize, Value)>, RespError> {
    match length {
        -1 => Ok(Some((start, Value::Nil))),
        0..=LARGEST => {
            let end = start + length as usize;
            Ok((input.len() >= end + 2)
                .then(|| (end + 2, Value::Bytes(input[start..end].to_vec()))))
        }
        _ => Err(RespError(format!("a value of {length} bytes"))),
    }
}

fn array(
    input: &[u8],
    start: usize,
    count: i64,
    depth: u32,
) -> Result<Option<(usize, Value)>, RespError> {
    match count {
        _ if depth == 0 => return Err(RespError("arrays within arrays without end".into())),
        ..-1 | LARGEST.. => return Err(RespError(format!("an array of {count} elements"))),
        -1 => return Ok(Some((start, Value::Nil))),
        _ => {}
    }
    let (mut at, mut values) = (start, Vec::new());
    for _ in 0..count {
        let Some((length, value)) = parse(&input[at..], depth - 1)? else { return Ok(None) };
        at += length;
        values.push(value);
    }
    Ok(Some((at, Value::Array(values))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_reply_is_read_when_all_of_it_is_there() {
        let bytes = b"*3\r\n$3\r\ndir\r\n:7\r\n*-1\r\n+next";
        let whole = bytes.len() - 5;
        let expected =
            Value::Array(vec![Value::Bytes(b"dir".to_vec()), Value::Integer(7), Value::Nil]);
        assert_eq!(Value::parse(bytes), Ok(Some((whole, expected))));
        for short in 0..whole {
            assert_eq!(Value::parse(&bytes[..short]), Ok(None), "{short} bytes");
        }
    }

    #[test]
    fn endless_nesting_is_refused() {
        assert!(Value::parse("*1\r\n".repeat(1000).as_bytes()).is_err());
        assert!(Value::parse(b"*-2\r\n").is_err() && Value::parse(b"$99999999999\r\n").is_err());
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = Value::parse(&bytes);
        }

        #[test]
        fn nearly_right_bytes_do_not_either(bytes in "[$*+:>%|0-9a\r\n-]{0,80}") {
            let _ = Value::parse(bytes.as_bytes());
        }
    }
}
