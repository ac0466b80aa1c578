//! What is said beside the figures of disks.

use super::volume::limited;
use crate::{numbers, view};
use analyse::{Analysis, TestAnalysis};
use findings::capitalised;
use findings::names::target_name;

/// What stands over the figures of disks.
pub(crate) fn disks_heading(test: &TestAnalysis) -> &'static str {
    if test.fleets.is_empty() { "Disks of the servers" } else { "Disks of the volumes" }
}

/// What the figures of volumes are of, below their table: which disks, and what an IO is.
pub(crate) fn volumes(analysis: &Analysis, test: &TestAnalysis) -> String {
    let mut volumes: Vec<(&str, Vec<&str>)> = Vec::new();
    for cell in &test.cells {
        let Some(volume) = &cell.volume else { continue };
        let disks = volume.together.device.as_str();
        match volumes.iter_mut().find(|(known, _)| *known == disks) {
            Some((_, targets)) if targets.contains(&cell.target.as_str()) => {}
            Some((_, targets)) => targets.push(&cell.target),
            None => volumes.push((disks, vec![&cell.target])),
        }
    }
    let place = |(disks, targets): &(&str, Vec<&str>)| {
        let names: Vec<String> = targets.iter().map(|target| target_name(target)).collect();
        let disks: Vec<&str> = disks.split(", ").collect();
        format!("{} on {}", numbers::list(&names), numbers::list(&disks))
    };
    let places: Vec<String> = volumes.iter().map(place).collect();
    let mut text = format!(
        "The data of {}. Figures of iostat over the measured phase: medians over the repeats that \
         count, with their intervals. They include whatever else used these disks. An IO is a read \
         or a write that a disk completed. {} per IO are throughput ÷ IOs; the merge factor \
         counts what was asked for before the queue merged it, for each IO.",
        places.join("; "),
        capitalised(view::counted(test).many),
    );
    let limited = limited(&analysis.dataset.study);
    if !limited.is_empty() {
        let names: Vec<String> = limited.into_iter().map(target_name).collect();
        text += &format!(
            " Requests that wait for the limits of a volume ({}) are not in a queue yet: the times \
             of requests, aqu-sz and %util do not include that wait, the latencies of {} do.",
            numbers::list(&names),
            view::counted(test),
        );
    }
    text
}
