//! What tools print beside their JSON, in other languages, and of newer versions.

use super::{figure, outcome, parse};
use import::CompanionContent;

const MEMTIER: &str = include_str!("../../fixtures/memtier/1.4.txt");
const MEMTIER_RUNS: &str = include_str!("../../fixtures/memtier/old-runs.txt");
const GERMAN: &str = include_str!("../../fixtures/pgbench/15-german.txt");
const FRENCH: &str = include_str!("../../fixtures/pgbench/12-french.txt");
const HAMMERDB: &str = include_str!("../../fixtures/hammerdb/5-job.json");
const IOSTAT: &str = include_str!("../../fixtures/iostat/12-dated.json");
const IOSTAT_WITHOUT_BOOT: &str = include_str!("../../fixtures/iostat/12-without-boot.json");

#[test]
fn the_totals_of_memtiers_table_are_read() {
    let parsed = parse("redis/a.txt", MEMTIER);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let [trial] = &parsed.trials[..] else { panic!("{parsed:?}") };
    assert_eq!(trial.level.clients, 200);
    assert_eq!(figure(trial, "operations_per_s"), (65_011.95, "1/s"));
    assert_eq!(figure(trial, "latency_avg"), (3.026, "ms"));
    assert_eq!(figure(trial, "latency_p99.9"), (9.279, "ms"));
    assert_eq!(figure(trial, "bandwidth"), (2756.31, "KB/s"));
    assert_eq!(figure(trial, "gets_operations_per_s").0, 59_101.77);
    assert!(outcome(trial).figure("waits_operations_per_s").is_none(), "never sent");
}

#[test]
fn of_several_runs_of_memtier_the_average_is_taken() {
    let parsed = parse("redis/a.txt", MEMTIER_RUNS);
    let [trial] = &parsed.trials[..] else { panic!("{parsed:?}") };
    assert_eq!(figure(trial, "operations_per_s").0, 44_115.75, "and no run that was chosen");
    let rate = outcome(trial).figure("operations_per_s").unwrap();
    assert_eq!(rate.printed.as_ref().unwrap().note, "aggregated average results (3 runs)");
}

#[test]
fn a_table_of_memtier_that_breaks_off_is_told() {
    let parsed = parse("redis/a.txt", MEMTIER.split("Totals").next().unwrap());
    assert!(parsed.trials.is_empty() && parsed.problems.len() == 1, "{parsed:?}");
}

#[test]
fn pgbench_is_read_in_any_language() {
    let parsed = parse("pg/a.txt", GERMAN);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let trial = &parsed.trials[0];
    assert_eq!(trial.level.clients, 16);
    assert_eq!(figure(trial, "transactions_per_s"), (1_220.412_345, "1/s"));
    assert_eq!(figure(trial, "latency_avg"), (13.101, "ms"));
    assert_eq!(figure(trial, "latency_stddev"), (4.221, "ms"));
    assert_eq!(figure(trial, "connecting"), (21.345, "ms"));
    assert_eq!(figure(trial, "transactions").0, 36_612.0);
    assert_eq!(figure(trial, "errors").0, 3.0);
    assert_eq!(figure(trial, "duration"), (30.0, "s"));
    let line = outcome(trial).figure("transactions_per_s").unwrap().printed.as_ref().unwrap().line;
    assert_eq!(line as usize, GERMAN.lines().count(), "lines keep their numbers");
    let parsed = parse("pg/a.txt", FRENCH);
    let trial = &parsed.trials[0];
    assert_eq!(trial.level.clients, 4);
    assert_eq!(figure(trial, "transactions_per_s"), (9_760.654_321, "1/s"));
    assert_eq!(figure(trial, "transactions_per_s_with_connecting").0, 9_701.123_456);
    assert_eq!(figure(trial, "transactions").0, 4000.0);
    assert!(outcome(trial).figure("connecting").is_none(), "nobody told it");
}

#[test]
fn several_reports_in_another_language_are_several_runs() {
    let parsed = parse("pg/a.txt", &format!("{GERMAN}\n{}", GERMAN.replace("1220,4", "1230,4")));
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let rates: Vec<f64> =
        parsed.trials.iter().map(|trial| figure(trial, "transactions_per_s").0).collect();
    assert_eq!(rates, [1_220.412_345, 1_230.412_345]);
}

#[test]
fn hammerdbs_times_of_a_job_belong_to_its_result() {
    let parsed = parse("pg/a.json", HAMMERDB);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let [trial] = &parsed.trials[..] else { panic!("{parsed:?}") };
    assert_eq!(trial.level.clients, 8);
    assert_eq!(figure(trial, "new_orders_per_min").0, 26_018.0);
    assert_eq!(figure(trial, "latency_p95"), (6.12, "ms"));
    assert_eq!(figure(trial, "payment_latency_avg"), (1.352, "ms"));
    let line = "[\"6A7E\",\"2026-08-13 20:45:15\",\"8 Active Virtual Users configured\",\"TEST RESULT : \
                System achieved 26018 NOPM from 60408 PostgreSQL TPM\"]\n";
    let parsed = parse("pg/a.json", line);
    assert_eq!((parsed.trials.len(), parsed.trials[0].level.clients), (1, 8), "{parsed:?}");
    let times = &HAMMERDB[HAMMERDB.find("TRANSACTION").unwrap()..];
    let parsed = parse("pg/a.json", times);
    assert!(parsed.trials.is_empty() && parsed.problems.len() == 1, "{parsed:?}");
}

#[test]
fn iostats_json_gives_samples() {
    for (text, count) in [(IOSTAT, 2), (IOSTAT_WITHOUT_BOOT, 2)] {
        let parsed = parse("a/rw-4.iostat.json", text);
        assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
        let CompanionContent::Samples(samples) = &parsed.beside[0].says else {
            panic!("{parsed:?}")
        };
        assert_eq!(samples.len(), count);
        assert!(samples.iter().all(|sample| sample.cpu.busy() > 0.0 && sample.disks.len() == 1));
        assert_eq!(samples[1].at_seconds, 2.0);
        assert_eq!(samples[0].disks[0].device, "vda");
    }
    // It was ended in the middle.
    let cut = IOSTAT.rfind("\"avg-cpu\"").unwrap();
    let parsed = parse("a/rw-4.iostat.json", &IOSTAT[..cut]);
    let CompanionContent::Samples(samples) = &parsed.beside[0].says else { panic!("{parsed:?}") };
    assert_eq!(samples.len(), 1);
}

#[test]
fn iostats_json_without_its_extended_columns_is_named() {
    let text = IOSTAT.replace("\"util\"", "\"other\"");
    let parsed = parse("a/rw-4.iostat.json", &text);
    assert!(parsed.beside.is_empty());
    assert!(parsed.problems[0].message.contains("-x"), "{:?}", parsed.problems);
}
