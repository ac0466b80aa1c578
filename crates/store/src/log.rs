//! SQLite's log of changes beside a store (`-wal`): whether all of it can be read.
//!
//! SQLite takes from a log what it can read and says nothing of the rest: a log that was damaged, or cut
//! off when it was copied, gives an earlier state of the run. So the log is read here as well, before
//! SQLite takes it over (<https://www.sqlite.org/fileformat2.html#walformat>).

use crate::StoreError;
use crate::beside::{self, suffixed};
use files::{Access, Directory};
use model::{Note, UnixMillis};
use rusqlite::Connection;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Bytes of what stands before all frames, and before the page of each.
const HEADER: u64 = 32;
const FRAME_HEADER: u64 = 24;
/// How a log begins; the last bit says that its checksums are of numbers with the highest byte first.
const MAGIC: u32 = 0x377f_0682;
/// Where the index of a log (`-shm`) says of how many frames it knows, and with which salts; the log of
/// a process that was killed still has it.
const INDEX_FRAMES: usize = 16;
const INDEX_SALTS: usize = 32;
const INDEX_HEADER: usize = 48;

/// What was found beside a store before SQLite opened it.
#[derive(Debug)]
pub(crate) struct LogState {
    name: String,
    /// When the log, or where it is missing the store, was written last.
    at: UnixMillis,
    contents: Contents,
}

#[derive(Debug)]
enum Contents {
    /// No file, or an empty one.
    Missing,
    Read(Scan),
    Unreadable,
}

/// What a log holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Scan {
    /// Frames up to the end of the last change that can be read.
    kept: u64,
    /// Frames behind these that belong to the same log, with what is left of the last one, in bytes.
    lost: u64,
    lost_bytes: u64,
    /// Whether the end of a change is among these, and so a change that was completed.
    is_damaged: bool,
    /// What its frames are marked with.
    salts: [u32; 2],
}

impl LogState {
    /// Looks at the log of a store, which nobody writes meanwhile; at its index as well where this
    /// process has the store open nowhere else, whose locks on the index would be lost.
    ///
    /// # Errors
    /// When it is there and cannot be read, or may be another account's.
    pub fn for_store(store: &Path, is_index_free: bool) -> Result<Self, StoreError> {
        beside::check_all(store)?;
        let unreadable = |error: io::Error| StoreError::NotReadable {
            path: store.to_path_buf(),
            detail: error.to_string(),
        };
        let (directory, name) = Directory::of_file(store).map_err(unreadable)?;
        let log = suffixed(&name, "-wal");
        let shown = log.to_string_lossy().into_owned();
        let file = match directory.open_file(&log, Access::Read) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            opened => Some(opened.map_err(unreadable)?),
        };
        let facts = match &file {
            Some(file) => file.metadata(),
            None => store.symlink_metadata(),
        };
        let facts = facts.map_err(unreadable)?;
        let seconds = u64::try_from(facts.mtime()).unwrap_or(0);
        let contents = match file.filter(|_| facts.len() > 0) {
            None => Contents::Missing,
            Some(file) => match scan(&file, facts.len()).map_err(unreadable)? {
                None => Contents::Unreadable,
                Some(mut scan) => {
                    let index = || index(&directory, &suffixed(&name, "-shm"), scan.salts);
                    let known = is_index_free.then(index).flatten().unwrap_or(0);
                    // Frames of changes that were completed, and cannot be read or are not there any more.
                    let missing = known.saturating_sub(scan.kept);
                    scan.is_damaged |= missing > 0;
                    scan.lost = scan.lost.max(missing);
                    Contents::Read(scan)
                }
            },
        };
        Ok(Self { name: shown, at: UnixMillis(seconds * 1000), contents })
    }

    /// What is missing of the run, for those who read it.
    pub fn trouble(&self, connection: &Connection) -> rusqlite::Result<Option<Note>> {
        let mode: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
        // A run that ends in good order leaves a store that needs no log.
        Ok(self.text(mode == "wal").map(|text| Note { at: self.at, text }))
    }

    fn text(&self, uses_log: bool) -> Option<String> {
        let name = &self.name;
        Some(match self.contents {
            Contents::Missing if uses_log => format!(
                "the log {name} is missing: the run was cut off, and what it recorded last is lost, unless \
                 another program has put it into the results file"
            ),
            Contents::Unreadable => format!(
                "the log {name} is damaged at its beginning, and nothing in it can be read: what the run \
                 recorded last is lost"
            ),
            Contents::Read(Scan { kept, lost, lost_bytes, is_damaged: true, .. }) => format!(
                "the log {name} is damaged or was cut off: {lost} of its {} frames cannot be read \
                 ({lost_bytes} bytes are left of them), and what the run recorded last is lost with them",
                kept + lost
            ),
            Contents::Read(Scan { kept, lost, lost_bytes, .. }) if lost > 0 => format!(
                "the log {name} ends in a change that was not completed: the last {lost} of its {} frames \
                 ({lost_bytes} bytes) are not used; the run was cut off just then, or the log has lost its \
                 end, and what the run recorded last with it",
                kept + lost
            ),
            Contents::Missing | Contents::Read(_) => return None,
        })
    }
}

/// Reads a log as SQLite does, and goes on where that stops; `None` where not even its header can be
/// read.
fn scan(file: &File, length: u64) -> io::Result<Option<Scan>> {
    let mut input = BufReader::new(file);
    let mut header = [0; HEADER as usize];
    if length < HEADER {
        return Ok(None);
    }
    input.read_exact(&mut header)?;
    let word = |bytes: &[u8], place: usize| {
        bytes
            .get(place..place + 4)
            .and_then(|word| word.try_into().ok())
            .map_or(0, u32::from_be_bytes)
    };
    let page = u64::from(word(&header, 8));
    let is_high_first = word(&header, 0) & 1 == 1;
    let mut sums = summed([0; 2], &header[..24], is_high_first);
    let is_log = word(&header, 0) & !1 == MAGIC
        && page.is_power_of_two()
        && (512..=65_536).contains(&page)
        && sums == [word(&header, 24), word(&header, 28)];
    if !is_log {
        return Ok(None);
    }
    let salts = [word(&header, 16), word(&header, 20)];
    let mut scan = Scan { salts, ..Scan::default() };
    let (mut number, mut follows, mut end, mut rest) = (0, true, 0, length - HEADER);
    let mut frame = vec![0; (FRAME_HEADER + page) as usize];
    while rest >= FRAME_HEADER {
        number += 1;
        let there = rest.min(FRAME_HEADER + page);
        rest -= there;
        let head = &mut frame[..FRAME_HEADER as usize];
        input.read_exact(head)?;
        let (salt, is_commit) = ([word(head, 8), word(head, 12)], word(head, 4) != 0);
        // Behind the end there may be frames of an earlier log. A flipped bit leaves one of the two.
        if salt[0] != salts[0] && salt[1] != salts[1] {
            follows = false;
            input.seek_relative((there - FRAME_HEADER) as i64)?;
            continue;
        }
        end = HEADER + (number - 1) * (FRAME_HEADER + page) + there;
        scan.lost = number - scan.kept;
        if follows && there == FRAME_HEADER + page {
            input.read_exact(&mut frame[FRAME_HEADER as usize..])?;
            sums = summed(sums, &frame[..8], is_high_first);
            sums = summed(sums, &frame[FRAME_HEADER as usize..], is_high_first);
            let head = &frame[..FRAME_HEADER as usize];
            follows =
                salt == salts && word(head, 0) != 0 && sums == [word(head, 16), word(head, 20)];
        } else {
            follows = false;
            input.seek_relative((there - FRAME_HEADER) as i64)?;
        }
        match (is_commit, follows) {
            (true, true) => (scan.kept, scan.lost) = (number, 0),
            (true, false) => scan.is_damaged = true,
            (false, _) => {}
        }
    }
    if scan.lost > 0 {
        scan.lost_bytes = end - HEADER - scan.kept * (FRAME_HEADER + page);
    }
    Ok(Some(scan))
}

/// SQLite's sums over numbers of 32 bits, two at a time.
fn summed([mut first, mut second]: [u32; 2], bytes: &[u8], is_high_first: bool) -> [u32; 2] {
    let number = |bytes: &[u8]| {
        let bytes = bytes.try_into().unwrap_or([0; 4]);
        if is_high_first { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
    };
    for pair in bytes.chunks_exact(8) {
        first = first.wrapping_add(number(&pair[..4])).wrapping_add(second);
        second = second.wrapping_add(number(&pair[4..])).wrapping_add(first);
    }
    [first, second]
}

/// Of how many frames the index of a log knows, where it is of that log.
fn index(directory: &Directory, name: &std::ffi::OsStr, salts: [u32; 2]) -> Option<u64> {
    let mut file = directory.open_file(name, Access::Read).ok()?;
    let mut header = [0; INDEX_HEADER];
    file.seek(SeekFrom::Start(0)).ok()?;
    file.read_exact(&mut header).ok()?;
    let word = |place: usize| header.get(place..place + 4)?.try_into().ok();
    // Salts stand there as in the log, numbers as the machine has them.
    let own = [word(INDEX_SALTS)?, word(INDEX_SALTS + 4)?].map(u32::from_be_bytes);
    (own == salts).then_some(u64::from(u32::from_ne_bytes(word(INDEX_FRAMES)?)))
}
