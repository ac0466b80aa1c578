use stats::Estimate;
use serde::Serialize;
use std::time::Duration;
use crate::kind::{FindingKind, Group};
use crate::numbers;
use crate::storage::load;
use model::{UnitName, Storage, Bound};

/// A rate that a volume sustains, with its conditions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SustainedRate {
    /// The bound that was met.
    #[serde(flatten)]
    pub bound: Bound,
    /// Reads and writes per second: the lower end of the interval, or the lowest rate that met the
    /// bound in any repeat, whichever is lower.
    pub rate: f64,
    /// The highest rate as measured.
    pub measured: Estimate,
    /// What was read and written.
    pub load: Storage,
    /// Reads and writes that each virtual machine could have in flight.
    pub queue_depth: u32,
    /// How long each step measured, at the least.
    pub step: Duration,
    /// In how many repeats.
    pub repeats: usize,
}

impl FindingKind for SustainedRate {
    const HEADING: &'static str = "Sustained rates";

    fn say(found: &Group<'_, Self>) -> String {
        let Self { bound, rate, measured, load: storage, queue_depth, step, repeats } = found.first;
        let interval = match measured.interval {
            Some(interval) if interval.low <= *rate => {
                format!(", the lower end of {}", numbers::estimate(measured, "IOs/s"))
            }
            Some(_) => format!(
                ", the lowest rate of any repeat; that of all is {}",
                numbers::estimate(measured, "IOs/s")
            ),
            None => ", the lowest rate of any repeat".to_owned(),
        };
        format!(
            "sustains up to {} {}/s with {bound}{interval}; measured for {}, at a \
             queue depth of up to {queue_depth} on each, in steps of {}, in {}",
            numbers::count(rate.floor() as u64),
            UnitName::IO,
            load(storage),
            numbers::duration(*step),
            numbers::counted(*repeats, "repeat"),
        )
    }
}
