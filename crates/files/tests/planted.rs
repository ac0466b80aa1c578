//! What another account can put in a directory, and what becomes of it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use files::{Access, Directory, ENTRY_BYTES, Kind, Refusal};
use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use tempfile::TempDir;

const CANARY: &str = "nobody may touch this";

/// A directory `d`, and beside it a file that links in it lead to.
fn place() -> (TempDir, Directory) {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join("d")).unwrap();
    fs::write(place.path().join("canary"), CANARY).unwrap();
    let directory = Directory::open(&place.path().join("d")).unwrap();
    (place, directory)
}

fn is_untouched(place: &TempDir) {
    let canary = place.path().join("canary");
    assert_eq!(fs::read_to_string(&canary).unwrap(), CANARY);
    assert_eq!(canary.metadata().unwrap().uid(), place.path().metadata().unwrap().uid());
}

fn fifo(path: &Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}

fn kind_found<T>(result: std::io::Result<T>) -> Kind {
    let error = result.err().expect("this must be refused");
    match Refusal::find_in(&error) {
        Some(Refusal::Kind { kind, .. }) => *kind,
        _ => panic!("{error}"),
    }
}

#[test]
fn nothing_is_made_through_a_link() {
    let (place, directory) = place();
    symlink("../canary", place.path().join("d/link")).unwrap();
    symlink("../new", place.path().join("d/dangling")).unwrap();
    for name in ["link", "dangling"] {
        let error = directory.create_file(name, 0o600).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AlreadyExists);
        let error = directory.create_directory(name, 0o700).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AlreadyExists);
        assert_eq!(kind_found(directory.open_file(name, Access::ReadWrite)), Kind::Link);
        assert_eq!(kind_found(directory.directory(name)), Kind::Link);
    }
    assert!(!place.path().join("new").exists());
    is_untouched(&place);
}

#[test]
fn what_is_no_regular_file_is_refused_at_once() {
    let (place, directory) = place();
    fifo(&place.path().join("d/fifo"));
    fs::create_dir(place.path().join("d/sub")).unwrap();
    for access in [Access::Read, Access::ReadWrite] {
        assert_eq!(kind_found(directory.open_file("fifo", access)), Kind::Fifo);
        assert_eq!(kind_found(directory.open_file("sub", access)), Kind::Directory);
    }
    assert_eq!(kind_found(directory.directory("fifo")), Kind::Fifo);
    let devices = Directory::open(Path::new("/dev")).unwrap();
    assert_eq!(kind_found(devices.open_file("null", Access::Read)), Kind::CharacterDevice);
}

#[test]
fn files_are_opened_made_renamed_and_removed() {
    let (place, directory) = place();
    let mut file = directory.create_file("a", 0o640).unwrap();
    file.write_all(b"text").unwrap();
    assert_eq!(directory.facts_of("a").unwrap().unwrap().mode, 0o640);
    directory.create_file("b", 0o600).unwrap();
    let taken = directory.rename_new("a", &directory, "b").unwrap_err();
    assert_eq!(taken.kind(), ErrorKind::AlreadyExists);
    directory.rename("a", &directory, "b").unwrap();
    let mut text = String::new();
    directory.open_file("b", Access::Read).unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text, "text");
    assert_eq!(directory.names().unwrap(), ["b"]);
    symlink("../canary", place.path().join("d/link")).unwrap();
    directory.remove_file("link").unwrap();
    directory.remove_file("b").unwrap();
    assert_eq!(directory.facts_of("b").unwrap(), None);
    is_untouched(&place);
}

#[test]
fn names_have_one_component() {
    let (_place, directory) = place();
    for name in ["", ".", "..", "../canary", "/etc/passwd", "a/b"] {
        let error = directory.open_file(name, Access::Read).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{name}");
        assert!(directory.create_directory(name, 0o700).is_err(), "{name}");
        assert!(directory.remove_file(name).is_err(), "{name}");
    }
}

#[test]
fn a_directory_stays_the_same_whatever_its_path_leads_to() {
    let (place, directory) = place();
    fs::rename(place.path().join("d"), place.path().join("aside")).unwrap();
    fs::create_dir(place.path().join("other")).unwrap();
    symlink("other", place.path().join("d")).unwrap();
    directory.create_file("a", 0o600).unwrap();
    assert!(place.path().join("aside/a").exists() && !place.path().join("other/a").exists());
    assert!(directory.check_trusted_path().is_err());
}

#[test]
fn trees_are_copied_and_links_in_them_are_not_followed() {
    let (place, from) = place();
    let to = |name: &str| {
        fs::create_dir(place.path().join(name)).unwrap();
        Directory::open(&place.path().join(name)).unwrap()
    };
    fs::create_dir_all(place.path().join("d/sub/empty")).unwrap();
    fs::write(place.path().join("d/sub/file"), vec![7; 100_000]).unwrap();
    fs::set_permissions(place.path().join("d/sub/file"), PermissionsExt::from_mode(0o640)).unwrap();
    from.copy_into(&to("copy")).unwrap();
    let copied = place.path().join("copy/sub/file");
    assert_eq!(fs::read(&copied).unwrap(), vec![7; 100_000]);
    assert_eq!(copied.metadata().unwrap().mode() & 0o7777, 0o640);
    assert!(place.path().join("copy/sub/empty").is_dir());

    // In the way of what is to be made.
    let target = to("planted");
    symlink("../canary", place.path().join("planted/sub")).unwrap();
    assert_eq!(from.copy_into(&target).unwrap_err().kind(), ErrorKind::AlreadyExists);

    // In what is copied.
    symlink("../../canary", place.path().join("d/sub/link")).unwrap();
    assert_eq!(kind_found(from.copy_into(&to("third"))), Kind::Link);
    fs::remove_file(place.path().join("d/sub/link")).unwrap();
    fs::hard_link(place.path().join("canary"), place.path().join("d/sub/hard")).unwrap();
    let error = from.copy_into(&to("fourth")).unwrap_err();
    assert!(
        matches!(Refusal::find_in(&error), Some(Refusal::HardLinks { links: 2, .. })),
        "{error}"
    );
    is_untouched(&place);
}

#[test]
fn a_link_that_holds_a_path_is_made_anew_and_no_other() {
    let (place, from) = place();
    let to = |name: &str| {
        fs::create_dir(place.path().join(name)).unwrap();
        Directory::open(&place.path().join(name)).unwrap()
    };
    let (theirs, ours) = (place.path().join("theirs"), place.path().join("ours"));
    fs::create_dir(&theirs).unwrap();
    fs::write(theirs.join("file"), "").unwrap();
    fs::create_dir(place.path().join("d/spaces")).unwrap();
    symlink(&theirs, place.path().join("d/spaces/16384")).unwrap();
    from.copy_with_link(&to("copy"), (&theirs, &ours)).unwrap();
    assert_eq!(fs::read_link(place.path().join("copy/spaces/16384")).unwrap(), ours);
    assert!(!ours.exists());

    for other in [theirs.join("file"), theirs.join(""), "../../canary".into()] {
        let name = format!("to-{}", other.display().to_string().replace('/', "-"));
        symlink(&other, place.path().join("d/spaces/16385")).unwrap();
        let copied = from.copy_with_link(&to(&name), (&theirs, &ours));
        assert_eq!(kind_found(copied), Kind::Link, "{}", other.display());
        fs::remove_file(place.path().join("d/spaces/16385")).unwrap();
    }
    is_untouched(&place);
}

#[test]
fn a_tree_without_end_is_not_walked() {
    let (place, from) = place();
    fs::create_dir_all(place.path().join("d").join("x/".repeat(60))).unwrap();
    fs::create_dir(place.path().join("copy")).unwrap();
    let to = Directory::open(&place.path().join("copy")).unwrap();
    let error = from.copy_into(&to).unwrap_err();
    assert!(matches!(Refusal::find_in(&error), Some(Refusal::Depth { .. })), "{error}");
}

#[test]
fn a_tree_is_copied_up_to_a_size() {
    let (place, from) = place();
    let file = fs::File::create(place.path().join("d/sparse")).unwrap();
    file.set_len(100_000).unwrap();
    let size = 100_000 + ENTRY_BYTES;
    let copy = |name: &str, most| {
        fs::create_dir(place.path().join(name)).unwrap();
        let to = Directory::open(&place.path().join(name)).unwrap();
        let copied = from.copy_at_most(&to, most);
        let names = to.names().unwrap();
        let length = |name| to.path().join(name).metadata().unwrap().len();
        let taken: u64 = names.iter().map(length).sum();
        let is_too_large = |error| matches!(Refusal::find_in(&error), Some(Refusal::Size { .. }));
        (copied.map_err(is_too_large), taken)
    };
    assert_eq!(copy("whole", size), (Ok(()), 100_000));
    assert_eq!(copy("part", size - 50_000), (Err(true), 50_001));
    assert_eq!(copy("none", ENTRY_BYTES - 1), (Err(true), 0));
}

#[test]
fn what_others_may_change_is_not_trusted() {
    let (place, directory) = place();
    directory.check_trusted_path().unwrap();
    let path = place.path().join("d");
    let refused = |mode: u32| {
        fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
        let checked = directory.check_trusted_path();
        checked.err().map(|error| Refusal::find_in(&error).cloned().unwrap())
    };
    assert_eq!(refused(0o777), Some(Refusal::Writable { path: path.clone(), mode: 0o777 }));
    assert_eq!(refused(0o1777), None);
    assert_eq!(refused(0o755), None);

    let open = |name: &str| directory.open_trusted_file(name, Access::Read);
    directory.create_file("open", 0o666).unwrap();
    let error = open("open").unwrap_err();
    assert_eq!(
        Refusal::find_in(&error),
        Some(&Refusal::Writable { path: path.join("open"), mode: 0o666 })
    );
    directory.create_file("closed", 0o644).unwrap();
    open("closed").unwrap();
    fs::hard_link(path.join("closed"), path.join("second")).unwrap();
    assert!(open("closed").is_err());
}

/// Only root can give files away.
#[test]
fn what_belongs_to_another_account_is_not_trusted() {
    const STRANGER: u32 = 3_999_999_999;
    let (place, directory) = place();
    directory.create_file("file", 0o600).unwrap();
    symlink("../canary", place.path().join("d/link")).unwrap();
    directory.create_directory("sub", 0o700).unwrap().create_file("inner", 0o600).unwrap();
    if directory.facts().unwrap().uid != 0 {
        return;
    }
    directory.give_all(STRANGER, STRANGER).unwrap();
    for name in ["file", "link", "sub", "sub/inner"] {
        let facts = place.path().join("d").join(name).symlink_metadata().unwrap();
        assert_eq!((facts.uid(), facts.gid()), (STRANGER, STRANGER), "{name}");
    }
    is_untouched(&place);
    let error = directory.check_trusted_path().unwrap_err();
    let path = place.path().canonicalize().unwrap().join("d");
    assert_eq!(
        Refusal::find_in(&error),
        Some(&Refusal::Owner { path: path.clone(), uid: STRANGER })
    );
    let error = directory.open_trusted_file("file", Access::Read).unwrap_err();
    let path = path.join("file");
    assert_eq!(Refusal::find_in(&error), Some(&Refusal::Owner { path, uid: STRANGER }));
}
