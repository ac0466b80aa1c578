//! The highest load under a bound on latency, in words.

use super::answer::{Answer, failures};
use super::methods::Method;
use crate::numbers::{self, count};
use crate::view;
use analyse::{Analysis, Evidence, SearchAnalysis, SearchOutcome, TargetSearch, TestAnalysis};
use findings::names::bound;
use findings::names::target_name;
use findings::words::highest;
use findings::{capitalised, statement};
use model::{SearchOver, StepVerdict};

/// Most targets whose highest loads are told in sentences; a table has those of all.
const MOST_TARGETS: usize = 3;

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

/// What a test that searches says: the highest load of each target, then the pairs.
pub(super) fn answer(
    analysis: &Analysis,
    test: &TestAnalysis,
    found: &SearchAnalysis,
    lost: Option<String>,
) -> Answer {
    let targets: Vec<String> = found
        .targets
        .iter()
        .map(|target| match target.outcome {
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
        })
        .collect();
    let compares = |evidence: &Evidence| matches!(evidence, Evidence::HighestLoadsCompared(_));
    let of_test = |subject: &analyse::Subject| subject.test.as_deref() == Some(&test.test);
    let conditions = analysis
        .findings
        .iter()
        .filter(|finding| of_test(&finding.subject) && compares(&finding.evidence))
        .map(|finding| format!("{}.", capitalised(&statement(finding, view::counted(test)))))
        .collect();
    let choice = choice(found);
    let failed = choice.as_ref().and_then(|_| failures(analysis, test));
    Answer {
        stalled: None,
        choice,
        lost: None,
        failed,
        headline: targets[..targets.len().min(MOST_TARGETS)].join(" "),
        ranking: None,
        conditions,
        targets,
        limits: lost.into_iter().collect(),
    }
}

/// What of its highest rate a target sustained in every repeat, where there is a finding of that: the
/// two figures stand beside each other wherever one does.
fn sustained(analysis: &Analysis, test: &TestAnalysis, target: &str) -> String {
    let is_own = |subject: &analyse::Subject| {
        subject.test.as_deref() == Some(&test.test) && subject.target.as_deref() == Some(target)
    };
    let mut own = analysis.findings.iter().filter(|finding| is_own(&finding.subject));
    let rate = own.find_map(|finding| match &finding.evidence {
        Evidence::SustainedRate(found) => Some(found.rate),
        _ => None,
    });
    rate.map_or(String::new(), |rate| {
        format!("; what it sustains in every repeat is {}/s", count(rate.floor() as u64))
    })
}

/// The target to choose: the one with the highest load, where there is only one.
fn choice(found: &SearchAnalysis) -> Option<String> {
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

/// How the searches were made.
pub(super) fn method() -> Method {
    let text = "Where a test names a bound, each trial searches for the highest load that meets it. \
                For a rate, a closed loop first shows about what the server can do. Each step then \
                offers one load, higher or lower, until one step met the bound and a higher one \
                missed it. The search then halves the range between the two, on a geometric scale, \
                until they are within 5 % or are neighbouring numbers of clients. A step within \
                15 % of the bound is repeated once, and so is, at the end, the lowest load that \
                missed it; both runs count together. A rate that was not achieved does not meet \
                the bound. The answer of a trial is the middle between the two loads; how far it \
                may be off is part of every interval and ratio. Throughput, latencies and checks \
                of such a trial are those of the step at the highest load that met the bound.";
    ("Highest load under a bound", text.to_owned())
}
