//! Where the processors' time went: `/proc/stat`.

use model::CpuShares;

/// Time of processors together since boot, in clock ticks (`/proc/stat`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuTimes {
    /// User, with nice; guests are part of it already.
    pub user: u64,
    /// Kernel, with hardware and software interrupts.
    pub system: u64,
    /// Idle with IO outstanding.
    pub iowait: u64,
    /// Taken by the hypervisor.
    pub steal: u64,
    /// Idle.
    pub idle: u64,
}

impl CpuTimes {
    /// Reads the first line of `/proc/stat`, or those of these processors where some are given; `None`
    /// when one isn't there. Fields that an old kernel lacks count as zero.
    pub fn parse(stat: &str, processors: &[u32]) -> Option<Self> {
        if processors.is_empty() {
            return Self::parse_line(stat, "cpu ");
        }
        let of = |processor| Self::parse_line(stat, &format!("cpu{processor} "));
        processors.iter().map(of).try_fold(Self::default(), |sum, one| Some(sum.plus(&one?)))
    }

    pub(crate) fn plus(&self, other: &Self) -> Self {
        self.with(other, u64::saturating_add)
    }

    /// What was added since `earlier`; what stepped back counts as nothing.
    pub(crate) fn minus(&self, earlier: &Self) -> Self {
        self.with(earlier, u64::saturating_sub)
    }

    fn with(&self, other: &Self, join: fn(u64, u64) -> u64) -> Self {
        Self {
            user: join(self.user, other.user),
            system: join(self.system, other.system),
            iowait: join(self.iowait, other.iowait),
            steal: join(self.steal, other.steal),
            idle: join(self.idle, other.idle),
        }
    }

    fn parse_line(stat: &str, name: &str) -> Option<Self> {
        let fields: Vec<u64> = stat
            .lines()
            .find_map(|line| line.strip_prefix(name))?
            .split_ascii_whitespace()
            .map_while(|field| field.parse().ok())
            .collect();
        let field = |i: usize| fields.get(i).copied().unwrap_or(0);
        (fields.len() >= 4).then(|| Self {
            user: field(0).saturating_add(field(1)),
            system: field(2).saturating_add(field(5)).saturating_add(field(6)),
            idle: field(3),
            iowait: field(4),
            steal: field(7),
        })
    }

    /// The shares between two readings; all zero when no tick passed.
    ///
    /// The kernel may count idle and iowait backwards by a little when a processor goes offline
    /// or an idle period is accounted late; such a step counts as nothing.
    pub fn shares_since(&self, earlier: &Self) -> CpuShares {
        let passed = self.minus(earlier);
        let [user, system, iowait, steal, idle] =
            [passed.user, passed.system, passed.iowait, passed.steal, passed.idle]
                .map(|ticks| ticks as f64);
        let total = user + system + iowait + steal + idle;
        if total == 0.0 {
            return CpuShares::default();
        }
        CpuShares {
            user: user / total,
            system: system / total,
            iowait: iowait / total,
            steal: steal / total,
            idle: idle / total,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EARLIER: &str = "cpu  1000 50 400 8000 300 20 30 100 7 0\ncpu0 1 2 3 4 5 6 7 8 9 10\n";
    const LATER: &str = "cpu  1050 60 420 8080 320 25 35 110 9 0\ncpu0 1 2 3 4 5 6 7 8 9 10\n";

    #[test]
    fn shares_are_those_computed_by_hand() {
        let earlier = CpuTimes::parse(EARLIER, &[]).unwrap();
        let later = CpuTimes::parse(LATER, &[]).unwrap();
        // Differences: user 50 + 10, system 20 + 5 + 5, idle 80, iowait 20, steal 10: 200 ticks.
        let shares = later.shares_since(&earlier);
        assert_eq!(shares.user, 0.30);
        assert_eq!(shares.system, 0.15);
        assert_eq!(shares.iowait, 0.10);
        assert_eq!(shares.steal, 0.05);
        assert_eq!(shares.idle, 0.40);
        assert!((shares.busy() - 0.45).abs() < 1e-12);
    }

    #[test]
    fn figures_of_some_processors_are_theirs_together() {
        let stat = "cpu  9 9 9 9\ncpu0 1 2 3 4 5 6 7 8\ncpu1 10 0 0 10\ncpu10 50 0 0 50\n";
        let of = |processors: &[u32]| CpuTimes::parse(stat, processors);
        let expected = CpuTimes { user: 13, system: 16, iowait: 5, steal: 8, idle: 14 };
        assert_eq!(of(&[0, 1]), Some(expected));
        assert_eq!(of(&[10]).unwrap().user, 50);
        assert_eq!(of(&[0, 2]), None);
    }

    #[test]
    fn counters_that_step_back_count_as_nothing() {
        let earlier = CpuTimes { user: 10, iowait: 100, idle: 10, ..CpuTimes::default() };
        let later = CpuTimes { user: 20, iowait: 90, idle: 20, ..CpuTimes::default() };
        let shares = later.shares_since(&earlier);
        assert_eq!((shares.user, shares.iowait, shares.idle), (0.5, 0.0, 0.5));
        assert_eq!(later.shares_since(&later), CpuShares::default());
    }

    #[test]
    fn old_kernels_lack_columns_and_other_text_is_refused() {
        let old = CpuTimes::parse("cpu 4 3 2 1\n", &[]).unwrap();
        assert_eq!(old, CpuTimes { user: 7, system: 2, idle: 1, ..CpuTimes::default() });
        assert_eq!(CpuTimes::parse("", &[]), None);
        assert_eq!(CpuTimes::parse("cpu  many\n", &[]), None);
        assert_eq!(CpuTimes::parse("intr 1 2 3\n", &[]), None);
    }
}
