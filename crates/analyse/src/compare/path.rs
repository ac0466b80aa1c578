//! What a delay on the way does to operations, how many round trips they make by it, and what TLS or a proxy
//! costs them.

use crate::Metric;
use crate::cell::{CellData, Cells};
use crate::compare::factor::pairs;
use findings::{DelayMissed, Finding, PathCost, RoundTrips, Subject};
use model::{Level, NetworkPath, Study, Target, Test};
use stats::{Estimate, Sample, part_of};
use std::collections::BTreeMap;

/// By how much a delay may miss what was asked for: this share of it, or so many milliseconds.
const MISS: (f64, f64) = (0.1, 0.15);

/// Every pair of targets that differ in their delay alone, at every level where both have data.
pub(crate) fn round_trips(study: &Study, test: &Test, cells: &Cells) -> Vec<(Level, RoundTrips)> {
    let delayed = pairs(study).into_iter().filter(|(_, _, label)| *label == NetworkPath::DELAY);
    let ordered = delayed.filter_map(|(a, b, _)| match a.delay().cmp(&b.delay()) {
        std::cmp::Ordering::Less => Some((a, b)),
        std::cmp::Ordering::Greater => Some((b, a)),
        std::cmp::Ordering::Equal => None,
    });
    let both = |level: Level| {
        move |(near, far): (&Target, &Target)| {
            let (near, far) = (cells.at(&near.name, level)?, cells.at(&far.name, level)?);
            Some((level, of_pair(study, near, far)?))
        }
    };
    ordered
        .flat_map(|pair| test.levels().iter().filter_map(move |&level| both(level)(pair)))
        .collect()
}

fn of_pair(study: &Study, near: &CellData, far: &CellData) -> Option<RoundTrips> {
    let (latency, other) = (near.series(Metric::LatencyMean), far.series(Metric::LatencyMean));
    let (delays, others) = (delays(near), delays(far));
    let repeats = other.repeats().filter_map(|repeat| {
        let longer = other.at(repeat)? - latency.at(repeat)?;
        let near = delays.get(&repeat).copied().unwrap_or_default();
        Some((longer, others.get(&repeat)? - near))
    });
    let repeats: Vec<(f64, f64)> = repeats.collect();
    let round_trips = part_of(&repeats, study.confidence)?;
    let delay_ms = repeats.iter().map(|(_, delay)| delay).sum::<f64>() / repeats.len() as f64;
    let ones: Vec<(f64, f64)> = repeats.iter().map(|(longer, _)| (*longer, 1.0)).collect();
    Some(RoundTrips {
        baseline: near.target.to_owned(),
        candidate: far.target.to_owned(),
        delay_ms,
        added_ms: part_of(&ones, study.confidence)?,
        round_trips,
        counted: far.series(Metric::RoundTrips).estimate(study.confidence).map(|known| known.point),
    })
}

/// By how much round trips were longer, by repeat.
fn delays(cell: &CellData) -> BTreeMap<u32, f64> {
    let delays = cell.loads().filter_map(|(repeat, load)| Some((repeat, load.delay?.added_ms()?)));
    delays.collect()
}

/// One finding for each pair and level.
pub(crate) fn findings(test: &str, found: &[(Level, RoundTrips)]) -> Vec<Finding> {
    let finding = |(level, found): &(Level, RoundTrips)| {
        Finding::new(Subject::test(test).on(&found.candidate).at(*level), found.clone())
    };
    found.iter().map(finding).collect()
}

/// What TLS or a proxy costs, of every pair of targets that differ in that alone, at every level where both
/// have data.
pub(crate) fn costs(study: &Study, test: &Test, cells: &Cells) -> Vec<Finding> {
    let ordered = pairs(study).into_iter().filter_map(|(a, b, label)| {
        let has_it = |target: &Target| {
            let path = target.path.as_ref();
            match label {
                NetworkPath::TLS => path.is_some_and(|path| path.tls == Some(true)),
                NetworkPath::PROXY => path.is_some_and(|path| path.proxy.is_some()),
                _ => false,
            }
        };
        match (has_it(a), has_it(b)) {
            (false, true) => Some((a, b)),
            (true, false) => Some((b, a)),
            _ => None,
        }
    });
    let cost = |level: Level, (near, far): (&Target, &Target)| {
        let (near, far) = (cells.at(&near.name, level)?, cells.at(&far.name, level)?);
        let cost = PathCost {
            baseline: near.target.to_owned(),
            candidate: far.target.to_owned(),
            added_ms: added(study, Metric::LatencyMean, near, far)?,
            server_cpu_us: added(study, Metric::ServerCpu, near, far),
            path_cpu_us: far.series(Metric::PathCpu).estimate(study.confidence),
        };
        Some(Finding::new(Subject::test(&test.name).on(far.target).at(level), cost))
    };
    let levels = |pair| test.levels().iter().filter_map(move |&level| cost(level, pair));
    ordered.flat_map(levels).collect()
}

/// By how much a figure is higher, repeat by repeat, on the mean.
fn added(study: &Study, metric: Metric, near: &CellData, far: &CellData) -> Option<Estimate> {
    let (base, other) = (near.series(metric), far.series(metric));
    let difference = |repeat| Some((other.at(repeat)? - base.at(repeat)?, 1.0));
    let differences: Vec<(f64, f64)> = other.repeats().filter_map(difference).collect();
    part_of(&differences, study.confidence)
}

/// One for each cell whose delay was another than was asked for.
pub(crate) fn missed(test: &str, cells: &Cells) -> Vec<Finding> {
    let of_cell = |cell: &CellData| {
        let asked = cell.loads().find_map(|(_, load)| load.delay)?.asked;
        let asked_ms = asked.as_secs_f64() * 1e3;
        let measured_ms = Sample::new(delays(cell).into_values().collect()).ok()?.median();
        let (share, ms) = MISS;
        let is_missed = (measured_ms - asked_ms).abs() > (share * asked_ms).max(ms);
        is_missed.then(|| {
            let subject = Subject::test(test).on(cell.target).at(cell.level);
            Finding::new(subject, DelayMissed { asked_ms, measured_ms })
        })
    };
    cells.iter().filter_map(of_cell).collect()
}
