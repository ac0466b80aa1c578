//! The directory that a private server lives in, and what becomes of it.
//!
//! Weighin makes it where nobody else has a hand in, and fills it while nobody else may enter. Then
//! `data`, `tmp` and `run` become the server's, which may run as another account; the directory
//! itself and everything else in it stay weighin's, so that nobody can put anything in their place.

use super::account::RunAs;
use super::left::{guard, has_guardian, removal, see_off, sweep_once};
use super::owner::{MARKER, Owner, PREFIX};
use super::trouble::{file_trouble, no_room_for_copy, parent_trouble};
use crate::local::os;
use crate::local::volume::{Volume, mount_point};
use crate::supervise::Guardian;
use files::{Access, Directory};
use model::{BuiltVolume, Failure, FailureKind};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The file of what the server says.
const LOG: &str = "server.log";
/// A copy of the data.
const KEPT: &str = "kept";
/// The file with the password of weighin's login.
const PASSWORD: &str = "password";
/// The file that says which containers are the home's, for the guardian.
const CONTAINER: &str = "container";
/// The accounts that its containers know.
const ACCOUNTS: &str = "passwd";
/// The directory with the volume of temporary files.
const TEMPORARY: &str = "temporary";
/// Longest path of a Unix socket: `sun_path` holds 108 bytes with the closing NUL.
const LONGEST_SOCKET_PATH: usize = 107;

/// A private server's directory. Dropping it ends whatever runs on it and removes it.
#[derive(Debug)]
pub struct Home {
    root: Directory,
    /// What the data is on, where that was built for it.
    volume: Option<Volume>,
    /// The same of temporary files.
    temporary: Option<Volume>,
    /// `None` only while the home is being dropped.
    guardian: Option<Guardian>,
}

impl Home {
    /// Makes a directory in `parent`, after sweeping away those that killed runs left there, and in
    /// it the volumes that the data and temporary files are to be on, if such are asked for. Only this
    /// account may enter it until [`Self::hand_over`].
    ///
    /// # Errors
    /// When others could exchange the directory for another, when it can't be made, or its path is
    /// too long for a socket; when the volume can't be built.
    pub(super) fn make(
        parent: &Path,
        volume: Option<&BuiltVolume>,
        temporary: Option<&BuiltVolume>,
    ) -> Result<Self, Failure> {
        let trouble = |error| file_trouble("a directory for a private server", parent, &error);
        let within = Directory::open(parent).map_err(trouble)?;
        within.check_trusted_path().map_err(|error| parent_trouble(parent, &error))?;
        sweep_once(&within);
        let name = format!("{PREFIX}{}", os::random_hex(6).map_err(trouble)?);
        let path = within.path().join(&name);
        check_path(&path)?;
        // The guardian comes first, so that there is no moment at which a directory without one
        // could be left behind.
        let mut guardian = guard(&path).map_err(trouble)?;
        let root = within.create_directory(&name, 0o700).map_err(trouble)?;
        guardian.say_made(&root).map_err(trouble)?;
        let mut home = Self { root, volume: None, temporary: None, guardian: Some(guardian) };
        let owner = Owner::this_process().map_err(trouble)?;
        home.write(MARKER, &owner.to_string()).map_err(trouble)?;
        home.volume = volume.map(|volume| Volume::build(volume, &path)).transpose()?;
        if let Some(temporary) = temporary {
            // A home within the home, so that the guardian takes it apart in the same way.
            home.root.create_directory(TEMPORARY, 0o700).map_err(trouble)?;
            home.temporary = Some(Volume::build(temporary, &path.join(TEMPORARY))?);
        }
        home.make_parts().map_err(trouble)?;
        Ok(home)
    }

    fn make_parts(&self) -> io::Result<()> {
        let on_volume = self.on_volume()?;
        on_volume.create_directory("data", 0o700)?;
        self.around_temporary()?.create_directory("tmp", 0o700)?;
        self.root.create_directory("run", 0o700)?;
        Ok(())
    }

    /// Gives the server its parts, with all that is in them, and lets it in: the last step before
    /// it is started.
    ///
    /// # Errors
    /// When ownership can't be changed.
    pub fn hand_over(&self, run_as: &RunAs) -> Result<(), Failure> {
        if !run_as.is_other() {
            return Ok(());
        }
        let give = || {
            let on_volume = self.on_volume()?;
            run_as.give(&on_volume.directory("data")?)?;
            run_as.give(&self.around_temporary()?.directory("tmp")?)?;
            if self.temporary.is_some() {
                self.root.directory(TEMPORARY)?.set_mode(0o711)?;
            }
            run_as.give(&self.root.directory("run")?)?;
            // Its account must be able to pass through, and needn't list.
            self.root.set_mode(0o711)
        };
        give().map_err(|error| file_trouble("the server's files", self.root.path(), &error))
    }

    /// The directory that `tmp` is in.
    fn around_temporary(&self) -> io::Result<Directory> {
        match self.temporary {
            Some(_) => self.root.directory(TEMPORARY)?.directory("volume"),
            None => self.on_volume(),
        }
    }

    /// The directory that `data` is in; it can't be exchanged there by the server.
    fn on_volume(&self) -> io::Result<Directory> {
        // Opened anew each time: a descriptor that is kept would keep the volume mounted.
        match self.volume {
            Some(_) => self.root.directory("volume"),
            None => self.root.try_clone(),
        }
    }

    /// The directory itself.
    pub(super) fn root(&self) -> &Path {
        self.root.path()
    }

    /// What the data is on, where that was built for it.
    pub(super) fn volume(&self) -> Option<&Volume> {
        self.volume.as_ref()
    }

    /// The data directory.
    pub fn data(&self) -> PathBuf {
        self.path_on_volume("data")
    }

    /// For the server's temporary tables and files.
    pub fn temporary(&self) -> PathBuf {
        match self.temporary {
            Some(_) => mount_point(&self.root.path().join(TEMPORARY)).join("tmp"),
            None => self.path_on_volume("tmp"),
        }
    }

    fn path_on_volume(&self, name: &str) -> PathBuf {
        match self.volume {
            Some(_) => mount_point(self.root.path()).join(name),
            None => self.root.path().join(name),
        }
    }

    /// The data directory, which may be the server's already: what is in it is not to be believed.
    ///
    /// # Errors
    /// When it can't be opened.
    pub(super) fn open_data(&self) -> io::Result<Directory> {
        self.on_volume()?.directory("data")
    }

    /// Makes an empty file in the data directory, which the server's programs take as a sign; it is the
    /// server's.
    ///
    /// # Errors
    /// When it is there already, or can't be made.
    pub fn mark_data(&self, name: &str, run_as: &RunAs) -> io::Result<()> {
        run_as.give_file(&self.open_data()?.create_file(name, 0o600)?)
    }

    /// Fills the data directory with a copy of another, whoever owns that, without the files of these
    /// names; and gives it to the server.
    ///
    /// # Errors
    /// `DiskFull`, with nothing copied, where it would take more than is free; when it can't be copied: it
    /// holds links, or is in the way.
    pub fn copy_data_of(
        &self,
        other: &Path,
        without: &[&str],
        run_as: &RunAs,
    ) -> Result<(), Failure> {
        let trouble = |error: io::Error| file_trouble("a copy", other, &error);
        let data = self.open_data().map_err(trouble)?;
        let original = Directory::open(other).map_err(trouble)?;
        let takes = match original.shares_blocks_with(&data).map_err(trouble)? {
            true => 0,
            false => original.bytes().map_err(trouble)?,
        };
        let free = os::free_space(data.path()).map_err(trouble)?;
        if takes > free {
            return Err(no_room_for_copy(other, takes, free));
        }
        original.copy_into(&data).and_then(|()| remove_files(&data, without)).map_err(trouble)?;
        self.hand_over(run_as)
    }

    /// The same of a private server that is stopped, by its data directory. Where temporary files have a
    /// volume, what the other server has on its own is copied too, and links to there lead here.
    ///
    /// # Errors
    /// As [`Self::copy_data_of`].
    pub fn copy_server(
        &self,
        other: &Path,
        without: &[&str],
        run_as: &RunAs,
    ) -> Result<(), Failure> {
        let theirs = temporary_beside(other);
        let copy = || {
            if self.temporary.is_some() {
                let tmp = self.around_temporary()?.directory("tmp")?;
                Directory::open(&theirs)?.copy_into(&tmp)?;
            }
            let data = self.open_data()?;
            self.copy(&Directory::open(other)?, &data, &theirs)?;
            remove_files(&data, without)
        };
        copy().map_err(|error| file_trouble("a copy", other, &error))?;
        self.hand_over(run_as)
    }

    /// Copies data of a server whose temporary files are there: links to them lead to those of this one.
    fn copy(&self, from: &Directory, to: &Directory, temporary: &Path) -> io::Result<()> {
        match self.temporary {
            Some(_) => from.copy_with_link(to, (temporary, &self.temporary())),
            None => from.copy_into(to),
        }
    }

    /// Keeps a copy of the data, in place of one kept before.
    ///
    /// # Errors
    /// When it can't be copied.
    pub(super) fn keep_data(&self) -> io::Result<()> {
        let around = self.on_volume()?;
        remove(&around, KEPT)?;
        let kept = around.create_directory(KEPT, 0o700)?;
        self.copy(&around.directory("data")?, &kept, &self.temporary())
    }

    /// Makes the data what was kept, and gives it to the server.
    ///
    /// # Errors
    /// When nothing was kept, or it can't be copied.
    pub(super) fn restore_data(&self, run_as: &RunAs) -> io::Result<()> {
        let around = self.on_volume()?;
        let kept = around.directory(KEPT)?;
        // The server can't exchange it here. What is in a new one is not the server's yet.
        remove(&around, "data")?;
        let data = around.create_directory("data", 0o700)?;
        self.copy(&kept, &data, &self.temporary())?;
        run_as.give(&data)
    }

    /// For what the server makes while it runs.
    pub fn run(&self) -> PathBuf {
        self.root.path().join("run")
    }

    /// The server's Unix socket.
    pub fn socket(&self) -> PathBuf {
        socket_in(self.root.path())
    }

    /// Opens what the server says, to add to it.
    ///
    /// # Errors
    /// When it can't be made or opened.
    pub(super) fn open_log(&self) -> io::Result<File> {
        match self.root.create_file(LOG, 0o600) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        self.root.open_file(LOG, Access::Append)
    }

    /// Opens what the server has said.
    ///
    /// # Errors
    /// When there is nothing yet.
    pub(super) fn read_log(&self) -> io::Result<File> {
        self.root.open_file(LOG, Access::Read)
    }

    /// The file with the password of weighin's login.
    pub(super) fn password_file(&self) -> PathBuf {
        self.path_of(PASSWORD)
    }

    /// Writes that file.
    ///
    /// # Errors
    /// When it can't be made.
    pub(super) fn write_password(&self, password: &str) -> io::Result<()> {
        self.write(PASSWORD, password).map(drop)
    }

    /// What is in that file.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn read_password(&self) -> io::Result<String> {
        let mut text = String::new();
        self.root.open_file(PASSWORD, Access::Read)?.read_to_string(&mut text)?;
        Ok(text)
    }

    /// Writes a new file that nobody else may read. The server can neither change nor exchange it.
    ///
    /// # Errors
    /// When it is there already, or can't be made.
    pub fn write(&self, name: &str, text: &str) -> io::Result<File> {
        let mut file = self.root.create_file(name, 0o600)?;
        file.write_all(text.as_bytes())?;
        Ok(file)
    }

    /// Writes down which containers are the home's, before there are any, so that the guardian removes
    /// them.
    ///
    /// # Errors
    /// When the file can't be made.
    pub(super) fn write_container(&self, note: &str) -> io::Result<()> {
        self.write(CONTAINER, note).map(drop)
    }

    /// The file with the accounts that containers know.
    pub(super) fn account_list(&self) -> PathBuf {
        self.path_of(ACCOUNTS)
    }

    /// Writes that file, which everybody may read.
    ///
    /// # Errors
    /// When it can't be made.
    pub(super) fn write_account_list(&self, text: &str) -> io::Result<()> {
        self.root.create_file(ACCOUNTS, 0o644)?.write_all(text.as_bytes())
    }

    /// The path of a file that [`Self::write`] makes.
    pub fn path_of(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// Whether such a file is there.
    pub fn has(&self, name: &str) -> bool {
        matches!(self.root.facts_of(name), Ok(Some(_)))
    }

    /// Removes such a file.
    ///
    /// # Errors
    /// When it can't be removed.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        self.root.remove_file(name)
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let path = self.root.path().to_owned();
        if let Some(guardian) = self.guardian.take() {
            see_off(guardian, &path);
        }
        // Nothing is left to do, unless somebody has killed the guardians.
        if path.exists()
            && !has_guardian(&path)
            && let Some(guardian) = removal(&self.root)
        {
            see_off(guardian, &path);
        }
    }
}

/// Removes a directory with all that is in it, where it is there.
fn remove(around: &Directory, name: &str) -> io::Result<()> {
    if around.facts_of(name)?.is_none() {
        return Ok(());
    }
    around.directory(name)?.remove_all()?;
    around.remove_directory(name)
}

/// Removes files that may be there.
fn remove_files(directory: &Directory, names: &[&str]) -> io::Result<()> {
    for name in names {
        match directory.remove_file(name) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Where a home has temporary files on a volume of theirs, by the path of its data.
fn temporary_beside(data: &Path) -> PathBuf {
    let around = data.parent().unwrap_or(data);
    let root = around.parent().filter(|root| mount_point(root) == around).unwrap_or(around);
    mount_point(&root.join(TEMPORARY)).join("tmp")
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
            "the path of a Unix socket in {} would be {length} bytes long; the limit is \
             {LONGEST_SOCKET_PATH}",
            root.display()
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_home_is_gone_when_dropped() {
        let parent = tempfile::tempdir().unwrap();
        let home = Home::make(parent.path(), None, None).unwrap();
        let root = home.root.path().to_owned();
        assert!(home.data().is_dir() && home.run().is_dir() && root.join(MARKER).is_file());
        drop(home);
        assert!(!root.exists());
    }

    #[test]
    fn a_log_that_is_a_link_is_neither_read_nor_written() {
        let parent = tempfile::tempdir().unwrap();
        let secret = parent.path().join("secret");
        fs::write(&secret, "secret").unwrap();
        let home = Home::make(parent.path(), None, None).unwrap();
        home.open_log().unwrap().write_all(b"said").unwrap();
        let mut said = String::new();
        home.read_log().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(said, "said");
        home.remove(LOG).unwrap();
        std::os::unix::fs::symlink(&secret, home.path_of(LOG)).unwrap();
        assert!(home.read_log().is_err() && home.open_log().is_err());
        assert_eq!(fs::read_to_string(&secret).unwrap(), "secret");
    }

    #[test]
    fn paths_that_no_socket_can_have_are_refused() {
        let parent = tempfile::tempdir().unwrap();
        let long = parent.path().join("long".repeat(25));
        fs::create_dir(&long).unwrap();
        let failure = Home::make(&long, None, None).unwrap_err();
        assert_eq!(failure.kind, FailureKind::SandboxStart);
        assert!(failure.message.contains("the limit is 107"), "{failure}");
        assert!(check_path(Path::new("/a\nb")).is_err());
    }
}
