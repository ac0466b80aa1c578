//! fio's text and fields, printed by fio 3.33.

use super::{figure, outcome, parse};
use model::TrialEnd;

const RANDREAD: &str = include_str!("../../fixtures/fio/3.33-randread.txt");
const MIXED: &str = include_str!("../../fixtures/fio/3.33-mixed-group.txt");
const TWO_JOBS: &str = include_str!("../../fixtures/fio/3.33-two-jobs.txt");

#[test]
fn counts_say_more_than_rounded_rates() {
    let parsed = parse("disk/a.txt", RANDREAD);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let [trial] = &parsed.trials[..] else { panic!("{parsed:?}") };
    assert_eq!(trial.level.clients, 4);
    assert!((figure(trial, "iops").0 - 36_781_000.0 / 2001.0).abs() < 10.0);
    assert_eq!(figure(trial, "total_ios").0, 36_781.0);
    assert_eq!(figure(trial, "latency_avg"), (216.7, "us"));
    assert_eq!(figure(trial, "latency_p99"), (233.0, "us"));
    assert_eq!(figure(trial, "latency_p99.99"), (2114.0, "us"));
    assert_eq!(figure(trial, "latency_max"), (2388.0, "us"));
    assert_eq!(figure(trial, "latency_min"), (1762.0, "ns"), "of completion");
    assert_eq!(figure(trial, "elapsed"), (2001.0, "ms"));
    assert_eq!(figure(trial, "bandwidth").1, "B/s");
}

#[test]
fn reads_and_writes_are_told_apart_and_together() {
    let parsed = parse("disk/a.txt", MIXED);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let trial = &parsed.trials[0];
    assert_eq!(trial.level.clients, 4, "two jobs of two outstanding");
    let (iops, read, write) =
        (figure(trial, "iops").0, figure(trial, "read_iops").0, figure(trial, "write_iops").0);
    assert!((iops - read - write).abs() < 20.0, "{iops} {read} {write}");
    assert_eq!(figure(trial, "read_latency_p95"), (93.0, "us"));
    assert!(outcome(trial).figure("latency_p95").is_none(), "percentiles are never merged");
    let mean = figure(trial, "latency_avg").0;
    let expected = (70.26 * 83_054.0 + 42.04 * 35_647.0) / (83_054.0 + 35_647.0) * 1000.0;
    assert!((mean - expected).abs() < 20.0, "{mean} {expected}");
}

#[test]
fn jobs_of_other_names_are_other_tests() {
    let parsed = parse("disk/a.txt", TWO_JOBS);
    assert_eq!(parsed.trials.len(), 2, "{parsed:?}");
    assert_ne!(parsed.trials[0].test, parsed.trials[1].test);
    assert!(parsed.trials.iter().all(|trial| trial.level.clients == 1));
}

#[test]
fn snapshots_are_no_repeats() {
    let end = RANDREAD.find("\nRun status").unwrap();
    let first = RANDREAD.find("\nrr: (groupid").unwrap();
    let snapshot = &RANDREAD[first..end];
    let early = snapshot.replace("total=36781", "total=12000");
    let text = format!("{}{early}\n{}", &RANDREAD[..first], &RANDREAD[first..]);
    let parsed = parse("disk/a.txt", &text);
    assert_eq!(parsed.trials.len(), 1);
    assert_eq!(figure(&parsed.trials[0], "total_ios").0, 36_781.0);
}

#[test]
fn a_job_that_failed_is_a_failed_trial() {
    let text = RANDREAD.replace(
        "err= 0: pid",
        "err= 5 (file:io_u.c:1845, func=io_u error, error=Input/output error): pid",
    );
    let parsed = parse("disk/a.txt", &text);
    let TrialEnd::Failed(failure) = &parsed.trials[0].end else { panic!("{parsed:?}") };
    assert!(format!("{failure:?}").contains("Input/output error"), "{failure:?}");
}

#[test]
fn old_versions_say_the_same_in_other_words() {
    let text = "rr: (g=0): rw=randread, bs=4K-4K/4K-4K/4K-4K, ioengine=libaio, iodepth=64\nfio-2.1.11\n\
                Starting 1 process\n\nrr: (groupid=0, jobs=1): err= 0: pid=2619: Mon Mar  2 10:00:00 2015\n\
                \u{20} read : io=327520KB, bw=2273.7KB/s, iops=568, runt=144052msec\n\
                \u{20}   slat (usec): min=0, max=12114, avg=64.02, stdev=194.44\n\
                \u{20}   clat (usec): min=636, max=2125.2K, avg=67824.56, stdev=94271.52\n\
                \u{20}    lat (usec): min=712, max=2125.3K, avg=67896.48, stdev=94271.92\n\
                \u{20}   clat percentiles (msec):\n\u{20}    | 50.00th=[   57], 95.00th=[  253],\n\
                \u{20}    | 99.00th=[  461]\n\
                \u{20}    issued    : total=r=81880/w=0/d=0, short=r=0/w=0/d=0\n";
    let parsed = parse("disk/a.txt", text);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let trial = &parsed.trials[0];
    assert_eq!(trial.level.clients, 64);
    assert!((figure(trial, "iops").0 - 568.4).abs() < 0.1);
    assert_eq!(figure(trial, "bandwidth").0, 2273.7 * 1024.0);
    assert_eq!(figure(trial, "latency_p95"), (253.0, "ms"));
    assert_eq!(figure(trial, "latency_max"), (2_125_300.0, "us"));
}

#[test]
fn fields_of_all_versions_are_read() {
    for (text, iops, mean, p99) in [
        (include_str!("../../fixtures/fio/terse-2.txt"), 27_837.0, None, None),
        (include_str!("../../fixtures/fio/terse-3.txt"), 17_982.0, Some(54.840_035), Some(78.0)),
        (include_str!("../../fixtures/fio/terse-4.txt"), 28_179.0, None, None),
        (include_str!("../../fixtures/fio/terse-5.txt"), 27_244.0, None, None),
    ] {
        let parsed = parse("disk/a.txt", text);
        assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
        let [trial] = &parsed.trials[..] else { panic!("{parsed:?}") };
        assert!((figure(trial, "iops").0 - iops).abs() <= 2.0, "{iops}");
        if let (Some(mean), Some(p99)) = (mean, p99) {
            assert_eq!(figure(trial, "latency_avg"), (mean, "us"));
            assert_eq!(figure(trial, "latency_p99"), (p99, "us"));
        } else {
            assert!(figure(trial, "write_iops").0 > 10_000.0);
            assert!(figure(trial, "write_latency_p99").0 < 10.0);
        }
        let cut = parse("disk/a.txt", &text[..text.len() / 5]);
        assert!(cut.trials.is_empty() && !cut.problems.is_empty(), "{cut:?}");
    }
}
