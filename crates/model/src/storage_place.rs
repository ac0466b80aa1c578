use crate::Storage;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The volumes of a target that has no server: weighin itself reads and writes their blocks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoragePlace {
    /// At least one, no path twice. Virtual machines are spread over them evenly, in this order.
    pub volumes: Vec<VolumePlace>,
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VolumeLayout {
    /// Virtual machines, spread over the volumes.
    pub vms: u32,
    /// Bytes of each.
    pub bytes_per_vm: u64,
}

impl VolumeLayout {
    /// Room for each of these loads.
    pub fn of<'a>(loads: impl IntoIterator<Item = &'a Storage>) -> Self {
        loads.into_iter().fold(Self::default(), |layout, load| Self {
            vms: layout.vms.max(load.vms),
            bytes_per_vm: layout.bytes_per_vm.max(load.bytes_per_vm),
        })
    }
}

impl StoragePlace {
    /// Which volume a virtual machine is on, both counted from 0.
    pub fn volume_of(&self, vm: u32) -> usize {
        vm as usize % self.volumes.len().max(1)
    }

    /// How many of so many virtual machines are on a volume, counted from 0.
    pub fn vms_on(&self, volume: usize, vms: u32) -> u32 {
        let volumes = self.volumes.len().max(1);
        let (each, over) = (vms as usize / volumes, vms as usize % volumes);
        (each + usize::from(volume < over)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_virtual_machine_is_on_one_volume() {
        let volume = |path: &str| VolumePlace { path: path.into(), erase: false };
        let place = StoragePlace { volumes: ["/a", "/b", "/c"].map(volume).into() };
        for vms in 0..20 {
            let mut counted = [0; 3];
            (0..vms).for_each(|vm| counted[place.volume_of(vm)] += 1);
            assert_eq!(counted, [0, 1, 2].map(|volume| place.vms_on(volume, vms)), "{vms}");
        }
    }
}
