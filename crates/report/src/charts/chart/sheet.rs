//! A chart on a sheet of its own: heading, legend, colours.

use super::{ChartRequest, coloured, source};
use crate::charts::svg::{self, Body};
use crate::charts::timelines::KeySample;
use crate::formats::html;
use crate::mark;
use crate::numbers::shortened;
use analyse::{Analysis, TestAnalysis};
use maud::{Markup, PreEscaped, html as markup};
use model::TrialKey;

/// What the classes of a drawing look like, colours by the names that the page's style sheet has.
const STYLE: &str = include_str!("style.css");
/// Around the chart, in pixels.
const MARGIN: f64 = 20.0;
/// Height of the two lines above the chart.
const HEAD: f64 = 46.0;
/// Height of a line of the legend.
const LINE: f64 = 20.0;
/// Width of a character, on the wide side, for fonts differ.
const CHARACTER: f64 = 7.2;
/// Longest name in the legend, in characters.
const LONGEST_NAME: usize = 40;

/// Colours for a light background or a dark one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    Light,
    Dark,
}

/// A chart with what stands around it.
pub(super) struct Sheet {
    heading: String,
    hint: String,
    body: Body,
    legend: Legend,
    /// The trial that it is of, where it is of one.
    trial: Option<String>,
    /// Whether lines of text must be broken for a narrow drawing.
    is_narrow: bool,
}

impl Sheet {
    pub(super) fn new(heading: &str, hint: &str, body: Body) -> Self {
        let is_narrow = body.width < 500.0;
        Self {
            heading: heading.to_owned(),
            hint: hint.to_owned(),
            body,
            legend: Legend::None,
            trial: None,
            is_narrow,
        }
    }

    /// With the targets, where the drawing does not name them.
    pub(super) fn with_legend(self, has_legend: bool) -> Self {
        Self { legend: if has_legend { Legend::Targets } else { Legend::None }, ..self }
    }

    /// With what lines and shades over time are.
    pub(super) fn with_lines(self, lines: Vec<(KeySample, &'static str)>) -> Self {
        Self { legend: Legend::Lines(lines), ..self }
    }

    pub(super) fn of_trial(self, key: &TrialKey) -> Self {
        Self { trial: Some(key.to_string()), ..self }
    }

    /// The whole drawing.
    pub(super) fn draw(
        &self,
        analysis: &Analysis,
        test: &TestAnalysis,
        request: &ChartRequest,
    ) -> String {
        let width = self.body.width + 2.0 * MARGIN;
        let room = (self.body.width / CHARACTER) as usize;
        let (legend, legend_height) = self.legend(analysis, test);
        let top = MARGIN + HEAD + if self.is_narrow { LINE } else { 0.0 } + legend_height;
        let height = top + self.body.height + MARGIN;
        let shown = f64::from(request.width);
        let source = source(analysis, test, self.trial.as_deref(), room);
        let hint = if self.is_narrow { 2.0 * LINE } else { 0.0 };
        let content = markup! {
            title { (self.heading) ", " (test.test) }
            style { (PreEscaped(style(request.theme))) }
            rect class="paper" width=(width) height=(height) {}
            text class="title" x=(MARGIN) y=(MARGIN + 12.0) { (shortened(&self.heading, room * 3 / 4)) }
            @if self.is_narrow {
                text class="said" x=(MARGIN) y=(MARGIN + 12.0 + LINE) { (shortened(&self.hint, room)) }
            } @else {
                text class="said end" x=(width - MARGIN) y=(MARGIN + 12.0) {
                    @if self.heading.chars().count() + self.hint.chars().count() < room * 3 / 4 { (self.hint) }
                }
            }
            text class="said" x=(MARGIN) y=(MARGIN + 12.0 + hint.max(LINE)) { (shortened(&source, room)) }
            (legend)
            svg class="chart" x=(MARGIN) y=(top) width=(self.body.width) height=(self.body.height)
                viewBox={ "0 0 " (self.body.width) " " (self.body.height) } { (self.body.content) }
        };
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{shown}\" height=\"{:.0}\" viewBox=\"0 0 {width} {height}\" role=\"img\">\n{}\n{}\n</svg>\n",
            shown * height / width,
            mark::CHART,
            content.into_string()
        )
    }

    /// Keys with names in lines, and the height that they take.
    fn legend(&self, analysis: &Analysis, test: &TestAnalysis) -> (Markup, f64) {
        let entries: Vec<(Key, String)> = match &self.legend {
            Legend::None => return (markup! {}, 0.0),
            Legend::Targets => coloured(analysis, test)
                .map(|(series, name)| (Key::Target(series), shortened(name, LONGEST_NAME)))
                .collect(),
            Legend::Lines(lines) => lines
                .iter()
                .map(|(sample, text)| (Key::OverTime(*sample), (*text).to_owned()))
                .collect(),
        };
        let top = MARGIN + HEAD + if self.is_narrow { LINE } else { 0.0 };
        let (mut x, mut y) = (MARGIN, top);
        let mut placed = Vec::new();
        for (key, name) in entries {
            let wide = name.chars().count() as f64 * CHARACTER + 48.0;
            if x > MARGIN && x + wide > MARGIN + self.body.width {
                (x, y) = (MARGIN, y + LINE);
            }
            placed.push((key, name, (x, y)));
            x += wide;
        }
        let drawn = markup! {
            @for (key, name, (x, y)) in &placed {
                (key.draw((x + 13.0, *y)))
                text x=(x + 32.0) y=(y + 4.0) { (name) }
            }
        };
        (drawn, y - top + LINE)
    }
}

/// What a legend names.
enum Legend {
    None,
    Targets,
    Lines(Vec<(KeySample, &'static str)>),
}

/// What stands beside a name of a legend.
enum Key {
    Target(usize),
    OverTime(KeySample),
}

impl Key {
    /// Around a point.
    fn draw(&self, (x, y): (f64, f64)) -> Markup {
        const HALF: f64 = 13.0;
        const SHADES: [&str; 5] = ["h1", "h2", "h3", "h4", "h5"];
        let shade = 2.0 * HALF / SHADES.len() as f64;
        markup! {
            @match self {
                Self::Target(series) => (svg::sample(*series, (x, y))),
                Self::OverTime(KeySample::Line(class)) => {
                    path class={ "trace " (class) } d={ "M" (x - HALF) " " (y) "H" (x + HALF) } {}
                }
                Self::OverTime(KeySample::Stretch(_, class)) => {
                    rect class=(class) x=(x - HALF) y=(y - 5.0) width=(2.0 * HALF) height="10" {}
                }
                Self::OverTime(KeySample::Shades) => {
                    @for (number, class) in SHADES.iter().enumerate() {
                        rect class={ "shade " (class) } x=(x - HALF + shade * number as f64) y=(y - 5.0)
                            width=(shade) height="10" {}
                    }
                }
            }
        }
    }
}

/// The style sheet with the colours in place, for programs that know no variables.
fn style(theme: Theme) -> String {
    let mut style = STYLE.to_owned();
    for series in svg::series_colours() {
        let colour = format!("var(--{})", series.replace('s', "c"));
        let stroked = ["line", "whisker", "repeats", "law", "failure"]
            .map(|class| format!(".{series} .{class}"));
        style += &format!(
            ".{series} .mark, .{series} .band {{ fill: {colour}; }} {}, .leader.{series} {{ stroke: {colour}; }} \
             .{series} .mark.hollow {{ fill: var(--paper); stroke: {colour}; stroke-width: 1.8; }}\n",
            stroked.join(", ")
        );
    }
    for (name, value) in colours(theme) {
        style = style.replace(&format!("var(--{name})"), value);
    }
    style
}

/// The colours of a theme, as the page's style sheet has them: the first block of it, then the one for
/// dark screens.
fn colours(theme: Theme) -> Vec<(&'static str, &'static str)> {
    let place = match theme {
        Theme::Light => 0,
        Theme::Dark => 1,
    };
    let block = html::STYLE.split(":root {").nth(1 + place).unwrap_or_default();
    let block = block.split('}').next().unwrap_or_default();
    let declared =
        block.split(';').filter_map(|line| line.trim().strip_prefix("--")?.split_once(": "));
    declared.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_colour_is_in_place_and_the_themes_differ() {
        let [light, dark] = [Theme::Light, Theme::Dark].map(style);
        for style in [&light, &dark] {
            assert!(!style.contains("var("), "{style}");
            assert!(style.contains(".s7 .mark"), "{style}");
        }
        assert!(light.contains("#0072b2") && dark.contains("#56b4e9") && !dark.contains("#0072b2"));
    }
}
