//! Advice on a terminal: conditional rules, and answers to questions of capacity.

use crate::document::{Block, Fold, Part};
use crate::tables::Tone;
use crate::{numbers, terminal, view, words};
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
    let of_test = |test: &&TestAnalysis| {
        let mut said = rules(analysis, test);
        if said.is_empty() {
            said.push("no rule follows from what was measured".to_owned());
        }
        Block::part(2, format!("{}:", test.test), Block::bullets(said).into_iter().collect())
    };
    terminal::blocks(&tests.iter().map(of_test).collect::<Vec<_>>(), width, colour)
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
    let of_test = |test: &TestAnswers| {
        let of_test = analysis.tests.iter().find(|candidate| candidate.test == test.test);
        let counted = of_test.map_or(UnitName::TRANSACTION, view::counted);
        let mut blocks: Vec<Block> =
            test.targets.iter().map(|target| of_target(target, counted)).collect();
        blocks.push(Block::paragraph(words::sufficient(test)));
        if test.service_times && speaks_of_latency(test) {
            blocks.push(Block::caption(words::SERVICE_TIMES));
        }
        Block::part(2, format!("{}: {}?", test.test, words::question(question, counted)), blocks)
    };
    terminal::blocks(&answers.iter().map(of_test).collect::<Vec<_>>(), width, colour)
}

fn of_target(target: &TargetAnswer, counted: UnitName) -> Block {
    let name = numbers::shortened(&target.target, MAX_OF_A_NAME);
    let tone = match target.answer {
        Answer::No | Answer::NoMeasuredOnce => Some(Tone::Bad),
        Answer::Unknown => Some(Tone::Doubtful),
        Answer::Yes | Answer::YesMeasuredOnce => None,
    };
    let parts = target.parts.iter().map(|part| words::capacity_part(part, counted));
    let title = format!("{name}: {}", words::capacity_answer(target.answer));
    let (fold, blocks) = (Fold::Open, Block::bullets(parts).into_iter().collect());
    Block::Part(Part { title, rank: 3, tone, fold, blocks })
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
