//! Findings as sentences.

use super::advice::advice;
use super::arithmetic::{self, contradiction, contradictions};
use super::bend;
use super::comparisons::{better, overall, times};
use super::data::{
    changed, different, evicted, intact, not_cold, not_warm, overheated, rows_missing, throttled,
};
use super::doubts::{
    Counted, busy_clients, client_busy, counters, dataset_against_memory, errors, failed,
    in_little_s_law, noticed_late, saturated, steal,
};
use super::events;
use super::factors;
use super::floor;
use super::generators::lopsided;
use super::labels::{check, target_name};
use super::metric::metric_name;
use super::money;
use super::opinion;
use super::outages::{outages, overloaded};
use super::place::{self, at, at_levels, levels};
use super::processors;
use super::scaling;
use super::search;
use super::steadiness::{debts, drift, other_processes, too_short};
use super::storage;
use crate::numbers::{self, count, figure, percent};
use analyse::{
    Advice, ArithmeticChecked, AtHighestLevel, BelowNoiseFloor, BetterAtLevels, CheckPassed,
    ChecksNotMade, CostUnknown, CounterMismatch, CountersUnavailable, CrossCheckFailed,
    CurrenciesDiffer, DatasetAgainstMemory, Decline, DifferentData, DirtyPageBacklog, Dominates,
    Drift, EquivalentAtLevels, Errors, Evidence, FewRepeats, Finding, HighestLoad,
    LedgerUnbalanced, LittlesLaw, NoScalingLaw, Overloaded, Peak, TablesChanged, TablesIntact,
    Throttled, TooShortForTrend, TrialFailed, TrialsMissing, UnresolvedAtLevels,
};
use model::{Level, Noun};
use stats::Estimate;
use std::mem::discriminant;

/// A finding as one sentence: what it is about, then what was found, with the figures. `counted` is
/// what throughput counts in the test that it is about.
pub fn sentence(finding: &Finding, counted: Noun) -> String {
    sentence_of_all(&[finding], counted)
}

/// Findings of one severity as sentences, those that differ only in where they were made and in
/// their figures in one. `counted` says what throughput counts in the test that one is about.
pub(crate) fn sentences(findings: &[&Finding], counted: impl Fn(&Finding) -> Noun) -> Vec<String> {
    let mut groups: Vec<(Noun, Vec<&Finding>)> = Vec::new();
    for finding in findings {
        let counted = counted(finding);
        let alike = |(noun, group): &&mut (Noun, Vec<&Finding>)| {
            *noun == counted && alike(&group[0].evidence, &finding.evidence)
        };
        match groups.iter_mut().find(alike) {
            Some((_, group)) => group.push(finding),
            None => groups.push((counted, vec![finding])),
        }
    }
    groups.iter().map(|(counted, group)| sentence_of_all(group, *counted)).collect()
}

/// Whether one sentence can say both.
fn alike(a: &Evidence, b: &Evidence) -> bool {
    match (a, b) {
        (
            Evidence::TrialFailed(TrialFailed { failure: a }),
            Evidence::TrialFailed(TrialFailed { failure: b }),
        ) => a == b,
        (
            Evidence::CounterMismatch(CounterMismatch {
                counter: a,
                server: server_a,
                weighin: weighin_a,
            }),
            Evidence::CounterMismatch(CounterMismatch {
                counter: b,
                server: server_b,
                weighin: weighin_b,
            }),
        ) => {
            // Differences of both signs would cancel out in their sum.
            let more = |server: i64, weighin: u64| i128::from(server) > i128::from(weighin);
            a == b && more(*server_a, *weighin_a) == more(*server_b, *weighin_b)
        }
        (
            Evidence::Errors(Errors { message: a, .. }),
            Evidence::Errors(Errors { message: b, .. }),
        ) => a == b,
        (Evidence::Contradiction(a), Evidence::Contradiction(b)) => arithmetic::alike(a, b),
        (
            Evidence::Overloaded(Overloaded { rate: a, .. }),
            Evidence::Overloaded(Overloaded { rate: b, .. }),
        ) => a == b,
        (Evidence::DeviceBytes(a), Evidence::DeviceBytes(b)) => storage::alike(a, b),
        (Evidence::VmProcessors(a), Evidence::VmProcessors(b)) => processors::alike(a, b),
        (Evidence::NoScalingLaw(_) | Evidence::TriggerWithoutEffect(_), _) => a == b,
        (
            Evidence::Throttled(Throttled { process: a, .. }),
            Evidence::Throttled(Throttled { process: b, .. }),
        ) => a == b,
        (Evidence::Drift(Drift { figure: a, .. }), Evidence::Drift(Drift { figure: b, .. })) => {
            a == b
        }
        (
            Evidence::DirtyPageBacklog(DirtyPageBacklog { growing: a, .. }),
            Evidence::DirtyPageBacklog(DirtyPageBacklog { growing: b, .. }),
        ) => a == b,
        (Evidence::DatasetAgainstMemory(_) | Evidence::CostUnknown(_), _) => a == b,
        (
            Evidence::LittlesLaw(_)
            | Evidence::CountersUnavailable(CountersUnavailable)
            | Evidence::ClientBusy(_)
            | Evidence::ClientDelay(_)
            | Evidence::UnevenLoad(_)
            | Evidence::ConnectionsLost(_)
            | Evidence::LedgerUnbalanced(LedgerUnbalanced)
            | Evidence::Steal(_)
            | Evidence::OtherProcesses(_)
            | Evidence::Overheated(_)
            | Evidence::CacheNotCold(_)
            | Evidence::CacheNotWarm(_)
            | Evidence::RowsMissing(_)
            | Evidence::KeysEvicted(_)
            | Evidence::TooShortForTrend(_)
            | Evidence::HostSaturated(_),
            _,
        ) => discriminant(a) == discriminant(b),
        _ => false,
    }
}

/// Findings that are alike, at least one, as one sentence.
fn sentence_of_all(findings: &[&Finding], counted: Noun) -> String {
    let Some(first) = findings.first() else { return String::new() };
    let of_several = match &first.evidence {
        _ if findings.len() == 1 => None,
        Evidence::TrialFailed(TrialFailed { failure }) => {
            Some(failed(&format!("{} failed", numbers::counted(findings.len(), "trial")), failure))
        }
        Evidence::LittlesLaw(_) => Some(busy_clients(findings)),
        Evidence::CounterMismatch(CounterMismatch { counter, .. }) => {
            Some(counters(counter, findings))
        }
        Evidence::ClientBusy(_) => Some(client_busy(findings)),
        Evidence::ClientDelay(_) => Some(noticed_late(findings)),
        Evidence::UnevenLoad(_) => Some(lopsided(findings, counted)),
        Evidence::ConnectionsLost(_) => Some(outages(findings, counted)),
        Evidence::Overloaded(Overloaded { rate, .. }) => Some(overloaded(*rate, findings, counted)),
        Evidence::Errors(Errors { message, code, .. }) => {
            Some(errors((message, code), findings, counted))
        }
        Evidence::KeysEvicted(_) => Some(evicted(findings)),
        Evidence::DeviceBytes(_) => Some(storage::device_bytes(findings)),
        Evidence::VmProcessors(_) => Some(processors::used(findings)),
        Evidence::Contradiction(_) => Some(contradictions(findings)),
        Evidence::Steal(_) => Some(steal(findings)),
        Evidence::OtherProcesses(_) => Some(other_processes(findings)),
        Evidence::Throttled(Throttled { process, .. }) => Some(throttled(*process, findings)),
        Evidence::Overheated(_) => Some(overheated(findings)),
        Evidence::CacheNotCold(_) => Some(not_cold(findings)),
        Evidence::CacheNotWarm(_) => Some(not_warm(findings)),
        Evidence::RowsMissing(_) => Some(rows_missing(findings)),
        Evidence::Drift(Drift { figure, .. }) => Some(drift(*figure, findings)),
        Evidence::TooShortForTrend(TooShortForTrend { needed, .. }) => {
            Some(too_short(*needed, findings))
        }
        Evidence::DirtyPageBacklog(DirtyPageBacklog { growing, .. }) => {
            Some(debts(*growing, findings))
        }
        Evidence::HostSaturated(_) => Some(saturated(findings)),
        _ => None,
    };
    let statement = of_several.unwrap_or_else(|| statement(first, counted));
    // Sentences about a curve name the level themselves.
    let with_levels = !matches!(first.evidence, Evidence::Peak(_) | Evidence::Decline(_));
    match place::findings(findings, with_levels) {
        subject if subject.is_empty() => capitalised(&format!("{statement}.")),
        subject => format!("{subject}: {statement}."),
    }
}

/// What was found, without what it is about and without a full stop; `counted` as for
/// [`sentence`].
pub fn statement(finding: &Finding, counted: Noun) -> String {
    match &finding.evidence {
        Evidence::TrialFailed(TrialFailed { failure }) => failed("the trial failed", failure),
        Evidence::TrialsMissing(TrialsMissing { missing, planned }) => format!(
            "of {}, {} not run because the run was interrupted; “weighin run --resume” makes up \
             for that",
            numbers::counted(*planned, "planned trial"),
            if *missing == 1 {
                "1 was".to_owned()
            } else {
                format!("{} were", count(*missing as u64))
            },
        ),
        Evidence::FewRepeats(FewRepeats { repeats: 1, needed }) => format!(
            "every trial was run once: without repeats nothing is known of how they scatter, no \
             figure has an interval, and nothing is told apart; {needed} repeats would do"
        ),
        Evidence::FewRepeats(FewRepeats { repeats, needed }) => format!(
            "{} of every trial: an interval that assumes nothing of how they scatter needs \
             {needed}; the intervals here assume a log-normal scatter",
            numbers::counted(*repeats as usize, "repeat"),
        ),
        Evidence::LittlesLaw(LittlesLaw {
            clients,
            throughput,
            latency_mean_ms,
            client_delay_mean_ms,
            busy_clients,
        }) => {
            let Counted { busy, should, .. } = in_little_s_law(&[finding]);
            format!(
                "{} {counted}/s × ({} ms of mean latency + {} ms until the next request) make {} \
                 {busy} where {} {should}; the two should agree",
                figure(*throughput),
                figure(*latency_mean_ms),
                figure(*client_delay_mean_ms),
                figure(*busy_clients),
                count((*clients).into()),
            )
        }
        Evidence::CounterMismatch(CounterMismatch { counter, .. }) => counters(counter, &[finding]),
        Evidence::CountersUnavailable(CountersUnavailable) => {
            "the server’s counters could not be read, so its count was not held against weighin’s"
                .to_owned()
        }
        Evidence::ClientBusy(_) => client_busy(&[finding]),
        Evidence::ClientDelay(_) => noticed_late(&[finding]),
        Evidence::UnevenLoad(_) => lopsided(&[finding], counted),
        Evidence::ConnectionsLost(_) => outages(&[finding], counted),
        Evidence::Overloaded(Overloaded { rate, .. }) => overloaded(*rate, &[finding], counted),
        Evidence::LedgerUnbalanced(LedgerUnbalanced) => {
            "not every scheduled operation is accounted for; this is a defect of weighin, please \
             report it"
                .to_owned()
        }
        Evidence::Errors(Errors { message, code, .. }) => {
            errors((message, code), &[finding], counted)
        }
        Evidence::KeysEvicted(_) => evicted(&[finding]),
        Evidence::Steal(_) => steal(&[finding]),
        Evidence::OtherProcesses(_) => other_processes(&[finding]),
        Evidence::Throttled(Throttled { process, .. }) => throttled(*process, &[finding]),
        Evidence::Overheated(_) => overheated(&[finding]),
        Evidence::CacheNotCold(_) => not_cold(&[finding]),
        Evidence::CacheNotWarm(_) => not_warm(&[finding]),
        Evidence::RowsMissing(_) => rows_missing(&[finding]),
        Evidence::TablesIntact(TablesIntact { rows, with_values }) => intact(*rows, *with_values),
        Evidence::TablesChanged(TablesChanged { rows }) => changed(*rows),
        Evidence::DifferentData(DifferentData { rows }) => different(rows),
        Evidence::Drift(Drift { figure, .. }) => drift(*figure, &[finding]),
        Evidence::TooShortForTrend(TooShortForTrend { needed, .. }) => {
            too_short(*needed, &[finding])
        }
        Evidence::DirtyPageBacklog(DirtyPageBacklog { growing, .. }) => debts(*growing, &[finding]),
        Evidence::HostSaturated(_) => saturated(&[finding]),
        Evidence::Contradiction(found) => contradiction(found),
        Evidence::ArithmeticChecked(ArithmeticChecked { source, checked, violated }) => {
            arithmetic::checked(*source, *checked, *violated)
        }
        Evidence::CheckPassed(CheckPassed { check: passed, trials }) => {
            format!("{} – passed on {}", check(*passed), numbers::counted(*trials, "trial"))
        }
        Evidence::ChecksNotMade(ChecksNotMade { trials }) => format!(
            "{} measured elsewhere and taken as printed: weighin’s checks of a trial need what was \
             not recorded, so they were not made",
            if *trials == 1 {
                "1 trial was".to_owned()
            } else {
                format!("{} trials were", count(*trials as u64))
            },
        ),
        Evidence::CrossCheck(_) => opinion::compared(&finding.evidence, counted),
        Evidence::CrossCheckFailed(CrossCheckFailed { tool, failure, times }) => {
            opinion::failed(tool, failure, *times)
        }
        Evidence::Peak(Peak { throughput, still_rising, without_data }) => {
            peak(finding, throughput, (*still_rising, without_data), counted)
        }
        Evidence::Decline(Decline { peak, ratio }) => format!(
            "throughput falls after its peak at {peak}{} {}",
            finding.subject.level.map_or(" to".to_owned(), |level| format!("; at {level} it is")),
            times(ratio, "the peak"),
        ),
        Evidence::Growth(growth) => scaling::growth(growth, growth.margin),
        Evidence::ScalingLaw(law) => scaling::law(law, law.measured_peak),
        Evidence::NoScalingLaw(NoScalingLaw { why }) => scaling::no_law(*why),
        Evidence::LatencyKnee(found) => bend::bend(found),
        Evidence::LatencyGap(found) => bend::gap(found),
        Evidence::Crossover(found) => scaling::crossover(found),
        Evidence::AtHighestLevel(AtHighestLevel { winner, loser, level, ratio }) => {
            scaling::at_highest(winner, loser, *level, ratio)
        }
        Evidence::Dominates(Dominates { winner, loser, better, same }) => {
            scaling::dominates(winner, loser, better, same)
        }
        Evidence::OverallResult(_) => overall(&finding.evidence),
        Evidence::BetterAtLevels(BetterAtLevels {
            winner,
            loser,
            levels,
            metric,
            ratios,
            bounds,
        }) => better(winner, loser, levels, *metric, ratios, *bounds),
        Evidence::EquivalentAtLevels(EquivalentAtLevels { a, b, levels: at, metric, margin }) => {
            format!(
                "{} and {} have the same {}{}, within the margin of {}",
                target_name(a),
                target_name(b),
                metric_name(*metric),
                at_levels(at),
                percent(*margin),
            )
        }
        Evidence::NoiseFloor(found) => floor::floor(found),
        Evidence::BelowNoiseFloor(BelowNoiseFloor { a, b, levels, metric, factor }) => {
            floor::below(a, b, levels, *metric, *factor)
        }
        Evidence::UnresolvedAtLevels(UnresolvedAtLevels { a, b, levels: at, further_repeats }) => {
            format!(
                "{} and {} cannot be told apart{}{}",
                target_name(a),
                target_name(b),
                at_levels(at),
                scaling::further_repeats(*further_repeats),
            )
        }
        Evidence::HighestLoad(HighestLoad { bound, over, outcome }) => {
            search::highest(bound, *over, outcome, counted)
        }
        Evidence::HighestLoadsCompared(_) => search::compared(&finding.evidence),
        Evidence::SustainedRate(promise) => storage::promise(promise),
        Evidence::DeviceBytes(_) => storage::device_bytes(&[finding]),
        Evidence::VmProcessors(_) => processors::used(&[finding]),
        Evidence::EventCost(cost) => events::background(cost),
        Evidence::TriggerWithoutEffect(trouble) => events::without_effect(trouble),
        Evidence::DatasetAgainstMemory(DatasetAgainstMemory {
            dataset_bytes,
            buffer_pool_bytes,
        }) => dataset_against_memory(*dataset_bytes, *buffer_pool_bytes),
        Evidence::Advice(Advice { spans }) => advice(spans),
        Evidence::FactorEffect(found) => factors::contrast(found),
        Evidence::BreakEven(found) => money::break_even(found),
        Evidence::PriceStep(step) => money::next_tenth(step),
        Evidence::CostUnknown(CostUnknown { gap }) => money::gap(*gap).to_owned(),
        Evidence::CurrenciesDiffer(CurrenciesDiffer { currencies }) => {
            money::currencies(currencies)
        }
    }
}

fn peak(
    finding: &Finding,
    throughput: &Estimate,
    (still_rising, without_data): (bool, &[Level]),
    counted: Noun,
) -> String {
    let at = finding.subject.level.map_or(String::new(), at);
    let beyond = if !without_data.is_empty() {
        format!("; no trial at {} counts, so what lies beyond is not known", levels(without_data))
    } else if still_rising {
        "; it still rises at the highest level measured, so the true peak may lie beyond".to_owned()
    } else {
        String::new()
    };
    let throughput = numbers::estimate(throughput, &format!("{counted}/s"));
    format!("throughput is highest{at}, with {throughput}{beyond}")
}

/// Text that begins with a capital letter.
pub(super) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use analyse::{HostSaturated, Severity, Subject};

    fn finding(target: &str, clients: u32, repeat: Option<u32>, evidence: Evidence) -> Finding {
        let subject = Subject {
            test: Some("oltp".to_owned()),
            target: Some(target.to_owned()),
            level: Some(Level::clients(clients)),
            repeat,
        };
        Finding { severity: Severity::Notice, subject, evidence }
    }

    fn sentences_of(findings: &[Finding]) -> Vec<String> {
        sentences(&findings.iter().collect::<Vec<&Finding>>(), |_| Noun::TRANSACTION)
    }

    #[test]
    fn findings_of_a_kind_are_one_sentence_with_the_places_and_the_range() {
        let saturated = |target, clients, busy| {
            finding(target, clients, None, Evidence::HostSaturated(HostSaturated { busy }))
        };
        let all = [
            saturated("durable", 16, 0.965),
            saturated("durable", 32, 0.975),
            saturated("relaxed", 16, 0.981),
            saturated("relaxed", 32, 0.96),
            saturated("third", 8, 0.97),
        ];
        assert_eq!(
            sentences_of(&all),
            ["oltp, durable and relaxed at 16 and 32 clients; third at 8 clients: client and \
              server shared the processors of one host, 96–98.1\u{a0}% in use: each slowed the other."]
        );
    }

    #[test]
    fn figures_are_added_up_and_what_differs_in_words_stays_apart() {
        let errors = |clients, repeat, failed, message: &str| {
            let message = message.to_owned();
            let evidence = Evidence::Errors(Errors {
                failed,
                succeeded: 1000 - failed,
                message,
                code: "40001".to_owned(),
            });
            finding("durable", clients, Some(repeat), evidence)
        };
        let all = [
            errors(4, 1, 1, "deadlock"),
            errors(4, 3, 2, "deadlock"),
            errors(8, 2, 5, "lost"),
            errors(8, 1, 1, "deadlock"),
        ];
        let said = sentences_of(&all);
        assert_eq!(
            said[0],
            "oltp, durable at 4 clients (repeats 1 and 3) and 8 clients (repeat 1): 4 of 3,000 \
             transactions failed (0.1\u{a0}%), most often with: deadlock."
        );
        assert!(said.len() == 2 && said[1].contains("5 of 1,000"), "{said:?}");
    }

    #[test]
    fn counters_that_differ_in_both_directions_do_not_cancel_out() {
        let mismatch = |repeat, server| {
            let counter = "Com_select".to_owned();
            let evidence =
                Evidence::CounterMismatch(CounterMismatch { counter, server, weighin: 100 });
            finding("durable", 4, Some(repeat), evidence)
        };
        let said = sentences_of(&[mismatch(1, 90), mismatch(2, 110), mismatch(3, 95)]);
        assert_eq!(said.len(), 2);
        assert!(said[0].contains("185 for Com_select, 15 fewer") && said[1].contains("10 more"));
    }
}
