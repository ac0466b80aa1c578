use super::each::{At, on_each};
use super::{devices, processors};
use crosscheck::storage::Fio;
use engine::storage::{FileSpec, Filling};
use engine::{Part, Stop};
use host::{HeldVolume, Host, Looking, Share, VolumeFacts};
use model::{
    Failure, FailureKind, Place, ServerCounters, ServerFacts, Storage, StoragePlace, Study, Target,
    VolumeLayout, VolumePlace,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use system::Preparing;
use system::{Prepared, Step};
use system::{Room, Rooms};

/// How long a volume of a machine that was lost may still be held there, and how often it is tried.
const RELEASE_TIMEOUT: Duration = Duration::from_secs(15);
const RELEASE_POLL_INTERVAL: Duration = Duration::from_millis(250);

/// The volumes of a target, held for weighin alone, with the data of its virtual machines.
#[derive(Debug)]
pub struct Volumes {
    /// The machines that they are on.
    machines: Vec<Machine>,
    pub(super) place: StoragePlace,
    /// In the order of [`StoragePlace::placed`].
    held: Vec<Box<dyn HeldVolume>>,
    layout: VolumeLayout,
    /// The smallest block of the loads on them, in bytes.
    block: u32,
    /// What the command line allows to overwrite.
    consent: Vec<PathBuf>,
    facts: ServerFacts,
    /// The data of every virtual machine, once it is filled.
    files: Vec<FileSpec>,
    /// The unit that all data is checksummed in, where it was filled so and not written otherwise since.
    checksummed: Option<usize>,
    /// The tools that cross-check tests, by the tests' names.
    pub(super) tools: BTreeMap<String, Fio>,
}

/// A machine with volumes.
#[derive(Debug)]
struct Machine {
    host: Arc<dyn Host>,
    /// What its volumes are on, by kernel name: what their reads and writes are asked of.
    devices: BTreeSet<String>,
    /// The disks that do the work for these, which may be the same.
    members: BTreeSet<String>,
}

/// How volumes are taken.
pub struct Taking<'a> {
    /// The machines that they are on, in the order of the target.
    pub hosts: &'a [Arc<dyn Host>],
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
        let mut taken = Self::open(taking.hosts, target, loads)?;
        taken.consent = taking.consent.to_vec();
        rooms.take(&taken.rooms()?)?;
        taken.check_contents(taking)?;
        Ok(taken)
    }

    /// Does the same but look at what devices and files hold.
    ///
    /// # Errors
    /// As [`Self::take`].
    pub(super) fn open(
        hosts: &[Arc<dyn Host>],
        target: &Target,
        loads: &[&Storage],
    ) -> Result<Self, Failure> {
        let Place::Storage(place) = &target.place else { return Err(target.out_of_reach()) };
        if hosts.len() != place.hosts.len().max(1) {
            return Err(target.out_of_reach());
        }
        for (index, host) in (0..).zip(hosts) {
            host.reach()?;
            let part = Part { index, of: hosts.len() as u32, beside: 1 };
            let vms = |load: &Storage| part.share(load.vms.into()) as u32;
            loads.iter().try_for_each(|load| processors::check(host.as_ref(), load, vms(load)))?;
        }
        let layout = VolumeLayout::for_loads(loads.iter().copied());
        let block = smallest_block(loads);
        let machine = |host: &Arc<dyn Host>| Machine {
            host: Arc::clone(host),
            devices: BTreeSet::new(),
            members: BTreeSet::new(),
        };
        let mut machines: Vec<Machine> = hosts.iter().map(machine).collect();
        let mut held = Vec::new();
        let mut on = Vec::new();
        let mut variables = BTreeMap::new();
        for (number, volume) in place.placed().enumerate() {
            let machine = &mut machines[number % hosts.len()];
            let one = machine.host.hold_volume(&volume.place.path, block)?;
            let description = describe(volume.place, one.facts());
            variables.insert(format!("volume {}", number + 1), format!("{volume}, {description}"));
            if !on.contains(&description) {
                on.push(description);
            }
            if let Some(under) = &one.facts().under {
                machine.devices.extend(under.devices.iter().cloned());
                machine.members.extend(under.members.iter().cloned());
            }
            held.push(one);
        }
        let facts = ServerFacts { version: on.join("; "), variables, ..ServerFacts::default() };
        Ok(Self {
            machines,
            place: place.clone(),
            held,
            layout,
            block,
            consent: Vec::new(),
            facts,
            files: Vec::new(),
            checksummed: None,
            tools: BTreeMap::new(),
        })
    }

    fn check_contents(&mut self, taking: &mut Taking<'_>) -> Result<(), Failure> {
        let (place, layout, consent) = (&self.place, self.layout, &self.consent);
        let placed: Vec<&VolumePlace> = place.placed().map(|volume| volume.place).collect();
        let machines = self.machines.len();
        let mut told = |done, of| (taking.progress)(Step { done, of });
        let found =
            on_each(&mut self.held, machines, taking.stop, &mut told, |number, held, at| {
                let volume = placed[number];
                let layout = layout_on(place, number, layout);
                held.check_contents(volume, consent.contains(&volume.path), layout, at.looking())
            })?;
        let found = found.into_iter().enumerate();
        let named = found.filter_map(|(number, found)| {
            Some((format!("volume {} contents", number + 1), found?))
        });
        self.facts.variables.extend(named);
        Ok(())
    }

    /// What devices and files held when they were taken, and how much of them was looked at; nothing
    /// of directories.
    pub fn contents(&self) -> impl Iterator<Item = (PathBuf, &str)> {
        let found =
            |number: usize| self.facts.variables.get(&format!("volume {} contents", number + 1));
        let volumes = self.place.placed().enumerate();
        volumes.filter_map(move |(n, volume)| {
            Some((PathBuf::from(volume.to_string()), found(n)?.as_str()))
        })
    }

    /// Makes sure that every volume is what was taken. One whose machine was lost meanwhile is taken
    /// again, if it is the same as before.
    ///
    /// # Errors
    /// `VolumeFailed` where it is another, or gone; [`Failure::stopped`].
    fn check_same(&mut self, stop: &Stop) -> Result<(), Failure> {
        for number in 0..self.held.len() {
            match self.held[number].check_same() {
                Err(failure) if failure.kind == FailureKind::HostLost => {
                    self.retake(number, stop)?
                }
                checked => checked?,
            }
        }
        Ok(())
    }

    fn retake(&mut self, number: usize, stop: &Stop) -> Result<(), Failure> {
        let Some(volume) = self.place.placed().nth(number) else { return Ok(()) };
        let (path, host) = (&volume.place.path, &self.machines[number % self.machines.len()].host);
        host.reach()?;
        // An agent that was cut off lets it go when it notices, which may take longer than here.
        let deadline = Instant::now() + RELEASE_TIMEOUT;
        let mut anew = loop {
            match host.hold_volume(path, self.block) {
                Ok(anew) => break anew,
                Err(failure) if Instant::now() > deadline || failure.is_stop() => {
                    return Err(failure);
                }
                Err(_) if stop.is_requested() => return Err(Failure::stopped()),
                Err(_) => std::thread::sleep(RELEASE_POLL_INTERVAL),
            }
        };
        if anew.facts() != self.held[number].facts() {
            return Err(Failure::new(
                FailureKind::VolumeFailed,
                format!(
                    "the volume {volume} stands on something else than before its machine was lost"
                ),
                "see whether all is mounted there as it was, and run the study anew",
            ));
        }
        let layout = layout_on(&self.place, number, self.layout);
        let looking = Looking { stop, progress: &mut |_, _| {} };
        anew.check_contents(volume.place, self.consent.contains(path), layout, looking)?;
        self.held[number] = anew;
        Ok(())
    }

    /// What the directories that are to be filled take of their file systems, in that request.
    pub(super) fn rooms(&self) -> Result<Vec<Room>, Failure> {
        let mut rooms = Vec::new();
        for (number, held) in self.held.iter().enumerate() {
            let share = self.share(number);
            if held.is_filled(&share)? {
                continue;
            }
            let (Some(space), Some(volume)) = (held.space()?, self.place.placed().nth(number))
            else {
                continue;
            };
            let VolumeLayout { vms, bytes_per_vm } = share.layout;
            let needed = u64::from(vms).saturating_mul(bytes_per_vm);
            rooms.push(Room {
                path: PathBuf::from(volume.to_string()),
                machine: self.machines[number % self.machines.len()].host.name().to_owned(),
                space,
                needed,
            });
        }
        Ok(rooms)
    }

    /// Virtual machines whose data a run would fill first, and how many there are.
    ///
    /// # Errors
    /// When a machine does not answer.
    pub(super) fn unfilled(&self) -> Result<(usize, usize), Failure> {
        let (mut unfilled, mut all) = (0, 0);
        for (number, held) in self.held.iter().enumerate() {
            let share = self.share(number);
            all += share.vms.len();
            if !held.is_filled(&share)? {
                unfilled += share.vms.len();
            }
        }
        Ok((unfilled, all))
    }

    /// The machines that they are on; at least one.
    pub(super) fn hosts(&self) -> impl Iterator<Item = &dyn Host> {
        self.machines.iter().map(|machine| machine.host.as_ref())
    }

    /// What is known of the volumes.
    pub(super) fn observed(&self) -> &ServerFacts {
        &self.facts
    }

    /// The disks under the volumes of a machine, by kernel name.
    pub(super) fn members(&self, host: &str) -> Vec<String> {
        let own = self.machines.iter().filter(|machine| machine.host.name() == host);
        own.flat_map(|machine| machine.members.iter().cloned()).collect()
    }

    /// Bytes of all virtual machines together.
    pub fn bytes(&self) -> u64 {
        u64::from(self.layout.vms).saturating_mul(self.layout.bytes_per_vm)
    }

    /// What the block devices have counted since boot; `None` where that is not known.
    pub(super) fn device_counters(&self) -> Option<ServerCounters> {
        let of = |machine: &Machine| devices::counters(machine.host.as_ref(), &machine.devices);
        let all: Option<Vec<ServerCounters>> = self.machines.iter().map(of).collect();
        devices::sum(all?)
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
        self.check_same(stop)?;
        let shares: Vec<Share> = (0..self.held.len()).map(|number| self.share(number)).collect();
        let total = self.bytes();
        let mut told = |done: u64, _| progress(Step { done, of: total });
        let machines = self.machines.len();
        let done = on_each(&mut self.held, machines, stop, &mut told, |number, held, at| {
            let share = &shares[number];
            let fills = anew || !held.is_filled(share)?;
            if fills {
                let At { stop, progress } = at;
                held.fill(share, Filling { seed, unit, method: None, stop, progress })?;
            } else {
                (at.progress)(u64::from(share.layout.vms) * share.layout.bytes_per_vm, 0);
            }
            Ok((if fills { share.layout.vms } else { 0 }, held.files(share)?))
        });
        // Where one could not be filled, others may have been.
        self.checksummed = match &done {
            Ok(done) if done.iter().all(|(made, _)| *made == 0) => self.checksummed,
            _ => None,
        };
        let mut made = 0;
        let mut files = Vec::new();
        for (filled, own) in done? {
            made += filled;
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
