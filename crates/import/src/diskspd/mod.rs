//! Microsoft's DiskSpd: its XML (`-Rxml`) and what it prints.

mod text;
mod xml;

use crate::figures::{self, Figures, percentile, problem, reckoned};
use crate::{Aspect, Format, ImportedTrial, Knob, Parsed, Source};
use model::{Failure, FailureKind, FigureNumber, Level, Outcome, TrialEnd, UnixMillis};
use std::collections::HashMap;

/// What DiskSpd prints, as XML or as text. Each time span is a trial; its level is the number of I/O
/// operations outstanding, of all threads on all files together.
#[derive(Clone, Copy, Debug)]
pub struct DiskSpd;

const TOOL: &str = "diskspd";
/// The percentiles that are taken, of the hundred that its XML has.
const PERCENTILES: [f64; 6] = [50.0, 90.0, 95.0, 99.0, 99.9, 99.99];

impl Format for DiskSpd {
    fn name(&self) -> &'static str {
        TOOL
    }

    fn description(&self) -> &'static str {
        "what DiskSpd prints, as XML or text"
    }

    fn recognises(&self, text: &str) -> bool {
        xml::recognises(text) || text::recognises(text)
    }

    fn parse(&self, source: Source<'_>) -> Parsed {
        let mut parsed = Parsed::default();
        let runs = match xml::recognises(source.text) {
            true => xml::runs(&source, &mut parsed.problems),
            false => text::runs(&source, &mut parsed.problems),
        };
        let alone = runs.len() == 1;
        for (at, run) in (1..).zip(runs) {
            let mut trial = run.trial(&source);
            if !alone {
                trial.part = format!("time span {at}");
            }
            parsed.trials.push(trial);
        }
        if parsed.trials.is_empty() && parsed.problems.is_empty() {
            parsed.problems.push(problem(&source, 0, "DiskSpd's results have no time span"));
        }
        parsed
    }
}

/// Which operations figures are of.
const DIRECTIONS: [&str; 3] = ["", "read_", "write_"];

/// What is counted of operations of one kind.
#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    bytes: Option<u64>,
    ios: Option<u64>,
}

impl Counted {
    fn add(&mut self, other: Counted) {
        let sum = |own: Option<u64>, other: Option<u64>| match (own, other) {
            (Some(own), Some(other)) => Some(own.saturating_add(other)),
            (own, other) => own.or(other),
        };
        self.bytes = sum(self.bytes, other.bytes);
        self.ios = sum(self.ios, other.ios);
    }
}

/// What it was told to do with one file.
#[derive(Clone, Debug, Default)]
struct Pattern {
    block: Option<u64>,
    /// Operations outstanding of each thread.
    outstanding: Option<u32>,
    threads: Option<u32>,
    random: Option<bool>,
    /// Per cent.
    writes: Option<u32>,
}

/// One time span.
#[derive(Debug, Default)]
struct Run {
    /// Where it begins; 0 where lines mean nothing.
    line: u32,
    /// As measured; absent where it was interrupted before.
    seconds: Option<FigureNumber>,
    /// Per cent of all processors.
    cpu: Option<FigureNumber>,
    /// All operations, reads, writes.
    counted: [Counted; 3],
    /// Of each file, by its path.
    files: Vec<(String, Counted)>,
    /// Where each file is among them.
    places: HashMap<String, usize>,
    /// Names of figures in milliseconds, by direction, without the direction.
    latencies: [Vec<(String, FigureNumber)>; 3],
    patterns: Vec<Pattern>,
    /// Threads and operations outstanding of each, where all files share them.
    shared: Option<(u32, u32)>,
    started_at: Option<UnixMillis>,
}

impl Run {
    fn file(&mut self, path: &str, counted: Counted) {
        let next = self.files.len();
        let at = *self.places.entry(path.to_owned()).or_insert(next);
        match self.files.get_mut(at) {
            Some((_, own)) => own.add(counted),
            None => self.files.push((path.to_owned(), counted)),
        }
    }

    fn outstanding(&self) -> Option<u32> {
        if let Some((threads, each)) = self.shared {
            return threads.checked_mul(each).filter(|all| *all > 0);
        }
        let of = |one: &Pattern| one.outstanding?.checked_mul(one.threads?);
        let all = self.patterns.iter().map(of).collect::<Option<Vec<u32>>>()?;
        let all = all.into_iter().try_fold(0_u32, u32::checked_add);
        all.filter(|all| *all > 0)
    }

    fn trial(mut self, source: &Source<'_>) -> ImportedTrial {
        let level = self.outstanding().map_or(Level::NONE, Level::queue_depth);
        let reason = match (self.seconds, self.counted[0].ios) {
            (None, _) => Some("DiskSpd was interrupted before it measured"),
            (_, None | Some(0)) => Some("DiskSpd did no I/O"),
            _ => None,
        };
        let end = match reason {
            Some(reason) => {
                TrialEnd::Failed(Failure::new(FailureKind::Other, reason.to_owned(), ""))
            }
            None => {
                let figures = self.figures();
                TrialEnd::Completed(Box::new(Outcome::printed(source.file, "DiskSpd", figures.0)))
            }
        };
        let mut trial = figures::trial(source, TOOL, level, end);
        trial.started_at = self.started_at;
        let same = |of: fn(&Pattern) -> Option<u64>| {
            let mut values = self.patterns.iter().map(of);
            let first = values.next()??;
            values.all(|value| value == Some(first)).then_some(first)
        };
        let block = same(|one| one.block).map(|block| (Knob::BlockSize, block));
        let threads = same(|one| one.threads.map(u64::from)).map(|threads| (Knob::Jobs, threads));
        let depth = same(|one| one.outstanding.map(u64::from)).map(|depth| (Knob::Depth, depth));
        trial.said = block.into_iter().chain(threads).chain(depth).collect();
        let work: Vec<String> = self.patterns.iter().filter_map(Pattern::work).collect();
        if !work.is_empty() {
            trial.load.push((Aspect::Work, work.join(", ")));
        }
        if let Some((_, block)) = block {
            trial.load.push((Aspect::Size, format!("{block} bytes")));
        }
        trial
    }

    fn figures(&mut self) -> Figures {
        let mut figures = Figures::default();
        let Some(seconds) = self.seconds else { return figures };
        figures.number("elapsed", seconds, "s", self.line);
        let both = [1, 2].iter().all(|at| self.counted[*at].ios.is_some_and(|ios| ios > 0));
        for (at, prefix) in DIRECTIONS.iter().enumerate() {
            // Where there is one kind of operation alone, its figures are those of all.
            if at == 0 || both {
                self.rates(prefix, self.counted[at], &mut figures);
            }
        }
        let only = |at: usize| self.latencies[3 - at].is_empty().then(|| &self.latencies[at]);
        let all = match &self.latencies[0] {
            all if !all.is_empty() => Some(all),
            _ => only(1).or_else(|| only(2)),
        };
        for (name, value) in all.into_iter().flatten() {
            figures.number(name, *value, "ms", self.line);
        }
        for at in [1, 2].into_iter().filter(|_| both) {
            for (name, value) in &self.latencies[at] {
                figures.number(&format!("{}{name}", DIRECTIONS[at]), *value, "ms", self.line);
            }
        }
        if let Some(cpu) = self.cpu {
            figures.number("cpu_usage", cpu, "%", self.line);
        }
        if self.files.len() > 1 {
            for (at, (path, counted)) in (1..).zip(&self.files) {
                let mut own = Figures::default();
                self.rates(&format!("file{at}_"), *counted, &mut own);
                for figure in &mut own.0 {
                    if let Some(printed) = &mut figure.printed {
                        path.clone_into(&mut printed.note);
                    }
                }
                figures.0.append(&mut own.0);
            }
        }
        figures
    }

    /// Rates from what was counted: what DiskSpd prints of them has fewer digits.
    fn rates(&self, prefix: &str, counted: Counted, figures: &mut Figures) {
        let Some(seconds) = self.seconds.filter(|seconds| seconds.value > 0.0) else { return };
        let precision = seconds.resolution / seconds.value;
        for (name, count, unit) in
            [("iops", counted.ios, "1/s"), ("bandwidth", counted.bytes, "B/s")]
        {
            if let Some(count) = count {
                let rate = count as f64 / seconds.value;
                let rate = reckoned(rate, rate * precision);
                let note = "count ÷ actual test time";
                figures.noted(&format!("{prefix}{name}"), rate, unit, note, self.line);
            }
        }
        if let Some(ios) = counted.ios {
            let ios = FigureNumber { value: ios as f64, resolution: 0.0 };
            figures.number(&format!("{prefix}total_ios"), ios, "", self.line);
        }
    }
}

impl Pattern {
    fn work(&self) -> Option<String> {
        let order = self.random.map(|random| if random { "random" } else { "sequential" });
        let writes = self.writes.map(|writes| format!("{writes} % writes"));
        let words: Vec<String> = order.map(str::to_owned).into_iter().chain(writes).collect();
        (!words.is_empty()).then(|| words.join(", "))
    }
}

/// The name of a percentile's figure where it is one of those that are taken; of 0 and 100 those of
/// the least and the largest.
fn rank(rank: f64) -> Option<String> {
    match rank {
        0.0 => Some("latency_min".to_owned()),
        100.0 => Some("latency_max".to_owned()),
        rank => PERCENTILES.contains(&rank).then(|| percentile(rank)),
    }
}

/// `2023/11/14 22:13:30 UTC`.
fn date(text: &str) -> Option<UnixMillis> {
    let (date, time) = text.trim().strip_suffix(" UTC")?.split_once(' ')?;
    let parts = |text: &str, sign: char| -> Option<[u64; 3]> {
        let parts: Vec<u64> = text.split(sign).map(str::parse).collect::<Result<_, _>>().ok()?;
        parts.try_into().ok()
    };
    let ([year, month, day], [hour, minute, second]) = (parts(date, '/')?, parts(time, ':')?);
    if !(1970..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    // Days since 1970 of the Gregorian calendar, whose years here begin in March.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day;
    let days = days.checked_sub(719_469)?;
    Some(UnixMillis((((days * 24 + hour) * 60 + minute) * 60 + second) * 1000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_count_from_1970() {
        for (text, seconds) in [
            ("1970/01/01 00:00:00 UTC", Some(0)),
            ("2023/11/14 22:13:20 UTC", Some(1_700_000_000)),
            ("2024/02/29 00:00:00 UTC", Some(1_709_164_800)),
            ("2023/11/14 22:13:20", None),
            ("2023/13/14 22:13:20 UTC", None),
        ] {
            assert_eq!(date(text), seconds.map(|seconds| UnixMillis(seconds * 1000)), "{text}");
        }
    }
}
