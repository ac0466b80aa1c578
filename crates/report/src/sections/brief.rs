//! What a terminal shows when a run is over.

use super::{environment, findings, recommendation, study, test};
use crate::document::Document;
use crate::{numbers, tables, view};
use analyse::Analysis;

/// The choice, the rankings, and what failed or is suspect; all else is in the report.
pub(crate) fn brief(analysis: &Analysis) -> Document {
    let mut trials = format!("Trials: {}", view::Tally::of_all(analysis).describe());
    let missing = analysis.dataset.missing().count();
    if missing > 0 {
        trials += &format!(", {} not run", numbers::count(missing as u64));
    }
    let study = &analysis.dataset.study;
    let title = study.question.as_deref().unwrap_or(&study.name).to_owned();
    Document::new(title, |b| {
        recommendation::in_short(analysis, b);
        if let Some((tests, targets)) = tables::summary(analysis) {
            b.section(study::PLACES, |b| [tests, targets].into_iter().for_each(|of| b.table(of)));
        }
        analysis.tests.iter().for_each(|one| test::in_short(analysis, one, b));
        b.section(trials, |b| findings::in_short(analysis, b));
        environment::notes_in_short(analysis, b);
    })
}
