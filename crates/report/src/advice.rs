//! Advice on a terminal: conditional rules, and answers to questions of capacity.

use crate::terminal::{Page, Style};
use crate::{numbers, view, words};
use analyse::capacity::{Answer, Question, Requirement, TestAnswers};
use analyse::{Analysis, TestAnalysis};
use model::UnitName;

/// Which target to take when, test by test, in lines of at most `width` columns (40 at least).
/// Without `colour` there are no escape sequences.
pub fn terminal_rules(
    tests: &[&TestAnalysis],
    analysis: &Analysis,
    width: usize,
    colour: bool,
) -> String {
    let mut page = Page::new(width, colour);
    for test in tests {
        page.paragraph("", &format!("{}:", test.test), Style::Bold);
        let mut said = rules(analysis, test);
        if said.is_empty() {
            said.push("no rule follows from what was measured".to_owned());
        }
        for sentence in said {
            page.bullet(&sentence, Style::Plain);
        }
        page.end_section();
    }
    page.into_text()
}

fn rules(analysis: &Analysis, test: &TestAnalysis) -> Vec<String> {
    if test.search.is_some() {
        let said = words::answer(analysis, test);
        return said.targets.into_iter().chain(said.conditions).collect();
    }
    let rule = (!test.advice.is_empty()).then(|| words::choices(&test.advice));
    rule.into_iter().chain(test.crossovers.iter().map(words::crossover)).collect()
}

/// What each test answers to a question, target by target, with what it rests on.
pub fn terminal_answers(
    answers: &[TestAnswers],
    question: &Question,
    analysis: &Analysis,
    (width, colour): (usize, bool),
) -> String {
    let mut page = Page::new(width, colour);
    for test in answers {
        let of_test = analysis.tests.iter().find(|candidate| candidate.test == test.test);
        let counted = of_test.map_or(UnitName::TRANSACTION, view::counted);
        let heading = format!("{}: {}?", test.test, words::question(question, counted));
        page.paragraph("", &heading, Style::Bold);
        page.paragraph("  ", &words::sufficient(test), Style::Bold);
        for line in words::capacity_break_evens(test) {
            page.paragraph("  ", &line, Style::Plain);
        }
        for target in &test.targets {
            let name = numbers::shortened(&target.target, MAX_OF_A_NAME);
            let style = match target.answer {
                Answer::No | Answer::NoMeasuredOnce => Style::Bad,
                Answer::Unknown => Style::Doubtful,
                Answer::Yes | Answer::YesMeasuredOnce => Style::Bold,
            };
            page.paragraph(
                "  ",
                &format!("{name}: {}", words::capacity_answer(target.answer)),
                style,
            );
            for part in &target.parts {
                page.bullet(&words::capacity_part(part, counted), Style::Plain);
                if let Some(model) = words::capacity_beyond(part, counted) {
                    page.bullet(&model, Style::Soft);
                }
            }
        }
        if test.service_times && speaks_of_latency(test) {
            page.paragraph("  ", words::SERVICE_TIMES, Style::Soft);
        }
        page.end_section();
    }
    page.into_text()
}

/// Most characters of a target's name.
const MAX_OF_A_NAME: usize = 40;

/// Whether any answer rests on a latency.
fn speaks_of_latency(test: &TestAnswers) -> bool {
    let mut parts = test.targets.iter().flat_map(|target| &target.parts);
    parts.any(|part| {
        matches!(part.asked, Requirement::Latency { .. } | Requirement::Page { .. })
            && !part.grounds.is_empty()
    })
}
