//! One figure for each of several targets, as points with their intervals in rows.

use super::marks::{mark_class, outline, series_class};
use super::scale::Scale;
use super::whisker::{Whisker, with_ends};
use super::{Body, moved_to, name, px, straight, text, view_box};
use crate::numbers;
use maud::{Markup, html};

/// Height of a row, in pixels.
const ROW: f64 = 40.0;
/// Longest name of a target, in characters.
const LONGEST_NAME: usize = 44;
/// Width of the drawing, in pixels: narrow enough for a phone.
const WIDTH: f64 = 340.0;

/// Points with their intervals on one axis from zero.
pub(crate) struct IntervalChart {
    /// Unique within the page.
    pub(crate) id: String,
    pub(crate) title: String,
    /// From top to bottom.
    pub(crate) rows: Vec<Row>,
}

/// One target's figure.
pub(crate) struct Row {
    /// Its place in the study, which decides its look.
    pub(crate) series: usize,
    /// In the user's words.
    pub(crate) name: String,
    pub(crate) value: f64,
    /// Ends of its interval.
    pub(crate) bounds: Option<(f64, f64)>,
    /// The figures of the repeats that count, where there are several.
    pub(crate) repeats: Vec<f64>,
    /// Whether it rests on suspect trials, or on fewer than were made; such a mark is hollow.
    pub(crate) doubtful: bool,
}

impl IntervalChart {
    /// The chart as an SVG element.
    pub(crate) fn draw(&self) -> Markup {
        let body = self.body();
        html! {
            svg id=(self.id) class="chart rows" viewBox=(view_box(body.width, body.height))
                role="img" aria-labelledby={ (self.id) "-title" } {
                title id={ (self.id) "-title" } { (self.title) }
                (body.content)
            }
        }
    }

    /// The same without the element.
    pub(crate) fn body(&self) -> Body {
        let measured = self.rows.iter().flat_map(|row| row.repeats.iter().chain([&row.value]));
        let measured: Vec<f64> = measured.copied().collect();
        let bounds = self.rows.iter().filter_map(|row| row.bounds);
        let x = Scale::from_zero(with_ends(&measured, bounds, 1.4), (12.0, WIDTH - 24.0), 4);
        let bottom = ROW * self.rows.len() as f64;
        let content = html! {
            g class="axes" {
                @for (value, at) in x.ticks() {
                    (straight("grid", (at, 0.0), (at, bottom)))
                    (text("middle", (at, bottom + 18.0), &numbers::tick(value)))
                }
            }
            @for (i, row) in self.rows.iter().enumerate() {
                (draw_row(row, &x, (i as f64 + 0.5) * ROW))
            }
        };
        Body { width: WIDTH, height: bottom + 26.0, content }
    }
}

fn draw_row(row: &Row, x: &Scale, middle: f64) -> Markup {
    let whisker = row.bounds.map(|bounds| Whisker::clamped(bounds, x));
    let at = |value: &f64| Some(format!("M{} {}h0", px(x.position(*value)?), px(middle + 7.0)));
    let dots: String = row.repeats.iter().filter_map(at).collect();
    html! {
        g class={ "series " (series_class(row.series)) } data-name=(row.name) {
            (name((12.0, middle - 7.0), &row.name, LONGEST_NAME))
            @if let Some(whisker) = whisker { (whisker.level("whisker thick", middle + 7.0)) }
            @if !dots.is_empty() { path class="repeats" d=(dots) {} }
            @if let Some(at) = x.position(row.value) {
                path class=(mark_class(row.doubtful)) d=(outline(row.series)) transform=(moved_to((at, middle + 7.0))) {}
            }
        }
    }
}
