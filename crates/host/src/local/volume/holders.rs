//! Who holds a volume that is to go.

use crate::local::os;
use crate::supervise;
use model::text;
use std::fs;
use std::path::Path;

/// Most processes that a message names.
const MOST_NAMED: usize = 4;
/// Characters of the name of one.
const LONGEST_NAME: usize = 40;

/// What keeps a sandbox from being taken apart: processes that work in its directory, have files in it
/// open, or live in a mount namespace in which its volume is mounted; and its devices.
#[derive(Debug, Default)]
pub(crate) struct Holders {
    processes: Vec<u32>,
    devices: Vec<String>,
}

impl Holders {
    /// Looks who that is; this process and the guardians do not count.
    pub(crate) fn for_home(home: &Path) -> Self {
        let devices = devices_of(home);
        let sources: Vec<String> =
            devices.iter().map(|device| format!(" /dev/{device} ")).collect();
        let mounts_here = namespace(std::process::id());
        let mut elsewhere = Vec::new();
        let mut processes: Vec<u32> = Vec::new();
        let guardians: Vec<u32> =
            os::processes_with_argument(supervise::NAME).into_iter().filter_map(session).collect();
        let others = os::processes().filter(|&pid| {
            pid != std::process::id()
                && session(pid).is_some_and(|session| !guardians.contains(&session))
        });
        for pid in others {
            let place = namespace(pid);
            let holds = is_at_work_in(pid, home) || {
                let is_new = place != mounts_here && !elsewhere.contains(&place);
                let mounted = is_new && mounts(pid, &sources);
                if mounted {
                    elsewhere.push(place);
                }
                mounted
            };
            if holds {
                processes.push(pid);
            }
        }
        Self { processes, devices }
    }

    /// In words, such as `which process 123 (bash) holds`; empty where nobody does.
    pub(crate) fn in_words(&self) -> String {
        if self.processes.is_empty() {
            return String::new();
        }
        let named = self.processes.iter().take(MOST_NAMED).map(|pid| {
            let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
            format!("process {pid} ({})", text::excerpt(name.trim(), LONGEST_NAME))
        });
        let named: Vec<String> = named.collect();
        let more = match self.processes.len() - named.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!(", held by {}{more}", named.join(", "))
    }

    /// The command that removes what is left in a home.
    pub(crate) fn remedy(&self, home: &Path) -> String {
        let home = home.display();
        let mut words = Vec::new();
        if !self.processes.is_empty() {
            let numbers: Vec<String> = self.processes.iter().map(ToString::to_string).collect();
            words.push(format!("kill {}", numbers.join(" ")));
        }
        if !self.devices.is_empty() {
            words.push(format!("umount '{home}/volume'"));
        }
        for device in &self.devices {
            words.push(match device.starts_with("md") {
                true => format!("mdadm --stop /dev/{device}"),
                false => format!("losetup --detach /dev/{device}"),
            });
        }
        words.push(format!("rm -rf '{home}'"));
        words.join("; ")
    }

    /// Whether anybody holds it.
    pub(crate) fn any(&self) -> bool {
        !self.processes.is_empty()
    }
}

/// The loop devices whose files are in a home, and the arrays over them, these first.
fn devices_of(home: &Path) -> Vec<String> {
    let blocks = fs::read_dir("/sys/block").into_iter().flatten().flatten();
    let (mut arrays, mut loops) = (Vec::new(), Vec::new());
    for block in blocks {
        let file = fs::read_to_string(block.path().join("loop/backing_file")).unwrap_or_default();
        if !Path::new(file.trim_end()).starts_with(home) {
            continue;
        }
        loops.extend(block.file_name().into_string());
        let holders = fs::read_dir(block.path().join("holders")).into_iter().flatten().flatten();
        arrays.extend(holders.filter_map(|holder| holder.file_name().into_string().ok()));
    }
    arrays.sort();
    arrays.dedup();
    arrays.extend(loops);
    arrays
}

/// The session of a process. Guardians have their own, with what they start.
fn session(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name may hold anything; state, parent and group follow it.
    stat.rsplit_once(')')?.1.split_whitespace().nth(3)?.parse().ok()
}

/// Which mount namespace a process lives in.
fn namespace(pid: u32) -> Option<std::path::PathBuf> {
    fs::read_link(format!("/proc/{pid}/ns/mnt")).ok()
}

fn mounts(pid: u32, sources: &[String]) -> bool {
    let mounts = fs::read_to_string(format!("/proc/{pid}/mountinfo")).unwrap_or_default();
    sources.iter().any(|source| mounts.contains(source))
}

/// Whether a process works in a directory or has a file open there.
fn is_at_work_in(pid: u32, home: &Path) -> bool {
    let leads_there =
        |link: &Path| fs::read_link(link).is_ok_and(|target| target.starts_with(home));
    let process = Path::new("/proc").join(pid.to_string());
    let files = fs::read_dir(process.join("fd")).into_iter().flatten().flatten();
    leads_there(&process.join("cwd"))
        || leads_there(&process.join("root"))
        || files.into_iter().any(|file| leads_there(&file.path()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn whoever_works_in_a_directory_is_named_and_others_are_not() {
        let home = tempfile::tempdir().unwrap();
        let idle = Holders::for_home(home.path());
        assert!(!idle.any() && idle.in_words().is_empty(), "{idle:?}");
        let mut holder =
            Command::new("cat").current_dir(home.path()).stdin(Stdio::piped()).spawn().unwrap();
        let held = Holders::for_home(home.path());
        assert_eq!(held.in_words(), format!(", held by process {} (cat)", holder.id()));
        let remedy = format!("kill {}; rm -rf '{}'", holder.id(), home.path().display());
        assert_eq!(held.remedy(home.path()), remedy);
        drop(holder.stdin.take());
        holder.wait().unwrap();
    }
}
