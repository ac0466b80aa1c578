use super::{figure, outcome, parse};
use model::TrialEnd;

const READS: &str = include_str!("../../fixtures/fio/randread.json");
const MIXED: &str = include_str!("../../fixtures/fio/mixed-two-jobs.json");
const IDLE: &str = include_str!("../../fixtures/fio/nothing-done.json");
const FAILED: &str = include_str!("../../fixtures/fio/failed.json");

#[test]
fn text_before_the_document_does_no_harm() {
    let parsed = parse("disks/nvme/randread.json", READS);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let trial = &parsed.trials[0];
    assert_eq!((trial.target.as_str(), trial.test.as_str()), ("nvme", "randread"));
    assert_eq!(trial.level.clients, 1, "psync waits, whatever iodepth says");
    assert_eq!(outcome(trial).source.as_ref().unwrap().tool, "fio 3.33");
    let iops = outcome(trial).number("iops").unwrap();
    assert!((iops.value - 30483.758121).abs() < 1e-6);
    assert!((iops.resolution / 1e-6 - 1.0).abs() < 1e-6);
    assert_eq!(figure(trial, "bandwidth"), (124_861_473.0, "B/s"));
    assert_eq!(figure(trial, "latency_p95"), (39168.0, "ns"));
    assert_eq!(figure(trial, "elapsed"), (2001.0, "ms"));
    assert_eq!(figure(trial, "latency_p99"), (52480.0, "ns"));
    assert!(outcome(trial).figure("latency_p60").is_none(), "too fine to be of use");
}

#[test]
fn jobs_that_ran_together_are_one_trial_whose_percentiles_come_from_merged_bins() {
    let parsed = parse("mixed.json", MIXED);
    let [trial] = &parsed.trials[..] else { panic!("{parsed:?}") };
    assert_eq!(trial.level.clients, 2);
    let (reads, writes) = (figure(trial, "read_iops").0, figure(trial, "write_iops").0);
    assert!((figure(trial, "iops").0 - reads - writes).abs() < 1e-6);
    let latencies = outcome(trial).latencies.as_ref().unwrap();
    let count: u64 = latencies.count();
    let total = |text: &str| -> u64 {
        let counts = text.match_indices("\"total_ios\": ").map(|(at, key)| {
            let rest = &text[at + key.len()..];
            rest[..rest.find(',').unwrap()].parse::<u64>().unwrap()
        });
        counts.sum()
    };
    assert_eq!(count, total(MIXED), "every operation is in a bin");
    assert!(figure(trial, "latency_p99").0 >= figure(trial, "latency_p50").0);
    assert!(outcome(trial).figure("read_latency_p99").is_none(), "of two jobs, not averaged");
}

#[test]
fn several_documents_in_a_row_and_messages_within_them() {
    let later = READS.replacen("\"timestamp\": 17", "\"timestamp\": 18", 1);
    let later = later.replacen("\"timestamp_ms\": 17", "\"timestamp_ms\": 18", 1);
    let broken = later.replacen("  \"jobs\"", "fio: io_u error on file /data/f.dat\n  \"jobs\"", 1);
    let parsed = parse("a/b.json", &format!("{READS}\n{broken}"));
    assert_eq!(parsed.trials.len(), 2);
    assert_eq!(parsed.problems.len(), 1);
    let line = format!("{READS}\n").lines().count() as u32;
    assert!(parsed.problems[0].line > line, "{:?}", parsed.problems);
    assert!(parsed.problems[0].message.contains("io_u error"));
}

#[test]
fn a_cut_off_document_is_named_with_its_lines() {
    let cut = &READS[..READS.len() / 2];
    let parsed = parse("a/b.json", &format!("{READS}{cut}"));
    assert_eq!(parsed.trials.len(), 1);
    assert!(parsed.problems[0].message.contains("breaks off"), "{:?}", parsed.problems);
}

#[test]
fn a_job_that_ended_with_an_error_is_a_failed_trial() {
    let parsed = parse("a/b.json", FAILED);
    let TrialEnd::Failed(failure) = &parsed.trials[0].end else { panic!("{parsed:?}") };
    assert_eq!(failure.message, "fio's job a ended with error 22 (Invalid argument)");
}

#[test]
fn a_job_that_did_nothing_failed_whatever_it_says_of_errors() {
    let parsed = parse("a/b.json", IDLE);
    let TrialEnd::Failed(failure) = &parsed.trials[0].end else { panic!("{parsed:?}") };
    let message =
        "fio's job a did no I/O (failed to create dir (/data): No such file or directory)";
    assert_eq!(failure.message, message);
}

#[test]
fn version_2_has_microseconds_and_kibibytes() {
    let text = READS
        .replace("\"clat_ns\"", "\"clat\"")
        .replace("\"lat_ns\"", "\"lat\"")
        .replace("\"bw_bytes\"", "\"unknown\"");
    let parsed = parse("a.json", &text);
    assert_eq!(figure(&parsed.trials[0], "latency_p95"), (39168.0, "us"));
    assert_eq!(figure(&parsed.trials[0], "bandwidth"), (121_935.0, "KiB/s"));
}

#[test]
fn percentiles_from_submission_on_are_read_where_there_are_no_others() {
    let text = "{\n\"fio version\": \"fio-3.33\",\n\"jobs\": [{\"jobname\": \"a\", \"read\": {\
        \"io_bytes\": 4096, \"iops\": 5.0, \"clat_ns\": {\"mean\": 900.0}, \"lat_ns\": {\
        \"mean\": 1000.0, \"percentile\": {\"99.000000\": 2500}}}}]\n}\n";
    let parsed = parse("a.json", text);
    let trial = &parsed.trials[0];
    assert_eq!(figure(trial, "latency_p99"), (2500.0, "ns"));
    assert_eq!(
        outcome(trial).figure("latency_p99").unwrap().printed.as_ref().unwrap().note,
        "from submission to completion"
    );
}

#[test]
fn jobs_of_one_name_are_merged_exactly() {
    let job = |mean: f64, deviation: f64, ios: u32, min: u32, max: u32| {
        format!(
            "{{\"jobname\": \"a\", \"groupid\": 0, \"write\": {{\"io_bytes\": 4096, \"iops\": {ios}.0, \
             \"total_ios\": {ios}, \"lat_ns\": {{\"min\": {min}, \"max\": {max}, \"mean\": {mean}, \
             \"stddev\": {deviation}, \"N\": {ios}}}, \"clat_ns\": {{\"min\": {min}, \"max\": {max}, \
             \"mean\": {mean}, \"stddev\": {deviation}, \"N\": {ios}}}}}, \"sync\": {{\"total_ios\": 10, \
             \"lat_ns\": {{\"min\": 5, \"max\": 900, \"mean\": 100.0, \"stddev\": 0.0, \"N\": 10, \
             \"percentile\": {{\"99.000000\": 880}}}}}}}}"
        )
    };
    // 1, 1, 3 and 5, 7: mean 3.4, variance 5.44.
    let jobs = [job(5.0 / 3.0, (8.0_f64 / 9.0).sqrt(), 3, 1, 3), job(6.0, 1.0, 2, 5, 7)].join(", ");
    let text = format!("{{\n\"fio version\": \"fio-3.33\",\n\"jobs\": [{jobs}]\n}}\n");
    let parsed = parse("a.json", &text);
    let [trial] = &parsed.trials[..] else { panic!("{parsed:?}") };
    for (metric, value) in [
        ("latency_avg", 3.4),
        ("latency_stddev", 5.44_f64.sqrt()),
        ("latency_min", 1.0),
        ("latency_max", 7.0),
        ("total_ios", 5.0),
        ("fsyncs", 20.0),
        ("fsync_latency_avg", 100.0),
        ("fsync_latency_max", 900.0),
    ] {
        let (found, _) = figure(trial, metric);
        assert!((found - value).abs() < 0.01, "{metric}: {found}");
    }
    assert!(outcome(trial).figure("fsync_latency_p99").is_none(), "of two jobs");
    assert_eq!(figure(trial, "latency_avg").1, "ns");
}
