use std::io;
use std::path::PathBuf;

/// Why a study file is refused.
///
/// The display is the whole message: what is wrong, where, and how to fix it; at most a screen.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// The file could not be opened or read.
    #[error("cannot read the study file {}: {reason}\n  = help: {}", .path.display(), advice(.reason))]
    Unreadable {
        /// As the user gave it.
        path: PathBuf,
        /// Why.
        reason: io::Error,
    },
    /// The file is far larger than any study.
    #[error(
        "{origin} is larger than {limit} bytes, which no study file is\n  \
         = help: is it another file? `weighin init` writes a study file to start from"
    )]
    TooLarge {
        /// Name of the file.
        origin: String,
        /// Bytes that a study file may have.
        limit: u64,
    },
    /// The file is not UTF-8 text.
    #[error(
        "{origin} is not a text file: byte {offset} is not UTF-8\n  \
         = help: a study file is TOML in UTF-8; `weighin init` writes one to start from"
    )]
    NotText {
        /// Name of the file.
        origin: String,
        /// Where the text ends, counted from 0.
        offset: usize,
    },
    /// The file holds no key at all.
    #[error(
        "{origin} is empty: a study needs [study], a [[target]] and a [[test]]\n  \
         = help: `weighin init` writes a study file to start from"
    )]
    Empty {
        /// Name of the file.
        origin: String,
    },
    /// A file of prices could not be read, or is not JSON.
    #[error(
        "no prices can be read from {origin}: {reason}\n  \
         = help: it has a table (in JSON an object) for each target, by its name, with the keys of `price`"
    )]
    NoPrices {
        /// Name of the file.
        origin: String,
        /// Why.
        reason: String,
    },
    /// The file is not TOML, or what it or a command line asks for is not possible.
    #[error("{report}")]
    Invalid {
        /// The problems with their places, ready to print.
        report: String,
        /// How many problems there are; the report shows the first few.
        problems: usize,
    },
}

fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => "check the path; `weighin init` writes a study file",
        io::ErrorKind::IsADirectory => "name the study file in that directory",
        io::ErrorKind::PermissionDenied => "make the file readable for this user",
        _ => "check the path and the file system",
    }
}
