//! Figures of all directions of a group of jobs.

use super::direction::{self, Direction};
use crate::figures::Figures;
use crate::json::Json;
use model::FigureNumber;

/// Writes how often the jobs had their writes made durable, and how long that took.
fn syncs(jobs: &[Json<'_>], figures: &mut Figures) {
    let parts = jobs.iter().filter_map(|job| job.at(&["sync"]));
    let count = |part: &Json<'_>| {
        let counted = part.at(&["total_ios"]).or_else(|| part.at(&["lat_ns", "N"]))?;
        counted.whole().filter(|count| *count > 0)
    };
    let parts: Vec<Json<'_>> = parts.filter(|part| count(part).is_some()).collect();
    if parts.is_empty() {
        return;
    }
    let all = parts.iter().filter_map(count).fold(0_u64, u64::saturating_add);
    figures.number("fsyncs", FigureNumber { value: all as f64, resolution: 0.0 }, "", 0);
    direction::moments(parts.iter().copied(), "fsync_", figures);
    if let [part] = parts[..] {
        direction::percentiles(part, "fsync_", figures);
    }
}

/// Writes the operations per second of all directions, how long it took, and what the jobs used.
pub(super) fn figures(directions: &[Direction<'_>], jobs: &[Json<'_>], figures: &mut Figures) {
    let mut all = FigureNumber { value: 0.0, resolution: 0.0 };
    for iops in directions.iter().filter_map(|direction| direction.sum("iops")) {
        all.value += iops.value;
        all.resolution += iops.resolution;
    }
    let note = if directions.len() > 1 { "all directions together" } else { "" };
    figures.noted("iops", all, "1/s", note, 0);
    syncs(jobs, figures);
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
