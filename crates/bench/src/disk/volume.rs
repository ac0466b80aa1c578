use crate::arguments::Arguments;
use crate::runner::Runner;
use anyhow::Context;
use crosscheck::Measured;
use crosscheck::storage::{Data, Fio, IoEngine, StorageOrder};
use host::Finished;
use model::{BlockOrder, Storage};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// A file that weighin has filled, in a directory that is gone when this is dropped.
#[derive(Debug)]
pub(super) struct Volume<'r> {
    runner: &'r Runner,
    directory: TempDir,
    data: Data,
    duration: Duration,
}

impl<'r> Volume<'r> {
    /// Has weighin fill a file.
    pub(super) fn fill(runner: &'r Runner, arguments: &Arguments) -> anyhow::Result<Self> {
        let directory = tempfile::Builder::new()
            .prefix("weighin-bench-")
            .tempdir_in(&arguments.directory)
            .with_context(|| format!("cannot write in {}", arguments.directory.display()))?;
        let length = u64::from(arguments.gibibytes) << 30;
        let mut prepare = runner.weighin();
        prepare.arg("prepare").arg(directory.path()).arg(format!("--data={length}B"));
        runner.run(&mut prepare)?;
        let path = largest_file(directory.path())
            .with_context(|| format!("weighin made no file in {}", directory.path().display()))?;
        let duration = Duration::from_secs(arguments.seconds.into());
        Ok(Self { runner, directory, data: Data { path, offset: 0, length }, duration })
    }

    /// How long the file is.
    pub(super) fn bytes(&self) -> u64 {
        self.data.length
    }

    /// Has weighin run a load.
    pub(super) fn weighin(&self, storage: &Storage, queue_depth: u32) -> anyhow::Result<Finished> {
        let mut load = self.runner.weighin();
        load.arg("load").arg(self.directory.path()).args([
            format!("--data={}B", self.data.length),
            format!("--pattern={}", storage.pattern(queue_depth)),
            format!("--reads={}", storage.read_percent),
            format!("--duration={}s", self.duration.as_secs()),
            "--json".to_owned(),
        ]);
        if storage.order == BlockOrder::Sequential {
            load.arg("--order=sequential");
        }
        self.runner.run(&mut load)
    }

    /// Has fio run a load.
    pub(super) fn fio(
        &self,
        fio: &Fio,
        engine: IoEngine,
        storage: &Storage,
        queue_depth: u32,
    ) -> anyhow::Result<Measured> {
        let order = StorageOrder {
            storage,
            data: std::slice::from_ref(&self.data),
            queue_depth,
            warmup: Duration::ZERO,
            duration: self.duration,
        };
        // Any seed: the order of its blocks is of no consequence.
        self.runner.of_tool(fio.load(&order, engine, 1, None, &|| self.runner.is_stopped()))
    }
}

/// The largest file in a directory and those below it.
fn largest_file(directory: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(directory).ok()?.flatten();
    let files = entries.filter_map(|entry| match entry.file_type().ok()?.is_dir() {
        true => largest_file(&entry.path()),
        false => Some(entry.path()),
    });
    files.max_by_key(|file| file.metadata().map_or(0, |metadata| metadata.len()))
}
