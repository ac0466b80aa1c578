use crate::parse_size;
use model::bounds::{MAX_QUEUE_DEPTH, MAX_THREADS};
use model::{BlockOrder, BlockShare, Storage};

/// Largest block, in bytes: what Linux reads or writes at once is below 2 GiB, and every one in
/// flight needs memory of its size.
pub(crate) const LARGEST_BLOCK: u64 = 64 << 20;
/// Blocks are multiples of this many bytes, the smallest block of any device.
const SECTOR: u64 = 512;
/// What a redo log is called as a pattern.
const REDO_LOG: &str = "redo log";

/// What each virtual machine does, in the words of storage engineers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoragePattern {
    /// Threads of each virtual machine.
    pub threads: u32,
    /// Reads and writes that it keeps in flight, all threads together.
    pub queue_depth: u32,
    /// Bytes of a block.
    pub block: u32,
    /// Whether it is a redo log: written one block after another, each with an `fdatasync` before
    /// the next.
    pub redo_log: bool,
}

/// Why a text is no pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// It has another form.
    #[error("`{0}` is not a pattern: write it like `t1 o32 b16k`, or `{REDO_LOG}`")]
    Malformed(String),
    /// The number of threads or of outstanding reads and writes is out of range.
    #[error("`{0}` must be from 1 to {1}")]
    OutOfRange(String, u32),
    /// The size of a block is none.
    #[error("a block must be a multiple of 512 bytes, at most 64 MiB, not `{0}`")]
    Block(String),
}

/// Reads a pattern: threads (`t`), reads and writes that each keeps outstanding (`o`) and size of
/// blocks (`b`), as in `t1 o32 b16k`; or `redo log`, which is 4 KiB at a time, one in flight. Without
/// `t` there is one thread.
///
/// # Errors
/// When the text has another form, or a number is out of range.
pub fn parse_pattern(text: &str) -> Result<StoragePattern, PatternError> {
    let malformed = || PatternError::Malformed(text.trim().chars().take(40).collect());
    if text.trim() == REDO_LOG {
        return Ok(StoragePattern { threads: 1, queue_depth: 1, block: 4096, redo_log: true });
    }
    let (mut threads, mut outstanding, mut block) = (None, None, None);
    let words = text.split([' ', ',']).filter(|word| !word.is_empty());
    for word in words {
        let mut letters = word.chars();
        let letter = letters.next().ok_or_else(malformed)?;
        let rest = letters.as_str();
        let twice = match letter {
            't' => threads.replace(number(word, rest, MAX_THREADS)?).is_some(),
            'o' => outstanding.replace(number(word, rest, MAX_QUEUE_DEPTH)?).is_some(),
            'b' => block.replace(parse_block(rest)?).is_some(),
            _ => return Err(malformed()),
        };
        if twice {
            return Err(malformed());
        }
    }
    let (threads, (outstanding, block)) =
        (threads.unwrap_or(1), outstanding.zip(block).ok_or_else(malformed)?);
    let queue_depth = threads * outstanding;
    if queue_depth > MAX_QUEUE_DEPTH {
        let both = format!("t{threads} × o{outstanding}");
        return Err(PatternError::OutOfRange(both, MAX_QUEUE_DEPTH));
    }
    Ok(StoragePattern { threads, queue_depth, block, redo_log: false })
}

fn number(word: &str, digits: &str, most: u32) -> Result<u32, PatternError> {
    let number = digits.parse::<u32>().ok().filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| PatternError::OutOfRange(word.chars().take(40).collect(), most))
}

/// Reads the size of a block.
pub(crate) fn parse_block(text: &str) -> Result<u32, PatternError> {
    let fits =
        |bytes: &u64| (SECTOR..=LARGEST_BLOCK).contains(bytes) && bytes.is_multiple_of(SECTOR);
    let bytes = parse_size(text).ok().filter(fits).and_then(|bytes| u32::try_from(bytes).ok());
    bytes.ok_or_else(|| PatternError::Block(text.chars().take(40).collect()))
}

impl StoragePattern {
    /// The load that it means where nothing else is said: one virtual machine with 1 GiB of data,
    /// reads at random.
    pub fn storage(&self) -> Storage {
        Storage {
            blocks: vec![BlockShare { bytes: self.block, weight: 1 }],
            read_percent: if self.redo_log { 0 } else { 100 },
            order: if self.redo_log { BlockOrder::Sequential } else { BlockOrder::Random },
            sync_every: self.redo_log.then_some(1),
            threads: self.threads,
            ..Storage::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_read_as_they_are_written() {
        let read = |text: &str| {
            let pattern = parse_pattern(text).unwrap();
            (pattern.threads, pattern.queue_depth, pattern.block)
        };
        assert_eq!(read("t1 o32 b16k"), (1, 32, 16 << 10));
        assert_eq!(read("t4, o16, b4KiB"), (4, 64, 4096));
        assert_eq!(read("o1 b2m"), (1, 1, 2 << 20));
        assert!(parse_pattern("redo log").unwrap().redo_log);
    }

    #[test]
    fn what_is_read_is_what_the_model_writes() {
        for text in ["t1 o32 b16k", "t4 o16 b4k", "t1 o32 b2m"] {
            let pattern = parse_pattern(text).unwrap();
            assert_eq!(pattern.storage().pattern(pattern.queue_depth), text);
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "fast", "t1", "o32", "b4k", "t1 o32", "o1 o2 b4k", "t1 o32 b16k x"] {
            assert!(matches!(parse_pattern(text), Err(PatternError::Malformed(_))), "{text}");
        }
        for text in ["t0 o1 b4k", "t1 o0 b4k", "tx o1 b4k", "t256 o65535 b4k"] {
            assert!(matches!(parse_pattern(text), Err(PatternError::OutOfRange(..))), "{text}");
        }
        for text in ["o1 b4", "o1 b100B", "o1 b1g", "o1 b0k"] {
            assert!(matches!(parse_pattern(text), Err(PatternError::Block(_))), "{text}");
        }
    }
}
