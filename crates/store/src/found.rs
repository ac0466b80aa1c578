//! Stores that were found in a directory, by whoever shows what is there while runs go on.

use crate::digest;
use crate::error::Access;
use crate::log::LogState;
use crate::schema::{self, Age, SCRIPTS};
use crate::{Store, StoreError, file, lock, store};
use files::Directory;
use model::ReadLimit;
use rusqlite::OpenFlags;
use std::ffi::OsStr;
use std::path::Path;

impl Store {
    /// [`Self::open`] of an entry of a directory. No link is followed, also where one takes the place
    /// of a file just now.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_found(
        directory: &Directory,
        name: &OsStr,
        limit: ReadLimit,
    ) -> Result<Self, StoreError> {
        Self::open_at(&directory.path().join(name), false, limit)
    }

    /// Whether a process holds such a store for writing, which is not disturbed by the question.
    pub fn is_held(directory: &Directory, name: &OsStr) -> bool {
        lock::is_held(directory, name)
    }

    /// By a path that has no links; `is_only_one` where this process has the store open nowhere else.
    pub(crate) fn open_at(
        path: &Path,
        is_only_one: bool,
        reading: ReadLimit,
    ) -> Result<Self, StoreError> {
        let reading = store::limit_for(path, reading);
        let sqlite = |error| StoreError::from_sqlite(path, Access::Read, error);
        let was_held = is_held_at(path);
        let log = LogState::for_store(path, is_only_one && !was_held)?;
        // What a writer has only half written yet is not lost.
        let log = (!was_held && !is_held_at(path)).then_some(log);
        let mut opened = file::connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY, reading)?;
        let budget = &reading.budget();
        let age = schema::check(&opened, path, SCRIPTS, Access::Read, budget)?;
        {
            let _limited = opened.limit.begin(budget);
            // One transaction: a writer may append meanwhile.
            let snapshot = opened.connection.unchecked_transaction().map_err(sqlite)?;
            digest::check_run(&snapshot, budget).map_err(sqlite)?;
        }
        let trouble = log.map(|log| log.trouble(&opened.connection)).transpose().map_err(sqlite)?;
        if age == Age::Older {
            opened = schema::migrated_copy(&opened, SCRIPTS).map_err(sqlite)?;
        }
        Self::load(path, opened, None, reading, trouble.flatten())
    }
}

fn is_held_at(path: &Path) -> bool {
    Directory::of_file(path).is_ok_and(|(directory, name)| lock::is_held(&directory, &name))
}
