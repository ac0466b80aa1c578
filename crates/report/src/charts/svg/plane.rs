//! Two figures of each of several targets against one another: cost and performance.

use super::frame::{Frame, Size};
use super::marks::{mark_class, outline, series_class};
use super::scale::Scale;
use super::whisker::{Whisker, with_ends};
use super::{Body, moved_to, name, path, straight, text, view_box};
use crate::numbers;
use maud::{Markup, html};

/// Space between two labels, in pixels.
const LABEL_GAP: f64 = 15.0;
/// Labels further apart than this do not cover one another, in pixels.
const LABEL_WIDTH: f64 = 130.0;
/// Longest label, in characters.
const LABEL_LENGTH: usize = 22;
/// More points than this have no labels: the legend names them.
const MAX_LABELS: usize = 12;

/// Points with their intervals on two axes from zero.
pub(crate) struct Plane {
    /// Unique within the page.
    pub(crate) id: String,
    pub(crate) title: String,
    /// What the axes count.
    pub(crate) across: String,
    pub(crate) up: String,
    pub(crate) points: Vec<PlanePoint>,
}

/// The ends of an interval.
pub(crate) type Ends = (f64, f64);

/// One target.
pub(crate) struct PlanePoint {
    /// Its place in the study, which decides its look.
    pub(crate) series: usize,
    /// In the user's words.
    pub(crate) name: String,
    pub(crate) at: (f64, f64),
    /// Ends of the interval of each.
    pub(crate) across: Option<Ends>,
    pub(crate) up: Option<Ends>,
    /// Whether a line joins it to the others that are on it.
    pub(crate) on_front: bool,
}

impl Plane {
    /// The chart as an SVG element.
    pub(crate) fn draw(&self) -> Markup {
        let body = self.body();
        html! {
            svg id=(self.id) class="chart plane" viewBox=(view_box(body.width, body.height))
                role="img" aria-labelledby={ (self.id) "-title" } {
                title id={ (self.id) "-title" } { (self.title) }
                (body.content)
            }
        }
    }

    /// The same without the element.
    pub(crate) fn body(&self) -> Body {
        let frame = Frame::new(Size::Wide, (0.0, 118.0));
        let (left, right, bottom) = (frame.left, frame.right_edge(), frame.bottom());
        let axis = |of: fn(&PlanePoint) -> (f64, Option<Ends>), range| {
            let points: Vec<f64> = self.points.iter().map(|point| of(point).0).collect();
            let bounds = self.points.iter().filter_map(|point| of(point).1);
            Scale::from_zero(with_ends(&points, bounds, 1.4), range, 5)
        };
        let x = axis(|point| (point.at.0, point.across), (left, right));
        let y = axis(|point| (point.at.1, point.up), (bottom, frame.top));
        let place = |point: &PlanePoint| Some((x.position(point.at.0)?, y.position(point.at.1)?));
        let placed: Vec<(&PlanePoint, (f64, f64))> =
            self.points.iter().filter_map(|point| Some((point, place(point)?))).collect();
        let mut front: Vec<(f64, f64)> =
            placed.iter().filter(|(point, _)| point.on_front).map(|(_, at)| *at).collect();
        front.sort_by(|a, b| a.0.total_cmp(&b.0));
        let content = html! {
            g class="axes" {
                @for (value, at) in y.ticks() {
                    (straight("grid", (left, at), (right, at)))
                    (text("end", (left - 7.0, at + 4.0), &numbers::tick(value)))
                }
                @for (value, at) in x.ticks() {
                    (straight("notch", (at, bottom), (at, bottom + 5.0)))
                    (text("middle", (at, bottom + 19.0), &numbers::tick(value)))
                }
                (straight("base", (left, bottom), (right, bottom)))
                (text("middle", ((left + right) / 2.0, frame.height - 6.0), &self.across))
                (text("start", (left + 4.0, frame.top + 10.0), &self.up))
            }
            @if front.len() > 1 { path class="front" d=(path(front)) {} }
            @for (point, at) in &placed { (point.draw(*at, &x, &y)) }
            (labels(&placed, (frame.top + 4.0, bottom - 4.0)))
        };
        Body { width: frame.width, height: frame.height, content }
    }

    /// Whether the points have no labels.
    pub(crate) fn needs_legend(&self) -> bool {
        self.points.len() > MAX_LABELS
    }
}

impl PlanePoint {
    fn draw(&self, at: (f64, f64), x: &Scale, y: &Scale) -> Markup {
        let across = self.across.map(|bounds| Whisker::clamped(bounds, x));
        let up = self.up.map(|bounds| Whisker::clamped(bounds, y));
        html! {
            g class={ "series " (series_class(self.series)) } data-name=(self.name) {
                @if let Some(up) = up { (up.upright("whisker", at.0)) }
                @if let Some(across) = across { (across.level("whisker", at.1)) }
                path class=(mark_class(false)) d=(outline(self.series)) transform=(moved_to(at)) {
                    title { (self.name) }
                }
            }
        }
    }
}

/// Names to the right of the points, each below those that would cover it.
fn labels(placed: &[(&PlanePoint, (f64, f64))], room: (f64, f64)) -> Markup {
    if placed.len() > MAX_LABELS {
        return html! {};
    }
    let mut above: Vec<(f64, f64)> = Vec::new();
    let mut order: Vec<&(&PlanePoint, (f64, f64))> = placed.iter().collect();
    order.sort_by(|a, b| a.1.1.total_cmp(&b.1.1));
    for (_, at) in &order {
        let near = above.iter().filter(|label| (label.0 - at.0).abs() < LABEL_WIDTH);
        let lowest = near.map(|label| label.1 + LABEL_GAP).fold(room.0, f64::max);
        above.push((at.0, at.1.max(lowest).min(room.1)));
    }
    html! {
        g class="labels" {
            @for ((point, _), label) in order.into_iter().zip(above) {
                (name((label.0 + 10.0, label.1 + 4.0), &point.name, LABEL_LENGTH))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(name: &str, at: (f64, f64), on_front: bool) -> PlanePoint {
        let up = Some((at.1 * 0.9, at.1 * 1.1));
        PlanePoint { series: 0, name: name.into(), at, across: None, up, on_front }
    }

    #[test]
    fn the_front_joins_its_targets_from_the_cheapest_on() {
        let points = vec![
            point("large", (90.0, 2_000.0), true),
            point("old", (95.0, 900.0), false),
            point("small", (20.0, 700.0), true),
        ];
        let plane = Plane {
            id: "p".into(),
            title: "t".into(),
            across: "EUR".into(),
            up: "transactions/s".into(),
            points,
        };
        let svg = plane.draw().into_string();
        let front = svg.split("class=\"front\" d=\"").nth(1).unwrap().split('"').next().unwrap();
        let xs: Vec<f64> = front[1..]
            .split('L')
            .map(|point| point.split(' ').next().unwrap().parse().unwrap())
            .collect();
        assert!(xs.len() == 2 && xs[0] < xs[1], "{front}");
        assert!(svg.contains(">old<") && !svg.contains("NaN"));
    }
}
