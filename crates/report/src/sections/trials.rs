//! The trials one by one.

use super::Scope;
use crate::document::{Block, Fold, Section, Text};
use crate::html::evidence::Evidence;
use crate::tables::{self, MOST_LISTED};
use crate::{numbers, view};
use analyse::{Analysis, Validity};

/// The section; `None` before any trial has ended.
pub(super) fn section(scope: &Scope<'_>) -> Option<Section> {
    let analysis = scope.analysis;
    let mut blocks: Vec<Block> = tables::superseded(analysis)
        .map(|table| {
            Block::part(3, "Failed trials that were planned again", vec![Block::table(table)])
        })
        .into_iter()
        .collect();
    if tables::number_of_trials(analysis) > 0 {
        blocks.extend(
            scope.on_page(|evidence| Some(one_by_one(analysis, evidence))).into_iter().flatten(),
        );
    }
    let note = view::Tally::of_all(analysis).describe();
    (!blocks.is_empty()).then(|| Section::new("trials", "Trials", &note, blocks))
}

/// What was not run, all that was run or what is doubtful of it, and what made the loads.
fn one_by_one(analysis: &Analysis, evidence: &Evidence<'_>) -> Vec<Block> {
    let missing: Vec<String> = analysis.dataset.missing().map(ToString::to_string).collect();
    let not_run = format!("{} of the plan not run", numbers::counted(missing.len(), "trial"));
    let missing =
        Block::bullets(missing).map(|list| Block::folded(4, not_run, Fold::OnPaperToo, vec![list]));
    let generators = tables::generators(analysis).map(|table| {
        Block::folded(4, "Load generators", Fold::OnScreen, vec![Block::table(table)])
    });
    missing.into_iter().chain([listed(analysis, evidence)]).chain(generators).collect()
}

fn listed(analysis: &Analysis, evidence: &Evidence<'_>) -> Block {
    let count = tables::number_of_trials(analysis);
    let all = tables::lists_all(analysis);
    let wanted = |validity| all || validity != Some(Validity::Valid);
    let mut listed = tables::trials(analysis, wanted, MOST_LISTED);
    let title = if all {
        format!("All {} in the order of the plan", numbers::counted(count, "trial"))
    } else {
        let first = if listed.rows.len() == MOST_LISTED { "the first " } else { "" };
        let [rows, count] = [listed.rows.len(), count].map(|n| numbers::count(n as u64));
        format!("Trials that failed or are doubtful: {first}{rows} of {count}")
    };
    // The first column is the position: by it a trial leads to what is drawn of it.
    for cell in listed.rows.iter_mut().filter_map(|row| row.cells.first_mut()) {
        cell.rests_on = cell.text.parse().ok().and_then(|position| evidence.drawing(position));
    }
    let elsewhere =
        Text::from("All of them, repeat by repeat: ").code("weighin report --format csv");
    let mut blocks = vec![Block::table(listed)];
    if !all {
        blocks.insert(0, Block::Paragraph(elsewhere.plain(".")));
    }
    Block::folded(4, title, Fold::OnScreen, blocks)
}
