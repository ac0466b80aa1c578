//! The kinds of keys. A key's type says which values it takes and what holds where it is absent, so that
//! reading, the JSON Schema, the reference and the options of commands follow from one line.
//!
//! Where what holds depends on other keys, or is no value, the field says it in words, by
//! `#[schemars(extend("x-absent" = "..."))]`.

use crate::keys::Maybe;
use crate::keys::value::{one_of, whole};
use crate::problem::{Place, Problems};
use crate::text::duration::{parse_duration, written_duration};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;
use std::fmt::{Debug, Display, Formatter, Result as Formatted};
use std::marker::PhantomData;
use std::time::Duration;
use toml::Spanned;

/// What a schema says, in words, of a key that is absent.
pub(crate) const ABSENT: &str = "x-absent";

// A key, with what a study says, or nothing. No documentation comment: it would be part of the schema.
#[derive(JsonSchema)]
#[schemars(with = "Option<KindSchema<K>>", bound = "K: Kind")]
pub(crate) struct Key<K: Kind>(Maybe<K::Written>);

/// What keys of a kind hold, and how a schema describes them.
pub(crate) trait Kind: 'static {
    type Written: Clone + Debug + for<'de> Deserialize<'de>;

    fn schema() -> Schema;
}

struct KindSchema<K>(PhantomData<K>);

impl<K: Kind> JsonSchema for KindSchema<K> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Key".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        K::schema()
    }
}

impl<'de, K: Kind> Deserialize<'de> for Key<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Maybe::deserialize(deserializer).map(Self)
    }
}

impl<K: Kind> Debug for Key<K> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Formatted {
        self.0.fmt(f)
    }
}

impl<K: Kind> Clone for Key<K> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<K: Kind> Default for Key<K> {
    fn default() -> Self {
        Self(None)
    }
}

impl<K: Kind> Key<K> {
    pub fn is_some(&self) -> bool {
        self.0.is_some()
    }

    /// Where its value stands, if it is given.
    pub fn place(&self) -> Option<Place> {
        self.0.as_ref().map(Spanned::span)
    }

    /// What is written, right or wrong.
    pub fn written(&self) -> Option<&K::Written> {
        self.0.as_ref().map(Spanned::get_ref)
    }
}

/// A whole number from `MIN` to `MAX`; `DEFAULT` where it is absent.
pub(crate) struct Whole<const MIN: i64, const MAX: i64, const DEFAULT: i64>;

impl<const MIN: i64, const MAX: i64, const DEFAULT: i64> Kind for Whole<MIN, MAX, DEFAULT> {
    type Written = i64;

    fn schema() -> Schema {
        json_schema!({ "type": "integer", "minimum": MIN, "maximum": MAX, "default": DEFAULT })
    }
}

impl<const MIN: i64, const MAX: i64, const DEFAULT: i64> Key<Whole<MIN, MAX, DEFAULT>> {
    /// The number, noting one that is out of range. All from `MIN` to `MAX` must be of type `N`.
    pub fn value<N: Number>(&self, key: &str, problems: &mut Problems) -> N {
        whole(key, &self.0, bound(DEFAULT), bound(MIN)..=bound(MAX), problems)
    }
}

/// A whole number from `MIN` to `MAX`, with no default.
pub(crate) struct Bounded<const MIN: i64, const MAX: i64>;

impl<const MIN: i64, const MAX: i64> Kind for Bounded<MIN, MAX> {
    type Written = i64;

    fn schema() -> Schema {
        json_schema!({ "type": "integer", "minimum": MIN, "maximum": MAX })
    }
}

impl<const MIN: i64, const MAX: i64> Key<Bounded<MIN, MAX>> {
    /// The number, noting one that is out of range; `None` where the key is absent.
    pub fn value<N: Number>(&self, key: &str, problems: &mut Problems) -> Option<N> {
        self.is_some().then(|| self.value_or(key, bound(MIN), problems))
    }

    /// The same; `default` where the key is absent.
    pub fn value_or<N: Number>(&self, key: &str, default: N, problems: &mut Problems) -> N {
        whole(key, &self.0, default, bound(MIN)..=bound(MAX), problems)
    }
}

/// What a whole number is read into.
pub(crate) trait Number: TryFrom<i64> + PartialOrd + Display {}

impl<N: TryFrom<i64> + PartialOrd + Display> Number for N {}

fn bound<N: Number>(bound: i64) -> N {
    N::try_from(bound).unwrap_or_else(|_| unreachable!("{bound} is a number of this type"))
}

/// True or false; `DEFAULT` where it is absent.
pub(crate) struct Flag<const DEFAULT: bool>;

impl<const DEFAULT: bool> Kind for Flag<DEFAULT> {
    type Written = bool;

    fn schema() -> Schema {
        json_schema!({ "type": "boolean", "default": DEFAULT })
    }
}

impl<const DEFAULT: bool> Key<Flag<DEFAULT>> {
    pub fn value(&self) -> bool {
        self.written().copied().unwrap_or(DEFAULT)
    }
}

/// A length of time such as `1m30s`; so many seconds where it is absent.
pub(crate) struct Length<const SECONDS: u64>;

impl<const SECONDS: u64> Kind for Length<SECONDS> {
    type Written = String;

    fn schema() -> Schema {
        let default = written_duration(Duration::from_secs(SECONDS));
        json_schema!({ "type": "string", "default": default })
    }
}

impl<const SECONDS: u64> Key<Length<SECONDS>> {
    /// The length; its default also where none can be read.
    pub fn value(&self, key: &str, problems: &mut Problems) -> Duration {
        self.value_or(key, Duration::from_secs(SECONDS), problems)
    }

    /// The same with another default, for where other keys decide it.
    pub fn value_or(&self, key: &str, default: Duration, problems: &mut Problems) -> Duration {
        self.0.as_ref().and_then(|written| length(key, written, problems)).unwrap_or(default)
    }
}

/// A length of time with no default.
pub(crate) struct AnyLength;

impl Kind for AnyLength {
    type Written = String;

    fn schema() -> Schema {
        json_schema!({ "type": "string" })
    }
}

impl Key<AnyLength> {
    /// The length; `None` where it is absent or none can be read.
    pub fn value(&self, key: &str, problems: &mut Problems) -> Option<Duration> {
        length(key, self.0.as_ref()?, problems)
    }
}

fn length(key: &str, written: &Spanned<String>, problems: &mut Problems) -> Option<Duration> {
    let error = match parse_duration(written.get_ref()) {
        Ok(length) => return Some(length),
        Err(error) => error,
    };
    problems.add(written.span(), format!("{}: {error}", problems.key(key)));
    None
}

/// The words that a key takes, and what they mean.
pub(crate) trait Choices: 'static {
    type Value: Clone + PartialEq;

    fn all() -> Vec<(&'static str, Self::Value)>;

    /// What holds where the key is absent; `None` where that depends on other keys, or is none of them.
    fn default() -> Option<Self::Value>;
}

/// One of a few words.
pub(crate) struct Choice<C>(PhantomData<C>);

impl<C: Choices> Kind for Choice<C> {
    type Written = String;

    fn schema() -> Schema {
        let all = C::all();
        let mut schema = json_schema!({ "type": "string" });
        schema.insert("enum".into(), all.iter().map(|(word, _)| *word).collect());
        let default = C::default();
        if let Some((word, _)) = all.iter().find(|(_, value)| Some(value) == default.as_ref()) {
            schema.insert("default".into(), (*word).into());
        }
        schema
    }
}

impl<C: Choices> Key<Choice<C>> {
    /// What the word means, noting one that means nothing; the default where it is absent or means
    /// nothing.
    pub fn value(&self, key: &str, problems: &mut Problems) -> Option<C::Value> {
        self.given(key, problems).or_else(C::default)
    }

    /// The same without the default.
    pub fn given(&self, key: &str, problems: &mut Problems) -> Option<C::Value> {
        one_of(key, &self.0, &C::all(), problems)
    }
}
