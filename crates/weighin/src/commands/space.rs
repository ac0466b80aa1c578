//! What a study writes to disks: told before it does so, against what is free there, and afterwards,
//! where it stays.

use model::{Place, PlacedVolume, Study, text};
use report::numbers::{bytes, counted};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// What is written once before the first trial, a line for each place; none where that is nothing, or
/// only tables and keys.
pub(super) fn lines(study: &Study) -> Vec<String> {
    let volumes = study::space(study).into_iter().map(|need| {
        let machines = counted(need.vms as usize, "virtual machine");
        let volume = text::line(&need.volume.to_string()).into_owned();
        format!(
            "{}: {} of disk space in {volume} for {machines}, all of it written once before the \
             first trial, unless it is there{}.",
            text::line(need.target),
            bytes(need.bytes),
            free_in_volume(&need.volume)
        )
    });
    let built = study.targets.iter().filter_map(|target| {
        let Place::Sandbox(spec) = &target.place else { return None };
        let servers = 1 + spec.replication.as_ref().map_or(0, |group| u64::from(group.replicas));
        let each: u64 = spec.built_volumes().map(|volume| volume.bytes()).sum();
        let free = match spec.host {
            Some(_) => String::new(),
            None => free_in(spec.directory.as_deref()),
        };
        (each > 0).then(|| {
            format!(
                "{}: {} of disk space for its volumes, all of it written before its servers start, \
                 and removed at the end{free}.",
                text::line(&target.name),
                bytes(each.saturating_mul(servers))
            )
        })
    });
    volumes.chain(built).collect()
}

/// What is free for it, in words that follow what is needed.
fn free_in_volume(volume: &PlacedVolume<'_>) -> String {
    let path = &volume.place.path;
    match volume.host {
        None if path.is_dir() => free_in(Some(path)),
        // A device or a file is as large as it is, and other machines are not asked here.
        _ => String::new(),
    }
}

fn free_in(directory: Option<&Path>) -> String {
    let space = host::this_machine().space(directory);
    space.map_or(String::new(), |space| format!("; {} are free there", bytes(space.free)))
}

/// What stays of a study on volumes, with the command that removes it: a line for each volume of this
/// machine on which weighin has written, and for each of others.
pub(super) fn left(study: &Study, file: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    for need in study::space(study) {
        let path = &need.volume.place.path;
        let there = match need.volume.host {
            None if path.is_dir() => taken(&path.join(engine::storage::DIRECTORY)),
            _ => need.bytes,
        };
        if there == 0 {
            continue;
        }
        let (target, volume) = (text::line(need.target), need.volume.to_string());
        lines.push(format!(
            "{target}: {} of data stay in {} for the next run; what removes them: weighin cleanup {}",
            bytes(there),
            text::line(&volume),
            text::line(&file.display().to_string()),
        ));
    }
    lines
}

/// Bytes that the files in a directory take; no link is followed.
fn taken(directory: &Path) -> u64 {
    /// The unit of `st_blocks`.
    const BLOCK: u64 = 512;
    if !fs::symlink_metadata(directory).is_ok_and(|facts| facts.is_dir()) {
        return 0;
    }
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let facts = entries.filter_map(|entry| entry.metadata().ok());
    facts.filter(|facts| facts.is_file()).map(|facts| facts.blocks() * BLOCK).sum()
}
