//! The kernel's control groups (cgroups(7)), as far as limits of different kinds have it in common.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs a command in the group whose list of members is `$0`.
const JOIN: &str = r#"echo $$ >"$0" && exec "$@""#;
/// The same where its input is that list, open: 0 stands for who writes it. The kernel asks whether
/// the one who opened the list may do so.
const JOIN_OPEN: &str = r#"echo 0 >&0 && exec "$0" "$@" </dev/null"#;

/// Where groups of a kind are mounted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hierarchy {
    /// The directory of the first group that is seen here.
    pub(crate) top: PathBuf,
    /// Which group that is: a container may see a part of the tree.
    root: PathBuf,
}

impl Hierarchy {
    /// The one of that kind, with that among its own options, if one is asked for.
    pub(crate) fn find(mountinfo: &str, kind: &str, option: &str) -> Option<Self> {
        mountinfo.lines().find_map(|line| Self::of_line(line, kind, option))
    }

    /// A line such as `36 25 0:31 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio`.
    fn of_line(line: &str, kind: &str, option: &str) -> Option<Self> {
        let (mount, system) = line.split_once(" - ")?;
        let mut system = system.split(' ');
        let is_it = system.next() == Some(kind)
            && (option.is_empty() || system.nth(1)?.split(',').any(|word| word == option));
        // No distribution mounts control groups where blanks would have to be escaped.
        let mut mount = mount.split(' ').skip(3);
        let (root, top) = (mount.next()?, mount.next()?);
        is_it.then(|| Self { top: top.into(), root: root.into() })
    }

    /// The directory of a group; `None` for one that is not seen here.
    pub(crate) fn directory(&self, group: &Path) -> Option<PathBuf> {
        let within = group.strip_prefix(&self.root).ok()?;
        // Joined with nothing a path would end in a slash.
        Some(self.top.components().chain(within.components()).collect())
    }
}

/// The mounts that this process sees.
pub(crate) fn mounts() -> String {
    fs::read_to_string("/proc/self/mountinfo").unwrap_or_default()
}

/// The group that a process is in, by the text of its `/proc/<pid>/cgroup`: that of a controller of
/// version 1, or of version 2 where none is named.
pub(crate) fn group_of(cgroup: &str, controller: &str) -> Option<PathBuf> {
    cgroup.lines().find_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, group) = (fields.next()?, fields.next()?);
        controllers.split(',').any(|name| name == controller).then(|| group.into())
    })
}

/// Whether a file of words has this one.
pub(crate) fn lists(file: &Path, word: &str) -> bool {
    fs::read_to_string(file).is_ok_and(|text| text.split_whitespace().any(|w| w == word))
}

/// The same command, run from its beginning in the group with that list of members.
pub(crate) fn grouped(command: &Command, members: &Path) -> Command {
    let mut grouped = crate::local::command::command("/bin/sh");
    grouped.args(["-c", JOIN]).arg(members);
    with_words_of(command, grouped)
}

/// The same command, run likewise, which may then be given to an account that may not write that
/// list itself. Its input is empty.
///
/// # Errors
/// When this account may not either.
pub(crate) fn grouped_for_another(command: &Command, members: &Path) -> io::Result<Command> {
    let mut grouped = crate::local::command::command("/bin/sh");
    grouped.args(["-c", JOIN_OPEN]);
    let mut grouped = with_words_of(command, grouped);
    grouped.stdin(File::options().write(true).open(members)?);
    Ok(grouped)
}

/// Appends a command's program and arguments to another, and sets its variables.
fn with_words_of(command: &Command, mut another: Command) -> Command {
    another.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => another.env(name, value),
            None => another.env_remove(name),
        };
    }
    another
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_joins_the_group_before_it_begins() {
        let root = tempfile::tempdir().unwrap();
        let members = root.path().join("cgroup.procs");
        let mut command = Command::new("sh");
        command.args(["-c", "echo $$ $1 $TEST", "sh", "a b"]).env("TEST", "kept");
        let output = grouped(&command, &members).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        // It keeps the number under which it joined.
        let joined = fs::read_to_string(&members).unwrap();
        assert_eq!(said, format!("{} a b kept\n", joined.trim()));
    }

    #[test]
    fn own_groups_are_found_in_either_version_and_in_containers() {
        let cgroup = "4:cpu,cpuacct:/docker/ab\n2:memory:/\n0::/user.slice/a:b\n";
        let first = group_of(cgroup, "cpu").unwrap();
        assert_eq!(first, Path::new("/docker/ab"));
        assert_eq!(group_of(cgroup, "").unwrap(), Path::new("/user.slice/a:b"));
        assert_eq!(group_of(cgroup, "cpuset"), None);
        let mounted = |root: &str| {
            let line = format!("36 25 0:31 {root} /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu");
            Hierarchy::find(&line, "cgroup", "cpu").unwrap()
        };
        let whole = mounted("/").directory(&first);
        assert_eq!(whole.as_deref(), Some(Path::new("/sys/fs/cgroup/cpu/docker/ab")));
        let part = mounted("/docker/ab").directory(&first);
        assert_eq!(part.unwrap().to_str(), Some("/sys/fs/cgroup/cpu"));
        assert_eq!(mounted("/docker/cd").directory(&first), None);
    }

    #[test]
    fn a_command_of_another_account_joins_by_the_list_that_was_opened_for_it() {
        let root = tempfile::tempdir().unwrap();
        let members = root.path().join("cgroup.procs");
        fs::write(&members, "").unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", "cat; echo $1 $TEST", "sh", "a b"]).env("TEST", "kept");
        let output = grouped_for_another(&command, &members).unwrap().output().unwrap();
        assert_eq!(output.stdout, b"a b kept\n");
        assert_eq!(fs::read_to_string(&members).unwrap(), "0\n");
    }
}
