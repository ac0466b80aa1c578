//! What makes a trial suspect or void.

use crate::support::{dataset, fail, found, load_of, trial};
use analyse::{
    Check, CheckPassed, CounterMismatch, CountersUnavailable, Errors, Evidence, LedgerUnbalanced,
    LittlesLaw, Metric, Severity, Subject, TrialFailed, Validity, analyse,
};
use model::{Dataset, ErrorClass, ErrorCount, TrialRecord};
use std::time::Duration;
use test_support::{balance, latencies};

/// Two repeats at four clients, 1000 transactions a second, the second one spoilt.
fn spoilt(spoil: impl FnOnce(&mut TrialRecord)) -> Dataset {
    let mut data = dataset(&["only"], &[4], 2, |_, _, _| 1000.0);
    spoil(trial(&mut data, "only", 4, 2));
    data
}

/// What the analysis thinks of the spoilt trial; the other one must be valid.
fn validity(data: &Dataset) -> Validity {
    let cell = analyse(data).tests[0].cells[0].clone();
    assert_eq!(cell.trials[0].validity, Validity::Valid);
    cell.trials[1].validity
}

pub fn passed(data: &Dataset, wanted: Check) -> Option<usize> {
    analyse(data).findings.iter().find_map(|finding| match finding.evidence {
        Evidence::CheckPassed(CheckPassed { check, trials }) if check == wanted => Some(trials),
        _ => None,
    })
}

#[test]
fn a_run_without_fault_says_which_checks_passed_and_nothing_else() {
    let data = dataset(&["a", "b"], &[1, 2], 6, |_, _, _| 1000.0);
    let analysis = analyse(&data);
    for check in [Check::LittlesLaw, Check::ServerCounters, Check::ClientNotBottleneck] {
        assert_eq!(passed(&data, check), Some(24));
    }
    let worse = analysis.findings.iter().filter(|finding| finding.severity < Severity::Notice);
    assert_eq!(worse.count(), 0);
}

#[test]
fn findings_come_most_severe_first() {
    let data = spoilt(fail);
    let severities: Vec<Severity> = analyse(&data).findings.iter().map(|f| f.severity).collect();
    assert!(severities.is_sorted() && severities[0] == Severity::Severe, "{severities:?}");
}

#[test]
fn a_void_trial_counts_for_nothing() {
    let data = spoilt(|record| {
        let load = load_of(record);
        load.measure.transactions *= 10;
        load.ledger.ok += 1;
    });
    let cell = &analyse(&data).tests[0].cells[0];
    assert_eq!(cell.trials[1].validity, Validity::Void);
    let throughput = cell.estimate(Metric::Throughput).unwrap();
    assert_eq!((throughput.n, throughput.point), (1, 1000.0));
    assert_eq!(cell.trials[1].figures[&Metric::Throughput], 10_000.0);
}

#[test]
fn fewer_transactions_than_clients_make_a_trial_suspect() {
    // 1.5 a second for 10 s are 15.
    for (clients, few) in [(15, false), (16, true)] {
        let mut data = dataset(&["a", "b"], &[clients], 2, |_, _, _| 1.5);
        let ended = load_of(trial(&mut data, "a", clients, 1)).measure.transactions;
        assert_eq!(ended, 15);
        let analysis = analyse(&data);
        let said = found(&analysis, |e| matches!(e, Evidence::FewTransactions(_)));
        assert_eq!(said.len(), if few { 4 } else { 0 });
        let validity = if few { Validity::Suspect } else { Validity::Valid };
        assert_eq!(analysis.tests[0].cells[0].trials[0].validity, validity);
    }
}

#[test]
fn littles_law_tells_latencies_that_cannot_be_true() {
    // Mean latency of 4 clients at 1000 a second is 4 ms; the histogram spreads it by 20 %.
    for (mean_ms, expected) in [
        (4.0, Validity::Valid),
        (3.85, Validity::Valid),
        (3.6, Validity::Suspect),
        (2.0, Validity::Void),
        (4.5, Validity::Suspect),
        (8.0, Validity::Void),
    ] {
        let data = spoilt(|record| {
            load_of(record).latencies = latencies(mean_ms / 1e3);
            balance(record);
        });
        assert_eq!(validity(&data), expected, "{mean_ms} ms");
        let findings = analyse(&data).findings;
        let law = findings.iter().find(|f| matches!(f.evidence, Evidence::LittlesLaw(_)));
        assert_eq!(law.is_some(), expected != Validity::Valid);
        assert_eq!(passed(&data, Check::LittlesLaw), law.is_none().then_some(2));
        if let Some(Evidence::LittlesLaw(LittlesLaw { clients, busy_clients, .. })) =
            law.map(|f| &f.evidence)
        {
            assert_eq!(*clients, 4);
            assert!((busy_clients - mean_ms).abs() < 0.01);
        }
    }
}

/// Clients that pause by their own will are accounted for like those that wait for an answer.
#[test]
fn littles_law_counts_the_time_of_clients_that_pause() {
    for (mean_ms, pause_ms, expected) in [
        (2.0, 2.0, Validity::Valid),
        (2.0, 1.5, Validity::Suspect),
        (2.0, 0.5, Validity::Void),
        (2.0, 2.5, Validity::Suspect),
        (4.0, 2.0, Validity::Void),
    ] {
        let data = spoilt(|record| {
            let load = load_of(record);
            load.latencies = latencies(mean_ms / 1e3);
            load.client.paused_seconds = load.measure.transactions as f64 * pause_ms / 1e3;
            balance(record);
        });
        let analysis = analyse(&data);
        let laws = found(&analysis, |evidence| matches!(evidence, Evidence::LittlesLaw(_)));
        let what = format!("{mean_ms} + {pause_ms} ms");
        assert_eq!(validity(&data), expected, "{what}");
        assert_eq!(laws.is_empty(), expected == Validity::Valid, "{what}");
        if let Some(Evidence::LittlesLaw(law)) = laws.first().map(|finding| &finding.evidence) {
            assert!((law.pause_mean_ms - pause_ms).abs() < 1e-9, "{what}: {law:?}");
            assert!((law.busy_clients - mean_ms - pause_ms).abs() < 0.01, "{what}: {law:?}");
        }
    }
}

#[test]
fn fewer_clients_at_work_than_the_level_says_void_a_trial() {
    let data = spoilt(|record| {
        let load = load_of(record);
        load.clients = 2;
        load.latencies = latencies(0.002);
        balance(record);
    });
    assert_eq!(validity(&data), Validity::Void);
}

#[test]
fn littles_law_allows_for_transactions_across_the_edges_of_the_window() {
    // 4 clients, 10 s, latency 3 s on average: 11 transactions may well complete instead of 13.3.
    let data = spoilt(|record| {
        let load = load_of(record);
        load.measure.transactions = 11;
        load.latencies = latencies(3.0);
        balance(record);
    });
    assert_eq!(validity(&data), Validity::Valid);
}

#[test]
fn time_lost_in_failed_transactions_is_a_doubt_and_not_a_contradiction() {
    let data = spoilt(|record| {
        let load = load_of(record);
        load.latencies = latencies(0.002);
        load.measure.errors = 4;
        load.errors = vec![error("1205", "Lock wait timeout exceeded", 4)];
        balance(record);
    });
    assert_eq!(validity(&data), Validity::Suspect);
}

#[test]
fn foreign_statements_are_a_notice_a_doubt_or_the_end_by_their_share() {
    // 200,000 statements of ours.
    for (foreign, expected, severity) in [
        (0, Validity::Valid, None),
        (3, Validity::Valid, Some(Severity::Notice)),
        (10_000, Validity::Suspect, Some(Severity::Warning)),
        (100_000, Validity::Void, Some(Severity::Severe)),
    ] {
        let data = spoilt(|record| count_more(record, "Com_select", foreign));
        assert_eq!(validity(&data), expected, "{foreign}");
        let analysis = analyse(&data);
        let mismatch = found(&analysis, |e| matches!(e, Evidence::CounterMismatch(_)));
        assert_eq!(mismatch.first().map(|finding| finding.severity), severity);
        if let Some(Evidence::CounterMismatch(CounterMismatch { counter, server, weighin })) =
            mismatch.first().map(|finding| &finding.evidence)
        {
            assert_eq!(counter, "Com_select");
            assert_eq!((*server, *weighin), (140_000 + foreign, 140_000));
        }
    }
}

#[test]
fn what_a_server_or_its_routines_did_is_nobody_elses() {
    let own = model::signal::by_itself("Com_select");
    let routines = model::signal::STATEMENTS_IN_ROUTINES.to_owned();
    for (name, by_itself, expected) in
        [(&own, 10_000, 0), (&own, 9_999, 1), (&routines, 10_000, 0), (&routines, 9_999, 1)]
    {
        let data = spoilt(|record| {
            count_more(record, "Com_select", 10_000);
            let sampling = &mut record.sampling;
            let readings = [(&mut sampling.before, 5), (&mut sampling.after, 5 + by_itself)];
            for (reading, value) in readings {
                let counters = &mut reading.as_mut().unwrap().counters;
                counters.edit(|counters| counters.insert(name.clone(), value));
            }
        });
        let found = found(&analyse(&data), |e| matches!(e, Evidence::CounterMismatch(_))).len();
        assert_eq!(found, expected, "{name} {by_itself}");
    }
}

#[test]
fn a_statement_that_the_server_never_counted_voids_a_trial() {
    let data = spoilt(|record| count_more(record, "Com_commit", -1));
    assert_eq!(validity(&data), Validity::Void);
    assert_eq!(passed(&data, Check::ServerCounters), None);
}

#[test]
fn a_failed_transaction_explains_one_statement_more() {
    for (more, expected) in [(2, Validity::Valid), (3, Validity::Valid), (-1, Validity::Void)] {
        let data = spoilt(|record| {
            load_of(record).warmup.errors = 2;
            balance(record);
            count_more(record, "Com_update", more);
        });
        assert_eq!(validity(&data), expected, "{more}");
        let mismatches = analyse(&data)
            .findings
            .iter()
            .any(|f| matches!(f.evidence, Evidence::CounterMismatch(_)));
        assert_eq!(mismatches, more != 2);
    }
}

#[test]
fn only_what_failures_do_not_explain_counts_as_foreign() {
    // 4000 more of 200,000 are 2 %, which is suspect; 1000 of them unexplained are 0.5 %, a notice.
    for (failed, expected) in [(0, Validity::Suspect), (3000, Validity::Valid)] {
        let data = spoilt(|record| {
            load_of(record).warmup.errors = failed;
            balance(record);
            count_more(record, "Com_select", 4000);
        });
        assert_eq!(validity(&data), expected, "{failed}");
    }
}

#[test]
fn counters_that_are_missing_leave_a_trial_unconfirmed() {
    for spoil in [(|record| record.sampling.after = None) as fn(&mut TrialRecord), |record| {
        let after = record.sampling.after.as_mut().unwrap();
        after.counters.edit(|counters| counters.remove("Com_commit"));
    }] {
        let data = spoilt(spoil);
        assert_eq!(validity(&data), Validity::Suspect);
        assert_eq!(passed(&data, Check::ServerCounters), Some(1));
    }
}

#[test]
fn what_all_trials_of_a_cell_lack_is_said_once() {
    let mut data = dataset(&["only"], &[4, 8], 3, |_, _, _| 1000.0);
    (1..=3).for_each(|repeat| trial(&mut data, "only", 4, repeat).sampling.before = None);
    trial(&mut data, "only", 8, 2).sampling.before = None;
    let analysis = analyse(&data);
    let subjects: Vec<&Subject> =
        found(&analysis, |e| *e == Evidence::CountersUnavailable(CountersUnavailable))
            .iter()
            .map(|finding| &finding.subject)
            .collect();
    let places: Vec<_> = subjects.iter().map(|s| (s.level.unwrap().clients, s.repeat)).collect();
    assert_eq!(places, [(4, None), (8, Some(2))]);

    let mut single = dataset(&["only"], &[4], 1, |_, _, _| 1000.0);
    trial(&mut single, "only", 4, 1).sampling.before = None;
    let analysis = analyse(&single);
    let unavailable =
        found(&analysis, |e| *e == Evidence::CountersUnavailable(CountersUnavailable));
    assert_eq!(unavailable[0].subject.repeat, Some(1));
}

#[test]
fn a_busy_client_is_suspect() {
    for spoil in [
        (|record| load_of(record).client.busiest_worker = 0.81) as fn(&mut TrialRecord),
        |record| load_of(record).client.cpu_seconds = 16.5,
        |record| load_of(record).client.max_loop_lag = Duration::from_millis(600),
    ] {
        let data = spoilt(spoil);
        assert_eq!(validity(&data), Validity::Suspect);
        assert_eq!(passed(&data, Check::ClientNotBottleneck), None);
    }
    let data = spoilt(|record| load_of(record).client.busiest_worker = 0.8);
    assert_eq!(validity(&data), Validity::Valid);
}

#[test]
fn errors_count_by_their_share() {
    for (failed, expected) in
        [(50, Validity::Valid), (500, Validity::Suspect), (20_000, Validity::Void)]
    {
        let data = spoilt(|record| {
            let load = load_of(record);
            load.measure.errors = failed;
            load.errors = vec![error("1", "rare", 1), error("1213", "Deadlock found", failed - 1)];
            balance(record);
        });
        assert_eq!(validity(&data), expected, "{failed}");
        let analysis = analyse(&data);
        let errors = found(&analysis, |e| matches!(e, Evidence::Errors(_)));
        let expected = Evidence::Errors(Errors {
            failed,
            succeeded: 10_000,
            message: "Deadlock found".to_owned(),
            code: "HY000".to_owned(),
            remedy: "wait".to_owned(),
        });
        assert_eq!(errors[0].evidence, expected);
    }
}

#[test]
fn a_trial_in_which_nothing_succeeded_is_void() {
    let data = spoilt(|record| {
        let load = load_of(record);
        load.measure.transactions = 0;
        load.latencies.clear();
    });
    assert_eq!(validity(&data), Validity::Void);
}

#[test]
fn transactions_without_any_latency_void_a_trial_whatever_failed_beside_them() {
    let data = spoilt(|record| {
        let load = load_of(record);
        load.measure.errors = 1;
        load.latencies.clear();
    });
    assert_eq!(validity(&data), Validity::Void);
}

#[test]
fn a_ledger_that_does_not_balance_voids_a_trial() {
    let data = spoilt(|record| load_of(record).ledger.dropped = 1);
    assert_eq!(validity(&data), Validity::Void);
    assert_eq!(
        found(&analyse(&data), |e| *e == Evidence::LedgerUnbalanced(LedgerUnbalanced)).len(),
        1
    );
}

#[test]
fn a_failure_is_kept_with_its_reason() {
    let data = spoilt(fail);
    assert_eq!(validity(&data), Validity::Void);
    let analysis = analyse(&data);
    let failures = found(&analysis, |e| matches!(e, Evidence::TrialFailed(_)));
    let Evidence::TrialFailed(TrialFailed { failure }) = &failures[0].evidence else {
        unreachable!("filtered above")
    };
    assert_eq!(failure.message, "the server went away");
    assert_eq!(failures[0].subject.repeat, Some(2));
    assert!(analysis.tests[0].cells[0].trials[1].figures.is_empty());
}

fn count_more(record: &mut TrialRecord, counter: &str, more: i64) {
    let after = record.sampling.after.as_mut().expect("the builder reads counters");
    let changed = after.counters[counter] + more;
    after.counters.edit(|counters| counters.insert(counter.to_owned(), changed));
}

fn error(code: &str, message: &str, count: u64) -> ErrorCount {
    ErrorCount {
        class: ErrorClass::Conflict,
        code: code.to_owned(),
        sql_state: "HY000".to_owned(),
        message: message.to_owned(),
        count,
        remedy: "wait".to_owned(),
    }
}
