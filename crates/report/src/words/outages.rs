//! Lost connections, and rates that were not kept up with, in words.

use super::doubts::{span, total};
use crate::numbers::{self, count, figure};
use analyse::{ConnectionsLost, Evidence, Finding, Overloaded};
use model::Noun;
use std::time::Duration;

/// One outage in full; of several the longest. `counted` is what fails in them.
pub(super) fn outages(findings: &[&Finding], counted: Noun) -> String {
    let [finding] = findings else { return several(findings, counted) };
    let Evidence::ConnectionsLost(ConnectionsLost { first_error, downtime, back_after, failed }) =
        &finding.evidence
    else {
        return String::new();
    };
    let down = match downtime {
        Some(down) => {
            format!("it took {} until the next {} succeeded", length(*down), counted.one)
        }
        None => format!("no {} succeeded after that", counted.one),
    };
    let back = match (downtime, back_after) {
        (Some(_), Some(back)) => format!(
            " and {} until throughput was back at 95\u{a0}% of what it had been",
            length(*back)
        ),
        (Some(_), None) => {
            "; throughput was not seen back at 95\u{a0}% of what it had been".to_owned()
        }
        (None, _) => String::new(),
    };
    format!(
        "connections were lost {} into the load: {down}{back}; {} failed with them",
        length(*first_error),
        numbers::number_of(*failed, counted),
    )
}

fn several(findings: &[&Finding], counted: Noun) -> String {
    let downtimes = findings.iter().filter_map(|finding| match &finding.evidence {
        Evidence::ConnectionsLost(ConnectionsLost { downtime, .. }) => Some(*downtime),
        _ => None,
    });
    let (ended, lasting): (Vec<_>, Vec<_>) = downtimes.partition(Option::is_some);
    let longest = ended.into_iter().flatten().max();
    let failed: u64 = total(findings, |evidence| match evidence {
        Evidence::ConnectionsLost(ConnectionsLost { failed, .. }) => Some(*failed),
        _ => None,
    });
    let longest =
        longest.map_or(String::new(), |longest| format!(", for {} at most", length(longest)));
    let lasting = match lasting.len() {
        0 => String::new(),
        n => format!(", {} of them until the end", count(n as u64)),
    };
    format!(
        "connections were lost in {}{longest}{lasting}; {} failed with them",
        numbers::counted(findings.len(), "outage"),
        numbers::number_of(failed, counted),
    )
}

/// How far a load fell behind its rate; of several at one rate the range, and all that was dropped.
pub(super) fn overloaded(rate: f64, findings: &[&Finding], counted: Noun) -> String {
    let (least, most) = span(findings, |evidence| match evidence {
        Evidence::Overloaded(Overloaded { throughput, .. }) => Some(*throughput),
        _ => None,
    });
    let dropped: u64 = total(findings, |evidence| match evidence {
        Evidence::Overloaded(Overloaded { dropped, .. }) => Some(*dropped),
        _ => None,
    });
    let dropped = match dropped {
        0 => String::new(),
        dropped => format!(", and {} were dropped", count(dropped)),
    };
    format!(
        "{} {counted}/s were offered and {} answered{dropped}: overloaded, so response times \
         say how long the load lasted, and not what the server does at this rate",
        figure(rate),
        numbers::range(least, most),
    )
}

/// Seconds as a reader needs them of an outage: hundredths.
fn length(time: Duration) -> String {
    format!("{:.2}\u{a0}s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use analyse::{Severity, Subject};

    #[test]
    fn several_outages_are_told_by_the_longest_and_by_those_that_stayed() {
        let outage = |downtime_ms: Option<u64>, failed| Finding {
            severity: Severity::Warning,
            subject: Subject::default(),
            evidence: Evidence::ConnectionsLost(ConnectionsLost {
                first_error: Duration::from_secs(1),
                downtime: downtime_ms.map(Duration::from_millis),
                back_after: None,
                failed,
            }),
        };
        let (short, long, lasting) =
            (outage(Some(120), 3), outage(Some(2_506), 1_000), outage(None, 5));
        assert_eq!(
            outages(&[&short, &long], Noun::TRANSACTION),
            "connections were lost in 2 outages, for 2.51\u{a0}s at most; 1,003 transactions \
             failed with them"
        );
        assert!(
            outages(&[&short, &lasting], Noun::OPERATION)
                .contains("0.12\u{a0}s at most, 1 of them until")
        );
    }
}
