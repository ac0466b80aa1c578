//! fio on the files of a trial.

use super::Volumes;
use crosscheck::storage::{Data, Fio, IoEngine, StorageOrder, unsupported};
use engine::Stop;
use host::Host;
use model::{CrossCheckFigures, Failure, Storage, Test, Trial};
use std::sync::Arc;
use system::cannot_check as cannot;

pub(super) fn tool(host: &Arc<dyn Host>, storage: &Storage, test: &str) -> Result<Fio, Failure> {
    let fio = Fio::find(host)?;
    let reason = match unsupported(storage) {
        None if storage.verify && storage.writes() => {
            Some("writes over what weighin is to check when it reads")
        }
        reason => reason,
    };
    match reason {
        Some(reason) => Err(cannot(&fio.name(), &format!("the test {test}: it {reason}"))),
        None => Ok(fio),
    }
}

pub(super) fn load(
    fio: &Fio,
    volumes: &mut Volumes,
    trial: &Trial,
    test: &Test,
    stop: &Stop,
) -> Result<CrossCheckFigures, Failure> {
    let load = test.runnable_load()?;
    let Some(storage) = load.workload.storage() else {
        return Err(cannot(&fio.name(), &format!("the test {}", test.name)));
    };
    let files = volumes.files_of(storage).into_iter();
    let data: Vec<Data> = files
        .map(|file| Data { path: file.path, offset: file.offset, length: file.length })
        .collect();
    let order = StorageOrder {
        storage,
        data: &data,
        queue_depth: trial.key.level.clients,
        warmup: load.warmup,
        duration: load.duration,
    };
    let engine = match engine::storage::has_ring() {
        true => IoEngine::IoUringTuned,
        false => IoEngine::LibAio,
    };
    // Its virtual machines share as many processors as weighin's.
    let processors = storage.oversubscription.map(|shared| shared.processors(storage.vms));
    let seed = trial.seed >> 33;
    let done = fio.load(&order, engine, seed, processors, &|| stop.is_requested());
    // A load that failed may have written as well.
    volumes.written_by(storage);
    done?.map(|done| done.figures).ok_or_else(Failure::stopped)
}
