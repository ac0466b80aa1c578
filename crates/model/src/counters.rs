use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Index;
use std::sync::Arc;

/// Server counters by the server's own names. A name is absent where the server lacks it.
///
/// A load of an hour has thousands of readings with the same names: [`Self::share_names`] keeps
/// these once, and each reading then takes 8 bytes a counter.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "BTreeMap<String, i64>", into = "BTreeMap<String, i64>")]
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
