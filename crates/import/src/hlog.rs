//! HdrHistogram's interval logs.

use crate::figures::{self, Figures, problem};
use crate::{Format, Parsed, Problem, Source};
use model::{
    EncodedLatencies, FigureNumber, LatencyLogLine, Level, Outcome, TrialEnd, UnitlessLatencies,
    UnixMillis,
};
use std::collections::BTreeMap;

/// HdrHistogram logs (`.hlog`): one trial, or one for each tag.
///
/// Such logs do not say the unit of their values. They give each interval's largest value as a
/// number beside the histogram, by convention in milliseconds; what that makes of the histogram's
/// unit (nanoseconds, microseconds, milliseconds) is taken.
#[derive(Clone, Copy, Debug)]
pub struct Hlog;

/// Units of values, in nanoseconds.
const UNITS: [u64; 3] = [1, 1_000, 1_000_000];
/// By how much the largest value as printed may differ from the histogram's: its grain is mostly
/// of two or three digits.
const RESOLUTION: f64 = 0.02;

impl Format for Hlog {
    fn name(&self) -> &'static str {
        "hlog"
    }

    fn description(&self) -> &'static str {
        "HdrHistogram logs of intervals"
    }

    fn recognises(&self, text: &str) -> bool {
        let marks = ["#[Histogram log format version", "\"StartTimestamp\""];
        let marked = |line: &str| marks.iter().any(|mark| line.starts_with(mark));
        text.lines().take_while(|line| line.starts_with(['#', '"'])).any(marked)
    }

    fn parse(&self, source: Source<'_>) -> Parsed {
        let mut parsed = Parsed::default();
        let log = Log::read(&source, &mut parsed.problems);
        let alone = log.tags.len() == 1;
        for (tag, tagged) in log.tags {
            let Some(nanos) = tagged.unit() else {
                let message = "the unit of the values cannot be told from the largest ones";
                parsed.problems.push(problem(&source, tagged.line, message));
                continue;
            };
            let start = log.start.map(|seconds| UnixMillis((seconds * 1e3) as u64));
            let end = TrialEnd::Completed(Box::new(tagged.outcome(&source, nanos)));
            let mut trial = figures::trial(&source, "hlog", Level::NONE, end);
            if !alone {
                trial.part = tag;
            }
            trial.started_at = start;
            parsed.trials.push(trial);
        }
        parsed
    }
}

#[derive(Default)]
struct Log {
    start: Option<f64>,
    tags: BTreeMap<String, Tagged>,
}

impl Log {
    fn read(source: &Source<'_>, problems: &mut Vec<Problem>) -> Self {
        let mut log = Self::default();
        for (number, line) in source.lines() {
            match LatencyLogLine::parse(line) {
                Ok(LatencyLogLine::StartTime(seconds)) => log.start = Some(seconds),
                Ok(LatencyLogLine::BaseTime(_) | LatencyLogLine::Nothing) => {}
                Ok(LatencyLogLine::Interval { tag, length_seconds, max, latencies, .. }) => {
                    let tagged = log.tags.entry(tag).or_default();
                    tagged.line = number;
                    tagged.seconds += length_seconds;
                    let bytes =
                        tagged.sum.new_values(&latencies) * UnitlessLatencies::BYTES_OF_VALUE;
                    if source.budget.charge(bytes).is_err() {
                        break;
                    }
                    tagged.add(max, &latencies);
                }
                Err(error) => problems.push(problem(source, number, error.to_string())),
            }
        }
        log
    }
}

/// What has one tag.
#[derive(Default)]
struct Tagged {
    /// The last line of it.
    line: u32,
    /// The lengths of all intervals.
    seconds: f64,
    /// How many there are.
    intervals: usize,
    /// The largest value as printed, and what its histogram says of it.
    largest: Option<(f64, u64)>,
    sum: UnitlessLatencies,
}

impl Tagged {
    fn add(&mut self, printed: f64, latencies: &EncodedLatencies) {
        self.intervals += 1;
        // The interval with the longest latencies is printed with the most digits.
        if self.largest.is_none_or(|(most, _)| printed.total_cmp(&most).is_ge()) {
            self.largest = Some((printed, latencies.largest()));
        }
        self.sum.add(latencies);
    }

    /// What makes the largest values as printed milliseconds, in nanoseconds.
    fn unit(&self) -> Option<u64> {
        let (printed, largest) = self.largest.filter(|(printed, _)| *printed > 0.0)?;
        let matches = |nanos: &u64| {
            let ms = largest as f64 * *nanos as f64 / 1e6;
            (ms / printed - 1.0).abs() <= RESOLUTION
        };
        UNITS.into_iter().find(matches)
    }

    fn outcome(self, source: &Source<'_>, nanos: u64) -> Outcome {
        let latencies = self.sum.in_units_of(nanos);
        let mut figures = Figures::default();
        let count = latencies.count() as f64;
        figures.number("operations", FigureNumber { value: count, resolution: 0.0 }, "", 0);
        if self.seconds > 0.0 {
            // Lengths of intervals are printed in milliseconds.
            let error = 0.001 * self.intervals as f64;
            let elapsed = FigureNumber { value: self.seconds, resolution: error };
            figures.number("elapsed", elapsed, "s", 0);
            let value = count / self.seconds;
            let rate = FigureNumber { value, resolution: value * error / self.seconds };
            figures.number("operations_per_s", rate, "1/s", 0);
        }
        figures.distribution(&latencies);
        let printed = Outcome::printed(source.file, "", figures.0);
        Outcome { latencies: Some(latencies), ..printed }
    }
}
