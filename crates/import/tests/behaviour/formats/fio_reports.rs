//! How fio tells of runs: as they go, in all directions together, of several machines, to their end.

use super::{figure, outcome, parse};
use model::TrialEnd;

/// A document of a run of one job that reads, `runtime` milliseconds long so far.
struct Report {
    began: u64,
    printed: u64,
    runtime: u64,
    ios: u64,
    options: &'static str,
}

const RUN: Report = Report {
    began: 1_700_000_000_000,
    printed: 1_700_000_010_100,
    runtime: 10_000,
    ios: 200_000,
    options: "",
};

fn direction(ios: u64, runtime: u64) -> String {
    let rate = ios as f64 * 1e3 / runtime.max(1) as f64;
    format!(
        "{{\"io_bytes\": {}, \"iops\": {rate:.3}, \"runtime\": {runtime}, \"total_ios\": {ios}, \
         \"lat_ns\": {{\"mean\": 1000.5, \"N\": {ios}}}, \"clat_ns\": {{\"N\": {ios}, \
         \"percentile\": {{\"95.000000\": 2000, \"99.000000\": 17112760320}}}}}}",
        ios * 4096
    )
}

impl Report {
    fn text(&self, directions: &[&str]) -> String {
        let directions: Vec<String> = directions
            .iter()
            .map(|name| format!("\"{name}\": {}", direction(self.ios, self.runtime)))
            .collect();
        format!(
            "{{\n\"fio version\": \"fio-3.33\",\n\"timestamp_ms\": {},\n\"jobs\": [{{\
             \"jobname\": \"r4k\", \"groupid\": 0, \"job_start\": {}, \"error\": 0, \
             \"job options\": {{\"bs\": \"4k\"{}}}, {}}}]\n}}\n",
            self.printed,
            self.began,
            self.options,
            directions.join(", ")
        )
    }
}

#[test]
fn reports_of_a_run_as_it_goes_are_one_run() {
    let so_far = |seconds: u64| Report {
        printed: RUN.began + seconds * 1000 + 100,
        runtime: seconds * 1000,
        ios: seconds * 20_100,
        ..RUN
    };
    for began in [RUN.began, 0] {
        let report = |report: Report| Report { began, ..report }.text(&["read"]);
        let text = [so_far(3), so_far(6), so_far(9), RUN].map(report).concat();
        let parsed = parse("diskA.json", &text);
        let [trial] = &parsed.trials[..] else { panic!("{parsed:?}") };
        assert_eq!(figure(trial, "iops").0, 20_000.0, "of the whole run");
        assert!(parsed.problems.is_empty(), "{parsed:?}");
        assert!(parsed.notes[0].message.contains("3 reports of the same run"), "{parsed:?}");
    }
    // Without any dates what grows is one run.
    let undated = |report: Report| Report { began: 0, printed: 0, ..report }.text(&["read"]);
    let text = [so_far(3), so_far(6)].map(undated).concat();
    assert_eq!(parse("a.json", &text).trials.len(), 1);
    // The same document twice is one run.
    assert_eq!(parse("a.json", &RUN.text(&["read"]).repeat(2)).trials.len(), 1);
}

#[test]
fn runs_one_after_the_other_are_repeats() {
    let second = Report {
        began: RUN.began + 11_000,
        printed: RUN.printed + 11_000,
        ios: RUN.ios + 300,
        ..RUN
    };
    for began in [1, 0] {
        let of = |report: &Report| Report { began: report.began * began, ..*report };
        let text = format!("{}{}", of(&RUN).text(&["read"]), of(&second).text(&["read"]));
        assert_eq!(parse("a.json", &text).trials.len(), 2, "{began}");
    }
    let undated = |ios| Report { began: 0, printed: 0, ios, ..RUN }.text(&["read"]);
    assert_eq!(parse("a.json", &[200_000, 200_300].map(undated).concat()).trials.len(), 2);
}

#[test]
fn all_directions_together_stand_in_place_of_each() {
    let parsed = parse("diskA.json", &RUN.text(&["mixed"]));
    let [trial] = &parsed.trials[..] else { panic!("{parsed:?}") };
    assert_eq!(figure(trial, "iops").0, 20_000.0);
    assert_eq!(figure(trial, "latency_p95"), (2000.0, "ns"));
    // Beside each of them it is the same again.
    let parsed = parse("diskA.json", &RUN.text(&["read", "mixed"]));
    assert_eq!(figure(&parsed.trials[0], "iops").0, 20_000.0);
}

#[test]
fn of_several_machines_each_counts_and_their_sum_does_not() {
    let entry = |name: &str, host: &str, ios: u64| {
        format!(
            "{{\"jobname\": \"{name}\", \"groupid\": 0, \"hostname\": \"{host}\", \"error\": 0, \
             \"job options\": {{\"ioengine\": \"libaio\", \"iodepth\": \"4\"}}, \"read\": {}}}",
            direction(ios, 10_000)
        )
    };
    let document = |entries: &[String]| {
        format!(
            "{{\n\"fio version\": \"fio-3.33\",\n\"client_stats\": [{}]\n}}\n",
            entries.join(", ")
        )
    };
    let all = [
        entry("r4k", "node1", 100_000),
        entry("r4k", "node2", 90_000),
        entry("All clients", "", 190_000),
    ];
    let parsed = parse("clusterA.json", &document(&all));
    let [trial] = &parsed.trials[..] else { panic!("{parsed:?}") };
    assert_eq!(figure(trial, "iops").0, 19_000.0);
    assert_eq!(trial.level.clients, 8);
    assert_eq!(figure(trial, "latency_p95"), (2000.0, "ns"), "fio merges them itself");
    let parsed = parse("clusterA.json", &document(&all[..1]));
    assert_eq!(figure(&parsed.trials[0], "iops").0, 10_000.0);
}

fn failure(text: &str) -> Option<String> {
    let parsed = parse("a.json", text);
    match &parsed.trials[0].end {
        TrialEnd::Failed(failure) => Some(failure.message.clone()),
        TrialEnd::Completed(_) => None,
    }
}

#[test]
fn jobs_that_ended_before_their_time_failed() {
    let of = |options| Report { options, ..RUN }.text(&["read"]);
    assert_eq!(failure(&of(", \"runtime\": \"10\", \"time_based\": \"1\"")), None);
    let short = failure(&of(", \"runtime\": \"1m\", \"time_based\": \"\"")).unwrap();
    assert_eq!(short, "fio's job r4k ran 10 s of the 60 s that it was given");
    assert!(failure(&of(", \"runtime\": \"60\", \"size\": \"8g\"")).is_some());
    assert_eq!(failure(&of(", \"runtime\": \"60\", \"size\": \"512m\"")), None, "it had it all");
    let killed = format!("\nfio: terminating on signal 2\n{}", RUN.text(&["read"]));
    assert!(failure(&killed).unwrap().contains("signal"));
}

#[test]
fn what_took_longer_than_the_last_bin_is_known_as_a_bound() {
    let parsed = parse("a.json", &RUN.text(&["read"]));
    let outcome = outcome(&parsed.trials[0]);
    assert!(outcome.number("latency_p99").is_none());
    let said = &outcome.figure("latency_p99").unwrap().value;
    assert_eq!(said, &model::FigureValue::Text("at least 17112760320".to_owned()));
}
