//! Latency over time: from the intervals of a trial to a heat map.

use crate::charts::svg::{Grid, HeatChart, HeatMap};
use model::{Interval, LoadResult, Phase, Slice, TrialRecord};

/// What a panel has room for.
pub(crate) const OF_PANEL: Grid = Grid { most_columns: 60, rows: 16 };

/// What a chart of its own has room for.
const OF_CHART: Grid = Grid { most_columns: 240, rows: 48 };

/// A trial's heat map as a chart of its own; nothing where no operation succeeded.
pub(crate) fn plain(record: &TrialRecord) -> Option<HeatChart> {
    let load = record.load()?;
    let ends = load.intervals.iter().map(|of| (of.start + of.length).as_secs_f64());
    let seconds = ends.fold(0.0, f64::max);
    let map = heat_map(load, seconds, extent(&[record])?, OF_CHART)?;
    Some(HeatChart { map, unmeasured: unmeasured(load) })
}

/// The shortest and the longest latency of these trials, in milliseconds; nothing where no operation
/// of theirs has one.
pub(crate) fn extent(records: &[&TrialRecord]) -> Option<(f64, f64)> {
    let intervals =
        records.iter().filter_map(|record| record.load()).flat_map(|load| &load.intervals);
    let ends = intervals.filter_map(|interval| {
        let recorded = interval.latencies.recorded_ms();
        Some((recorded.first()?.0, recorded.last()?.0))
    });
    ends.reduce(|all, one| (all.0.min(one.0), all.1.max(one.1)))
}

/// The heat map of a trial, on axes that it may share with others; nothing where no operation
/// succeeded.
pub(crate) fn heat_map(
    load: &LoadResult,
    seconds: f64,
    latency: (f64, f64),
    grid: Grid,
) -> Option<HeatMap> {
    let mut map = HeatMap::new(seconds, latency, grid);
    for interval in &load.intervals {
        let at = middle(interval);
        interval.latencies.recorded_ms().into_iter().for_each(|(ms, count)| map.add(at, ms, count));
    }
    (!map.is_empty()).then_some(map)
}

/// From when until when a load ran or waited for its turn before and between what was measured of it, in
/// seconds.
pub(crate) fn unmeasured(load: &LoadResult) -> Vec<(f64, f64)> {
    if load.slices.is_empty() {
        let warm = load.intervals.iter().filter(|interval| interval.phase == Phase::Warmup);
        let until = warm.map(|i| (i.start + i.length).as_secs_f64()).fold(0.0, f64::max);
        return vec![(0.0, until)];
    }
    let mut before = 0.0;
    let between = |slice: &Slice| {
        let until = std::mem::replace(&mut before, slice.until.as_secs_f64());
        (until, slice.from.as_secs_f64())
    };
    load.slices.iter().map(between).collect()
}

fn middle(interval: &Interval) -> f64 {
    interval.start.as_secs_f64() + interval.length.as_secs_f64() / 2.0
}
