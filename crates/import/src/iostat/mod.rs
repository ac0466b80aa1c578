//! Logs of `iostat -x`.

mod columns;
mod json;
mod report;

use crate::figures::problem;
use crate::{CompanionContent, CompanionFile, Format, Parsed, Source};
use model::Sample;
use report::{Report, reports};
use std::time::Duration;

/// What `iostat -x` prints at intervals, with the columns of sysstat 9 to 12, with dates (`-t`) or
/// without, with processors or without (`-d`).
///
/// The first report after iostat's own heading is of the time since boot and left out. Reports
/// without dates count as one a second.
#[derive(Clone, Copy, Debug)]
pub struct Iostat;

/// How long a report covers where that is not said.
const UNDATED_SECONDS: f64 = 1.0;
/// A day, at whose end the time of day starts again.
const DAY_SECONDS: f64 = 86_400.0;

impl Format for Iostat {
    fn name(&self) -> &'static str {
        "iostat"
    }

    fn description(&self) -> &'static str {
        "logs of iostat -x, as text or JSON, next to results"
    }

    fn recognises(&self, text: &str) -> bool {
        json::recognises(text)
            || text.lines().any(|line| line.starts_with("Device") && line.contains("%util"))
    }

    fn parse(&self, source: Source<'_>) -> Parsed {
        let mut parsed = Parsed::default();
        let reports = match json::recognises(source.text) {
            true => json::reports(&source, &mut parsed.problems),
            false => reports(&source, &mut parsed.problems),
        };
        let Some(first) = reports.first() else {
            parsed.problems.push(problem(&source, 0, "no report of disks can be read"));
            return parsed;
        };
        let line = first.line;
        let samples = samples(&reports);
        if samples.is_empty() {
            let message = "iostat's only report is of the time since boot, not of a load; run it with an interval, as \
                           in iostat -x -t 1";
            parsed.problems.push(problem(&source, line, message));
        } else {
            let file = source.file.to_owned();
            parsed.beside.push(CompanionFile {
                file,
                line,
                says: CompanionContent::Samples(samples),
            });
        }
        parsed
    }
}

/// The reports of intervals as samples, counted from the moment that the first one is about.
fn samples(reports: &[Report]) -> Vec<Sample> {
    let lengths: Vec<Option<f64>> = std::iter::once(None)
        .chain(reports.windows(2).map(|pair| match (pair[0].time_of_day, pair[1].time_of_day) {
            (Some(earlier), Some(later)) => Some((later - earlier).rem_euclid(DAY_SECONDS)),
            _ => None,
        }))
        .collect();
    let usual = lengths.iter().flatten().next().copied().unwrap_or(UNDATED_SECONDS);
    let mut at_seconds = 0.0;
    let mut samples = Vec::new();
    for (report, length) in reports.iter().zip(lengths).filter(|(report, _)| !report.since_boot) {
        let length = length.unwrap_or(usual);
        at_seconds += length;
        samples.push(Sample {
            at_seconds,
            length: Duration::try_from_secs_f64(length).unwrap_or_default(),
            cpu: report.cpu,
            disks: report.disks.clone(),
            ..Sample::default()
        });
    }
    samples
}
