mod budget;
mod command;
mod data_file;
mod fit;
pub(crate) mod hosts;
mod login;
pub(crate) mod options;
mod price;
mod prices;
mod script_file;
mod settings;
mod shape;
mod study;
mod targets;
pub(crate) mod tests;

pub use prices::prices;

use crate::StudyError;
use crate::problem::Problems;
use crate::problem::render::{Source, render};
use crate::text::url::may_hold_password;
use model::{Study, text};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use toml::de::DeTable;

/// Bytes that a study file may have: far more than any needs, far less than would hurt.
const LARGEST: u64 = 1 << 20;

/// Reads and validates a study file.
///
/// # Errors
/// When the file cannot be read, is not a study file, or asks for something impossible.
pub fn load(path: &Path) -> Result<Study, StudyError> {
    let (text, origin, directory) = read_text(path)?;
    parse_beside(&text, &origin, Some(directory))
}

/// The text of a file, what messages call it, and where the others are that it names.
fn read_text(path: &Path) -> Result<(String, String, PathBuf), StudyError> {
    let origin = text::line(&path.display().to_string()).into_owned();
    if may_hold_password(&origin) {
        // A server's URL in the wrong place: no message may repeat it.
        let reason = std::io::Error::new(
            std::io::ErrorKind::InvalidInput,
            "this is a URL with a password, not a file (not shown)",
        );
        return Err(StudyError::Unreadable { path: "URL".into(), reason });
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes))
        .map_err(|reason| StudyError::Unreadable { path: path.to_path_buf(), reason })?;
    if bytes.len() as u64 > LARGEST {
        return Err(StudyError::TooLarge { origin, limit: LARGEST });
    }
    let directory = path.parent().unwrap_or(Path::new("")).to_path_buf();
    match String::from_utf8(bytes) {
        Ok(text) => Ok((text, origin, directory)),
        Err(error) => Err(StudyError::NotText { origin, offset: error.utf8_error().valid_up_to() }),
    }
}

/// Validates the text of a study file; `origin` is what messages call it.
///
/// # Errors
/// When the text is not a study file, or asks for something impossible.
pub fn parse(text: &str, origin: &str) -> Result<Study, StudyError> {
    parse_beside(text, origin, None)
}

/// The same of a file in a directory, where the others are that it names.
fn parse_beside(text: &str, origin: &str, directory: Option<PathBuf>) -> Result<Study, StudyError> {
    let mut problems = Problems::default();
    problems.directory = directory;
    let (tree, syntax_errors) = DeTable::parse_recoverable(text);
    for error in &syntax_errors {
        let end = text.len();
        problems.add(error.span().unwrap_or(end..end), error.message());
    }
    let mut study = None;
    // A tree with syntax errors has holes: what it lacks says nothing.
    if syntax_errors.is_empty() {
        if tree.get_ref().is_empty() {
            return Err(StudyError::Empty { origin: origin.into() });
        }
        study = shape::read(tree, &mut problems)
            .and_then(|shape| study::study(shape, text, &mut problems));
    }
    match study {
        Some(study) if problems.is_empty() => Ok(study),
        _ => {
            let problems = problems.into_sorted();
            let report = render(&problems, &Source::File { text, origin });
            Err(StudyError::Invalid { report, problems: problems.len() })
        }
    }
}
