//! Advice on a terminal: conditional rules, and answers to questions of capacity.

use crate::document::Blocks;
use crate::formats::terminal;
use crate::tables::Tone;
use crate::{numbers, view, words};
use analyse::capacity::{Answer, Question, Requirement, TargetAnswer, TestAnswers};
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
    let of_test = |test: &TestAnalysis, b: &mut Blocks| {
        let mut said = rules(analysis, test);
        if said.is_empty() {
            said.push("no rule follows from what was measured".to_owned());
        }
        b.section(format!("{}:", test.test), |b| b.bullets(said));
    };
    let all = Blocks::new(false).within(|b| tests.iter().for_each(|test| of_test(test, b)));
    terminal::blocks(&all, width, colour)
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
    let of_test = |test: &TestAnswers, b: &mut Blocks| {
        let of_test = analysis.tests.iter().find(|candidate| candidate.test == test.test);
        let counted = of_test.map_or(UnitName::TRANSACTION, view::counted);
        b.section(format!("{}: {}?", test.test, words::question(question, counted)), |b| {
            b.paragraph(words::sufficient(test));
            let break_evens = words::capacity_break_evens(test).into_iter();
            break_evens.for_each(|said| b.paragraph(format!("Break-even: {said}")));
            test.targets.iter().for_each(|target| of_target(target, counted, b));
            if test.service_times && speaks_of_latency(test) {
                b.caption(words::SERVICE_TIMES);
            }
        });
    };
    let all = Blocks::new(false).within(|b| answers.iter().for_each(|test| of_test(test, b)));
    terminal::blocks(&all, width, colour)
}

fn of_target(target: &TargetAnswer, counted: UnitName, b: &mut Blocks) {
    let name = numbers::shortened(&target.target, MAX_OF_A_NAME);
    let tone = match target.answer {
        Answer::No | Answer::NoMeasuredOnce => Tone::Bad,
        Answer::Unknown => Tone::Doubtful,
        Answer::Yes | Answer::YesMeasuredOnce => Tone::Good,
    };
    let title = format!("{name}: {}", words::capacity_answer(target.answer));
    let said = |part| {
        let model = words::capacity_beyond(part, counted);
        std::iter::once(words::capacity_part(part, counted)).chain(model)
    };
    let parts: Vec<String> = target.parts.iter().flat_map(said).collect();
    b.toned(3, title, tone, |b| b.bullets(parts));
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
