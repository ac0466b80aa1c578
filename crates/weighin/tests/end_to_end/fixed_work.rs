//! Loads that end after a fixed amount of work, from the study file to the report.

use crate::support::{Server, Workplace};
use analyse::Evidence;
use model::{Metric, TrialRecord};

const TARGET: &str = "[study]\nname = \"work\"\nrepeats = 1\n[[target]]\nname = \"one\"\n";

/// The records of a study of one private server, by level.
fn run(place: &Workplace, target: &str, test: &str) -> Vec<TrialRecord> {
    let study = format!("{TARGET}{target}\n[[test]]\nwarmup = \"0s\"\n{test}\n");
    place.write("work.toml", study);
    place.weighin(&["run", "work.toml"]).done();
    let mut trials = place.store().dataset().unwrap().trials;
    trials.sort_by_key(|record| record.key.level.clients);
    trials
}

fn elapsed(record: &TrialRecord) -> Option<f64> {
    record.outcome().unwrap().metric(Metric::Elapsed).map(|number| number.value)
}

#[test]
fn exactly_so_many_transactions_are_measured_and_their_time_is_a_figure() {
    let place = Workplace::new();
    let keys = "workload = \"oltp_point_select\"\ntransactions = 2_000\nclients = [1, 7]\n\
                table_size = 1_000";
    for record in run(&place, "sandbox = {}", keys) {
        let load = record.load().unwrap();
        assert_eq!((load.measure.transactions, load.measure.errors), (2_000, 0), "{record:?}");
        assert_eq!(elapsed(&record), Some(load.measure.elapsed.as_secs_f64()));
        assert_eq!(load.drain.transactions, 0);
    }
    let dataset = place.store().dataset().unwrap();
    let analysis = analyse::analyse(&dataset);
    let test = &analysis.tests[0];
    assert_eq!(test.basis.map(|basis| basis.metric), Some(Metric::Throughput));
    // On a busy machine a trial may be worth nothing; then it has neither.
    let has =
        |metric| test.cells.iter().filter(move |cell| cell.estimate(metric).is_some()).count();
    assert_eq!(has(Metric::Elapsed), has(Metric::Throughput));
    // The server's own count of statements is the same.
    let passed = analysis.findings.iter().any(|finding| {
        matches!(&finding.evidence, Evidence::CheckPassed(passed)
            if passed.check == analyse::Check::ServerCounters && passed.trials == 2)
    });
    assert!(passed, "{:?}", analysis.findings);
    let store = place.files(".weighin").remove(0);
    let store = store.to_str().unwrap();
    place.weighin(&["report", store, "--format=markdown", "--out=report.md"]).done();
    let text = std::fs::read_to_string(place.path("report.md")).unwrap();
    assert!(text.contains("2,000 transactions measured, in at most 1"), "{text}");
    let has_column = text.contains("| throughput, transactions/s | time taken, s |");
    assert_eq!(has_column, has(Metric::Elapsed) > 0, "{text}");
}

#[test]
fn several_generators_share_a_fixed_amount_of_work() {
    let place = Workplace::new();
    let keys = "workload = \"key_value\"\noperations = 1_001\nclients = [4]\nkeys = 1_000\n\
                load_generators = 3";
    for record in run(&place, "kind = \"redis\"\nsandbox = {}", keys) {
        let load = record.load().unwrap();
        assert_eq!((load.measure.transactions, load.measure.errors), (1_001, 0), "{record:?}");
        assert!(elapsed(&record).is_some_and(|seconds| seconds > 0.0));
    }
}

#[test]
fn work_that_its_time_limit_cuts_short_has_a_rate_and_no_time() {
    let place = Workplace::new();
    // Long enough to count on a machine that stands still for most of it.
    let keys = "workload = \"oltp_point_select\"\ntransactions = 1_000_000_000\n\
                time_limit = \"5s\"\nclients = [2]\ntable_size = 1_000";
    let trials = run(&place, "sandbox = {}", keys);
    assert_eq!(elapsed(&trials[0]), None, "{trials:?}");
    let done = trials[0].load().unwrap().measure.transactions;
    assert!(done > 0);
    let dataset = place.store().dataset().unwrap();
    let analysis = analyse::analyse(&dataset);
    let cut = analysis.findings.iter().find_map(|finding| match &finding.evidence {
        Evidence::WorkCutShort(cut) => Some(*cut),
        _ => None,
    });
    let cut = cut.expect("the report says so");
    assert_eq!((cut.done, cut.asked), (done, 1_000_000_000));
    assert!(analysis.tests[0].cells[0].estimate(Metric::Throughput).is_some());
}

#[test]
fn an_intervention_whose_moment_never_comes_makes_its_trial_suspect() {
    let place = Workplace::new();
    let keys = "workload = \"oltp_point_select\"\ntransactions = 50\nclients = [2]\n\
                table_size = 1_000\n[[test.intervention]]\nname = \"late\"\nat = \"59m\"\n\
                statement = \"DO 1\"";
    let trials = run(&place, "sandbox = { trusted = true }", keys);
    assert_eq!(trials[0].interventions().count(), 0);
    let dataset = place.store().dataset().unwrap();
    let analysis = analyse::analyse(&dataset);
    let never = analysis.findings.iter().any(|finding| {
        matches!(&finding.evidence, Evidence::InterventionNotBegun(never)
            if never.intervention == "late")
    });
    assert!(never, "{:?}", analysis.findings);
}

#[test]
fn a_load_by_hand_says_what_its_time_limit_left_undone() {
    let place = Workplace::new();
    let server = Server::start();
    server.weighin(&place, "prepare", &["--table-size", "1000"]).done();
    let asked = ["--workload", "oltp_point_select", "--table-size", "1000", "--time-limit", "1s"];
    let load = |more: &[&str]| server.weighin(&place, "load", &[&asked[..], more].concat());
    let said = load(&["--transactions", "1000000000"]).done();
    assert!(said.contains("1,000,000,000 transactions were asked for"), "{said}");
    load(&["--transactions", "5", "--duration", "1s"]).refused(2, &["--duration cannot stand"]);
}
