use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::fmt::{self, Formatter};
use std::sync::Arc;
use workload::program::{Values, ValuesBuilder};

/// Memory that the values of one query may take.
pub(crate) const MOST_BYTES: usize = 256 << 20;

/// Values that a query gave, as load generators get them: what one has asked all others have too.
#[derive(Clone, Debug)]
pub(crate) struct Picked(pub(crate) Arc<Values>);

impl Serialize for Picked {
    /// Each is a text with a character for every byte, since no encoding is promised.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = |row| match self.0.text(row) {
            Some(text) => text.iter().map(|byte| char::from(*byte)).collect(),
            None => self.0.integer(row).to_string(),
        };
        serializer.collect_seq((0..self.0.len()).map(value))
    }
}

impl<'de> Deserialize<'de> for Picked {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Reading)
    }
}

struct Reading;

impl<'de> Visitor<'de> for Reading {
    type Value = Picked;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("texts with a character for every byte")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Picked, A::Error> {
        let mut builder = ValuesBuilder::new(MOST_BYTES);
        while let Some(value) = values.next_element::<String>()? {
            let bytes: Result<Vec<u8>, _> = value.chars().map(u8::try_from).collect();
            builder.push(&bytes.map_err(A::Error::custom)?).map_err(A::Error::custom)?;
        }
        builder.finish().map(|values| Picked(Arc::new(values))).map_err(A::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_arrive_as_they_were_whatever_their_bytes() {
        for all in
            [vec![&b"12"[..], b"-7", b"9000000000"], vec![b"a\"b", b"", b"\xff\n\0\xc3", b"7"]]
        {
            let mut builder = ValuesBuilder::new(1 << 10);
            all.iter().for_each(|value| builder.push(value).unwrap());
            let sent = Picked(Arc::new(builder.finish().unwrap()));
            let line = serde_json::to_string(&sent).unwrap();
            let arrived: Picked = serde_json::from_str(&line).unwrap();
            assert_eq!(arrived.0, sent.0);
        }
    }
}
