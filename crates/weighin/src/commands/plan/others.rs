//! Command lines of other tools that mean the same as the tests of a study.

use crate::exit::CliError;
use crosscheck::storage::{Data, StorageOrder, diskspd, fio_line};
use engine::storage::files_within;
use model::{Load, Place, Storage, StoragePlace, Study, Test};
use report::numbers::count;
use report::words::shared_processors;
use std::fmt::Write;

/// The command lines for each level of each test on storage: of one virtual machine, as the first
/// target has it.
///
/// # Errors
/// When the study has no such test.
pub(super) fn commands(study: &Study) -> Result<String, CliError> {
    let place = study.targets.iter().find_map(|target| match &target.place {
        Place::Storage(place) => Some(place),
        Place::Sandbox(_) | Place::Server(_) | Place::Imported => None,
    });
    let mut text = String::new();
    for test in &study.tests {
        if let (Some(load), Some(place)) = (test.load(), place) {
            of_test(&mut text, test, load, place);
        }
    }
    match text.is_empty() {
        false => Ok(text),
        true => Err(CliError::usage(
            "--commands is for tests on storage, and the study has none",
            "leave it out",
        )),
    }
}

fn of_test(text: &mut String, test: &Test, load: &Load, place: &StoragePlace) {
    let Some(storage) = load.workload.storage() else { return };
    let Some(data) = first(storage, place) else { return };
    for level in &load.levels {
        let order = StorageOrder {
            storage,
            data: std::slice::from_ref(&data),
            queue_depth: level.clients,
            warmup: load.warmup,
            duration: load.duration,
        };
        let machines = match storage.vms {
            1 => String::new(),
            vms => format!(", each of {} virtual machines", count(vms.into())),
        };
        let windows = diskspd(&order, &data.path);
        // Writing to a text does not fail.
        let _ = writeln!(
            text,
            "\n{}, queue depth {}{machines}:\n  {}\n  {}",
            test.name,
            count(level.clients.into()),
            fio_line(&order),
            windows.command,
        );
        if !windows.differs.is_empty() {
            let _ = writeln!(text, "  DiskSpd differs: {}.", windows.differs.join("; "));
        }
        if let Some(shared) = shared_processors(storage) {
            let _ = writeln!(
                text,
                "  Neither holds virtual machines to processors; weighin runs these {shared}."
            );
        }
    }
}

/// The data of the first virtual machine.
fn first(storage: &Storage, place: &StoragePlace) -> Option<Data> {
    let (path, length) = (&place.volumes.first()?.path, storage.bytes_per_vm);
    // What a path is on another machine is not known here.
    let is_directory = match place.hosts.is_empty() {
        true => path.is_dir(),
        false => !path.starts_with("/dev"),
    };
    if !is_directory {
        return Some(Data { path: path.clone(), offset: 0, length });
    }
    let file = files_within(path, 0, &[0], length).into_iter().next()?;
    Some(Data { path: file.path, offset: file.offset, length })
}
