//! What programs have said of themselves: each is asked once, however many servers it becomes.

use super::identity::Identity;
use crate::local::child;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, PoisonError};

/// The words of a question, and the program that they were put to.
type Question = (Vec<OsString>, PathBuf, Identity);

static ANSWERS: Mutex<BTreeMap<Question, Output>> = Mutex::new(BTreeMap::new());

/// What `program` answers to a command that runs it: what it said before, unless that was a failure or
/// another file has its place since.
///
/// # Errors
/// When it can't be run, or says nothing for half a minute.
pub(super) fn answer(program: &Path, command: &mut Command) -> io::Result<Output> {
    let words = command.get_args().map(ToOwned::to_owned).collect();
    let question = (words, program.to_owned(), Identity::for_file(program)?);
    let known = || ANSWERS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(answer) = known().get(&question) {
        return Ok(answer.clone());
    }
    let answer = child::ask(command)?;
    if answer.status.success() {
        known().insert(question, answer.clone());
    }
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// Asks a script, which notes that it was.
    fn ask(script: &Path, words: &[&str]) -> String {
        let mut command = Command::new("sh");
        let answer = answer(script, command.arg(script).args(words)).unwrap();
        String::from_utf8(answer.stdout).unwrap()
    }

    #[test]
    fn a_program_is_asked_again_when_it_is_another_or_could_not_say() {
        let place = tempfile::tempdir().unwrap();
        let (script, asked) = (place.path().join("server"), place.path().join("asked"));
        let write = |says: &str| {
            let text = format!("echo >> {}; echo {says} $1; test $1 != never", asked.display());
            // Another file, as an upgrade makes one.
            fs::write(place.path().join("new"), text).unwrap();
            fs::rename(place.path().join("new"), &script).unwrap();
        };
        let times = || fs::read(&asked).map_or(0, |asked| asked.len());
        write("10.11");
        for _ in 0..3 {
            assert_eq!(ask(&script, &["version"]), "10.11 version\n");
        }
        assert_eq!((ask(&script, &["help"]), times()), ("10.11 help\n".to_owned(), 2));
        for _ in 0..2 {
            ask(&script, &["never"]);
        }
        assert_eq!(times(), 4);
        write("11.4");
        assert_eq!((ask(&script, &["version"]), times()), ("11.4 version\n".to_owned(), 5));
        assert!(answer(&place.path().join("gone"), &mut Command::new("true")).is_err());
    }
}
