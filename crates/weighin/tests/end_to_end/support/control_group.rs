use super::not_tested;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

type Limit = &'static [(&'static str, &'static str, &'static str)];

/// Where the kernel keeps processor time by groups, in both versions (cgroups(7)), and how a limit is given
/// there: files and what is written to them, before the processor time of a period in microseconds and
/// after it.
const KINDS: [(&str, Limit); 3] = [
    ("/sys/fs/cgroup", &[("cpu.max", "", " 100000")]),
    ("/sys/fs/cgroup/cpu,cpuacct", FIRST_VERSION),
    ("/sys/fs/cgroup/cpu", FIRST_VERSION),
];
const FIRST_VERSION: Limit = &[("cpu.cfs_quota_us", "", "")];
/// A thirtieth of a period of 100 ms, which is the usual one.
const A_THIRTIETH: u32 = 3_333;

/// Whether a control group held the tests themselves to a limit, as `scripts/slow cpu` does: then it
/// holds what they start to it, too, and a report is right to say so.
pub fn held_back() -> bool {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let own = groups.lines().filter_map(|line| line.splitn(3, ':').nth(2));
    let all = own.flat_map(|group| Path::new(group).ancestors());
    let all = all.map(|group| group.to_str().unwrap().trim_end_matches('/'));
    all.flat_map(|group| KINDS.map(|(parent, _)| format!("{parent}{group}/cpu.stat"))).any(|stat| {
        let text = fs::read_to_string(stat).unwrap_or_default();
        let throttled = text.lines().find_map(|line| line.strip_prefix("nr_throttled "));
        throttled.is_some_and(|times| times != "0")
    })
}

/// The control groups that a weighin with that number has made.
pub fn groups_of(weighin: u32) -> Vec<String> {
    let find = ["/sys/fs/cgroup", "-type", "d", "-name", &format!("weighin-cpus-{weighin}-*")];
    let found = Command::new("find").args(find).output().unwrap();
    String::from_utf8_lossy(&found.stdout).lines().map(str::to_owned).collect()
}

/// A control group whose processes get a part of one processor; gone when this is dropped.
pub struct ControlGroup(PathBuf);

impl ControlGroup {
    /// One of a thirtieth of a processor, which is less than a process gets beside busy loops too. `None`,
    /// and a word about it, where this machine or this user has no such groups.
    pub fn limited(name: &str) -> Option<Self> {
        Self::with(name, A_THIRTIETH)
    }

    /// The same with so many microseconds of processor time in each 100 ms.
    pub fn with(name: &str, micros: u32) -> Option<Self> {
        let name = format!("weighin-test-{}-{name}", std::process::id());
        let group =
            KINDS.iter().find_map(|(parent, limit)| make(parent, &name, limit, micros).ok());
        if group.is_none() {
            not_tested("no control group with a limit can be made here");
        }
        group
    }

    /// Puts a process with all its threads into it; one that has ended meanwhile needs no limit.
    pub fn take(&self, pid: u32) {
        let put = fs::write(self.0.join(PROCESSES), pid.to_string());
        let has_ended = |error: &io::Error| error.raw_os_error() == Some(libc::ESRCH);
        assert!(put.as_ref().err().is_none_or(has_ended), "{pid}: {put:?}");
    }
}

/// Weights of processor time in both versions, and the highest that they take.
const MOST_WEIGHT: [(&str, &str); 2] = [("cpu.weight", "10000"), ("cpu.shares", "262144")];

/// The file with the numbers of a group's processes.
const PROCESSES: &str = "cgroup.procs";

fn make(parent: &str, name: &str, limit: Limit, micros: u32) -> io::Result<ControlGroup> {
    // A directory that is no group's would take any file.
    fs::metadata(Path::new(parent).join(PROCESSES))?;
    let directory = Path::new(parent).join(name);
    fs::create_dir(&directory)?;
    let group = ControlGroup(directory);
    for (file, before, after) in limit {
        fs::write(group.0.join(file), format!("{before}{micros}{after}"))?;
    }
    // Beside many busy processes a group of the usual weight gets less than its limit.
    for (file, most) in MOST_WEIGHT {
        if group.0.join(file).exists() {
            fs::write(group.0.join(file), most)?;
        }
    }
    Ok(group)
}

impl Drop for ControlGroup {
    fn drop(&mut self) {
        // What a failed test left in it goes back to where groups begin.
        let left = fs::read_to_string(self.0.join(PROCESSES)).unwrap_or_default();
        if let Some(parent) = self.0.parent() {
            left.lines().for_each(|pid| drop(fs::write(parent.join(PROCESSES), pid)));
        }
        let _ = fs::remove_dir(&self.0);
    }
}
