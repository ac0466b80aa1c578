use crate::recent::{Recent, Text};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Index;
use std::sync::Arc;

/// Server counters by the server's own names. A name is absent where the server lacks it.
///
/// A load of an hour has thousands of readings with the same names: [`Self::share_names`] keeps
/// these once, and so does reading them. Each reading then takes 8 bytes a counter.
#[derive(Clone, Debug, Default)]
pub struct ServerCounters {
    /// Ascending, without repetition.
    names: Arc<[String]>,
    /// One for each name.
    values: Box<[i64]>,
}

impl ServerCounters {
    /// The value of a counter.
    pub fn get(&self, name: &str) -> Option<&i64> {
        let place = self.names.binary_search_by(|known| known.as_str().cmp(name)).ok()?;
        self.values.get(place)
    }

    /// Changes the counters as a map. What shares its names with this reading keeps its own.
    pub fn edit<T>(&mut self, change: impl FnOnce(&mut BTreeMap<String, i64>) -> T) -> T {
        let mut counters = BTreeMap::from(std::mem::take(self));
        let changed = change(&mut counters);
        *self = counters.into();
        changed
    }

    /// All counters, by name ascending.
    pub fn iter(&self) -> impl Iterator<Item = (&str, i64)> {
        self.names.iter().map(String::as_str).zip(self.values.iter().copied())
    }

    /// Keeps the names of another reading in place of its own, where they are the same.
    pub fn share_names(&mut self, other: &Self) {
        if self.names == other.names {
            self.names = Arc::clone(&other.names);
        }
    }
}

impl Index<&str> for ServerCounters {
    type Output = i64;

    fn index(&self, name: &str) -> &i64 {
        self.get(name).expect("a counter of that name")
    }
}

impl PartialEq for ServerCounters {
    fn eq(&self, other: &Self) -> bool {
        self.names == other.names && self.values == other.values
    }
}

impl FromIterator<(String, i64)> for ServerCounters {
    /// Of counters of the same name the last one counts.
    fn from_iter<I: IntoIterator<Item = (String, i64)>>(counters: I) -> Self {
        BTreeMap::from_iter(counters).into()
    }
}

impl<const N: usize> From<[(String, i64); N]> for ServerCounters {
    fn from(counters: [(String, i64); N]) -> Self {
        counters.into_iter().collect()
    }
}

impl From<BTreeMap<String, i64>> for ServerCounters {
    fn from(counters: BTreeMap<String, i64>) -> Self {
        let (names, values): (Vec<String>, Vec<i64>) = counters.into_iter().unzip();
        Self { names: names.into(), values: values.into() }
    }
}

impl From<ServerCounters> for BTreeMap<String, i64> {
    fn from(counters: ServerCounters) -> Self {
        counters.iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

impl Serialize for ServerCounters {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for ServerCounters {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Reading)
    }
}

thread_local! {
    static NAMES: Recent<[String]> = const { Recent::new() };
}

/// Bytes of names that are shared with what is read later.
const LONGEST_SHARED: usize = 64 << 10;

struct Reading;

impl<'de> Visitor<'de> for Reading {
    type Value = ServerCounters;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("counters by name")
    }

    /// Names that were read before are compared, and not copied, as long as they go on alike.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ServerCounters, A::Error> {
        let (mut names, mut values) = (Arc::<[String]>::default(), Vec::new());
        while let Some(Text(name)) = map.next_key()? {
            let value: i64 = map.next_value()?;
            let place = values.len();
            let is_next = |known: &[String]| known.get(place).is_some_and(|next| *next == name);
            if !is_next(&names) {
                let goes_on = |known: &[String]| is_next(known) && known[..place] == names[..place];
                match NAMES.with(|known| known.find(goes_on)) {
                    Some(known) => names = known,
                    None => {
                        let mut all = in_order(&names, values);
                        all.insert(name.into_owned(), value);
                        return others(all, map);
                    }
                }
                values.reserve_exact(names.len() - place);
            }
            values.push(value);
        }
        if values.len() < names.len() {
            let is_all = |known: &[String]| *known == names[..values.len()];
            match NAMES.with(|known| known.find(is_all)) {
                Some(known) => names = known,
                None => return Ok(kept(in_order(&names, values))),
            }
        }
        Ok(ServerCounters { names, values: values.into() })
    }
}

/// The first of these names, with these values.
fn in_order(names: &[String], values: Vec<i64>) -> BTreeMap<String, i64> {
    names.iter().cloned().zip(values).collect()
}

/// Reads the rest of counters.
fn others<'de, A: MapAccess<'de>>(
    mut all: BTreeMap<String, i64>,
    mut map: A,
) -> Result<ServerCounters, A::Error> {
    while let Some((name, value)) = map.next_entry()? {
        all.insert(name, value);
    }
    Ok(kept(all))
}

/// Counters whose names are kept for what is read next.
fn kept(all: BTreeMap<String, i64>) -> ServerCounters {
    let counters = ServerCounters::from(all);
    if counters.names.iter().map(|name| name.len()).sum::<usize>() <= LONGEST_SHARED {
        NAMES.with(|known| known.keep(&counters.names));
    }
    counters
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counters(pairs: &[(&str, i64)]) -> ServerCounters {
        pairs.iter().map(|&(name, value)| (name.to_owned(), value)).collect()
    }

    #[test]
    fn counters_are_found_by_name() {
        let counters = counters(&[("b", 2), ("a", 1), ("b", 3)]);
        assert_eq!(counters.get("a"), Some(&1));
        assert_eq!(counters.get("b"), Some(&3), "the last one counts");
        assert_eq!(counters.get("c"), None);
        assert_eq!(counters.iter().collect::<Vec<_>>(), [("a", 1), ("b", 3)]);
        let json = serde_json::to_string(&counters).unwrap();
        assert_eq!(json, r#"{"a":1,"b":3}"#);
        assert_eq!(serde_json::from_str::<ServerCounters>(&json).unwrap(), counters);
    }

    #[test]
    fn what_is_read_shares_the_names_of_what_was_read_before() {
        let read = |json: &str| serde_json::from_str::<ServerCounters>(json).unwrap();
        let long = read(r#"{"a":1,"b":2,"c":3}"#);
        let short = read(r#"{"a":1,"b":2}"#);
        let other = read(r#"{"a":4,"c":5}"#);
        for (json, first) in [
            (r#"{"a":7,"b":8,"c":9}"#, &long),
            (r#"{"a":7,"b":8}"#, &short),
            (r#"{"a":7,"c":9}"#, &other),
        ] {
            let again = read(json);
            assert!(Arc::ptr_eq(&again.names, &first.names), "{json}");
            assert_eq!(serde_json::to_string(&again).unwrap(), json);
        }
        for (json, read_as) in [
            ("{}", counters(&[])),
            (r#"{"a":1}"#, counters(&[("a", 1)])),
            (r#"{"c":3,"a":1,"b":2}"#, counters(&[("a", 1), ("b", 2), ("c", 3)])),
            (r#"{"a":1,"b":2,"b":3}"#, counters(&[("a", 1), ("b", 3)])),
            (r#"{"a":1,"b":2,"a":3}"#, counters(&[("a", 3), ("b", 2)])),
        ] {
            assert_eq!(read(json), read_as, "{json}");
        }
    }

    #[test]
    fn names_are_shared_only_where_they_are_the_same() {
        let first = counters(&[("a", 1), ("b", 2)]);
        let (mut same, mut other) = (counters(&[("a", 5), ("b", 6)]), counters(&[("a", 5)]));
        same.share_names(&first);
        other.share_names(&first);
        assert!(Arc::ptr_eq(&same.names, &first.names));
        assert_eq!((same.get("b"), other.get("b")), (Some(&6), None));
        same.edit(|counters| counters.insert("c".to_owned(), 7));
        assert_eq!((same["c"], first.get("c")), (7, None));
    }
}
