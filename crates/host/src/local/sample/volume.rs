//! Which block devices a directory stands on: `/proc/self/mountinfo` and `/sys`.

use super::mounts::{Mount, mount_now};
use crate::question::Volume;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What a directory stands on, or, where it is not made yet, its nearest parent that exists; `None`
/// where that is no block device of this host, as in memory, over a network, or in a container that
/// does not show it.
pub fn volume_of(directory: &Path) -> Option<Volume> {
    Devices { sysfs: PathBuf::from("/sys"), mount_of: mount_now }.volume(directory)
}

/// What a block device is and stands on; `None` for a path that is none, or that sysfs does not
/// show. It has no file system here.
pub fn device_of(path: &Path) -> Option<Volume> {
    Devices { sysfs: PathBuf::from("/sys"), mount_of: mount_now }.of_device(path)
}

/// The devices of a host.
struct Devices {
    /// Where sysfs is mounted.
    sysfs: PathBuf,
    /// The file system that a path is on.
    mount_of: fn(&Path) -> Option<Mount>,
}

impl Devices {
    fn volume(&self, directory: &Path) -> Option<Volume> {
        let mount = (self.mount_of)(directory)?;
        let devices = self.under_file_system(&mount);
        self.on(mount.kind, devices)
    }

    fn of_device(&self, path: &Path) -> Option<Volume> {
        let name = path.canonicalize().ok()?.strip_prefix("/dev").ok()?.to_str()?.replace('/', "!");
        let device = self.whole_device(&format!("class/block/{name}"))?;
        self.on(String::new(), BTreeSet::from([device]))
    }

    /// What a volume on these devices stands on; `None` without any.
    fn on(&self, file_system: String, devices: BTreeSet<String>) -> Option<Volume> {
        if devices.is_empty() {
            return None;
        }
        let members = self.workers(&devices);
        let mut beneath = BTreeSet::new();
        let mut found = members.clone();
        // A file may be on a loop device in its turn; every device is looked at once.
        let mut to_see: Vec<String> = members.iter().cloned().collect();
        while let Some(device) = to_see.pop() {
            let under = match self.backing_file(&device) {
                Some(file) => (self.mount_of)(&file).map(|mount| self.under_file_system(&mount)),
                None => None,
            };
            for device in self.workers(&under.unwrap_or_default()) {
                if found.insert(device.clone()) {
                    beneath.insert(device.clone());
                    to_see.push(device);
                }
            }
        }
        Some(Volume { file_system, devices, members, beneath })
    }

    /// The devices that a file system is on; none when it is on no block device that shows here.
    fn under_file_system(&self, mount: &Mount) -> BTreeSet<String> {
        if let Some(device) = self.whole_device(&format!("dev/block/{}", mount.device)) {
            return BTreeSet::from([device]);
        }
        // Btrfs has a number of its own for each of its subvolumes. One of its devices is the
        // source of the mount, and sysfs has all of them.
        let Some(source) = mount.source.strip_prefix("/dev/") else { return BTreeSet::new() };
        let source = source.replace('/', "!");
        let systems =
            self.entries("fs/btrfs").into_iter().map(|id| format!("fs/btrfs/{id}/devices"));
        let devices = systems.map(|path| (self.entries(&path), path));
        let Some((devices, path)) = devices.into_iter().find(|(all, _)| all.contains(&source))
        else {
            return self.whole_device(&format!("class/block/{source}")).into_iter().collect();
        };
        devices.iter().filter_map(|name| self.whole_device(&format!("{path}/{name}"))).collect()
    }

    /// Members in place of arrays and mapped devices, down to the devices that have none.
    fn workers(&self, devices: &BTreeSet<String>) -> BTreeSet<String> {
        let mut workers = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut to_see: Vec<String> = devices.iter().cloned().collect();
        while let Some(device) = to_see.pop() {
            if !seen.insert(device.clone()) {
                continue;
            }
            let slaves = format!("class/block/{device}/slaves");
            let members = self.entries(&slaves);
            if members.is_empty() {
                workers.insert(device);
            } else {
                let whole = |name: &String| self.whole_device(&format!("{slaves}/{name}"));
                to_see.extend(members.iter().filter_map(whole));
            }
        }
        workers
    }

    /// The file that stands in for a loop device; `None` for other devices, and when it was removed.
    fn backing_file(&self, device: &str) -> Option<PathBuf> {
        let path = self.sysfs.join(format!("class/block/{device}/loop/backing_file"));
        let file = fs::read_to_string(path).ok()?;
        let file = PathBuf::from(file.strip_suffix('\n').unwrap_or(&file));
        file.exists().then_some(file)
    }

    /// The name of the device that a link in sysfs leads to, of a partition that of its disk.
    fn whole_device(&self, link: &str) -> Option<String> {
        let device = self.sysfs.join(link).canonicalize().ok()?;
        let whole = if device.join("partition").exists() { device.parent()? } else { &device };
        Some(whole.file_name()?.to_str()?.to_owned())
    }

    /// The names in a directory of sysfs; none where there is no such directory.
    fn entries(&self, directory: &str) -> BTreeSet<String> {
        let entries = fs::read_dir(self.sysfs.join(directory)).into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local::sample::mounts::mount_of;
    use std::os::unix::fs::symlink;

    const MOUNTS: &str = "\
27 1 8:2 / / rw - ext4 /dev/sda2 rw
30 27 0:25 / /dev/shm rw - tmpfs tmpfs rw
31 27 9:0 / /array rw - xfs /dev/md0 rw
32 27 0:40 / /pool rw - btrfs /dev/loop1 rw
33 27 253:0 / /mapped rw - ext4 /dev/mapper/vg-data rw
34 27 0:41 / /nfs rw - nfs4 server:/export rw
";

    /// A sysfs with a disk, its partition, an array over two loop devices, a volume on the partition
    /// and a third disk, and btrfs over two more loop devices.
    fn host() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| root.path().join(name);
        for directory in ["class/block", "dev/block", "fs/btrfs/features", "fs/btrfs/1-2/devices"] {
            fs::create_dir_all(path(directory)).unwrap();
        }
        let devices = [
            ("sda", "8:0", "devices/block/sda"),
            ("sda2", "8:2", "devices/block/sda/sda2"),
            ("sdb", "8:16", "devices/block/sdb"),
            ("md0", "9:0", "devices/block/md0"),
            ("dm-0", "253:0", "devices/block/dm-0"),
            ("loop0", "7:0", "devices/block/loop0"),
            ("loop1", "7:1", "devices/block/loop1"),
            ("loop2", "7:2", "devices/block/loop2"),
        ];
        for (name, numbers, place) in devices {
            fs::create_dir_all(path(place)).unwrap();
            symlink(path(place), path("class/block").join(name)).unwrap();
            symlink(path(place), path("dev/block").join(numbers)).unwrap();
        }
        fs::write(path("devices/block/sda/sda2/partition"), "2\n").unwrap();
        for (device, member) in
            [("md0", "loop0"), ("md0", "loop2"), ("dm-0", "sda2"), ("dm-0", "sdb")]
        {
            let slaves = path("class/block").join(device).join("slaves");
            fs::create_dir_all(&slaves).unwrap();
            symlink(path("class/block").join(member), slaves.join(member)).unwrap();
        }
        for name in ["loop0", "loop1", "loop2"] {
            let file = path(&format!("{name}.img"));
            fs::write(&file, "").unwrap();
            let attributes = path("devices/block").join(name).join("loop");
            fs::create_dir(&attributes).unwrap();
            fs::write(attributes.join("backing_file"), format!("{}\n", file.display())).unwrap();
        }
        for name in ["loop1", "loop2"] {
            let device = path("class/block").join(name);
            symlink(device, path("fs/btrfs/1-2/devices").join(name)).unwrap();
        }
        root
    }

    fn volume(host: &tempfile::TempDir, directory: &str) -> Option<Volume> {
        let devices =
            Devices { sysfs: host.path().to_owned(), mount_of: |path| mount_of(MOUNTS, path) };
        devices.volume(Path::new(directory))
    }

    fn names<const N: usize>(names: [&str; N]) -> BTreeSet<String> {
        names.into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn a_partition_is_named_by_its_disk() {
        let found = volume(&host(), "/var/tmp").unwrap();
        assert_eq!(found.file_system, "ext4");
        assert_eq!((found.devices, found.members), (names(["sda"]), names(["sda"])));
        assert!(found.beneath.is_empty());
    }

    #[test]
    fn an_array_is_served_by_its_members_and_they_by_the_disk_of_their_files() {
        let found = volume(&host(), "/array/data").unwrap();
        assert_eq!((found.file_system.as_str(), found.devices), ("xfs", names(["md0"])));
        assert_eq!(found.members, names(["loop0", "loop2"]));
        assert_eq!(found.beneath, names(["sda"]));
    }

    #[test]
    fn a_mapped_device_is_served_by_disks_and_partitions() {
        let found = volume(&host(), "/mapped").unwrap();
        assert_eq!((found.devices, found.members), (names(["dm-0"]), names(["sda", "sdb"])));
    }

    #[test]
    fn btrfs_tells_all_its_devices() {
        let found = volume(&host(), "/pool/x").unwrap();
        assert_eq!(found.devices, names(["loop1", "loop2"]));
        assert_eq!(found.members, found.devices);
        assert_eq!(found.beneath, names(["sda"]));
    }

    #[test]
    fn the_file_of_a_loop_device_may_be_gone() {
        let host = host();
        fs::remove_file(host.path().join("loop1.img")).unwrap();
        fs::remove_file(host.path().join("loop2.img")).unwrap();
        assert!(volume(&host, "/pool").unwrap().beneath.is_empty());
    }

    #[test]
    fn memory_and_networks_are_no_devices() {
        assert_eq!(volume(&host(), "/dev/shm"), None);
        assert_eq!(volume(&host(), "/nfs"), None);
    }

    #[test]
    fn the_devices_of_this_host_exist() {
        let Some(found) = volume_of(Path::new("/var/tmp/not/made/yet")) else { return };
        for device in found.members.iter().chain(&found.devices).chain(&found.beneath) {
            assert!(Path::new("/sys/block").join(device).exists(), "{device}");
        }
    }
}
