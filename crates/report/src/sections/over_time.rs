//! What happened within each trial over time: of pages alone.

use crate::charts::drawn::{Drawn, cells_of, is_known};
use crate::charts::events;
use crate::charts::evidence::Evidence;
use crate::charts::svg::Frames;
use crate::charts::timelines::{self, DrawnLevel};
use crate::document::{Blocks, Fold};
use crate::{numbers, view};
use analyse::{Analysis, TestAnalysis};
use model::Level;

/// What is in the section.
pub(super) fn note(analysis: &Analysis) -> &'static str {
    let trials = analysis.dataset.trials.len();
    match Drawn::for_analysis(analysis).count(trials) < trials {
        true => "trials, second by second",
        false => "every trial, second by second",
    }
}

/// All trials over time; nothing where nothing is known of it.
pub(super) fn section(analysis: &Analysis, evidence: &Evidence<'_>, b: &mut Blocks) {
    let records = &analysis.dataset.trials;
    if !records.iter().any(is_known) {
        return;
    }
    let chosen = Drawn::for_analysis(analysis);
    let drawn = chosen.count(records.len());
    b.caption(how_to_read(analysis));
    b.caption(if records.iter().any(timelines::has_marks) { MARKS } else { "" });
    b.drawn(|| Some(events::legend(analysis)));
    b.drawn(|| Some(timelines::heat_key(analysis)));
    if drawn < records.len() {
        b.caption(format!(
            "{} of {} trials are drawn: those that are suspect or void (the first half of the room), \
             of each cell the repeat in the middle, then others.",
            numbers::count(drawn as u64),
            numbers::count(records.len() as u64)
        ));
    }
    for (number, test) in analysis.tests.iter().enumerate() {
        let all_levels = |b: &mut Blocks| {
            for (place, level) in levels(test).into_iter().enumerate() {
                let mut frames = Frames::new(format!("frame-{number}-{place}"));
                let drawn =
                    timelines::at_level(analysis, test, level, &chosen, &mut frames, evidence);
                let Some(DrawnLevel { title, charts }) = drawn else { continue };
                b.folded(4, title, Fold::OnPaperToo, |b| b.drawn(|| Some(charts)));
            }
        };
        match analysis.tests.len() {
            1 => all_levels(b),
            _ => b.part(3, &test.test, all_levels),
        }
    }
}

const MARKS: &str = "Interventions and other marks of what happened during a trial are grey; each is named \
    where the pointer rests on it.";

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
    let own = match analysis.dataset.study.duet {
        true => {
            "Processors are those that the target and its clients had to themselves, disks those"
        }
        false => "Processors and disks are those",
    };
    format!(
        "Each trial over time, {shaded} shaded, outages in the colour of failures. Trials at one level \
         share their axes, so that they compare by eye. {own} of {host}.{}",
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
