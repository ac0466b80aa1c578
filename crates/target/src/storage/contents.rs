//! What a device or a file holds already.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;

/// The beginning and the end, where file systems, partition tables and arrays sign: bytes that are
/// read of each, and kept free of data by weighin.
pub(super) const EDGE: u64 = 1 << 20;
/// Places that are looked at, spread evenly.
const PLACES: u64 = 256;
/// Bytes that are read at each.
const GLANCE: usize = 4096;
/// Bytes at the very beginning in which weighin's own mark stands.
pub(super) const MARK_BYTES: usize = 4096;

/// Signatures by the offset at which they stand.
const SIGNATURES: [(u64, &[u8], &str); 12] = [
    (0, b"XFSB", "an XFS file system"),
    (0, b"LUKS\xba\xbe", "an encrypted volume"),
    (0, b"\xfc\x4e\x2b\xa9", "a member of an array"),
    (3, b"NTFS    ", "an NTFS file system"),
    (512, b"EFI PART", "a partition table"),
    (512, b"LABELONE", "a physical volume of LVM"),
    (1080, b"\x53\xef", "an ext2, ext3 or ext4 file system"),
    (4086, b"SWAPSPACE2", "swap space"),
    (4096, b"EFI PART", "a partition table"),
    (4096, b"\xfc\x4e\x2b\xa9", "a member of an array"),
    (65_600, b"_BHRfS_M", "a btrfs file system"),
    // Last, because boot sectors of file systems end so too.
    (510, b"\x55\xaa", "a partition table or boot sector"),
];

/// What was found on a device or in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Contents {
    /// Zeros wherever it was looked at.
    Empty,
    /// What weighin wrote, with its mark, whose text this is.
    Own(String),
    /// Something else, in words.
    Foreign(&'static str),
}

/// Looks at the first and the last MiB, and at places between or, of what has to be looked at
/// `thoroughly`, at everything. `mark` is what weighin's own mark begins with.
///
/// # Errors
/// When it cannot be read.
pub(super) fn look(file: &File, length: u64, thoroughly: bool, mark: &str) -> io::Result<Contents> {
    let mut edge = vec![0; EDGE.min(length) as usize];
    read_at(file, &mut edge, 0)?;
    let marked = edge.starts_with(mark.as_bytes());
    let (head, rest) = edge.split_at(if marked { MARK_BYTES.min(edge.len()) } else { 0 });
    if !rest.iter().all(|&byte| byte == 0) {
        return Ok(Contents::Foreign(name(&edge)));
    }
    let text = head.split(|&byte| byte == 0).next().unwrap_or_default();
    let text = String::from_utf8_lossy(text).into_owned();
    let end = length.saturating_sub(EDGE).max(edge.len() as u64);
    edge.resize((length - end) as usize, 0);
    read_at(file, &mut edge, end)?;
    if !edge.iter().all(|&byte| byte == 0) {
        return Ok(Contents::Foreign("data at its end"));
    }
    if marked {
        return Ok(Contents::Own(text));
    }
    let (step, bytes) = match thoroughly {
        true => (EDGE, EDGE as usize),
        false => ((length / PLACES).max(GLANCE as u64) / GLANCE as u64 * GLANCE as u64, GLANCE),
    };
    let mut glance = vec![0; bytes];
    let mut at = 0;
    while at < length {
        let readable = usize::try_from(length - at).map_or(bytes, |left| bytes.min(left));
        read_at(file, &mut glance[..readable], at)?;
        if !glance[..readable].iter().all(|&byte| byte == 0) {
            return Ok(Contents::Foreign("data"));
        }
        at += step;
    }
    Ok(Contents::Empty)
}

/// What the beginning says it is.
fn name(edge: &[u8]) -> &'static str {
    let stands = |(offset, signature, _): &&(u64, &[u8], &str)| {
        edge.get(*offset as usize..).is_some_and(|rest| rest.starts_with(signature))
    };
    SIGNATURES.iter().find(stands).map_or("data", |(_, _, name)| name)
}

fn read_at(file: &File, buffer: &mut [u8], mut at: u64) -> io::Result<()> {
    let mut read = 0;
    while read < buffer.len() {
        match file.read_at(&mut buffer[read..], at) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(bytes) => {
                read += bytes;
                at += bytes as u64;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTH: u64 = 8 << 20;

    fn found(writes: &[(u64, &[u8])]) -> Contents {
        let file = tempfile::tempfile().unwrap();
        file.set_len(LENGTH).unwrap();
        for (at, bytes) in writes {
            file.write_all_at(bytes, *at).unwrap();
        }
        look(&file, LENGTH, false, "mark").unwrap()
    }

    #[test]
    fn zeros_are_nothing_and_anything_else_is_something() {
        assert_eq!(found(&[]), Contents::Empty);
        assert_eq!(found(&[(EDGE - 1, b"x")]), Contents::Foreign("data"));
        assert_eq!(found(&[(LENGTH - 1, b"x")]), Contents::Foreign("data at its end"));
        assert_eq!(found(&[(EDGE, &vec![7; 1 << 20])]), Contents::Foreign("data"));
    }

    #[test]
    fn a_few_bytes_anywhere_are_found_where_everything_is_looked_at() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(LENGTH).unwrap();
        file.write_all_at(b"x", 3 * EDGE + 12_345).unwrap();
        assert_eq!(look(&file, LENGTH, true, "mark").unwrap(), Contents::Foreign("data"));
    }

    #[test]
    fn signatures_are_called_by_their_names() {
        assert_eq!(found(&[(0, b"XFSB")]), Contents::Foreign("an XFS file system"));
        let ext = Contents::Foreign("an ext2, ext3 or ext4 file system");
        assert_eq!(found(&[(1080, b"\x53\xef")]), ext);
        assert_eq!(found(&[(65_600, b"_BHRfS_M")]), Contents::Foreign("a btrfs file system"));
        let sector = Contents::Foreign("a partition table or boot sector");
        assert_eq!(found(&[(510, b"\x55\xaa")]), sector);
    }

    #[test]
    fn a_mark_of_weighins_own_counts_only_where_nothing_was_made_over_it() {
        let data = vec![7; 1 << 20];
        let marked: [(u64, &[u8]); 2] = [(0, b"mark 1\n"), (EDGE, &data)];
        assert_eq!(found(&marked), Contents::Own("mark 1\n".to_owned()));
        let over: [(u64, &[u8]); 2] = [(0, b"mark 1\n"), (65_600, b"_BHRfS_M")];
        assert_eq!(found(&over), Contents::Foreign("a btrfs file system"));
    }

    #[test]
    fn what_is_smaller_than_both_edges_is_read_once() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(100).unwrap();
        assert_eq!(look(&file, 100, false, "mark").unwrap(), Contents::Empty);
        file.write_all_at(b"x", 99).unwrap();
        assert_eq!(look(&file, 100, false, "mark").unwrap(), Contents::Foreign("data"));
    }
}
