//! Links to single trials: to what is drawn of one over time, else to its row in the list of all.

use super::drawn::{Drawn, cells_of, is_drawn};
use crate::tables::{Table, lists_all, trial_id};
use analyse::{Analysis, Finding};
use maud::{Markup, html};
use model::TrialKey;
use std::collections::{BTreeSet, HashMap};

/// Most trials that are named beside the findings of one kind.
const MOST_NAMED: usize = 24;

/// Which trials a page has something to show of.
#[derive(Default)]
pub(crate) struct Evidence<'a> {
    /// Those that are drawn over time.
    drawn: BTreeSet<u32>,
    /// Those that have a row.
    listed: BTreeSet<u32>,
    positions: HashMap<Named<'a>, u32>,
}

/// Test, target, level and repeat of a trial.
type Named<'a> = (&'a str, &'a str, model::Level, u32);

fn named(key: &TrialKey) -> Named<'_> {
    (&key.test, &key.target, key.level, key.repeat)
}

impl<'a> Evidence<'a> {
    pub(crate) fn of_page(analysis: &'a Analysis) -> Self {
        let chosen = Drawn::for_analysis(analysis);
        let records = || analysis.dataset.trials.iter().enumerate();
        let cells = analysis.tests.iter().flat_map(cells_of);
        let of_cells: BTreeSet<usize> =
            cells.flat_map(|cell| &cell.trials).map(|trial| trial.record).collect();
        let drawn = records()
            .filter(|(i, record)| of_cells.contains(i) && chosen.has(*i) && is_drawn(record));
        let superseded = analysis.dataset.superseded.iter().map(|one| one.record.position);
        let all = records().map(|(_, record)| record.position).chain(superseded);
        Self {
            drawn: drawn.map(|(_, record)| record.position).collect(),
            listed: if lists_all(analysis) { all.collect() } else { BTreeSet::new() },
            positions: records().map(|(_, r)| (named(&r.key), r.position)).collect(),
        }
    }

    /// What the drawing of a trial over time is called; `None` where it is not drawn.
    pub(crate) fn drawing(&self, position: u32) -> Option<String> {
        self.drawn.contains(&position).then(|| format!("t{position}"))
    }

    /// What the row of a trial is called; `None` where it has none.
    pub(crate) fn row(&self, position: u32) -> Option<String> {
        self.listed.contains(&position).then(|| trial_id(position))
    }

    /// Gives the trials that the cells of a table rest on their links.
    pub(crate) fn link(&self, table: &mut Table) {
        let cells = table.rows.iter_mut().flat_map(|row| &mut row.cells);
        for trial in cells.flat_map(|cell| &mut cell.trials) {
            trial.id = self.drawing(trial.position).or_else(|| self.row(trial.position));
        }
    }

    /// The trials that findings are about, each with a link; nothing where they are about none.
    pub(crate) fn of_findings(&self, findings: &[&Finding]) -> Markup {
        let position = |finding: &&&Finding| {
            let subject = &finding.subject;
            let (test, target) = (subject.test.as_deref()?, subject.target.as_deref()?);
            self.positions.get(&(test, target, subject.level?, subject.repeat?)).copied()
        };
        let about: BTreeSet<u32> = findings.iter().filter_map(|one| position(&one)).collect();
        let id = |position: &u32| {
            Some((*position, self.drawing(*position).or_else(|| self.row(*position))?))
        };
        let linked: Vec<(u32, String)> = about.iter().filter_map(id).collect();
        html! {
            @match linked.as_slice() {
                [] => {}
                [(position, id)] => p.caption { "Trial " a href={ "#" (id) } { (position) } },
                several => details.trials-of {
                    summary { (about.len()) " trials" }
                    @for (position, id) in several.iter().take(MOST_NAMED) {
                        a href={ "#" (id) } { (position) } " "
                    }
                    @if about.len() > MOST_NAMED { "and " (about.len() - MOST_NAMED) " more" }
                },
            }
        }
    }
}
