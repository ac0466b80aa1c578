//! Archives and compressed files, and what hostile ones do.

use import::{UnpackLimits, unpack};
use std::io::Write as _;

macro_rules! packed {
    ($name:literal) => {
        include_bytes!(concat!("../fixtures/packed/", $name)).to_vec()
    };
}

const TABLE: &str = "server,threads,tps\na,16,1234.5\nb,16,987.25\n";

/// Names and texts of the members, and the problems.
fn members_within(
    name: &str,
    bytes: Vec<u8>,
    limits: &UnpackLimits,
) -> (Vec<(String, String)>, Vec<String>) {
    let mut found = Vec::new();
    let problems = unpack(name, bytes, limits, &mut |member| {
        let text = String::from_utf8_lossy(&member.bytes).into_owned();
        found.push((member.name.to_owned(), text));
    });
    found.sort();
    (found, problems.iter().map(ToString::to_string).collect())
}

fn members(name: &str, bytes: Vec<u8>) -> (Vec<(String, String)>, Vec<String>) {
    members_within(name, bytes, &UnpackLimits::default())
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A tar entry with a header of its own making.
fn entry(name: &[u8], kind: u8, size: u64, data: &[u8]) -> Vec<u8> {
    let mut header = vec![0; 512];
    header[..name.len()].copy_from_slice(name);
    header[100..107].copy_from_slice(b"0000644");
    header[124..135].copy_from_slice(format!("{size:011o}").as_bytes());
    header[156] = kind;
    header[257..263].copy_from_slice(b"ustar\0");
    header[148..156].fill(b' ');
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    header.extend_from_slice(data);
    header.resize(header.len().next_multiple_of(512), 0);
    header
}

fn tar(entries: &[(&[u8], u8, &[u8])]) -> Vec<u8> {
    let mut archive: Vec<u8> = Vec::new();
    for (name, kind, data) in entries {
        archive.extend(entry(name, *kind, data.len() as u64, data));
    }
    archive.extend([0; 1024]);
    archive
}

#[test]
fn compressed_files_are_read_as_themselves() {
    for (name, bytes) in [
        ("a.csv.gz", packed!("a.csv.gz")),
        ("a.csv.zst", packed!("a.csv.zst")),
        ("a.csv.xz", packed!("a.csv.xz")),
        ("a.csv.bz2", packed!("a.csv.bz2")),
    ] {
        let (found, problems) = members(name, bytes.clone());
        assert!(problems.is_empty(), "{problems:?}");
        assert_eq!(found, [(name.to_owned(), TABLE.to_owned())]);
        // Half a file is told, and gives nothing.
        let (found, problems) = members(name, bytes[..bytes.len() / 2].to_vec());
        assert!(found.is_empty() && problems.len() == 1, "{name}: {found:?} {problems:?}");
    }
    let twice = format!("{TABLE}{TABLE}");
    assert_eq!(members("a", packed!("twice.csv.zst")).0[0].1, twice);
    let mut appended = gzip(TABLE.as_bytes());
    appended.extend(gzip(TABLE.as_bytes()));
    assert_eq!(members("a", appended).0[0].1, twice);
}

#[test]
fn members_have_the_names_that_files_of_a_directory_would() {
    for (name, bytes) in [
        ("t.tar.gz", packed!("gnu.tar.gz")),
        ("t.tar.zst", packed!("pax.tar.zst")),
        ("t.zip", packed!("tree.zip")),
    ] {
        let (found, problems) = members(name, bytes);
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        let long = format!("{name}/tree/{}/c.csv", "long".repeat(40));
        let expected = [format!("{name}/tree/a.csv"), format!("{name}/tree/deep/b.csv"), long];
        assert_eq!(names, expected, "{name}");
        assert!(found.iter().all(|(_, text)| text == TABLE));
        // The archives of tar have a link.
        assert_eq!(problems.len(), usize::from(name.contains("tar")), "{problems:?}");
    }
    let (found, problems) = members("p.zip", packed!("from-pipe.zip"));
    assert!(found.len() == 1 && problems.is_empty(), "{found:?} {problems:?}");
}

#[test]
fn sheets_are_tables_of_their_own() {
    let (found, problems) = members("book.xlsx", packed!("book.xlsx"));
    assert!(problems.is_empty(), "{problems:?}");
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["book.xlsx/Notes", "book.xlsx/OLTP rw", "book.xlsx/Sheet2"]);
    assert!(found[1].1.contains("PostgreSQL,16,1500.25,18.9\n"), "{}", found[1].1);
    assert!(found[2].1.contains("8,0.3,1.234"), "{}", found[2].1);
}

#[test]
fn sheets_of_opendocument_are_tables_too() {
    let (found, problems) = members("book.ods", packed!("book.ods"));
    assert!(problems.is_empty(), "{problems:?}");
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["book.ods/OLTP rw", "book.ods/gaps"]);
    let rows = "\"\"\ntarget,clients,TPS,p95 ms\na,16,1500.25,18.9\nb,16,1810.5,16.2\n";
    assert!(found[0].1.starts_with(rows), "{}", found[0].1);
    assert_eq!(found[0].1.lines().count(), 6, "a million empty rows are none");
    assert_eq!(found[1].1, "x,,,7,7\n");
}

#[test]
fn a_file_that_is_no_container_is_given_as_it_is() {
    for text in ["BZh is no archive\n", "PK\n", "", "{\"a\": 1}\n"] {
        let (found, problems) = members("a.txt", text.as_bytes().to_vec());
        assert_eq!(found, [("a.txt".to_owned(), text.to_owned())]);
        assert!(problems.is_empty());
    }
}

#[test]
fn names_of_members_stay_below_the_archive() {
    let names: [&[u8]; 5] = [b"../../etc/passwd", b"/root/x", b"a/../../b", b"c\\d", b".ssh/key"];
    let entries: Vec<(&[u8], u8, &[u8])> =
        names.iter().map(|name| (*name, b'0', &b"x"[..])).collect();
    let (found, problems) = members("t.tar", tar(&entries));
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["t.tar/a/b", "t.tar/c/d", "t.tar/etc/passwd", "t.tar/root/x"]);
    assert!(problems.is_empty(), "{problems:?}");
    let twice = tar(&[(b"a", b'0', b"first"), (b"./a", b'0', b"second"), (b"l", b'2', b"")]);
    let (found, problems) = members("t.tar", twice);
    assert_eq!(found, [("t.tar/a".to_owned(), "first".to_owned())]);
    assert!(problems.len() == 2 && problems[0].contains("several members"), "{problems:?}");
}

#[test]
fn what_expands_without_end_is_stopped() {
    let limits =
        UnpackLimits { member_bytes: 1 << 20, total_bytes: 4 << 20, members: 10, depth: 3 };
    let zeros = vec![0; 8 << 20];
    let bomb = gzip(&zeros);
    let (found, problems) = members_within("a.gz", bomb.clone(), &limits);
    assert!(
        found.is_empty() && problems.len() == 1 && problems[0].contains("expands"),
        "{problems:?}"
    );
    // Many members of an allowed size are too much together.
    let piece = gzip(&zeros[..1 << 20]);
    let many: Vec<Vec<u8>> = (0..8).map(|at| format!("{at}.gz").into_bytes()).collect();
    let entries: Vec<(&[u8], u8, &[u8])> =
        many.iter().map(|name| (name.as_slice(), b'0', piece.as_slice())).collect();
    let (found, problems) = members_within("t.tar", tar(&entries), &limits);
    assert!(found.len() <= 4 && !problems.is_empty(), "{} {problems:?}", found.len());
    let names: Vec<String> = (0..40).map(|at| format!("{at}.txt")).collect();
    let entries: Vec<(&[u8], u8, &[u8])> =
        names.iter().map(|name| (name.as_bytes(), b'0', &b"x"[..])).collect();
    let (found, problems) = members_within("t.tar", tar(&entries), &limits);
    assert!(found.len() == 10 && problems.len() == 1, "{} {problems:?}", found.len());
    let mut nested = gzip(b"deep");
    for _ in 0..6 {
        nested = gzip(&nested);
    }
    let (found, problems) = members_within("a.gz", nested, &limits);
    assert!(found.is_empty() && problems[0].contains("deep"), "{problems:?}");
}

#[test]
fn damaged_archives_are_told() {
    let mut sized = entry(b"a", b'0', 0o77_777_777_777, b"x");
    sized.extend([0; 1024]);
    let whole = packed!("tree.zip");
    let mut wrong = whole.clone();
    // A byte of a member's data, after its name and 28 bytes of dates and owners.
    let name = b"tree/a.csv";
    let data = whole.windows(name.len()).position(|own| own == name).unwrap() + name.len() + 33;
    wrong[data] ^= 0x55;
    for (name, bytes) in [
        ("size.tar", sized),
        ("cut.tar", tar(&[(b"a", b'0', b"x")])[..512].to_vec()),
        ("cut.zip", whole[..whole.len() - 30].to_vec()),
        ("wrong.zip", wrong),
        ("empty.zip", b"PK\x03\x04".to_vec()),
    ] {
        let (_, problems) = members(name, bytes);
        assert!(!problems.is_empty(), "{name}");
    }
}
