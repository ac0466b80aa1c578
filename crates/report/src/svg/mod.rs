//! A small SVG writer for the charts of a report.
//!
//! Marks carry classes (`s0` … `s7` for a series' colour) and `data-` attributes; the page's
//! stylesheet holds the colours, and its script the cross-hair. Domains come from the data, bands
//! included, and nothing is clamped into them. A series is told apart by the shape of its markers
//! and its dashes as well as by its colour.

mod decimate;
mod frame;
mod intervals;
mod labels;
mod line_chart;
mod marks;
mod overlays;
mod panels;
mod plane;
mod scale;
mod whisker;

pub(crate) use frame::Size;
pub(crate) use intervals::{IntervalChart, Row};
pub(crate) use line_chart::{Across, LineChart, Point, Series, Value, VerticalAxis};
pub(crate) use marks::{key, key_shapes};
pub(crate) use overlays::{Crossing, Law, Overlays};
pub(crate) use panels::{Band, Line, Panel, PanelChart};
pub(crate) use plane::{Plane, PlanePoint};

use crate::numbers;
use maud::{Markup, html};
use std::fmt::Write;

/// A coordinate, to a tenth of a pixel and without needless digits.
fn px(position: f64) -> String {
    let text = format!("{position:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// An SVG path through points.
fn path(points: impl IntoIterator<Item = (f64, f64)>) -> String {
    let mut path = String::new();
    for (i, (x, y)) in points.into_iter().enumerate() {
        let command = if i == 0 { 'M' } else { 'L' };
        // Writing into a String cannot fail.
        let _ = write!(path, "{command}{} {}", px(x), px(y));
    }
    path
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
    format!("translate({} {})", px(x), px(y))
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
    }
}
