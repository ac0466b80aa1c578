//! Loads on volumes by hand: `weighin load /mnt/a`, `prepare` and `cleanup` likewise.

use super::workload::refuse;
use super::{Outcome, load, print, slo, unless_stopped};
use crate::Exit;
use crate::arguments::{
    CleanupArguments, DataArguments, LoadArguments, PrepareArguments, ServerArguments,
    StorageArguments, TlsMode, WorkloadName,
};
use crate::exit::CliError;
use crate::load_output::LoadOutput;
use crate::messages::{print_json, shown};
use crate::progress::Progress;
use crate::signals;
use campaign::{Goal, Prepared, Preparing, Taking, Volumes, cleanup_volume, measure};
use engine::Stop;
use model::{
    BlockOrder, Bound, Oversubscription, Place, SearchOver, Storage, StoragePlace, System, Target,
    VolumePlace, Workload,
};
use report::numbers::{bytes, count, duration, figure};
use std::collections::BTreeMap;
use std::path::PathBuf;
use study::{StoragePattern, parse_pattern};

/// What is done where no pattern is given.
const DEFAULT_PATTERN: &str = "t1 o32 b4k";

/// The path of a volume, where that is named and not a server.
pub(super) fn volume(named: &str) -> Result<Option<PathBuf>, CliError> {
    let path = match named.strip_prefix("file://") {
        Some(path) => path,
        None if named.starts_with(['/', '.']) => named,
        None => return Ok(None),
    };
    let path = std::path::absolute(path)
        .map_err(|error| CliError::usage(format!("{path}: {error}"), "name the whole path"))?;
    Ok(Some(path))
}

/// The load on a volume that arguments describe.
fn load_of(arguments: &LoadArguments) -> Result<(Storage, StoragePattern), CliError> {
    refuse_others(arguments)?;
    let pattern = pattern(&arguments.storage)?;
    let storage = storage(&arguments.storage, pattern)?;
    enough_workers(arguments, &storage)?;
    enough_vms(arguments, &storage)?;
    Ok((storage, pattern))
}

/// Reads the arguments of a load on a volume without looking for it.
pub(super) fn understand(arguments: &LoadArguments) -> Result<(), CliError> {
    let (storage, pattern) = load_of(arguments)?;
    let _ = load::order(arguments, &Workload::Storage(storage), pattern.in_flight);
    Ok(())
}

/// Runs one load on a volume.
pub(super) fn load_volume(arguments: &LoadArguments, path: PathBuf) -> Outcome {
    let (storage, pattern) = load_of(arguments)?;
    let options = &arguments.storage;
    let stop = signals::stop();
    let target = target(path, &options.data);
    let mut volumes = take(&target, &storage, &options.data.erase, &stop)?;
    let again = "the next load fills the volume from its beginning";
    fill(&mut volumes, &storage, arguments.tables.seed, &stop, again)?;
    let workload = Workload::Storage(storage);
    let order = load::order(arguments, &workload, pattern.in_flight);
    let cpu_of_vms = options.cpu_oversubscription.is_some() && options.cpu_limit.is_some();
    let bound = Bound { slo: arguments.slo, cpu_percent: options.cpu_limit, cpu_of_vms };
    if bound != Bound::default() {
        let arrivals = load::arrivals(arguments);
        let goal = Goal { bound, over: SearchOver::Rate, arrivals };
        return slo::search_by_hand(arguments, &mut volumes, &order, &goal, &stop);
    }
    let measured = measure(&mut volumes, &order, &stop, &mut |_| {})?;
    let result = LoadOutput::new(&measured, &workload, &arguments.percentiles);
    let headline = super::workload::headline(&workload);
    match arguments.json {
        true => print_json(&result.json()?)?,
        false => print(&result.text(&headline))?,
    }
    Ok(Exit::Done)
}

/// Makes and fills the files that a load on a volume needs.
pub(super) fn prepare_volume(arguments: &PrepareArguments, path: PathBuf) -> Outcome {
    refuse_login(&arguments.server)?;
    let (tables, keys) = (&arguments.tables, &arguments.keys);
    let refused = [
        ("--tables", tables.tables.is_some()),
        ("--table-size", tables.table_size.is_some()),
        ("--rand-type", tables.rand_type.is_some()),
        ("--threads", arguments.threads.is_some()),
    ];
    refuse("a volume", &refused)?;
    refuse("a volume", &super::workload::given_of_keys(keys))?;
    let stop = signals::stop();
    let data = &arguments.data;
    let pattern = parse_pattern(DEFAULT_PATTERN).map_err(unlikely)?;
    let storage = Storage {
        vms: data.vms.unwrap_or(1),
        bytes_per_vm: data.data.unwrap_or(1 << 30),
        ..pattern.storage()
    };
    let mut volumes = take(&target(path, data), &storage, &data.erase, &stop)?;
    let found: String =
        volumes.contents().map(|(path, found)| format!("{}: {found}.\n", shown(path))).collect();
    let again = "the next weighin prepare fills it from its beginning";
    let prepared = fill(&mut volumes, &storage, tables.seed, &stop, again)?;
    let made = match prepared.made {
        0 => format!("All data is there ({}).\n", bytes(prepared.bytes)),
        made => format!(
            "Filled the data of {} virtual machine{} ({}) in {}.\n",
            count(made.into()),
            if made == 1 { "" } else { "s" },
            bytes(prepared.bytes),
            duration(prepared.elapsed)
        ),
    };
    print(&(found + &made))?;
    Ok(Exit::Done)
}

/// Removes what weighin made on a volume.
pub(super) fn cleanup_path(arguments: &CleanupArguments, path: &std::path::Path) -> Outcome {
    refuse_login(&arguments.server)?;
    refuse("a volume", &[("--also", !arguments.also.is_empty())])?;
    print(&match cleanup_volume(path, &signals::stop())? {
        false => format!("Nothing of weighin's in {}.\n", shown(path)),
        true => format!("Removed weighin's data from {}.\n", shown(path)),
    })?;
    Ok(Exit::Done)
}

/// Takes a volume, reading what is on it.
fn take(
    target: &Target,
    storage: &Storage,
    consent: &[PathBuf],
    stop: &Stop,
) -> Result<Volumes, CliError> {
    let bar = Progress::start("bytes checked");
    let progress = &mut |step| bar.show(step);
    let taken = Volumes::take(target, &[storage], &mut Taking { consent, stop, progress });
    bar.finish();
    Ok(taken?)
}

/// Fills a volume; `again` says what comes of it where that was interrupted.
fn fill(
    volumes: &mut Volumes,
    storage: &Storage,
    seed: u64,
    stop: &Stop,
    again: &str,
) -> Result<Prepared, CliError> {
    let bar = Progress::start("bytes");
    let progress = &mut |step| bar.show(step);
    let mut preparing = Preparing { seed, connections: None, stop, progress };
    let filled = volumes.fill(storage, &mut preparing);
    bar.finish();
    unless_stopped(filled, again)
}

fn target(path: PathBuf, data: &DataArguments) -> Target {
    let erase = data.erase.contains(&path);
    Target {
        name: path.display().to_string(),
        system: System::Storage,
        place: Place::Storage(StoragePlace { volumes: vec![VolumePlace { path, erase }] }),
        price: None,
        labels: BTreeMap::new(),
    }
}

fn pattern(options: &StorageArguments) -> Result<StoragePattern, CliError> {
    match options.pattern {
        Some(pattern) => Ok(pattern),
        None => parse_pattern(DEFAULT_PATTERN).map_err(unlikely),
    }
}

fn unlikely(error: study::PatternError) -> CliError {
    CliError::usage(error.to_string(), "name a --pattern")
}

fn storage(options: &StorageArguments, pattern: StoragePattern) -> Result<Storage, CliError> {
    if pattern.redo_log {
        let said = [
            ("--reads", options.reads.is_some()),
            ("--sequential", options.sequential),
            ("--sync-every", options.sync_every.is_some()),
        ];
        refuse("a redo log, which says it already", &said)?;
    }
    let given = pattern.storage();
    let vms = options.data.vms.unwrap_or(given.vms);
    let storage = Storage {
        read_percent: options.reads.unwrap_or(given.read_percent),
        order: if options.sequential { BlockOrder::Sequential } else { given.order },
        sync_every: options.sync_every.or(given.sync_every),
        iops_limit: options.iops_limit,
        verify: options.verify,
        vms,
        bytes_per_vm: options.data.data.unwrap_or(given.bytes_per_vm),
        oversubscription: oversubscription(options, vms)?,
        ..given
    };
    let least = u64::from(storage.largest_block()) * u64::from(storage.threads);
    if storage.bytes_per_vm < least
        || !storage.bytes_per_vm.is_multiple_of(u64::from(pattern.block))
    {
        return Err(CliError::usage(
            "--data must be a multiple of the block, and have one for each thread",
            "write it with KiB, MiB or GiB",
        ));
    }
    if options.sync_every.is_some() && !storage.writes() {
        return Err(CliError::usage(
            "--sync-every means nothing where only reads are made",
            "add --reads 70, or leave it out",
        ));
    }
    Ok(storage)
}

fn oversubscription(
    options: &StorageArguments,
    vms: u32,
) -> Result<Option<Oversubscription>, CliError> {
    let Some(ratio) = options.cpu_oversubscription else { return Ok(None) };
    study::oversubscription(vms, options.vcpus.unwrap_or(1), ratio)
        .map(Some)
        .map_err(|error| CliError::usage(format!("--cpu-oversubscription {error}"), error.remedy()))
}

/// Fewer threads than the virtual machines have processors could not use these.
fn enough_workers(arguments: &LoadArguments, storage: &Storage) -> Result<(), CliError> {
    let (Some(workers), Some(shared)) = (arguments.workers, storage.oversubscription) else {
        return Ok(());
    };
    if shared.fits(storage.vms, workers as usize) {
        return Ok(());
    }
    let (count, needed) = (shared.processors(storage.vms), shared.whole_processors(storage.vms));
    Err(CliError::usage(
        format!("{} processors cannot be used by fewer threads", figure(count)),
        format!("take --workers {needed} at least, or leave it out"),
    ))
}

/// Every load generator needs a virtual machine.
fn enough_vms(arguments: &LoadArguments, storage: &Storage) -> Result<(), CliError> {
    let (generators, vms) = (arguments.generators, storage.vms);
    if generators <= vms {
        return Ok(());
    }
    Err(CliError::usage(
        format!("{generators} load generators need as many virtual machines, and there are {vms}"),
        format!("add --vms {generators}, or more"),
    ))
}

fn refuse_login(server: &ServerArguments) -> Result<(), CliError> {
    refuse(
        "a volume",
        &[
            ("--password-env", server.password_env.is_some()),
            ("--password-file", server.password_file.is_some()),
            ("--tls", server.tls != TlsMode::Off),
            ("--tls-ca", server.tls_ca.is_some()),
            ("--get-server-public-key", server.get_server_public_key),
            ("--server-public-key", server.server_public_key.is_some()),
        ],
    )
}

fn refuse_others(arguments: &LoadArguments) -> Result<(), CliError> {
    refuse_login(&arguments.server)?;
    if let Some(WorkloadName::Oltp(_) | WorkloadName::KeyValue) = arguments.workload {
        return Err(CliError::usage(
            "a volume has no server to run that workload on",
            "leave --workload out, or name a server",
        ));
    }
    let tables = &arguments.tables;
    let refused = [
        ("--tables", tables.tables.is_some()),
        ("--table-size", tables.table_size.is_some()),
        ("--rand-type", tables.rand_type.is_some()),
        ("--range-size", arguments.range_size.is_some()),
        ("--clients", arguments.clients.is_some()),
        ("--statements", arguments.statements),
        ("--search", arguments.search == crate::arguments::SearchName::Clients),
    ];
    refuse("a volume", &refused)?;
    refuse("a volume", &super::workload::given_of_keys(&arguments.keys))
}

/// The options of storage of a load on a server, and whether they were given.
pub(super) fn given(options: &StorageArguments) -> [(&'static str, bool); 12] {
    [
        ("--pattern", options.pattern.is_some()),
        ("--reads", options.reads.is_some()),
        ("--sequential", options.sequential),
        ("--sync-every", options.sync_every.is_some()),
        ("--iops-limit", options.iops_limit.is_some()),
        ("--verify", options.verify),
        ("--cpu-limit", options.cpu_limit.is_some()),
        ("--cpu-oversubscription", options.cpu_oversubscription.is_some()),
        ("--vcpus", options.vcpus.is_some()),
        ("--vms", options.data.vms.is_some()),
        ("--data", options.data.data.is_some()),
        ("--erase", !options.data.erase.is_empty()),
    ]
}

/// The same of preparing.
pub(super) fn given_data(data: &DataArguments) -> [(&'static str, bool); 3] {
    [
        ("--vms", data.vms.is_some()),
        ("--data", data.data.is_some()),
        ("--erase", !data.erase.is_empty()),
    ]
}
