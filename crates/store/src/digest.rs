//! Digests of what was written, so that what was edited or damaged since is noticed.
//!
//! For the run, each target and each trial the table `digest` keeps one hash for each table that
//! has rows of it. Whoever edits the rows and the digests alike is not noticed: a digest shows
//! damage and edits by hand, and is no signature.

use crate::expected::{Column, Expected, quoted};
use crate::schema::SCRIPTS;
use crate::value::{charge, damage};
use model::{HostSampling, ReadBudget, ReadLimit};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Result, Row, params};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Bytes of a SHA-256 that are kept.
const DIGEST_BYTES: usize = 16;
/// Tables with a column `position` that are no part of a trial: the plan is the run's, and readings
/// of counters are hashed together with the counters.
const APART: [&str; 2] = ["planned_trial", "counter_reading"];
/// Readings with their counters by name: the numbers that link the three tables mean nothing.
const COUNTERS: &str =
    "SELECT reading.moment, reading.sample, reading.at_seconds, name.name, counter.value
    FROM counter_reading AS reading
    LEFT JOIN counter ON counter.reading_id = reading.id
    LEFT JOIN counter_name AS name ON name.id = counter.name_id
    WHERE reading.position = ? ORDER BY reading.moment, reading.sample, name.name";

/// Bytes of memory for each value of a row, and for each byte of JSON.
const BYTES_OF_COLUMN: u64 = 16;
const BYTES_OF_JSON: u64 = 16;

/// Bytes of memory that a row of a table becomes beside its values, where that is more than these: what
/// was seen of another machine is one value with many parts, of which a short row says few.
fn bytes_of_row(table: &str) -> u64 {
    match table {
        "other_host" => size_of::<HostSampling>() as u64,
        _ => 0,
    }
}

/// By table.
pub(crate) type Hashes = BTreeMap<String, String>;

/// What has a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Subject {
    /// The run with its plan.
    Run,
    /// What was added to it, by its number.
    Extension(i64),
    /// A target, by its place in the study.
    Target(i64),
    /// A trial, by its position.
    Trial(u32),
    /// A note, by its number.
    Note(i64),
    /// An instance of a target, by its number.
    Instance(i64),
}

impl Subject {
    fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Extension(_) => "extension",
            Self::Target(_) => "target",
            Self::Trial(_) => "trial",
            Self::Note(_) => "note",
            Self::Instance(_) => "instance",
        }
    }

    fn id(self) -> i64 {
        match self {
            Self::Run => 1,
            Self::Extension(id) | Self::Target(id) | Self::Note(id) | Self::Instance(id) => id,
            Self::Trial(position) => position.into(),
        }
    }
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Run => f.write_str("the run and its plan"),
            Self::Extension(id) => write!(f, "extension {id}"),
            Self::Target(id) => write!(f, "target {id}"),
            Self::Trial(position) => write!(f, "trial {position}"),
            Self::Note(id) => write!(f, "note {id}"),
            Self::Instance(id) => write!(f, "instance {id}"),
        }
    }
}

/// Writes and checks the digests of a store of the current format.
#[derive(Debug)]
pub(crate) struct Digests {
    /// The tables that have rows of trials, with the query for those of one, in a fixed order.
    of_trials: BTreeMap<String, String>,
}

impl Digests {
    /// Of tables that weighin makes; whatever else is in a file is no part of any digest.
    pub fn of(expected: &Expected) -> Self {
        let of_trials = expected.tables().iter().filter(|(table, columns)| {
            columns.iter().any(|column| column.name == "position")
                && !APART.contains(&table.as_str())
        });
        let of_trials = of_trials
            .map(|(table, columns)| {
                let mut order: Vec<&Column> = columns
                    .iter()
                    // Tables without a primary key are numbered.
                    .filter(|column| column.key > 0 || column.name == "number")
                    .collect();
                order.sort_by_key(|column| column.key);
                let order: Vec<String> = order.iter().map(|column| quoted(&column.name)).collect();
                let (from, order) = (quoted(table), order.join(", "));
                let query = format!("SELECT * FROM {from} WHERE position = ? ORDER BY {order}");
                (table.clone(), query)
            })
            .chain([("counter".to_owned(), COUNTERS.to_owned())])
            .collect();
        Self { of_trials }
    }

    /// Of the tables of the current format.
    ///
    /// # Errors
    /// When SQLite cannot make them in memory.
    pub fn current() -> Result<Self> {
        Ok(Self::of(&Expected::of(SCRIPTS)?))
    }

    /// Looks only at tables that have rows, for as long as none are added: the others are no part of
    /// any digest, and asking all of them for each trial takes most of the time of reading a store.
    pub fn filled(&self, connection: &Connection) -> Result<Self> {
        let mut of_trials = self.of_trials.clone();
        for table in self.of_trials.keys() {
            let first = if table == "counter" { "counter_reading" } else { table };
            let query = format!("SELECT EXISTS (SELECT 1 FROM {})", quoted(first));
            if !connection.query_row(&query, [], |row| row.get::<_, bool>(0))? {
                of_trials.remove(table);
            }
        }
        Ok(Self { of_trials })
    }

    /// Writes the digest of what the tables hold now.
    pub fn write(&self, connection: &Connection, subject: Subject) -> Result<()> {
        let tables = self.of_tables(connection, subject, &ReadLimit::NONE.budget())?;
        connection
            .prepare_cached("INSERT OR REPLACE INTO digest (subject, id, tables) VALUES (?, ?, ?)")?
            .execute(params![subject.name(), subject.id(), as_json(&tables)])?;
        Ok(())
    }

    /// Writes those of everything in a store that has none yet.
    pub fn write_all(&self, connection: &Connection) -> Result<()> {
        subjects(connection)?.into_iter().try_for_each(|subject| self.write(connection, subject))
    }

    /// Checks that the tables hold of this what they held when its digest was written; names the
    /// table that does not.
    pub fn check(
        &self,
        connection: &Connection,
        subject: Subject,
        budget: &ReadBudget,
    ) -> Result<()> {
        let found = self.of_tables(connection, subject, budget)?;
        Self::compare(connection, subject, &found)
    }

    /// Checks that this is what its digest says.
    pub fn compare(connection: &Connection, subject: Subject, found: &Hashes) -> Result<()> {
        let written: Option<String> = connection
            .prepare_cached("SELECT tables FROM digest WHERE subject = ? AND id = ?")?
            .query_row(params![subject.name(), subject.id()], |row| row.get(0))
            .optional()?;
        let Some(written) = written else {
            return Err(damage("digest", format!("{subject} has none: it was removed")));
        };
        if as_json(found) == written {
            return Ok(());
        }
        let Ok(written) = serde_json::from_str::<BTreeMap<String, String>>(&written) else {
            return Err(damage(
                "digest.tables",
                format!("that of {subject} is not what weighin wrote"),
            ));
        };
        let tables: BTreeSet<&String> = written.keys().chain(found.keys()).collect();
        let changed = tables.into_iter().find(|table| written.get(*table) != found.get(*table));
        let changed = changed.map_or("digest", String::as_str);
        Err(damage(
            changed,
            "its rows are not those that weighin wrote: they were edited or damaged",
        ))
    }

    /// Checks that everything has a digest, and every digest something that it is of.
    pub fn check_subjects(&self, connection: &Connection) -> Result<()> {
        let is = subjects(connection)?;
        let mut statement = connection.prepare("SELECT subject, id FROM digest")?;
        let was = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let was = was.collect::<Result<BTreeSet<(String, i64)>>>()?;
        let names: BTreeSet<(String, i64)> =
            is.iter().map(|subject| (subject.name().to_owned(), subject.id())).collect();
        if let Some((name, id)) = was.difference(&names).next() {
            return Err(damage(name.as_str(), format!("the rows of {name} {id} were removed")));
        }
        match is.iter().find(|subject| !was.contains(&(subject.name().to_owned(), subject.id()))) {
            Some(subject) => Err(damage("digest", format!("{subject} has none: it was removed"))),
            None => Ok(()),
        }
    }

    /// Checks what was added to the run after it had begun.
    pub fn check_extensions(&self, connection: &Connection, budget: &ReadBudget) -> Result<()> {
        let of_run = subjects(connection)?.into_iter();
        let mut added = of_run.filter(|subject| matches!(subject, Subject::Extension(_)));
        added.try_for_each(|subject| self.check(connection, subject, budget))
    }

    /// Checks everything at once.
    pub fn check_all(&self, connection: &Connection, budget: &ReadBudget) -> Result<()> {
        self.check_subjects(connection)?;
        let filled = self.filled(connection)?;
        subjects(connection)?.into_iter().try_for_each(|subject| {
            let place = subject.to_string();
            let checked = filled.check(connection, subject, budget);
            checked.map_err(|error| crate::value::within(&place, error))
        })
    }

    /// The hash of the rows in each table that has any. What they take in memory, once they are read, is
    /// charged: all that is read of a store is hashed.
    pub fn of_tables(
        &self,
        connection: &Connection,
        subject: Subject,
        budget: &ReadBudget,
    ) -> Result<Hashes> {
        let fixed: &[(&str, &str)] = match subject {
            Subject::Run => &[
                ("run", "SELECT * FROM run WHERE id = ?"),
                (
                    "planned_trial",
                    "SELECT * FROM planned_trial WHERE ? = 1 AND extension = 0 ORDER BY position",
                ),
            ],
            Subject::Extension(_) => &[
                ("extension", "SELECT * FROM extension WHERE number = ?"),
                (
                    "planned_trial",
                    "SELECT * FROM planned_trial WHERE extension = ? ORDER BY position",
                ),
            ],
            Subject::Target(_) => &[
                ("target", "SELECT * FROM target WHERE id = ?"),
                ("variable", "SELECT * FROM variable WHERE target_id = ? ORDER BY name"),
            ],
            Subject::Note(_) => &[("note", "SELECT * FROM note WHERE number = ?")],
            Subject::Instance(_) => &[("instance", "SELECT * FROM instance WHERE number = ?")],
            Subject::Trial(_) => &[],
        };
        let of_trials = self.of_trials.iter().filter(|_| matches!(subject, Subject::Trial(_)));
        let of_trials = of_trials.map(|(table, query)| (table.as_str(), query.as_str()));
        let mut hashes = BTreeMap::new();
        for (table, query) in fixed.iter().copied().chain(of_trials) {
            if let Some(hash) = hash(connection, (table, query), subject, budget)? {
                hashes.insert(table.to_owned(), hash);
            }
        }
        Ok(hashes)
    }
}

/// Everything in a store that has a digest.
fn subjects(connection: &Connection) -> Result<Vec<Subject>> {
    let ids = |query| -> Result<Vec<i64>> {
        connection.prepare(query)?.query_map([], |row| row.get(0))?.collect()
    };
    let of = |query, subject: fn(i64) -> Subject| -> Result<Vec<Subject>> {
        Ok(ids(query)?.into_iter().map(subject).collect())
    };
    let mut subjects = vec![Subject::Run];
    subjects.extend(of("SELECT number FROM extension ORDER BY number", Subject::Extension)?);
    subjects.extend(of("SELECT id FROM target ORDER BY id", Subject::Target)?);
    subjects.extend(of("SELECT number FROM note ORDER BY number", Subject::Note)?);
    subjects.extend(of("SELECT number FROM instance ORDER BY number", Subject::Instance)?);
    for position in ids("SELECT position FROM trial ORDER BY position")? {
        let position = u32::try_from(position)
            .map_err(|_| damage("trial.position", format!("{position} is out of range")))?;
        subjects.push(Subject::Trial(position));
    }
    Ok(subjects)
}

/// The hash of all rows of a table by its query; `None` where there are none.
fn hash(
    connection: &Connection,
    (table, query): (&str, &str),
    subject: Subject,
    budget: &ReadBudget,
) -> Result<Option<String>> {
    let mut statement = connection.prepare_cached(query)?;
    let columns = statement.column_count();
    let mut rows = statement.query([subject.id()])?;
    let mut hasher = Sha256::new();
    let mut any = false;
    while let Some(row) = rows.next()? {
        any = true;
        charge(budget, memory(row, columns, subject)? + bytes_of_row(table))?;
        for column in 0..columns {
            // Every value with its type and its length, so that no two lists of values look alike.
            match row.get_ref(column)? {
                ValueRef::Null => hasher.update([0]),
                ValueRef::Integer(value) => {
                    hasher.update([1]);
                    hasher.update(value.to_le_bytes());
                }
                ValueRef::Real(value) => {
                    hasher.update([2]);
                    hasher.update(value.to_bits().to_le_bytes());
                }
                ValueRef::Text(bytes) => bytes_of(&mut hasher, 3, bytes),
                ValueRef::Blob(bytes) => bytes_of(&mut hasher, 4, bytes),
            }
        }
    }
    Ok(any.then(|| {
        hasher.finalize().iter().take(DIGEST_BYTES).fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
    }))
}

/// Bytes of memory that a row may become.
fn memory(row: &Row<'_>, columns: usize, subject: Subject) -> Result<u64> {
    let of_text = match subject {
        // Mostly JSON, of which two bytes can be a value with many fields.
        Subject::Run | Subject::Extension(_) | Subject::Instance(_) => BYTES_OF_JSON,
        Subject::Target(_) | Subject::Trial(_) | Subject::Note(_) => 1,
    };
    (0..columns).try_fold(0_u64, |sum, column| {
        let length = match row.get_ref(column)? {
            ValueRef::Text(bytes) => bytes.len() as u64 * of_text,
            ValueRef::Blob(bytes) => bytes.len() as u64,
            ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => 0,
        };
        Ok(sum + length + BYTES_OF_COLUMN)
    })
}

fn bytes_of(hasher: &mut Sha256, kind: u8, bytes: &[u8]) {
    hasher.update([kind]);
    hasher.update((bytes.len() as u64).to_le_bytes());
    hasher.update(bytes);
}

fn as_json(tables: &BTreeMap<String, String>) -> String {
    serde_json::json!(tables).to_string()
}
