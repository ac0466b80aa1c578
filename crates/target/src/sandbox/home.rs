//! The directory that a private server lives in, and what becomes of it.

use super::account::RunAs;
use super::guardian::Guardian;
use super::owner::Owner;
use super::trouble::file_trouble;
use crate::os;
use crate::volume::{Volume, mount_point};
use model::{BuiltVolume, Failure, FailureKind};
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// What the names of all sandboxes' directories begin with.
const PREFIX: &str = "weighin-";
/// The file that marks a directory as a sandbox and says whose it is.
const MARKER: &str = "weighin-sandbox";
/// Longest path of a Unix socket: `sun_path` holds 108 bytes with the closing NUL.
const LONGEST_SOCKET_PATH: usize = 107;

/// A private server's directory. Dropping it ends whatever runs on it and removes it.
#[derive(Debug)]
pub(super) struct Home {
    root: PathBuf,
    /// What the data is on, where that was built for it.
    volume: Option<Volume>,
    /// `None` only while the home is being dropped.
    guardian: Option<Guardian>,
}

impl Home {
    /// Makes a directory in `parent`, after sweeping away those that killed runs left there, and in
    /// it the volume that the data is to be on, if one is asked for.
    ///
    /// # Errors
    /// When the directory can't be made, or its path is too long for a socket; when the volume can't
    /// be built.
    pub(super) fn make(
        parent: &Path,
        run_as: &RunAs,
        volume: Option<&BuiltVolume>,
    ) -> Result<Self, Failure> {
        let trouble = |error| file_trouble("a directory for a private server", parent, &error);
        sweep(parent);
        let name = format!("{PREFIX}{}", os::random_hex(6).map_err(trouble)?);
        let root = parent.canonicalize().map_err(trouble)?.join(name);
        check_path(&root)?;
        // The guardian comes first, so that there is no moment at which a directory without one
        // could be left behind.
        let guardian = Guardian::watch(&root).map_err(trouble)?;
        let mut home = Self { root, volume: None, guardian: Some(guardian) };
        home.make_root(run_as).map_err(trouble)?;
        home.volume = volume.map(|volume| Volume::build(volume, &home.root)).transpose()?;
        home.make_parts(run_as).map_err(trouble)?;
        Ok(home)
    }

    fn make_root(&self, run_as: &RunAs) -> io::Result<()> {
        // Another user's server must be able to pass through, and needn't list.
        let mode = if run_as.is_other() { 0o711 } else { 0o700 };
        DirBuilder::new().mode(mode).create(&self.root)?;
        let owner = Owner::this_process()?;
        fs::write(self.root.join(MARKER), owner.to_string())
    }

    fn make_parts(&self, run_as: &RunAs) -> io::Result<()> {
        for part in [self.data(), self.temporary(), self.run()] {
            DirBuilder::new().mode(0o700).create(&part)?;
            run_as.give(&part)?;
        }
        Ok(())
    }

    /// What the data is on, where that was built for it.
    pub(super) fn volume(&self) -> Option<&Volume> {
        self.volume.as_ref()
    }

    /// The data directory.
    pub(super) fn data(&self) -> PathBuf {
        self.on_volume("data")
    }

    /// For the server's temporary tables and files.
    pub(super) fn temporary(&self) -> PathBuf {
        self.on_volume("tmp")
    }

    fn on_volume(&self, name: &str) -> PathBuf {
        match self.volume {
            Some(_) => mount_point(&self.root).join(name),
            None => self.root.join(name),
        }
    }

    /// For what the server makes while it runs.
    pub(super) fn run(&self) -> PathBuf {
        self.root.join("run")
    }

    /// The server's Unix socket.
    pub(super) fn socket(&self) -> PathBuf {
        socket_in(&self.root)
    }

    /// What the server says.
    pub(super) fn log(&self) -> PathBuf {
        self.root.join("server.log")
    }

    /// The file with the password of weighin's login.
    pub(super) fn password(&self) -> PathBuf {
        self.root.join("password")
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        self.guardian = None;
        // Nothing is left to do, unless somebody has killed the guardian.
        remove(&self.root);
    }
}

/// Writes a new file that nobody else may read.
pub(super) fn write_secret(path: &Path, text: &str) -> io::Result<()> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?
        .write_all(text.as_bytes())
}

fn socket_in(root: &Path) -> PathBuf {
    root.join("run").join("server.sock")
}

/// Refuses paths that the server or the guardian could misunderstand.
fn check_path(root: &Path) -> Result<(), Failure> {
    let refuse = |message: String| {
        let remedy = "choose another directory, in the study file or with WEIGHIN_SANDBOX_DIR";
        Err(Failure::new(FailureKind::SandboxStart, message, remedy))
    };
    let bytes = root.as_os_str().as_bytes();
    if bytes.iter().any(|byte| byte.is_ascii_control() || b"*?[\\\"".contains(byte)) {
        return refuse(format!(
            "the directory {root:?} has a control character, a quotation mark or a character of \
             patterns in its name"
        ));
    }
    let length = socket_in(root).as_os_str().len();
    if length > LONGEST_SOCKET_PATH {
        return refuse(format!(
            "the path of a Unix socket in {} would be {length} bytes long, and {LONGEST_SOCKET_PATH} are possible",
            root.display()
        ));
    }
    Ok(())
}

/// Removes the sandboxes of runs that are over in `parent`: runs that were killed together with
/// their guardian, or whose machine went down.
///
/// Only directories of our own user are looked at, so that nobody else can have us remove
/// anything by planting a marker in a shared directory. What can't be read is let be.
fn sweep(parent: &Path) {
    let Ok(me) = fs::metadata("/proc/self").map(|process| process.uid()) else { return };
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let is_ours = entry.file_name().as_bytes().starts_with(PREFIX.as_bytes())
            && path.symlink_metadata().is_ok_and(|facts| facts.is_dir() && facts.uid() == me);
        if !is_ours {
            continue;
        }
        let marker = fs::read_to_string(path.join(MARKER)).unwrap_or_default();
        if marker.parse::<Owner>().is_ok_and(|owner| owner.is_gone()) {
            remove(&path);
        }
    }
}

/// Ends what is left of a sandbox, as far as that is possible: a directory that stays is found by
/// the next sweep.
fn remove(root: &Path) {
    if root.exists() {
        // A guardian that nobody keeps waiting does at once what it is for.
        drop(Guardian::watch(root));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own() -> RunAs {
        RunAs::for_directory(Path::new("/missing"))
    }

    #[test]
    fn a_home_is_gone_when_dropped() {
        let parent = tempfile::tempdir().unwrap();
        let home = Home::make(parent.path(), &own(), None).unwrap();
        let root = home.root.clone();
        assert!(home.data().is_dir() && home.run().is_dir() && root.join(MARKER).is_file());
        drop(home);
        assert!(!root.exists());
    }

    #[test]
    fn paths_that_no_socket_can_have_are_refused() {
        let parent = tempfile::tempdir().unwrap();
        let long = parent.path().join("long".repeat(25));
        fs::create_dir(&long).unwrap();
        let failure = Home::make(&long, &own(), None).unwrap_err();
        assert_eq!(failure.kind, FailureKind::SandboxStart);
        assert!(failure.message.contains("107 are possible"), "{failure}");
        assert!(check_path(Path::new("/a\nb")).is_err());
    }

    #[test]
    fn the_sweep_takes_the_sandboxes_of_the_dead_and_no_others() {
        let parent = tempfile::tempdir().unwrap();
        let plant = |name: &str, marker: Option<String>| {
            let root = parent.path().join(name);
            fs::create_dir(&root).unwrap();
            if let Some(marker) = marker {
                fs::write(root.join(MARKER), marker).unwrap();
            }
            root
        };
        let owner = Owner::this_process().unwrap();
        let dead = Owner { started: owner.started + 1, ..owner.clone() };
        let doomed = plant("weighin-dead", Some(dead.to_string()));
        let spared = [
            plant("weighin-alive", Some(owner.to_string())),
            plant("weighin-unmarked", None),
            plant("weighin-garbled", Some("1 2".to_owned())),
            plant("data", Some(dead.to_string())),
        ];
        sweep(parent.path());
        assert!(!doomed.exists());
        assert!(spared.iter().all(|root| root.exists()), "{spared:?}");
    }
}
