//! What a study writes to disks: told before it does so, against what is free there, and afterwards,
//! where it stays.

use model::{Place, PlacedVolume, SandboxSpec, Study, Target, Test, VolumeLayout, Workload, text};
use report::numbers::{bytes, counted, list};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// What is written before the first trial, a line for each place; none where that is nothing, or only
/// what goes to servers that run already.
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
    volumes.chain(built).chain(tables(study)).collect()
}

/// The targets whose tables [`lines`] has.
pub(super) fn tables_of(study: &Study) -> Vec<&str> {
    let targets = study.measured().filter_map(on_disk_here).filter(|_| bytes_of_tables(study) > 0);
    targets.map(|(target, _)| target.name.as_str()).collect()
}

/// Of the largest test.
fn bytes_of_tables(study: &Study) -> u64 {
    let loads = study.tests.iter().filter_map(Test::workload);
    let each = loads.filter_map(|workload| match workload {
        Workload::Oltp(oltp) => Some(oltp.bytes_of_tables(oltp.tables)),
        Workload::Transactions(_) | Workload::KeyValue(_) | Workload::Storage(_) => None,
    });
    each.max().unwrap_or_default()
}

/// The tables of private servers, which share a directory mostly.
fn tables(study: &Study) -> Vec<String> {
    let each = bytes_of_tables(study);
    let mut by_directory: BTreeMap<Option<&Path>, (Vec<&str>, u64)> = BTreeMap::new();
    for (target, spec) in study.measured().filter_map(on_disk_here) {
        let (names, servers) = by_directory.entry(spec.directory.as_deref()).or_default();
        names.push(&target.name);
        *servers += 1 + spec.replication.as_ref().map_or(0, |group| u64::from(group.replicas));
    }
    let told =
        by_directory.into_iter().filter(|_| each > 0).map(|(directory, (names, servers))| {
            let all = bytes(each.saturating_mul(servers));
            let servers = counted(servers as usize, "private server");
            let names: Vec<_> = names.into_iter().map(text::line).collect();
            format!(
                "{}: about {all} of tables, made by {servers} and removed at the end{}.",
                list(&names),
                free_in(directory)
            )
        });
    told.collect()
}

/// The private server of a target, where its data is on a file system of this machine.
fn on_disk_here(target: &Target) -> Option<(&Target, &SandboxSpec)> {
    match &target.place {
        Place::Sandbox(spec) if spec.volume.is_none() && spec.host.is_none() => {
            Some((target, spec))
        }
        _ => None,
    }
}

/// What `--scale` makes of the data, and what it leaves; nothing where it is not given.
pub(super) fn scaled(loaded: &Study, study: &Study, factor: f64) -> Option<String> {
    let layout =
        |study: &Study| VolumeLayout::for_loads(study.tests.iter().filter_map(Test::storage));
    let (before, after) = (layout(loaded), layout(study));
    if factor == 1.0 || before.vms == 0 {
        return None;
    }
    let vms = counted(after.vms as usize, "virtual machine");
    let data = match before.bytes_per_vm == after.bytes_per_vm {
        true => format!("{} of each virtual machine stay", bytes(after.bytes_per_vm)),
        false => format!(
            "{} in place of {} for each virtual machine",
            bytes(after.bytes_per_vm),
            bytes(before.bytes_per_vm)
        ),
    };
    Some(format!(
        "--scale {factor}: times as the plan has them, and {data}. Their number is the load that is \
         measured and stays: {vms}, with {} in all on each target; `vms` in the study makes it \
         smaller.",
        bytes(after.bytes_per_vm.saturating_mul(after.vms.into()))
    ))
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
