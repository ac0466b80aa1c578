//! What was measured on what: targets, settings, hosts and run.

use crate::document::{Blocks, Fold};
use crate::{numbers, tables, view, words};
use analyse::Analysis;
use maud::{Markup, html};

pub(super) fn section(analysis: &Analysis, b: &mut Blocks) {
    b.part(3, "Targets", |b| b.table(tables::servers(analysis)));
    b.part(3, "Settings that differ between targets", |b| settings(analysis, b));
    if !view::imported(analysis) {
        b.part(3, "Host that ran weighin", |b| b.table(tables::host(analysis)));
    }
    if let Some(instances) = tables::instances(analysis) {
        b.part(3, "Instances", |b| {
            b.table(instances);
            let said = words::instances::sentences(analysis.dataset);
            said.into_iter().for_each(|sentence| b.caption(sentence));
        });
    }
    b.part(3, "Hosts of targets", |b| {
        b.explained(tables::target_hosts(analysis), words::TARGET_HOSTS);
    });
    b.part(3, "Load hosts", |b| b.explained(tables::load_hosts(analysis), words::LOAD_HOSTS));
    b.part(3, "Run", |b| b.table(tables::run(analysis)));
    b.part(3, "Notes", |b| b.table(tables::notes(analysis)));
}

/// The settings in which targets differ and, on a page, all of them.
fn settings(analysis: &Analysis, b: &mut Blocks) {
    let differences = tables::differences(analysis);
    let variables = tables::variables(analysis);
    b.paragraph(match differences.is_empty() {
        false => "",
        true if view::imported(analysis) && variables.is_empty() => {
            "The servers’ settings are not known."
        }
        true => "No server variable differs, or fewer than two targets were reached.",
    });
    for group in differences {
        let fold = if group.is_long() { Fold::OnPaperToo } else { Fold::Open };
        b.folded(4, group.heading, fold, |b| b.table(group.table));
    }
    let title = format!("All {} server variables", numbers::count(variables.len() as u64));
    b.folded(4, title, Fold::OnPaperToo, |b| b.drawn(|| listed(&variables)));
}

/// Variables line by line: a table of them would be the largest part of many a page.
fn listed(variables: &[tables::Variable]) -> Option<Markup> {
    let line = |variable: &tables::Variable| {
        let line = format!("{} = {}", variable.name, variable.value);
        format!("{}\n", model::text::line(line.trim_end()))
    };
    let lines: String = variables.iter().map(line).collect();
    (!lines.is_empty()).then(|| html! { pre.variables tabindex="0" { (lines) } })
}

/// Most notes that are told in short.
const MAX_NOTES: usize = 10;

/// What was noted while the run was going on, in short.
pub(super) fn notes_in_short(analysis: &Analysis, b: &mut Blocks) {
    let notes = analysis.dataset.notes.iter();
    let said = notes.map(|note| format!("{}: {}", numbers::date(note.at), note.text));
    b.part(2, "Notes", |b| b.first_bullets(said, MAX_NOTES));
}
