//! Fuzz targets for everything that reads bytes from elsewhere. Not shipped.
//!
//! A [`Target`] is a plain function of bytes that must return: a panic is a finding, and so is
//! memory beyond [`Target::memory`]. Two things run the targets: the tests of this crate, on all
//! seeds and kept cases and on a fixed number of mutations of them; and `make fuzz`, guided by
//! coverage, for as long as one likes. See `docs/fuzzing.md`.

mod input;
pub mod memory;
mod mutate;
mod seeds;
mod targets;

pub use mutate::Mutator;
pub use targets::TARGETS;

use engine::process_cpu;
use std::path::PathBuf;
use std::time::Duration;

/// Processor time that a run may take, whatever the input. Not time on a clock: that a machine is
/// busy with other things is no finding.
pub const MAX_TIME: Duration = Duration::from_secs(10);

/// A function that is fuzzed.
pub struct Target {
    /// Its name: that of the directory with its cases as well.
    pub name: &'static str,
    /// Runs it on an input. Panics where a property does not hold.
    pub run: fn(&[u8]),
    /// Inputs to start from.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// How many mutations the tests try: what takes a debug build about a second.
    pub mutations: usize,
    /// Most bytes of an input that a fuzzer makes.
    pub longest: usize,
    /// Bytes that a run may have allocated at a time, whatever the input.
    pub memory: usize,
    /// Words of its grammar, for mutations: a dictionary of libFuzzer, or nothing.
    pub dictionary: &'static str,
}

impl Target {
    /// The target of that name.
    pub fn by_name(name: &str) -> Option<&'static Self> {
        TARGETS.iter().find(|target| target.name == name)
    }

    /// The words of its dictionary.
    ///
    /// # Panics
    /// When a line of that is no word in quotes.
    pub fn words(&self) -> Vec<Vec<u8>> {
        let read = |line| word(line).unwrap_or_else(|| panic!("{}: no word: {line}", self.name));
        self.dictionary.lines().map(read).collect()
    }

    /// Where its kept cases are: inputs that were once findings.
    pub fn cases(&self) -> PathBuf {
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("cases").join(self.name)
    }

    /// Runs it on an input and holds it to its bound on memory.
    ///
    /// # Panics
    /// When a property does not hold, it took more than [`MAX_TIME`], or more memory was in use
    /// than [`Self::memory`].
    pub fn check(&self, data: &[u8]) {
        let (before, begun) = (memory::in_use(), process_cpu());
        memory::forget_peak();
        (self.run)(data);
        let (took, used) = (process_cpu().saturating_sub(begun), memory::peak() - before);
        assert!(
            took <= MAX_TIME,
            "{}: {took:?} of processor time for an input of {} bytes",
            self.name,
            data.len()
        );
        assert!(
            used <= self.memory as i64,
            "{}: {used} bytes in use for an input of {} bytes; the bound is {}",
            self.name,
            data.len(),
            self.memory
        );
    }
}

/// A word as dictionaries of libFuzzer have it: in quotes, and with `\\`, `\"` and `\x0A` in it.
fn word(line: &str) -> Option<Vec<u8>> {
    let mut rest = line.strip_prefix('"')?.strip_suffix('"')?;
    let mut bytes = Vec::new();
    while let Some((plain, escaped)) = rest.split_once('\\') {
        bytes.extend_from_slice(plain.as_bytes());
        rest = match escaped.strip_prefix('x') {
            Some(digits) => {
                bytes.push(u8::from_str_radix(digits.get(..2)?, 16).ok()?);
                &digits[2..]
            }
            None => {
                bytes.push(*escaped.as_bytes().first()?);
                escaped.get(1..)?
            }
        };
    }
    bytes.extend_from_slice(rest.as_bytes());
    Some(bytes)
}
