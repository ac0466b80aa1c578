//! Results files that somebody has changed.

use super::{KIB, MIB};
use crate::input::Input;
use crate::seeds::store::files;
use crate::{Target, memory};
use model::ReadLimit;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;
use store::Store;
use store::fuzzing::{Cell, Declaration, Edit, declare, edit, multiply};
use tempfile::NamedTempFile;

/// A results file with bytes changed: what can still be read is analysed and reported.
pub(super) const BYTES: Target = Target {
    name: "store_bytes",
    run: bytes,
    seeds: || {
        let whole = [vec![0], vec![1], vec![2], vec![3]];
        let patched =
            (0..12_u8).map(|place| vec![place & 3, place, place << 3, 0, 0, 8, 0xFF, place, 0x7F]);
        whole.into_iter().chain(patched).collect()
    },
    mutations: 15,
    longest: KIB,
    memory: 400 * MIB,
    dictionary: dictionary!(store_bytes),
};

/// A results file with cells and values of documents changed, and its digests made to fit.
pub(super) const CELLS: Target = Target {
    name: "store_cells",
    run: cells,
    seeds: || {
        let cell = |n: u8| vec![n & 3, n, n, n, 3 + n % 12, n, 0, 0, 0];
        (0..48).map(cell).chain([vec![0], vec![2]]).collect()
    },
    mutations: 15,
    longest: KIB,
    memory: 400 * MIB,
    dictionary: dictionary!(store_cells),
};

/// A results file with other declarations of tables: it is refused, or what was in it is read.
pub(super) const SCHEMA: Target = Target {
    name: "store_schema",
    run: schema,
    seeds: || {
        let texts = [
            "CREATE TABLE \"a b\" (position INTEGER, number INTEGER PRIMARY KEY)",
            "CREATE TABLE t (a AS (replace(a, 'x', 'y')) STORED CHECK (a LIKE '%'), b DEFAULT (random()))",
            "CREATE VIEW v AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT * FROM n",
            "CREATE INDEX i ON trial (outcome || 'x') WHERE position > 1",
            "CREATE UNIQUE INDEX i ON note (at_ms)",
            "CREATE TRIGGER t AFTER INSERT ON trial BEGIN DELETE FROM trial; END",
            "CREATE VIRTUAL TABLE note USING fts5(a)",
            "CREATE TABLE sqlite_stat1(tbl, idx, stat AS (hex(tbl)))",
            "CREATE TABLE note (number INTEGER PRIMARY KEY, at_ms, text) WITHOUT ROWID",
        ];
        let seed = |(number, text): (usize, &&str)| {
            let head = [(number as u8) << 1, 200, number as u8 & 3, 7, 2, text.len() as u8];
            [&head[..], text.as_bytes()].concat()
        };
        let replaced = |row: u8| vec![0, row, 4, 0, 1, 12, b'C', b'R', b'E', b'A', b'T', b'E'];
        texts.iter().enumerate().map(seed).chain((0..60).step_by(7).map(replaced)).collect()
    },
    mutations: 15,
    longest: KIB,
    memory: 400 * MIB,
    dictionary: dictionary!(store_schema),
};

/// A results file of which rows, or elements of a list in a document, are there many times over, with
/// cells changed: what is read stays within a limit, and what is within it can be reported.
pub(super) const PARTS: Target = Target {
    name: "store_parts",
    run: parts,
    seeds: || {
        let often = |n: u8| vec![1 | n & 2, n, n / 3, 0, 0x40];
        let reported = |n: u8| vec![n & 2, n, n / 3, 0, 2];
        (0..64).step_by(3).flat_map(|n| [often(n), reported(n)]).collect()
    },
    mutations: 5,
    longest: KIB,
    memory: 400 * MIB,
    dictionary: CELLS.dictionary,
};

/// Most copies of a row of which a report is made: that takes longer than reading.
const REPORTED: u32 = 1000;
/// Of [`PARTS`]: far less than what a row many times over may become.
const LIMIT: ReadLimit = ReadLimit {
    bytes: 8 << 20,
    time: Duration::from_secs(5),
    clock: engine::process_cpu,
    ..ReadLimit::NONE
};
/// Bytes in use while a store is read within it, SQLite's own aside; the last part is for what weighin
/// knows of its tables.
const READING: i64 = 3 * LIMIT.bytes as i64 + (2 << 20);

/// Byte 0: which file, and whether it is reported. Then what is copied: table and row, or document and
/// list, and how often (two bytes); then edits, as of [`CELLS`], which come before that.
fn parts(data: &[u8]) {
    let mut input = Input::new(data);
    let flags = input.byte();
    let place = [(); 2].map(|()| usize::from(input.byte()));
    let copies = u32::from(input.u16());
    let mut edits = Vec::new();
    while !input.is_empty() && edits.len() < 4 {
        let [table, row, column] = [(); 3].map(|()| usize::from(input.byte()));
        edits.push(Edit { table, row, column, cell: cell(&mut input) });
    }
    let file = file(base(flags));
    let [table, row] = place;
    if edit(file.path(), &edits).is_err() || multiply(file.path(), (table, row), copies).is_err() {
        return;
    }
    let before = memory::in_use();
    memory::forget_peak();
    let read = Store::open_within(file.path(), LIMIT).and_then(|store| store.dataset());
    let used = memory::peak() - before;
    assert!(used <= READING, "{used} bytes in use for a limit of {}", LIMIT.bytes);
    match read {
        Ok(dataset) if analyse::memory(&dataset) > LIMIT.bytes => {}
        Ok(dataset) if flags & 1 == 0 && copies <= REPORTED => super::rendered(&dataset),
        Ok(_) => {}
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Byte 0: which file, and whether it is reported. Then patches: four bytes of place, one of
/// length, the bytes.
fn bytes(data: &[u8]) {
    let mut input = Input::new(data);
    let flags = input.byte();
    let mut bytes = base(flags).to_vec();
    while !input.is_empty() {
        let place = usize::from(input.u16()) << 16 | usize::from(input.u16());
        let length = 1 + usize::from(input.byte() & 15);
        let patch = input.bytes(length);
        let place = place % bytes.len();
        let end = bytes.len().min(place + patch.len());
        bytes[place..end].copy_from_slice(&patch[..end - place]);
    }
    let file = file(&bytes);
    read(file.path(), flags);
    assert_eq!(fs::read(file.path()).ok(), Some(bytes), "reading has changed the file");
}

/// Byte 0: which file, and whether it is reported. Then edits: table, row, column, kind, value.
fn cells(data: &[u8]) {
    let mut input = Input::new(data);
    let flags = input.byte();
    let mut edits = Vec::new();
    while !input.is_empty() && edits.len() < 16 {
        let [table, row, column] = [(); 3].map(|()| usize::from(input.byte()));
        edits.push(Edit { table, row, column, cell: cell(&mut input) });
    }
    let file = file(base(flags));
    // What SQLite cannot even write is nothing to read.
    if edit(file.path(), &edits).is_ok() {
        read(file.path(), flags);
    }
}

/// Byte 0: which file, and whether it is reported. Then declarations: row, kind and whether it has a name,
/// the name's number, page, length of the text, the text.
fn schema(data: &[u8]) {
    let mut input = Input::new(data);
    let flags = input.byte();
    let mut declarations = Vec::new();
    while !input.is_empty() && declarations.len() < 16 {
        let (row, kind, name) = (usize::from(input.byte()), input.byte(), input.byte());
        let root = i64::from(input.byte());
        declarations.push(Declaration {
            row,
            kind: ["table", "index", "view", "trigger"][usize::from(kind & 3)].to_owned(),
            name: (kind & 4 == 0).then(|| format!("more{name}")),
            root,
            sql: piece(&mut input),
        });
    }
    let file = file(base(flags));
    if declare(file.path(), &declarations).is_err() {
        return;
    }
    let bytes = fs::read(file.path()).ok();
    match Store::open(file.path()).and_then(|store| store.dataset()) {
        // Whatever was declared, what weighin has written is what it reads.
        Ok(dataset) => {
            let unchanged = Store::open(self::file(base(flags)).path());
            let written = unchanged.and_then(|store| store.dataset()).ok();
            assert!(Some(dataset) == written, "other results");
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    assert_eq!(fs::read(file.path()).ok(), bytes, "reading has changed the file");
}

/// A value, or none to delete the row.
fn cell(input: &mut Input<'_>) -> Option<Cell> {
    Some(match input.byte() % 15 {
        0 => return None,
        1 => Cell::Null,
        2 => Cell::Integer(i64::from(input.u16() as i16)),
        3 => Cell::Integer(i64::MAX),
        4 => Cell::Integer(i64::MIN),
        5 => Cell::Integer(i64::from(input.u16()) << 32),
        6 => Cell::Real(f64::from_bits(u64::from_le_bytes([(); 8].map(|()| input.byte())))),
        7 => Cell::Real(f64::from(input.u16()) / 7.0 - 1000.0),
        8 => Cell::Real([f64::MAX, f64::MIN_POSITIVE, f64::INFINITY, -0.0][input.below(4)]),
        9 => Cell::Blob(piece(input)),
        10 => Cell::Integer(1 << (input.byte() & 63)),
        _ => Cell::Text(piece(input)),
    })
}

fn piece(input: &mut Input<'_>) -> Vec<u8> {
    let length = usize::from(input.byte());
    input.bytes(length).to_vec()
}

fn base(flags: u8) -> &'static [u8] {
    static FILES: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    let files = FILES.get_or_init(files);
    &files[usize::from(flags >> 1) % files.len()]
}

/// A file with that content, in memory where that can be had: there are many of them.
fn file(bytes: &[u8]) -> NamedTempFile {
    let memory = Path::new("/dev/shm");
    let directory = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let file = NamedTempFile::new_in(directory).and_then(|mut file| {
        file.write_all(bytes)?;
        Ok(file)
    });
    file.unwrap_or_else(|error| panic!("no room for the store: {error}"))
}

/// Reads a store, and reports what can be read.
fn read(path: &Path, flags: u8) {
    match Store::open(path).and_then(|store| store.dataset()) {
        Ok(dataset) if flags & 1 == 0 => super::rendered(&dataset),
        Ok(_) => {}
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
