//! What a terminal shows when a run is over.

use super::{environment, findings, recommendation, study, test};
use crate::document::{Block, Document};
use crate::{numbers, tables, view};
use analyse::Analysis;

/// The choice, the rankings, and what failed or is suspect; all else is in the report.
pub(crate) fn brief(analysis: &Analysis) -> Document {
    let mut blocks = recommendation::in_short(analysis);
    if let Some((tests, targets)) = tables::summary(analysis) {
        let tables = [tests, targets].into_iter().filter_map(Block::of_rows);
        blocks.push(Block::part(2, study::PLACES, tables.collect()));
    }
    blocks.extend(analysis.tests.iter().map(|one| test::in_short(analysis, one)));
    let mut trials = format!("Trials: {}", view::Tally::of_all(analysis).describe());
    let missing = analysis.dataset.missing().count();
    if missing > 0 {
        trials += &format!(", {} not run", numbers::count(missing as u64));
    }
    blocks.push(Block::part(2, trials, findings::in_short(analysis)));
    blocks.extend(environment::notes_in_short(analysis));
    let study = &analysis.dataset.study;
    Document { title: study.question.as_deref().unwrap_or(&study.name).to_owned(), blocks }
}
