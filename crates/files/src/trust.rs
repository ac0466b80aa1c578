//! Whether other accounts can have a hand in something.

use crate::directory::{NEVER, own_uid};
use crate::{Directory, Facts, Kind, Refusal};
use rustix::fs::{Mode, OFlags, openat};
use std::io;
use std::path::{Component, Path, PathBuf};

/// Permission of the group, and of everybody, to write.
const GROUP_WRITES: u32 = 0o020;
const OTHERS_WRITE: u32 = 0o002;
/// Only the owner of an entry, or of the directory, may remove or rename it.
const STICKY: u32 = 0o1000;

impl Facts {
    /// Whether it belongs to this account.
    pub fn is_own(&self) -> bool {
        self.uid == own_uid()
    }

    /// Whether nobody but this account and root may change it: a file's text, or a directory's
    /// entries. In a sticky directory that others may write to (such as `/tmp`) they can add entries,
    /// and do nothing to those of this account.
    ///
    /// # Errors
    /// The refusal, with that path in it.
    pub fn check_trusted(&self, path: &Path) -> Result<(), Refusal> {
        let path = || path.to_owned();
        if self.uid != 0 && self.uid != own_uid() {
            return Err(Refusal::Owner { path: path(), uid: self.uid });
        }
        if self.kind == Kind::File && self.links > 1 {
            return Err(Refusal::HardLinks { path: path(), links: self.links });
        }
        // Members of an ordinary account's own group have been given that right on purpose. Not so
        // root's: there the bits of the group are more likely the mask of an access control list.
        let own_group = own_uid() != 0 && self.gid == rustix::process::getegid().as_raw();
        let foreign = if own_group { OTHERS_WRITE } else { OTHERS_WRITE | GROUP_WRITES };
        let sticky = self.kind == Kind::Directory && self.mode & STICKY != 0;
        if self.mode & foreign != 0 && !sticky {
            return Err(Refusal::Writable { path: path(), mode: self.mode });
        }
        Ok(())
    }
}

impl Directory {
    /// Makes sure that nobody but this account and root can change anything in it. Links are not
    /// followed: what they lead to is checked where it is.
    ///
    /// # Errors
    /// [`Refusal::Owner`] or [`Refusal::Writable`] that names the entry in question.
    pub fn check_tree(&self) -> io::Result<()> {
        for name in self.names()? {
            let Some(facts) = self.facts_of(&name)? else { continue };
            let path = self.path.join(&name);
            match facts.kind {
                Kind::Link => {}
                Kind::Directory => {
                    facts.check_trusted(&path)?;
                    self.directory(&name)?.check_tree()?;
                }
                // Another name of a file is no harm where its owner and its mode are right.
                _ => Facts { links: 1, ..facts }.check_trusted(&path)?,
            }
        }
        Ok(())
    }

    /// Makes sure that its path leads to this directory, and that nobody but this account and root
    /// can change that: neither the directory nor any above it is in the hand of others.
    ///
    /// # Errors
    /// [`Refusal::Owner`] or [`Refusal::Writable`] that names the directory in question;
    /// `NotFound` when the path leads elsewhere.
    pub fn check_trusted_path(&self) -> io::Result<()> {
        // Only a path, which needs no right to read.
        let flags = OFlags::DIRECTORY | OFlags::PATH | NEVER;
        let mut so_far = PathBuf::from("/");
        let mut at = rustix::fs::open(&so_far, flags, Mode::empty())?;
        let mut facts = Facts::from(rustix::fs::fstat(&at)?);
        facts.check_trusted(&so_far)?;
        for component in self.path.components() {
            let Component::Normal(name) = component else { continue };
            so_far.push(name);
            at = openat(&at, name, flags, Mode::empty())?;
            facts = rustix::fs::fstat(&at)?.into();
            facts.check_trusted(&so_far)?;
        }
        match facts.identity == self.facts()?.identity {
            true => Ok(()),
            false => Err(io::ErrorKind::NotFound.into()),
        }
    }
}
