use super::*;
use model::VolumeLayout;

const LENGTH: u64 = 16 << 20;
/// Where what is written ends, unless a test says otherwise.
const END: u64 = 12 << 20;

fn file(writes: &[(u64, &[u8])]) -> File {
    let file = tempfile::tempfile_in("/var/tmp").unwrap();
    file.set_len(LENGTH).unwrap();
    for (at, bytes) in writes {
        file.write_all_at(bytes, *at).unwrap();
    }
    file
}

fn found_to(end: u64, file: &File) -> Contents {
    let (length, stop) = (file.metadata().unwrap().len(), &Stop::default());
    Look { file, length, end, stop, progress: &mut |_, _| {} }.look().unwrap().unwrap()
}

fn found(writes: &[(u64, &[u8])]) -> Contents {
    found_to(END, &file(writes))
}

fn data_at(words: &str) -> Contents {
    Contents::Foreign(format!("data at {words}"))
}

fn mark(vms: u32) -> Mark {
    Mark::new(VolumeLayout { vms, bytes_per_vm: 1 << 20 }, true, None)
}

#[test]
fn a_byte_anywhere_that_will_be_written_is_found_and_placed() {
    assert_eq!(found(&[]), Contents::Empty);
    assert_eq!(found(&[(5, b"x")]), data_at("byte 5"));
    assert_eq!(found(&[(EDGE - 1, b"x")]), data_at("1024.0 KiB (byte 1048575)"));
    // Between places that are samples of it.
    assert_eq!(found(&[(2 * EDGE + 12_345, b"x")]), data_at("2.0 MiB (byte 2109497)"));
    assert_eq!(found(&[(END - 1, b"x")]), data_at("12.0 MiB (byte 12582911)"));
    assert_eq!(found(&[(LENGTH - 1, b"x")]), data_at("16.0 MiB (byte 16777215)"));
    // The first of several, whichever thread is the quickest.
    let several: [(u64, &[u8]); 3] = [(9 * EDGE, b"x"), (3 * EDGE + 7, b"x"), (END, b"x")];
    for _ in 0..20 {
        assert_eq!(found(&several), data_at("3.0 MiB (byte 3145735)"));
    }
}

#[test]
fn both_ends_are_looked_at_and_what_is_not_written_between_them_is_not() {
    let between = file(&[(HEAD, b"x"), (LENGTH - TAIL - 1, b"x")]);
    assert_eq!(found_to(2 << 20, &between), Contents::Empty);
    assert_ne!(found_to(HEAD + 1, &between), Contents::Empty);
    assert_ne!(found_to(2 << 20, &file(&[(HEAD - 1, b"x")])), Contents::Empty);
    assert_ne!(found_to(2 << 20, &file(&[(LENGTH - TAIL, b"x")])), Contents::Empty);
}

#[test]
fn signatures_are_called_by_their_names() {
    let named = |at: u64, bytes: &[u8]| match found(&[(at, bytes)]) {
        Contents::Foreign(name) => name,
        other => panic!("{other:?}"),
    };
    for (at, bytes, name) in [
        (0, &b"XFSB"[..], "an XFS file system"),
        (1080, b"\x53\xef", "an ext2, ext3 or ext4 file system"),
        (65_600, b"_BHRfS_M", "a btrfs file system"),
        (510, b"\x55\xaa", "a partition table or boot sector"),
        (512, b"LABELONE", "a physical volume of LVM"),
        (4_194_304, b"SKUL\xba\xbe", "an encrypted volume (LUKS)"),
        (4096, b"\xfc\x4e\x2b\xa9", "a member of a RAID array (md)"),
        (LENGTH - 8192, b"\xfc\x4e\x2b\xa9", "a member of a RAID array (md)"),
        (LENGTH - 65_536, b"\xfc\x4e\x2b\xa9", "a member of a RAID array (md)"),
        (LENGTH - 512, b"EFI PART", "a partition table (GPT) at its end"),
        (LENGTH - 4096, b"EFI PART", "a partition table (GPT) at its end"),
        (LENGTH - (256 << 10) + (128 << 10), b"\x0c\xb1\xba\x00", "a member of a ZFS pool"),
        (65_526, b"SWAPSPACE2", "swap space"),
        (3, b"-FVE-FS-", "an encrypted volume (BitLocker)"),
    ] {
        assert_eq!(named(at, bytes), name, "at {at}");
    }
}

#[test]
fn what_weighin_wrote_is_its_own_and_what_lies_behind_is_not() {
    let mark = mark(9);
    let text = mark.text();
    let data = vec![7; 9 << 20];
    let marked: [(u64, &[u8]); 2] = [(0, text.as_bytes()), (EDGE, &data)];
    assert_eq!(found(&marked), Contents::Own(mark));
    let with = |at: u64, bytes: &'static [u8]| {
        let writes: [(u64, &[u8]); 3] = [marked[0], marked[1], (at, bytes)];
        found(&writes)
    };
    // A file system that was made over it, and data behind it.
    assert_eq!(with(65_600, b"_BHRfS_M"), Contents::Foreign("a btrfs file system".to_owned()));
    assert_eq!(with(11 << 20, b"x"), data_at("11.0 MiB (byte 11534336)"));
    assert_eq!(with(LENGTH - 1, b"x"), data_at("16.0 MiB (byte 16777215)"));
    // A mark that is a part of something else is none.
    assert_ne!(with(2000, b"x"), Contents::Own(mark));
}

#[test]
fn what_is_smaller_than_its_edges_is_read_once() {
    let small = tempfile::tempfile_in("/var/tmp").unwrap();
    small.set_len(100).unwrap();
    assert_eq!(found_to(100, &small), Contents::Empty);
    small.write_all_at(b"x", 99).unwrap();
    assert_eq!(found_to(100, &small), data_at("byte 99"));
}

#[test]
fn reading_tells_how_far_it_is_and_can_be_stopped() {
    let file = file(&[(11 << 20, b"x")]);
    // Written without being data, so that there is something to read.
    let zeros = vec![0; 10 << 20];
    file.write_all_at(&zeros, 0).unwrap();
    let stop = Stop::default();
    let look = |progress: &mut dyn FnMut(u64, u64)| {
        Look { file: &file, length: LENGTH, end: END, stop: &stop, progress }.look().unwrap()
    };
    let mut told = Vec::new();
    look(&mut |read, of| told.push((read, of)));
    assert!(told.iter().all(|(read, of)| read <= of && *of >= 10 << 20), "{told:?}");
    assert!(!told.is_empty());
    stop.request();
    assert_eq!(look(&mut |_, _| {}), None);
}

#[test]
fn holes_of_files_are_not_read() {
    let file = tempfile::tempfile_in("/var/tmp").unwrap();
    let length = 1 << 40;
    file.set_len(length).unwrap();
    file.write_all_at(b"x", length / 2).unwrap();
    let mut of = 0;
    let stop = &Stop::default();
    let progress = &mut |_, total| of = total;
    let looked = Look { file: &file, length, end: length, stop, progress }.look().unwrap();
    assert_eq!(looked, Some(data_at("512.0 GiB (byte 549755813888)")));
    assert!(of < 1 << 20, "{of} bytes were read");
}
