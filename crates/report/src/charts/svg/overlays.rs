//! What is drawn over the lines of a chart: fitted laws, and where lines cross.

use super::frame::Frame;
use super::marks::series_class;
use super::scale::Scale;
use super::{path, px, straight};
use maud::{Markup, html};

/// What is drawn over the lines of a chart.
#[derive(Default)]
pub(crate) struct Overlays {
    pub(crate) laws: Vec<Law>,
    pub(crate) crossings: Vec<Crossing>,
}

/// A curve that was fitted to a series.
pub(crate) struct Law {
    /// Place of the series.
    pub(crate) series: usize,
    pub(crate) title: String,
    /// Level and figure.
    pub(crate) points: Vec<(f64, f64)>,
}

/// Where one line overtakes another.
pub(crate) struct Crossing {
    /// Places of the two series.
    pub(crate) series: (usize, usize),
    pub(crate) at: f64,
    /// Ends of its interval.
    pub(crate) bounds: Option<(f64, f64)>,
    /// What crosses.
    pub(crate) title: String,
}

impl Overlays {
    /// The figures of all curves, for which the axis must have room.
    pub(super) fn figures(&self) -> impl Iterator<Item = f64> {
        self.laws.iter().flat_map(|law| &law.points).map(|(_, figure)| *figure)
    }

    /// All of them, in a frame with these scales.
    pub(super) fn draw(&self, frame: &Frame, x: &Scale, y: &Scale) -> Markup {
        html! {
            @for crossing in &self.crossings { (crossing.draw(frame, x)) }
            @for law in &self.laws {
                @let points = law.points.iter();
                @let placed = points.filter_map(|&(n, v)| Some((x.position(n)?, y.position(v)?)));
                g class=(series_class(law.series)) data-s=(law.series) {
                    path class="law" d=(path(placed)) { title { (law.title) } }
                }
            }
        }
    }
}

impl Crossing {
    fn draw(&self, frame: &Frame, x: &Scale) -> Markup {
        let ends = self.bounds.and_then(|(low, high)| Some((x.position(low)?, x.position(high)?)));
        html! {
            @if let Some(at) = x.position(self.at) {
                g data-s={ (self.series.0) " " (self.series.1) } {
                    title { (self.title) }
                    @if let Some((from, to)) = ends {
                        rect class="crossing-interval" x=(px(from)) y=(px(frame.top))
                            width=(px(to - from)) height=(px(frame.bottom() - frame.top)) {}
                    }
                    (straight("crossing", (at, frame.top), (at, frame.bottom())))
                }
            }
        }
    }
}
