use crate::{RemoteHost, Storage};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The volumes of a target that has no server: weighin itself reads and writes their blocks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoragePlace {
    /// At least one, no path twice.
    pub volumes: Vec<VolumePlace>,
    /// The machines that have them, each all of them; none where that is the one that weighin runs on.
    /// They make the load on their own volumes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<RemoteHost>,
}

/// One of the volumes of a target, on one of its machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedVolume<'a> {
    pub place: &'a VolumePlace,
    /// Absent for the machine that weighin runs on.
    pub host: Option<&'a RemoteHost>,
}

impl std::fmt::Display for PlacedVolume<'_> {
    /// Its path, behind the name of its machine.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let path = self.place.path.display();
        match self.host {
            Some(host) => write!(f, "{}:{path}", host.name),
            None => path.fmt(f),
        }
    }
}

/// One volume.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VolumePlace {
    /// A directory, in which each virtual machine gets a file; or a block device or a file, of
    /// which each gets a part.
    pub path: PathBuf,
    /// Whether the study allows to overwrite what a device or a file holds. The command line must
    /// allow it as well.
    pub erase: bool,
}

/// How much data the volumes of a target hold, so that several tests can run on the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VolumeLayout {
    /// Virtual machines, spread over the volumes.
    pub vms: u32,
    /// Bytes of each.
    pub bytes_per_vm: u64,
}

impl VolumeLayout {
    /// Room for each of these loads.
    pub fn for_loads<'a>(loads: impl IntoIterator<Item = &'a Storage>) -> Self {
        loads.into_iter().fold(Self::default(), |layout, load| Self {
            vms: layout.vms.max(load.vms),
            bytes_per_vm: layout.bytes_per_vm.max(load.bytes_per_vm),
        })
    }
}

impl StoragePlace {
    /// The volumes of all machines in the order in which virtual machines are dealt to them: machine by
    /// machine the first of each, and then the next. So virtual machine k is on host k modulo their
    /// number.
    pub fn placed(&self) -> impl Iterator<Item = PlacedVolume<'_>> {
        self.volumes.iter().flat_map(|place| {
            let here = self.hosts.is_empty().then_some(None);
            let hosts = self.hosts.iter().map(Some).chain(here);
            hosts.map(move |host| PlacedVolume { place, host })
        })
    }

    /// How many volumes there are on all machines.
    pub fn count(&self) -> usize {
        self.volumes.len() * self.hosts.len().max(1)
    }

    /// Which of [`Self::placed`] a virtual machine is on, both counted from 0.
    pub fn volume_of(&self, vm: u32) -> usize {
        vm as usize % self.count().max(1)
    }

    /// How many of so many virtual machines are on a volume, counted from 0.
    pub fn vms_on(&self, volume: usize, vms: u32) -> u32 {
        let volumes = self.count().max(1);
        let (each, over) = (vms as usize / volumes, vms as usize % volumes);
        (each + usize::from(volume < over)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Transport;

    #[test]
    fn every_virtual_machine_is_on_one_volume() {
        let volume = |path: &str| VolumePlace { path: path.into(), erase: false };
        let place = StoragePlace { volumes: ["/a", "/b", "/c"].map(volume).into(), hosts: vec![] };
        for vms in 0..20 {
            let mut counted = [0; 3];
            (0..vms).for_each(|vm| counted[place.volume_of(vm)] += 1);
            assert_eq!(counted, [0, 1, 2].map(|volume| place.vms_on(volume, vms)), "{vms}");
        }
    }

    #[test]
    fn virtual_machines_are_dealt_over_hosts_first_and_then_over_their_volumes() {
        let volume = |path: &str| VolumePlace { path: path.into(), erase: false };
        let host = |name: &str| RemoteHost {
            name: name.into(),
            transport: Transport::Ssh(name.into()),
            required: true,
        };
        let place = StoragePlace {
            volumes: ["/1", "/2"].map(volume).into(),
            hosts: ["a", "b", "c"].map(host).into(),
        };
        let placed: Vec<String> = place.placed().map(|volume| volume.to_string()).collect();
        assert_eq!(placed, ["a:/1", "b:/1", "c:/1", "a:/2", "b:/2", "c:/2"]);
        for vm in 0..150 {
            let volume = place.placed().nth(place.volume_of(vm)).unwrap();
            assert_eq!(volume.host.unwrap(), &place.hosts[vm as usize % 3], "{vm}");
        }
        assert_eq!((0..6).map(|volume| place.vms_on(volume, 150)).sum::<u32>(), 150);
    }
}
