//! The processors that virtual machines share.

use crate::FleetCell;
use crate::cell::CellData;
use findings::{Finding, Subject, VmProcessors};
use model::{FleetProcessors, Storage};
use stats::{Estimate, Sample};

/// Of one cell; `None` where its virtual machines were limited to none, or no trial counts.
pub(crate) fn of_cell(storage: &Storage, cell: &CellData, confidence: f64) -> Option<VmProcessors> {
    let asked = storage.oversubscription?;
    let found: Vec<(FleetProcessors, f64)> = cell
        .usable_records()
        .filter_map(|(record, _)| {
            let load = record.load()?;
            let seconds = load.measure.elapsed.as_secs_f64();
            Some((load.fleet.as_ref()?.processors?, seconds))
        })
        .filter(|(_, seconds)| *seconds > 0.0)
        .collect();
    let estimate = |of: fn(&(FleetProcessors, f64)) -> f64| {
        let sample = Sample::new(found.iter().map(of).collect()).ok()?;
        Some(Estimate::of_median(&sample, confidence))
    };
    // No share is more than all, whatever the scatter of a few repeats would allow.
    let share =
        |of| estimate(of).map(|share: Estimate| share.map(|end| end.min(share.point.max(1.0))));
    Some(VmProcessors {
        vms: storage.vms,
        asked,
        count: found.first()?.0.count,
        busy: share(|(processors, _)| processors.busy)?,
        throttled: share(|(processors, _)| processors.throttling.share())?,
        throttled_per_second: estimate(|(processors, seconds)| {
            processors.throttled_seconds / seconds
        })?,
        period: found.first()?.0.period,
    })
}

/// One for each cell whose virtual machines were limited to processors.
pub(crate) fn findings(test: &str, fleets: &[FleetCell]) -> Vec<Finding> {
    let of_cell = |cell: &FleetCell| {
        let subject = Subject::test(test).on(&cell.target).at(cell.level);
        Some(Finding::new(subject, cell.processors?))
    };
    fleets.iter().filter_map(of_cell).collect()
}
