//! What happened within each trial over time: of pages alone.

use crate::document::{Block, Fold, Section};
use crate::html::drawn::{Drawn, cells_of, is_known};
use crate::html::evidence::Evidence;
use crate::html::{events, timelines};
use crate::svg::Frames;
use crate::{numbers, view};
use analyse::{Analysis, TestAnalysis};
use model::Level;

/// All trials over time; `None` where nothing is known of it.
pub(super) fn section(analysis: &Analysis, evidence: &Evidence<'_>) -> Option<Section> {
    if !analysis.dataset.trials.iter().any(is_known) {
        return None;
    }
    let trials = analysis.dataset.trials.len();
    let chosen = Drawn::for_analysis(analysis);
    let drawn = chosen.count(trials);
    let mut blocks = vec![Block::caption(how_to_read(analysis))];
    if analysis.dataset.trials.iter().any(timelines::has_marks) {
        blocks.push(Block::caption(
            "Interventions and other marks of what happened during a trial are grey; each is named \
             where the pointer rests on it.",
        ));
    }
    let keys = [events::legend(analysis), timelines::heat_key(analysis)];
    blocks.extend(keys.map(Block::OnPage));
    if drawn < trials {
        blocks.push(Block::caption(format!(
            "{} of {} trials are drawn: those that are suspect or void (the first half of the room), \
             of each cell the repeat in the middle, then others.",
            numbers::count(drawn as u64),
            numbers::count(trials as u64)
        )));
    }
    for (number, test) in analysis.tests.iter().enumerate() {
        let levels = levels(test).into_iter().enumerate().filter_map(|(place, level)| {
            let mut frames = Frames::new(format!("frame-{number}-{place}"));
            let trials = (test, level);
            let drawn = timelines::at_level(analysis, trials, &chosen, (&mut frames, evidence))?;
            Some(Block::folded(4, drawn.title, Fold::OnPaperToo, vec![Block::OnPage(drawn.charts)]))
        });
        match analysis.tests.len() {
            1 => blocks.extend(levels),
            _ => blocks.push(Block::part(3, &test.test, levels.collect())),
        }
    }
    let note =
        if drawn < trials { "trials, second by second" } else { "every trial, second by second" };
    Some(Section::new("time", "Over time", note, blocks))
}

fn levels(test: &TestAnalysis) -> Vec<Level> {
    let mut levels: Vec<Level> = cells_of(test).map(|cell| cell.level).collect();
    levels.sort_unstable();
    levels.dedup();
    levels
}

fn how_to_read(analysis: &Analysis) -> String {
    let own = analysis.dataset.trials.iter().any(|record| record.sampling.target_host.is_some());
    let host = match (view::imported(analysis), own) {
        (true, _) => "the host that was sampled",
        (false, false) => "the host that weighin ran on",
        (false, true) => {
            "the host that the server runs on where weighin reached it over SSH, else of the one that \
             weighin ran on"
        }
    };
    let shaded = match analysis.dataset.study.slices {
        Some(_) => "warm-up and the turns of other targets",
        None => "warm-up",
    };
    format!(
        "Each trial over time, {shaded} shaded, outages in the colour of failures. Trials at one level \
         share their axes, so that they compare by eye. Processors and disks are those of {host}.{}",
        disks(analysis)
    )
}

/// Which disks are drawn, and how.
fn disks(analysis: &Analysis) -> &'static str {
    let records = || analysis.dataset.trials.iter().filter(|record| is_known(record));
    let known = records().any(|record| !record.sampling.target_disks().is_empty());
    let unknown = records().any(|record| record.sampling.target_disks().is_empty());
    match (known, unknown) {
        (false, false) => "",
        (true, false) => {
            " The disks are those that the server’s data is on, several taken together."
        }
        (false, true) => " The disk is the one that was written to most.",
        (true, true) => {
            " The disks are those that the server’s data is on, several taken together. Where these \
             are not known, the disk is the one that was written to most."
        }
    }
}
