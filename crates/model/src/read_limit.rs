//! What reading a file from elsewhere may take.

use std::cell::Cell;
use std::time::Duration;

/// How much memory and time a file from elsewhere may take: what others wrote may be damaged, made to
/// be large, or simply more than anybody meant to read.
#[derive(Clone, Copy, Debug)]
pub struct ReadLimit {
    /// Bytes of memory.
    pub bytes: u64,
    /// Processor time of the thread that reads: that a machine is busy is nobody's fault.
    pub time: Duration,
    /// Tells how much of it the thread has used.
    pub clock: fn() -> Duration,
    /// What a long file may take instead.
    pub by_length: ByLength,
}

/// What a file may take by its length, where that is more: a run of very many trials is a long file, and
/// takes much by right. A short one does not.
#[derive(Clone, Copy, Debug, Default)]
pub struct ByLength {
    /// Bytes of memory for each byte of the file.
    pub bytes: u64,
    /// Processor time for each MiB of it.
    pub time: Duration,
}

impl ByLength {
    /// A file may take no more for being long.
    pub const NONE: Self = Self { bytes: 0, time: Duration::ZERO };
    /// Of results files, whose recordings are compressed.
    pub const BYTES: u64 = 16;
    pub const TIME: Duration = Duration::from_secs(1);
}

impl ReadLimit {
    /// 256 MiB.
    pub const BYTES: u64 = 256 << 20;
    pub const TIME: Duration = Duration::from_secs(10);
    /// For what weighin itself has just written, or is reading of itself.
    pub const NONE: Self = Self {
        bytes: u64::MAX,
        time: Duration::MAX,
        clock: || Duration::ZERO,
        by_length: ByLength::NONE,
    };

    /// For a file of so many bytes.
    #[must_use]
    pub fn for_length(self, length: u64) -> Self {
        let ByLength { bytes, time } = self.by_length;
        let mebibytes = u32::try_from(length >> 20).unwrap_or(u32::MAX);
        Self {
            bytes: self.bytes.max(bytes.saturating_mul(length)),
            time: self.time.max(time.saturating_mul(mebibytes)),
            by_length: ByLength::NONE,
            ..self
        }
    }

    /// For work on two files together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { time: self.time.saturating_add(other.time), ..self }
    }

    /// For work on so many files together.
    #[must_use]
    pub fn times(self, files: usize) -> Self {
        let files = u32::try_from(files.max(1)).unwrap_or(u32::MAX);
        Self { time: self.time.saturating_mul(files), ..self }
    }

    /// The budget of one file, which is read from now on.
    pub fn budget(self) -> ReadBudget {
        let began = (self.clock)();
        ReadBudget { limit: self, began, used: Cell::new(0), over: Cell::new(None) }
    }
}

/// The usual bounds; its clock stands still.
impl Default for ReadLimit {
    fn default() -> Self {
        Self { bytes: Self::BYTES, time: Self::TIME, ..Self::NONE }
    }
}

/// What one file may still take. Who reads charges before allocating; once the budget is overdrawn it
/// stays so, and loops end.
#[derive(Debug)]
pub struct ReadBudget {
    limit: ReadLimit,
    began: Duration,
    used: Cell<u64>,
    over: Cell<Option<OverBudget>>,
}

impl Default for ReadBudget {
    fn default() -> Self {
        ReadLimit::default().budget()
    }
}

impl ReadBudget {
    /// Takes so many bytes of it, and looks at the clock.
    ///
    /// # Errors
    /// When it does not have them, or its time is over.
    pub fn charge(&self, bytes: u64) -> Result<(), OverBudget> {
        self.verdict()?;
        let needed = self.used.get().saturating_add(bytes);
        let over = if needed > self.limit.bytes {
            Some(OverBudget::Memory { needed, limit: self.limit.bytes })
        } else if (self.limit.clock)().saturating_sub(self.began) > self.limit.time {
            Some(OverBudget::Time(self.limit.time))
        } else {
            self.used.set(needed);
            None
        };
        self.over.set(over);
        over.map_or(Ok(()), Err)
    }

    /// Gives back what is not kept.
    pub fn give_back(&self, bytes: u64) {
        self.used.set(self.used.get().saturating_sub(bytes));
    }

    /// Whether all that was read was within it.
    ///
    /// # Errors
    /// When it was not.
    pub fn verdict(&self) -> Result<(), OverBudget> {
        self.over.get().map_or(Ok(()), Err)
    }

    /// When its time is over, by its clock; `None` where that is never.
    pub fn ends(&self) -> Option<Duration> {
        self.began.checked_add(self.limit.time)
    }

    /// What it began with.
    pub(crate) fn limit(&self) -> ReadLimit {
        self.limit
    }

    /// Bytes that are left.
    pub fn left(&self) -> u64 {
        self.limit.bytes.saturating_sub(self.used.get())
    }

    /// Bytes that were taken.
    pub fn used(&self) -> u64 {
        self.used.get()
    }
}

/// What goes beyond a [`ReadLimit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OverBudget {
    /// So many bytes are needed, or more.
    #[error(
        "it would need {} MiB of memory or more, and the limit is {} MiB; raise it with --read-limit",
        needed.div_ceil(1 << 20),
        limit >> 20
    )]
    Memory { needed: u64, limit: u64 },
    #[error("it takes more than {} s; raise the limit with --read-time", .0.as_secs_f64())]
    Time(Duration),
}

#[cfg(test)]
mod tests {
    use super::*;

    thread_local! {
        static NOW: Cell<u64> = const { Cell::new(0) };
    }

    #[test]
    fn what_is_overdrawn_stays_so() {
        let budget = ReadLimit { bytes: 3 << 20, ..ReadLimit::default() }.budget();
        budget.charge(2 << 20).unwrap();
        budget.give_back(1 << 20);
        budget.charge(2 << 20).unwrap();
        let over = budget.charge(1).unwrap_err();
        assert_eq!(over, OverBudget::Memory { needed: (3 << 20) + 1, limit: 3 << 20 });
        assert_eq!(
            over.to_string(),
            "it would need 4 MiB of memory or more, and the limit is 3 MiB; raise it with --read-limit"
        );
        assert_eq!((budget.charge(0), budget.verdict()), (Err(over), Err(over)));
    }

    #[test]
    fn a_long_file_may_take_more() {
        let by_length = ByLength { bytes: 16, time: Duration::from_secs(1) };
        let limit = ReadLimit { by_length, ..ReadLimit::default() };
        let of = |length: u64| {
            let of_file = limit.for_length(length);
            (of_file.bytes >> 20, of_file.time.as_secs())
        };
        assert_eq!((of(0), of(5 << 20), of(16 << 20)), ((256, 10), (256, 10), (256, 16)));
        assert_eq!(of(400 << 20), (6_400, 400));
        assert_eq!(limit.for_length(u64::MAX).bytes, u64::MAX);
        // What somebody asked for stays as it is.
        assert_eq!(ReadLimit::default().for_length(u64::MAX).bytes, ReadLimit::BYTES);
        assert_eq!(limit.for_length(20 << 20).and(limit).time, Duration::from_secs(30));
    }

    #[test]
    fn time_counts_from_when_reading_began() {
        NOW.set(100);
        let clock = || Duration::from_secs(NOW.get());
        let limit = ReadLimit { bytes: 9, time: Duration::from_secs(2), clock, ..ReadLimit::NONE };
        let budget = limit.budget();
        NOW.set(102);
        budget.charge(1).unwrap();
        NOW.set(103);
        assert_eq!(budget.charge(1), Err(OverBudget::Time(limit.time)));
    }
}
