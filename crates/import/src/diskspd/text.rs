//! What DiskSpd prints as text.

use super::{Counted, Pattern, Run, date, rank};
use crate::figures::{problem, with_unit};
use crate::{Problem, Source, printed_number};

const SPAN: &str = "Results for timespan ";
const TABLE: &str = "thread |";
const PERCENTILES: &str = "%-ile |";
const ACTUAL: &str = "actual test time:";

pub(super) fn recognises(text: &str) -> bool {
    text.contains(SPAN)
        && text.lines().any(|line| line.starts_with(TABLE) || line.starts_with(ACTUAL))
}

/// What the lines that follow are of.
#[derive(Clone, Copy, PartialEq)]
enum Section {
    None,
    /// The input parameters of a time span, by its number from 0.
    TimeSpanSettings(usize),
    /// Operations: all, reads, writes.
    Operations(usize),
    /// A table of percentiles.
    Percentiles,
    /// The totals of several time spans.
    Totals,
}

pub(super) fn runs(source: &Source<'_>, problems: &mut Vec<Problem>) -> Vec<Run> {
    let (mut all, mut reading) = (Vec::new(), Reading::default());
    for (number, line) in source.lines() {
        // A file may hold several runs, each with its parameters.
        if line.starts_with("Command Line:")
            || line.starts_with("Input parameters:") && !reading.runs.is_empty()
        {
            all.append(&mut std::mem::take(&mut reading).runs());
        }
        if reading.take(number, line).is_none() {
            problems.push(problem(source, number, format!("not understood: «{}»", line.trim())));
        }
    }
    all.append(&mut reading.runs());
    all
}

/// What one time span was told: patterns of its files, and what all of them share.
type TimeSpanSettings = (Vec<Pattern>, Option<(u32, u32)>);

struct Reading {
    section: Section,
    runs: Vec<Run>,
    /// What was told of each time span.
    told: Vec<TimeSpanSettings>,
    threads: Option<u32>,
    started_at: Option<model::UnixMillis>,
    /// What the columns of a table are, in lower case.
    columns: Vec<String>,
}

impl Default for Reading {
    fn default() -> Self {
        Self {
            section: Section::None,
            runs: Vec::new(),
            told: Vec::new(),
            threads: None,
            started_at: None,
            columns: Vec::new(),
        }
    }
}

impl Reading {
    fn runs(self) -> Vec<Run> {
        let (started_at, mut told) = (self.started_at, self.told.into_iter());
        let with = |(at, run): (usize, Run)| {
            let (patterns, shared) = told.next().unwrap_or_default();
            Run { patterns, shared, started_at: started_at.filter(|_| at == 0), ..run }
        };
        self.runs.into_iter().enumerate().map(with).collect()
    }

    /// `None` when a line of a result is not understood; other lines are passed over.
    fn take(&mut self, number: u32, line: &str) -> Option<()> {
        let trimmed = line.trim();
        if line.starts_with(SPAN) {
            self.runs.push(Run { line: number, ..Run::default() });
            self.section = Section::None;
        } else if let Some(rest) = trimmed.strip_prefix("timespan:") {
            let number: usize = rest.trim().parse().ok()?;
            self.section = Section::TimeSpanSettings(number.saturating_sub(1));
            self.told.push(Default::default());
            self.threads = None;
        } else if let Some(at) = trimmed.strip_prefix("start time:") {
            self.started_at = date(at);
        } else if let Some(seconds) = line.strip_prefix(ACTUAL) {
            let seconds = printed_number(seconds.trim().strip_suffix('s')?)?;
            self.runs.last_mut()?.seconds = Some(seconds);
        } else if let Some(at) =
            ["Total IO", "Read IO", "Write IO"].iter().position(|name| *name == trimmed)
        {
            self.section = Section::Operations(at);
        } else if trimmed == "Totals:" {
            self.section = Section::Totals;
        } else if trimmed.starts_with(PERCENTILES) {
            self.section = Section::Percentiles;
            // Of several tables, one for each file and one for all, the last counts.
            if let Some(run) = self.runs.last_mut() {
                run.latencies.iter_mut().for_each(|own| own.retain(|(name, _)| is_moment(name)));
            }
        } else if let Some(rest) = trimmed.strip_prefix("avg.|") {
            let usage = rest.split('|').next()?.trim().strip_suffix('%')?;
            if let Some(run) = self.runs.last_mut() {
                run.cpu = printed_number(usage);
            }
        } else {
            return match self.section {
                Section::TimeSpanSettings(_) => {
                    self.told(trimmed);
                    Some(())
                }
                Section::Operations(at) => self.operations(at, trimmed),
                Section::Percentiles => self.percentile(trimmed),
                Section::None | Section::Totals => Some(()),
            };
        }
        Some(())
    }

    fn told(&mut self, line: &str) {
        let Some((patterns, shared)) = self.told.last_mut() else { return };
        if line.starts_with("path:") {
            patterns.push(Pattern {
                random: Some(false),
                threads: self.threads,
                ..Pattern::default()
            });
        }
        let value = |name: &str| line.strip_prefix(name).map(str::trim);
        if let Some(threads) = value("number of threads:").or_else(|| value("thread count:")) {
            self.threads = threads.parse().ok().filter(|threads| *threads > 0);
        } else if let Some(requests) = value("number of outstanding I/O requests:") {
            *shared = self.threads.zip(requests.parse().ok());
        }
        let Some(pattern) = patterns.last_mut() else { return };
        if let Some(bytes) = value("block size:") {
            let (bytes, unit) = with_unit(bytes);
            let shift = match unit {
                "" => Some(0),
                "KiB" => Some(10),
                "MiB" => Some(20),
                _ => None,
            };
            pattern.block =
                shift.and_then(|shift| bytes.parse::<u64>().ok()?.checked_mul(1 << shift));
        } else if let Some(count) = value("threads per file:") {
            pattern.threads = count.parse().ok();
        } else if let Some(count) = value("number of outstanding I/O operations:")
            .or_else(|| value("number of outstanding I/O operations per thread:"))
        {
            pattern.outstanding = count.parse().ok();
        } else if line.starts_with("using random I/O") || line.starts_with("using mixed random") {
            pattern.random = Some(true);
        } else if line.starts_with("performing read test") {
            pattern.writes = Some(0);
        } else if line.starts_with("performing write test") {
            pattern.writes = Some(100);
        } else if let Some(ratio) = value("performing mix test (read/write ratio:") {
            let writes = ratio.split_once('/').map(|(_, writes)| writes.trim_end_matches(')'));
            pattern.writes = writes.and_then(|writes| writes.parse().ok());
        }
    }

    /// A line of a table of operations, of a thread and file or of all.
    fn operations(&mut self, at: usize, line: &str) -> Option<()> {
        if line.starts_with(TABLE) {
            self.columns = line.split('|').map(|name| name.trim().to_lowercase()).collect();
            return Some(());
        }
        let run = self.runs.last_mut()?;
        let total = line.strip_prefix("total:");
        let Some(cells) = total.or_else(|| line.contains('|').then_some(line)) else {
            return Some(());
        };
        let mut cells: Vec<&str> = cells.split('|').map(str::trim).collect();
        if total.is_some() {
            cells.insert(0, "");
        }
        let columns = &self.columns;
        let cell = |name: &str| {
            let at = columns.iter().position(|column| column == name)?;
            cells.get(at).copied()
        };
        let counted = Counted {
            bytes: Some(cell("bytes")?.parse().ok()?),
            ios: Some(cell("i/os")?.parse().ok()?),
        };
        if total.is_none() {
            if at == 0 {
                let path = cell("file")?;
                let path = path.rsplit_once(" (").map_or(path, |(path, _)| path).to_owned();
                run.file(&path, counted);
            }
            return Some(());
        }
        run.counted[at] = counted;
        if counted.ios > Some(0) {
            for (name, column) in [("latency_avg", "avglat"), ("latency_stddev", "latstddev")] {
                let value = cell(column).and_then(printed_number);
                run.latencies[at].extend(value.map(|value| (name.to_owned(), value)));
            }
        }
        self.section = Section::None;
        Some(())
    }

    /// `   95th |      0.234 |        N/A |      0.234`.
    fn percentile(&mut self, line: &str) -> Option<()> {
        let run = self.runs.last_mut()?;
        let mut cells = line.split('|').map(str::trim);
        let (Some(name), [Some(read), Some(write), Some(total), None]) =
            (cells.next(), [cells.next(), cells.next(), cells.next(), cells.next()])
        else {
            return Some(());
        };
        let nines = |count: &str| Some(100.0 - 100.0 / 10_f64.powi(count.parse().ok()?));
        let value = match name {
            "min" => Some(0.0),
            "max" => Some(100.0),
            _ => match name.strip_suffix("-nines") {
                Some(count) => nines(count).map(|rank| (rank * 1e6).round() / 1e6),
                None => name.strip_suffix("th").and_then(|rank| rank.parse().ok()),
            },
        };
        let Some(metric) = rank(value?) else { return Some(()) };
        for (own, text) in run.latencies.iter_mut().zip([total, read, write]) {
            if text != "N/A" {
                own.push((metric.clone(), printed_number(text)?));
            }
        }
        Some(())
    }
}

fn is_moment(name: &str) -> bool {
    matches!(name, "latency_avg" | "latency_stddev")
}
