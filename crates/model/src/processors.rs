use crate::Throttling;
use serde::{Deserialize, Serialize};
use std::ops::{AddAssign, Sub};
use std::time::Duration;

/// Share by which a quotient may be larger than what it stands for: 21 ÷ 1.4 is 15, and a little more
/// in binary.
const ROUNDING: f64 = 1e-9;

/// Virtual machines that share processors: as many virtual ones as they have stand for fewer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Oversubscription {
    /// Virtual processors of each virtual machine; at least 1.
    pub vcpus: u32,
    /// Virtual processors for each processor; above 0.
    pub ratio: f64,
}

impl Oversubscription {
    /// Processors that so many virtual machines share; any number above 0.
    pub fn processors(self, vms: u32) -> f64 {
        f64::from(vms) * f64::from(self.vcpus) / self.ratio
    }

    /// Whether so many processors, or threads to use them, are as many as that.
    pub fn fits(self, vms: u32, there: usize) -> bool {
        self.processors(vms) <= there as f64 * (1.0 + ROUNDING)
    }

    /// The least whole number of processors, or threads, that [`Self::fits`]; at least 1.
    pub fn whole_processors(self, vms: u32) -> u32 {
        // Beyond what a `u32` counts no host has as many.
        (self.processors(vms) / (1.0 + ROUNDING)).ceil() as u32
    }

    /// How many virtual machines fit so many processors; 0 where not even one does.
    pub fn max_vms(self, there: usize) -> u32 {
        (there as f64 * self.ratio / f64::from(self.vcpus) * (1.0 + ROUNDING)).floor() as u32
    }

    /// The ratio from which on so many virtual machines fit so many processors, in steps of 0.01.
    pub fn min_ratio(self, vms: u32, there: usize) -> f64 {
        let exact = f64::from(vms) * f64::from(self.vcpus) / there as f64;
        (exact * 100.0 / (1.0 + ROUNDING)).ceil() / 100.0
    }
}

/// What threads did since they were limited to a number of processors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessorCount {
    /// Processor time that they used, all together.
    pub used: Duration,
    /// How often they had used up their time.
    pub throttling: Throttling,
    /// How long they were throttled then, summed over the processors that they ran on.
    pub throttled_for: Duration,
}

impl Sub for ProcessorCount {
    type Output = Self;

    /// What was added since `earlier`.
    fn sub(self, earlier: Self) -> Self {
        let (now, then) = (self.throttling, earlier.throttling);
        Self {
            used: self.used.saturating_sub(earlier.used),
            throttling: Throttling {
                periods: now.periods.saturating_sub(then.periods),
                throttled: now.throttled.saturating_sub(then.throttled),
            },
            throttled_for: self.throttled_for.saturating_sub(earlier.throttled_for),
        }
    }
}

/// The processors that the virtual machines of a load shared, in the measured phase.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FleetProcessors {
    /// How many there were.
    pub count: f64,
    /// Share of their time that was used. A little above 1 is possible: the kernel keeps to the
    /// limit from period to period, and the phase does not begin with one.
    pub busy: f64,
    /// Periods in which the virtual machines ran, and in which they had used up their time and were
    /// throttled.
    pub throttling: Throttling,
    /// How long they were throttled, in seconds, summed over the host's processors that they ran on.
    pub throttled_seconds: f64,
    /// Length of a period.
    pub period: Duration,
}

/// Those of several machines that share a load.
impl AddAssign for FleetProcessors {
    fn add_assign(&mut self, other: Self) {
        let count = self.count + other.count;
        if count > 0.0 {
            self.busy = (self.busy * self.count + other.busy * other.count) / count;
        }
        self.count = count;
        self.throttling.periods += other.throttling.periods;
        self.throttling.throttled += other.throttling.throttled;
        self.throttled_seconds += other.throttled_seconds;
        self.period = self.period.max(other.period);
    }
}

impl FleetProcessors {
    /// What so many processors did in that time.
    pub fn from_count(
        count: f64,
        did: ProcessorCount,
        elapsed: Duration,
        period: Duration,
    ) -> Self {
        let available = elapsed.as_secs_f64() * count;
        let busy = if available > 0.0 { did.used.as_secs_f64() / available } else { 0.0 };
        let throttled_seconds = did.throttled_for.as_secs_f64();
        Self { count, busy, throttling: did.throttling, throttled_seconds, period }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn virtual_machines_share_what_the_ratio_leaves() {
        let processors = |vms, vcpus, ratio| Oversubscription { vcpus, ratio }.processors(vms);
        assert_eq!(processors(8, 1, 4.0), 2.0);
        assert_eq!(processors(50, 4, 4.0), 50.0);
        assert_eq!(processors(3, 1, 1.5), 2.0);
    }

    #[test]
    fn what_a_quotient_has_too_much_in_binary_takes_no_processor_more() {
        // 15.000000000000002 and 15.
        let shared = Oversubscription { vcpus: 1, ratio: 1.4 };
        assert!(shared.processors(21) > 15.0 && shared.fits(21, 15) && !shared.fits(22, 15));
        assert_eq!((shared.whole_processors(21), shared.whole_processors(22)), (15, 16));
        assert_eq!((shared.max_vms(15), shared.max_vms(0)), (21, 0));
        for (vms, vcpus, there) in [(11, 1, 10), (21, 1, 15), (5, 4, 3), (7, 3, 2), (1, 8, 7)] {
            let ratio = Oversubscription { vcpus, ratio: 1.0 }.min_ratio(vms, there);
            assert!(Oversubscription { vcpus, ratio }.fits(vms, there), "{ratio}");
            let less = Oversubscription { vcpus, ratio: ratio - 0.01 };
            assert!(!less.fits(vms, there), "{ratio} is not the least");
            assert!(less.max_vms(there) < vms, "{ratio}");
        }
    }

    #[test]
    fn processors_of_several_machines_are_as_busy_as_all_of_them_together() {
        let of = |count, busy| FleetProcessors {
            count,
            busy,
            throttling: Throttling { periods: 10, throttled: 2 },
            throttled_seconds: 0.5,
            period: Duration::from_millis(100),
        };
        let mut all = of(1.0, 0.9);
        all += of(3.0, 0.1);
        assert!((all.busy - 0.3).abs() < 1e-12 && all.count == 4.0, "{all:?}");
        assert_eq!(all.throttling, Throttling { periods: 20, throttled: 4 });
        assert_eq!(all.throttled_seconds, 1.0);
    }

    #[test]
    fn a_share_is_of_all_processors_of_the_fleet() {
        let count = |used, periods, throttled| ProcessorCount {
            used: Duration::from_millis(used),
            throttling: Throttling { periods, throttled },
            throttled_for: Duration::from_millis(used / 2),
        };
        let did = count(1_700, 30, 9) - count(500, 10, 1);
        let second = Duration::from_secs(1);
        let found = FleetProcessors::from_count(1.5, did, second, second / 10);
        assert!((found.busy - 0.8).abs() < 1e-12 && (found.throttled_seconds - 0.6).abs() < 1e-12);
        assert_eq!(found.throttling, Throttling { periods: 20, throttled: 8 });
        assert_eq!(FleetProcessors::from_count(1.0, did, Duration::ZERO, second).busy, 0.0);
    }
}
