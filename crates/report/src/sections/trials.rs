//! The trials one by one.

use crate::charts::evidence::Evidence;
use crate::document::{Blocks, Fold, Text};
use crate::numbers;
use crate::tables::{self, MOST_LISTED};
use analyse::{Analysis, Validity};

/// What was planned again, not run and run, and what made the loads: of pages, but for the first.
pub(super) fn section(analysis: &Analysis, evidence: Option<&Evidence<'_>>, b: &mut Blocks) {
    let again = "Failed trials that were planned again";
    b.part(3, again, |b| b.table(tables::superseded(analysis)));
    let count = tables::number_of_trials(analysis);
    let Some(evidence) = evidence.filter(|_| count > 0) else { return };
    let missing: Vec<String> = analysis.dataset.missing().map(ToString::to_string).collect();
    let not_run = format!("{} of the plan not run", numbers::counted(missing.len(), "trial"));
    b.folded(4, not_run, Fold::OnPaperToo, |b| b.bullets(missing));
    let all = tables::lists_all(analysis);
    let wanted = |validity| all || validity != Some(Validity::Valid);
    let mut listed = tables::trials(analysis, wanted, MOST_LISTED);
    // The first column is the position: by it a trial leads to what is drawn of it.
    for cell in listed.rows.iter_mut().filter_map(|row| row.cells.first_mut()) {
        cell.rests_on = cell.text.parse().ok().and_then(|position| evidence.drawing(position));
    }
    let mut title = format!("All {} in the order of the plan", numbers::counted(count, "trial"));
    let mut elsewhere = Text::default();
    if !all {
        let first = if listed.rows.len() == MOST_LISTED { "the first " } else { "" };
        let [rows, count] = [listed.rows.len(), count].map(|n| numbers::count(n as u64));
        title = format!("Trials that failed or are doubtful: {first}{rows} of {count}");
        elsewhere = Text::from("All of them, repeat by repeat: ");
        elsewhere = elsewhere.code("weighin report --format csv").plain(".");
    }
    b.folded(4, title, Fold::OnScreen, |b| {
        b.paragraph(elsewhere);
        b.table(listed);
    });
    b.folded(4, "Load generators", Fold::OnScreen, |b| b.table(tables::generators(analysis)));
}
