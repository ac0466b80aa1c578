//! Which file system a directory is on: `/proc/self/mountinfo`.

use std::path::{Path, PathBuf};

/// A mounted file system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mount {
    /// Numbers of its device, such as `254:0`; of no device where the major one is 0.
    pub(crate) device: String,
    /// Where it is mounted.
    pub(crate) point: PathBuf,
    /// Its type, such as `ext4`.
    pub(crate) kind: String,
    /// What it is on, such as `/dev/vda`.
    pub(crate) source: String,
    /// Options of the mount and of the file system, such as `rw,relatime`.
    pub(crate) options: String,
}

/// The file system that a directory is on now; of a directory that is not made yet, that of the
/// nearest parent that exists.
pub(crate) fn mount_now(directory: &Path) -> Option<Mount> {
    let path = directory.ancestors().find_map(|path| path.canonicalize().ok())?;
    mount_of(&std::fs::read_to_string("/proc/self/mountinfo").ok()?, &path)
}

/// The file system that an absolute path without symbolic links is on.
pub(crate) fn mount_of(mountinfo: &str, path: &Path) -> Option<Mount> {
    // Later lines are mounted over earlier ones, and of equals `max_by_key` takes the last.
    mountinfo
        .lines()
        .filter_map(parse_line)
        .filter(|mount| path.starts_with(&mount.point))
        .max_by_key(|mount| mount.point.components().count())
}

/// Reads a line such as `27 1 254:0 / /home rw,relatime shared:1 - ext4 /dev/vda rw,discard`.
fn parse_line(line: &str) -> Option<Mount> {
    let (mount, system) = line.split_once(" - ")?;
    let mut mount = mount.split(' ').skip(2);
    let mut system = system.split(' ');
    Some(Mount {
        device: mount.next()?.to_owned(),
        // Between the two stands which part of the file system is mounted.
        point: PathBuf::from(unescape(mount.nth(1)?)),
        kind: system.next()?.to_owned(),
        source: unescape(system.next()?),
        options: mount.next()?.to_owned(),
    })
}

/// Blanks, tabs, newlines and backslashes stand as backslash and three octal digits.
fn unescape(text: &str) -> String {
    let mut pieces = text.split('\\');
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let code = piece.get(..3).and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match code {
            Some(code) => {
                plain.push(char::from(code));
                plain.push_str(&piece[3..]);
            }
            None => {
                plain.push('\\');
                plain.push_str(piece);
            }
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard
30 27 0:25 / /dev/shm rw,nosuid shared:4 - tmpfs tmpfs rw,size=4k
33 27 8:1 / /srv/my\\040data rw,noatime shared:7 master:2 - xfs /dev/sda1 rw
34 33 8:2 / /srv/my\\040data rw - btrfs /dev/sdb rw
not a mount
";

    fn kind(path: &str) -> String {
        mount_of(MOUNTS, Path::new(path)).unwrap().kind
    }

    #[test]
    fn the_deepest_and_latest_mount_wins() {
        assert_eq!(kind("/var/tmp"), "ext4");
        assert_eq!(kind("/dev/shm/x"), "tmpfs");
        assert_eq!(kind("/dev/shmall"), "ext4");
        assert_eq!(kind("/srv/my data/7"), "btrfs");
        assert_eq!(mount_of("", Path::new("/")), None);
    }

    #[test]
    fn every_part_of_a_line_is_kept() {
        let mount = mount_of(MOUNTS, Path::new("/")).unwrap();
        assert_eq!((mount.source.as_str(), mount.options.as_str()), ("/dev/vda", "rw,relatime"));
        assert_eq!((mount.device.as_str(), mount.point.to_str()), ("254:0", Some("/")));
    }

    #[test]
    fn broken_escapes_stay_as_they_are() {
        assert_eq!(unescape("a\\040b\\134c"), "a b\\c");
        assert_eq!(unescape("\\04"), "\\04");
        assert_eq!(unescape("\\zzz"), "\\zzz");
    }
}
