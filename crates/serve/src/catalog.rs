//! The runs of a directory, kept up to date while somebody looks.
//!
//! One thread reads results files, one at a time and at the lowest priority, where they have changed
//! since: who asks for a page waits for none of it. The directory is listed and a file read again only
//! after a hundred times the processor time that it took, so that looking takes at most a hundredth of a
//! processor from what is being measured.

use crate::cache::Cache;
use crate::processor_time;
use crate::read::{self, Mark, Reading};
use files::Directory;
use model::{ReadLimit, Stop, text};
use report::site::{ReadState, RunState, SiteRun, list_part};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use store::Store;
use tokio::sync::watch;

/// Ending of a results file.
const ENDING: &str = ".weighin";
/// Most runs that are shown: the latest.
const MOST_RUNS: usize = 2000;
/// Time between two looks at the directory.
const INTERVAL: Duration = Duration::from_secs(1);
/// How often it is looked whether to end, or whether somebody asked.
const TICK: Duration = Duration::from_millis(100);
/// How long after the last request nobody looks any more.
const WATCH_TIMEOUT: Duration = Duration::from_secs(30);
/// So many times as long as reading takes nothing is read again.
const SHARE: u32 = 100;
/// After so long a file that could not be read is tried again.
const RETRY: Duration = Duration::from_secs(10);

/// A results file.
pub(crate) struct Entry {
    pub(crate) name: OsString,
    pub(crate) mark: Mark,
    pub(crate) run: SiteRun,
    pub(crate) reading: Option<Reading>,
    /// Whether a process held it for writing when it was read.
    pub(crate) is_held: bool,
    /// When it was read, and how much processor time that took.
    read: Option<(Instant, Duration)>,
}

impl Entry {
    /// What its trials say so far.
    pub(crate) fn so_far(&self) -> &str {
        self.reading.as_ref().map_or("", |reading| &reading.so_far)
    }

    /// About how much memory what is kept of it takes, in bytes.
    fn memory(&self) -> u64 {
        self.reading.as_ref().map_or(0, Reading::memory)
    }

    /// By when it began, the latest first; what is not known by when it was written.
    fn began(&self) -> u64 {
        let began = self.run.summary().map(|summary| summary.started_at.0);
        began.filter(|&began| began > 0).unwrap_or(self.mark.modified_ms)
    }

    /// Whether it is as it was.
    fn is_up_to_date(&self, mark: Mark, is_held: bool, now: Instant) -> bool {
        let Some((at, took)) = self.read else { return false };
        let is_early = now.saturating_duration_since(at) < took * SHARE;
        match &self.run.state {
            ReadState::Unread => false,
            ReadState::Unreadable(_) => {
                is_early || (self.mark == mark && now.saturating_duration_since(at) < RETRY)
            }
            // That a run has ended is shown at once.
            ReadState::Run(_) if self.is_held != is_held => false,
            ReadState::Run(_) => self.mark == mark || is_early,
        }
    }
}

#[derive(Default)]
struct Entries {
    /// The latest first.
    entries: Vec<Arc<Entry>>,
    /// Why the directory cannot be read.
    trouble: Option<String>,
}

/// What is in the directory.
struct Listing {
    directory: Directory,
    entries: BTreeMap<OsString, Arc<Entry>>,
    /// What is to be read: name, mark, and whether a process holds it for writing.
    stale: Vec<(OsString, Mark, bool)>,
}

/// The runs of a directory, as they were last seen.
pub(crate) struct Catalog {
    path: PathBuf,
    /// Device and inode of the directory that was opened.
    identity: (u64, u64),
    /// What reading a file may take, and what is kept of all of them.
    pub(crate) limit: ReadLimit,
    /// What was made of them.
    pub(crate) cache: Cache,
    seen: Mutex<Entries>,
    asked: Mutex<Instant>,
    /// The list as it is after so many changes.
    part: Mutex<(u64, String)>,
    changes: watch::Sender<u64>,
}

impl Catalog {
    /// Lists the directory, so that the first page says which files are there.
    ///
    /// # Errors
    /// When the operating system does not tell what the directory is.
    pub(crate) fn new(directory: &Directory, limit: ReadLimit) -> io::Result<Arc<Self>> {
        let catalog = Self {
            path: directory.path().to_owned(),
            identity: identity(directory)?,
            limit,
            cache: Cache::default(),
            seen: Mutex::default(),
            asked: Mutex::new(Instant::now()),
            part: Mutex::default(),
            changes: watch::channel(0).0,
        };
        catalog.list();
        Ok(Arc::new(catalog))
    }

    /// What the directory is called.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// All runs, or why there are none. That somebody asks has the directory looked at.
    pub(crate) fn entries(&self) -> Result<Vec<Arc<Entry>>, String> {
        *self.asked.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        let seen = self.seen();
        match &seen.trouble {
            Some(trouble) => Err(trouble.clone()),
            None => Ok(seen.entries.clone()),
        }
    }

    /// The part of the list that changes, made once for all pages that show it.
    pub(crate) fn list_part(&self) -> Option<String> {
        // Before what it belongs to: a part that is newer than its version is made anew.
        let version = *self.changes.borrow();
        let entries = self.entries().ok()?;
        let mut part = self.part.lock().unwrap_or_else(PoisonError::into_inner);
        if part.0 != version || part.1.is_empty() {
            let runs: Vec<SiteRun> = entries.iter().map(|entry| entry.run.clone()).collect();
            *part = (version, list_part(&runs));
        }
        Some(part.1.clone())
    }

    /// The run that has this in its address.
    pub(crate) fn entry(&self, id: &str) -> Option<Arc<Entry>> {
        self.entries().ok()?.into_iter().find(|entry| entry.run.id == id)
    }

    /// What tells of changes; as long as it is there, somebody looks.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    fn seen(&self) -> MutexGuard<'_, Entries> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_watched(&self) -> bool {
        let asked = *self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.elapsed() < WATCH_TIMEOUT || self.changes.receiver_count() > 0
    }

    /// Keeps it up to date until it is stopped.
    pub(crate) fn keep(&self, stop: &Stop) {
        crate::give_way();
        let mut next = Instant::now();
        while !stop.is_requested() {
            if self.is_watched() && Instant::now() >= next {
                let listing = self.look(stop);
                next = Instant::now() + INTERVAL.max(listing * SHARE);
            }
            thread::sleep(TICK);
        }
    }

    /// Lists the directory, and reads what has changed. Returns how much processor time listing took.
    fn look(&self, stop: &Stop) -> Duration {
        let began = processor_time();
        let listing = self.list();
        let took = processor_time().saturating_sub(began);
        let Some(Listing { directory, mut entries, stale }) = listing else { return took };
        let mut published = Instant::now();
        for (name, mark, is_held) in stale {
            if stop.is_requested() {
                return took;
            }
            // What was known of it is let go of before it is read again.
            entries.remove(&name);
            let others = entries.values().map(|entry| entry.memory()).sum();
            let entry = anew(&directory, name.clone(), mark, (self.limit, is_held), others);
            entries.insert(name, Arc::new(entry));
            if published.elapsed() >= INTERVAL {
                self.publish(Entries::sorted(&entries));
                published = Instant::now();
            }
        }
        self.publish(Entries::sorted(&entries));
        took
    }

    /// The directory, opened anew for programs that take nothing but paths.
    ///
    /// # Errors
    /// When it cannot be opened, or another directory has its path by now: what is there was not asked
    /// for, and may be where a link leads that somebody else has made.
    pub(crate) fn directory(&self) -> Result<Directory, String> {
        let shown = text::line(&self.path.display().to_string()).into_owned();
        let opened = Directory::open(&self.path)
            .and_then(|directory| Ok((identity(&directory)?, directory)))
            .map_err(|error| format!("cannot open {shown}: {error}"))?;
        match opened {
            (same, directory) if same == self.identity && directory.path() == self.path => {
                Ok(directory)
            }
            _ => Err(format!(
                "another directory is at {shown} now than when weighin serve started; restart it to \
                 show that one"
            )),
        }
    }

    /// Lists the directory and shows what is known of its files, or why it cannot be read.
    fn list(&self) -> Option<Listing> {
        let listed = self.directory().and_then(|directory| {
            let names = directory.names();
            let names =
                names.map_err(|error| format!("cannot read {}: {error}", self.path.display()));
            Ok((names?, directory))
        });
        let (names, directory) = match listed {
            Ok(listed) => listed,
            Err(trouble) => {
                self.publish(Entries { entries: Vec::new(), trouble: Some(trouble) });
                return None;
            }
        };
        let mut found: Vec<(OsString, Mark)> = names
            .into_iter()
            .filter(|name| name.as_encoded_bytes().ends_with(ENDING.as_bytes()))
            .filter_map(|name| read::mark(&directory, &name).map(|mark| (name, mark)))
            .collect();
        found.sort_by_key(|(_, mark)| std::cmp::Reverse(mark.modified_ms));
        found.truncate(MOST_RUNS);
        let known = self.known();
        let mut entries: BTreeMap<OsString, Arc<Entry>> = BTreeMap::new();
        let mut stale = Vec::new();
        for (name, mark) in found {
            let is_held = Store::is_held(&directory, &name);
            let before = known.get(&name);
            let entry = before.cloned().unwrap_or_else(|| Arc::new(unread(&name, mark)));
            if !entry.is_up_to_date(mark, is_held, Instant::now()) {
                stale.push((name.clone(), mark, is_held));
            }
            entries.insert(name, entry);
        }
        self.publish(Entries::sorted(&entries));
        Some(Listing { directory, entries, stale })
    }

    /// The runs by the names of their files.
    fn known(&self) -> BTreeMap<OsString, Arc<Entry>> {
        let seen = self.seen();
        seen.entries.iter().map(|entry| (entry.name.clone(), Arc::clone(entry))).collect()
    }

    fn publish(&self, new: Entries) {
        let mut seen = self.seen();
        let same = seen.trouble == new.trouble
            && seen.entries.len() == new.entries.len()
            && seen.entries.iter().zip(&new.entries).all(|(old, new)| Arc::ptr_eq(old, new));
        if !same {
            let there = new.entries.iter().map(|entry| entry.mark.identity());
            self.cache.keep_only(&there.collect());
            *seen = new;
            self.changes.send_modify(|version| *version += 1);
        }
    }
}

impl Entries {
    fn sorted(entries: &BTreeMap<OsString, Arc<Entry>>) -> Self {
        let mut entries: Vec<Arc<Entry>> = entries.values().cloned().collect();
        let is_running = |entry: &Entry| {
            entry.run.summary().is_some_and(|summary| summary.state == RunState::Running)
        };
        entries.sort_by_key(|entry| (!is_running(entry), std::cmp::Reverse(entry.began())));
        Self { entries, trouble: None }
    }
}

fn identity(directory: &Directory) -> io::Result<(u64, u64)> {
    Ok(directory.facts()?.identity)
}

fn unread(name: &OsStr, mark: Mark) -> Entry {
    let run = SiteRun { id: id(name), file: read::shown(name), state: ReadState::Unread };
    Entry { name: name.to_owned(), mark, run, reading: None, is_held: false, read: None }
}

/// Reads a file, beside others of which so many bytes are kept.
fn anew(
    directory: &Directory,
    name: OsString,
    mark: Mark,
    (limit, is_held): (ReadLimit, bool),
    others: u64,
) -> Entry {
    let began = processor_time();
    let all = limit.budget();
    let fits = |reading: Reading| {
        all.charge(others.saturating_add(reading.memory())).map_err(|over| {
            format!("the files in this directory together hold too much: {over}")
        })?;
        Ok(reading)
    };
    let (state, reading) = match read::reading(directory, &name, limit, is_held).and_then(fits) {
        Ok(reading) => (ReadState::Run(reading.summary.clone()), Some(reading)),
        Err(why) => (ReadState::Unreadable(why), None),
    };
    let run = SiteRun { id: id(&name), file: read::shown(&name), state };
    let read = Some((Instant::now(), processor_time().saturating_sub(began)));
    Entry { name, mark, run, reading, is_held, read }
}

/// What stands for a file in addresses, so that no address is a path: the same each time, so that it can
/// be kept.
fn id(name: &OsStr) -> String {
    let digest = Sha256::digest(name.as_encoded_bytes());
    digest[..8].iter().fold(String::new(), |mut id, byte| {
        // Writing to a String cannot fail.
        let _ = write!(id, "{byte:02x}");
        id
    })
}
