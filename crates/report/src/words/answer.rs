//! The answer to a test in plain words, with what it does not hold for.

use super::first::{crowd, measured_once, not_offered, peaks};
use super::{decision, failover, money, rates, search, undecided};
use crate::{numbers, view};
use analyse::{
    Analysis, CurveShape, Evidence, Metric, OverallComparison, SearchAnalysis, TestAnalysis,
    Validity, Verdict,
};
use findings::names::target_name;
use findings::place::{at_levels, levels};
use findings::{capitalised, statement};
use model::{Level, Test, TrialRecord, text};

/// Most targets that failed in some trials and are named beside a choice.
const MOST_FAILED: usize = 3;

/// Most targets whose highest loads are told in sentences; a table has those of all.
const MOST_SEARCHED: usize = 3;

/// What a test says.
pub(crate) struct Answer {
    /// In which trials nothing succeeded: no choice and no figure holds that.
    pub(crate) stalled: Option<String>,
    /// What to choose and on what condition, where a rule follows from what was measured.
    pub(crate) choice: Option<String>,
    /// Which targets lost acknowledged writes, of a failover: whoever is back sooner without what was
    /// written is not simply better.
    pub(crate) lost: Option<String>,
    /// Which targets failed in some of their trials: no figure holds that, and the one that failed may be
    /// the better by the figures of the others.
    pub(crate) failed: Option<String>,
    /// Up to which rate the targets keep up where rates were offered; how they compare over all
    /// levels together where there are two, or where one overtakes the other; else the ranking.
    pub(crate) headline: String,
    /// The ranking at the targets' peaks, where the headline does not say it.
    pub(crate) ranking: Option<String>,
    /// Where loads were searched for: the headline, sentence by sentence.
    pub(crate) targets: Vec<String>,
    /// How targets compare, and at which levels: a sentence for each pair.
    pub(crate) conditions: Vec<String>,
    /// What this answer does not hold for.
    pub(crate) limits: Vec<String>,
}

impl Answer {
    /// What is read first: what to choose or else the headline, which targets lost writes, and which
    /// failed.
    pub(crate) fn first(&self) -> String {
        let said = self.choice.as_ref().unwrap_or(&self.headline);
        let beside = self.lost.iter().chain(&self.failed);
        let said = beside.fold(said.clone(), |said, beside| format!("{said} {beside}"));
        self.stalled.iter().fold(said, |said, stalled| format!("{stalled} {said}"))
    }

    /// What follows that: the headline, where it has not been said.
    pub(crate) fn second(&self) -> Option<&str> {
        self.choice.as_ref().map(|_| self.headline.as_str())
    }
}

/// What a test says, from its ranking and the findings about it.
pub(crate) fn answer(analysis: &Analysis, test: &TestAnalysis) -> Answer {
    if let Some(found) = &test.search {
        return answer_of_search(analysis, test, found);
    }
    let mut pairs = if view::is_crowded(test) { Vec::new() } else { pairs(analysis, test) };
    let ranking =
        if test.ranking.measured_once.is_empty() { peaks(test) } else { measured_once(test) };
    let of_pair = match pairs.as_mut_slice() {
        // An average over levels would hide that each is ahead at some of them.
        [only] if !only.crossings.is_empty() => {
            let crossings = std::mem::take(&mut only.crossings);
            Some(crossings.join("; "))
        }
        [only] => only.overall.take(),
        _ => None,
    };
    // Who asks for a latency is told that first.
    let by_throughput = test.basis.is_none_or(|basis| basis.metric == Metric::Throughput);
    let (headline, ranking) = match (rates::kept_up(test), of_pair) {
        // What is offered decides the throughput of an open loop, so no ratio of it comes first.
        (Some(kept_up), _) if by_throughput => (kept_up, None),
        (Some(kept_up), Some(said)) => (format!("{said}."), Some(format!("{ranking} {kept_up}"))),
        (Some(kept_up), None) => (ranking, Some(kept_up)),
        (None, Some(said)) => (format!("{said}."), Some(ranking)),
        (None, None) => (ranking, None),
    };
    let undecided = |overall: &OverallComparison| {
        overall.metric == Metric::Throughput && overall.verdict == Verdict::Unresolved
    };
    // Where no level decides what all together leave open, the headline has said it.
    if ranking.is_some() && test.overall.iter().any(undecided) {
        pairs.retain(|pair| !pair.decided.is_empty());
    }
    if ranking.is_none() && all_tied(analysis, test) {
        // The headline has said it of all of them.
        pairs.retain(|pair| pair.overall.is_some() || !is_silent(pair));
    }
    let together = told_together(&mut pairs, test);
    let mut conditions: Vec<String> = pairs.into_iter().filter_map(Pair::sentence).collect();
    conditions.extend(together);
    if view::is_crowded(test) {
        conditions.extend(crowd(analysis, test));
    }
    let lost = failover::lost_writes(analysis, test);
    let limits = limits(analysis, test);
    let choice = decision::choice(analysis, test);
    let failed = failures(analysis, test);
    // Whoever asks what transactions cost is told so first, and then which target is best by the test.
    let (choice, headline) = match money::cheapest(analysis, test) {
        Some(cost) => (Some(cost), choice.unwrap_or(headline)),
        None => (choice, headline),
    };
    let stalled = stalled(test);
    Answer {
        stalled,
        choice,
        lost,
        failed,
        headline,
        ranking,
        targets: Vec::new(),
        conditions,
        limits,
    }
}

/// What a test that searches says: the highest load of each target, then the pairs.
fn answer_of_search(analysis: &Analysis, test: &TestAnalysis, found: &SearchAnalysis) -> Answer {
    let targets = search::highest_loads(analysis, test, found);
    let choice = search::choice(found);
    let failed = choice.as_ref().and_then(|_| failures(analysis, test));
    Answer {
        stalled: None,
        choice,
        lost: None,
        failed,
        headline: targets[..targets.len().min(MOST_SEARCHED)].join(" "),
        ranking: None,
        conditions: search::compared(analysis, test),
        targets,
        limits: lost_trials(analysis, test).into_iter().collect(),
    }
}

/// Most levels of targets at which nothing succeeded in some trials and that are named.
const MOST_STALLED: usize = 3;

/// In how many trials of which target at which level nothing succeeded; `None` where that never was.
fn stalled(test: &TestAnalysis) -> Option<String> {
    let all: Vec<String> = test
        .cells
        .iter()
        .filter(|cell| cell.stalled > 0)
        .map(|cell| {
            let trials = numbers::counted(cell.trials.len(), "trial");
            let at = findings::place::at(cell.level);
            format!("{} of {trials} of {}{at}", cell.stalled, target_name(&cell.target))
        })
        .collect();
    let mut shown: Vec<String> = all.iter().take(MOST_STALLED).cloned().collect();
    if all.len() > shown.len() {
        shown.push(format!("some at {}", numbers::counted(all.len() - shown.len(), "other level")));
    }
    (!shown.is_empty()).then(|| format!("Nothing succeeded in {}.", numbers::list(&shown)))
}

/// What is said of two targets.
struct Pair<'a> {
    names: (&'a str, &'a str),
    /// Over all levels together.
    overall: Option<String>,
    /// Where one overtakes the other.
    crossings: Vec<String>,
    /// At levels where they differ or are the same.
    decided: Vec<String>,
    /// Levels at which neither can be said.
    undecided: Option<&'a [Level]>,
}

/// What a finding says of two targets.
enum PairStatement<'a> {
    Overall,
    Crossing,
    Decided,
    Undecided(&'a [Level]),
}

/// The pairs that the findings of a test compare; those of the first in the ranking come first.
fn pairs<'a>(analysis: &'a Analysis, test: &TestAnalysis) -> Vec<Pair<'a>> {
    let counted = view::counted(test);
    let mut pairs: Vec<Pair> = Vec::new();
    for finding in analysis.findings_of(&test.test) {
        let (a, b, part) = match &finding.evidence {
            Evidence::OverallResult(found) => {
                (&found.baseline, &found.candidate, PairStatement::Overall)
            }
            Evidence::Crossover(found) => (&found.below, &found.above, PairStatement::Crossing),
            Evidence::BetterAtLevels(found) => {
                (&found.winner, &found.loser, PairStatement::Decided)
            }
            Evidence::EquivalentAtLevels(found) => (&found.a, &found.b, PairStatement::Decided),
            Evidence::BelowNoiseFloor(found) => (&found.a, &found.b, PairStatement::Decided),
            Evidence::UnresolvedAtLevels(found) => {
                (&found.a, &found.b, PairStatement::Undecided(&found.levels))
            }
            _ => continue,
        };
        let known = pairs.iter().position(|pair| pair.names == (a, b) || pair.names == (b, a));
        let index = known.unwrap_or(pairs.len());
        if known.is_none() {
            let names = (a.as_str(), b.as_str());
            let (crossings, decided) = (Vec::new(), Vec::new());
            pairs.push(Pair { names, overall: None, crossings, decided, undecided: None });
        }
        let pair = &mut pairs[index];
        match part {
            PairStatement::Overall => {
                pair.overall = Some(capitalised(&statement(finding, counted)))
            }
            PairStatement::Crossing => pair.crossings.push(statement(finding, counted)),
            PairStatement::Decided => pair.decided.push(statement(finding, counted)),
            PairStatement::Undecided(levels) => pair.undecided = Some(levels),
        }
    }
    let leader = test.ranking.tiers.first().and_then(|tier| tier.first());
    let leads =
        |pair: &Pair| leader.is_some_and(|l| l.target == pair.names.0 || l.target == pair.names.1);
    // Stable: otherwise in the order of the study.
    pairs.sort_by_key(|pair| !leads(pair));
    pairs
}

/// Whether nothing can be said of a pair but that.
fn is_silent(pair: &Pair) -> bool {
    pair.crossings.is_empty() && pair.decided.is_empty() && pair.undecided.is_some()
}

/// Whether no two targets are told apart at the only level that there is.
fn all_tied(analysis: &Analysis, test: &TestAnalysis) -> bool {
    let one_level = study_test(analysis, test).is_some_and(|test| test.levels().len() == 1);
    one_level && test.ranking.tiers.len() == 1
}

/// Takes the pairs out of which nothing can be said, where they are several, and tells them in as
/// few sentences as it takes.
fn told_together(pairs: &mut Vec<Pair>, test: &TestAnalysis) -> Vec<String> {
    let mut said = Vec::new();
    let open = |pair: &Pair| {
        undecided::open(test, pair.names).filter(|_| is_silent(pair) && pair.overall.is_some())
    };
    let over_levels: Vec<_> = pairs.iter().filter_map(open).collect();
    if over_levels.len() >= undecided::TOGETHER {
        said.push(undecided::over_levels(&over_levels));
        pairs.retain(|pair| open(pair).is_none());
    }
    // Where there is no more than one level, no figure stands for all.
    let alone = |pair: &Pair| is_silent(pair) && pair.overall.is_none();
    let levels = pairs.iter().find(|pair| alone(pair)).and_then(|pair| pair.undecided);
    let same = |pair: &Pair| alone(pair) && pair.undecided == levels;
    let names: Vec<(&str, &str)> =
        pairs.iter().filter(|pair| same(pair)).map(|pair| pair.names).collect();
    if names.len() >= undecided::TOGETHER {
        said.push(undecided::at(&names, levels.unwrap_or_default()));
        pairs.retain(|pair| !same(pair));
    }
    said
}

impl Pair<'_> {
    fn sentence(self) -> Option<String> {
        let unresolved = self.undecided.map(|at| match (&self.overall, self.decided.len()) {
            (None, 0) => format!(
                "{} and {} cannot be told apart{}",
                target_name(self.names.0),
                target_name(self.names.1),
                at_levels(at)
            ),
            _ => format!("at {} the measurements do not decide", levels(at)),
        });
        let parts: Vec<String> = self
            .overall
            // An average over levels would hide that each is ahead at some of them.
            .filter(|_| self.crossings.is_empty())
            .into_iter()
            .chain(self.crossings)
            .chain(self.decided)
            .chain(unresolved)
            .collect();
        (!parts.is_empty()).then(|| format!("{}.", parts.join("; ")))
    }
}

/// What a test's answer does not hold for.
fn limits(analysis: &Analysis, test: &TestAnalysis) -> Vec<String> {
    let mut limits: Vec<String> = decision::not_chosen(analysis, test);
    let rising: Vec<String> = test
        .curves
        .iter()
        // More is answered at a higher rate until a target falls behind: that is no rise.
        .filter(|curve| curve.shape == CurveShape::StillRising && !curve.peak.is_open())
        .map(|curve| target_name(&curve.target))
        .collect();
    if !rising.is_empty() {
        let (verb, whose) = if rising.len() == 1 { ("was", "its") } else { ("were", "their") };
        limits.push(format!(
            "{} {verb} still rising at the highest level: {whose} true peak may be higher.",
            numbers::list(&rising),
        ));
    }
    limits.extend(test.curves.iter().filter(|curve| !curve.without_data.is_empty()).map(|curve| {
        format!(
            "{} has no result at {}, where all its trials failed, are void or were not run.",
            target_name(&curve.target),
            levels(&curve.without_data),
        )
    }));
    let without = not_offered(test);
    if let Some((targets, said)) = &without {
        let names: Vec<String> = targets.iter().map(|name| target_name(name)).collect();
        limits.push(format!(
            "Not offered by {}: {}.",
            numbers::list(&names),
            text::message(said).trim_end_matches('.'),
        ));
    }
    let offers = |name: &&String| {
        without.as_ref().is_none_or(|(targets, _)| !targets.contains(&name.as_str()))
    };
    let unranked = test.ranking.unranked.iter().filter(offers);
    let (without, lost): (Vec<&String>, Vec<&String>) =
        unranked.partition(|name| view::lacks_figure(analysis, test, name));
    let zeros = view::printed_as_zero(analysis, test);
    let (zero, without): (Vec<&String>, Vec<&String>) =
        without.into_iter().partition(|name| zeros.iter().any(|(target, _)| target == name));
    for (names, why) in [
        (lost, "all trials failed or are void"),
        (without, "no trial has the figure that decides"),
        (zero, "the figure that decides is printed as 0"),
    ] {
        let names: Vec<String> = names.into_iter().map(|name| target_name(name)).collect();
        if !names.is_empty() {
            limits.push(format!("Not ranked, because {why}: {}.", numbers::list(&names)));
        }
    }
    limits.extend(lost_trials(analysis, test));
    limits
}

fn study_test<'a>(analysis: &'a Analysis, test: &TestAnalysis) -> Option<&'a Test> {
    analysis.dataset.study.tests.iter().find(|candidate| candidate.name == test.test)
}

fn lost_trials(analysis: &Analysis, test: &TestAnalysis) -> Option<String> {
    let trials = || test.cells.iter().flat_map(|cell| &cell.trials);
    let failed = trials()
        .filter(|trial| {
            analysis.dataset.trials.get(trial.record).is_some_and(TrialRecord::has_failed)
        })
        .count();
    let void = trials().filter(|trial| trial.validity == Validity::Void).count();
    let void = void.saturating_sub(failed);
    let suspect = trials().filter(|trial| trial.validity == Validity::Suspect).count();
    let said = |number: usize, trial: &str, one: &str, many: &str| {
        let what = if number == 1 { one } else { many };
        (number > 0).then(|| format!("{} {what}", numbers::counted(number, trial)))
    };
    let parts: Vec<String> = [
        said(failed, "trial", "failed", "failed"),
        said(void, "trial", "is void", "are void"),
        said(suspect, "suspect trial", "is included", "are included"),
    ]
    .into_iter()
    .flatten()
    .collect();
    (!parts.is_empty()).then(|| format!("Some trials weaken this answer: {}.", parts.join("; ")))
}

/// Which targets failed in how many of their trials; `None` where none did. A target that has no result
/// at all is in the limits.
fn failures(analysis: &Analysis, test: &TestAnalysis) -> Option<String> {
    let failed = |target: &str| -> (usize, usize) {
        let own = test.cells.iter().filter(|cell| cell.target == target);
        let trials: Vec<_> = own.flat_map(|cell| &cell.trials).collect();
        let has_failed =
            |record: usize| analysis.dataset.trials.get(record).is_some_and(TrialRecord::is_lost);
        (trials.iter().filter(|trial| has_failed(trial.record)).count(), trials.len())
    };
    let mut targets: Vec<&str> = Vec::new();
    for cell in &test.cells {
        if !targets.contains(&cell.target.as_str()) {
            targets.push(&cell.target);
        }
    }
    let said: Vec<String> = targets
        .into_iter()
        .map(|target| (target, failed(target)))
        .filter(|(_, (failed, all))| *failed > 0 && failed < all)
        .map(|(target, (failed, all))| {
            format!("{} failed in {failed} of {all} trials", target_name(target))
        })
        .collect();
    let more = said.len().saturating_sub(MOST_FAILED);
    let mut shown: Vec<String> = said.into_iter().take(MOST_FAILED).collect();
    if more > 0 {
        shown.push(format!("{} failed in some of theirs", numbers::counted(more, "other target")));
    }
    (!shown.is_empty()).then(|| format!("{}.", numbers::list(&shown)))
}

/// That the study was not run as it is written.
pub(crate) fn scaled(analysis: &Analysis) -> Option<String> {
    let scale = analysis.dataset.run.scale;
    let data = if scale < 1.0 { ", and the test data were made smaller" } else { "" };
    (scale != 1.0).then(|| {
        format!(
            "This run was scaled by {scale}: all warm-ups, durations and amounts of work were multiplied \
             by it{data}. Its figures are not those of the study as it is written.",
        )
    })
}

/// What no answer of this run holds for, whatever the test.
pub(crate) fn general_limits(analysis: &Analysis) -> Vec<String> {
    let dataset = analysis.dataset;
    if view::imported(analysis) {
        return vec![
            "These results are imported: how the load was made, what the caches held and what else \
             ran is known only as far as the results say so."
                .to_owned(),
        ];
    }
    let mut limits = Vec::new();
    let is_closed = |test: &Test| test.is_of_load() && !test.is_open();
    if dataset.study.tests.iter().any(is_closed) {
        limits.push(
            "Every client waits for a reply before it sends more (a closed loop): latencies are \
             service times. They do not say how long users would wait at a fixed rate of arrivals."
                .to_owned(),
        );
    }
    if dataset.study.tests.iter().any(Test::is_open) {
        limits.push(format!(
            "Where {} arrive at a rate (an open loop), latencies are response times, waiting \
             included.",
            view::work(analysis).counted,
        ));
    }
    limits.push(
        "One instance of each target was measured: another machine or disk of the same type may \
         differ."
            .to_owned(),
    );
    let missing = dataset.missing().count();
    if missing > 0 {
        let have = if missing == 1 { "has" } else { "have" };
        let trials = numbers::counted(missing, "trial");
        limits.push(format!("{trials} of the plan {have} not been run yet."));
    }
    limits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_target_is_recommended_without_saying_what_it_lost() {
        let mut said = Answer {
            stalled: None,
            choice: Some("Choose a.".into()),
            lost: Some("a lost 12 acknowledged writes in 2 trials.".into()),
            failed: Some("a failed in 1 of 5 trials.".into()),
            headline: "By downtime a comes first.".into(),
            ranking: None,
            targets: Vec::new(),
            conditions: Vec::new(),
            limits: Vec::new(),
        };
        assert_eq!(
            said.first(),
            "Choose a. a lost 12 acknowledged writes in 2 trials. a failed in 1 of 5 trials."
        );
        assert_eq!(said.second(), Some("By downtime a comes first."));
        (said.choice, said.lost, said.failed) = (None, None, None);
        assert_eq!((said.first().as_str(), said.second()), ("By downtime a comes first.", None));
    }
}
