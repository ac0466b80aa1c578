//! Data directories made once and copied after that.

use super::launch::{MariaDb, path_option};
use crate::os;
use crate::sandbox::guardian::Guardian;
use crate::sandbox::home::Home;
use crate::sandbox::trouble::{file_trouble, log_trouble};
use model::Failure;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Initial size of the redo log. The server makes a new one of the size that its settings say when
/// it first starts, so a small one here only makes for a quicker copy.
const REDO_LOG: &str = "--innodb_log_file_size=4M";

/// Fills a sandbox's empty data directory: from the cache, or else by initialising it, and then
/// keeps a copy in the cache for the next time.
///
/// # Errors
/// When initialising fails, or the data can't be copied.
pub(super) fn fill_data_directory(home: &Home, launch: &MariaDb) -> Result<(), Failure> {
    let data = home.data();
    let template = cache_directory().map(|cache| cache.join(key(launch)));
    let cached = template.as_ref().filter(|template| template.is_dir());
    if let Some(template) = cached {
        copy_tree(template, &data).map_err(|error| file_trouble("a copy", &data, &error))?;
    } else {
        initialise(home, launch)?;
        if let Some(template) = &template {
            // A cache that can't be written costs time and nothing else.
            let _ = keep(&data, template);
        }
    }
    launch.run_as.give(&data).map_err(|error| file_trouble("the data", &data, &error))
}

/// The name of a template: whatever makes initialised data differ.
fn key(launch: &MariaDb) -> String {
    let mut key = format!("{}-weighin-{}", launch.programs.version, env!("CARGO_PKG_VERSION"));
    for option in launch.settings.initial_options() {
        key.push_str(&option);
    }
    key.replace(|c: char| !c.is_ascii_alphanumeric() && !".-+=_:;".contains(c), "_")
}

/// Where templates are kept: `$XDG_CACHE_HOME/weighin`, else `/var/cache/weighin` for root and
/// `~/.cache/weighin` for others; `None` when none of these is named.
fn cache_directory() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let base = variable("XDG_CACHE_HOME").or_else(|| {
        if os::is_root() {
            Some(PathBuf::from("/var/cache"))
        } else {
            variable("HOME").map(|home| home.join(".cache"))
        }
    })?;
    Some(base.join("weighin"))
}

fn initialise(home: &Home, launch: &MariaDb) -> Result<(), Failure> {
    let mut command = Command::new(&launch.programs.install);
    command
        .arg("--no-defaults")
        .arg(path_option("--basedir=", &launch.programs.base))
        .arg(path_option("--datadir=", &home.data()))
        .args(launch.run_as.user_option().map(|user| format!("--user={user}")))
        // Root of the machine may log in as root over the socket, and nobody else.
        .arg("--auth-root-authentication-method=socket")
        .args(["--skip-test-db", "--skip-name-resolve", REDO_LOG])
        .args(launch.settings.initial_options())
        .env("TMPDIR", home.temporary())
        .stdin(Stdio::null());
    let program = launch.programs.install.display();
    let output = command
        .output()
        .map_err(|error| log_trouble(&format!("{program} could not be run: {error}"), ""))?;
    if output.status.success() {
        return Ok(());
    }
    let log = [output.stdout, output.stderr].concat();
    Err(log_trouble(
        &format!("{program} could not make a data directory ({})", output.status),
        &String::from_utf8_lossy(&log),
    ))
}

/// Puts a copy of an initialised data directory into the cache, whole or not at all.
fn keep(data: &Path, template: &Path) -> io::Result<()> {
    let cache = template.parent().ok_or(io::ErrorKind::InvalidInput)?;
    DirBuilder::new().recursive(true).mode(0o700).create(cache)?;
    // On the cache's own file system, so that the last step is a rename.
    let staging = cache.join(format!(".staging-{}", os::random_hex(6)?));
    // Removes it when this is done, and when weighin is killed before that.
    let _guardian = Guardian::watch(&staging)?;
    let copy = staging.join("data");
    DirBuilder::new().recursive(true).mode(0o700).create(&copy)?;
    copy_tree(data, &copy)?;
    // After a power failure the rename must not be there without the data.
    os::sync_filesystem_of(&copy)?;
    // Fails when another weighin was quicker, and its template is as good.
    fs::rename(&copy, template)
}

/// Copies what is in a directory of plain files and directories into another that is empty.
///
/// `fs::copy` asks the kernel to do it, which shares the blocks where the file system can.
fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            DirBuilder::new().mode(0o700).create(&target)?;
            copy_tree(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_are_copied_with_all_they_hold() {
        let parent = tempfile::tempdir().unwrap();
        let (from, to) = (parent.path().join("from"), parent.path().join("to"));
        fs::create_dir_all(from.join("mysql/empty")).unwrap();
        fs::create_dir(&to).unwrap();
        fs::write(from.join("ibdata1"), vec![7; 100_000]).unwrap();
        fs::write(from.join("mysql/user.frm"), "x").unwrap();
        copy_tree(&from, &to).unwrap();
        assert_eq!(fs::read(to.join("ibdata1")).unwrap(), vec![7; 100_000]);
        assert_eq!(fs::read(to.join("mysql/user.frm")).unwrap(), b"x");
        assert!(to.join("mysql/empty").is_dir());
    }

    #[test]
    fn the_first_template_stays_and_no_half_one_is_left() {
        let parent = tempfile::tempdir().unwrap();
        let data = parent.path().join("data");
        fs::create_dir(&data).unwrap();
        let template = parent.path().join("cache/10.11");
        fs::write(data.join("ibdata1"), "first").unwrap();
        keep(&data, &template).unwrap();
        fs::write(data.join("ibdata1"), "second").unwrap();
        assert!(keep(&data, &template).is_err());
        assert_eq!(fs::read(template.join("ibdata1")).unwrap(), b"first");
        let left: Vec<_> = fs::read_dir(parent.path().join("cache")).unwrap().collect();
        assert_eq!(left.len(), 1);
    }
}
