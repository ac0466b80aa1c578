//! Files that commands write: each appears complete or not at all, and none takes the place of
//! something that is not its like.

use crate::exit::CliError;
use crate::messages::{Contents, print_made};
use files::{Access, Directory, Unfinished};
use model::OverBudget;
use rustix::process::geteuid;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Permissions of new files, without the umask.
const MODE: u32 = 0o666;
/// Permissions of a new log.
const LOG_MODE: u32 = 0o644;
/// So much of a file is looked at to know what it is.
const BEGINNING: u64 = 64 << 10;
/// What SQLite's files begin with, results files among them.
const SQLITE: &[u8] = b"SQLite format 3\0";

/// What pictures of charts begin with.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Which files a new one may replace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Replaces {
    /// None.
    Nothing,
    /// Reports and charts of weighin's, and files that hold nothing.
    Reports,
    /// Texts and pictures of any kind, since the user said so; never results files, databases and what else
    /// is binary.
    Anything,
}

/// [`write_made`] of contents that are there.
///
/// # Errors
/// As there.
pub(crate) fn write(path: &Path, text: &[u8], replaces: Replaces) -> Result<String, CliError> {
    write_made(path, replaces, &mut |out| out.write_all(text))
}

/// Writes a file and says where it is: at the path, or where that leads. What is no regular file (a
/// device, a FIFO, standard output) is written as it is.
///
/// # Errors
/// When something stands there that may not be replaced, or it can't be made or written.
pub(crate) fn write_made(
    path: &Path,
    replaces: Replaces,
    contents: Contents<'_>,
) -> Result<String, CliError> {
    let failed = |error: io::Error| cannot_write(path, &error);
    let shown = path.display();
    let there = match fs::metadata(path) {
        Ok(there) => Some(there),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(failed(error)),
    };
    let is_link = fs::symlink_metadata(path).is_ok_and(|facts| facts.is_symlink());
    let Some(there) = there else {
        if is_link {
            return Err(CliError::usage(
                format!("{shown} is a link that leads to nothing"),
                "remove it, or name the file itself",
            ));
        }
        let written = begin(path, None).and_then(|mut file| {
            contents(&mut file)?;
            file.publish_new()
        });
        return written.map(|()| shown.to_string()).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => exists(path, "name another file, or remove that one"),
            _ => failed(error),
        });
    };
    let kind = there.file_type();
    if kind.is_dir() || kind.is_block_device() || kind.is_socket() {
        let what = match () {
            () if kind.is_dir() => "a directory",
            () if kind.is_socket() => "a socket",
            () => "a block device",
        };
        return Err(CliError::usage(format!("{shown} is {what}"), "name a file"));
    }
    if replaces == Replaces::Nothing {
        return Err(exists(path, "name another file, or remove that one"));
    }
    if is_standard_output(&there) {
        print_made(contents)?;
        return Ok(shown.to_string());
    }
    if !kind.is_file() {
        let written = OpenOptions::new().write(true).open(path).and_then(|mut file| {
            contents(&mut file)?;
            file.flush()
        });
        return written.map(|()| shown.to_string()).map_err(failed);
    }
    let target = path.canonicalize().map_err(failed)?;
    may_replace(path, &target, File::open(&target).map_err(failed)?, replaces)?;
    let written = begin(&target, Some(there.mode())).and_then(|mut file| {
        contents(&mut file)?;
        file.publish()
    });
    written.map_err(failed)?;
    Ok(if is_link {
        format!("{shown} (where it leads: {})", target.display())
    } else {
        shown.to_string()
    })
}

/// Writes a file beside the results, whose name nobody has given, and says where it is. Others may
/// write to that directory: a link is not followed, and only a file of this account's is replaced.
///
/// # Errors
/// As for [`write_made`], and for anything there but a regular file of this account's.
pub(crate) fn write_beside(
    path: &Path,
    replaces: Replaces,
    contents: Contents<'_>,
) -> Result<String, CliError> {
    let failed = |error: io::Error| cannot_write(path, &error);
    let (directory, name) = Directory::of_file(path).map_err(failed)?;
    let mut mode = None;
    match directory.open_file(&name, Access::Read) {
        Ok(file) => {
            // Of what was opened: another may stand there by now.
            let facts = file.metadata().map_err(failed)?;
            if facts.uid() != geteuid().as_raw() {
                let help = "it belongs to another account: name another file with --out";
                return Err(exists(path, help));
            }
            mode = Some(facts.mode());
            may_replace(path, path, file, replaces)?;
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
    }
    let written = Unfinished::begin(directory, &name, MODE, mode).and_then(|mut file| {
        contents(&mut file)?;
        if mode.is_some() { file.publish() } else { file.publish_new() }
    });
    written.map(|()| path.display().to_string()).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => exists(path, "name another file, or remove that one"),
        _ => failed(error),
    })
}

/// A file that lines are added to: a new one, or what is there already, but no results file and no
/// database, no link, and nothing that another account can have put there.
///
/// # Errors
/// When it cannot be opened, or is one of these.
pub(crate) fn append(path: &Path) -> Result<File, CliError> {
    let failed = |error: io::Error| cannot_write(path, &error);
    let foreign = || {
        CliError::usage(
            format!("{} holds results or another database", path.display()),
            "name another file for the log",
        )
    };
    if is_named_as_results(path) {
        return Err(foreign());
    }
    let (directory, name) = Directory::of_file(path).map_err(failed)?;
    let there = match directory.open_trusted_file(&name, Access::Read) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return directory.create_file(&name, LOG_MODE).map_err(failed);
        }
        there => there.map_err(failed)?,
    };
    let mut beginning = Vec::new();
    there.take(SQLITE.len() as u64).read_to_end(&mut beginning).map_err(failed)?;
    if beginning == SQLITE {
        return Err(foreign());
    }
    directory.open_trusted_file(&name, Access::Append).map_err(failed)
}

/// The file that will stand at a path.
fn begin(path: &Path, mode: Option<u32>) -> io::Result<Unfinished> {
    let (directory, name) = Directory::of_file(path)?;
    Unfinished::begin(directory, name, MODE, mode)
}

/// Whether a file that is there is where standard output goes.
fn is_standard_output(there: &Metadata) -> bool {
    let output = fs::metadata("/proc/self/fd/1");
    output.is_ok_and(|output| (output.dev(), output.ino()) == (there.dev(), there.ino()))
}

/// Checks that a regular file is of a kind that may be replaced.
fn may_replace(path: &Path, target: &Path, file: File, replaces: Replaces) -> Result<(), CliError> {
    let mut beginning = Vec::new();
    let read = file.take(BEGINNING).read_to_end(&mut beginning);
    read.map_err(|error| cannot_write(path, &error))?;
    let is_results = beginning.starts_with(SQLITE) || is_named_as_results(target);
    if is_results {
        let what = format!("{} holds results or another database", path.display());
        return Err(CliError::usage(
            format!("{what}, and weighin does not overwrite those"),
            "name another file",
        ));
    }
    // Those of a server have no name or beginning by which all could be told.
    if beginning.contains(&0) && !beginning.starts_with(PNG) {
        return Err(CliError::usage(
            format!("{} is a binary file, and weighin overwrites none", path.display()),
            "name another file, or remove that one",
        ));
    }
    let is_like = beginning.is_empty() || report::is_own(&beginning);
    if replaces == Replaces::Anything || is_like {
        return Ok(());
    }
    Err(exists(
        path,
        "it is not a report or chart of weighin's: name another file, or say --overwrite",
    ))
}

fn is_named_as_results(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == crate::stores::EXTENSION)
}

/// Refuses a path at which something is, before other files are written beside it.
///
/// # Errors
/// When something is there.
pub(crate) fn check_absent(path: &Path) -> Result<(), CliError> {
    match fs::symlink_metadata(path) {
        Ok(_) => Err(exists(path, "name another file, or remove that one")),
        Err(_) => Ok(()),
    }
}

fn exists(path: &Path, help: &str) -> CliError {
    CliError::usage(
        format!("{} exists already, and weighin does not overwrite it", path.display()),
        help,
    )
}

fn cannot_write(path: &Path, error: &io::Error) -> CliError {
    if error.get_ref().is_some_and(|reason| reason.is::<OverBudget>()) {
        return CliError::unavailable(format!("cannot make {}: {error}", path.display()), "");
    }
    let help = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "make room there, or name a file on another file system with --out"
        }
        _ => "",
    };
    CliError::unavailable(format!("cannot write {}: {error}", path.display()), help)
}

/// Where the HTML report of a results file goes: beside it.
pub(crate) fn html_path(results: &Path) -> PathBuf {
    results.with_extension("html")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{FileType, Mode};
    use std::os::unix::fs::{PermissionsExt, symlink};
    use tempfile::TempDir;

    const REPORT: &[u8] = b"format_version,study,run,test,target,clients\n";

    fn text(path: &Path) -> String {
        fs::read_to_string(path).unwrap()
    }

    #[test]
    fn reports_and_empty_files_are_replaced_and_keep_their_permissions() {
        let place = TempDir::new().unwrap();
        let path = place.path().join("report.csv");
        write(&path, REPORT, Replaces::Nothing).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        write(&path, b"format_version,study,run,test,target,other\n", Replaces::Reports).unwrap();
        assert!(text(&path).contains("other"));
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        fs::write(&path, "").unwrap();
        write(&path, REPORT, Replaces::Reports).unwrap();
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_not_a_report_is_replaced_only_when_the_user_says_so() {
        let place = TempDir::new().unwrap();
        let path = place.path().join("study.toml");
        fs::write(&path, "[study]\n").unwrap();
        for replaces in [Replaces::Nothing, Replaces::Reports] {
            let error = write(&path, REPORT, replaces).unwrap_err();
            assert!(error.message().contains("exists already"), "{}", error.message());
            assert_eq!(text(&path), "[study]\n");
        }
        write(&path, REPORT, Replaces::Anything).unwrap();
        assert_eq!(text(&path).as_bytes(), REPORT);
        for (name, held) in [("run.weighin", &b"cut off"[..]), ("other.db", SQLITE)] {
            let path = place.path().join(name);
            fs::write(&path, held).unwrap();
            let error = write(&path, REPORT, Replaces::Anything).unwrap_err();
            assert!(error.message().contains("holds results"), "{}", error.message());
            assert_eq!(fs::read(&path).unwrap(), held);
        }
    }

    #[test]
    fn beside_results_no_link_is_followed_and_only_own_files_are_replaced() {
        let place = TempDir::new().unwrap();
        let path = place.path().join("run.html");
        let beside = |path: &Path, text: &[u8], replaces| {
            write_beside(path, replaces, &mut |out| out.write_all(text))
        };
        beside(&path, REPORT, Replaces::Reports).unwrap();
        beside(&path, b"format_version,study,run,test,target,other\n", Replaces::Reports).unwrap();
        assert!(text(&path).contains("other"));
        fs::write(&path, "precious").unwrap();
        assert!(beside(&path, REPORT, Replaces::Reports).is_err());
        assert_eq!(text(&path), "precious");

        let (link, target) = (place.path().join("link.html"), place.path().join("target"));
        for planted in [target.as_path(), Path::new("/dev/null")] {
            fs::write(&target, REPORT).unwrap();
            symlink(planted, &link).unwrap();
            assert!(beside(&link, b"<!doctype html>", Replaces::Anything).is_err());
            assert_eq!(text(&target).as_bytes(), REPORT);
            fs::remove_file(&link).unwrap();
        }
        // A FIFO, from which reading would never end, is looked at and not opened.
        let fifo = place.path().join("fifo.html");
        rustix::fs::mknodat(rustix::fs::CWD, &fifo, FileType::Fifo, Mode::from_raw_mode(0o644), 0)
            .unwrap();
        assert!(beside(&fifo, REPORT, Replaces::Anything).is_err());
        if geteuid().is_root() {
            fs::write(&path, REPORT).unwrap();
            std::os::unix::fs::chown(&path, Some(65_533), None).unwrap();
            let error = beside(&path, REPORT, Replaces::Reports).unwrap_err();
            assert!(error.message().contains("exists already"), "{}", error.message());
        }
    }

    #[test]
    fn what_cannot_be_made_to_its_end_leaves_what_was_there() {
        let place = TempDir::new().unwrap();
        let path = place.path().join("report.csv");
        let half = |out: &mut dyn Write| {
            out.write_all(b"format_version,study,run,test,target,half\n")?;
            Err(io::Error::other(OverBudget::Time(std::time::Duration::from_secs(1))))
        };
        for beside in [false, true] {
            let make = if beside { write_beside } else { write_made };
            let error = make(&path, Replaces::Reports, &mut { half }).unwrap_err();
            assert!(error.message().contains("cannot make"), "{}", error.message());
            assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
        }
        write(&path, REPORT, Replaces::Nothing).unwrap();
        write_made(&path, Replaces::Reports, &mut { half }).unwrap_err();
        assert_eq!(text(&path).as_bytes(), REPORT);
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
    }

    #[test]
    fn links_are_followed_once_and_said() {
        let place = TempDir::new().unwrap();
        let (link, target) = (place.path().join("link"), place.path().join("target"));
        symlink(&target, &link).unwrap();
        assert!(write(&link, REPORT, Replaces::Anything).is_err());
        assert!(!target.exists());
        fs::write(&target, REPORT).unwrap();
        let said = write(&link, REPORT, Replaces::Reports).unwrap();
        assert!(said.contains("target"), "{said}");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        fs::write(&target, "precious").unwrap();
        assert!(write(&link, REPORT, Replaces::Reports).is_err());
        assert_eq!(text(&target), "precious");
    }
}
