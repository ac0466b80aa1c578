//! The files of an import: what the user named, and what lies in named directories.

use super::FileToRead;
use crate::exit::CliError;
use crate::messages::{shown, tell};
use files::{Access, Directory};
use import::Problem;
use model::ReadBudget;
use std::collections::{HashSet, VecDeque};
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Deepest directory below one that was named.
const DEEPEST: usize = 64;

/// Goes through directories. Each is visited once and each file taken once, whatever links lead to
/// it, and by its own name rather than by that of a link.
#[derive(Default)]
struct Gathering {
    files: Vec<FileToRead>,
    /// What was visited or taken, by device and number.
    seen: HashSet<(u64, u64)>,
    /// Links to directories and files, for when all else is known.
    links: VecDeque<(PathBuf, usize)>,
    problems: Vec<Problem>,
}

/// What was named, and all files below it in order of name, hidden ones only if named; and what in
/// directories could not be looked at.
///
/// # Errors
/// When something that was named cannot be looked at.
pub(super) fn gather(named: &[PathBuf]) -> Result<(Vec<FileToRead>, Vec<Problem>), CliError> {
    let mut gathering = Gathering::default();
    for path in named {
        let unreadable = |error| CliError::file("read", path, error);
        let facts = fs::metadata(path).map_err(unreadable)?;
        if facts.is_dir() {
            gathering.directory(path, &facts, 0).map_err(unreadable)?;
        } else if gathering.seen.insert(number(&facts)) {
            gathering.files.push(FileToRead { path: path.clone(), named: true });
        } else {
            tell(&format!("{} is named twice and was read once", shown(path)));
        }
    }
    while let Some((path, depth)) = gathering.links.pop_front() {
        // A link to nowhere is nothing that could be imported.
        if let Ok(facts) = fs::metadata(&path) {
            gathering.found(path, &facts, depth);
        }
    }
    Ok((gathering.files, gathering.problems))
}

impl Gathering {
    fn directory(&mut self, path: &Path, facts: &Metadata, depth: usize) -> io::Result<()> {
        if !self.seen.insert(number(facts)) {
            return Ok(());
        }
        if depth > DEEPEST {
            self.problem(path, format!("left out: more than {DEEPEST} directories deep"));
            return Ok(());
        }
        let mut entries = fs::read_dir(path)?.collect::<io::Result<Vec<fs::DirEntry>>>()?;
        entries.sort_by_cached_key(|entry| natural(&entry.file_name().to_string_lossy()));
        for entry in entries {
            let path = entry.path();
            if entry.file_name().as_bytes().starts_with(b".") {
                continue;
            }
            match entry.metadata() {
                Ok(facts) if facts.is_symlink() => self.links.push_back((path, depth + 1)),
                Ok(facts) => self.found(path, &facts, depth + 1),
                // It has vanished meanwhile.
                Err(_) => {}
            }
        }
        Ok(())
    }

    fn found(&mut self, path: PathBuf, facts: &Metadata, depth: usize) {
        if facts.is_dir() {
            if let Err(error) = self.directory(&path, facts, depth) {
                self.problem(&path, format!("cannot be read: {error}"));
            }
        } else if facts.is_file() && self.seen.insert(number(facts)) {
            // Pipes and devices could be waited for without end.
            self.files.push(FileToRead { path, named: false });
        }
    }

    fn problem(&mut self, path: &Path, message: String) {
        self.problems.push(Problem { file: name(path), line: 0, message });
    }
}

fn number(facts: &Metadata) -> (u64, u64) {
    (facts.dev(), facts.ino())
}

/// The bytes of a file.
///
/// # Errors
/// When it cannot be read, is too large, or is no file.
pub(super) fn read(found: &FileToRead, budget: &ReadBudget) -> io::Result<Vec<u8>> {
    let file = match found.named {
        // A pipe that the user names is read, as in `weighin import auto <(zcat run.gz)`.
        true => File::open(&found.path)?,
        false => {
            let (directory, name) = Directory::of_file(&fs::canonicalize(&found.path)?)?;
            directory.open_file(name, Access::Read)?
        }
    };
    let facts = file.metadata()?;
    if facts.is_file() {
        budget.charge(facts.len()).map_err(io::Error::other)?;
        budget.give_back(facts.len());
    }
    let mut bytes = Vec::new();
    file.take(budget.left().saturating_add(1)).read_to_end(&mut bytes)?;
    // The text is charged for itself, with what may become of it.
    budget.charge(bytes.len() as u64).map_err(io::Error::other)?;
    budget.give_back(bytes.len() as u64);
    Ok(bytes)
}

/// A path as a text that tells it from all others: bytes that are no UTF-8 stand for the letters that
/// they are in Latin-1.
pub(super) fn name(path: &Path) -> String {
    let mut name = String::new();
    for chunk in path.as_os_str().as_bytes().utf8_chunks() {
        name.push_str(chunk.valid());
        name.extend(chunk.invalid().iter().map(|byte| char::from(*byte)));
    }
    name
}

/// What sorts names by the numbers in them: `run2` before `run10`.
pub(super) fn natural(name: &str) -> Vec<(String, u64)> {
    let (mut parts, mut rest) = (Vec::new(), name);
    while !rest.is_empty() {
        let digits = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let (text, from) = rest.split_at(digits);
        let end = from.find(|c: char| !c.is_ascii_digit()).unwrap_or(from.len());
        parts.push((text.to_owned(), from[..end].parse().unwrap_or(u64::MAX)));
        rest = &from[end..];
    }
    parts.push((name.to_owned(), 0));
    parts
}
