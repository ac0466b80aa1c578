//! Reads documents: the JSON in which a results file keeps what has a type of the model.
//!
//! It may come from anybody. So the memory of every element is charged before the element is made, a
//! count is refused that could not be added up with others, and so is a time that no load can take.
//! Serde's JSON has no place for these. What is no number is `null`, as serde writes it.

use model::{LONGEST_TIME, ReadBudget};
use serde::de::value::{CowStrDeserializer, SeqDeserializer};
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use std::borrow::Cow;
use std::fmt::Display;
use std::time::Duration;

#[cfg(test)]
mod tests;

/// The most that a count can be, so that counts can be added up without overflow: 2^53, up to which
/// a double has every whole number.
pub(crate) const MOST: u64 = 1 << 53;
/// How deep values may be in one another: several times as deep as those of the model are.
const DEEPEST: u32 = 48;

/// Reads a document; says where it is not as it must be.
pub(crate) fn read<'de, T: Deserialize<'de>>(text: &'de str, budget: &ReadBudget) -> Read<T> {
    let mut reader = Reader { text, at: 0, depth: 0, budget };
    let value = T::deserialize(&mut reader)?;
    match reader.at == text.len() {
        true => Ok(value),
        false => Err(Wrong::custom("something comes after it")),
    }
}

pub(crate) type Read<T> = Result<T, Wrong>;

/// What is wrong with a document, and where: `end.completed.load.ledger.ok: -5 is out of range`.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Wrong(String);

impl Wrong {
    fn within(self, key: &str) -> Self {
        let Self(inner) = self;
        // The place in a list, which has begun with a bracket.
        let dot = if inner.contains(": ") && !inner.starts_with('[') { "." } else { "" };
        match inner.split_once(": ") {
            Some((place, _)) if is_place(place) => Self(format!("{key}{dot}{inner}")),
            _ => Self(format!("{key}: {inner}")),
        }
    }
}

/// Whether this is where something is, and not part of what is wrong with it.
fn is_place(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.[]".contains(&byte))
}

impl Error for Wrong {
    fn custom<T: Display>(reason: T) -> Self {
        Self(reason.to_string())
    }
}

struct Reader<'de, 'b> {
    text: &'de str,
    at: usize,
    depth: u32,
    budget: &'b ReadBudget,
}

impl<'de> Reader<'de, '_> {
    fn charge(&self, bytes: usize) -> Read<()> {
        self.budget.charge(bytes as u64).map_err(Wrong::custom)
    }

    fn peek(&self) -> Read<u8> {
        let next = self.text.as_bytes().get(self.at);
        next.copied().ok_or_else(|| Wrong::custom("it is cut off"))
    }

    fn take(&mut self, expected: u8) -> Read<()> {
        match self.peek()? == expected {
            true => self.at += 1,
            false => return Err(self.unexpected()),
        }
        Ok(())
    }

    fn unexpected(&self) -> Wrong {
        Wrong::custom(format_args!("its byte {} cannot be there", self.at + 1))
    }

    fn word(&mut self, word: &str) -> Read<()> {
        word.bytes().try_for_each(|byte| self.take(byte))
    }

    fn is_null(&mut self) -> Read<bool> {
        let is_null = self.peek()? == b'n';
        if is_null {
            self.word("null")?;
        }
        Ok(is_null)
    }

    fn string(&mut self) -> Read<Cow<'de, str>> {
        let begins = self.at;
        self.take(b'"')?;
        let mut is_plain = true;
        loop {
            let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
            self.at += rest.iter().take_while(|byte| !matches!(byte, b'"' | b'\\')).count();
            if self.peek()? == b'"' {
                break;
            }
            is_plain = false;
            self.at += 2;
        }
        self.at += 1;
        let quoted = self.text.get(begins..self.at).ok_or_else(|| self.unexpected())?;
        match is_plain {
            true => Ok(Cow::Borrowed(&quoted[1..quoted.len() - 1])),
            false => serde_json::from_str(quoted).map(Cow::Owned).map_err(Wrong::custom),
        }
    }

    fn number(&mut self) -> Read<&'de str> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let is_part = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
        let length = rest.bytes().take_while(|byte| is_part(byte)).count();
        if length == 0 {
            return Err(self.unexpected());
        }
        self.at += length;
        Ok(&rest[..length])
    }

    fn real(&mut self) -> Read<f64> {
        let number = self.number()?;
        let real = number.parse().ok().filter(|real: &f64| real.is_finite());
        real.ok_or_else(|| Wrong::custom(format_args!("{number} is no number that there is")))
    }

    /// A whole number that may be added up with others, or any other.
    fn visit_number<V: Visitor<'de>>(&mut self, visitor: V) -> Read<V::Value> {
        let begins = self.at;
        let number = self.number()?;
        match number.parse::<u64>() {
            Ok(count) if count <= MOST => return visitor.visit_u64(count),
            Err(_) if !number.bytes().all(|byte| byte.is_ascii_digit()) => {}
            _ => return Err(Wrong::custom(format_args!("{number} is out of range"))),
        }
        if let Ok(number) = number.parse() {
            return visitor.visit_i64(number);
        }
        self.at = begins;
        visitor.visit_f64(self.real()?)
    }

    /// Whether a list or an object goes on.
    fn goes_on(&mut self, end: u8, is_first: &mut bool) -> Read<bool> {
        if self.peek()? == end {
            self.at += 1;
            return Ok(false);
        }
        if !std::mem::take(is_first) {
            self.take(b',')?;
        }
        Ok(true)
    }

    fn deeper(&mut self) -> Read<()> {
        self.depth += 1;
        match self.depth > DEEPEST {
            true => Err(Wrong::custom("it is too deep")),
            false => Ok(()),
        }
    }

    fn visit_list<V: Visitor<'de>>(&mut self, visitor: V) -> Read<V::Value> {
        self.take(b'[')?;
        self.deeper()?;
        let mut list = List { reader: self, is_first: true, is_over: false, next: 0 };
        let value = visitor.visit_seq(&mut list)?;
        if !list.is_over {
            list.reader.take(b']')?;
        }
        self.depth -= 1;
        Ok(value)
    }

    /// The entries of a map are charged, the fields of a struct are part of what it is in.
    fn visit_object<V: Visitor<'de>>(&mut self, visitor: V, is_map: bool) -> Read<V::Value> {
        self.take(b'{')?;
        self.deeper()?;
        let mut object = Object { reader: self, is_map, is_first: true, is_over: false, key: "" };
        let value = visitor.visit_map(&mut object)?;
        if !object.is_over {
            object.reader.take(b'}')?;
        }
        self.depth -= 1;
        Ok(value)
    }

    /// Passes over a value of whatever depth.
    fn pass(&mut self) -> Read<()> {
        let mut open = 0_u64;
        loop {
            match self.peek()? {
                b'"' => drop(self.string()?),
                b'[' | b'{' => {
                    open += 1;
                    self.at += 1;
                    continue;
                }
                b']' | b'}' if open > 0 => {
                    open -= 1;
                    self.at += 1;
                }
                b',' | b':' if open > 0 => {
                    self.at += 1;
                    continue;
                }
                b't' => self.word("true")?,
                b'f' => self.word("false")?,
                b'n' => self.word("null")?,
                _ => drop(self.number()?),
            }
            if open == 0 {
                return Ok(());
            }
        }
    }
}

impl<'de> Deserializer<'de> for &mut Reader<'de, '_> {
    type Error = Wrong;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        match self.peek()? {
            b'"' => {
                let text = self.string()?;
                self.charge(text.len())?;
                match text {
                    Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
                    Cow::Owned(text) => visitor.visit_string(text),
                }
            }
            b'[' => self.visit_list(visitor),
            b'{' => self.visit_object(visitor, true),
            b't' => self.word("true").and_then(|()| visitor.visit_bool(true)),
            b'f' => self.word("false").and_then(|()| visitor.visit_bool(false)),
            b'n' => self.word("null").and_then(|()| visitor.visit_unit()),
            _ => self.visit_number(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        match self.is_null()? {
            true => visitor.visit_none(),
            false => visitor.visit_some(self),
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        match self.is_null()? {
            true => visitor.visit_f64(f64::NAN),
            false => visitor.visit_f64(self.real()?),
        }
    }

    /// What a server counts is no count of weighin's: it may be any number.
    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        let number = self.number()?;
        let parsed = number.parse();
        visitor.visit_i64(parsed.map_err(|_| Wrong::custom(format_args!("{number} is no number")))?)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Read<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Read<V::Value> {
        if name != "Duration" {
            return self.visit_object(visitor, false);
        }
        #[derive(serde::Deserialize)]
        struct Length {
            secs: u64,
            nanos: u32,
        }
        let Length { secs, nanos } = Length::deserialize(self)?;
        if Duration::from_secs(secs) + Duration::from_nanos(nanos.into()) > LONGEST_TIME {
            return Err(Wrong::custom(format_args!("{secs} seconds is out of range")));
        }
        visitor.visit_seq(SeqDeserializer::new([secs, nanos.into()].into_iter()))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Read<V::Value> {
        if self.peek()? == b'"' {
            return visitor.visit_enum(CowStrDeserializer::new(self.string()?));
        }
        self.take(b'{')?;
        self.deeper()?;
        let variant = self.text.get(self.at..).unwrap_or_default().split('"').nth(1);
        let value = visitor.visit_enum(&mut *self);
        let value = value.map_err(|wrong| wrong.within(variant.unwrap_or_default()))?;
        self.take(b'}')?;
        self.depth -= 1;
        Ok(value)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        match self.string()? {
            Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
            Cow::Owned(text) => visitor.visit_string(text),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        self.pass()?;
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 u8 u16 u32 u64 f32 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map
    }
}

/// An enum's variant that holds something: an object with the name of the variant as its only key.
impl<'de> EnumAccess<'de> for &mut Reader<'de, '_> {
    type Error = Wrong;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Read<(V::Value, Self)> {
        let variant = seed.deserialize(&mut *self)?;
        self.take(b':')?;
        Ok((variant, self))
    }
}

impl<'de> VariantAccess<'de> for &mut Reader<'de, '_> {
    type Error = Wrong;

    fn unit_variant(self) -> Read<()> {
        Err(self.unexpected())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Read<T::Value> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _length: usize, visitor: V) -> Read<V::Value> {
        self.visit_list(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Read<V::Value> {
        self.visit_object(visitor, false)
    }
}

struct List<'r, 'de, 'b> {
    reader: &'r mut Reader<'de, 'b>,
    is_first: bool,
    is_over: bool,
    next: usize,
}

impl<'de> SeqAccess<'de> for List<'_, 'de, '_> {
    type Error = Wrong;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Read<Option<T::Value>> {
        self.is_over = !self.reader.goes_on(b']', &mut self.is_first)?;
        if self.is_over {
            return Ok(None);
        }
        self.reader.charge(size_of::<T::Value>())?;
        let number = self.next;
        self.next += 1;
        let element = seed.deserialize(&mut *self.reader);
        element.map(Some).map_err(|wrong| wrong.within(&format!("[{number}]")))
    }
}

struct Object<'r, 'de, 'b> {
    reader: &'r mut Reader<'de, 'b>,
    is_map: bool,
    is_first: bool,
    is_over: bool,
    key: &'de str,
}

impl<'de> MapAccess<'de> for Object<'_, 'de, '_> {
    type Error = Wrong;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Read<Option<K::Value>> {
        self.is_over = !self.reader.goes_on(b'}', &mut self.is_first)?;
        if self.is_over {
            return Ok(None);
        }
        if self.reader.peek()? != b'"' {
            return Err(self.reader.unexpected());
        }
        if self.is_map {
            self.reader.charge(size_of::<K::Value>())?;
        }
        let begins = self.reader.at + 1;
        let key = seed.deserialize(&mut *self.reader)?;
        self.key = self.reader.text.get(begins..self.reader.at - 1).unwrap_or_default();
        Ok(Some(key))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Read<V::Value> {
        self.reader.take(b':')?;
        if self.is_map {
            self.reader.charge(size_of::<V::Value>())?;
        }
        seed.deserialize(&mut *self.reader).map_err(|wrong| wrong.within(self.key))
    }
}
