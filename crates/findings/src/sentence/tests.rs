use super::*;
use crate::{ConnectionsLost, CounterMismatch, Errors, HostSaturated, Severity, VmProcessors};
use crate::{Evidence, Subject};
use model::{Level, Oversubscription};
use stats::{Estimate, Sample};
use std::time::Duration;

/// What is said of these, which are about nothing in particular.
fn all_said<K: Into<Evidence>>(all: impl IntoIterator<Item = K>) -> String {
    let finding = |evidence: K| Finding {
        severity: Severity::Notice,
        subject: Subject::default(),
        evidence: evidence.into(),
    };
    let all: Vec<Finding> = all.into_iter().map(finding).collect();
    sentences_of(&all).join("\n")
}

/// The sentence on one, without its full stop.
pub(crate) fn said(evidence: impl Into<Evidence>) -> String {
    let sentence = all_said([evidence]);
    sentence.strip_suffix('.').expect("it ends with one").to_owned()
}

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
    sentences(&findings.iter().collect::<Vec<&Finding>>(), |_| UnitName::TRANSACTION)
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
          server shared processors, which were 96–98.1\u{a0}% busy: each slowed the other."]
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
            remedy: String::new(),
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
        let evidence = Evidence::CounterMismatch(CounterMismatch { counter, server, weighin: 100 });
        finding("durable", 4, Some(repeat), evidence)
    };
    let said = sentences_of(&[mismatch(1, 90), mismatch(2, 110), mismatch(3, 95)]);
    assert_eq!(said.len(), 2);
    assert!(said[0].contains("185 for Com_select, 15 fewer") && said[1].contains("10 more"));
}

#[test]
fn several_outages_are_told_by_the_longest_and_by_those_that_stayed() {
    let outage = |downtime_ms: Option<u64>, failed| ConnectionsLost {
        first_error: Duration::from_secs(1),
        downtime: downtime_ms.map(Duration::from_millis),
        back_after: None,
        failed,
    };
    let (short, long, lasting) =
        (outage(Some(120), 3), outage(Some(2_506), 1_000), outage(None, 5));
    assert_eq!(
        all_said([short.clone(), long]),
        "Connections were lost in 2 outages, for at most 2.51\u{a0}s; 1,003 transactions failed \
         with them."
    );
    let said = all_said([short, lasting]);
    assert!(said.contains("at most 0.12\u{a0}s, 1 of them until the end"), "{said}");
}

#[test]
fn what_virtual_machines_had_and_used_is_one_sentence() {
    let processors = |vms, busy: &[f64], throttled: &[f64]| {
        let estimate =
            |values: &[f64]| Estimate::of_median(&Sample::new(values.to_vec()).unwrap(), 0.95);
        let asked = Oversubscription { vcpus: 1, ratio: 4.0 };
        VmProcessors {
            vms,
            asked,
            count: asked.processors(vms),
            busy: estimate(busy),
            throttled: estimate(throttled),
            throttled_per_second: estimate(&[0.0]),
            period: Duration::from_millis(100),
        }
    };
    let eight = processors(8, &[0.93, 0.93], &[0.41, 0.41]);
    assert_eq!(
        said(eight),
        "The 8 virtual machines shared 2 processors (4 virtual processors to each), used 93.0 % \
         (95\u{a0}% interval 93.0) of their time, and were throttled in 41.0 % (95\u{a0}% \
         interval 41.0) of the periods of 100\u{a0}ms"
    );
    let idle = processors(1, &[0.105], &[0.0]);
    assert_eq!(
        said(idle),
        "The virtual machine had 0.25 processors (4 virtual processors to each), used 10.5 % \
         (measured once, so without interval) of their time, and was never throttled"
    );
    assert_eq!(all_said([eight, idle]).lines().count(), 2);
    let both = all_said([eight, processors(8, &[0.35], &[0.0])]);
    assert!(both.contains("used 35–93\u{a0}% of their time"), "{both}");
    assert!(both.contains("throttled in 0–41\u{a0}% of the periods of 100\u{a0}ms"), "{both}");
}
