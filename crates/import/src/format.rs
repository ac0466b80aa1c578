//! The formats that can be read.

use crate::sysbench::SysbenchText;
use crate::{BenchBase, DiskSpd, Fio, HammerDb, Hlog, Iostat, Memtier, Mysqlslap, Parsed};
use crate::{Pgbench, RedisBenchmark, ShowDump, Table, TableOptions};

/// A file to import.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Its path as the user named it or as it was found.
    pub file: &'a str,
    /// Its text. Bytes that are no UTF-8 have been replaced.
    pub text: &'a str,
}

/// A format of results.
pub trait Format: Sync {
    /// The name that the command line uses.
    fn name(&self) -> &'static str;

    /// What it is, in a few words for the help text.
    fn description(&self) -> &'static str;

    /// Whether a text is of this format. It is enough to look at its beginning; at most one format
    /// may take a text.
    fn recognises(&self, text: &str) -> bool;

    /// Reads a file. Never fails as a whole: what cannot be read is among the problems.
    fn parse(&self, source: Source<'_>) -> Parsed;

    /// The same, with what the user says of tables, which matters to tables alone.
    fn parse_with(&self, source: Source<'_>, tables: &TableOptions) -> Parsed {
        let _ = tables;
        self.parse(source)
    }
}

/// All formats, in the order in which they are asked whether they know a text.
pub const FORMATS: [&dyn Format; 13] = [
    &Table,
    &SysbenchText,
    &Fio,
    &Memtier,
    &RedisBenchmark,
    &DiskSpd,
    &Hlog,
    &Pgbench,
    &BenchBase,
    &HammerDb,
    &Mysqlslap,
    &Iostat,
    &ShowDump,
];

/// The format of that name.
pub fn by_name(name: &str) -> Option<&'static dyn Format> {
    FORMATS.into_iter().find(|format| format.name() == name)
}

/// The format of a text, if any knows it.
pub fn recognise(text: &str) -> Option<&'static dyn Format> {
    FORMATS.into_iter().find(|format| format.recognises(text))
}
