use crate::value::BeyondLimit;
use files::Directory;
use model::TrialKey;
use rusqlite::ErrorCode;
use std::io;
use std::path::{Path, PathBuf};

/// What went wrong with a store; the display says where and how to fix it.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A new run was to be kept in a file that exists.
    #[error("{} exists already: choose another name, or continue that run with --resume", .0.display())]
    Exists(PathBuf),
    /// There is no such file.
    #[error("there is no store {}: check the path", .0.display())]
    Missing(PathBuf),
    /// The file is something else.
    #[error("{} is not a weighin store: name a file that `weighin run` made", .0.display())]
    NotAStore(PathBuf),
    /// Another version of weighin has written the file.
    #[error(
        "{} has format {found}, and this weighin knows formats up to {known}: use the weighin that \
         wrote it, or run the study again", .path.display()
    )]
    OtherFormat {
        /// The store.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The latest format that this version knows.
        known: usize,
    },
    /// The contents make no sense.
    #[error(
        "{} is damaged ({detail}): restore it from a copy, or start a new run", .path.display()
    )]
    Damaged {
        /// The store.
        path: PathBuf,
        /// What is wrong.
        detail: String,
    },
    /// Reading took more time than it may.
    #[error(
        "{} is not read: it takes longer than it may: raise the limit with --read-time, or restore it from \
         a copy where it is damaged", .0.display()
    )]
    TooSlow(PathBuf),
    /// Reading it takes more than it may.
    #[error("{} is not read: {detail}", .path.display())]
    TooLarge {
        /// The store.
        path: PathBuf,
        /// What takes too much, and the limit.
        detail: String,
    },
    /// Another process writes to the file.
    #[error("{} is in use by {holder}: wait for it to end, or stop it", .path.display())]
    InUse {
        /// The store.
        path: PathBuf,
        /// Who holds it, in words.
        holder: String,
    },
    /// The file, or its directory, cannot be written.
    #[error(
        "cannot write {} ({detail}): check the permissions of the file and its directory",
        .path.display()
    )]
    NotWritable {
        /// The store.
        path: PathBuf,
        /// Why.
        detail: String,
    },
    /// The file cannot be read.
    #[error(
        "cannot read {} ({detail}): check its permissions; the store of a run that was killed \
         must be in a writable directory, together with its -wal file", .path.display()
    )]
    NotReadable {
        /// The store.
        path: PathBuf,
        /// Why.
        detail: String,
    },
    /// Something beside the store may be another account's, or another store's.
    #[error(
        "{} is not opened: {reason}, and what it holds would become part of the results: if it is \
         part of this run make it yours (chown), otherwise remove it", .path.display()
    )]
    Foreign {
        /// The store.
        path: PathBuf,
        /// What is beside it.
        reason: String,
    },
    /// No space is left.
    #[error(
        "no space left to write {}: make room there, or keep the results on another file system",
        .0.display()
    )]
    Full(PathBuf),
    /// The trial has a record.
    #[error("the trial {0} is recorded already: a record is never replaced")]
    AlreadyRecorded(TrialKey),
    /// A record holds what cannot be read again: the machine that told of it is not what it should be.
    #[error("the trial {key} cannot be kept: {detail}")]
    NotKept {
        key: TrialKey,
        /// What is wrong, and where.
        detail: String,
    },
    /// The plan has no such trial with that position and seed.
    #[error("the trial {0} is not in the plan of this store: was the study changed since?")]
    NotPlanned(TrialKey),
    /// A trial was to be measured anew that has no failure recorded.
    #[error("the trial {0} did not fail: only failed trials are measured anew")]
    NotFailed(TrialKey),
    /// The study has no target of that name.
    #[error("the study of this store has no target {0}: was the study changed since?")]
    UnknownTarget(String),
    /// Anything else that SQLite reports.
    #[error("cannot use {}: {reason}", .path.display())]
    Sqlite {
        /// The store.
        path: PathBuf,
        /// What SQLite says.
        reason: rusqlite::Error,
    },
}

/// SQLite says only that a write failed where it makes room in the index of its log, which takes so
/// many bytes at a time.
const LOG_INDEX: u64 = 32 << 10;

/// Whether the file system of a store is as good as full.
fn is_full(path: &Path) -> bool {
    let room = Directory::of_file(path).and_then(|(directory, _)| directory.room());
    room.is_ok_and(|room| room < 2 * LOG_INDEX)
}

/// What SQLite calls an error, also where it says at which place of a statement it was.
pub(crate) fn code(error: &rusqlite::Error) -> Option<ErrorCode> {
    match error {
        rusqlite::Error::SqlInputError { error, .. } => Some(error.code),
        error => error.sqlite_error_code(),
    }
}

/// What was being done with a store when SQLite failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

impl StoreError {
    /// Sorts an error of a file operation beside a store.
    pub(crate) fn not_writable(path: &Path, error: &io::Error) -> Self {
        let path = path.to_path_buf();
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full(path),
            _ => Self::NotWritable { path, detail: error.to_string() },
        }
    }

    /// Sorts an error of SQLite by what a user can do about it.
    pub(crate) fn from_sqlite(path: &Path, access: Access, source: rusqlite::Error) -> Self {
        use rusqlite::Error as E;
        let path = path.to_path_buf();
        let detail = source.to_string();
        match (&source, code(&source)) {
            (_, Some(ErrorCode::DiskFull)) => Self::Full(path),
            (_, Some(ErrorCode::SystemIoFailure)) if is_full(&path) => Self::Full(path),
            (_, Some(ErrorCode::OperationInterrupted)) => Self::TooSlow(path),
            (_, Some(ErrorCode::NotADatabase)) => Self::NotAStore(path),
            (_, Some(ErrorCode::DatabaseCorrupt | ErrorCode::TooBig)) => {
                Self::Damaged { path, detail }
            }
            // A header or a table's declaration that SQLite can make nothing of.
            (_, Some(ErrorCode::Unknown)) if access == Access::Read => {
                Self::Damaged { path, detail }
            }
            (E::FromSqlConversionFailure(_, _, reason), _) if reason.is::<BeyondLimit>() => {
                Self::TooLarge { path, detail: reason.to_string() }
            }
            // What was found, without how SQLite's library wraps it.
            (E::FromSqlConversionFailure(_, _, reason), _) => {
                Self::Damaged { path, detail: reason.to_string() }
            }
            (_, Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)) => {
                Self::InUse { path, holder: "another program".into() }
            }
            (
                _,
                Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied),
            ) => match access {
                Access::Read => Self::NotReadable { path, detail },
                Access::Write => Self::NotWritable { path, detail },
            },
            (
                E::IntegralValueOutOfRange(..)
                | E::Utf8Error(..)
                | E::InvalidColumnType(..)
                | E::QueryReturnedNoRows,
                _,
            ) => Self::Damaged { path, detail },
            _ => Self::Sqlite { path, reason: source },
        }
    }
}
