//! Check 5: caches as declared.

use crate::checks::passed;
use crate::support::{dataset, found, trial};
use analyse::{Check, Evidence, Severity, Validity, analyse};
use model::{CacheState, Dataset, Sample, ServerCounters, ServerFacts, TargetFacts};
use std::time::Duration;

/// A trial of a cold test whose server read so many bytes, and so many from storage.
fn cold(asked: i64, storage: Option<u64>) -> Dataset {
    let mut data = dataset(&["only"], &[4], 1, |_, _, _| 1000.0);
    data.study.tests[0].cache = CacheState::Cold;
    let sampling = &mut trial(&mut data, "only", 4, 1).sampling;
    for (reading, bytes) in [(&mut sampling.before, 1000), (&mut sampling.after, 1000 + asked)] {
        let counters = &mut reading.as_mut().expect("the builder reads counters").counters;
        counters.edit(|counters| counters.insert("data_read_bytes".to_owned(), bytes));
    }
    sampling.account.server_read_bytes = storage;
    data
}

/// A trial of a warm test with 200,000 statements, in which the server read so many pages while
/// measuring, and more before. Data of 100 MB, and a buffer pool of this size.
fn warm(pages_read: i64, pool: u64) -> Dataset {
    let mut data = dataset(&["only"], &[4], 1, |_, _, _| 1000.0);
    let sample = |(at_seconds, pages): (f64, i64)| Sample {
        at_seconds,
        length: Duration::from_secs(1),
        counters: Some(ServerCounters::from([("cache_misses".to_owned(), pages)])),
        ..Sample::default()
    };
    let samples = [(1.0, 0), (2.0, 50_000), (12.0, 50_000 + pages_read)].map(sample);
    trial(&mut data, "only", 4, 1).sampling.samples = samples.into();
    let server = ServerFacts {
        dataset_bytes: Some(100_000_000),
        cache_bytes: Some(pool),
        ..ServerFacts::default()
    };
    data.targets = vec![TargetFacts { target: "only".to_owned(), server }];
    data
}

fn is_suspect(data: &Dataset, fits: impl Fn(&Evidence) -> bool) -> bool {
    let analysis = analyse(data);
    let found = found(&analysis, fits);
    let suspect = analysis.tests[0].cells[0].trials[0].validity == Validity::Suspect;
    assert_eq!(suspect, !found.is_empty());
    assert!(found.iter().all(|finding| finding.severity == Severity::Warning));
    assert_eq!(passed(data, Check::CacheAsDeclared), (!suspect).then_some(1));
    suspect
}

#[test]
fn a_cold_trial_reads_half_of_what_it_asks_for_from_storage() {
    for (asked, storage, expected) in [
        (1_000_000, 1_200_000, false),
        (1_000_000, 500_000, false),
        (1_000_000, 499_999, true),
        (1_000_000, 0, true),
        // All of it was in the server's own memory.
        (0, 0, true),
    ] {
        let data = cold(asked, Some(storage));
        let suspect = is_suspect(&data, |e| matches!(e, Evidence::CacheNotCold(_)));
        assert_eq!(suspect, expected, "{asked} {storage}");
    }
}

#[test]
fn nothing_is_said_of_storage_that_cannot_be_seen() {
    assert_eq!(passed(&cold(1_000_000, None), Check::CacheAsDeclared), None);
}

#[test]
fn a_warm_trial_waits_for_a_page_in_one_statement_of_a_hundred_at_most() {
    for (pages, expected) in [(0, false), (2_000, false), (2_001, true)] {
        let data = warm(pages, 1 << 30);
        let suspect = is_suspect(&data, |e| matches!(e, Evidence::CacheNotWarm(_)));
        assert_eq!(suspect, expected, "{pages}");
    }
}

#[test]
fn a_warm_trial_of_data_that_does_not_fit_may_read() {
    let data = warm(100_000, 130_000_000);
    assert!(found(&analyse(&data), |e| matches!(e, Evidence::CacheNotWarm(_))).is_empty());
    assert_eq!(passed(&data, Check::CacheAsDeclared), None);
}
