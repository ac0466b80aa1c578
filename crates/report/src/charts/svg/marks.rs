//! How a series looks: its class, its marker and its key.

use super::moved_to;
use maud::{Markup, html};

/// Colours that the stylesheet has.
const COLOURS: usize = 8;

/// Outlines of the markers around the origin. Their number and that of the colours have no common
/// factor, so that 56 series all differ in the pair of the two.
const SHAPES: [&str; 7] = [
    "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0Z",
    "M-4 -4H4V4H-4Z",
    "M0 -5.2L5 3.8H-5Z",
    "M0 -5.6L5.6 0L0 5.6L-5.6 0Z",
    "M0 5.2L5 -3.8H-5Z",
    "M-1.7 -5H1.7V-1.7H5V1.7H1.7V5H-1.7V1.7H-5V-1.7H-1.7Z",
    "M-5 -2.6L-2.6 -5L0 -2.4L2.6 -5L5 -2.6L2.4 0L5 2.6L2.6 5L0 2.4L-2.6 5L-5 2.6L-2.4 0Z",
];

/// Classes that give the series of that number its colour and dashes.
pub(crate) fn series_class(series: usize) -> String {
    format!("s{} d{}", series % COLOURS, (series / COLOURS) % 3)
}

/// The outline of a series' marker, around the origin.
pub(super) fn outline(series: usize) -> &'static str {
    SHAPES[series % SHAPES.len()]
}

/// Class of a mark, hollow where what it shows is suspect.
pub(super) fn mark_class(doubtful: bool) -> &'static str {
    if doubtful { "mark hollow" } else { "mark" }
}

/// The key to a series: a piece of its line with its marker, for use in text. The page has
/// [`key_shapes`]; a table of thousands of rows repeats only their names.
pub(crate) fn key(series: usize) -> Markup {
    html! {
        svg class={ "key " (series_class(series)) } aria-hidden="true" {
            use href={ "#key" (series % SHAPES.len()) } {}
        }
    }
}

/// A piece of a series' line with its marker, drawn at a position.
pub(crate) fn sample(series: usize, at: (f64, f64)) -> Markup {
    html! {
        g class=(series_class(series)) transform=(moved_to(at)) {
            path class="line" d="M-12 0H12" {}
            path class="mark" d=(outline(series)) {}
        }
    }
}

/// Classes of the colours that series have.
pub(crate) fn series_colours() -> impl Iterator<Item = String> {
    (0..COLOURS).map(|colour| format!("s{colour}"))
}

/// What keys are drawn with: once in a page.
pub(crate) fn key_shapes() -> Markup {
    html! {
        svg width="0" height="0" aria-hidden="true" {
            @for (shape, outline) in SHAPES.iter().enumerate() {
                symbol id={ "key" (shape) } viewBox="-13 -7 26 14" {
                    path class="line" d="M-12 0H12" {}
                    path class="mark" d=(outline) {}
                }
            }
        }
    }
}

/// A cross for what failed, at a position.
pub(super) fn failure_cross(at: (f64, f64), title: &str) -> Markup {
    html! {
        path class="failure" transform=(moved_to(at))
            d="M-4 -4L4 4M-4 4L4 -4" { title { (title) } }
    }
}
