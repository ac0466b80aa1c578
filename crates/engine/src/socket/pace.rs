use crate::Nanos;

/// Share of a typical answering time for which replies may be left to gather. A reply then waits
/// for half of that on average.
const SHARE: f64 = 0.08;
/// Gathering for so long is harmless whatever the share: half of it is below what a network adds,
/// and latencies, which end at the kernel's stamp, don't see it. Longer gains nothing that could be
/// measured: what is left of the client's cost is the kernel's, for each request. In nanoseconds.
const HARMLESS_NS: f64 = 20_000.0;
/// But never more than this share: a fast server must not wait for its client.
const MOST: f64 = 0.3;
/// Weight of one answer in the running mean.
const WEIGHT: f64 = 1.0 / 256.0;

/// How long replies may gather before they are taken in together.
///
/// Waking up for every single reply costs the client, and a server on the same host, more
/// processor time than the reply itself. How much a reply may be late depends on how long the
/// server takes: a few per cent of that is nothing anybody could measure.
#[derive(Debug)]
pub(super) struct Pace {
    /// Running mean of the time from a request to its reply, in nanoseconds; 0 until there is one.
    typical: f64,
}

impl Pace {
    pub(super) fn new() -> Self {
        Self { typical: 0.0 }
    }

    /// A request sent then was answered at that moment.
    #[inline]
    pub(super) fn answered(&mut self, sent: Nanos, arrived: Nanos) {
        let took = arrived.0.saturating_sub(sent.0) as f64;
        self.typical += (took - self.typical) * if self.typical == 0.0 { 1.0 } else { WEIGHT };
    }

    /// How many replies may gather now, with so many requests under way; at least 1.
    pub(super) fn gather(&self, busy: usize) -> usize {
        // Replies come about evenly spread over the answering time, so a share of that time
        // brings the same share of the replies.
        let harmless = if self.typical > 0.0 { HARMLESS_NS / self.typical } else { 0.0 };
        let share = SHARE.max(harmless.min(MOST));
        ((busy as f64 * share).round() as usize).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(micros: u64) -> Pace {
        let mut pace = Pace::new();
        pace.answered(Nanos(0), Nanos(micros * 1_000));
        pace
    }

    #[test]
    fn a_small_share_of_many_replies_gathers() {
        assert_eq!(pace(20_000).gather(1_000), 80);
        assert_eq!(pace(5_000).gather(256), 20);
        assert_eq!(pace(1_000).gather(64), 5);
    }

    #[test]
    fn fast_answers_gather_for_microseconds_and_never_most_of_them() {
        assert_eq!(pace(200).gather(16), 2);
        assert_eq!(pace(10).gather(64), 19);
    }

    #[test]
    fn few_replies_are_taken_at_once() {
        assert_eq!(pace(1_000).gather(0), 1);
        assert_eq!(pace(1_000).gather(4), 1);
        assert_eq!(Pace::new().gather(64), 5);
    }

    #[test]
    fn one_outlier_changes_little() {
        let mut pace = pace(100);
        assert_eq!(pace.gather(64), 13);
        pace.answered(Nanos(0), Nanos(10_000_000));
        assert_eq!(pace.gather(64), 9);
    }
}
