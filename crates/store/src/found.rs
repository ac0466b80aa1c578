//! Stores that were found in a directory, by whoever shows what is there while runs go on.

use crate::digest::Digests;
use crate::error::Access;
use crate::schema::{self, Age, SCRIPTS};
use crate::store::check_run;
use crate::{Store, StoreError, file, lock};
use files::Directory;
use rusqlite::OpenFlags;
use std::ffi::OsStr;
use std::path::Path;

impl Store {
    /// [`Self::open`] of an entry of a directory. No link is followed, also where one takes the place
    /// of a file just now.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_found(directory: &Directory, name: &OsStr) -> Result<Self, StoreError> {
        Self::open_at(&directory.path().join(name))
    }

    /// Whether a process holds such a store for writing, which is not disturbed by the question.
    pub fn is_held(directory: &Directory, name: &OsStr) -> bool {
        lock::is_held(directory, name)
    }

    /// By a path that has no links.
    pub(crate) fn open_at(path: &Path) -> Result<Self, StoreError> {
        let sqlite = |error| StoreError::from_sqlite(path, Access::Read, error);
        let mut opened = file::connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let (age, mut digests) = schema::check(&opened, path, SCRIPTS, Access::Read)?;
        {
            let _limited = opened.limit.begin();
            // One transaction: a writer may append meanwhile.
            let snapshot = opened.connection.unchecked_transaction().map_err(sqlite)?;
            check_run(&snapshot, &digests).map_err(sqlite)?;
        }
        if age == Age::Older {
            opened = schema::migrated_copy(&opened, SCRIPTS).map_err(sqlite)?;
            digests = Digests::current().map_err(sqlite)?;
        }
        Self::load(path, opened, None, digests)
    }
}
