//! Files that a study names, relative to its own.

use crate::problem::{Place, Problems};
use crate::text::url::may_hold_password;
use model::bounds::MAX_SCRIPT;
use std::fs::File;
use std::io::{Error, ErrorKind, Read};
use std::path::Path;

/// The text of a script that stands beside the study file; notes one that cannot be read.
pub(crate) fn read(written: &str, at: Place, problems: &mut Problems) -> Option<String> {
    match text(written, problems) {
        Ok(text) => Some(text),
        Err(reason) => {
            problems
                .add(at, format!("the script {written} cannot be read: {reason}"))
                .help("a script is a text file in UTF-8; its path is relative to the study file");
            None
        }
    }
}

/// The text of a file of at most [`MAX_SCRIPT`] bytes that stands beside the study file.
pub(crate) fn text(written: &str, problems: &Problems) -> Result<String, Error> {
    match problems.directory.as_deref().map(|directory| directory.join(written)) {
        Some(_) if may_hold_password(written) => {
            Err(Error::new(ErrorKind::InvalidInput, "this is a URL with a password"))
        }
        Some(path) => {
            problems.note_file(written, &path);
            text_of(&path)
        }
        None => Err(Error::new(ErrorKind::Unsupported, "the study is in no directory")),
    }
}

/// Of a regular file alone: another may never end.
fn text_of(path: &Path) -> Result<String, Error> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(Error::new(ErrorKind::InvalidInput, "it is no regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_SCRIPT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_SCRIPT {
        let message = format!("it is larger than {MAX_SCRIPT} bytes");
        return Err(Error::new(ErrorKind::FileTooLarge, message));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + valid.iter().filter(|byte| **byte == b'\n').count();
        let message = format!("it is no text in UTF-8 (line {line})");
        Error::new(ErrorKind::InvalidData, message)
    })?;
    // Some editors begin files with a byte order mark.
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}
