//! fio's lines of fields (`--minimal`, `--output-format=terse`), of versions 2 to 5.

use super::printed::{Direction, Entry, Time, trials};
use crate::figures::problem;
use crate::{Parsed, Source, printed_number};
use model::FigureNumber;

/// Fields of a direction: sizes and rates, submission, completion, percentiles, all, bandwidth.
const OF_DIRECTION: usize = 41;
/// Version 5 has numbers of samples, and IOPS over time, as well.
const OF_DIRECTION_5: usize = 47;
const RANKS: std::ops::Range<usize> = 12..29;
const KIB: f64 = 1024.0;

pub(super) fn recognises(text: &str) -> bool {
    text.lines().any(|line| begins(line).is_some())
}

/// Version, and the place of the job's name.
fn begins(line: &str) -> Option<(u32, usize)> {
    let mut fields = line.split(';');
    let version: u32 = fields.next()?.parse().ok()?;
    let at = match version {
        2 => 1,
        3..=5 if fields.next()?.starts_with("fio-") => 2,
        _ => return None,
    };
    line.contains("%=").then_some((version, at))
}

pub(super) fn parse(source: &Source<'_>) -> Parsed {
    let (mut parsed, mut entries) = (Parsed::default(), Vec::new());
    for (number, line) in source.lines() {
        let Some((version, name)) = begins(line) else { continue };
        match entry(number, line, version, name) {
            Some(entry) => entries.push(entry),
            None => {
                let message = "this line of fio's fields is not understood, or breaks off";
                parsed.problems.push(problem(source, number, message));
            }
        }
    }
    parsed.trials = trials(source, entries);
    parsed
}

fn entry(number: u32, line: &str, version: u32, name: usize) -> Option<Entry> {
    let fields: Vec<&str> = line.split(';').collect();
    let error = *fields.get(name + 2)?;
    let length = if version == 5 { OF_DIRECTION_5 } else { OF_DIRECTION };
    let mut directions = Vec::new();
    for (at, kind) in ["read", "write", "trim"].into_iter().enumerate() {
        let from = name + 3 + at * length;
        let own = fields.get(from..from + length);
        match own.filter(|own| own[RANKS.start].contains("%=")) {
            Some(own) => directions.push(direction(kind, number, own)?),
            // Version 3 has no trims.
            None if at == 2 => {}
            None => return None,
        }
    }
    let version = if name == 2 { fields[1].trim_start_matches("fio-") } else { "" };
    Some(Entry {
        name: fields[name].to_owned(),
        group: fields[name + 1].parse().ok()?,
        version: version.to_owned(),
        jobs: 1,
        error: (error != "0").then(|| error.to_owned()),
        directions,
        ..Entry::default()
    })
}

fn direction(name: &str, line: u32, fields: &[&str]) -> Option<Direction> {
    let number = |at: usize| printed_number(fields[at]);
    let time = |at: usize| -> Option<Time> { Some((number(at)?, "us")) };
    let (kib, iops) = (number(1)?, number(2)?);
    let mut percentiles = Vec::new();
    for field in &fields[RANKS] {
        let (rank, value) = field.split_once("%=")?;
        let rank: f64 = rank.parse().ok()?;
        if super::direction::PERCENTILES.contains(&rank) {
            percentiles.push((rank, (printed_number(value)?, "us")));
        }
    }
    let bandwidth = FigureNumber { value: kib.value * KIB, resolution: kib.resolution * KIB };
    let all = number(34).filter(|mean| mean.value > 0.0).map_or(8, |_| 32);
    Some(Direction {
        name: name.to_owned(),
        line,
        iops: Some(iops),
        bandwidth: Some(bandwidth),
        // Not printed, and for means alone: rates and time say it nearly.
        ios: Some((iops.value * number(3)?.value / 1000.0).round() as u64),
        runtime_ms: Some(number(3)?),
        mean: time(all + 2),
        deviation: time(all + 3),
        least: time(8),
        largest: time(all + 1),
        percentiles,
    })
}
