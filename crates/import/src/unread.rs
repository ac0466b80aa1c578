//! Files that people have and that are not read: what they are, and what to do instead.

/// How much of a text is looked at.
const BEGINNING: usize = 64 << 10;

const TABLE: &str = "put its figures into a table, with a row for each trial (weighin import csv)";
const PACK: &str = "unpack it, or pack its files as .tar.gz or .zip";

/// Beginnings of files that are no text.
const BINARY: [(&[u8], &str, &str); 10] = [
    (
        b"SQLite format 3\0",
        "a SQLite database",
        "of results of weighin's own, use weighin report or weighin merge",
    ),
    (b"%PDF-", "a PDF", TABLE),
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "an old Office file (.xls, .doc)",
        "save it as .xlsx or CSV",
    ),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", PACK),
    (b"Rar!\x1a\x07", "a RAR archive", PACK),
    (b"LZIP", "compressed by lzip", PACK),
    (b"\x04\x22\x4d\x18", "compressed by lz4", PACK),
    (b"\x1f\x9d", "compressed by compress", PACK),
    (b"PAR1", "a Parquet file", "write it as CSV"),
    (b"\x96\xd5", "sar's binary log", "log with iostat -x -t 1 next to the load"),
];

/// What texts of other tools have in them.
const TEXTS: [(&[&str], &str, &str); 27] = [
    (&["[OVERALL], RunTime(ms)"], "YCSB's output", TABLE),
    (&["Takes(s): ", "OPS: "], "go-ycsb's output", TABLE),
    (&["Running ", " test @ ", "Requests/sec:"], "wrk's output", TABLE),
    (&["This is ApacheBench"], "ApacheBench's output", TABLE),
    (&["timeStamp,elapsed,label"], "a log of JMeter's samples", TABLE),
    (&["Transaction Type Index,Transaction Name"], "BenchBase's samples", "use its *.summary.json"),
    (&["Vdbench distribution"], "Vdbench's output", TABLE),
    (&["vdbench", "Starting RD="], "Vdbench's output", TABLE),
    (&["ioping statistics ---"], "ioping's output", TABLE),
    (&["Timing buffered disk reads"], "hdparm's output", TABLE),
    (&["Iozone: Performance Test"], "Iozone's output", TABLE),
    (&["format_version,bonnie_version"], "bonnie++'s CSV", TABLE),
    (
        &["CrystalDiskMark"],
        "CrystalDiskMark's output",
        "measure with DiskSpd -Rxml, which it uses itself",
    ),
    (&["fsync(", "Compare file sync methods"], "pg_test_fsync's output", TABLE),
    (&["<TpmC>"], "tpcc-mysql's output", TABLE),
    (&["***       #easy ### TPC-C Load Generator"], "tpcc-mysql's output", TABLE),
    (&["tpmC: ", "efficiency: "], "go-tpc's output", TABLE),
    (&["[Current] NEW_ORDER - Takes(s)"], "go-tpc's output", TABLE),
    (&["Op rate", "Partition rate", "Latency mean"], "cassandra-stress' output", TABLE),
    (&["Measured tpmC (NewOrders)"], "BenchmarkSQL's output", TABLE),
    (
        &["Value", "Percentile", "TotalCount", "1/(1-Percentile)"],
        "a distribution of HdrHistogram",
        "use its log (.hlog), or the JSON of the tool that wrote it",
    ),
    (&["procs ---", "memory---"], "vmstat's output", "log with iostat -x -t 1 next to the load"),
    (&["----total-cpu-usage----"], "dstat's output", "log with iostat -x -t 1 next to the load"),
    (&["Device", "tps", "kB_read/s"], "iostat's output without -x", "run iostat with -x"),
    (&["Device", "tps", "Blk_read/s"], "iostat's output without -x", "run iostat with -x"),
    (&["<html"], "an HTML page", TABLE),
    (&["<!doctype html"], "an HTML page", TABLE),
];

/// What a file is that no format takes, and what to do instead, in a clause; `None` of what nobody would
/// take for results.
pub fn unread(bytes: &[u8], text: &str) -> Option<String> {
    let binary = BINARY.iter().find(|(magic, ..)| bytes.starts_with(magic));
    if let Some((_, what, instead)) = binary {
        return Some(said(what, instead));
    }
    let mut end = text.len().min(BEGINNING);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let beginning = &text[..end];
    let page = beginning.trim_start().get(..15).map(str::to_lowercase);
    let has = |word: &&str| match word.starts_with('<') && word.to_lowercase() == **word {
        true => page.as_ref().is_some_and(|page| page.starts_with(*word)),
        false => beginning.contains(*word),
    };
    let known = TEXTS.iter().find(|(words, ..)| words.iter().all(has));
    known.map(|(_, what, instead)| said(what, instead))
}

fn said(what: &str, instead: &str) -> String {
    format!("this is {what}, which is not read: {instead}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_have_is_named_with_what_to_do() {
        let named = |text: &str| unread(text.as_bytes(), text).unwrap_or_default();
        assert!(named("[OVERALL], RunTime(ms), 10000\n[READ], Operations, 5\n").contains("YCSB"));
        assert!(named("<!DOCTYPE html>\n<html>").contains("HTML"));
        assert!(named("SQLite format 3\0").contains("weighin report"));
        assert!(named("Linux\n\nDevice  tps  kB_read/s\n").contains("-x"));
        for text in ["", "a note of a colleague\n", "\u{89}PNG\r\n", "if a <html> b"] {
            assert_eq!(unread(text.as_bytes(), text), None, "{text}");
        }
    }
}
