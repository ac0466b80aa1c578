//! Room on file systems for what targets will write to them.

use host::{Space, no_room};
use model::Failure;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What a directory takes of its file system before it is filled.
#[derive(Debug)]
pub struct Room {
    pub path: PathBuf,
    /// The name of its machine.
    pub machine: String,
    pub space: Space,
    /// Bytes to be written.
    pub needed: u64,
}

/// What directories take of their file systems, in the order in which they will be filled.
#[derive(Debug, Default)]
pub struct Rooms {
    /// By machine and file system, bytes that own files leave and bytes needed, up to the directory in question:
    /// own files make room no sooner than when their directory's turn comes.
    by_device: BTreeMap<(String, u64), (u64, u64)>,
}

impl Rooms {
    /// Checks that file systems have room for the directories that are to be filled next.
    ///
    /// # Errors
    /// `DiskFull` for the first that would find too little.
    pub fn take(&mut self, rooms: &[Room]) -> Result<(), Failure> {
        rooms.iter().try_for_each(|room| self.add(room))
    }

    /// The same of one.
    fn add(&mut self, room: &Room) -> Result<(), Failure> {
        let Room { path, machine, space: Space { device, free, own }, needed } = room;
        let on = (machine.clone(), *device);
        let before = self.by_device.get(&on).copied();
        let (left, taken) = before.unwrap_or_default();
        let (left, taken) = (left.saturating_add(*own), taken.saturating_add(*needed));
        self.by_device.insert(on, (left, taken));
        let there = free.saturating_add(left);
        if there < taken {
            return Err(no_room(path, there, taken, before.is_some()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    /// Directories by name, file system, and MiB that they have and need; each file system has 100
    /// MiB free.
    fn said(rooms: &[(&str, u64, u64, u64)]) -> String {
        let mut taken = Rooms::default();
        let checked = rooms.iter().try_for_each(|&(path, device, own, needed)| {
            let space = Space { device, free: 100 * MIB, own: own * MIB };
            let machine = path.split(':').next().unwrap_or_default().to_owned();
            let machine = if path.starts_with('/') { String::new() } else { machine };
            taken.add(&Room { path: path.into(), machine, space, needed: needed * MIB })
        });
        checked.err().map_or_else(String::new, |failure| failure.message)
    }

    #[test]
    fn the_volume_that_finds_too_little_is_named_with_what_the_sum_is_of() {
        assert_eq!(said(&[("/a", 1, 0, 60), ("/b", 2, 0, 60), ("/c", 1, 0, 40)]), "");
        let shared = said(&[("/a", 1, 0, 60), ("/b", 2, 0, 60), ("/c", 1, 0, 41), ("/d", 1, 0, 9)]);
        assert!(shared.starts_with("the volume /c has 100"), "{shared}");
        let sum = "are needed for all volumes of the study on its file system up to this one";
        assert!(shared.contains("and 101") && shared.ends_with(sum), "{shared}");
        let alone = said(&[("/a", 1, 0, 60), ("/b", 2, 5, 110)]);
        assert!(alone.starts_with("the volume /b has 105"), "{alone}");
        assert!(alone.ends_with("are needed"), "{alone}");
    }

    #[test]
    fn file_systems_of_two_machines_are_two_though_they_have_one_number() {
        assert_eq!(said(&[("a:/v", 1, 0, 60), ("b:/v", 1, 0, 60)]), "");
        let shared = said(&[("a:/v", 1, 0, 60), ("b:/v", 1, 0, 60), ("a:/w", 1, 0, 60)]);
        assert!(shared.starts_with("the volume a:/w has 100"), "{shared}");
    }

    #[test]
    fn what_a_volume_leaves_is_free_only_when_its_turn_comes() {
        assert_eq!(said(&[("/b", 1, 50, 10), ("/a", 1, 0, 120)]), "");
        let too_early = said(&[("/a", 1, 0, 120), ("/b", 1, 50, 10)]);
        assert!(too_early.starts_with("the volume /a has 100"), "{too_early}");
    }
}
