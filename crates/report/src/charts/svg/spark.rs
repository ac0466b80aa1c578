//! Charts as small as a word, in tables and lists; what they show stands beside them in figures too.

use super::{path, px};
use crate::numbers;
use maud::{Markup, html};

const WIDTH: f64 = 96.0;
const HEIGHT: f64 = 20.0;
/// Room for a dot at each end.
const MARGIN: f64 = 3.0;

/// A figure over several runs, the one that is meant with a dot.
pub(crate) fn course(values: &[f64], meant: usize) -> Markup {
    let (low, high) = ends(values);
    let step = (WIDTH - 2.0 * MARGIN) / (values.len().max(2) - 1) as f64;
    let place = |(number, value): (usize, &f64)| {
        let share = if high > low { (value - low) / (high - low) } else { 0.5 };
        (MARGIN + number as f64 * step, HEIGHT - MARGIN - share * (HEIGHT - 2.0 * MARGIN))
    };
    let points: Vec<(f64, f64)> = values.iter().enumerate().map(place).collect();
    let label = format!(
        "{} from {} to {}",
        numbers::counted(values.len(), "run"),
        numbers::figure(low),
        numbers::figure(high)
    );
    html! {
        svg.spark viewBox={ "0 0 " (px(WIDTH)) " " (px(HEIGHT)) } role="img" aria-label=(label) {
            path d=(path(points.iter().copied())) {}
            @if let Some((x, y)) = points.get(meant) { circle cx=(px(*x)) cy=(px(*y)) r="2.6" {} }
        }
    }
}

/// The same in a line of text.
pub(crate) fn in_text(values: &[f64]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let (low, high) = ends(values);
    let bar = |value: &f64| {
        let share = if high > low { (value - low) / (high - low) } else { 0.5 };
        BARS[((share * 7.0).round() as usize).min(7)]
    };
    values.iter().map(bar).collect()
}

/// A ratio with its interval around 1, on an axis that reaches so many times to either side.
pub(crate) fn ratio(point: f64, (low, high): (f64, f64), reach: f64) -> Markup {
    let place = |ratio: f64| {
        let share = (ratio.ln() / reach.ln()).clamp(-1.0, 1.0);
        WIDTH / 2.0 + share * (WIDTH / 2.0 - MARGIN)
    };
    let middle = HEIGHT / 2.0;
    html! {
        svg.spark viewBox={ "0 0 " (px(WIDTH)) " " (px(HEIGHT)) } aria-hidden="true" {
            path.base d=(path([(WIDTH / 2.0, 0.0), (WIDTH / 2.0, HEIGHT)])) {}
            path d=(path([(place(low), middle), (place(high), middle)])) {}
            circle cx=(px(place(point))) cy=(px(middle)) r="2.6" {}
        }
    }
}

fn ends(values: &[f64]) -> (f64, f64) {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    (low, values.iter().copied().fold(f64::NEG_INFINITY, f64::max))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_course_in_text_reaches_from_the_lowest_to_the_highest_bar() {
        assert_eq!(in_text(&[1.0, 2.0, 8.0]), "▁▂█");
        assert_eq!(in_text(&[3.0, 3.0]), "▅▅");
    }

    #[test]
    fn a_ratio_beyond_the_axis_ends_at_its_end() {
        let drawn = ratio(2.0, (0.001, 2.0), 2.0).0;
        assert!(drawn.contains("M3 10L93 10") && drawn.contains("cx=\"93\""), "{drawn}");
    }
}
