//! Intervals that crush no axis: what goes far beyond all that was measured ends in an arrow.

use super::scale::Scale;
use super::{path, straight};
use maud::{Markup, html};

/// An interval where it is drawn.
pub(super) struct Whisker {
    /// The position of its lower end, and whether it goes on beyond the axis.
    pub(super) low: (f64, bool),
    pub(super) high: (f64, bool),
}

impl Whisker {
    pub(super) fn clamped((low, high): (f64, f64), scale: &Scale) -> Self {
        Self { low: scale.clamped(low), high: scale.clamped(high) }
    }

    pub(super) fn upright(&self, class: &str, x: f64) -> Markup {
        let (low, high) = (self.low.0, self.high.0);
        let arrow =
            |at: f64, back: f64| path([(x - 3.0, at + back), (x, at), (x + 3.0, at + back)]);
        html! {
            (straight(class, (x, low), (x, high)))
            @if self.low.1 { path class={ (class) " cut" } d=(arrow(low, -4.0)) {} }
            @if self.high.1 { path class={ (class) " cut" } d=(arrow(high, 4.0)) {} }
        }
    }

    pub(super) fn level(&self, class: &str, y: f64) -> Markup {
        let (low, high) = (self.low.0, self.high.0);
        let arrow =
            |at: f64, back: f64| path([(at + back, y - 3.0), (at, y), (at + back, y + 3.0)]);
        html! {
            (straight(class, (low, y), (high, y)))
            @if self.low.1 { path class={ (class) " cut" } d=(arrow(low, 4.0)) {} }
            @if self.high.1 { path class={ (class) " cut" } d=(arrow(high, -4.0)) {} }
        }
    }
}

/// What an axis must reach: all that was measured, and the ends of intervals as far as they are not
/// more than `room` times beyond that.
pub(super) fn with_ends(
    measured: &[f64],
    bounds: impl Iterator<Item = (f64, f64)>,
    room: f64,
) -> Vec<f64> {
    let positive = || measured.iter().copied().filter(|value| value.is_finite() && *value > 0.0);
    let (least, most) = (positive().fold(f64::MAX, f64::min), positive().fold(0.0, f64::max));
    let limited = bounds
        .filter(|_| most > 0.0)
        .flat_map(|(low, high)| [low.max(least / room), high.min(most * room)]);
    let limited: Vec<f64> = limited.collect();
    measured.iter().copied().chain(limited).collect()
}
