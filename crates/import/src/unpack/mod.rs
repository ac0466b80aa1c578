//! Files out of archives and compressed files, in memory: nothing is written anywhere.
//!
//! Archives come from strangers. How far they may expand, how many members they may have and how
//! deep they may lie in one another is bounded ([`UnpackLimits`]), whatever they say of
//! themselves; names of members are text that tells members apart, and no paths of this machine.

mod name;
mod opendocument;
mod spreadsheet;
mod tar;
mod zip;

use crate::Problem;
use compression::Compression;
pub use name::without_container;
use std::cell::Cell;
use std::collections::HashSet;
use std::io::{self, Cursor, Read};
use std::rc::Rc;
use zip::Zip;

/// What an OpenDocument spreadsheet, or a template of one, says that it is.
const SPREADSHEET: &str = "application/vnd.oasis.opendocument.spreadsheet";

/// How much may come out of one file.
#[derive(Clone, Copy, Debug)]
pub struct UnpackLimits {
    /// Most bytes of one member.
    pub member_bytes: u64,
    /// Most bytes that all decompression together gives.
    pub total_bytes: u64,
    /// Most members.
    pub members: usize,
    /// Most containers around a member; `.tar.gz` is two.
    pub depth: usize,
}

impl Default for UnpackLimits {
    fn default() -> Self {
        Self { member_bytes: 256 << 20, total_bytes: 1 << 30, members: 100_000, depth: 4 }
    }
}

/// A file, or a member of an archive.
#[derive(Debug)]
pub struct Member<'a> {
    /// Its name: that of the archive, and below it as in a directory that of the member.
    pub name: &'a str,
    pub bytes: Vec<u8>,
    /// Whether it came out of a container.
    pub unpacked: bool,
}

/// How many bytes tell what kind of container a file is: the magic of tar ends here.
const TELLING: usize = 264;

/// Gives a file, or, where it is a container, every member, to `take`. What cannot be unpacked
/// is among the problems, and the rest is given.
pub fn unpack(
    name: &str,
    bytes: Vec<u8>,
    limits: &UnpackLimits,
    take: &mut dyn FnMut(Member<'_>),
) -> Vec<Problem> {
    let mut unpacking = Unpacking {
        limits: *limits,
        left: Rc::new(Cell::new(limits.total_bytes)),
        members: 0,
        names: HashSet::new(),
        problems: Vec::new(),
        take,
    };
    if container(&bytes).is_none() {
        (unpacking.take)(Member { name, bytes, unpacked: false });
    } else {
        unpacking.any(name, Box::new(Cursor::new(bytes)), 0);
    }
    unpacking.problems
}

enum Container {
    Compressed(Compression),
    Tar,
    Zip,
}

fn container(beginning: &[u8]) -> Option<Container> {
    if let Some(compression) = Compression::recognised(beginning) {
        return Some(Container::Compressed(compression));
    }
    if beginning.starts_with(b"PK\x03\x04") || beginning.starts_with(b"PK\x05\x06") {
        return Some(Container::Zip);
    }
    (beginning.get(257..262) == Some(b"ustar")).then_some(Container::Tar)
}

struct Unpacking<'a> {
    limits: UnpackLimits,
    /// Bytes that decompression may still give.
    left: Rc<Cell<u64>>,
    members: usize,
    names: HashSet<String>,
    problems: Vec<Problem>,
    take: &'a mut dyn FnMut(Member<'_>),
}

impl Unpacking<'_> {
    /// What a stream of bytes holds, whichever kind of container it is.
    fn any(&mut self, name: &str, mut from: Box<dyn Read + '_>, depth: usize) {
        let mut beginning = Vec::new();
        if let Err(error) = from.by_ref().take(TELLING as u64).read_to_end(&mut beginning) {
            return self.problem(name, format!("cannot be unpacked: {error}"));
        }
        let kind = container(&beginning);
        let mut from: Box<dyn Read + '_> = Box::new(Cursor::new(beginning).chain(from));
        let Some(kind) = kind else { return self.member(name, &mut from) };
        if depth == self.limits.depth {
            let most = self.limits.depth;
            return self.problem(name, format!("left out: more than {most} archives deep"));
        }
        match kind {
            Container::Compressed(compression) => match compression.decoder(from) {
                Ok(decoder) => {
                    let counted = Counted { from: decoder, left: Rc::clone(&self.left) };
                    self.any(name, Box::new(counted), depth + 1);
                }
                Err(error) => self.problem(name, format!("cannot be unpacked: {error}")),
            },
            Container::Tar => {
                if let Err(error) = self.tar(name, &mut from, depth) {
                    self.problem(name, format!("cannot be unpacked further: {error}"));
                }
            }
            Container::Zip => match self.whole(&mut from) {
                Ok(bytes) => self.zip(name, &bytes, depth),
                Err(error) => self.problem(name, format!("cannot be unpacked: {error}")),
            },
        }
    }

    fn zip(&mut self, archive: &str, bytes: &[u8], depth: usize) {
        let Some(entries) = zip::entries(bytes, self.limits.members) else {
            return self.problem(archive, "cannot be unpacked: the archive is damaged".to_owned());
        };
        let has = |name: &str| entries.iter().any(|entry| entry.name == name.as_bytes());
        if has("xl/workbook.xml") {
            return spreadsheet::sheets(self, archive, &Zip { bytes, entries: &entries });
        }
        if has("mimetype") && has("content.xml") {
            let zip = Zip { bytes, entries: &entries };
            let kind = zip.text(self, "mimetype").ok().flatten().unwrap_or_default();
            if kind.trim().starts_with(SPREADSHEET) {
                return opendocument::sheets(self, archive, &zip);
            }
        }
        if let Some(what) = document(has) {
            return self.problem(archive, format!("this is {what}"));
        }
        for entry in &entries {
            if entry.name.ends_with(b"/") {
                continue;
            }
            let Some(name) = self.name_of(archive, entry.name) else {
                if self.is_full(archive) {
                    return;
                }
                continue;
            };
            match self.open(bytes, entry) {
                Ok(opened) => self.any(&name, opened, depth + 1),
                Err(error) => self.problem(&name, format!("cannot be unpacked: {error}")),
            }
        }
    }

    /// A file that is no container.
    fn member(&mut self, name: &str, from: &mut dyn Read) {
        match self.whole(from) {
            Ok(bytes) => (self.take)(Member { name, bytes, unpacked: true }),
            Err(error) => self.problem(name, format!("cannot be unpacked: {error}")),
        }
    }

    fn whole(&self, from: &mut dyn Read) -> io::Result<Vec<u8>> {
        let (mut bytes, most) = (Vec::new(), self.limits.member_bytes);
        from.take(most + 1).read_to_end(&mut bytes)?;
        match bytes.len() as u64 > most {
            true => Err(io::Error::other(format!("it expands to more than {} MiB", most >> 20))),
            false => Ok(bytes),
        }
    }

    /// The whole name of a member; `None` where it is to be left out, hidden ones without a word
    /// as in directories.
    fn name_of(&mut self, archive: &str, member: &[u8]) -> Option<String> {
        let inner = name::of_member(member)?;
        let whole = format!("{archive}/{inner}");
        self.members += 1;
        if self.members > self.limits.members {
            return None;
        }
        if !self.names.insert(whole.clone()) {
            let message = "the archive has several members of this name, of which the first counts";
            self.problem(&whole, message.to_owned());
            return None;
        }
        Some(whole)
    }

    /// Whether there are more members than may be; told once.
    fn is_full(&mut self, archive: &str) -> bool {
        let full = self.members > self.limits.members;
        if full {
            let most = self.limits.members;
            self.problem(archive, format!("has more than {most} files; the others are left out"));
        }
        full
    }

    fn problem(&mut self, name: &str, message: String) {
        self.problems.push(Problem { file: name.to_owned(), line: 0, message });
    }
}

/// Documents that are ZIP archives themselves.
fn document(has: impl Fn(&str) -> bool) -> Option<&'static str> {
    if has("xl/workbook.bin") {
        return Some("a binary spreadsheet (.xlsb); save it as .xlsx or CSV");
    }
    if has("word/document.xml") || has("ppt/presentation.xml") {
        return Some(
            "an office document; put its figures into a table, and save it as .xlsx or CSV",
        );
    }
    (has("mimetype") && has("content.xml"))
        .then_some("an OpenDocument file and no spreadsheet; save its tables as .ods, .xlsx or CSV")
}

/// What a decompressor gives, counted against what all of them may give.
struct Counted<R> {
    from: R,
    left: Rc<Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(buffer)?;
        match self.left.get().checked_sub(read as u64) {
            Some(left) => self.left.set(left),
            None => {
                self.left.set(0);
                return Err(io::Error::other(
                    "the file expands to more than may be unpacked of one file",
                ));
            }
        }
        Ok(read)
    }
}
