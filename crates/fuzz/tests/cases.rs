//! Every target on its seeds, on the cases that were once findings, and on a fixed number of
//! mutations of both, the same on every machine.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use fuzz::{Mutator, TARGETS, Target};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use std::{fs, thread};

/// How long an input may take on a machine that is busy with other things.
const HANG: Duration = Duration::from_secs(120);

/// Inputs that were once findings, in the order of their names.
fn cases(target: &Target) -> Vec<Vec<u8>> {
    let Ok(entries) = fs::read_dir(target.cases()) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

/// Runs a target on an input; where that fails, keeps the input and says how to go on.
fn check(target: &Target, data: &[u8]) -> Result<(), String> {
    catch_unwind(AssertUnwindSafe(|| target.check(data))).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic");
        let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("finding-{}", target.name));
        fs::write(&kept, data).unwrap();
        let text: String = text.chars().take(2_000).collect();
        format!(
            "{}: {text}\nThe input is in {}: fix what it shows and copy it to {}",
            target.name,
            kept.display(),
            target.cases().display()
        )
    })
}

/// All inputs of a target; tells of each that is done.
fn run(target: &Target, done: &mut dyn FnMut()) -> Result<(), String> {
    let mut inputs = (target.seeds)();
    assert!(!inputs.is_empty(), "{} has no seeds", target.name);
    inputs.extend(cases(target));
    inputs.push(Vec::new());
    for input in &inputs {
        check(target, input)?;
        done();
    }
    let mut mutator = Mutator::new(1);
    for _ in 0..target.mutations {
        check(target, &mutator.mutate(target, &inputs))?;
        done();
    }
    Ok(())
}

#[test]
fn no_input_breaks_a_target() {
    let next = AtomicUsize::new(0);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let mut failures = Vec::new();
    thread::scope(|scope| {
        let (sender, progress) = channel();
        for _ in 0..threads {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                while let Some(target) = TARGETS.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut done = || sender.send(Ok(())).unwrap();
                    let outcome = run(target, &mut done);
                    sender.send(outcome).unwrap();
                }
            });
        }
        drop(sender);
        loop {
            match progress.recv_timeout(HANG) {
                Ok(Ok(())) => {}
                Ok(Err(failure)) => failures.push(failure),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    // The thread that hangs cannot be ended, and the test would wait for it.
                    eprintln!("an input took longer than {HANG:?}; findings: {failures:?}");
                    std::process::abort();
                }
            }
        }
    });
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn every_directory_of_cases_belongs_to_a_target() {
    let root = TARGETS[0].cases();
    for entry in fs::read_dir(root.parent().unwrap()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(name == "README.md" || Target::by_name(&name).is_some(), "{name}");
    }
}
