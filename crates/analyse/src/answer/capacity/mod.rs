//! Answers to questions of capacity: would a target do, and which is the cheapest that would?
//!
//! An answer is a yes, a no, or not known, with the cells that it rests on. Where a level was
//! measured, the whole interval of its figure must lie on one side of the bound. Between two levels
//! both must answer alike; beyond all of them nothing is known, but what a stated model says is given apart. A bound on latency at a rate takes
//! trials at rates or a search: service times of closed loops do not answer it,
//! though their throughput may say that the rate is out of reach. Each bound is judged by itself at
//! the study's confidence.

mod beyond;
mod cost;
mod judged;
mod load;
mod question;
mod searched;
mod usage;
mod writes;

pub use beyond::{Beyond, LimitedBy, RateLimit};
pub use cost::monthly_cost;
pub use question::{
    Answer, Budget, Ground, MonthlyCost, Page, Question, Reason, Requirement, RequirementAnswer,
    Stage, StoredInMonth, TargetAnswer, TargetOrder, TestAnswers,
};
pub use usage::{UseAtRate, use_at_rate};

use crate::{Analysis, TestAnalysis};
use judged::Judged;
use question::Candidate;
use std::cmp::Ordering;

/// What each test of a study answers to a question, for each of its targets.
pub fn answers(analysis: &Analysis<'_>, question: &Question) -> Vec<TestAnswers> {
    let tests = analysis.tests.iter();
    tests.filter_map(|test| of_test(analysis, test, question)).collect()
}

fn of_test(
    analysis: &Analysis<'_>,
    test: &TestAnalysis,
    question: &Question,
) -> Option<TestAnswers> {
    let study = &analysis.dataset.study;
    let of_study = study.tests.iter().find(|candidate| candidate.name == test.test)?;
    // Imported results need not have every target in every test.
    let targets = study.targets.iter().map(|target| target.name.as_str());
    let targets = targets.filter(|name| test.cells.iter().any(|cell| cell.target == *name));
    let targets: Vec<TargetAnswer> = targets
        .map(|target| answer(&Candidate { analysis, of_study, test, target, question }))
        .collect();
    let (sufficient, order) = sufficient(&targets);
    let break_evens = question
        .rate
        .map_or_else(Vec::new, |rate| cost::break_evens(analysis, test, rate, &sufficient));
    Some(TestAnswers {
        test: test.test.clone(),
        service_times: !of_study.is_open(),
        targets,
        sufficient,
        order,
        break_evens,
    })
}

fn answer(candidate: &Candidate<'_>) -> TargetAnswer {
    let question = candidate.question;
    let mut parts = Vec::new();
    let mut add = |asked: Requirement, judged: Judged| {
        let Judged { answer, reason, grounds } = judged;
        let beyond = match asked {
            Requirement::Rate { rate }
                if answer == Answer::Unknown && !candidate.of_study.has_profile() =>
            {
                beyond::beyond(candidate.analysis, candidate.test, candidate.target, rate)
            }
            _ => None,
        };
        parts.push(RequirementAnswer { asked, answer, reason, grounds, beyond });
    };
    if let Some(share) = question.writes {
        add(Requirement::Writes { share }, writes::judged(candidate.of_study.workload(), share));
    }
    let bounded = !question.latency.is_empty() || question.page.is_some();
    if let Some(rate) = question.rate {
        add(Requirement::Rate { rate }, candidate.rate(rate));
    } else if let Some(clients) = question.clients.filter(|_| !bounded) {
        add(Requirement::Clients { clients }, candidate.clients(clients));
    }
    for &slo in &question.latency {
        add(Requirement::Latency { slo }, candidate.latency(&slo));
    }
    if let Some(page) = question.page {
        add(Requirement::Page { page }, candidate.latency(&page.bound()));
    }
    let monthly = cost::monthly(candidate);
    if let Some(budget) = &question.budget {
        let judged = cost::within(candidate, budget, &monthly);
        add(Requirement::Budget { budget: budget.clone() }, judged);
    }
    let together = parts.iter().map(|part| part.answer).min();
    // Another mix of statements says nothing of this one, not even a no.
    let other_mix = |part: &RequirementAnswer| {
        matches!(part.asked, Requirement::Writes { .. }) && part.answer == Answer::Unknown
    };
    let answer = match together {
        Some(together) if !parts.iter().any(other_mix) => together,
        _ => Answer::Unknown,
    };
    let target = candidate.target.to_owned();
    TargetAnswer { target, answer, parts, monthly: monthly.ok() }
}

fn sufficient(targets: &[TargetAnswer]) -> (Vec<String>, TargetOrder) {
    let fit: Vec<&TargetAnswer> = targets.iter().filter(|t| t.answer.is_yes()).collect();
    let names = fit.iter().map(|target| target.target.clone()).collect();
    let priced = fit.iter().map(|target| target.monthly.as_ref().map(|cost| (*target, cost)));
    let Some(mut priced) = priced.collect::<Option<Vec<(&TargetAnswer, &MonthlyCost)>>>() else {
        return (names, TargetOrder::Study);
    };
    if priced.windows(2).any(|two| two[0].1.currency != two[1].1.currency) {
        return (names, TargetOrder::Study);
    }
    priced.sort_by(|(_, a), (_, b)| a.amount.point.total_cmp(&b.amount.point));
    let costs_less = |two: &[(&TargetAnswer, &MonthlyCost)]| {
        two[0].1.amount.compare(&two[1].1.amount) == Some(Ordering::Less)
    };
    let order = match priced.windows(2).all(costs_less) {
        true => TargetOrder::Cost,
        false => TargetOrder::CostUndecided,
    };
    (priced.into_iter().map(|(target, _)| target.target.clone()).collect(), order)
}
