//! Digests of what was written, so that what was edited or damaged since is noticed.
//!
//! For the run, each target, each trial and the like the table `digest` keeps a hash of its rows. Whoever
//! edits the rows and the digest alike is not noticed: a digest shows damage and edits by hand, and is no
//! signature.

use crate::value::{charge, damage, within};
use model::{ReadBudget, ReadLimit};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Result, Row, params};
use sha2::{Digest, Sha256};
use std::ops::Range;

/// Bytes of a SHA-256 that are kept.
const DIGEST_BYTES: usize = 16;
/// Bytes of memory for each value of a row.
const BYTES_OF_COLUMN: u64 = 16;

pub(crate) type Hash = [u8; DIGEST_BYTES];

/// What has a digest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject {
    kind: &'static Kind,
    id: i64,
}

/// A kind of these.
#[derive(Debug)]
pub(crate) struct Kind {
    /// As in the digest; the table of its rows.
    name: &'static str,
    /// The column by which one is found.
    key: &'static str,
    /// Bytes of memory for each byte of text.
    bytes_of_text: u64,
}

const fn kind(name: &'static str, key: &'static str, bytes_of_text: u64) -> Kind {
    Kind { name, key, bytes_of_text }
}

/// The run with the plan that it began with, and what was added to it with a part of the plan each. Two
/// bytes of their JSON can be a value with many fields.
pub(crate) static RUN: Kind = kind("run", "id", 16);
pub(crate) static EXTENSION: Kind = kind("extension", "number", 16);
pub(crate) static NOTE: Kind = kind("note", "number", 1);
/// What is kept as a document is charged as that is read.
pub(crate) static TARGET: Kind = kind("target", "id", 0);
pub(crate) static INSTANCE: Kind = kind("instance", "number", 0);
pub(crate) static TRIAL: Kind = kind("trial", "position", 0);

/// In the order in which they are checked.
static KINDS: [&Kind; 6] = [&RUN, &EXTENSION, &TARGET, &NOTE, &INSTANCE, &TRIAL];

impl Kind {
    /// One of these, by its number.
    pub fn subject(&'static self, id: impl Into<i64>) -> Subject {
        Subject { kind: self, id: id.into() }
    }

    /// All of them in a store.
    fn each(
        &'static self,
        connection: &Connection,
        work: impl FnMut(Subject) -> Result<()>,
    ) -> Result<()> {
        let Self { name, key, .. } = self;
        let ids = connection
            .prepare(&format!("SELECT {key} FROM {name} ORDER BY {key}"))?
            .query_map([], |row| row.get(0))?
            .collect::<Result<Vec<i64>>>()?;
        ids.into_iter().map(|id| self.subject(id)).try_for_each(work)
    }

    /// Both lists are read once, side by side: to look up each of one in the other would read every page of
    /// a large table twice.
    fn check_subjects(&'static self, connection: &Connection) -> Result<()> {
        let Self { name, key, .. } = self;
        let mut of_rows =
            connection.prepare(&format!("SELECT {key} FROM {name} ORDER BY {key}"))?;
        let mut of_digests =
            connection.prepare("SELECT id FROM digest WHERE subject = ? ORDER BY id")?;
        let mut rows = of_rows.query_map([], |row| row.get::<_, i64>(0))?;
        let mut digests = of_digests.query_map([name], |row| row.get::<_, i64>(0))?;
        let (mut row, mut digest) = (rows.next().transpose()?, digests.next().transpose()?);
        let mut bare = None;
        while row.is_some() || digest.is_some() {
            if let Some(id) = digest.filter(|id| row.is_none_or(|row| *id < row)) {
                return Err(damage(*name, format!("the rows of {name} {id} were removed")));
            }
            if row == digest {
                digest = digests.next().transpose()?;
            } else {
                bare = bare.or(row);
            }
            row = rows.next().transpose()?;
        }
        match bare {
            Some(id) => {
                let reason = format!("{} has none: it was removed", self.subject(id));
                Err(damage("digest", reason))
            }
            None => Ok(()),
        }
    }
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.kind.name {
            "run" => f.write_str("the run and its plan"),
            name => write!(f, "{name} {}", self.id),
        }
    }
}

/// Writes the digest of what the tables hold now.
pub(crate) fn write(connection: &Connection, subject: Subject) -> Result<()> {
    let hash = of_rows(connection, subject, &ReadLimit::NONE.budget())?;
    connection
        .prepare_cached("INSERT OR REPLACE INTO digest (subject, id, hash) VALUES (?, ?, ?)")?
        .execute(params![subject.kind.name, subject.id, hash])
        .map(drop)
}

/// Writes those of everything in a store.
pub(crate) fn write_all(connection: &Connection) -> Result<()> {
    KINDS.iter().try_for_each(|kind| kind.each(connection, |subject| write(connection, subject)))
}

/// Checks that the tables hold of this what they held when its digest was written. What they take in
/// memory, once they are read, is charged.
pub(crate) fn check(connection: &Connection, subject: Subject, budget: &ReadBudget) -> Result<()> {
    let written: Option<Vec<u8>> = connection
        .prepare_cached("SELECT hash FROM digest WHERE subject = ? AND id = ?")?
        .query_row(params![subject.kind.name, subject.id], |row| row.get(0))
        .optional()?;
    compare(subject, written.as_deref(), of_rows(connection, subject, budget)?)
}

/// Checks that this is what its digest says.
pub(crate) fn compare(subject: Subject, written: Option<&[u8]>, found: Hash) -> Result<()> {
    let reason = "its rows are not those that weighin wrote: they were edited or damaged";
    match written {
        Some(written) if *written == found => Ok(()),
        Some(_) => Err(damage(subject.kind.name, reason)),
        None => Err(damage("digest", format!("{subject} has none: it was removed"))),
    }
}

/// Checks that everything has a digest, and every digest something that it is of.
pub(crate) fn check_subjects(connection: &Connection) -> Result<()> {
    KINDS.iter().try_for_each(|kind| kind.check_subjects(connection))
}

/// Checks the run and its plan, and that nothing that was written is gone.
pub(crate) fn check_run(connection: &Connection, budget: &ReadBudget) -> Result<()> {
    check_subjects(connection)?;
    [&RUN, &EXTENSION]
        .iter()
        .try_for_each(|kind| kind.each(connection, |subject| check(connection, subject, budget)))
}

/// Checks everything.
pub(crate) fn check_all(connection: &Connection, budget: &ReadBudget) -> Result<()> {
    check_subjects(connection)?;
    let checked = |subject: Subject| {
        check(connection, subject, budget).map_err(|error| within(&subject.to_string(), error))
    };
    KINDS.iter().try_for_each(|kind| kind.each(connection, checked))
}

/// The hash of all rows of this.
fn of_rows(connection: &Connection, subject: Subject, budget: &ReadBudget) -> Result<Hash> {
    let Subject { kind: Kind { name, key, bytes_of_text }, id } = subject;
    let own = format!("SELECT * FROM {name} WHERE {key} = ?");
    let plan = match *name {
        "run" => Some(0),
        "extension" => Some(id),
        _ => None,
    };
    let plan = plan.map(|extension| {
        ("SELECT * FROM planned_trial WHERE extension = ? ORDER BY position".to_owned(), extension)
    });
    let mut hasher = Hasher::default();
    for (query, of) in [(own, id)].into_iter().chain(plan) {
        let mut statement = connection.prepare_cached(&query)?;
        let columns = statement.column_count();
        let mut rows = statement.query([of])?;
        while let Some(row) = rows.next()? {
            charge(budget, memory(row, columns, *bytes_of_text)?)?;
            hasher.row(row, 0..columns)?;
        }
    }
    Ok(hasher.finish())
}

/// Bytes of memory that a row may become.
fn memory(row: &Row<'_>, columns: usize, bytes_of_text: u64) -> Result<u64> {
    (0..columns).try_fold(0, |sum, column| {
        let text = match row.get_ref(column)? {
            ValueRef::Text(text) => text.len() as u64 * bytes_of_text,
            _ => 0,
        };
        Ok(sum + text + BYTES_OF_COLUMN)
    })
}

/// Hashes values one after another, each with its type and its length, so that no two lists of values
/// look alike.
#[derive(Default)]
pub(crate) struct Hasher(Sha256);

impl Hasher {
    pub fn row(&mut self, row: &Row<'_>, columns: Range<usize>) -> Result<()> {
        for column in columns {
            match row.get_ref(column)? {
                ValueRef::Null => self.0.update([0]),
                ValueRef::Integer(value) => self.fixed(1, value.to_le_bytes()),
                ValueRef::Real(value) => self.fixed(2, value.to_bits().to_le_bytes()),
                ValueRef::Text(bytes) => self.bytes(3, bytes),
                ValueRef::Blob(bytes) => self.bytes(4, bytes),
            }
        }
        Ok(())
    }

    fn fixed(&mut self, kind: u8, value: [u8; 8]) {
        let mut bytes = [kind; 1 + size_of::<u64>()];
        bytes[1..].copy_from_slice(&value);
        self.0.update(bytes);
    }

    fn bytes(&mut self, kind: u8, bytes: &[u8]) {
        self.fixed(kind, (bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    pub fn finish(self) -> Hash {
        let mut hash = [0; DIGEST_BYTES];
        hash.copy_from_slice(&self.0.finalize()[..DIGEST_BYTES]);
        hash
    }
}
