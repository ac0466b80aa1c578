//! Rates that followed one another within each trial.

use super::{Table, TableCell, Tone, numbers, words};
use crate::numbers::{NOTHING, count, figure};
use crate::view;
use analyse::{Analysis, ProfileStretch, TestAnalysis};

/// What became of each rate on each target; empty for a load that has no profile.
pub(crate) fn profile(analysis: &Analysis, test: &TestAnalysis) -> Table {
    let counted = view::counted(test);
    let mut table = Table::new([
        numbers("from, s"),
        words(format!("offered, {counted}/s")),
        words("target"),
        numbers("served"),
        numbers("p95, ms"),
        numbers("p99, ms"),
        words("served from"),
        numbers("errors"),
        numbers("of them until served"),
    ]);
    let mut stretches: Vec<&ProfileStretch> = test.profile.iter().collect();
    stretches.sort_by(|a, b| a.from_seconds.total_cmp(&b.from_seconds));
    let mut before = None;
    for stretch in stretches {
        let (after, tone) = served_from(stretch);
        let row = [
            TableCell::text(figure(stretch.from_seconds)),
            TableCell::text(offered(stretch)),
            TableCell::target(&stretch.target, view::series(analysis, &stretch.target)),
            TableCell::estimate(stretch.served.as_ref()),
            TableCell::estimate(stretch.p95_ms.as_ref()),
            TableCell::estimate(stretch.p99_ms.as_ref()),
            TableCell::text(after).with_tone(tone),
            TableCell::text(count(stretch.errors)),
            TableCell::text(count(stretch.errors_until_served)),
        ];
        let begins = before.replace(stretch.from_seconds) != Some(stretch.from_seconds);
        if begins { table.push_group(row) } else { table.push(row) }
    }
    table
}

fn offered(stretch: &ProfileStretch) -> String {
    match stretch.holds() {
        true => figure(stretch.to_rate),
        false => format!("{} → {}", figure(stretch.from_rate), figure(stretch.to_rate)),
    }
}

/// From when on it was served, over the trials.
fn served_from(stretch: &ProfileStretch) -> (String, Tone) {
    let all = &stretch.served_after_seconds;
    let seconds = |after: &Option<f64>| match after {
        Some(0.0) => "the first second".to_owned(),
        Some(after) => format!("{} s on", figure(*after)),
        None => "never".to_owned(),
    };
    let (Some(first), Some(last)) = (all.first(), all.last()) else {
        return (NOTHING.to_owned(), Tone::Plain);
    };
    let middle = stretch.usually_served_after();
    let tone = match middle {
        Some(0.0) => Tone::Good,
        Some(_) => Tone::Doubtful,
        None => Tone::Bad,
    };
    let text = match first == last {
        true => seconds(first),
        false => format!("{} ({} to {})", seconds(&middle), seconds(first), seconds(last)),
    };
    (text, tone)
}
