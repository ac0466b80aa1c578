//! Jobs that ended before they had done what they were told.

use super::Run;
use crate::figures::is_cut_short;
use crate::json::Json;
use model::UnixMillis;
use std::collections::BTreeSet;

/// What fio prints when it is told to stop.
const SIGNAL: &str = "terminating on signal";

/// The lines where the documents begin whose runs a signal ended: that in which fio says so, or else the
/// next one.
pub(super) fn signals(text: &str, documents: &[(u32, Json<'_>)]) -> BTreeSet<u32> {
    let mut stopped = BTreeSet::new();
    if !text.contains(SIGNAL) {
        return stopped;
    }
    for (at, _) in (1_u32..).zip(text.lines()).filter(|(_, line)| line.contains(SIGNAL)) {
        let within = |(start, json): &&(u32, Json<'_>)| {
            let lines = json.as_printed().bytes().filter(|byte| *byte == b'\n').count();
            (*start..=start.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX))).contains(&at)
        };
        let next = || documents.iter().find(|(start, _)| *start > at);
        stopped.extend(documents.iter().find(within).or_else(next).map(|(start, _)| *start));
    }
    stopped
}

/// `60`, `90s`, `10m` or `1h30m`, in seconds as fio takes them.
fn seconds(text: &str) -> Option<f64> {
    let (mut all, mut rest) = (0.0, text.trim());
    while !rest.is_empty() {
        let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
        let number: f64 = rest[..end].parse().ok()?;
        let unit_end = rest[end..].find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len() - end);
        let factor = match &rest[end..end + unit_end] {
            "" | "s" => 1.0,
            "ms" => 1e-3,
            "us" => 1e-6,
            "m" => 60.0,
            "h" => 3600.0,
            "d" => 86_400.0,
            _ => return None,
        };
        all += number * factor;
        rest = &rest[end + unit_end..];
    }
    Some(all)
}

impl Run<'_> {
    /// When the first of its jobs began, where that is said as a date.
    pub(super) fn began(&self) -> Option<UnixMillis> {
        // Some versions count from when the machine was started.
        const A_DATE: u64 = 1_000_000_000_000;
        let starts = self.jobs.iter().filter_map(|job| job.at(&["job_start"])?.whole());
        starts.min().filter(|start| *start >= A_DATE).map(UnixMillis)
    }

    /// Why its figures are not of all that it was told to do.
    pub(super) fn cut_short(&self) -> Option<String> {
        if self.stopped {
            return Some("was ended by a signal".to_owned());
        }
        let directions = self.directions();
        let runtimes = directions.iter().filter_map(super::Direction::runtime_ms);
        let ran = runtimes.map(|ms| ms.value / 1e3).max_by(f64::total_cmp)?;
        let asked = seconds(&self.option("runtime").or_else(|| self.option("timeout"))?)?;
        // Without `time_based` it ends as well when it has been through all of the data.
        let timed = self.option("time_based").is_some_and(|value| value != "0");
        let all = || {
            self.option("io_size").or_else(|| self.option("size")).as_deref().and_then(super::bytes)
        };
        let done: f64 =
            directions.iter().filter_map(|d| d.sum("io_bytes")).map(|bytes| bytes.value).sum();
        let lacks = || all().is_some_and(|all| done < all as f64);
        (is_cut_short(ran, asked) && (timed || lacks()))
            .then(|| format!("ran {ran} s of the {asked} s that it was given"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        for (text, expected) in [
            ("60", Some(60.0)),
            ("90s", Some(90.0)),
            ("1h30m", Some(5400.0)),
            ("500ms", Some(0.5)),
            ("x", None),
            ("5 weeks", None),
        ] {
            assert_eq!(seconds(text), expected, "{text}");
        }
    }
}
