use super::{Group, Words};
use crate::numbers;
use crate::words::storage::load;
use analyse::SustainedRate;
use model::UnitName;

impl Words for SustainedRate {
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
