//! What casts doubt on trials, in words: one statement for any number of findings of a kind, with
//! the range or the sum of their figures.

use crate::numbers::{self, count, figure, percent};
use analyse::{
    ClientBusy, ClientDelay, CounterMismatch, Errors, Evidence, Finding, HostSaturated, LittlesLaw,
    Steal,
};
use model::{LevelUnit, Noun, text};
use std::time::Duration;

pub(super) fn failed(what: &str, failure: &model::Failure) -> String {
    if failure.remedy.is_empty() {
        format!("{what}: {}", text::message(&failure.message))
    } else {
        format!("{what}: {}. To mend it: {}", text::message(&failure.message), failure.remedy)
    }
}

/// The smallest and the largest of a figure over findings; zeros where none has it.
pub(super) fn span(findings: &[&Finding], of: impl Fn(&Evidence) -> Option<f64>) -> (f64, f64) {
    let values = || findings.iter().filter_map(|finding| of(&finding.evidence));
    let least = values().min_by(f64::total_cmp).unwrap_or_default();
    (least, values().max_by(f64::total_cmp).unwrap_or_default())
}

/// The sum of a figure over findings.
pub(super) fn total<N: std::iter::Sum>(
    findings: &[&Finding],
    of: impl Fn(&Evidence) -> Option<N>,
) -> N {
    findings.iter().filter_map(|finding| of(&finding.evidence)).sum()
}

pub(super) fn busy_clients(findings: &[&Finding]) -> String {
    let share = span(findings, |evidence| match evidence {
        Evidence::LittlesLaw(LittlesLaw { clients, busy_clients, .. }) => {
            Some(busy_clients / f64::from((*clients).max(1)))
        }
        _ => None,
    });
    format!(
        "throughput × (mean latency + turnaround) accounts for {} of the {} where it should for all",
        numbers::percents(share),
        in_little_s_law(findings).all,
    )
}

/// What Little's law counts, in words.
pub(super) struct Counted {
    /// What is busy.
    pub(super) busy: &'static str,
    /// What should be.
    pub(super) should: &'static str,
    /// All of it.
    pub(super) all: &'static str,
}

/// What Little's law counts in the trials of these findings, which are of one kind.
pub(super) fn in_little_s_law(findings: &[&Finding]) -> Counted {
    let mut units = findings.iter().filter_map(|finding| Some(finding.subject.level?.unit));
    match units.next().unwrap_or_default() {
        LevelUnit::Clients => {
            Counted { busy: "busy clients", should: "were connected", all: "connected clients" }
        }
        LevelUnit::InFlight => {
            Counted { busy: "in flight", should: "should be", all: "reads and writes in flight" }
        }
    }
}

pub(super) fn counters(counter: &str, findings: &[&Finding]) -> String {
    let server = total(findings, |evidence| match evidence {
        Evidence::CounterMismatch(CounterMismatch { server, .. }) => Some(i128::from(*server)),
        _ => None,
    });
    let weighin = total(findings, |evidence| match evidence {
        Evidence::CounterMismatch(CounterMismatch { weighin, .. }) => Some(i128::from(*weighin)),
        _ => None,
    });
    let digits = |value: i128| count(u64::try_from(value.unsigned_abs()).unwrap_or(u64::MAX));
    format!(
        "over the load the server counted {}{} for {counter}, {} {} than weighin’s {}",
        if server < 0 { "−" } else { "" },
        digits(server),
        digits(server - weighin),
        if server < weighin { "fewer" } else { "more" },
        digits(weighin),
    )
}

pub(super) fn client_busy(findings: &[&Finding]) -> String {
    let worker = span(findings, |evidence| match evidence {
        Evidence::ClientBusy(ClientBusy { busiest_worker, .. }) => Some(*busiest_worker),
        _ => None,
    });
    let share = span(findings, |evidence| match evidence {
        Evidence::ClientBusy(ClientBusy { share_of_allowed, .. }) => Some(*share_of_allowed),
        _ => None,
    });
    let lag = span(findings, |evidence| match evidence {
        Evidence::ClientBusy(ClientBusy { max_loop_lag, .. }) => Some(max_loop_lag.as_secs_f64()),
        _ => None,
    });
    format!(
        "the load generator may be what was measured: its busiest thread used {} of a processor, \
         all of them {} of the processors allowed to it, and a reply may have waited {} to be \
         noticed",
        numbers::percents(worker),
        numbers::percents(share),
        numbers::duration(Duration::try_from_secs_f64(lag.1).unwrap_or_default()),
    )
}

pub(super) fn noticed_late(findings: &[&Finding]) -> String {
    let share = span(findings, |evidence| match evidence {
        Evidence::ClientDelay(ClientDelay { share, .. }) => Some(*share),
        _ => None,
    });
    let turnaround = span(findings, |evidence| match evidence {
        Evidence::ClientDelay(ClientDelay { mean_ms, .. }) => Some(*mean_ms),
        _ => None,
    });
    format!(
        "the client took {} of each cycle, up to {} ms on average from a reply to the next \
         request, so the load was lighter than asked",
        numbers::percents(share),
        figure(turnaround.1),
    )
}

/// How many failed, most often with which message, and what would mend that where it is known.
pub(super) fn errors(
    (message, code): (&str, &str),
    findings: &[&Finding],
    counted: Noun,
) -> String {
    let failed: u64 = total(findings, |evidence| match evidence {
        Evidence::Errors(Errors { failed, .. }) => Some(*failed),
        _ => None,
    });
    let succeeded: u64 = total(findings, |evidence| match evidence {
        Evidence::Errors(Errors { succeeded, .. }) => Some(*succeeded),
        _ => None,
    });
    format!(
        "{} of {} failed ({}), most often with: {}{}",
        count(failed),
        numbers::number_of(failed + succeeded, counted),
        percent(failed as f64 / (failed + succeeded).max(1) as f64),
        message.trim_end_matches('.'),
        remedy(code),
    )
}

/// What mends errors of that code, to follow the server's words.
fn remedy(code: &str) -> &'static str {
    match code {
        "OOM" => {
            ". To mend it: raise maxmemory, let the server evict keys (maxmemory-policy), or use \
             fewer or smaller ones"
        }
        "MISCONF" => {
            ". To mend it: see in the server’s log why it cannot save its data, and make room on \
             its disk"
        }
        _ => "",
    }
}

pub(super) fn steal(findings: &[&Finding]) -> String {
    let share = span(findings, |evidence| match evidence {
        Evidence::Steal(Steal { share }) => Some(*share),
        _ => None,
    });
    format!("the hypervisor took {} of this host’s processor time", numbers::percents(share))
}

pub(super) fn saturated(findings: &[&Finding]) -> String {
    let busy = span(findings, |evidence| match evidence {
        Evidence::HostSaturated(HostSaturated { busy }) => Some(*busy),
        _ => None,
    });
    format!(
        "client and server shared the processors of one host, {} in use: each slowed the other",
        numbers::percents(busy),
    )
}

pub(super) fn dataset_against_memory(dataset: u64, pool: u64) -> String {
    let (data, memory) = (numbers::bytes(dataset), numbers::bytes(pool));
    let ratio = dataset as f64 / pool.max(1) as f64;
    let consequence = match ratio {
        r if r <= 1.0 => "it fits, so reads come from memory once warm",
        r if r < 2.0 => "part of it is read from disk, and results depend on which part",
        _ => "most reads that miss the cache go to disk",
    };
    format!("{data} of data against a buffer pool of {memory} ({} ×): {consequence}", figure(ratio))
}
