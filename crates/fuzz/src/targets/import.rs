//! Results of other tools.

use super::{KIB, MIB, text};
use crate::Target;
use crate::input::Input;
use crate::seeds::import as seeds;
use ::import::{
    FORMATS, Format, Naming, Source, UnpackLimits, assemble, by_name, decode, name_trials,
    recognise, unpack, unread,
};
use model::{ReadBudget, ReadLimit};
use std::time::Duration;

/// A target for one format, which has its name as a function's.
macro_rules! format {
    ($name:ident, $format:literal) => {
        Target {
            name: concat!("import_", stringify!($name)),
            mutations: 300,
            run: |data| read($format, data),
            seeds: seeds::$name,
            longest: 16 * KIB,
            memory: 32 * MIB,
            dictionary: dictionary!(import_ $name),
        }
    };
}

pub(super) const CSV: Target = format!(csv, "csv");
pub(super) const SYSBENCH: Target = format!(sysbench, "sysbench");
pub(super) const FIO: Target = format!(fio, "fio");
pub(super) const MEMTIER: Target = format!(memtier, "memtier");
pub(super) const REDIS_BENCHMARK: Target = format!(redis_benchmark, "redis-benchmark");
pub(super) const DISKSPD: Target = format!(diskspd, "diskspd");
pub(super) const HLOG: Target = format!(hlog, "hlog");
pub(super) const PGBENCH: Target = format!(pgbench, "pgbench");
pub(super) const BENCHBASE: Target = format!(benchbase, "benchbase");
pub(super) const POSTGRESBENCH: Target = format!(postgresbench, "postgresbench");
pub(super) const CLICKBENCH: Target = format!(clickbench, "clickbench");
pub(super) const HAMMERDB: Target = format!(hammerdb, "hammerdb");
pub(super) const MYSQLSLAP: Target = format!(mysqlslap, "mysqlslap");
pub(super) const IOSTAT: Target = format!(iostat, "iostat");
pub(super) const SHOW: Target = format!(show, "show");

/// Files as they lie on a disk: packed, or in any encoding. What comes out is held to the limits.
pub(super) const UNPACK: Target = Target {
    name: "import_unpack",
    mutations: 300,
    run: packed,
    seeds: seeds::packed,
    longest: 8 * KIB,
    // A window of Zstandard and a dictionary of xz, as large as they may be.
    memory: 320 * MIB,
    dictionary: dictionary!(import_unpack),
};

/// Several files together: what they give is analysed and reported in every format.
pub(super) const REPORT: Target = Target {
    name: "import_report",
    mutations: 15,
    run: report,
    seeds: seeds::together,
    longest: 16 * KIB,
    memory: 256 * MIB,
    dictionary: CSV.dictionary,
};

/// A file in which pieces of others are there many times over, in every format: it is read within a
/// limit, or refused.
pub(super) const PARTS: Target = Target {
    name: "import_parts",
    mutations: 20,
    run: parts,
    seeds: parts_seeds,
    longest: 16 * KIB,
    memory: 96 * MIB,
    dictionary: dictionary!(import_parts),
};

/// Of [`PARTS`].
const LIMIT: ReadLimit = ReadLimit {
    bytes: 16 << 20,
    time: Duration::from_secs(5),
    clock: engine::process_cpu,
    ..ReadLimit::NONE
};
/// The longest text that is made for it.
const LONGEST: usize = MIB;

/// Each seed of a format as it is, and each of its later lines many times over.
fn parts_seeds() -> Vec<Vec<u8>> {
    let all = [
        seeds::csv(),
        seeds::sysbench(),
        seeds::fio(),
        seeds::memtier(),
        seeds::hlog(),
        seeds::pgbench(),
        seeds::benchbase(),
        seeds::postgresbench(),
        seeds::clickbench(),
        seeds::hammerdb(),
        seeds::mysqlslap(),
        seeds::iostat(),
        seeds::show(),
    ];
    let mut made = Vec::new();
    for text in all.into_iter().flatten().filter(|text| text.len() < 8 * KIB) {
        // What follows a zero byte is repeated so often; the next one ends it.
        made.push([&[0x88, 0x13][..], &text].concat());
        for (at, _) in text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').step_by(31) {
            let (head, tail) = text.split_at(at + 1);
            let end = tail.iter().position(|byte| *byte == b'\n').map_or(tail.len(), |at| at + 1);
            let (line, rest) = tail.split_at(end);
            made.push([&[0xFF, 0xFF], head, &[0], line, &[0], rest].concat());
        }
    }
    made
}

/// Two bytes of how often; then a text, of which every second piece between zero bytes is there that
/// often.
fn parts(data: &[u8]) {
    let mut input = Input::new(data);
    let times = usize::from(input.u16()).max(1);
    let mut bytes = Vec::new();
    for (number, piece) in input.rest().split(|byte| *byte == 0).enumerate() {
        let room = (LONGEST - bytes.len()) / piece.len().max(1);
        let times = if number % 2 == 1 { times } else { 1 };
        (0..times.min(room)).for_each(|_| bytes.extend_from_slice(piece));
    }
    let text = text(&bytes);
    drop(bytes);
    let Some(format) = recognise(&text) else { return };
    let budget = LIMIT.budget();
    let source = Source { file: "a/b-16.txt", text: &text, budget: &budget };
    if source.charge().is_err() {
        return;
    }
    let parsed = format.parse(source);
    if budget.verdict().is_err() || budget.charge(parsed.memory_of_assembly()).is_err() {
        return;
    }
    let mut files = vec![parsed];
    let _ = name_trials(&mut files, &Naming::default());
    let _ = assemble("fuzz", test_support::run(), files);
}

fn read(name: &str, data: &[u8]) {
    let text = text(data);
    let _ = recognise(&text);
    let format = by_name(name).unwrap_or(FORMATS[0]);
    let parsed =
        format.parse(Source { file: "a/b-16.txt", text: &text, budget: &ReadBudget::default() });
    let lines = text.lines().count() as u32;
    for problem in &parsed.problems {
        assert!(problem.line <= lines + 1, "{problem}");
    }
    let mut files = vec![parsed];
    let _ = name_trials(&mut files, &Naming::default());
    let _ = assemble("fuzz", test_support::run(), files);
}

fn packed(data: &[u8]) {
    let limits = UnpackLimits {
        member_bytes: MIB as u64,
        total_bytes: 4 * MIB as u64,
        members: 50,
        depth: 3,
    };
    let (mut members, mut bytes) = (0, 0);
    let problems = unpack("a/b.tar.gz", data.to_vec(), &limits, &mut |member| {
        members += 1;
        bytes = bytes.max(member.bytes.len() as u64);
        assert!(member.name.starts_with("a/b.tar.gz"), "{}", member.name);
        assert!(member.name.split('/').all(|part| part != ".."), "{}", member.name);
        let text = decode::text(&member.bytes);
        if let Some(format) = recognise(&text) {
            let _ = format.parse(Source {
                file: member.name,
                text: &text,
                budget: &ReadBudget::default(),
            });
        } else {
            let _ = unread(&member.bytes, &text);
        }
    });
    // A file that is no container is given as it is.
    assert!(members <= limits.members && bytes <= limits.member_bytes.max(data.len() as u64));
    assert!(problems.len() <= 2 * limits.members + 8, "{}", problems.len());
}

/// Files are cut by zero bytes, each with its format and directory in its first byte.
fn report(data: &[u8]) {
    let files = data.split(|&byte| byte == 0).take(4).enumerate().map(|(number, file)| {
        let mut input = Input::new(file);
        let flags = input.byte();
        let directory = ["a", "b"][usize::from(flags & 1)];
        let name = std::format!("{directory}/file-{}.txt", number / 2);
        let text = text(input.rest());
        let chosen: &dyn Format = FORMATS[usize::from(flags >> 1) % FORMATS.len()];
        let format = if flags & 0x80 == 0 { recognise(&text).unwrap_or(chosen) } else { chosen };
        format.parse(Source { file: &name, text: &text, budget: &ReadBudget::default() })
    });
    let mut files = files.collect::<Vec<_>>();
    if name_trials(&mut files, &Naming::default()).is_err() {
        return;
    }
    let (dataset, _) = assemble("fuzz", test_support::run(), files);
    super::rendered(&dataset);
}
