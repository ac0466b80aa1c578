//! Reports of one run in files of their own: what a job of cron copies while the run goes on is no
//! repeat of it.

use crate::{ImportedTrial, Parsed, Problem};
use model::{TrialEnd, UnixMillis};
use std::collections::BTreeMap;

/// What reports of one run have in common: fio says to the millisecond when its jobs began, and they lie
/// in one directory under one name with a number or a date.
type Run = (UnixMillis, String, String, String);

/// Takes out all reports of a run but the last, which has all of it.
pub(crate) fn leave_out(files: &mut [Parsed]) -> Vec<Problem> {
    let mut runs: BTreeMap<Run, Vec<(UnixMillis, usize, usize)>> = BTreeMap::new();
    for (file, parsed) in files.iter().enumerate() {
        for (at, trial) in parsed.trials.iter().enumerate().filter(|(_, t)| t.tool == "fio") {
            if let Some((run, printed)) = run(trial) {
                runs.entry(run).or_default().push((printed, file, at));
            }
        }
    }
    let mut earlier: BTreeMap<(usize, usize), (usize, usize)> = BTreeMap::new();
    for mut reports in runs.into_values() {
        reports.sort();
        let trial = |(_, file, at): (_, usize, usize)| &files[file].trials[at];
        let Some(&last) = reports.last() else { continue };
        // Several runs that began together were over together, and each did what it did.
        let grows = reports.windows(2).all(|pair| {
            let [then, now] = [pair[0], pair[1]];
            then.0 < now.0 && done(trial(then)).zip(done(trial(now))).is_none_or(|(a, b)| a <= b)
        });
        if grows {
            let before = &reports[..reports.len() - 1];
            earlier.extend(before.iter().map(|(_, file, at)| ((*file, *at), (last.1, last.2))));
        }
    }
    let problem = |(&(file, at), &(of, last)): (&(usize, usize), &(usize, usize))| Problem {
        file: files[file].trials[at].file.clone(),
        line: 0,
        message: format!(
            "left out: it is a report of a run that was still going on, of which {} has all",
            files[of].trials[last].file
        ),
    };
    let problems = earlier.iter().map(problem).collect();
    for (file, parsed) in files.iter_mut().enumerate() {
        let mut at = 0;
        parsed.trials.retain(|_| {
            at += 1;
            !earlier.contains_key(&(file, at - 1))
        });
    }
    problems
}

/// Of which run a trial is, and when that was told.
fn run(trial: &ImportedTrial) -> Option<(Run, UnixMillis)> {
    let (began, printed) = (trial.started_at?, trial.finished_at?);
    let load = format!("{:?} {:?} {}", trial.said, trial.load, trial.level);
    Some(((began, numberless(&trial.file), trial.part.clone(), load), printed))
}

/// A path without the numbers in the name of its file.
fn numberless(file: &str) -> String {
    let (directory, name) = file.rsplit_once('/').unwrap_or(("", file));
    let mut bare = String::with_capacity(name.len());
    for c in name.chars() {
        let c = if c.is_ascii_digit() { '0' } else { c };
        if c != '0' || !bare.ends_with('0') {
            bare.push(c);
        }
    }
    format!("{directory}/{bare}")
}

/// How much was done by then, as far as that is told; more or less, since rates are rounded.
fn done(trial: &ImportedTrial) -> Option<f64> {
    let seconds = trial.finished_at?.0.checked_sub(trial.started_at?.0)? as f64 / 1e3;
    let TrialEnd::Completed(outcome) = &trial.end else { return None };
    // Of reads, of writes, and of a direction that is alone.
    let rates = outcome.figures.iter().filter(|figure| figure.metric.ends_with("iops"));
    let rate: f64 = rates.filter_map(|figure| Some(outcome.number(&figure.metric)?.value)).sum();
    Some(rate * seconds).filter(|done| *done > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_a_name_are_left_out_and_those_of_directories_stay() {
        assert_eq!(numberless("a1/disk-01.2.json"), "a1/disk-0.0.json");
        assert_ne!(numberless("diskA.json"), numberless("diskB.json"));
        assert_ne!(numberless("a1/x.json"), numberless("a2/x.json"));
    }
}
