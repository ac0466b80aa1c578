//! Rates that follow one another within each trial, and from when on targets serve them.

use super::{CellData, Cells};
use findings::{Finding, RateNotServed, Subject};
use model::StretchResult;
use serde::Serialize;
use stats::{Estimate, Interval, Sample};

/// What became of one stretch of a load profile on one target, over its trials that are not void.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProfileStretch {
    pub target: String,
    /// When it began, in seconds from the start of measuring.
    pub from_seconds: f64,
    pub length_seconds: f64,
    /// Operations offered per second when it began, and when it ended.
    pub from_rate: f64,
    pub to_rate: f64,
    /// The same on average.
    pub offered: f64,
    /// Operations that succeeded, per second.
    pub served: Option<Estimate>,
    /// Response times of those in milliseconds, where those of every trial have the values that it takes, so
    /// that each percentile is of the same trials; absent where a trial fell behind, as in cells.
    pub p95_ms: Option<Estimate>,
    pub p99_ms: Option<Estimate>,
    /// Where p95 and p99 of one further trial would lie.
    #[serde(skip)]
    pub(crate) next_ms: [Option<Interval>; 2],
    /// Operations that failed in all trials.
    pub errors: u64,
    /// Of a rate that stays, for each trial in ascending order: after how many seconds it was served. Absent
    /// where it never was, last.
    pub served_after_seconds: Vec<Option<f64>>,
    /// Operations that failed in all trials until then.
    pub errors_until_served: u64,
}

impl ProfileStretch {
    pub fn holds(&self) -> bool {
        self.from_rate == self.to_rate
    }

    /// After how many seconds it was served in the trial in the middle; `None` where it was not in most.
    pub fn usually_served_after(&self) -> Option<f64> {
        *self.served_after_seconds.get(self.served_after_seconds.len() / 2)?
    }
}

/// Every stretch of every target, in the order of the study and of time.
pub(crate) fn of_test(cells: &Cells<'_>, confidence: f64) -> Vec<ProfileStretch> {
    let of_cell = |cell: &CellData<'_>| {
        let results = |(record, _): (&model::TrialRecord, _)| Some(record.load()?.stretches());
        let trials: Vec<Vec<StretchResult>> = cell.usable_records().filter_map(results).collect();
        let most = trials.iter().map(Vec::len).max().unwrap_or(0);
        let mut from_seconds = 0.0;
        let stretches = (0..most).filter_map(|number| {
            let all: Vec<&StretchResult> =
                trials.iter().filter_map(|one| one.get(number)).collect();
            let stretch = stretch(cell.target, from_seconds, &all, confidence)?;
            from_seconds += stretch.length_seconds;
            Some(stretch)
        });
        stretches.collect::<Vec<_>>()
    };
    cells.iter().flat_map(of_cell).collect()
}

fn stretch(
    target: &str,
    from_seconds: f64,
    all: &[&StretchResult],
    confidence: f64,
) -> Option<ProfileStretch> {
    let first = all.first()?;
    let estimate = |value: &dyn Fn(&StretchResult) -> Option<f64>| {
        let values: Vec<f64> = all.iter().map(|one| value(one)).collect::<Option<_>>()?;
        Some(Estimate::of_median(&Sample::new(values).ok()?, confidence))
    };
    let percentile = |one: &StretchResult, percentile: f64| {
        if one.fell_behind() {
            return None;
        }
        crate::percentile_ms(&one.latencies, percentile, confidence)
    };
    // Each end is a claim by itself, as in cells.
    let next = |of: f64| {
        let values: Vec<f64> = all.iter().map(|one| percentile(one, of)).collect::<Option<_>>()?;
        Estimate::of_next(&Sample::new(values).ok()?, 1.0 - 2.0 * (1.0 - confidence), None)
    };
    let mut served_after_seconds: Vec<Option<f64>> = match first.holds() {
        true => all.iter().map(|one| Some(one.served_after?.as_secs_f64())).collect(),
        false => Vec::new(),
    };
    let never_last = |after: &Option<f64>| after.unwrap_or(f64::INFINITY);
    served_after_seconds.sort_by(|a, b| never_last(a).total_cmp(&never_last(b)));
    Some(ProfileStretch {
        target: target.to_owned(),
        from_seconds,
        length_seconds: first.length.as_secs_f64(),
        from_rate: first.stretch.from,
        to_rate: first.stretch.to,
        offered: first.offered,
        served: estimate(&|one| Some(one.served)),
        p95_ms: estimate(&|one| percentile(one, 95.0)),
        p99_ms: estimate(&|one| percentile(one, 99.0)),
        next_ms: [95.0, 99.0].map(next),
        errors: all.iter().map(|one| one.errors).sum(),
        served_after_seconds,
        errors_until_served: all.iter().map(|one| one.errors_until_served).sum(),
    })
}

/// For each target the rate that most trials served last, or never, where that was not at once.
pub(crate) fn findings(test: &str, stretches: &[ProfileStretch]) -> Vec<Finding> {
    let mut worst: Vec<(&ProfileStretch, f64)> = Vec::new();
    for stretch in
        stretches.iter().filter(|one| one.holds() && !one.served_after_seconds.is_empty())
    {
        let after = stretch.usually_served_after().unwrap_or(f64::INFINITY);
        match worst.iter_mut().find(|(known, _)| known.target == stretch.target) {
            Some(known) if known.1 < after => *known = (stretch, after),
            Some(_) => {}
            None => worst.push((stretch, after)),
        }
    }
    let finding = |(stretch, after): (&ProfileStretch, f64)| {
        let before = stretches.iter().take_while(|one| !std::ptr::eq(*one, stretch)).last();
        let before = before.filter(|one| one.target == stretch.target).map(|one| one.from_rate);
        let evidence = RateNotServed {
            rate: stretch.to_rate,
            before,
            after_seconds: after.is_finite().then_some(after),
            length_seconds: stretch.length_seconds,
            errors: stretch.errors_until_served,
            trials: stretch.served_after_seconds.len(),
        };
        (after > 0.0).then(|| Finding::new(Subject::test(test).on(&stretch.target), evidence))
    };
    worst.into_iter().filter_map(finding).collect()
}
