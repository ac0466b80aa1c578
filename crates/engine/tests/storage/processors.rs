//! Loads whose threads are limited to a number of processors, by something that only says it does.

use crate::support::{METHODS, files, load, run, storage};
use engine::LoadError;
use engine::storage::{Processors, StorageError};
use model::{ErrorClass, ProcessorCount, Throttling};
use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Why what they did can't be read.
const NO_PERIODS: &str = "cpu.stat has no nr_periods";

/// Notes which threads join, and counts up with each reading.
#[derive(Debug, Default)]
struct Noted {
    joined: Mutex<Vec<String>>,
    readings: AtomicU32,
    refuses: bool,
    counts_nothing: bool,
}

impl Processors for Noted {
    fn count(&self) -> f64 {
        0.5
    }

    fn period(&self) -> Duration {
        Duration::from_millis(100)
    }

    fn join(&self) -> io::Result<()> {
        if self.refuses {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let name = std::thread::current().name().unwrap_or_default().to_owned();
        self.joined.lock().unwrap().push(name);
        Ok(())
    }

    fn did(&self) -> io::Result<ProcessorCount> {
        if self.counts_nothing {
            return Err(io::Error::new(io::ErrorKind::InvalidData, NO_PERIODS));
        }
        let reading = self.readings.fetch_add(1, Ordering::Relaxed);
        let throttling = Throttling { periods: reading.into(), throttled: 0 };
        let throttled_for = Duration::from_secs(1) * reading;
        Ok(ProcessorCount { used: Duration::from_secs(3600) * reading, throttling, throttled_for })
    }
}

#[test]
fn every_worker_joins_before_it_starts_anything_and_what_was_used_is_read_at_both_ends() {
    let directory = tempfile::tempdir().unwrap();
    let files = files(directory.path(), 2, None);
    for method in METHODS {
        let noted = Arc::new(Noted::default());
        let mut load = load(storage(2), files.clone(), method, 500);
        load.processors = Some(noted.clone());
        let fleet = run(&load).unwrap().fleet.unwrap();
        let mut joined = noted.joined.lock().unwrap().clone();
        joined.sort();
        assert_eq!(joined, ["load-0", "load-1"], "{method:?}");
        let found = fleet.processors.expect("they were held");
        assert_eq!((found.count, found.throttled_seconds), (0.5, 1.0));
        assert_eq!(found.throttling, Throttling { periods: 1, throttled: 0 });
        // An hour on half a processor, in far less than an hour.
        assert!(found.busy > 2.0, "{found:?}");
    }
}

#[test]
fn a_load_whose_threads_cannot_be_held_does_not_run_without_that() {
    let directory = tempfile::tempdir().unwrap();
    let files = files(directory.path(), 2, None);
    for method in METHODS {
        let failed = |noted: Noted| {
            let mut load = load(storage(2), files.clone(), method, 500);
            load.processors = Some(Arc::new(noted));
            let Err(LoadError::Storage(error)) = run(&load) else { panic!("it ran") };
            assert_eq!(error.class(), ErrorClass::Permission);
            error
        };
        let error = failed(Noted { refuses: true, ..Noted::default() });
        assert!(matches!(error, StorageError::Processors { .. }), "{error}");
        let error = failed(Noted { counts_nothing: true, ..Noted::default() });
        assert!(matches!(error, StorageError::Uncounted { .. }), "{error}");
        assert!(error.to_string().ends_with(NO_PERIODS), "{error}");
    }
}
