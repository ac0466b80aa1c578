//! Figures of all directions of a group of jobs.

use super::direction::Direction;
use crate::figures::Figures;
use crate::json::Json;
use model::FigureNumber;

/// Writes the operations per second of all directions, how long it took, and what the jobs used.
pub(super) fn figures(directions: &[Direction<'_>], jobs: &[Json<'_>], figures: &mut Figures) {
    let mut all = FigureNumber { value: 0.0, resolution: 0.0 };
    for iops in directions.iter().filter_map(|direction| direction.sum("iops")) {
        all.value += iops.value;
        all.resolution += iops.resolution;
    }
    let note = if directions.len() > 1 { "all directions together" } else { "" };
    figures.noted("iops", all, "1/s", note, 0);
    let runtimes = directions.iter().filter_map(Direction::runtime_ms);
    if let Some(longest) = runtimes.max_by(|a, b| a.value.total_cmp(&b.value)) {
        figures.number("elapsed", longest, "ms", 0);
    }
    for (name, metric) in [("usr_cpu", "cpu_user"), ("sys_cpu", "cpu_system")] {
        if let [job] = jobs
            && let Some(share) = job.at(&[name]).and_then(Json::number)
        {
            figures.number(metric, share, "%", 0);
        }
    }
}
