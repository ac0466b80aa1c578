use super::parse;
use import::{CompanionContent, Parsed};
use model::{DiskRates, Sample};
use std::time::Duration;

const DATED: &str = include_str!("../../fixtures/iostat/12-dated.log");
const MEBIBYTES: &str = include_str!("../../fixtures/iostat/12-mebibytes.log");
const SHORT: &str = include_str!("../../fixtures/iostat/12-short.log");
/// Written by hand in the layouts of older versions.
const VERSION_9: &str = include_str!("../../fixtures/iostat/9-undated.log");
const VERSION_11: &str = include_str!("../../fixtures/iostat/11.log");

fn samples(parsed: &Parsed) -> &[Sample] {
    match &parsed.beside[..] {
        [beside] => match &beside.says {
            CompanionContent::Samples(samples) => samples,
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

#[test]
fn reports_of_version_12_become_samples_without_the_one_since_boot() {
    let parsed = parse("a/rw-4.iostat", DATED);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let samples = samples(&parsed);
    assert_eq!(samples.len(), DATED.matches("avg-cpu").count() - 1);
    let first = &samples[0];
    assert_eq!((first.at_seconds, first.length), (1.0, Duration::from_secs(1)));
    assert!((first.cpu.busy() - 0.995).abs() < 1e-9, "{:?}", first.cpu);
    let expected = DiskRates {
        device: "vda".into(),
        reads: 57.0,
        writes: 1470.0,
        read_bytes: 4116.0 * 1024.0,
        written_bytes: 6172.0 * 1024.0,
        reads_merged: 1.0,
        writes_merged: 0.0,
        read_await_ms: Some(0.74),
        write_await_ms: Some(0.11),
        flushes: 629.0,
        flush_await_ms: Some(0.13),
        discards: 10.0,
        discarded_bytes: 40.0 * 1024.0,
        discards_merged: 0.0,
        discard_await_ms: Some(0.10),
        queue: 0.29,
        utilisation: 11.6 / 100.0,
    };
    assert_eq!(first.disks, [expected]);
    assert_eq!(samples[1].disks[0].read_await_ms, None, "it read nothing");
}

#[test]
fn mebibytes_are_bytes_too_and_reports_without_dates_count_as_one_a_second() {
    let parsed = parse("a.log", MEBIBYTES);
    let samples = samples(&parsed);
    assert_eq!(samples.len(), 1);
    assert!((samples[0].disks[0].read_bytes - 0.84 * 1024.0 * 1024.0).abs() < 1e-6);
    assert_eq!((samples[0].at_seconds, samples[0].length), (1.0, Duration::from_secs(1)));
}

#[test]
fn version_9_has_sectors_one_wait_and_perhaps_commas() {
    let parsed = parse("a.log", VERSION_9);
    let [sample] = samples(&parsed) else { panic!("{parsed:?}") };
    assert!((sample.cpu.user - 0.42).abs() < 1e-9 && (sample.cpu.steal - 0.03).abs() < 1e-9);
    let [written, both] = &sample.disks[..] else { panic!("{sample:?}") };
    assert_eq!(written.written_bytes, 12800.0 * 512.0);
    assert_eq!((written.read_await_ms, written.write_await_ms), (None, Some(5.25)));
    assert_eq!((written.queue, written.utilisation), (2.1, 0.76));
    assert_eq!((both.read_await_ms, both.write_await_ms), (None, None), "of which is not known");
}

#[test]
fn a_log_may_pass_midnight_and_have_no_processors() {
    let parsed = parse("a.log", VERSION_11);
    let [sample] = samples(&parsed) else { panic!("{parsed:?}") };
    assert_eq!(sample.length, Duration::from_secs(2));
    assert_eq!(sample.cpu, model::CpuShares::default(), "not known");
    assert_eq!(sample.disks[0].writes, 200.0);
}

#[test]
fn what_cannot_be_read_is_named_with_its_line() {
    let parsed = parse("a/b.log", &DATED.replacen("4116.00", "much", 1));
    assert_eq!(parsed.problems.len(), 1);
    let line = DATED.lines().position(|line| line.contains("4116.00")).unwrap() as u32 + 1;
    assert_eq!(parsed.problems[0].line, line);
    let parsed = parse("a/b.log", SHORT);
    assert!(parsed.problems[0].message.contains("no column r/s"), "{:?}", parsed.problems);
    assert!(parsed.beside.is_empty());
}

#[test]
fn a_report_since_boot_alone_says_nothing_of_a_load() {
    let (first, _) = VERSION_11.split_once("06/10").unwrap();
    let parsed = parse("a.log", first);
    assert!(parsed.beside.is_empty());
    assert!(parsed.problems[0].message.contains("since boot"), "{:?}", parsed.problems);
}
