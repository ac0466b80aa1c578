//! A figure against level: lines with markers, bands for the intervals, labels at their ends.

use super::axes::{HorizontalAxis, VerticalAxis};
use super::frame::{Frame, Size};
use super::labels::spread;
use super::marks::{failure_cross, mark_class, outline, series_class};
use super::overlays::Overlays;
use super::scale::Scale;
use super::whisker::{Whisker, with_ends};
use super::{Body, fine, moved_to, name, path, px, straight, text, view_box};
use crate::numbers;
use maud::{Markup, html};

/// Space between two direct labels, in pixels.
const LABEL_GAP: f64 = 16.0;
/// Longest direct label, in characters; longer names lose their middle.
const LABEL_LENGTH: usize = 24;
/// By how much repeats stand beside their median, in pixels, so that its interval hides none.
const BESIDE: f64 = 7.0;
/// Width of a character of a label, in pixels; on the wide side, for fonts differ.
const CHARACTER: f64 = 7.2;
/// More series than this are hard to tell by the labels at their ends.
const MAX_LABELS: usize = 6;
/// More series than this have whiskers instead of bands, which would hide one another.
const MAX_BANDS: usize = 4;

/// A figure against level.
pub(crate) struct LineChart {
    /// Unique within the page.
    pub(crate) id: String,
    /// What is shown, for those who cannot see it.
    pub(crate) title: String,
    pub(crate) unit: String,
    /// What the axis below shows.
    pub(crate) horizontal: HorizontalAxis,
    /// How the figure's axis runs.
    pub(crate) axis: VerticalAxis,
    /// All places on the axis below, ascending and positive.
    pub(crate) levels: Vec<f64>,
    /// One line each; its place decides its look.
    pub(crate) series: Vec<Series>,
    /// What is drawn over the lines.
    pub(crate) overlays: Overlays,
}

/// One line.
pub(crate) struct Series {
    /// In the user's words.
    pub(crate) name: String,
    /// In order of level.
    pub(crate) points: Vec<Point>,
    /// Drawn in grey behind the others, without marks, intervals and label.
    pub(crate) is_faint: bool,
}

/// One level of a line.
pub(crate) struct Point {
    pub(crate) x: f64,
    /// `None` is a gap.
    pub(crate) value: Option<Value>,
    /// Why there is no value.
    pub(crate) gap: Option<String>,
}

/// A figure with its interval.
#[derive(Clone)]
pub(crate) struct Value {
    pub(crate) y: f64,
    /// Ends of its interval.
    pub(crate) bounds: Option<(f64, f64)>,
    /// The repeats that count, where there are several.
    pub(crate) repeats: Vec<Repeat>,
    /// Whether it rests on suspect trials, or on fewer than were made; such a mark is hollow.
    pub(crate) doubtful: bool,
}

/// One of the figures that a point rests on.
#[derive(Clone)]
pub(crate) struct Repeat {
    pub(crate) number: u32,
    pub(crate) y: f64,
    pub(crate) is_suspect: bool,
}

/// A point where it is drawn.
struct Placed<'a> {
    x: f64,
    y: f64,
    bounds: Option<Whisker>,
    point: (f64, &'a Value),
}

impl LineChart {
    /// The chart as an SVG element.
    pub(crate) fn draw(&self, size: Size) -> Markup {
        let frame = self.frame(size);
        let (x, y) = self.scales(&frame);
        let (id, class) = match size {
            Size::Wide => (format!("{}-wide", self.id), "chart wide"),
            Size::Narrow => (format!("{}-narrow", self.id), "chart narrow"),
        };
        html! {
            svg id=(id) class=(class) viewBox=(view_box(frame.width, frame.height))
                role="img" aria-labelledby={ (id) "-title" } tabindex="0" data-unit=(self.unit)
                data-level=(self.horizontal.units().0) data-levels=(self.horizontal.units().1)
                data-axis=(y.described()) {
                title id={ (id) "-title" } { (self.title) }
                (self.content(size, &frame, (&x, &y)))
                line class="cursor" x1="0" x2="0" y1=(px(frame.top)) y2=(px(frame.bottom())) {}
            }
        }
    }

    /// The wide chart for a file of its own.
    pub(crate) fn body(&self) -> Body {
        let frame = self.frame(Size::Wide);
        let (x, y) = self.scales(&frame);
        let content = self.content(Size::Wide, &frame, (&x, &y));
        Body { width: frame.width, height: frame.height, content }
    }

    fn content(&self, size: Size, frame: &Frame, (x, y): (&Scale, &Scale)) -> Markup {
        let placed: Vec<Vec<Option<Placed>>> =
            self.series.iter().map(|series| placed(series, x, y)).collect();
        html! {
            (self.axes(frame, x, y))
            @for (i, points) in placed.iter().enumerate() {
                @if self.series[i].is_faint { (self.faint_line(i, points)) }
            }
            @for (i, points) in self.clear(&placed) { (self.intervals(i, points)) }
            (self.overlays.draw(frame, x, y))
            @for (i, points) in self.clear(&placed) { (self.line(size, i, points, y)) }
            (self.gaps(x, y.range().0))
            @if size == Size::Wide { (self.labels(frame, &placed)) }
        }
    }

    /// Whether the labels of the wide chart don't suffice: they leave out parts of names, there are
    /// too many of them to follow, or a series has nothing but crosses to put one beside.
    pub(crate) fn needs_legend(&self) -> bool {
        self.clear_series().count() > MAX_LABELS
            || self.clear_series().any(|series| {
                series.name.chars().count() > LABEL_LENGTH
                    || series.points.iter().all(|point| point.value.is_none())
            })
    }

    fn clear_series(&self) -> impl Iterator<Item = &Series> {
        self.series.iter().filter(|series| !series.is_faint)
    }

    /// What belongs to the series that are not faint, with their numbers.
    fn clear<'a, T>(&self, each: &'a [T]) -> impl Iterator<Item = (usize, &'a T)> {
        each.iter().enumerate().filter(|(i, _)| !self.series[*i].is_faint)
    }

    fn frame(&self, size: Size) -> Frame {
        let names = self.clear_series().map(|series| series.name.chars().count());
        let longest = names.map(|length| length.min(LABEL_LENGTH)).max().unwrap_or(0);
        let labels = (self.clear_series().count() as f64 * LABEL_GAP, longest as f64 * CHARACTER);
        let mut frame = Frame::new(size, labels);
        let marks =
            self.vertical(&frame).ticks().map(|(value, _)| numbers::tick(value).len()).max();
        frame.left = frame.left.max(marks.unwrap_or(0) as f64 * CHARACTER + 14.0);
        frame
    }

    fn scales(&self, frame: &Frame) -> (Scale, Scale) {
        // A margin inside the frame keeps markers off the axis.
        let x = Scale::log_levels(&self.levels, (frame.left + 12.0, frame.right_edge() - 8.0));
        (x, self.vertical(frame))
    }

    fn vertical(&self, frame: &Frame) -> Scale {
        let points = self.series.iter().flat_map(|series| &series.points);
        let values: Vec<&Value> = points.filter_map(|point| point.value.as_ref()).collect();
        let measured = values
            .iter()
            .flat_map(|value| value.repeats.iter().map(|repeat| repeat.y).chain([value.y]));
        let measured: Vec<f64> = measured.chain(self.overlays.figures()).collect();
        let bounds = values.iter().filter_map(|value| value.bounds);
        let range = (frame.bottom(), frame.top);
        match self.axis {
            VerticalAxis::FromZero => Scale::from_zero(with_ends(&measured, bounds, 1.4), range, 5),
            VerticalAxis::Log => Scale::log(with_ends(&measured, bounds, 2.0), range),
        }
    }

    fn axes(&self, frame: &Frame, x: &Scale, y: &Scale) -> Markup {
        let (left, right, bottom) = (frame.left, frame.right_edge(), frame.bottom());
        let below = ((left + right) / 2.0, frame.height - 6.0);
        html! {
            g class="axes" {
                g class="ticks" {
                    @for (value, at) in y.ticks() {
                        (straight("grid", (left, at), (right, at)))
                        (text("end", (left - 7.0, at + 4.0), &numbers::tick(value)))
                    }
                }
                @for (value, at) in self.spaced(x, frame) {
                    (straight("notch", (at, bottom), (at, bottom + 5.0)))
                    (text("middle", (at, bottom + 19.0), &self.horizontal.mark(value)))
                }
                (straight("base", (left, bottom), (right, bottom)))
                (text("middle", below, &self.horizontal.name()))
            }
        }
    }

    /// Marks of the axis below whose texts don't touch; the highest is always among them.
    fn spaced(&self, x: &Scale, frame: &Frame) -> Vec<(f64, f64)> {
        let mut kept: Vec<(f64, f64)> = Vec::new();
        let marks: Vec<(f64, f64)> = x.ticks().collect();
        for (value, at) in marks.into_iter().rev() {
            let width = self.horizontal.mark(value).len() as f64 * CHARACTER + 6.0;
            if at >= frame.left && kept.last().is_none_or(|(_, right)| right - at >= width) {
                kept.push((value, at));
            }
        }
        kept
    }

    /// Bands where they can be told apart, else whiskers; whiskers too where a band has no width.
    fn intervals(&self, series: usize, points: &[Option<Placed>]) -> Markup {
        let bands = self.clear_series().count() <= MAX_BANDS;
        html! {
            g class={ "intervals " (series_class(series)) } data-s=(series) {
                @if bands {
                    @for outline in band_outlines(points) {
                        path class="band" d={ (path(outline)) "Z" } {}
                    }
                }
                @for placed in points.iter().flatten() {
                    @if let Some(whisker) = &placed.bounds { (whisker.upright("whisker", placed.x)) }
                }
            }
        }
    }

    /// Every repeat as a dot: pieces of a line without length, which its round ends make dots.
    fn repeats(&self, points: &[Option<Placed>], y: &Scale) -> Markup {
        let mut dots = String::new();
        for placed in points.iter().flatten() {
            for at in placed.point.1.repeats.iter().filter_map(|repeat| y.position(repeat.y)) {
                dots += &format!("M{} {}h0", px(placed.x + BESIDE), fine(at));
            }
        }
        html! { @if !dots.is_empty() { path class="repeats" d=(dots) {} } }
    }

    fn faint_line(&self, series: usize, points: &[Option<Placed>]) -> Markup {
        html! {
            g class="faint" data-s="faint" {
                title { (self.series[series].name) }
                @for run in runs(points) {
                    path class="line" d=(path(run.iter().map(|p| (p.x, p.y)))) {}
                }
            }
        }
    }

    fn line(&self, size: Size, series: usize, points: &[Option<Placed>], y: &Scale) -> Markup {
        html! {
            g class={ "series " (series_class(series)) } data-s=(series) data-name=(self.series[series].name) {
                (self.repeats(points, y))
                @for run in runs(points) {
                    @if run.len() > 1 {
                        path class="line" d=(path(run.iter().map(|p| (p.x, p.y)))) {}
                    }
                }
                @for placed in points.iter().flatten() {
                    @let (x, value) = placed.point;
                    path class=(mark_class(value.doubtful)) d=(outline(series)) transform=(moved_to((placed.x, placed.y)))
                        data-x=(self.horizontal.mark(x)) data-y=(numbers::figure(value.y))
                        data-range=[value.bounds.map(|(low, high)| numbers::range(low, high))]
                        data-repeats=[told(value).filter(|_| size == Size::Wide)] {}
                }
            }
        }
    }

    /// Crosses on the base line where all trials of a cell failed; several at one level stand on
    /// top of one another.
    fn gaps(&self, x: &Scale, base: f64) -> Markup {
        html! {
            @for &level in &self.levels {
                @let failed = self.failed_at(level);
                @for (above, (series, why)) in failed.into_iter().enumerate() {
                    @if let Some(at) = x.position(level) {
                        @let above = base - 8.0 - 12.0 * above as f64;
                        g class=(series_class(series)) data-s=(series) { (failure_cross((at, above), &why)) }
                    }
                }
            }
        }
    }

    /// The series that have no figure at a level because its trials failed, each with its reason.
    fn failed_at(&self, level: f64) -> Vec<(usize, String)> {
        let (_, many) = self.horizontal.units();
        let mut failed = Vec::new();
        for (i, series) in self.series.iter().enumerate() {
            let at_level = series.points.iter().filter(|point| point.x == level);
            failed.extend(at_level.filter_map(|point| {
                let why = point.gap.as_ref()?;
                Some((i, format!("{}, {level} {many}: {why}", series.name)))
            }));
        }
        failed
    }

    /// Names at the ends of the lines, with a leader where a name had to make room.
    fn labels(&self, frame: &Frame, placed: &[Vec<Option<Placed>>]) -> Markup {
        let ends: Vec<(usize, f64, f64)> = self
            .clear(placed)
            .filter_map(|(i, points)| points.iter().flatten().last().map(|p| (i, p.x, p.y)))
            .collect();
        let wanted: Vec<f64> = ends.iter().map(|end| end.2).collect();
        let at = spread(&wanted, LABEL_GAP, (frame.top + 4.0, frame.bottom() - 4.0));
        let left = frame.right_edge() + 16.0;
        html! {
            g class="labels" {
                @for ((series, x, y), label) in ends.into_iter().zip(at) {
                    @let class = format!("leader {}", series_class(series));
                    g data-s=(series) {
                        (straight(&class, (x + 7.0, y), (left - 3.0, label)))
                        (name((left, label + 4.0), &self.series[series].name, LABEL_LENGTH))
                    }
                }
            }
        }
    }
}

/// The repeats of a point for the script, which shows those of one level: `1:907 2:911?`.
fn told(value: &Value) -> Option<String> {
    let told = value.repeats.iter().map(|repeat| {
        let doubt = if repeat.is_suspect { "?" } else { "" };
        format!("{}:{}{doubt}", repeat.number, numbers::figure(repeat.y))
    });
    let told = told.collect::<Vec<String>>().join(" ");
    (!told.is_empty()).then_some(told)
}

fn placed<'a>(series: &'a Series, x: &Scale, y: &Scale) -> Vec<Option<Placed<'a>>> {
    let place = |point: &'a Point| {
        let value = point.value.as_ref()?;
        Some(Placed {
            x: x.position(point.x)?,
            y: y.position(value.y)?,
            bounds: value.bounds.map(|bounds| Whisker::clamped(bounds, y)),
            point: (point.x, value),
        })
    };
    series.points.iter().map(place).collect()
}

/// Around the intervals of each stretch of points that have one.
fn band_outlines(points: &[Option<Placed>]) -> Vec<Vec<(f64, f64)>> {
    let ends: Vec<Option<(f64, f64, f64)>> = points
        .iter()
        .map(|point| {
            let point = point.as_ref()?;
            point.bounds.as_ref().map(|whisker| (point.x, whisker.low.0, whisker.high.0))
        })
        .collect();
    let outline = |run: &[Option<(f64, f64, f64)>]| {
        let upper = run.iter().flatten().map(|&(x, _, high)| (x, high));
        let lower = run.iter().flatten().rev().map(|&(x, low, _)| (x, low));
        upper.chain(lower).collect()
    };
    ends.split(Option::is_none).filter(|run| run.len() > 1).map(outline).collect()
}

/// Stretches of points without a gap.
fn runs<'a>(points: &'a [Option<Placed<'a>>]) -> impl Iterator<Item = Vec<&'a Placed<'a>>> {
    points.split(Option::is_none).map(|run| run.iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level_axis::LevelAxis;

    fn chart(axis: VerticalAxis, values: &[Option<(f64, f64, f64)>]) -> LineChart {
        let levels: Vec<f64> = (0..values.len()).map(|i| f64::from(1 << i)).collect();
        let point = |(x, value): (&f64, &Option<(f64, f64, f64)>)| Point {
            x: *x,
            value: value.map(|(low, y, high)| Value {
                y,
                bounds: Some((low, high)),
                repeats: vec![],
                doubtful: false,
            }),
            gap: value.is_none().then(|| "server lost".to_owned()),
        };
        let points = levels.iter().zip(values).map(point).collect();
        LineChart {
            id: "c".into(),
            title: "t".into(),
            unit: "ms".into(),
            horizontal: HorizontalAxis::Level(LevelAxis::Clients),
            axis,
            levels: levels.clone(),
            series: vec![Series { name: "a".into(), points, is_faint: false }],
            overlays: Overlays::default(),
        }
    }

    #[test]
    fn bands_lie_inside_the_axes() {
        for axis in [VerticalAxis::FromZero, VerticalAxis::Log] {
            let chart = chart(axis, &[Some((3.0, 5.0, 80.0)), Some((900.0, 1_000.0, 4_800.0))]);
            let frame = chart.frame(Size::Wide);
            let (x, y) = chart.scales(&frame);
            for placed in placed(&chart.series[0], &x, &y).into_iter().flatten() {
                let whisker = placed.bounds.unwrap();
                let (low, high) = (whisker.low.0, whisker.high.0);
                assert!(high >= frame.top - 1e-9 && low <= frame.bottom() + 1e-9);
                assert!(high < placed.y && placed.y < low);
                assert!(placed.x >= frame.left && placed.x <= frame.right_edge());
            }
        }
    }

    #[test]
    fn a_level_without_a_figure_is_a_gap_with_a_cross() {
        let v = Some((1.0, 2.0, 3.0));
        let svg = chart(VerticalAxis::FromZero, &[v, v, None, v, v]).draw(Size::Wide).into_string();
        assert_eq!(svg.matches("class=\"line\"").count(), 2);
        assert_eq!(svg.matches("class=\"failure\"").count(), 1);
        assert!(svg.contains("a, 4 clients: server lost"));
    }

    #[test]
    fn values_that_a_log_axis_cannot_show_are_left_out() {
        let chart = chart(VerticalAxis::Log, &[Some((0.0, 0.0, 0.0)), Some((1.0, f64::NAN, 2.0))]);
        let svg = chart.draw(Size::Narrow).into_string();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert_eq!(svg.matches("class=\"mark\"").count(), 0);
    }

    #[test]
    fn one_wide_interval_crushes_no_axis_and_ends_in_an_arrow() {
        let near = Some((900.0, 1_000.0, 1_100.0));
        let plain = chart(VerticalAxis::FromZero, &[near, near]);
        let wide = chart(VerticalAxis::FromZero, &[near, Some((1.0, 1_000.0, 90_000.0))]);
        let height = |chart: &LineChart| {
            let frame = chart.frame(Size::Wide);
            frame.bottom() - chart.vertical(&frame).position(1_000.0).unwrap()
        };
        assert!(height(&wide) > height(&plain) / 2.0, "{} {}", height(&wide), height(&plain));
        assert_eq!(wide.draw(Size::Wide).into_string().matches("class=\"whisker cut\"").count(), 1);
        assert_eq!(plain.draw(Size::Wide).into_string().matches("whisker cut").count(), 0);
    }

    #[test]
    fn every_repeat_is_a_dot() {
        let mut chart = chart(VerticalAxis::Log, &[Some((1.0, 2.0, 3.0)), Some((1.0, 2.0, 3.0))]);
        for (point, repeats) in chart.series[0].points.iter_mut().zip([vec![], vec![1.0, 2.0, 9.0]])
        {
            let repeats = (1..).zip(repeats);
            let repeats = repeats.map(|(number, y)| Repeat { number, y, is_suspect: number == 2 });
            point.value.as_mut().unwrap().repeats = repeats.collect();
        }
        let svg = chart.draw(Size::Narrow).into_string();
        let dots = svg.split("class=\"repeats\" d=\"").nth(1).unwrap().split('"').next().unwrap();
        assert_eq!(dots.matches("h0").count(), 3);
        assert!(!svg.contains("data-repeats"), "they are told once, in the wide chart");
        let svg = chart.draw(Size::Wide).into_string();
        assert!(svg.contains("data-repeats=\"1:1.00 2:2.00? 3:9.00\""), "{svg}");
    }

    #[test]
    fn a_band_does_not_span_a_point_without_interval() {
        let v = Some((1.0, 2.0, 3.0));
        let mut chart = chart(VerticalAxis::FromZero, &[v, v, v, v, v]);
        chart.series[0].points[2].value =
            Some(Value { y: 2.0, bounds: None, repeats: vec![], doubtful: true });
        let svg = chart.draw(Size::Wide).into_string();
        assert_eq!(svg.matches("class=\"band\"").count(), 2);
        assert_eq!(svg.matches("class=\"whisker\"").count(), 4);
        assert_eq!(svg.matches("class=\"mark hollow\"").count(), 1);
        assert_eq!(svg.matches("class=\"line\"").count(), 1, "the line itself goes on");
    }
}
