use super::room::{Room, Rooms};
use super::{devices, processors};
use crate::systems::Preparing;
use crate::{Prepared, Step};
use crosscheck::storage::Fio;
use engine::Stop;
use engine::storage::{FileSpec, Filling};
use host::{HeldVolume, Host, Looking, Share, VolumeFacts};
use model::{
    Failure, Place, ServerCounters, ServerFacts, Storage, StoragePlace, Study, Target,
    VolumeLayout, VolumePlace,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// The volumes of a target, held for weighin alone, with the data of its virtual machines.
#[derive(Debug)]
pub struct Volumes {
    /// The machine that they are on.
    host: Arc<dyn Host>,
    pub(super) place: StoragePlace,
    held: Vec<Box<dyn HeldVolume>>,
    layout: VolumeLayout,
    /// What the volumes are on, by kernel name: what their reads and writes are asked of.
    devices: BTreeSet<String>,
    /// The disks that do the work for these, which may be the same.
    members: BTreeSet<String>,
    facts: ServerFacts,
    /// The data of every virtual machine, once it is filled.
    files: Vec<FileSpec>,
    /// The unit that all data is checksummed in, where it was filled so and not written otherwise since.
    checksummed: Option<usize>,
    /// The tools that cross-check tests, by the tests' names.
    pub(super) tools: BTreeMap<String, Fio>,
}

/// How volumes are taken.
pub struct Taking<'a> {
    /// The machine that they are on.
    pub host: &'a Arc<dyn Host>,
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
        let mut taken = Self::open(taking.host, target, loads)?;
        rooms.take(&taken)?;
        taken.check_contents(taking)?;
        Ok(taken)
    }

    /// Does the same but look at what devices and files hold.
    ///
    /// # Errors
    /// As [`Self::take`].
    pub(super) fn open(
        host: &Arc<dyn Host>,
        target: &Target,
        loads: &[&Storage],
    ) -> Result<Self, Failure> {
        let Place::Storage(place) = &target.place else { return Err(target.out_of_reach()) };
        loads.iter().try_for_each(|load| processors::check(host.as_ref(), load))?;
        let layout = VolumeLayout::of(loads.iter().copied());
        let smallest = smallest_block(loads);
        let mut held = Vec::new();
        let mut on = Vec::new();
        let (mut devices, mut members) = (BTreeSet::new(), BTreeSet::new());
        let mut variables = BTreeMap::new();
        for (number, volume) in place.volumes.iter().enumerate() {
            let one = host.hold_volume(&volume.path, smallest)?;
            let description = describe(volume, one.facts());
            variables.insert(
                format!("volume {}", number + 1),
                format!("{}, {description}", volume.path.display()),
            );
            if !on.contains(&description) {
                on.push(description);
            }
            if let Some(under) = &one.facts().under {
                devices.extend(under.devices.iter().cloned());
                members.extend(under.members.iter().cloned());
            }
            held.push(one);
        }
        let facts = ServerFacts { version: on.join("; "), variables, ..ServerFacts::default() };
        Ok(Self {
            host: Arc::clone(host),
            place: place.clone(),
            held,
            layout,
            devices,
            members,
            facts,
            files: Vec::new(),
            checksummed: None,
            tools: BTreeMap::new(),
        })
    }

    fn check_contents(&mut self, taking: &mut Taking<'_>) -> Result<(), Failure> {
        for (number, held) in self.held.iter_mut().enumerate() {
            let volume = &self.place.volumes[number];
            let layout = layout_on(&self.place, number, self.layout);
            let progress = &mut |done, of| (taking.progress)(Step { done, of });
            let looking = Looking { stop: taking.stop, progress };
            let consented = taking.consent.contains(&volume.path);
            let found = held.check_contents(volume, consented, layout, looking)?;
            let name = format!("volume {} contents", number + 1);
            self.facts.variables.extend(found.map(|found| (name, found)));
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
    pub(super) fn rooms(&self) -> Result<Vec<Room>, Failure> {
        let mut rooms = Vec::new();
        for (number, held) in self.held.iter().enumerate() {
            let share = self.share(number);
            if held.is_filled(&share) {
                continue;
            }
            let Some(space) = held.space()? else { continue };
            let VolumeLayout { vms, bytes_per_vm } = share.layout;
            let needed = u64::from(vms).saturating_mul(bytes_per_vm);
            rooms.push(Room { path: self.place.volumes[number].path.clone(), space, needed });
        }
        Ok(rooms)
    }

    /// Virtual machines whose data a run would fill first, and how many there are.
    pub(super) fn unfilled(&self) -> (usize, usize) {
        let (mut unfilled, mut all) = (0, 0);
        for (number, held) in self.held.iter().enumerate() {
            let share = self.share(number);
            all += share.vms.len();
            if !held.is_filled(&share) {
                unfilled += share.vms.len();
            }
        }
        (unfilled, all)
    }

    /// The machine that they are on.
    pub(super) fn machine(&self) -> &dyn Host {
        self.host.as_ref()
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
        devices::counters(self.machine(), &self.devices)
    }

    /// The data of the virtual machines of a load.
    pub(super) fn files_of(&self, storage: &Storage) -> Vec<FileSpec> {
        let cut = |file: &FileSpec| FileSpec { length: storage.bytes_per_vm, ..file.clone() };
        self.files.iter().take(storage.vms as usize).map(cut).collect()
    }

    /// Whether all data is checksummed as the load verifies it.
    pub(super) fn is_checksummed_for(&self, storage: &Storage) -> bool {
        self.checksummed == Some(workload::storage::unit(storage))
    }

    /// Notes what a load left behind.
    pub(super) fn written_by(&mut self, storage: &Storage) {
        if storage.writes() && !storage.verify {
            self.checksummed = None;
        }
    }

    /// Makes sure that every block of every virtual machine was written once; for a load that
    /// verifies, with checksums. 0 are made where all was there.
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
        let anew = unit.is_some() && self.checksummed != unit;
        let mut made = 0;
        let mut before = 0;
        let total = self.bytes();
        let mut files = Vec::new();
        for number in 0..self.held.len() {
            let share = self.share(number);
            let held = &mut self.held[number];
            held.check_same()?;
            let mut told =
                |written: u64, _: u64| progress(Step { done: before + written, of: total });
            let filling = Filling { seed, unit, method: None, stop, progress: &mut told };
            if anew || !held.is_filled(&share) {
                made += share.layout.vms;
                held.fill(&share, filling)?;
                self.checksummed = None;
            }
            let own = held.files(&share);
            before += own.iter().map(|file| file.length).sum::<u64>();
            files.extend(own);
        }
        files.sort_by_key(|file| file.vm);
        self.files = files;
        if anew {
            self.checksummed = unit;
        }
        let bytes = self.bytes();
        let all_new = made == self.layout.vms;
        let elapsed = began.elapsed();
        Ok(Prepared { made, noun: "file", all_new, foreign: 0, bytes, elapsed })
    }

    /// The virtual machines on a volume.
    fn share(&self, number: usize) -> Share {
        Share {
            volume: number as u32,
            vms: (0..self.layout.vms).filter(|&vm| self.place.volume_of(vm) == number).collect(),
            layout: layout_on(&self.place, number, self.layout),
        }
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

/// What a volume is, in few words: `ext4 on nvme0n1`.
fn describe(volume: &VolumePlace, facts: &VolumeFacts) -> String {
    let names = |devices: &BTreeSet<String>| devices.iter().cloned().collect::<Vec<_>>().join(", ");
    match (&facts.under, facts.is_blocks) {
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
