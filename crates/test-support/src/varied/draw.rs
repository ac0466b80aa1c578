//! Draws a value of any type that documents have, with something in each of its fields.

use model::Latencies;
use serde::de::value::{Error, MapDeserializer};
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Expected, IntoDeserializer,
    MapAccess, SeqAccess, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use std::time::Duration;
use std::{any, vec};

/// Most elements of a list that is drawn.
const LONGEST: u64 = 3;

/// Draws values; the same ones for the same salt.
pub struct Draw {
    state: u64,
    /// The next text is a key of a map.
    draws_key: bool,
}

impl Draw {
    pub fn salted(salt: u64) -> Self {
        Self { state: salt, draws_key: false }
    }

    /// A value of a type as it is read from a document: a field that it gets is drawn as well.
    ///
    /// # Panics
    /// When the type takes a text only in a form that is not drawn.
    pub fn value<T: DeserializeOwned>(&mut self) -> T {
        T::deserialize(self).unwrap_or_else(|error| panic!("{}: {error}", any::type_name::<T>()))
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        (self.bits() >> 8) % bound
    }

    pub(super) fn text(&mut self) -> String {
        ["", "plain", "it's \"quoted\"", "naïve — 数据库", "two\nlines", "nul\0inside"]
            [self.below(6) as usize]
            .into()
    }

    pub(super) fn maybe<T>(&mut self, draw: impl FnOnce(&mut Self) -> T) -> Option<T> {
        (self.below(3) > 0).then(|| draw(self))
    }

    fn bits(&mut self) -> u64 {
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(0x1405_7b7e_f767_814f);
        self.state ^ (self.state >> 31)
    }

    /// Up to 2^53, of every magnitude, zero included.
    fn count(&mut self) -> u64 {
        let bits = self.bits();
        (bits >> 11) >> (bits % 54)
    }

    fn real(&mut self) -> f64 {
        let numerator = self.count() as f64 - 1e6;
        numerator / (1.0 + self.below(1 << 20) as f64)
    }

    /// In base64, as documents have them.
    fn latencies(&mut self) -> String {
        let mut latencies = Latencies::new();
        for _ in 0..self.below(50) {
            latencies.record_nanos(self.below(u64::from(u32::MAX)));
        }
        serde_json::from_value(serde_json::json!(latencies)).expect("a text")
    }

    fn counter(&mut self) -> String {
        format!("Com_{}", self.below(9))
    }

    fn list(&mut self) -> Entries<'_> {
        let length = self.below(LONGEST + 1) as usize;
        self.entries(vec![None; length])
    }

    fn entries(&mut self, names: Vec<Option<&'static str>>) -> Entries<'_> {
        Entries { draw: self, names: names.into_iter() }
    }
}

/// Methods that visit what an expression draws.
macro_rules! drawn {
    ($($method:ident => $visit:ident(|$draw:ident| $value:expr);)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            let $draw = self;
            visitor.$visit($value)
        })*
    };
}

impl<'de> Deserializer<'de> for &mut Draw {
    type Error = Error;

    drawn! {
        deserialize_bool => visit_bool(|d| d.below(2) == 0);
        deserialize_u8 => visit_u8(|d| d.below(1 << 8) as u8);
        deserialize_u16 => visit_u16(|d| d.below(1 << 16) as u16);
        deserialize_u32 => visit_u32(|d| d.below(1 << 20) as u32);
        deserialize_u64 => visit_u64(|d| d.count());
        deserialize_i64 => visit_i64(|d| d.count() as i64 - 5);
        deserialize_f64 => visit_f64(|d| d.real());
        deserialize_seq => visit_seq(|d| d.list());
        deserialize_map => visit_map(|d| d.list());
    }

    /// Only figures take whatever there is: a text, or a number with its resolution.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.below(3) == 0 {
            return visitor.visit_string(self.text());
        }
        let number = [("value", self.real()), ("resolution", self.real())];
        visitor.visit_map(MapDeserializer::new(number.into_iter()))
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        // How a map of counters reads its keys depends on what was read before.
        visitor.visit_string(if self.draws_key { self.counter() } else { self.text() })
    }

    /// What is read without a copy: histograms, and names of what is counted.
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let expected: &dyn Expected = &visitor;
        let is_histogram = expected.to_string().contains("base64");
        visitor.visit_string(match is_histogram {
            true => self.latencies(),
            false => self.counter(),
        })
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.below(3) {
            0 => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_seq(self.entries(vec![None; length]))
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_tuple(length, visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        if name == "Duration" {
            let time = Duration::from_nanos(self.count());
            let parts = [("secs", time.as_secs()), ("nanos", time.subsec_nanos().into())];
            return visitor.visit_map(MapDeserializer::new(parts.into_iter()));
        }
        visitor.visit_map(self.entries(fields.iter().copied().map(Some).collect()))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let variant = variants[self.below(variants.len() as u64) as usize];
        visitor.visit_enum(Chosen { draw: self, variant })
    }

    // No document has these.
    forward_to_deserialize_any! {
        i8 i16 i32 f32 char bytes byte_buf unit unit_struct identifier ignored_any
    }
}

/// What a struct, a map or a list holds; a name for each field of a struct.
struct Entries<'d> {
    draw: &'d mut Draw,
    names: vec::IntoIter<Option<&'static str>>,
}

impl<'de> MapAccess<'de> for Entries<'_> {
    type Error = Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Error> {
        let Some(name) = self.names.next() else { return Ok(None) };
        if let Some(name) = name {
            return seed.deserialize(IntoDeserializer::<Error>::into_deserializer(name)).map(Some);
        }
        self.draw.draws_key = true;
        let key = seed.deserialize(&mut *self.draw);
        self.draw.draws_key = false;
        key.map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        seed.deserialize(&mut *self.draw)
    }
}

impl<'de> SeqAccess<'de> for Entries<'_> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Error> {
        self.names.next().map(|_| seed.deserialize(&mut *self.draw)).transpose()
    }
}

/// A variant of an enum.
struct Chosen<'d> {
    draw: &'d mut Draw,
    variant: &'static str,
}

impl<'de, 'd> EnumAccess<'de> for Chosen<'d> {
    type Error = Error;
    type Variant = &'d mut Draw;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, &'d mut Draw), Error> {
        let variant = IntoDeserializer::<Error>::into_deserializer(self.variant);
        Ok((seed.deserialize(variant)?, self.draw))
    }
}

impl<'de> VariantAccess<'de> for &mut Draw {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        Ok(())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Error> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_tuple(length, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_struct("", fields, visitor)
    }
}
