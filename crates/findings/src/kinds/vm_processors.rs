use model::Oversubscription;
use serde::Serialize;
use std::time::Duration;
use crate::kind::{FindingKind, Group};
use crate::numbers;
use crate::processors::{processors, to_each};
use stats::Estimate;

/// What the trials of a cell say of the processors that their virtual machines were limited to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct VmProcessors {
    pub vms: u32,
    /// What was asked for.
    #[serde(flatten)]
    pub asked: Oversubscription,
    /// Processors of all virtual machines together.
    pub count: f64,
    /// Share of their time that was used in the measured phase: 0 to 1, or a little more.
    pub busy: Estimate,
    /// Share of the periods in which the virtual machines ran and in which they had used up their
    /// time and were throttled: 0 to 1.
    pub throttled: Estimate,
    /// How long they were throttled in each second, in seconds, summed over the processors that they
    /// ran on.
    pub throttled_per_second: Estimate,
    /// Length of a period.
    pub period: Duration,
}

impl FindingKind for VmProcessors {
    const HEADING: &'static str = "Processors of virtual machines";

    fn is_like(&self, other: &Self) -> bool {
        (self.vms, self.asked, self.period) == (other.vms, other.asked, other.period)
    }

    fn say(found: &Group<'_, Self>) -> String {
        let first = found.first;
        let of = |figure: fn(&Self) -> &Estimate| match found.is_one() {
            true => share(figure(first)),
            false => numbers::percents(found.range(|processors| figure(processors).point)),
        };
        let count = processors(first.count);
        let (whose, were) = match first.vms {
            1 => (format!("the virtual machine had {count}"), "was"),
            vms => {
                let vms = numbers::count(vms.into());
                (format!("the {vms} virtual machines shared {count}"), "were")
            }
        };
        let throttled = if found.most(|processors| processors.throttled.point) == 0.0 {
            "never throttled".to_owned()
        } else {
            let period = numbers::duration(first.period);
            format!("throttled in {} of the periods of {period}", of(|p| &p.throttled))
        };
        format!(
            "{whose} ({}), used {} of their time, and {were} {throttled}",
            to_each(first.asked),
            of(|p| &p.busy),
        )
    }
}

/// A share with its interval, in percent.
fn share(share: &Estimate) -> String {
    let percent = share.map(|share| share * 100.0);
    match percent.interval {
        // A share of nothing in every repeat has none.
        None if share.n > 1 => numbers::percent(share.point),
        _ => numbers::estimate(&percent, "%"),
    }
}
