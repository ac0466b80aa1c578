//! What was in memory.

use crate::Severity;
use serde::Serialize;
use crate::kind::{FindingKind, Group};
use crate::numbers::{bytes, count, figure, percent, percents};

/// Check 5: a cold trial found its data in memory.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CacheNotCold {
    /// Bytes that the server's storage engine read from its files over the load.
    pub asked_bytes: u64,
    /// Bytes that came from storage for it.
    pub storage_bytes: u64,
}

impl FindingKind for CacheNotCold {
    const HEADING: &'static str = "Caches not cold";
    const TOGETHER: bool = true;

    fn say(found: &Group<'_, Self>) -> String {
        let asked = found.total(|cache| cache.asked_bytes);
        if asked == 0 {
            return "the test specifies cold caches, but the server read nothing from its files: \
                    all data was in memory"
                .to_owned();
        }
        format!(
            "the test specifies cold caches, but of {} that the server read from its files only {} \
             came from storage: the rest was in memory",
            bytes(asked),
            bytes(found.total(|cache| cache.storage_bytes)),
        )
    }
}

/// Check 5: a warm trial of data that fits in the buffer pool waited for pages.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CacheNotWarm {
    /// Pages that the server read into the buffer pool in the measured phase because a
    /// statement needed them.
    pub pages_read: u64,
    /// Statements acknowledged in that phase.
    pub statements: u64,
}

impl FindingKind for CacheNotWarm {
    const HEADING: &'static str = "Caches not warm";
    const TOGETHER: bool = true;

    fn say(found: &Group<'_, Self>) -> String {
        let pages = found.total(|cache| cache.pages_read);
        let statements = found.total(|cache| cache.statements);
        format!(
            "the test specifies warm caches and the data fits in the buffer pool, but {} pages had \
             to be read into it during the measurement ({} of {} statements): the warm-up is too \
             short",
            count(pages),
            percent(pages as f64 / statements.max(1) as f64),
            count(statements),
        )
    }
}

/// Keys that a server removed to stay below its limit of memory.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct KeysEvicted {
    /// How many, over the whole load.
    pub evicted: u64,
    /// Keys that were written meanwhile.
    pub written: u64,
    /// Bytes of the values of all keys that the test has, without what the server needs to keep
    /// them.
    pub data_bytes: u64,
    /// The limit, in bytes, where the server tells.
    pub limit_bytes: Option<u64>,
    /// Share of the reads that found their key, 0 to 1; absent where nothing was read.
    pub hit_rate: Option<f64>,
}

impl FindingKind for KeysEvicted {
    const HEADING: &'static str = "Evicted keys";
    const TOGETHER: bool = true;

    /// The reader is warned although the trial is as good as any.
    fn severity(&self) -> Severity {
        Severity::Warning
    }

    /// The limit and the size of the data are those of the first.
    fn say(found: &Group<'_, Self>) -> String {
        let data = found.first.data_bytes;
        let limit = found.first.limit_bytes.map_or(String::new(), |limit| {
            let ratio = figure(data as f64 / limit as f64);
            format!(
                " (maxmemory of {}; the values of all keys alone take {}, {ratio} × that)",
                bytes(limit),
                bytes(data)
            )
        });
        let rates = || found.iter().filter_map(|evicted| evicted.hit_rate);
        let hits = match rates().min_by(f64::total_cmp).zip(rates().max_by(f64::total_cmp)) {
            Some(range) => format!(
                ", and {} of the reads found their key: reading a missing key is less work, so \
                 targets with other hit rates did different work",
                percents(range)
            ),
            None => String::new(),
        };
        format!(
            "the server reached its memory limit{limit} and evicted {} keys while {} were \
             written{hits}",
            count(found.total(|evicted| evicted.evicted)),
            count(found.total(|evicted| evicted.written)),
        )
    }
}

/// The server answered reads from a cache of answers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AnswersCached {
    /// Reads that it answered so, over the whole load.
    pub cached: u64,
    /// Reads of the load.
    pub reads: u64,
}

impl FindingKind for AnswersCached {
    const HEADING: &'static str = "Answers from a cache";
    const TOGETHER: bool = true;

    /// A study may be about that cache, so that the trial is as good as any; the reader must know.
    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn say(found: &Group<'_, Self>) -> String {
        let (cached, reads) = (found.total(|one| one.cached), found.total(|one| one.reads));
        format!(
            "the server answered {} of {} reads from a cache of answers, such as a query \
             cache: the figures hold only for repeated reads of tables that do not change",
            count(cached),
            count(reads),
        )
    }
}

/// The dataset is large or small against the buffer pool.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DatasetAgainstMemory {
    /// Data and index bytes of the test tables.
    pub dataset_bytes: u64,
    /// Bytes of the server's buffer pool.
    pub cache_bytes: u64,
}

impl FindingKind for DatasetAgainstMemory {
    const HEADING: &'static str = "Dataset and memory";

    fn is_like(&self, other: &Self) -> bool {
        self == other
    }

    fn say(found: &Group<'_, Self>) -> String {
        let Self { dataset_bytes, cache_bytes } = *found.first;
        let ratio = dataset_bytes as f64 / cache_bytes.max(1) as f64;
        let consequence = match ratio {
            r if r <= 1.0 => "it fits, so reads come from memory once the cache is warm",
            r if r < 2.0 => "part of it is read from disk, and results depend on which part",
            _ => "most reads that miss the cache go to disk",
        };
        format!(
            "{} of data against a buffer pool of {} ({} ×): {consequence}",
            bytes(dataset_bytes),
            bytes(cache_bytes),
            figure(ratio)
        )
    }
}
