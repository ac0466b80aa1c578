//! The highest load under a bound on latency, in words.

use crate::numbers::{self, count};
use crate::view;
use analyse::{
    Analysis, Evidence, Finding, SearchAnalysis, SearchOutcome, TargetSearch, TestAnalysis,
};
use findings::names::bound;
use findings::names::target_name;
use findings::words::highest;
use findings::{capitalised, statement};
use model::{SearchOver, StepVerdict};

/// What was searched for.
pub(crate) fn searched_for(over: SearchOver) -> &'static str {
    match over {
        SearchOver::Rate => "highest rate",
        SearchOver::Clients => "highest number of clients",
    }
}

/// What a step says of its load.
pub(crate) fn step_verdict(over: SearchOver, verdict: StepVerdict) -> &'static str {
    match verdict {
        StepVerdict::Met => "met",
        StepVerdict::Missed => "missed",
        StepVerdict::TooBusy => "processors too busy",
        StepVerdict::Disturbed => "disturbed by other processes",
        StepVerdict::Lagging => "replicas lag",
        StepVerdict::FellBehind if over == SearchOver::Clients => "too few succeeded",
        StepVerdict::FellBehind => "fell behind",
    }
}

/// The highest load of each target, as far as it is known.
pub(super) fn highest_loads(
    analysis: &Analysis,
    test: &TestAnalysis,
    found: &SearchAnalysis,
) -> Vec<String> {
    let sentence = |target: &TargetSearch| match target.outcome {
        SearchOutcome::Unknown => format!(
            "The highest load of {} is not known: no search counts, or the searches disagree.",
            target_name(&target.target),
        ),
        outcome => format!(
            "{} {}{}.",
            target_name(&target.target),
            highest(&found.bound, found.over, &outcome, view::counted(test)),
            sustained(analysis, test, &target.target)
        ),
    };
    found.targets.iter().map(sentence).collect()
}

/// How the highest loads of each pair compare.
pub(super) fn compared(analysis: &Analysis, test: &TestAnalysis) -> Vec<String> {
    let compares = |evidence: &Evidence| matches!(evidence, Evidence::HighestLoadsCompared(_));
    analysis
        .findings_of(&test.test)
        .filter(|finding| compares(&finding.evidence))
        .map(|finding| format!("{}.", capitalised(&statement(finding, view::counted(test)))))
        .collect()
}

/// What of its highest rate a target sustained in every repeat, where there is a finding of that: the
/// two figures stand beside each other wherever one does.
fn sustained(analysis: &Analysis, test: &TestAnalysis, target: &str) -> String {
    let is_own = |finding: &&Finding| finding.subject.target.as_deref() == Some(target);
    let mut own = analysis.findings_of(&test.test).filter(is_own);
    let rate = own.find_map(|finding| match &finding.evidence {
        Evidence::SustainedRate(found) => Some(found.rate),
        _ => None,
    });
    rate.map_or(String::new(), |rate| {
        format!("; what it sustains in every repeat is {}/s", count(rate.floor() as u64))
    })
}

/// The target to choose: the one with the highest load, where there is only one.
pub(super) fn choice(found: &SearchAnalysis) -> Option<String> {
    let is_known = |target: &&TargetSearch| {
        !matches!(target.outcome, SearchOutcome::Disturbed { .. } | SearchOutcome::Unknown)
    };
    if found.targets.iter().filter(is_known).count() < 2 {
        return None;
    }
    let leaders: Vec<String> = found.leaders().into_iter().map(target_name).collect();
    match leaders.as_slice() {
        [] => None,
        [only] => {
            let among = match found.targets.iter().all(|target| is_known(&target)) {
                true => "",
                false => " of those that are known",
            };
            let bound = bound(&found.bound);
            Some(format!("Choose {only}: it sustains the highest load{among} {bound}."))
        }
        several => Some(format!("It is undecided between {}.", numbers::list(several))),
    }
}
