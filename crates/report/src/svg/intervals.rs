//! One figure for each of several targets, as points with their intervals in rows.

use super::marks::{outline, series_class};
use super::scale::Scale;
use super::{path, px};
use crate::numbers;
use maud::{Markup, html};

/// Height of a row, in pixels.
const ROW: f64 = 40.0;
/// Width of the drawing, in pixels: narrow enough for a phone.
const WIDTH: f64 = 340.0;

/// Points with their intervals on one axis from zero.
pub(crate) struct IntervalChart {
    /// Unique within the page.
    pub(crate) id: String,
    /// What is shown.
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
    /// The figure.
    pub(crate) value: f64,
    /// Ends of its interval.
    pub(crate) bounds: Option<(f64, f64)>,
}

impl IntervalChart {
    /// The chart as an SVG element.
    pub(crate) fn draw(&self) -> Markup {
        let ends = self.rows.iter().flat_map(|row| [row.value, row.bounds.map_or(0.0, |b| b.1)]);
        let x = Scale::from_zero(ends, (12.0, WIDTH - 24.0), 4);
        let bottom = ROW * self.rows.len() as f64;
        html! {
            svg id=(self.id) class="chart rows" viewBox={ "0 0 " (px(WIDTH)) " " (px(bottom + 26.0)) }
                role="img" aria-labelledby={ (self.id) "-title" } {
                title id={ (self.id) "-title" } { (self.title) }
                g class="axes" {
                    @for (value, at) in x.ticks() {
                        line class="grid" x1=(px(at)) x2=(px(at)) y1="0" y2=(px(bottom)) {}
                        text class="middle" x=(px(at)) y=(px(bottom + 18.0)) { (numbers::tick(value)) }
                    }
                }
                @for (i, row) in self.rows.iter().enumerate() {
                    (draw_row(row, &x, (i as f64 + 0.5) * ROW))
                }
            }
        }
    }
}

fn draw_row(row: &Row, x: &Scale, middle: f64) -> Markup {
    let ends = row.bounds.and_then(|(low, high)| Some((x.position(low)?, x.position(high)?)));
    html! {
        g class={ "series " (series_class(row.series)) } data-name=(row.name) {
            text class="name" x="12" y=(px(middle - 7.0)) { (numbers::shortened(&row.name, 44)) title { (row.name) } }
            @if let Some((low, high)) = ends {
                path class="whisker thick" d=(path([(low, middle + 7.0), (high, middle + 7.0)])) {}
            }
            @if let Some(at) = x.position(row.value) {
                path class="mark" d=(outline(row.series)) transform={ "translate(" (px(at)) " " (px(middle + 7.0)) ")" } {}
            }
        }
    }
}
