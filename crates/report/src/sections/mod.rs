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

use crate::document::{Block, Section, Text};
use crate::html::evidence::Evidence;
use crate::{numbers, view};
use analyse::Analysis;

/// A report under way.
pub(crate) struct Scope<'a> {
    analysis: &'a Analysis<'a>,
    /// What a page has to show of single trials; `None` where it will be no page.
    evidence: Option<Evidence<'a>>,
}

impl<'a> Scope<'a> {
    /// For a page, with charts and links.
    pub(crate) fn page(analysis: &'a Analysis<'a>) -> Self {
        Self { analysis, evidence: Some(Evidence::of_page(analysis)) }
    }

    /// For a text.
    pub(crate) fn text(analysis: &'a Analysis<'a>) -> Self {
        Self { analysis, evidence: None }
    }

    /// What only a page shows is not even made for others.
    fn on_page<T>(&self, make: impl FnOnce(&Evidence<'a>) -> Option<T>) -> Option<T> {
        self.evidence.as_ref().and_then(make)
    }

    /// What only texts say.
    fn in_texts(&self, make: impl FnOnce() -> Option<Block>) -> Option<Block> {
        if self.evidence.is_none() { make() } else { None }
    }
}

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

/// Hands over section by section: a report of hundreds of tests is long.
pub(crate) fn each<E>(
    scope: &Scope<'_>,
    mut put: impl FnMut(&Section) -> Result<(), E>,
) -> Result<(), E> {
    let mut put = |section: Option<Section>| section.map_or(Ok(()), |section| put(&section));
    put(Some(recommendation::section(scope)))?;
    put(Some(findings::section(scope)))?;
    put(findings::contradictions(scope))?;
    put(study::places(scope))?;
    for (number, test) in scope.analysis.tests.iter().enumerate() {
        put(Some(test::section(scope, test, number)))?;
    }
    put(study::factors(scope))?;
    put(study::money(scope))?;
    put(study::background(scope))?;
    put(scope.on_page(|evidence| over_time::section(scope.analysis, evidence)))?;
    put(Some(environment::section(scope)))?;
    put(trials::section(scope))?;
    put(Some(study::methods(scope)))?;
    put(study::source(scope))
}
