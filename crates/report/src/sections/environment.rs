//! What was measured on what: targets, settings, hosts and run.

use super::Scope;
use crate::document::{Block, Fold, Section};
use crate::{numbers, tables, view, words};
use analyse::Analysis;
use maud::{Markup, html};

pub(super) fn section(scope: &Scope<'_>) -> Section {
    let analysis = scope.analysis;
    let with = |title: &str, table| Block::part(3, title, vec![Block::table(table)]);
    let said = |title: &str, how: &str, table| {
        Block::part(3, title, vec![Block::caption(how), Block::table(table)])
    };
    let mut blocks = vec![with("Targets", tables::servers(analysis))];
    blocks.push(settings(scope));
    if !view::imported(analysis) {
        blocks.push(with("Host that ran weighin", tables::host(analysis)));
    }
    blocks.extend(tables::instances(analysis).map(|instances| {
        let sentences = words::instances::sentences(analysis.dataset).into_iter();
        let blocks = sentences.map(Block::caption).chain([Block::table(instances)]);
        Block::part(3, "Instances", blocks.collect())
    }));
    blocks.extend(
        tables::target_hosts(analysis)
            .map(|hosts| said("Hosts of targets", words::TARGET_HOSTS, hosts)),
    );
    blocks.extend(
        tables::load_hosts(analysis).map(|hosts| said("Load hosts", words::LOAD_HOSTS, hosts)),
    );
    blocks.push(with("Run", tables::run(analysis)));
    blocks.extend(tables::notes(analysis).map(|notes| with("Notes", notes)));
    Section::new("environment", "Environment", "targets, settings, host and run", blocks)
}

/// The settings in which targets differ and, on a page, all of them.
fn settings(scope: &Scope<'_>) -> Block {
    let analysis = scope.analysis;
    let differences = tables::differences(analysis);
    let variables = tables::variables(analysis);
    let none = match view::imported(analysis) && variables.is_empty() {
        true => "The servers’ settings are not known.",
        false => "No server variable differs, or fewer than two targets were reached.",
    };
    let mut blocks = Vec::new();
    if differences.is_empty() {
        blocks.push(Block::paragraph(none));
    }
    blocks.extend(differences.into_iter().map(|group| {
        let fold = if group.is_long() { Fold::OnPaperToo } else { Fold::Open };
        Block::folded(4, group.heading, fold, vec![Block::table(group.table)])
    }));
    blocks.extend(scope.on_page(|_| {
        let title = format!("All {} server variables", numbers::count(variables.len() as u64));
        let list = vec![Block::OnPage(listed(&variables))];
        (!variables.is_empty()).then(|| Block::folded(4, title, Fold::OnPaperToo, list))
    }));
    Block::part(3, "Settings that differ between targets", blocks)
}

/// Variables line by line: a table of them would be the largest part of many a page.
fn listed(variables: &[tables::Variable]) -> Markup {
    let line = |variable: &tables::Variable| {
        let line = format!("{} = {}", variable.name, variable.value);
        format!("{}\n", model::text::line(line.trim_end()))
    };
    html! { pre.variables tabindex="0" { (variables.iter().map(line).collect::<String>()) } }
}

/// Most notes that are told in short.
const MAX_NOTES: usize = 10;

/// What was noted while the run was going on, in short.
pub(super) fn notes_in_short(analysis: &Analysis) -> Option<Block> {
    let notes = analysis.dataset.notes.iter();
    let said = notes.map(|note| format!("{}: {}", numbers::date(note.at), note.text));
    Block::first_bullets(said, MAX_NOTES).map(|said| Block::part(2, "Notes", vec![said]))
}
