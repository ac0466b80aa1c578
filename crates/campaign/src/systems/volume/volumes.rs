use super::room::{Room, Rooms};
use super::{devices, directory, processors};
use crate::failure::storage_failure;
use crate::systems::Preparing;
use crate::{Prepared, Step};
use engine::Stop;
use engine::storage::{
    FileSpec, Filling, StorageError, files_within, fill, make_files, remove_files,
};
use host::local::storage::{
    Blocks, Looking, check_same, file_system_of, hold_directory, is_blocks, probe_blocks,
    probe_directory,
};
use model::{
    Failure, Place, ServerCounters, ServerFacts, Storage, StoragePlace, Study, Target,
    VolumeLayout, VolumePlace,
};
use peer::storage::Fio;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The volumes of a target, held for weighin alone, with the data of its virtual machines.
#[derive(Debug)]
pub struct Volumes {
    place: StoragePlace,
    held: Vec<Held>,
    layout: VolumeLayout,
    /// What the volumes are on, by kernel name: what their reads and writes are asked of.
    devices: BTreeSet<String>,
    /// The disks that do the work for these, which may be the same.
    members: BTreeSet<String>,
    facts: ServerFacts,
    /// The data of every virtual machine, once it is filled.
    files: Vec<FileSpec>,
    /// The unit that all data is sealed in, where it was filled so and not written otherwise since.
    sealed: Option<usize>,
    /// The tools that cross-check tests, by the tests' names.
    pub(super) tools: BTreeMap<String, Fio>,
}

#[derive(Debug)]
enum Held {
    /// A directory, locked.
    Directory {
        lock: File,
        /// Which file system it is on: the number of its device.
        device: u64,
    },
    Blocks(Box<Blocks>),
}

impl Held {
    /// Makes sure that the volume is still where it was.
    fn check_same(&self, path: &Path) -> Result<(), Failure> {
        match self {
            Self::Directory { lock, .. } => check_same(path, lock),
            Self::Blocks(blocks) => blocks.check_same(),
        }
    }
}

/// How volumes are taken.
pub struct Taking<'a> {
    /// What the command line allows to overwrite.
    pub consent: &'a [PathBuf],
    /// Ends reading what is on them.
    pub stop: &'a Stop,
    /// Told how many bytes of one were read.
    pub progress: &'a mut dyn FnMut(Step),
}

impl Volumes {
    /// Takes the volumes of a target for weighin, and makes sure that the loads of a study can run
    /// on them: of devices and files it reads all that will be written. Nothing is changed yet.
    ///
    /// # Errors
    /// The first thing that will not work, with the way to fix it; [`Failure::stopped`].
    pub fn take(
        target: &Target,
        loads: &[&Storage],
        taking: &mut Taking<'_>,
    ) -> Result<Self, Failure> {
        Self::take_beside(target, loads, taking, &mut Rooms::default())
    }

    /// The same where others have taken their room before.
    ///
    /// # Errors
    /// As [`Self::take`].
    pub(super) fn take_beside(
        target: &Target,
        loads: &[&Storage],
        taking: &mut Taking<'_>,
        rooms: &mut Rooms,
    ) -> Result<Self, Failure> {
        let mut taken = Self::open(target, loads)?;
        rooms.take(&taken)?;
        taken.check_contents(smallest_block(loads), taking)?;
        Ok(taken)
    }

    /// Does the same but look at what devices and files hold.
    ///
    /// # Errors
    /// As [`Self::take`].
    pub(super) fn open(target: &Target, loads: &[&Storage]) -> Result<Self, Failure> {
        let Place::Storage(place) = &target.place else { return Err(target.out_of_reach()) };
        loads.iter().try_for_each(|load| processors::check(load))?;
        let layout = VolumeLayout::of(loads.iter().copied());
        let smallest = smallest_block(loads);
        let mut held = Vec::new();
        let mut on = Vec::new();
        let (mut devices, mut members) = (BTreeSet::new(), BTreeSet::new());
        let mut variables = BTreeMap::new();
        for (number, volume) in place.volumes.iter().enumerate() {
            let one = look_at(&volume.path, smallest)?;
            let is_blocks = matches!(one, Held::Blocks(_));
            let under = devices::under(volume, is_blocks);
            let description = describe(volume, is_blocks, under.as_ref());
            variables.insert(
                format!("volume {}", number + 1),
                format!("{}, {description}", volume.path.display()),
            );
            if !on.contains(&description) {
                on.push(description);
            }
            if let Some(under) = under {
                devices.extend(under.devices);
                members.extend(under.members);
            }
            held.push(one);
        }
        let facts = ServerFacts { version: on.join("; "), variables, ..ServerFacts::default() };
        Ok(Self {
            place: place.clone(),
            held,
            layout,
            devices,
            members,
            facts,
            files: Vec::new(),
            sealed: None,
            tools: BTreeMap::new(),
        })
    }

    fn check_contents(&mut self, smallest: u32, taking: &mut Taking<'_>) -> Result<(), Failure> {
        for (number, held) in self.held.iter_mut().enumerate() {
            let volume = &self.place.volumes[number];
            let layout = layout_on(&self.place, number, self.layout);
            let Held::Blocks(blocks) = held else { continue };
            let progress = &mut |done, of| (taking.progress)(Step { done, of });
            let looking = Looking { stop: taking.stop, progress };
            let consented = taking.consent.contains(&volume.path);
            let found = blocks.check(volume, consented, layout, looking)?;
            probe_blocks(blocks.resolved(), smallest)?;
            self.facts.variables.insert(format!("volume {} contents", number + 1), found);
        }
        Ok(())
    }

    /// What devices and files held when they were taken, and how much of them was looked at; nothing
    /// of directories.
    pub fn contents(&self) -> impl Iterator<Item = (&Path, &str)> {
        let found =
            |number: usize| self.facts.variables.get(&format!("volume {} contents", number + 1));
        let volumes = self.place.volumes.iter().enumerate();
        volumes.filter_map(move |(n, volume)| Some((volume.path.as_path(), found(n)?.as_str())))
    }

    /// What the directories that are to be filled take of their file systems, in that order.
    pub(super) fn rooms(&self) -> Vec<Room> {
        let room = |(number, held): (usize, &Held)| {
            let &Held::Directory { device, .. } = held else { return None };
            if self.is_filled(number) {
                return None;
            }
            let path = self.place.volumes[number].path.clone();
            let layout = self.layout_on(number);
            Some(Room {
                own: directory::allocated(&path),
                path,
                device,
                needed: u64::from(layout.vms).saturating_mul(layout.bytes_per_vm),
            })
        };
        self.held.iter().enumerate().filter_map(room).collect()
    }

    /// Virtual machines whose data a run would fill first.
    pub(super) fn unfilled(&self) -> usize {
        let unfilled = (0..self.held.len()).filter(|&number| !self.is_filled(number));
        unfilled.map(|number| self.place.vms_on(number, self.layout.vms) as usize).sum()
    }

    /// What is known of the volumes.
    pub(super) fn observed(&self) -> &ServerFacts {
        &self.facts
    }

    /// The disks under all volumes, by kernel name.
    pub(super) fn members(&self) -> Vec<String> {
        self.members.iter().cloned().collect()
    }

    /// Bytes of all virtual machines together.
    pub fn bytes(&self) -> u64 {
        u64::from(self.layout.vms).saturating_mul(self.layout.bytes_per_vm)
    }

    /// What the block devices have counted since boot; `None` where that is not known.
    pub(super) fn device_counters(&self) -> Option<ServerCounters> {
        devices::counters(&self.devices)
    }

    /// The data of the virtual machines of a load.
    pub(super) fn files_of(&self, storage: &Storage) -> Vec<FileSpec> {
        let cut = |file: &FileSpec| FileSpec { length: storage.bytes_per_vm, ..file.clone() };
        self.files.iter().take(storage.vms as usize).map(cut).collect()
    }

    /// Whether all data is sealed as the load verifies it.
    pub(super) fn is_sealed_for(&self, storage: &Storage) -> bool {
        self.sealed == Some(workload::storage::unit(storage))
    }

    /// Notes what a load left behind.
    pub(super) fn written_by(&mut self, storage: &Storage) {
        if storage.writes() && !storage.verify {
            self.sealed = None;
        }
    }

    /// Makes sure that every block of every virtual machine was written once; for a load that
    /// verifies, with seals. 0 are made where all was there.
    ///
    /// # Errors
    /// [`Failure::stopped`]; when a volume is no longer there, or cannot be written.
    pub fn fill(
        &mut self,
        storage: &Storage,
        preparing: &mut Preparing<'_>,
    ) -> Result<Prepared, Failure> {
        let began = Instant::now();
        let &mut Preparing { seed, stop, ref mut progress, .. } = preparing;
        let unit = storage.verify.then(|| workload::storage::unit(storage));
        let anew = unit.is_some() && self.sealed != unit;
        let mut made = 0;
        let mut before = 0;
        let total = self.bytes();
        let mut files = Vec::new();
        for number in 0..self.held.len() {
            self.held[number].check_same(&self.place.volumes[number].path)?;
            let mut told =
                |written: u64, _: u64| progress(Step { done: before + written, of: total });
            let filling = Filling { seed, unit, method: None, stop, progress: &mut told };
            if anew || !self.is_filled(number) {
                made += self.place.vms_on(number, self.layout.vms);
                self.fill_one(number, filling)?;
                self.sealed = None;
            }
            let own = self.specs(number);
            before += own.iter().map(|file| file.length).sum::<u64>();
            files.extend(own);
        }
        files.sort_by_key(|file| file.vm);
        self.files = files;
        if anew {
            self.sealed = unit;
        }
        let bytes = self.bytes();
        let all_new = made == self.layout.vms;
        let elapsed = began.elapsed();
        Ok(Prepared { made, noun: "file", all_new, foreign: 0, bytes, elapsed })
    }

    fn fill_one(&mut self, number: usize, mut filling: Filling<'_>) -> Result<(), Failure> {
        let vms = self.vms_on(number);
        let specs = self.specs(number);
        let layout = self.layout_on(number);
        let path = &self.place.volumes[number].path;
        match &mut self.held[number] {
            Held::Directory { .. } => {
                // Files of another size, or to be filled again, make room first.
                remove_files(path).map_err(|error| filling_failure(&error))?;
                let bytes = layout.bytes_per_vm;
                let made = make_files(path, number as u32, &vms, bytes, &mut filling);
                made.map(drop).map_err(|error| filling_failure(&error))
            }
            Held::Blocks(blocks) => {
                blocks.mark(layout, false)?;
                fill(&specs, &mut filling).map_err(|error| filling_failure(&error))?;
                blocks.mark(layout, true)
            }
        }
    }

    fn is_filled(&self, number: usize) -> bool {
        match &self.held[number] {
            Held::Directory { .. } => {
                directory::are_made(&self.place.volumes[number].path, &self.specs(number))
            }
            Held::Blocks(blocks) => blocks.is_filled(self.layout_on(number)),
        }
    }

    /// The virtual machines on a volume.
    fn vms_on(&self, number: usize) -> Vec<u32> {
        (0..self.layout.vms).filter(|&vm| self.place.volume_of(vm) == number).collect()
    }

    fn layout_on(&self, number: usize) -> VolumeLayout {
        layout_on(&self.place, number, self.layout)
    }

    /// Where the data of the virtual machines on a volume is.
    fn specs(&self, number: usize) -> Vec<FileSpec> {
        let (vms, layout) = (self.vms_on(number), self.layout);
        let (volume, length) = (number as u32, layout.bytes_per_vm);
        let blocks = match &self.held[number] {
            Held::Directory { .. } => {
                return files_within(&self.place.volumes[number].path, volume, &vms, length);
            }
            Held::Blocks(blocks) => blocks,
        };
        let spec = |(index, &vm): (usize, &u32)| FileSpec {
            path: blocks.resolved().to_owned(),
            offset: Blocks::offset_of(layout, index as u32),
            length,
            volume,
            vm,
        };
        vms.iter().enumerate().map(spec).collect()
    }
}

fn filling_failure(error: &StorageError) -> Failure {
    match error {
        StorageError::Stopped => Failure::stopped(),
        error => storage_failure(error),
    }
}

/// The loads on storage of a study.
pub(super) fn loads(study: &Study) -> Vec<&Storage> {
    study.tests.iter().filter_map(model::Test::storage).collect()
}

/// The smallest block of any of them, in bytes.
fn smallest_block(loads: &[&Storage]) -> u32 {
    loads.iter().map(|load| load.smallest_block()).min().unwrap_or(4096)
}

fn layout_on(place: &StoragePlace, number: usize, layout: VolumeLayout) -> VolumeLayout {
    VolumeLayout { vms: place.vms_on(number, layout.vms), ..layout }
}

/// Opens a volume and looks for whatever would keep it from being used, besides what is on a device
/// or file.
fn look_at(path: &Path, smallest_block: u32) -> Result<Held, Failure> {
    if is_blocks(path)? {
        return Ok(Held::Blocks(Box::new(Blocks::open(path)?)));
    }
    let lock = hold_directory(path)?;
    directory::look(path)?;
    probe_directory(path, smallest_block)?;
    let device = file_system_of(path, &lock)?;
    Ok(Held::Directory { lock, device })
}

/// What a volume is, in few words: `ext4 on nvme0n1`.
fn describe(
    volume: &VolumePlace,
    is_blocks: bool,
    under: Option<&host::local::sample::Volume>,
) -> String {
    let names = |devices: &BTreeSet<String>| devices.iter().cloned().collect::<Vec<_>>().join(", ");
    match (under, is_blocks) {
        (Some(under), false) => format!("{} on {}", under.file_system, names(&under.devices)),
        (Some(under), true) if under.file_system.is_empty() => {
            format!("block device {}", names(&under.devices))
        }
        (Some(under), true) => {
            format!("a file in {} on {}", under.file_system, names(&under.devices))
        }
        (None, true) => "blocks".to_owned(),
        (None, false) => format!("a directory on no block device ({})", volume.path.display()),
    }
}

/// Removes what weighin made on a volume; whether there was anything of its own.
///
/// # Errors
/// When it is in use, or what is there is not weighin's to remove.
pub fn cleanup(path: &Path, stop: &Stop) -> Result<bool, Failure> {
    if is_blocks(path)? {
        return Blocks::open(path)?.erase(Looking { stop, progress: &mut |_, _| {} });
    }
    let _lock = hold_directory(path)?;
    remove_files(path).map_err(|error| storage_failure(&error))
}
