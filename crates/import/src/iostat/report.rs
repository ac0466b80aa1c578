//! Reports of an iostat log.

use super::columns::{Columns, number};
use crate::figures::problem;
use crate::{Problem, Source};
use model::{CpuShares, DiskRates};

/// What iostat prints each time.
#[derive(Debug, Default)]
pub(super) struct Report {
    /// Where it begins.
    pub(super) line: u32,
    /// When it was printed, in seconds since midnight.
    pub(super) time_of_day: Option<f64>,
    /// Whether it is of the time since boot.
    pub(super) since_boot: bool,
    /// All zero where the log has no processors.
    pub(super) cpu: CpuShares,
    pub(super) disks: Vec<DiskRates>,
}

/// What the lines that follow are of.
enum Section {
    None,
    Cpu(Vec<String>),
    Disks(Columns),
    /// Disks whose columns cannot be read.
    Unreadable,
}

/// Finds the reports that have disks.
pub(super) fn reports(source: &Source<'_>, problems: &mut Vec<Problem>) -> Vec<Report> {
    let mut reports: Vec<Report> = Vec::new();
    let mut next = Report::default();
    let mut section = Section::None;
    for (number, line) in source.lines() {
        let trimmed = line.trim();
        if line.starts_with("Linux ") {
            next = Report { since_boot: true, ..Report::default() };
            section = Section::None;
        } else if let Some(names) = line.strip_prefix("avg-cpu:") {
            // A report with processors and without disks ends here.
            section = Section::Cpu(names.split_whitespace().map(str::to_owned).collect());
        } else if line.starts_with("Device") {
            section = match Columns::from_heading(line) {
                Ok(columns) => Section::Disks(columns),
                Err(message) => {
                    problems.push(problem(source, number, message));
                    Section::Unreadable
                }
            };
            reports.push(Report { line: number, ..std::mem::take(&mut next) });
        } else if trimmed.is_empty() {
            section = Section::None;
        } else {
            let read = match &section {
                Section::None => {
                    next.time_of_day = time_of_day(trimmed).or(next.time_of_day);
                    Ok(())
                }
                Section::Cpu(names) => cpu(names, trimmed).map(|cpu| next.cpu = cpu),
                Section::Disks(columns) => columns.read(trimmed).map(|disk| {
                    if let Some(report) = reports.last_mut() {
                        report.disks.push(disk);
                    }
                }),
                Section::Unreadable => Ok(()),
            };
            if let Err(message) = read {
                problems.push(problem(source, number, message));
            }
        }
    }
    reports.retain(|report| !report.disks.is_empty());
    reports
}

fn cpu(names: &[String], line: &str) -> Result<CpuShares, String> {
    let values: Option<Vec<f64>> = line.split_whitespace().map(number).collect();
    let values = values.filter(|values| values.len() == names.len());
    let values = values.ok_or_else(|| format!("not understood: «{line}»"))?;
    let share = |name: &str| {
        names.iter().zip(&values).find(|(known, _)| *known == name).map_or(0.0, |(_, v)| v / 100.0)
    };
    Ok(CpuShares {
        user: share("%user") + share("%nice"),
        system: share("%system"),
        iowait: share("%iowait"),
        steal: share("%steal"),
        idle: share("%idle"),
    })
}

/// The time of day in `11/21/26 23:56:48`, `Time: 11:56:48 PM` or `2026-11-21T23:56:48+0000`.
pub(super) fn time_of_day(line: &str) -> Option<f64> {
    let words: Vec<&str> = line.split([' ', 'T']).filter(|word| !word.is_empty()).collect();
    let (at, time) = words.iter().enumerate().find_map(|(at, word)| {
        let parts: Vec<u32> =
            word.get(..8)?.split(':').map(str::parse).collect::<Result<_, _>>().ok()?;
        let [hours, minutes, seconds] = parts[..] else { return None };
        Some((at, (hours, minutes, seconds)))
    })?;
    let (hours, minutes, seconds) = time;
    let hours = match words.get(at + 1) {
        Some(&"PM") => hours % 12 + 12,
        Some(&"AM") => hours % 12,
        _ => hours,
    };
    Some(f64::from(hours) * 3600.0 + f64::from(minutes) * 60.0 + f64::from(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_day_are_found_in_all_forms() {
        for (line, hours) in [
            ("11/21/26 23:30:00", 23.5),
            ("11/21/2026 11:30:00 PM", 23.5),
            ("Time: 12:30:00 AM", 0.5),
            ("2026-11-21T09:30:00+0000", 9.5),
            ("Time: 09:30:00", 9.5),
        ] {
            assert_eq!(time_of_day(line), Some(hours * 3600.0), "{line}");
        }
        assert_eq!(time_of_day("a line at 5"), None);
        assert_eq!(time_of_day("ééééé:é"), None);
    }
}
