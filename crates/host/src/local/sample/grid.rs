//! When samples are due.

use crate::MeasuredPhase;
use std::time::{Duration, Instant};

/// Shortest time that a sample is taken over for the sake of the grid: the kernel counts some of
/// its times in ticks of up to 10 ms.
const SHORTEST: Duration = Duration::from_millis(100);

/// Moments a whole number of steps away from the one at which measuring begins, before it and
/// after it, and the one at which measuring ends, where that is known. So no sample spans an edge
/// of a measured phase, and those within are all of it, however long a step is.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    /// When measuring begins, in order of time; one at least.
    begins: Vec<Instant>,
    /// The same, and when it ends.
    edges: Vec<Instant>,
    /// Above zero.
    step: Duration,
}

impl Grid {
    /// A grid for these phases after `origin`.
    pub(crate) fn new(origin: Instant, measured: &[MeasuredPhase], step: Duration) -> Self {
        let after = |time| origin.checked_add(time);
        let mut begins: Vec<Instant> =
            measured.iter().filter_map(|phase| after(phase.from)).collect();
        if begins.is_empty() {
            begins.push(origin);
        }
        let ends = measured.iter().filter_map(|phase| after(phase.until?));
        let mut edges: Vec<Instant> = begins.iter().copied().chain(ends).collect();
        edges.sort_unstable();
        Self { begins, edges, step: step.max(Duration::from_nanos(1)) }
    }

    /// The next moment that is due at `now`, a tenth of a step or 100 ms away at least.
    pub(crate) fn next(&self, now: Instant) -> Instant {
        let soonest = now + self.sliver();
        let regular = self.first_after(soonest);
        let edge = self.edges.get(self.edges.partition_point(|edge| *edge < soonest));
        match edge {
            // It comes before the next regular one, or so shortly after that it takes its place.
            Some(edge) if *edge < regular + self.sliver() => *edge,
            _ => regular,
        }
    }

    /// Time too short for a sample of its own.
    pub(crate) fn sliver(&self) -> Duration {
        (self.step / 10).min(SHORTEST)
    }

    /// The first moment of the regular grid at `moment` or after it.
    fn first_after(&self, moment: Instant) -> Instant {
        let step = self.step.as_nanos();
        let steps = |time: Duration, round_up: bool| {
            let steps = time.as_nanos() / step;
            let more = round_up && !time.as_nanos().is_multiple_of(step);
            u32::try_from(steps + u128::from(more)).unwrap_or(u32::MAX)
        };
        let begun = self.begins.partition_point(|begin| *begin <= moment);
        let Some(begin) = self.begins.get(begun.saturating_sub(1)) else { return moment };
        match begin.checked_duration_since(moment) {
            Some(before) => *begin - self.step * steps(before, false),
            None => *begin + self.step * steps(moment - *begin, true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    /// All that is due from the start of the load on, in milliseconds after it.
    fn due(measured: (u64, Option<u64>), step: u64, so_many: usize) -> Vec<u128> {
        let origin = Instant::now() + ms(100_000);
        let (from, until) = measured;
        due_in(origin, &[MeasuredPhase { from: ms(from), until: until.map(ms) }], step, so_many)
    }

    fn due_in(origin: Instant, measured: &[MeasuredPhase], step: u64, so_many: usize) -> Vec<u128> {
        let grid = Grid::new(origin, measured, ms(step));
        let mut now = origin;
        let next = |now: &mut Instant| {
            *now = grid.next(*now);
            (*now - origin).as_millis()
        };
        (0..so_many).map(|_| next(&mut now)).collect()
    }

    #[test]
    fn samples_end_where_measuring_begins_and_ends() {
        assert_eq!(due((1000, Some(6000)), 2500, 4), [1000, 3500, 6000, 8500]);
        assert_eq!(due((1000, Some(5000)), 2500, 4), [1000, 3500, 5000, 6000]);
        assert_eq!(due((2000, Some(5000)), 60_000, 3), [2000, 5000, 62_000]);
        assert_eq!(due((5000, None), 2500, 3), [2500, 5000, 7500]);
        assert_eq!(due((0, Some(3000)), 1000, 4), [1000, 2000, 3000, 4000]);
    }

    #[test]
    fn samples_end_at_both_edges_of_every_slice() {
        let origin = Instant::now() + ms(100_000);
        let slices = [(1_000, 3_500), (7_300, 9_800)]
            .map(|(from, until)| MeasuredPhase { from: ms(from), until: Some(ms(until)) });
        let expected = [1000, 2000, 3000, 3500, 4000, 5000, 6000, 7000, 7300, 8300, 9300, 9800];
        assert_eq!(due_in(origin, &slices, 1_000, expected.len()), expected);
    }

    #[test]
    fn slivers_are_part_of_a_neighbour() {
        // 1050 and 1000, 50 ms later than one of the grid: the end has the say.
        assert_eq!(due((0, Some(2050)), 1000, 3), [1000, 2050, 3000]);
        // 1950 is the end: the one at 2000 would be a sliver.
        assert_eq!(due((0, Some(1950)), 1000, 3), [1000, 1950, 3000]);
        // The grid begins 40 ms after the load.
        assert_eq!(due((1040, None), 1000, 2), [1040, 2040]);
        // Of 10 ms, the shortest there is.
        assert_eq!(due((0, Some(25)), 10, 4), [10, 20, 25, 30]);
    }

    #[test]
    fn missed_moments_are_skipped_and_the_grid_is_kept() {
        let origin = Instant::now() + ms(100_000);
        let measured = [MeasuredPhase { from: ms(2000), until: Some(ms(4000)) }];
        let grid = Grid::new(origin, &measured, ms(500));
        for (now, next) in [(0, 500), (1999, 2500), (2700, 3000), (3999, 4500), (9100, 9500)] {
            assert_eq!(grid.next(origin + ms(now)), origin + ms(next), "{now}");
        }
        assert_eq!(grid.next(origin - ms(200)), origin);
        assert_eq!(grid.next(origin - ms(20)), origin + ms(500));
    }
}
