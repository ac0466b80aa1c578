//! The formats that can be read.

use crate::sysbench::SysbenchText;
use crate::{
    BenchBase, ClickBench, DiskSpd, Fio, Format, HammerDb, Hlog, Iostat, Memtier, Mysqlslap, Parsed,
};
use crate::{
    Pgbench, PgbenchLog, PostgresBench, Problem, RedisBenchmark, ShowDump, Source, Table,
    TableOptions,
};

/// All formats, in the order in which they are asked whether they know a text.
pub const FORMATS: [&dyn Format; 16] = [
    &Table, &SysbenchText, &Fio, &Memtier, &RedisBenchmark, &DiskSpd, &Hlog, &Pgbench, &PgbenchLog,
    &BenchBase, &PostgresBench, &ClickBench, &HammerDb, &Mysqlslap, &Iostat, &ShowDump,
];

/// The format of that name.
pub fn by_name(name: &str) -> Option<&'static dyn Format> {
    FORMATS.into_iter().find(|format| format.name() == name)
}

/// Reads a file in a format. A file that gives nothing at all is a problem: it looks like results, and
/// whoever imports it counts on them.
pub fn parse(format: &dyn Format, source: Source<'_>, tables: &TableOptions) -> Parsed {
    let mut parsed = format.parse_with(source, tables);
    if parsed.is_empty() {
        let message = format!("no results in it, though it looks like {}", format.description());
        parsed.problems.push(Problem { file: source.file.to_owned(), line: 0, message });
    }
    parsed
}

/// The format of a text, if any knows it.
pub fn recognise(text: &str) -> Option<&'static dyn Format> {
    FORMATS.into_iter().find(|format| format.recognises(text))
}
