//! Results of jobs as fio prints them, as text or in lines of fields.

use crate::figures::{self, Figures, percentile, reckoned};
use crate::{Aspect, ImportedTrial, Knob, Source};
use model::{Failure, FailureKind, FigureNumber, Level, Outcome, TrialEnd};
use std::collections::HashMap;

/// A time with its unit.
pub(super) type Time = (FigureNumber, &'static str);

/// Reads, writes or trims of one job, or of the jobs of a group.
#[derive(Clone, Debug, Default)]
pub(super) struct Direction {
    pub(super) name: String,
    pub(super) line: u32,
    /// As printed, rounded to three digits in the text.
    pub(super) iops: Option<FigureNumber>,
    /// Bytes per second.
    pub(super) bandwidth: Option<FigureNumber>,
    /// How many operations were completed.
    pub(super) ios: Option<u64>,
    pub(super) runtime_ms: Option<FigureNumber>,
    /// From submission to completion, or else of completion.
    pub(super) mean: Option<Time>,
    pub(super) deviation: Option<Time>,
    pub(super) least: Option<Time>,
    pub(super) largest: Option<Time>,
    pub(super) percentiles: Vec<(f64, Time)>,
}

impl Direction {
    /// Operations per second: what was counted says more than what is printed.
    fn iops(&self) -> Option<FigureNumber> {
        let counted = || {
            let (ios, ms) = (self.ios.filter(|ios| *ios > 0)? as f64, self.runtime_ms?);
            let rate = 1000.0 * ios / ms.value;
            let exact = reckoned(rate, rate * ms.resolution / ms.value);
            // Of what was issued some may have been dropped.
            let printed = self.iops?;
            let near = (exact.value - printed.value).abs() <= printed.resolution + exact.resolution;
            (ms.value > 0.0 && near && exact.resolution < printed.resolution).then_some(exact)
        };
        counted().or(self.iops)
    }

    fn did_nothing(&self) -> bool {
        self.ios == Some(0) || self.iops.is_none_or(|iops| iops.value == 0.0)
    }

    fn figures(&self, prefix: &str, figures: &mut Figures) {
        let rates = [("iops", self.iops(), "1/s"), ("bandwidth", self.bandwidth, "B/s")];
        for (name, value, unit) in rates {
            if let Some(value) = value {
                figures.number(&format!("{prefix}{name}"), value, unit, self.line);
            }
        }
        if let Some(ios) = self.ios {
            let ios = FigureNumber { value: ios as f64, resolution: 0.0 };
            figures.number(&format!("{prefix}total_ios"), ios, "", self.line);
        }
        let moments = [
            ("avg", self.mean),
            ("stddev", self.deviation),
            ("min", self.least),
            ("max", self.largest),
        ];
        for (name, time) in moments {
            if let Some((value, unit)) = time {
                figures.number(&format!("{prefix}latency_{name}"), value, unit, self.line);
            }
        }
        for (rank, (value, unit)) in &self.percentiles {
            let metric = format!("{prefix}{}", percentile(*rank));
            figures.noted(&metric, *value, unit, "of completion", self.line);
        }
    }
}

/// What is printed of a job, or of the jobs of a group together.
#[derive(Clone, Debug, Default)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) group: u32,
    /// Tells snapshots of one run from several runs; empty where it is not printed.
    pub(super) process: String,
    pub(super) version: String,
    pub(super) jobs: u32,
    /// Operations that each job keeps outstanding; 0 where that is not printed.
    pub(super) depth: u32,
    pub(super) block: Option<u64>,
    pub(super) load: Vec<(Aspect, String)>,
    pub(super) error: Option<String>,
    pub(super) directions: Vec<Direction>,
}

/// Trials of all entries: those of one name and group ran together. Of snapshots of one run
/// (`--status-interval`) the last counts.
pub(super) fn trials(source: &Source<'_>, entries: Vec<Entry>) -> Vec<ImportedTrial> {
    let mut runs: Vec<Vec<Entry>> = Vec::new();
    let mut places: HashMap<(u32, String), usize> = HashMap::new();
    // Snapshots of one run, by the processes that print them.
    let mut snapshots: HashMap<(usize, String), usize> = HashMap::new();
    for entry in entries {
        let next = runs.len();
        let at = *places.entry((entry.group, entry.name.clone())).or_insert(next);
        if at == next {
            runs.push(Vec::new());
        }
        let known = match entry.process.is_empty() {
            true => None,
            false => snapshots.insert((at, entry.process.clone()), runs[at].len()),
        };
        match known {
            Some(known) => {
                snapshots.insert((at, entry.process.clone()), known);
                runs[at][known] = entry;
            }
            None => runs[at].push(entry),
        }
    }
    let alone = runs.iter().all(|run| run[0].name == runs[0][0].name);
    runs.iter().map(|run| trial(source, run, alone)).collect()
}

fn trial(source: &Source<'_>, run: &[Entry], alone: bool) -> ImportedTrial {
    let first = &run[0];
    let depth = run.iter().map(|entry| entry.jobs.saturating_mul(entry.depth)).sum();
    let error = run.iter().find_map(|entry| entry.error.as_deref());
    let idle = run.iter().all(|entry| entry.directions.iter().all(Direction::did_nothing));
    let name = &first.name;
    let reason = match error {
        Some(error) => Some(format!("fio's job {name} ended with error {error}")),
        None => idle.then(|| format!("fio's job {name} did no I/O")),
    };
    let end = match reason {
        Some(reason) => TrialEnd::Failed(Failure::new(FailureKind::Other, reason, "")),
        None => {
            let (tool, figures) = (format!("fio {}", first.version), figures(run));
            let outcome = Outcome::printed(source.file, tool.trim_end(), figures.0);
            TrialEnd::Completed(Box::new(outcome))
        }
    };
    let level = if depth > 0 { Level::queue_depth(depth) } else { Level::NONE };
    let mut trial = figures::trial(source, "fio", level, end);
    if !alone {
        trial.part.clone_from(name);
    }
    trial.said.extend(first.block.map(|block| (Knob::BlockSize, block)));
    if first.depth > 0 {
        trial.said.push((Knob::Depth, u64::from(first.depth)));
        trial.said.push((Knob::Jobs, run.iter().map(|entry| u64::from(entry.jobs)).sum()));
    }
    trial.load.clone_from(&first.load);
    trial
}

fn figures(run: &[Entry]) -> Figures {
    let mut figures = Figures::default();
    let directions: Vec<Direction> = ["read", "write", "trim", "mixed"]
        .into_iter()
        .filter_map(|name| {
            let of = run.iter().flat_map(|entry| &entry.directions);
            let parts: Vec<&Direction> =
                of.filter(|one| one.name == name && !one.did_nothing()).collect();
            together(&parts)
        })
        .collect();
    let all: Vec<&Direction> = directions.iter().collect();
    let runtime = all.iter().filter_map(|one| one.runtime_ms);
    if let Some(ms) = runtime.max_by(|a, b| a.value.total_cmp(&b.value)) {
        figures.number("elapsed", ms, "ms", all.first().map_or(0, |one| one.line));
    }
    match &directions[..] {
        [only] => only.figures("", &mut figures),
        several => {
            if let Some(all) = together(&all) {
                all.figures("", &mut figures);
            }
            several.iter().for_each(|one| one.figures(&format!("{}_", one.name), &mut figures));
        }
    }
    figures
}

/// What several parts make together: sums, means by the number of operations, and no percentiles.
fn together(parts: &[&Direction]) -> Option<Direction> {
    let first = *parts.first()?;
    if parts.len() == 1 {
        return Some(first.clone());
    }
    let sum = |of: &dyn Fn(&Direction) -> Option<FigureNumber>| {
        parts.iter().map(|part| of(part)).try_fold(
            FigureNumber { value: 0.0, resolution: 0.0 },
            |sum, own| {
                let own = own?;
                let (value, resolution) = (sum.value + own.value, sum.resolution + own.resolution);
                Some(FigureNumber { value, resolution })
            },
        )
    };
    let extreme = |of: fn(&Direction) -> Option<Time>, largest: bool| {
        let times: Option<Vec<Time>> = parts.iter().map(|part| of(part)).collect();
        let by_length = |a: &Time, b: &Time| nanoseconds(a).value.total_cmp(&nanoseconds(b).value);
        let times = times?.into_iter();
        if largest { times.max_by(by_length) } else { times.min_by(by_length) }
    };
    Some(Direction {
        name: first.name.clone(),
        line: first.line,
        iops: sum(&Direction::iops).map(|all| reckoned(all.value, all.resolution)),
        bandwidth: sum(&|part| part.bandwidth),
        ios: parts.iter().map(|part| part.ios).sum(),
        // The rate is a sum, and not to be taken from the counts again.
        runtime_ms: parts
            .iter()
            .filter_map(|part| part.runtime_ms)
            .max_by(|a, b| a.value.total_cmp(&b.value)),
        mean: mean(parts),
        deviation: None,
        least: extreme(|part| part.least, false),
        largest: extreme(|part| part.largest, true),
        percentiles: Vec::new(),
    })
}

fn mean(parts: &[&Direction]) -> Option<Time> {
    let (mut sum, mut resolution, mut all) = (0.0, 0.0, 0.0);
    for part in parts {
        let (own, count) = (nanoseconds(&part.mean?), part.ios? as f64);
        sum += own.value * count;
        resolution += own.resolution * count;
        all += count;
    }
    (all > 0.0).then(|| (reckoned(sum / all, resolution / all), "ns"))
}

fn nanoseconds((time, unit): &Time) -> FigureNumber {
    let factor = match *unit {
        "ns" => 1.0,
        "us" => 1e3,
        _ => 1e6,
    };
    FigureNumber { value: time.value * factor, resolution: time.resolution * factor }
}
