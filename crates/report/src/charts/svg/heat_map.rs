//! How many operations took how long, over time.

use super::scale::Scale;
use super::{LEFT, PLOT, px, text};
use crate::numbers;
use maud::{Markup, html};
use std::fmt::Write;

/// Shades that the stylesheet has, from the palest.
const SHADES: usize = 5;

/// Counts of operations by when they ended and how long they took.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HeatMap {
    /// Where the columns begin and end, in seconds.
    time: (f64, f64),
    /// The latencies that the rows span, in equal steps of their logarithm, in milliseconds.
    latency: (f64, f64),
    rows: usize,
    /// Column by column, each from the shortest latency on.
    counts: Vec<Vec<u64>>,
}

/// What a heat map has room for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    /// Most columns and all rows.
    pub(crate) most_columns: usize,
    pub(crate) rows: usize,
}

impl HeatMap {
    /// An empty one over so many seconds and these latencies in milliseconds. A column covers a whole
    /// number of seconds, for that is how latencies are kept.
    pub(crate) fn new(seconds: f64, latency: (f64, f64), grid: Grid) -> Self {
        let step = (seconds / grid.most_columns as f64).ceil().max(1.0);
        let columns = (seconds / step).ceil().clamp(1.0, grid.most_columns as f64);
        let low = if latency.0 > 0.0 { latency.0 } else { 1e-4 };
        Self {
            time: (0.0, columns * step),
            latency: (low, latency.1.max(low * 1.001)),
            rows: grid.rows,
            counts: vec![vec![0; grid.rows]; columns as usize],
        }
    }

    /// Counts operations that ended about that second and took so many milliseconds. What lies beyond
    /// the axes counts at their ends.
    pub(crate) fn add(&mut self, second: f64, latency: f64, count: u64) {
        let columns = self.counts.len();
        let column = (second / self.time.1 * columns as f64).clamp(0.0, (columns - 1) as f64);
        let (low, high) = self.latency;
        let share = (latency.max(low) / low).ln() / (high / low).ln();
        let row = (share * self.rows as f64).clamp(0.0, (self.rows - 1) as f64);
        self.counts[column as usize][row as usize] += count;
    }

    /// Whether nothing was counted.
    pub(crate) fn is_empty(&self) -> bool {
        self.counts.iter().flatten().all(|count| *count == 0)
    }

    /// Where the columns begin and end, in seconds.
    pub(super) fn seconds(&self) -> (f64, f64) {
        self.time
    }

    /// The axis of its rows, with round numbers as marks; some may lie beyond its ends.
    pub(super) fn latency_scale(&self, range: (f64, f64)) -> Scale {
        Scale::log([self.latency.0, self.latency.1], range).within(self.latency)
    }

    /// The cells between these positions: time from left to right, latency upwards.
    pub(super) fn cells(&self, time: &Scale, (bottom, top): (f64, f64)) -> Markup {
        let (Some(left), Some(right)) = (time.position(self.time.0), time.position(self.time.1))
        else {
            return html! {};
        };
        // Cells are strokes in a grid of whole numbers, one row high: that is what keeps them short.
        let width = (right - left) / self.counts.len() as f64;
        let height = (bottom - top) / self.rows as f64;
        let place = format!(
            "translate({} {}) scale({} {})",
            px(left),
            px(bottom - height / 2.0),
            short(width),
            short(-height)
        );
        let shades = self.shades();
        html! {
            g class="heat" transform=(place) {
                @for shade in 1..=SHADES {
                    @let path = runs(&shades, shade);
                    @if !path.is_empty() { path class={ "h" (shade) } d=(path) {} }
                }
            }
        }
    }

    /// The ends of the axis of latency, in a small panel.
    pub(super) fn ends(&self, top: f64) -> Markup {
        html! {
            (text("axis end", (LEFT - 4.0, top + PLOT), &numbers::tick_of(self.latency.0)))
            (text("axis end", (LEFT - 4.0, top + 6.0), &numbers::tick_of(self.latency.1)))
        }
    }

    /// The shade of each cell, 0 for an empty one: equal steps of the logarithm of the count, so that
    /// single slow operations are seen beside thousands of fast ones.
    fn shades(&self) -> Vec<Vec<usize>> {
        let most = self.counts.iter().flatten().copied().max().unwrap_or(0) as f64;
        let shade = |count: &u64| match *count {
            0 => 0,
            count if most <= 1.0 || count == 0 => SHADES,
            count => {
                let share = (count as f64).ln() / most.ln();
                1 + ((share * SHADES as f64) as usize).min(SHADES - 1)
            }
        };
        self.counts.iter().map(|column| column.iter().map(shade).collect()).collect()
    }
}

/// The cells of a shade as a path, those side by side together.
fn runs(shades: &[Vec<usize>], shade: usize) -> String {
    let mut path = String::new();
    let mut at = (0, 0);
    for row in 0..shades.first().map_or(0, Vec::len) {
        let mut column = 0;
        while column < shades.len() {
            let length = shades[column..].iter().take_while(|of| of[row] == shade).count();
            if length > 0 {
                let (across, up) = (column as i64 - at.0, row as i64 - at.1);
                let gap = if up < 0 { "" } else { " " };
                // Writing into a String cannot fail.
                let _ = write!(path, "m{across}{gap}{up}h{length}");
                at = ((column + length) as i64, row as i64);
            }
            column += length.max(1);
        }
    }
    path
}

/// A factor with four decimals at the most.
fn short(factor: f64) -> String {
    let text = format!("{factor:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRID: Grid = Grid { most_columns: 60, rows: 10 };

    #[test]
    fn operations_are_counted_where_they_belong() {
        let mut map = HeatMap::new(4.0, (1.0, 1024.0), GRID);
        assert!(map.is_empty());
        for (second, latency) in [(0.5, 1.0), (0.5, 1.5), (3.5, 1000.0), (9.0, 5000.0), (2.5, 0.1)]
        {
            map.add(second, latency, 2);
        }
        assert_eq!(map.counts.len(), 4, "a column for each second");
        assert_eq!((map.counts[0][0], map.counts[2][0], map.counts[3][9]), (4, 2, 4));
        assert_eq!(map.counts.iter().flatten().sum::<u64>(), 10);
    }

    #[test]
    fn a_long_trial_has_columns_of_several_whole_seconds() {
        let map = HeatMap::new(601.0, (1.0, 2.0), GRID);
        assert_eq!((map.counts.len(), map.time.1), (55, 605.0));
    }

    #[test]
    fn a_single_operation_shows_beside_many() {
        let mut map = HeatMap::new(2.0, (1.0, 100.0), GRID);
        map.add(0.5, 1.0, 100_000);
        map.add(1.5, 99.0, 1);
        let shades = map.shades();
        assert_eq!((shades[0][0], shades[1][9], shades[1][0]), (SHADES, 1, 0));
    }

    #[test]
    fn cells_side_by_side_are_one_stroke() {
        let mut map = HeatMap::new(5.0, (1.0, 1024.0), GRID);
        for second in [0.5, 1.5, 3.5] {
            map.add(second, 1.0, 1);
        }
        map.add(0.5, 1000.0, 1);
        assert_eq!(runs(&map.shades(), SHADES), "m0 0h2m1 0h1m-4 9h1");
    }

    #[test]
    fn latencies_without_a_logarithm_break_nothing() {
        let mut map = HeatMap::new(0.0, (0.0, 0.0), GRID);
        map.add(0.0, 0.0, 1);
        let time = Scale::exactly((0.0, 1.0), (0.0, 100.0));
        let drawn = map.cells(&time, (46.0, 0.0)).into_string();
        assert!(
            drawn.contains("h1") && !drawn.contains("NaN") && !drawn.contains("inf"),
            "{drawn}"
        );
    }
}
