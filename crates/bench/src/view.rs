//! The full-screen view of a run: what it takes, and whether throughput is another with it.
//!
//! The same short study runs on one private server, in alternation with the view and with `--plain`,
//! both on a terminal (`script` of util-linux makes one).

use crate::arguments::Arguments;
use crate::markdown;
use crate::pair::alternate;
use crate::reading::{ViewRun, ViewTime};
use crate::runner::{Runner, Say};
use crate::short_study::{LEVELS, ShortStudy, Trials};
use anyhow::{Context, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How often the time that the view took is read while it runs; what it takes after the last reading
/// is not known.
const POLL: Duration = Duration::from_millis(50);
/// Beyond what a run takes that long otherwise.
const TIMEOUT: Duration = Duration::from_secs(600);
/// The name of the thread that draws.
const THREAD: &str = "view";

/// Runs all pairs; `say` is given the text as it comes about.
pub(crate) fn run(runner: &Runner, arguments: &Arguments, say: Say<'_>) -> anyhow::Result<()> {
    let study = ShortStudy::start()?;
    study.write("view", "", arguments)?;
    let run = |way| one(runner, study.directory(), way);
    // The first run makes the tables.
    run("--plain")?;
    let pairs = alternate(arguments.pairs, || run(""), || run("--plain"))?;
    say(&markdown::views(&LEVELS, &pairs))
}

/// One run on a terminal of its own.
fn one(runner: &Runner, directory: &Path, way: &str) -> anyhow::Result<ViewRun> {
    let results = directory.join("view.weighin");
    let number = directory.join("number");
    for file in [&results, &number] {
        let _ = fs::remove_file(file);
    }
    let program = fs::canonicalize(runner.program())?;
    // The shell becomes weighin, so that its number is the one that it wrote down.
    let command = format!(
        "stty rows 40 cols 120; echo $$ >number; exec '{}' run view.toml --store view.weighin {way}",
        program.display()
    );
    let mut child = Command::new("script")
        .args(["--quiet", "--return", "--command", &command, "/dev/null"])
        .current_dir(directory)
        .env("TERM", "xterm-256color")
        // It stays open: its end would be typed into the terminal.
        .stdin(Stdio::piped())
        .stdout(Stdio::from(fs::File::create(directory.join("screen"))?))
        .spawn()
        .context("cannot run script (util-linux)")?;
    let watched = watch(runner, &mut child, &number);
    if watched.is_err() {
        // The terminal goes with it, and weighin with the terminal.
        let _ = child.kill();
    }
    let status = child.wait()?;
    let view = watched?;
    let screen = || fs::read_to_string(directory.join("screen")).unwrap_or_default();
    ensure!(status.success(), "weighin run failed:\n{}", screen());
    ensure!(
        view.is_some() == way.is_empty(),
        "the run had {} view",
        if view.is_some() { "a" } else { "no" }
    );
    let trials = Trials::read(runner, &results)?;
    Ok(ViewRun { throughput: trials.medians(|trial| trial.throughput)?, view })
}

/// Waits for the end of a run, and reads meanwhile what its view takes.
fn watch(runner: &Runner, child: &mut Child, number: &Path) -> anyhow::Result<Option<ViewTime>> {
    let began = Instant::now();
    let mut thread: Option<PathBuf> = None;
    let mut first: Option<(Instant, f64)> = None;
    let mut view = None;
    loop {
        let is_over = child.try_wait()?.is_some();
        if thread.is_none() {
            thread = find_thread(number);
        }
        if let Some(cpu) = thread.as_deref().and_then(cpu_seconds) {
            let (since, before) = *first.get_or_insert((Instant::now(), cpu));
            let seconds = since.elapsed().as_secs_f64();
            view = Some(ViewTime { cpu_seconds: cpu - before, seconds });
        }
        if is_over {
            return Ok(view);
        }
        ensure!(!runner.is_stopped(), "stopped");
        ensure!(began.elapsed() < TIMEOUT, "weighin run did not end");
        std::thread::sleep(POLL);
    }
}

/// Where the kernel accounts for the thread that draws, once there is one.
fn find_thread(number: &Path) -> Option<PathBuf> {
    let process: u32 = fs::read_to_string(number).ok()?.trim().parse().ok()?;
    let threads = fs::read_dir(format!("/proc/{process}/task")).ok()?.flatten();
    let mut paths = threads.map(|thread| thread.path());
    paths.find(|path| fs::read_to_string(path.join("comm")).is_ok_and(|name| name.trim() == THREAD))
}

/// How long a thread has run on a processor.
fn cpu_seconds(thread: &Path) -> Option<f64> {
    let account = fs::read_to_string(thread.join("schedstat")).ok()?;
    let nanos: u64 = account.split(' ').next()?.parse().ok()?;
    Some(nanos as f64 / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_of_the_time_between_the_readings() {
        let view = ViewTime { cpu_seconds: 0.02, seconds: 4.0 };
        assert!((view.percent() - 0.5).abs() < 1e-9);
    }

    #[test]
    fn a_thread_of_a_process_is_found_by_its_name_with_its_time() {
        let directory = tempfile::tempdir().unwrap();
        let number = directory.path().join("number");
        assert_eq!(find_thread(&number), None, "nobody has written it yet");
        fs::write(&number, format!("{}\n", std::process::id())).unwrap();
        let (end, ended) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::Builder::new().name(THREAD.to_owned());
        let (ready, is_ready) = std::sync::mpsc::channel();
        let thread = thread.spawn(move || {
            let _ = ready.send(());
            let _ = ended.recv();
        });
        is_ready.recv().unwrap();
        let found = find_thread(&number).expect("the thread");
        assert!(cpu_seconds(&found).is_some_and(|seconds| seconds >= 0.0));
        drop(end);
        thread.unwrap().join().unwrap();
    }
}
