//! What the report of a run says, section by section, for every format that people read.

mod brief;
mod environment;
mod findings;
mod over_time;
mod recommendation;
mod study;
mod test;
mod trials;

pub(crate) use brief::brief;
pub(crate) use findings::conclusions;

use crate::charts::evidence::Evidence;
use crate::document::{Blocks, Section, Text};
use crate::{numbers, tables, view, words};
use analyse::{Analysis, Severity};

/// The question, and what run answers it.
pub(crate) fn head(analysis: &Analysis) -> (String, Text) {
    let dataset = analysis.dataset;
    let (study, run) = (&dataset.study, &dataset.run);
    let how = if view::imported(analysis) { "imported" } else { "measured" };
    let rest = format!(
        ", run {} of {}, {}, {how} with weighin {}",
        run.id,
        numbers::date(run.started_at),
        numbers::counted(study.targets.len(), "target"),
        run.weighin_version,
    );
    let under = Text::from("Study ").and(Text::strong(&study.name)).plain(rest);
    (study.question.as_deref().unwrap_or(&study.name).to_owned(), under)
}

/// The ids of the sections that a page may show unfolded.
const FIRST: &str = "answer";
const FINDINGS: &str = "findings";

/// Hands over section by section: a report of hundreds of tests is long. `evidence` is what a page has
/// to show of single trials; without it the report will be no page.
pub(crate) fn each<E>(
    analysis: &Analysis,
    evidence: Option<&Evidence<'_>>,
    mut put: impl FnMut(&Section) -> Result<(), E>,
) -> Result<(), E> {
    let mut section = |id: &str, title: &str, note: &str, make: &dyn Fn(&mut Blocks)| {
        let blocks = Blocks::new(evidence.is_some()).within(|b| make(b));
        if blocks.is_empty() {
            return Ok(());
        }
        // The first screen is never folded, and severe findings are not at first.
        let note = (id != FIRST).then(|| note.to_owned());
        let is_severe = |finding: &analyse::Finding| finding.severity == Severity::Severe;
        let is_open = id == FINDINGS && analysis.findings.iter().any(is_severe);
        put(&Section { id: id.to_owned(), title: title.to_owned(), note, is_open, blocks })
    };
    section(FIRST, "Recommendation", "", &|b| recommendation::section(analysis, b))?;
    section(FINDINGS, "Findings", "warnings, results and checks", &|b| {
        findings::section(analysis, evidence, b);
    })?;
    let note = "printed figures that cannot all be right";
    section("arithmetic", "Contradictory figures", note, &|b| {
        b.explained(tables::arithmetic(analysis), words::CONTRADICTIONS);
    })?;
    section("summary", study::PLACES, "in every test", &|b| study::places(analysis, b))?;
    for (number, test) in analysis.tests.iter().enumerate() {
        let described = analysis.dataset.study.test(&test.test).map(words::workload);
        let described = described.unwrap_or_default();
        section(&format!("test-{number}"), &test.test, &described, &|b| {
            test::section(analysis, test, number, &described, evidence, b);
        })?;
    }
    section("factors", "Factors", "what each label changes", &|b| {
        b.explained(tables::factors(analysis), words::FACTORS);
        b.explained(tables::round_trips(analysis), words::ROUND_TRIPS);
    })?;
    let note = "what the targets cost at their peaks";
    section("money", "Money", note, &|b| study::money(analysis, b))?;
    section("background", tables::EVENTS, "and what it cost", &|b| study::background(analysis, b))?;
    if let Some(evidence) = evidence {
        let note = over_time::note(analysis);
        section("time", "Over time", note, &|b| over_time::section(analysis, evidence, b))?;
    }
    let note = "targets, settings, host and run";
    section("environment", "Environment", note, &|b| environment::section(analysis, b))?;
    let note = view::Tally::of_all(analysis).describe();
    section("trials", "Trials", &note, &|b| trials::section(analysis, evidence, b))?;
    let note = "limits, charts, intervals, comparisons";
    section("methods", "Methods", note, &|b| study::methods(analysis, evidence.is_some(), b))?;
    section("study-file", "Study file", "to repeat the study", &|b| study::source(analysis, b))
}
