//! Small charts over time, one above another on a common time axis.

use super::decimate::decimate;
use super::heat_map::HeatMap;
use super::scale::Scale;
use super::{Body, LEFT, PLOT, path, px, short_path, text, view_box};
use crate::numbers;
use maud::{Markup, html};

/// Width of the drawing, in pixels.
const WIDTH: f64 = 300.0;
/// Height of a panel with its heading, in pixels.
const PANEL: f64 = PLOT + 20.0;
/// Width of the shortest band, in pixels.
const NARROWEST: f64 = 1.5;

/// Panels over a common time axis.
pub(crate) struct PanelChart {
    pub(crate) title: String,
    /// First and last second; the first may be negative.
    pub(crate) time: (f64, f64),
    /// From when until when it was not measured, in seconds: it warmed up, or others had their turn.
    pub(crate) unmeasured: Vec<(f64, f64)>,
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
#[derive(Default)]
pub(crate) struct Panel {
    /// What it shows, with the unit.
    pub(crate) heading: String,
    /// What its axis must reach, so that panels of several trials compare.
    pub(crate) largest: f64,
    /// Lines, by class of the stylesheet.
    pub(crate) lines: Vec<Line>,
    /// In place of lines and their axis.
    pub(crate) heat: Option<HeatMap>,
}

/// A line over time.
pub(crate) struct Line {
    /// Class of the stylesheet.
    pub(crate) class: &'static str,
    /// Seconds from the start of the load, and values.
    pub(crate) points: Vec<(f64, f64)>,
}

/// The frames that charts of a page have in common: each is drawn once and shown again by name.
pub(crate) struct Frames {
    /// What the ids of these begin with, unique within the page.
    prefix: String,
    known: Vec<String>,
}

impl Frames {
    pub(crate) fn new(prefix: String) -> Self {
        Self { prefix, known: Vec::new() }
    }

    /// The frame itself where it is new, else a reference to it.
    fn place(&mut self, frame: &Markup) -> Markup {
        let known = self.known.iter().position(|known| *known == frame.0);
        let number = known.unwrap_or(self.known.len());
        let id = format!("{}-{number}", self.prefix);
        if known.is_some() {
            return html! { use href={ "#" (id) } {} };
        }
        self.known.push(frame.0.clone());
        html! { g id=(id) class="frame" { (frame) } }
    }
}

impl PanelChart {
    /// The chart as an SVG element, its frame shared with others of the page where it may be.
    pub(crate) fn draw(&self, frames: Option<&mut Frames>) -> Markup {
        let time = self.axis();
        let frame = self.frame(&time);
        html! {
            @let (left, right) = time.range();
            svg class="chart panels" viewBox=(view_box(WIDTH, self.height()))
                role="img" aria-label=(self.title)
                data-time={ (px(self.time.0)) " " (px(self.time.1)) " " (px(left)) " " (px(right)) " " (PLOT) } {
                @if let Some(frames) = frames { (frames.place(&frame)) } @else { g class="frame" { (frame) } }
                (self.lines(&time))
            }
        }
    }

    /// The same without the element and alone.
    pub(crate) fn body(&self) -> Body {
        let time = self.axis();
        let content = html! { g class="frame" { (self.frame(&time)) } (self.lines(&time)) };
        Body { width: WIDTH, height: self.height(), content }
    }

    fn axis(&self) -> Scale {
        Scale::exactly(self.time, (LEFT, WIDTH - 8.0))
    }

    fn height(&self) -> f64 {
        PANEL * self.panels.len() as f64 + 18.0
    }

    /// The panels, each with its top edge.
    fn placed(&self) -> impl Iterator<Item = (&Panel, f64)> {
        self.panels.iter().zip((0..).map(|i| f64::from(i) * PANEL + 16.0))
    }

    fn frame(&self, time: &Scale) -> Markup {
        html! {
            (self.rules(time))
            @for (panel, top) in self.placed() { (panel.names(top)) }
            @for ((value, at), class) in time.ticks().zip(["axis start", "axis end"]) {
                (text(class, (at, self.height() - 5.0), &format!("{} s", numbers::tick(value.round()))))
            }
        }
    }

    fn lines(&self, time: &Scale) -> Markup {
        html! { @for (panel, top) in self.placed() { (self.panel(panel, time, top)) } }
    }

    /// What all panels have alike, each kind in one path.
    fn rules(&self, time: &Scale) -> Markup {
        let (left, right) = time.range();
        let at = |seconds: f64| time.position(seconds).unwrap_or(left).clamp(left, right);
        let unmeasured = self.unmeasured.iter().map(|(from, until)| (at(*from), at(*until)));
        let unmeasured: Vec<_> = unmeasured.filter(|(from, until)| until > from).collect();
        let tops = || (0..self.panels.len()).map(|i| i as f64 * PANEL + 16.0);
        let lines = |at: &dyn Fn(f64) -> f64| -> String {
            tops().map(|top| path([(left, at(top)), (right, at(top))])).collect()
        };
        let shaded = |top: f64| -> String {
            let shade = |(from, until): &(f64, f64)| {
                format!("M{} {}h{}v{PLOT}H{}Z", px(*from), px(top), px(until - from), px(*from))
            };
            unmeasured.iter().map(shade).collect()
        };
        let shades: String = tops().map(shaded).collect();
        html! {
            @if !shades.is_empty() { path class="warmup" d=(shades) {} }
            path class="base" d=(lines(&|top| top + PLOT)) {}
            path class="grid" d=(lines(&|top| top)) {}
        }
    }

    fn panel(&self, panel: &Panel, time: &Scale, top: f64) -> Markup {
        let bottom = top + PLOT;
        let y = panel.scale(top);
        html! {
            @for band in &self.bands { (band.draw(time, top)) }
            @if let Some(heat) = &panel.heat { (heat.cells(time, (bottom, top))) }
            @for line in &panel.lines {
                @let points = decimate(&line.points, self.most_points);
                @let place = |&(t, v): &(f64, f64)| Some((time.position(t)?, y.position(v)?));
                @let placed = points.iter().filter_map(place);
                path class={ "trace " (line.class) } d=(short_path(placed)) {}
            }
        }
    }
}

impl Panel {
    fn scale(&self, top: f64) -> Scale {
        Scale::from_zero([self.largest], (top + PLOT, top), 1)
    }

    /// The heading, and the ends of the axis.
    fn names(&self, top: f64) -> Markup {
        html! {
            (text("heading", (LEFT, top - 4.0), &self.heading))
            @if let Some(heat) = &self.heat { (heat.ends(top)) }
            @else if let Some((value, at)) = self.scale(top).ticks().last() {
                (text("axis end", (LEFT - 4.0, at + 6.0), &numbers::tick(value)))
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
