use crate::Stream;

/// Draws reads and writes so that of every hundred exactly so many are reads, in random order.
///
/// Independent draws would have the share on average only: after 10,000 of them it is still off by
/// half a percentage point, which on some storage is more than what is to be told apart.
#[derive(Clone, Debug)]
pub(super) struct Share {
    percent: u32,
    /// Of the present hundred, how many are to come, and how many reads among them.
    left: u32,
    reads: u32,
}

impl Share {
    pub(super) fn new(percent: u8) -> Self {
        Self { percent: u32::from(percent.min(100)), left: 0, reads: 0 }
    }

    /// Whether the next one reads.
    #[inline]
    pub(super) fn next(&mut self, stream: &mut Stream) -> bool {
        if self.percent == 100 || self.percent == 0 {
            return self.percent == 100;
        }
        if self.left == 0 {
            (self.left, self.reads) = (100, self.percent);
        }
        let read = stream.between(1, self.left) <= self.reads;
        self.left -= 1;
        self.reads -= u32::from(read);
        read
    }
}
