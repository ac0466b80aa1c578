//! One self-contained page: the question, the answer, and everything that it rests on.

pub(crate) mod charts;
mod disk_panels;
pub(crate) mod drawn;
mod events;
mod evidence;
mod failover;
mod findings;
mod first;
pub(crate) mod heat_maps;
mod layer;
pub(crate) mod money;
mod overlays;
pub(crate) mod percentiles;
mod summary;
pub(crate) mod table;
mod test;
pub(crate) mod timelines;
mod why;

use crate::{mark, numbers, svg, tables, view, words};
use analyse::{Analysis, Validity};
use evidence::Evidence;
use layer::Layer;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use std::io;

/// All colours and measures.
pub(crate) const STYLE: &str = include_str!("style.css");
/// Cross-hair, tooltip and printing; the page is complete without it.
pub(crate) const SCRIPT: &str = include_str!("page.js");

/// Where the sections of a page go. No text has such a mark: it would be escaped.
const SECTIONS: &str = "<!-- sections -->";

/// Writes the whole page, section by section: a page of hundreds of tests is long.
pub(crate) fn write(
    analysis: &Analysis,
    mut part: impl FnMut(&str) -> io::Result<()>,
) -> io::Result<()> {
    let evidence = Evidence::of_page(analysis);
    let frame = frame(analysis).into_string();
    let (before, after) = frame.split_once(SECTIONS).unwrap_or((&frame, ""));
    part(before)?;
    let mut section = |section: Markup| part(&section.into_string());
    section(first::section(analysis))?;
    section(findings::section(analysis, &evidence))?;
    section(summary::section(analysis))?;
    for (i, test) in analysis.tests.iter().enumerate() {
        section(test::section(analysis, test, i, &evidence))?;
    }
    section(factors(analysis))?;
    section(money::section(analysis))?;
    section(events::section(analysis))?;
    section(timelines::section(analysis, &evidence))?;
    section(environment(analysis))?;
    section(trials(analysis, &evidence))?;
    section(methods(analysis))?;
    section(source(analysis))?;
    part(after)
}

/// What is around the sections of a page.
fn frame(analysis: &Analysis) -> Markup {
    let study = &analysis.dataset.study;
    let question = study.question.as_deref().unwrap_or(&study.name);
    html! {
        (DOCTYPE)
        html lang="en" {
            (head(question))
            body {
                (svg::key_shapes())
                header { (heading(analysis, question)) }
                main { (PreEscaped(SECTIONS)) }
                div #tip role="status" hidden {}
                script { (PreEscaped(lean(SCRIPT))) }
            }
        }
    }
}

pub(crate) fn head(title: &str) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="generator" content=(mark::GENERATOR);
            meta name="color-scheme" content="light dark";
            title { (title) " – weighin" }
            style { (PreEscaped(lean(STYLE))) }
        }
    }
}

/// Without indentation and lines of comments. No text of script or style sheet spans lines.
pub(crate) fn lean(source: &str) -> String {
    let lines = source.lines().map(str::trim_start);
    lines.filter(|line| !line.starts_with("//")).map(|line| format!("{line}\n")).collect()
}

fn heading(analysis: &Analysis, question: &str) -> Markup {
    let dataset = analysis.dataset;
    html! {
        h1 { (question) }
        p.meta {
            "Study " strong { (dataset.study.name) } ", run " (dataset.run.id) " of "
            (numbers::date(dataset.run.started_at)) ", "
            (numbers::counted(dataset.study.targets.len(), "target"))
            @if view::imported(analysis) { ", imported with weighin " }
            @else { ", measured with weighin " }
            (dataset.run.weighin_version)
        }
    }
}

/// What the labels do; nothing where no targets differ in one alone.
fn factors(analysis: &Analysis) -> Markup {
    html! {
        @if let Some(factors) = tables::factors(analysis) {
            @let content = html! {
                p.caption {
                    "Targets that differ in one label only. What the labels do not say may differ \
                     too."
                }
                (table::table(&factors))
            };
            (Layer::new("factors", "Factors", "what each label changes").around(&content))
        }
    }
}

fn environment(analysis: &Analysis) -> Markup {
    let differences = tables::differences(analysis);
    let variables = tables::variables(analysis);
    let content = html! {
            h3 { "Targets" }
            (table::table(&tables::servers(analysis)))
            @if variables.is_empty() && view::imported(analysis) {
                p { "The servers’ settings are not known." }
            } @else if differences.is_empty() {
                h3 { "Settings that differ between targets" }
                p { "No server variable differs, or fewer than two targets were reached." }
            } @else {
                h3 { "Settings that differ between targets" }
                @for group in &differences {
                    @if group.is_long() {
                        details {
                            summary { (group.heading) }
                            (table::table(&group.table))
                        }
                    } @else {
                        h4 { (group.heading) }
                        (table::table(&group.table))
                    }
                }
            }
            @if !variables.is_empty() {
                details {
                    summary { "All " (numbers::count(variables.len() as u64)) " server variables" }
                    (listed(&variables))
                }
            }
            @if !view::imported(analysis) {
                h3 { "Host that ran weighin" }
                (table::table(&tables::host(analysis)))
            }
            @if let Some(instances) = tables::instances(analysis) {
                h3 { "Instances" }
                @for sentence in words::instances::sentences(analysis.dataset) {
                    p.caption { (sentence) }
                }
                (table::table(&instances))
            }
            @if let Some(hosts) = tables::target_hosts(analysis) {
                h3 { "Hosts of targets" }
                p.caption {
                    "Reached over SSH and sampled there. A clock is compared with that of the host that ran \
                     weighin before and after each trial: samples of that host are on the time line of the \
                     load to within the figure after ±."
                }
                (table::table(&hosts))
            }
            @if let Some(hosts) = tables::load_hosts(analysis) {
                h3 { "Load hosts" }
                p.caption {
                    "They made the load, reached over SSH and sampled there; the host that ran weighin made \
                     none of it. By their clocks, which are compared as above before and after each trial, \
                     all of them begin at one moment."
                }
                (table::table(&hosts))
            }
            h3 { "Run" }
            (table::table(&tables::run(analysis)))
            @if let Some(notes) = tables::notes(analysis) {
                h3 #notes { "Notes" }
                (table::table(&notes))
            }
    };
    Layer::new("environment", "Environment", "targets, settings, host and run").around(&content)
}

/// Variables line by line: a table of them would be the largest part of many a page.
fn listed(variables: &[tables::Variable]) -> Markup {
    let line = |variable: &tables::Variable| {
        let line = format!("{} = {}", variable.name, variable.value);
        format!("{}\n", model::text::line(line.trim_end()))
    };
    html! { pre.variables tabindex="0" { (variables.iter().map(line).collect::<String>()) } }
}

/// Most trials that are all listed. Nobody reads more, and the page would be as large as the results.
const MOST_LISTED: usize = 1000;

fn number_of_trials(analysis: &Analysis) -> usize {
    analysis.dataset.trials.len() + analysis.dataset.superseded.len()
}

/// Whether every trial has a row.
fn lists_all(analysis: &Analysis) -> bool {
    number_of_trials(analysis) <= MOST_LISTED
}

fn trials(analysis: &Analysis, evidence: &Evidence) -> Markup {
    let count = number_of_trials(analysis);
    if count == 0 {
        return html! {};
    }
    let (mut listed, summary) = if lists_all(analysis) {
        let all = format!("All {} in the order of the plan", numbers::counted(count, "trial"));
        (tables::trials(analysis, |_| true, MOST_LISTED), all)
    } else {
        let doubtful = |validity| validity != Some(Validity::Valid);
        let listed = tables::trials(analysis, doubtful, MOST_LISTED);
        let first = if listed.rows.len() == MOST_LISTED { "the first " } else { "" };
        let rows = numbers::count(listed.rows.len() as u64);
        let all = numbers::count(count as u64);
        (listed, format!("Trials that failed or are doubtful: {first}{rows} of {all}"))
    };
    // The first column is the position: by it a trial leads to what is drawn of it.
    for cell in listed.rows.iter_mut().filter_map(|row| row.cells.first_mut()) {
        cell.rests_on = cell.text.parse().ok().and_then(|position| evidence.drawing(position));
    }
    let missing: Vec<String> = analysis.dataset.missing().map(ToString::to_string).collect();
    let content = html! {
            @if let Some(superseded) = tables::superseded(analysis) {
                h3 { "Failed trials that were planned again" }
                (table::table(&superseded))
            }
            @if !missing.is_empty() {
                details {
                    summary { (numbers::counted(missing.len(), "trial")) " of the plan not run" }
                    ul { @for key in &missing { li { (key) } } }
                }
            }
            details.paper {
                summary { (summary) }
                @if count > MOST_LISTED {
                    p { "All of them, repeat by repeat: " code { "weighin report --format csv" } "." }
                }
                (table::table(&listed))
            }
            @if let Some(generators) = tables::generators(analysis) {
                details.paper {
                    summary { "Load generators" }
                    (table::table(&generators))
                }
            }
    };
    let note = view::Tally::of_all(analysis).describe();
    Layer::new("trials", "Trials", &note).around(&content)
}

fn methods(analysis: &Analysis) -> Markup {
    let content = html! {
        dl {
            dt { "Limits" }
            dd { (words::general_limits(analysis).join(" ")) }
            @if let Some(how) = charts::how_to_read(analysis) { dt { "Charts" } dd { (how) } }
            @for (subject, text) in words::methods(analysis) { dt { (subject) } dd { (text) } }
        }
    };
    Layer::new("methods", "Methods", "limits, charts, intervals, comparisons").around(&content)
}

fn source(analysis: &Analysis) -> Markup {
    if analysis.dataset.study.source.is_empty() {
        return html! {};
    }
    let content = html! {
        p { "To repeat this study, save this file and pass it to " code { "weighin run" } "." }
        pre tabindex="0" { code { (analysis.dataset.study.source) } }
    };
    Layer::new("study-file", "Study file", "to repeat the study").around(&content)
}
