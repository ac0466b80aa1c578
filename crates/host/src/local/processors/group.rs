//! Control groups of weighin's own, from when they are made to when they are gone.

use super::left::{self, Name};
use crate::local::groups::lists;
use crate::supervise::{Charge, Guardian};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Groups of one name within others. Dropping it removes them; their members must have ended by then, or
/// have left.
#[derive(Debug)]
pub(super) struct Group {
    directories: Vec<PathBuf>,
    /// Where a controller was passed on for this group alone. It stays passed on where another
    /// weighin's group is there when this one goes: that one does not know that it was not always so.
    passed_on: Option<(PathBuf, &'static str)>,
    /// `None` where it could not be had; the next weighin removes the groups then.
    guardian: Option<Guardian>,
}

impl Group {
    /// Makes one within each of these. What was made goes again where one cannot be made.
    pub(super) fn make(within: &[&Path]) -> io::Result<Self> {
        let name = Name::next()?.to_string();
        let directories: Vec<PathBuf> = within.iter().map(|parent| parent.join(&name)).collect();
        let guardian = Guardian::watch(Charge::Groups(&directories)).ok();
        let mut made = Self { directories: Vec::new(), passed_on: None, guardian };
        for (parent, directory) in within.iter().zip(directories) {
            left::remove(parent);
            fs::create_dir(&directory)?;
            made.directories.push(directory);
        }
        Ok(made)
    }

    /// Makes it one of threads within the group of version 2 that weighin runs in, which passes this
    /// controller on to it.
    pub(super) fn pass_on(&mut self, own: &Path, controller: &'static str) -> io::Result<()> {
        self.write("cgroup.type", "threaded")?;
        let passed_on = own.join("cgroup.subtree_control");
        if !lists(&passed_on, controller) {
            // Before it is: whoever is killed in between writes it once too often.
            if let Some((guardian, file)) = self.guardian.as_mut().zip(passed_on.to_str()) {
                guardian.tell(&format!("-{controller} {file}"))?;
            }
            fs::write(&passed_on, format!("+{controller}"))?;
            self.passed_on = Some((passed_on, controller));
        }
        Ok(())
    }

    /// Those that were made, in the order of what they were made within.
    pub(super) fn directories(&self) -> &[PathBuf] {
        &self.directories
    }

    /// The first of them.
    pub(super) fn directory(&self) -> &Path {
        self.directories.first().map_or(Path::new(""), PathBuf::as_path)
    }

    /// Writes to a file of the first.
    pub(super) fn write(&self, name: &str, text: &str) -> io::Result<()> {
        fs::write(self.directory().join(name), text)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.directories.iter().for_each(|directory| left::remove_when_empty(directory));
        // Another weighin may have found it passed on and rely on that.
        if let Some(mut guardian) = self.guardian.take() {
            let _ = guardian.tell("");
            guardian.leave();
        }
        if let Some((passed_on, controller)) = self.passed_on.take()
            && !passed_on.parent().is_some_and(left::has_any)
        {
            let _ = fs::write(passed_on, format!("-{controller}"));
        }
    }
}
