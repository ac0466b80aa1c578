use super::{Table, TableCell, Tone, numbers, words};
use crate::numbers::list;
use crate::words::{by_level, depends_on_level, metric_name};
use analyse::{Analysis, Verdict};

/// What each label does where targets differ in it alone; `None` where none do.
pub(crate) fn factors(analysis: &Analysis) -> Option<Table> {
    if analysis.factors.is_empty() {
        return None;
    }
    let mut table = Table::new([
        words("label"),
        words("compared"),
        words("figure"),
        numbers("ratio over all levels"),
        words("verdict"),
        words("by level"),
        words("based on"),
    ]);
    let mut previous = None;
    for found in &analysis.factors {
        let (verdict, tone) = match found.verdict {
            _ if depends_on_level(found) => ("depends on the load".to_owned(), Tone::Doubtful),
            Verdict::CandidateBetter => (format!("{} is better", found.to), Tone::Good),
            Verdict::BaselineBetter => (format!("{} is better", found.from), Tone::Good),
            Verdict::Equivalent => ("no difference".to_owned(), Tone::Plain),
            Verdict::Unresolved => ("not resolved".to_owned(), Tone::Doubtful),
        };
        let pairs: Vec<String> = found
            .pairs
            .iter()
            .map(|pair| format!("{} ÷ {}", pair.candidate, pair.baseline))
            .collect();
        let seen = TableCell::text(list(&pairs));
        let row = [
            TableCell::text(found.label.clone()),
            TableCell::text(format!("{} ÷ {}", found.to, found.from)),
            TableCell::text(metric_name(found.metric)),
            TableCell::estimate(Some(&found.ratio)),
            TableCell::text(verdict).with_tone(tone),
            TableCell::text(by_level(&found.levels).join("; ")),
            if found.pairs_differ { seen.with_note("which disagree") } else { seen },
        ];
        if previous == Some(&found.label) {
            table.push(row);
        } else {
            table.push_group(row);
        }
        previous = Some(&found.label);
    }
    Some(table)
}
