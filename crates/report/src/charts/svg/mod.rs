//! A small SVG writer for the charts of a report.
//!
//! Marks carry classes (`s0` … `s7` for a series' colour) and `data-` attributes; the page's
//! stylesheet holds the colours, and its script the cross-hair. Domains come from the data, bands
//! included, and nothing is clamped into them. A series is told apart by the shape of its markers
//! and its dashes as well as by its colour.

mod axes;
mod decimate;
mod frame;
mod heat_chart;
mod heat_map;
mod intervals;
mod labels;
mod line_chart;
mod marks;
mod overlays;
mod panels;
mod plane;
mod scale;
pub(crate) mod spark;
mod whisker;

pub(crate) use axes::{HorizontalAxis, VerticalAxis};
pub(crate) use frame::Size;
pub(crate) use heat_chart::HeatChart;
pub(crate) use heat_map::{Grid, HeatMap};
pub(crate) use intervals::{IntervalChart, Row};
pub(crate) use line_chart::{LineChart, Point, Repeat, Series, Value};
pub(crate) use marks::{key, key_shapes, sample, series_colours};
pub(crate) use overlays::{Crossing, Law, Overlays};
pub(crate) use panels::{Band, Frames, Line, Panel, PanelChart};
pub(crate) use plane::{Plane, PlanePoint};

use crate::numbers;
use maud::{Markup, html};
use std::fmt::Write;

/// Height of one panel's plot, in pixels.
const PLOT: f64 = 46.0;
/// Left edge of the plots: room for the largest number of an axis.
const LEFT: f64 = 46.0;

/// A chart without the element around it, for a file of its own.
pub(crate) struct Body {
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) content: Markup,
}

/// A coordinate, to a tenth of a pixel and without needless digits.
fn px(position: f64) -> String {
    model::deadline::look();
    let text = format!("{position:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// The same to a hundredth: finer than anybody sees, but the page's script reads values back from it
/// where it draws an axis anew.
fn fine(position: f64) -> String {
    let text = format!("{position:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// An SVG path through points.
fn path(points: impl IntoIterator<Item = (f64, f64)>) -> String {
    let mut path = String::new();
    for (i, (x, y)) in points.into_iter().enumerate() {
        let command = if i == 0 { 'M' } else { 'L' };
        // Writing into a String cannot fail.
        let _ = write!(path, "{command}{} {}", px(x), fine(y));
    }
    path
}

/// An SVG path through many points, each told by its distance from the one before: half as long.
fn short_path(points: impl IntoIterator<Item = (f64, f64)>) -> String {
    // Whole tenths of a pixel, so that rounding does not add up.
    let tenths = |position: f64| (position * 10.0).round() as i64;
    let mut points = points.into_iter().map(|(x, y)| (tenths(x), tenths(y)));
    let Some(mut before) = points.next() else { return String::new() };
    let mut path = format!("M{} {}", px(before.0 as f64 / 10.0), px(before.1 as f64 / 10.0));
    for (i, at) in points.enumerate() {
        path.push(if i == 0 { 'l' } else { ' ' });
        for (axis, moved) in [at.0 - before.0, at.1 - before.1].into_iter().enumerate() {
            let text = px(moved as f64 / 10.0);
            // A sign or a point separates as well as a space does.
            let text = text.strip_prefix("0.").map_or(text.clone(), |rest| format!(".{rest}"));
            let text = text.strip_prefix("-0.").map_or(text.clone(), |rest| format!("-.{rest}"));
            if axis == 1 && !text.starts_with('-') {
                path.push(' ');
            }
            path.push_str(&text);
        }
        before = at;
    }
    path.replace(" -", "-")
}

/// A straight line of that class.
fn straight(class: &str, from: (f64, f64), to: (f64, f64)) -> Markup {
    html! { path class=(class) d=(path([from, to])) {} }
}

/// Text of that class, its base line at a position.
fn text(class: &str, (x, y): (f64, f64), text: &str) -> Markup {
    html! { text class=(class) x=(px(x)) y=(px(y)) { (text) } }
}

/// The name of a target, shortened to so many characters; whole for those who point at it.
fn name((x, y): (f64, f64), name: &str, most: usize) -> Markup {
    html! {
        text class="name" x=(px(x)) y=(px(y)) {
            (numbers::shortened(name, most))
            title { (name) }
        }
    }
}

/// The attribute that moves a mark to a position.
fn moved_to((x, y): (f64, f64)) -> String {
    format!("translate({} {})", px(x), fine(y))
}

/// The attribute that gives a drawing its size.
fn view_box(width: f64, height: f64) -> String {
    format!("0 0 {} {}", px(width), px(height))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_short() {
        assert_eq!(px(12.0), "12");
        assert_eq!(px(12.34), "12.3");
        assert_eq!(px(-0.01), "0");
        assert_eq!(path([(0.0, 1.0), (2.5, 3.0)]), "M0 1L2.5 3");
        assert_eq!(fine(12.346), "12.35");
        assert_eq!(fine(10.0), "10");
    }

    #[test]
    fn a_short_path_tells_distances_and_its_rounding_does_not_add_up() {
        assert_eq!(short_path([]), "");
        assert_eq!(short_path([(1.0, 2.0), (1.5, 1.75), (0.0, 1.8)]), "M1 2l.5-.2-1.5 0");
        let thirds = short_path((0..=300).map(|i| (f64::from(i) / 3.0, 5.0)));
        let steps = thirds.split('l').nth(1).unwrap().split_whitespace().step_by(2);
        let end: f64 = steps.map(|step| step.parse::<f64>().unwrap()).sum();
        assert!((end - 100.0).abs() < 0.06, "{end}");
    }
}
