//! A finding as a sentence.

use super::labels::{check, target_name};
use crate::numbers::{self, count, figure, percent};
use analyse::{Evidence, Finding, Subject};
use model::Level;
use stats::Estimate;

/// A finding as one sentence: what it is about, then what was found, with the figures.
pub fn sentence(finding: &Finding) -> String {
    let statement = statement(finding);
    match subject(finding) {
        subject if subject.is_empty() => capitalised(&format!("{statement}.")),
        subject => format!("{subject}: {statement}."),
    }
}

/// What was found, without what it is about and without a full stop.
pub fn statement(finding: &Finding) -> String {
    match &finding.evidence {
        Evidence::TrialFailed { failure } if failure.remedy.is_empty() => {
            format!("the trial failed: {}", failure.message)
        }
        Evidence::TrialFailed { failure } => {
            format!("the trial failed: {}. To mend it: {}", failure.message, failure.remedy)
        }
        Evidence::TrialsMissing { missing, planned } => format!(
            "of {}, {} not run because the run was interrupted; “weighin run --resume” makes up \
             for that",
            numbers::counted(*planned, "planned trial"),
            if *missing == 1 {
                "1 was".to_owned()
            } else {
                format!("{} were", count(*missing as u64))
            },
        ),
        Evidence::FewRepeats { repeats, needed } => format!(
            "{} of every trial: an interval that assumes nothing of how they scatter needs \
             {needed}; the intervals here assume a log-normal scatter",
            numbers::counted(*repeats as usize, "repeat"),
        ),
        Evidence::LittlesLaw { clients, throughput, latency_mean_ms, busy_clients } => format!(
            "{} transactions/s × {} ms of mean latency make {} busy clients where {} were \
             connected; the two should agree",
            figure(*throughput),
            figure(*latency_mean_ms),
            figure(*busy_clients),
            count((*clients).into()),
        ),
        Evidence::CounterMismatch { counter, server, weighin } => {
            counter_mismatch(counter, *server, *weighin)
        }
        Evidence::CountersUnavailable => {
            "the server’s counters could not be read, so its count was not held against weighin’s"
                .to_owned()
        }
        Evidence::ClientBusy { busiest_worker, share_of_allowed, max_loop_lag } => format!(
            "the load generator itself was busy, and may be what was measured: its busiest \
             thread used {} of a processor, all of them {} of the processors allowed to it, and \
             a reply may have waited {} to be noticed",
            percent(*busiest_worker),
            percent(*share_of_allowed),
            numbers::duration(*max_loop_lag),
        ),
        Evidence::LedgerUnbalanced => {
            "not every scheduled operation is accounted for; this is a defect of weighin, please \
             report it"
                .to_owned()
        }
        Evidence::Errors { failed, succeeded, message } => format!(
            "{} of {} transactions failed ({}), most often with: {message}",
            count(*failed),
            count(failed + succeeded),
            percent(*failed as f64 / (failed + succeeded).max(1) as f64),
        ),
        Evidence::Steal { share } => {
            format!("the hypervisor took {} of this host’s processor time", percent(*share))
        }
        Evidence::HostSaturated { busy } => format!(
            "client and server shared the processors of one host, {} in use: each slowed the other",
            percent(*busy),
        ),
        Evidence::CheckPassed { check: passed, trials } => {
            format!("{} – passed on {}", check(*passed), numbers::counted(*trials, "trial"))
        }
        Evidence::Peak { throughput, still_rising } => peak(finding, throughput, *still_rising),
        Evidence::Decline { peak, ratio } => format!(
            "throughput falls after its peak at {peak}{} {}",
            finding.subject.level.map_or(" to".to_owned(), |level| format!("; at {level} it is")),
            times(ratio, "the peak"),
        ),
        Evidence::Better { winner, loser, from, to, ratios } => {
            better(winner, loser, levels(*from, *to), ratios)
        }
        Evidence::Equivalent { a, b, from, to, margin } => format!(
            "{} and {} have the same throughput {}, within the margin of {}",
            target_name(a),
            target_name(b),
            levels(*from, *to),
            percent(*margin),
        ),
        Evidence::Unresolved { a, b, from, to } => format!(
            "{} and {} cannot be told apart {}: the intervals allow either to be ahead; more \
             repeats may tell",
            target_name(a),
            target_name(b),
            levels(*from, *to),
        ),
        Evidence::DatasetAgainstMemory { dataset_bytes, buffer_pool_bytes } => {
            dataset_against_memory(*dataset_bytes, *buffer_pool_bytes)
        }
    }
}

/// The kind of a finding in few words: the heading of several of one kind.
pub(crate) fn kind(evidence: &Evidence) -> &'static str {
    match evidence {
        Evidence::TrialFailed { .. } => "Trials that failed",
        Evidence::TrialsMissing { .. } => "Trials not run",
        Evidence::FewRepeats { .. } => "Few repeats",
        Evidence::LittlesLaw { .. } => "Little’s law does not hold",
        Evidence::CounterMismatch { .. } => "The server’s counters disagree",
        Evidence::CountersUnavailable => "The server’s counters are unknown",
        Evidence::ClientBusy { .. } => "The load generator was busy",
        Evidence::LedgerUnbalanced => "Operations unaccounted for",
        Evidence::Errors { .. } => "Transactions that failed",
        Evidence::Steal { .. } => "Processor time stolen",
        Evidence::HostSaturated { .. } => "The host was saturated",
        Evidence::CheckPassed { .. } => "Checks",
        Evidence::Peak { .. } => "Peaks",
        Evidence::Decline { .. } => "Decline after the peak",
        Evidence::Better { .. } => "Differences",
        Evidence::Equivalent { .. } => "Equivalent",
        Evidence::Unresolved { .. } => "Not resolved",
        Evidence::DatasetAgainstMemory { .. } => "Data against memory",
    }
}

/// What a finding is about. Findings whose sentence names the level itself don't repeat it.
fn subject(finding: &Finding) -> String {
    let Subject { test, target, level, repeat } = &finding.subject;
    let in_sentence = matches!(finding.evidence, Evidence::Peak { .. } | Evidence::Decline { .. });
    let mut parts = Vec::new();
    parts.extend(test.clone());
    parts.extend(target.as_deref().map(target_name));
    parts.extend(level.filter(|_| !in_sentence).map(|level| level.to_string()));
    parts.extend(repeat.map(|repeat| format!("repeat {repeat}")));
    parts.join(", ")
}

fn peak(finding: &Finding, throughput: &Estimate, still_rising: bool) -> String {
    let at = finding.subject.level.map_or(String::new(), |level| format!(" at {level}"));
    let beyond = if still_rising {
        "; it still rises at the highest level measured, so the true peak may lie beyond"
    } else {
        ""
    };
    let throughput = numbers::estimate(throughput, "transactions/s");
    format!("throughput is highest{at}, with {throughput}{beyond}")
}

fn better(
    winner: &str,
    loser: &str,
    levels: String,
    (least, most): &(Estimate, Estimate),
) -> String {
    let (winner, loser) = (target_name(winner), target_name(loser));
    let ratios = ratio_range(least, most);
    // One end that reaches 1 would make "faster" a claim that the data does not carry.
    let established = [least, most].iter().all(|r| r.interval.is_some_and(|i| i.low > 1.0));
    if established {
        format!("{winner} is faster than {loser} {levels}: {ratios}")
    } else {
        format!("{winner} measured ahead of {loser} {levels}, but not beyond doubt: {ratios}")
    }
}

/// The throughputs' ratio, or its range over several levels, with the interval that covers it.
fn ratio_range(least: &Estimate, most: &Estimate) -> String {
    if least == most {
        return times(least, "its throughput");
    }
    let points = numbers::range(least.point, most.point);
    match (&least.interval, &most.interval) {
        (Some(low), Some(high)) => format!(
            "{points} × its throughput ({} intervals from {} to {})",
            percent(low.confidence.min(high.confidence)),
            figure(low.low),
            figure(high.high),
        ),
        _ => format!("{points} × its throughput (measured once, so without interval)"),
    }
}

/// `0.81 × the peak (95 % interval 0.75–0.88)`.
fn times(ratio: &Estimate, what: &str) -> String {
    numbers::estimate(ratio, &format!("× {what}"))
}

/// `at 8 clients` or `from 1 to 32 clients`.
fn levels(from: Level, to: Level) -> String {
    if from == to { format!("at {to}") } else { format!("from {} to {to}", from.clients) }
}

fn dataset_against_memory(dataset: u64, pool: u64) -> String {
    let (data, memory) = (numbers::bytes(dataset), numbers::bytes(pool));
    let ratio = dataset as f64 / pool.max(1) as f64;
    let consequence = match ratio {
        r if r <= 1.0 => "it fits, so reads come from memory once warm",
        r if r < 2.0 => "part of it is read from disk, and results depend on which part",
        _ => "most reads that miss the cache go to disk",
    };
    format!("{data} of data against a buffer pool of {memory} ({} ×): {consequence}", figure(ratio))
}

fn counter_mismatch(counter: &str, server: i64, weighin: u64) -> String {
    let difference = i128::from(server) - i128::from(weighin);
    let sign = if server < 0 { "−" } else { "" };
    format!(
        "over the load the server counted {sign}{} for {counter}, {} {} than weighin’s {}",
        count(server.unsigned_abs()),
        count(u64::try_from(difference.unsigned_abs()).unwrap_or(u64::MAX)),
        if difference < 0 { "fewer" } else { "more" },
        count(weighin),
    )
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
