//! Small charts over time, one above another on a common time axis.

use super::decimate::decimate;
use super::scale::Scale;
use super::{path, px, text, view_box};
use crate::numbers;
use maud::{Markup, html};

/// Width of the drawing, in pixels.
const WIDTH: f64 = 300.0;
/// Height of one panel's plot, in pixels.
const PLOT: f64 = 46.0;
/// Height of a panel with its heading, in pixels.
const PANEL: f64 = PLOT + 20.0;
/// Left edge of the plots: room for the largest number of an axis.
const LEFT: f64 = 46.0;
/// Width of the shortest band, in pixels.
const NARROWEST: f64 = 1.5;

/// Panels over a common time axis.
pub(crate) struct PanelChart {
    pub(crate) title: String,
    /// First and last second; the first may be negative.
    pub(crate) time: (f64, f64),
    /// Until when the load was only warming up, in seconds.
    pub(crate) warmup_until: f64,
    /// What went on beside, behind the lines of all panels.
    pub(crate) bands: Vec<Band>,
    /// From top to bottom.
    pub(crate) panels: Vec<Panel>,
    /// Points that a line may have.
    pub(crate) most_points: usize,
}

/// A stretch of time in which something went on.
pub(crate) struct Band {
    /// Class of the stylesheet.
    pub(crate) class: &'static str,
    /// From when until when, in seconds; either may lie beyond the axis.
    pub(crate) time: (f64, f64),
    /// Stands at its top in the first panel.
    pub(crate) letter: Option<&'static str>,
    pub(crate) title: String,
}

/// One panel.
pub(crate) struct Panel {
    /// What it shows, with the unit.
    pub(crate) heading: String,
    /// What its axis must reach, so that panels of several trials compare.
    pub(crate) largest: f64,
    /// Lines, by class of the stylesheet.
    pub(crate) lines: Vec<Line>,
}

/// A line over time.
pub(crate) struct Line {
    /// Class of the stylesheet.
    pub(crate) class: &'static str,
    /// Seconds from the start of the load, and values.
    pub(crate) points: Vec<(f64, f64)>,
}

impl PanelChart {
    /// The chart as an SVG element.
    pub(crate) fn draw(&self) -> Markup {
        let time = Scale::exactly(self.time, (LEFT, WIDTH - 8.0));
        let bottom = PANEL * self.panels.len() as f64;
        html! {
            svg class="chart panels" viewBox=(view_box(WIDTH, bottom + 18.0))
                role="img" aria-label=(self.title) {
                (self.frames(&time))
                @for (i, panel) in self.panels.iter().enumerate() {
                    (self.panel(panel, &time, i as f64 * PANEL + 16.0))
                }
                @for ((value, at), class) in time.ticks().zip(["axis start", "axis end"]) {
                    (text(class, (at, bottom + 13.0), &format!("{} s", numbers::tick(value.round()))))
                }
            }
        }
    }

    /// What all panels have alike, each kind in one path: hundreds of charts may stand in a page.
    fn frames(&self, time: &Scale) -> Markup {
        let (left, right) = time.range();
        let warm = time.position(self.warmup_until).unwrap_or(left).clamp(left, right);
        let tops = || (0..self.panels.len()).map(|i| i as f64 * PANEL + 16.0);
        let lines = |at: &dyn Fn(f64) -> f64| -> String {
            tops().map(|top| path([(left, at(top)), (right, at(top))])).collect()
        };
        let warmup: String = tops()
            .map(|top| {
                format!("M{} {}h{}v{PLOT}H{}Z", px(left), px(top), px(warm - left), px(left))
            })
            .collect();
        html! {
            @if warm > left { path class="warmup" d=(warmup) {} }
            path class="base" d=(lines(&|top| top + PLOT)) {}
            path class="grid" d=(lines(&|top| top)) {}
        }
    }

    fn panel(&self, panel: &Panel, time: &Scale, top: f64) -> Markup {
        let bottom = top + PLOT;
        let y = Scale::from_zero([panel.largest], (bottom, top), 1);
        let highest = y.ticks().last();
        let (left, _) = time.range();
        html! {
            (text("heading", (left, top - 4.0), &panel.heading))
            @for band in &self.bands { (band.draw(time, top)) }
            @if let Some((value, at)) = highest {
                (text("axis end", (left - 4.0, at + 6.0), &numbers::tick(value)))
            }
            @for line in &panel.lines {
                @let points = decimate(&line.points, self.most_points);
                @let place = |&(t, v): &(f64, f64)| Some((time.position(t)?, y.position(v)?));
                @let placed = points.iter().filter_map(place);
                path class={ "trace " (line.class) } d=(path(placed)) {}
            }
        }
    }
}

impl Band {
    /// From left to right, never too narrow to be seen; nothing where none of it is on the axis.
    fn draw(&self, time: &Scale, top: f64) -> Markup {
        let (left, right) = time.range();
        let at = |seconds: f64| match time.position(seconds) {
            Some(position) => position.clamp(left, right),
            None if seconds < 0.0 => left,
            None => right,
        };
        let (start, end) = (at(self.time.0), at(self.time.1));
        let first = top < PANEL;
        html! {
            @if start < right && end > left {
                rect class=(self.class) x=(px(start)) y=(px(top))
                    width=(px((end - start).max(NARROWEST))) height=(px(PLOT)) {
                    title { (self.title) }
                }
                @if let Some(letter) = self.letter.filter(|_| first) {
                    (text("axis middle", ((start + end) / 2.0, top + 9.0), letter))
                }
            }
        }
    }
}
