//! A heat map as a chart of its own.

use super::frame::{Frame, Size};
use super::heat_map::HeatMap;
use super::scale::Scale;
use super::{Body, px, straight, text};
use crate::numbers;
use maud::html;

/// Most marks of the axis of time.
const TIME_MARKS: usize = 8;

/// Latency over time with axes, and what was left out of the measurement.
pub(crate) struct HeatChart {
    pub(crate) map: HeatMap,
    /// From when until when it was not measured, in seconds.
    pub(crate) unmeasured: Vec<(f64, f64)>,
}

impl HeatChart {
    /// The chart without an element around it.
    pub(crate) fn body(&self) -> Body {
        let frame = Frame::new(Size::Wide, (300.0, 0.0));
        let (left, right, bottom) = (frame.left, frame.right_edge(), frame.bottom());
        let (from, until) = self.map.seconds();
        let time = Scale::exactly((from, until), (left, right));
        let marks = Scale::from_zero([until], (left, right), TIME_MARKS);
        let latency = self.map.latency_scale((bottom, frame.top));
        let at = |seconds: f64| time.position(seconds).unwrap_or(left).clamp(left, right);
        let unmeasured = self.unmeasured.iter().map(|(from, until)| (at(*from), at(*until)));
        let content = html! {
            @for (from, until) in unmeasured.filter(|(from, until)| until > from) {
                rect class="warmup" x=(px(from)) y=(px(frame.top)) width=(px(until - from))
                    height=(px(bottom - frame.top)) {}
            }
            g class="axes" {
                @for (value, at) in latency.ticks().filter(|(_, at)| (frame.top..=bottom).contains(at)) {
                    (straight("grid", (left, at), (right, at)))
                    (text("end", (left - 7.0, at + 4.0), &numbers::tick(value)))
                }
                @for (value, _) in marks.ticks() {
                    @if let Some(at) = time.position(value).filter(|at| *at <= right + 0.5) {
                        (straight("notch", (at, bottom), (at, bottom + 5.0)))
                        (text("middle", (at, bottom + 19.0), &numbers::tick(value)))
                    }
                }
                (straight("base", (left, bottom), (right, bottom)))
                (text("middle", ((left + right) / 2.0, frame.height - 6.0), "seconds from the start of the load"))
            }
            (self.map.cells(&time, (bottom, frame.top)))
        };
        Body { width: frame.width, height: frame.height, content }
    }
}
