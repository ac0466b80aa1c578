//! fio's normal output.

use super::printed::{Direction, Entry, Time, trials};
use super::{SYNCHRONOUS, bytes};
use crate::figures::problem;
use crate::{Aspect, Parsed, Source, printed_number};
use model::FigureNumber;

/// The percentiles that are taken.
const PERCENTILES: [f64; 6] = super::direction::PERCENTILES;

pub(super) fn recognises(text: &str) -> bool {
    text.lines().any(|line| group(line).is_some())
}

pub(super) fn parse(source: &Source<'_>) -> Parsed {
    let mut parsed = Parsed::default();
    let mut reading = Reading::default();
    for (number, line) in source.lines() {
        if reading.take(number, line).is_none() {
            let message = format!("not understood: «{}»", line.trim());
            parsed.problems.push(problem(source, number, message));
        }
    }
    parsed.trials = trials(source, reading.entries);
    parsed
}

/// What is said of the jobs of a name before they begin.
struct JobSettings {
    name: String,
    depth: u32,
    block: Option<u64>,
    load: Vec<(Aspect, String)>,
}

#[derive(Default)]
struct Reading {
    version: String,
    told: Vec<JobSettings>,
    entries: Vec<Entry>,
    /// The unit of the percentiles that follow; absent where they are not of completion.
    percentiles: Option<&'static str>,
    /// Whether lines belong to the last entry.
    within: bool,
}

impl Reading {
    /// `None` when a line of a result is not understood; other lines are passed over.
    fn take(&mut self, number: u32, line: &str) -> Option<()> {
        let trimmed = line.trim();
        if let Some(told) = told(line) {
            // Another run begins with the same jobs.
            self.told.retain(|known| known.name != told.name);
            self.told.push(told);
            self.within = false;
        } else if let Some(version) = line.strip_prefix("fio-") {
            version.trim().clone_into(&mut self.version);
        } else if let Some(entry) = group(line) {
            let told = self.told.iter().find(|told| told.name == entry.name);
            let version = self.version.clone();
            let (depth, block) = told.map_or((0, None), |told| (told.depth, told.block));
            let load = told.map(|told| told.load.clone()).unwrap_or_default();
            self.entries.push(Entry { version, depth, block, load, ..entry });
            self.within = true;
        } else if line.starts_with("Run status group") || line.starts_with("Disk stats") {
            self.within = false;
        } else if self.within {
            let entry = self.entries.last_mut()?;
            return result(entry, &mut self.percentiles, number, trimmed);
        }
        Some(())
    }
}

/// `rr: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) …, ioengine=libaio, iodepth=4`.
fn told(line: &str) -> Option<JobSettings> {
    let (name, rest) = line.split_once(": (g=")?;
    let (_, options) = rest.split_once("): ")?;
    let option = |name: &str| {
        let (_, rest) = options.split_once(&format!("{name}="))?;
        rest.split([',', ' ']).next()
    };
    let engine = option("ioengine").unwrap_or_default();
    let depth = option("iodepth").and_then(|depth| depth.parse().ok()).unwrap_or(0);
    let (_, sizes) = options.split_once("bs=")?;
    let size = sizes.strip_prefix("(R) ").unwrap_or(sizes);
    let size = size.split([',', '/', ' ']).next()?;
    let block = match size.split_once('-') {
        Some((least, most)) if least == most => bytes(least),
        Some(_) => None,
        None => bytes(size),
    };
    let mut load = vec![(Aspect::Size, format!("bs={size}"))];
    load.extend(option("rw").map(|rw| (Aspect::Work, format!("rw={rw}"))));
    let synchronous = SYNCHRONOUS.contains(&engine);
    let depth = if synchronous { 1 } else { depth };
    load.push((Aspect::Clients, format!("ioengine={engine} iodepth={depth}")));
    Some(JobSettings { name: name.to_owned(), depth, block, load })
}

/// `mix: (groupid=0, jobs=2): err= 0: pid=8482: Fri Nov 27 02:19:24 2026`.
fn group(line: &str) -> Option<Entry> {
    let (name, rest) = line.split_once(": (groupid=")?;
    let (group, rest) = rest.split_once(", jobs=")?;
    let (jobs, rest) = rest.split_once("): err=")?;
    let (error, rest) = rest.split_once(": pid=").unwrap_or((rest, ""));
    let code = error.trim_start();
    let code = code.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    let error = (code != "0").then(|| match error.split_once("error=") {
        Some((_, words)) => format!("{code} ({})", words.trim_end_matches([')', ' '])),
        None => code.to_owned(),
    });
    Some(Entry {
        name: name.to_owned(),
        group: group.parse().ok()?,
        process: rest.split(':').next().unwrap_or_default().trim().to_owned(),
        jobs: jobs.parse().ok()?,
        error,
        ..Entry::default()
    })
}

fn result(
    entry: &mut Entry,
    percentiles: &mut Option<&'static str>,
    number: u32,
    line: &str,
) -> Option<()> {
    let Some((name, rest)) = line.split_once(':') else {
        if let (Some(unit), Some(cells)) = (*percentiles, line.strip_prefix('|')) {
            return ranks(entry.directions.last_mut()?, unit, cells);
        }
        return Some(());
    };
    let name = name.trim();
    if ["read", "write", "trim", "mixed"].contains(&name) {
        *percentiles = None;
        entry.directions.push(direction(name, number, rest)?);
        return Some(());
    }
    if name.starts_with("issued") {
        issued(entry, rest);
        return Some(());
    }
    let Some((what, unit)) = name.split_once('(') else { return Some(()) };
    let unit = match unit.trim_end_matches([')', ' ']) {
        "nsec" => "ns",
        "usec" => "us",
        "msec" => "ms",
        _ => return Some(()),
    };
    match (what.trim(), entry.directions.last_mut()) {
        ("clat percentiles" | "lat percentiles", Some(one)) => {
            // Where both are printed, those of completion are the first.
            *percentiles = one.percentiles.is_empty().then_some(unit);
        }
        ("clat", Some(one)) => {
            moments(one, unit, rest);
        }
        ("lat", Some(one)) if rest.contains("avg=") => {
            let least = one.least;
            moments(one, unit, rest);
            // Of completion, as percentiles are, which may be below the shortest of all.
            one.least = least.or(one.least);
        }
        _ => {}
    }
    Some(())
}

/// ` IOPS=18.4k, BW=71.8MiB/s (75.3MB/s)(144MiB/2001msec)`; before version 3
/// ` io=327521KB, bw=2273.7KB/s, iops=746 , runt=144052msec`.
fn direction(name: &str, line: u32, rest: &str) -> Option<Direction> {
    let lower = rest.to_lowercase();
    let field = |name: &str| {
        let (_, rest) = lower.split_once(&format!("{name}="))?;
        rest.split([',', ' ', '(']).next()
    };
    let runtime = lower.split_once("msec").and_then(|(before, _)| before.rsplit(['/', '=']).next());
    Some(Direction {
        name: name.to_owned(),
        line,
        iops: Some(scaled(field("iops")?)?),
        bandwidth: Some(per_second(field("bw")?)?),
        runtime_ms: Some(printed_number(runtime?.trim())?),
        ..Direction::default()
    })
}

/// `18.4k`: thousands, millions.
fn scaled(text: &str) -> Option<FigureNumber> {
    let (number, factor) = match text.char_indices().last()? {
        (at, 'k' | 'K') => (&text[..at], 1e3),
        (at, 'm' | 'M') => (&text[..at], 1e6),
        (at, 'g' | 'G') => (&text[..at], 1e9),
        _ => (text, 1.0),
    };
    let number = printed_number(number)?;
    Some(FigureNumber { value: number.value * factor, resolution: number.resolution * factor })
}

/// Bytes per second of `71.8mib/s`, or of `2273.7kb/s`, by which version 2 means the same.
fn per_second(text: &str) -> Option<FigureNumber> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
    let (number, unit) = text.split_at(end);
    let factor = match unit.strip_suffix("b/s")?.trim_end_matches('i') {
        "" => 1.0,
        "k" => 1024.0,
        "m" => 1024.0 * 1024.0,
        "g" => 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    let number = printed_number(number)?;
    Some(FigureNumber { value: number.value * factor, resolution: number.resolution * factor })
}

/// ` min=60, max=2388, avg=216.70, stdev=72.81`.
fn moments(one: &mut Direction, unit: &'static str, rest: &str) {
    for field in rest.split(',') {
        let Some((name, value)) = field.trim().split_once('=') else { continue };
        let time: Option<Time> = scaled(value.trim()).map(|value| (value, unit));
        match name {
            "min" => one.least = time,
            "max" => one.largest = time,
            "avg" => one.mean = time,
            "stdev" => one.deviation = time,
            _ => {}
        }
    }
}

/// `  1.00th=[  126],  5.00th=[  129],`.
fn ranks(one: &mut Direction, unit: &'static str, cells: &str) -> Option<()> {
    for cell in cells.split("],").filter(|cell| !cell.trim().is_empty()) {
        let (rank, value) = cell.split_once("th=[")?;
        let rank: f64 = rank.trim().parse().ok()?;
        // What is beyond the largest bin has a sign before it, and is no value.
        let value = scaled(value.trim_end_matches(']').trim());
        if let Some(value) = value.filter(|_| PERCENTILES.contains(&rank)) {
            one.percentiles.push((rank, (value, unit)));
        }
    }
    Some(())
}

/// ` total=83054,35647,0,0 short=…`; before version 3 ` total=r=36781/w=0/d=0, short=…`.
fn issued(entry: &mut Entry, rest: &str) {
    let Some((_, counts)) = rest.split_once("total=") else { return };
    let counts = counts.split(' ').next().unwrap_or_default();
    let counts = counts
        .split([',', '/'])
        .map(|count| count.trim_start_matches(|c: char| !c.is_ascii_digit()));
    let counts: Vec<Option<u64>> = counts.map(|count| count.parse().ok()).collect();
    for one in &mut entry.directions {
        let at = match one.name.as_str() {
            "read" => Some(0),
            "write" => Some(1),
            "trim" => Some(2),
            _ => None,
        };
        one.ios = match at {
            Some(at) => counts.get(at).copied().flatten(),
            None => counts.iter().take(3).copied().sum(),
        };
    }
}
