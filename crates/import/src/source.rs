use model::{OverBudget, ReadBudget};

/// A file to import.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Its path as the user named it or as it was found.
    pub file: &'a str,
    /// Its text. Bytes that are no UTF-8 have been replaced.
    pub text: &'a str,
    /// What reading it may take. Who parses it looks at the end whether that was enough; what was
    /// read by then is not all of it.
    pub budget: &'a ReadBudget,
}

/// Bytes of memory that a line of a file may become: a sample, or a figure with its texts.
const BYTES_OF_LINE: u64 = 256;
/// Bytes of memory that a value within a line may become.
const BYTES_OF_VALUE: u64 = 48;

impl<'a> Source<'a> {
    /// Charges what its text may become in memory when it is parsed.
    ///
    /// # Errors
    /// When that is too much.
    pub fn charge(&self) -> Result<(), OverBudget> {
        let count = |wanted: u8| self.text.bytes().filter(|byte| *byte == wanted).count() as u64;
        let values = count(b',').saturating_mul(BYTES_OF_VALUE);
        let lines = count(b'\n').saturating_mul(BYTES_OF_LINE);
        self.budget.charge(lines.saturating_add(values).saturating_add(self.text.len() as u64))
    }

    /// Its lines with their numbers from 1, as long as its budget lasts.
    pub(crate) fn lines(self) -> impl Iterator<Item = (u32, &'a str)> {
        let lines = self.text.lines().enumerate();
        lines
            .map(|(at, line)| (u32::try_from(at + 1).unwrap_or(u32::MAX), line))
            .take_while(move |(number, _)| self.lasts(*number))
    }

    /// Whether its budget lasts; the clock is looked at now and then.
    pub(crate) fn lasts(&self, number: u32) -> bool {
        match number.is_multiple_of(LINES_AT_A_TIME) {
            true => self.budget.charge(0).is_ok(),
            false => self.budget.verdict().is_ok(),
        }
    }
}

/// Lines between two looks at the clock.
const LINES_AT_A_TIME: u32 = 64;
