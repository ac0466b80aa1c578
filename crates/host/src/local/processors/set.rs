//! Some of the machine's processors for some processes, which run on no others.

use super::group::Group;
use super::holding::Holding;
use super::own_group::{OwnGroup, Purpose, of_this_process, refused};
use super::topology::{cores, equal_sets, list};
use crate::local::os;
use model::Failure;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How often it is looked at most whether a process has started others while it was moved.
const LOOKS: u32 = 100;
const DIVIDED: Purpose = Purpose {
    controller: "cpuset",
    does: "divide processors (cpuset)",
    cannot: "processors cannot be divided",
    leave_out: "leave `duet` out",
};

/// The processors of this machine in equal sets of whole cores, which can be exchanged. Dropping it removes
/// the groups, the one that was made last first: it may rely on what the first passes on.
#[derive(Debug)]
pub struct DividedProcessors {
    /// The processors of each set before the first exchange.
    parts: Vec<Vec<u32>>,
    sets: Vec<Arc<ProcessorSet>>,
    /// By how many places the sets are moved on.
    shift: usize,
    exchanges: usize,
}

impl DividedProcessors {
    /// Divides the processors that weighin may use into so many equal sets.
    ///
    /// # Errors
    /// `NotPermitted` where there are too few, or this machine or its permissions don't allow it, with
    /// what would.
    pub fn hold(count: usize) -> Result<Self, Failure> {
        let cores = cores();
        let there = cores.len();
        let parts = equal_sets(cores, count).ok_or_else(|| too_few(there, count))?;
        let (mountinfo, cgroup) = of_this_process();
        let own = DIVIDED.own_group(&mountinfo, &cgroup)?;
        Self::within(&own, parts).map_err(|error| not_made(&own, &error))
    }

    fn within(own: &OwnGroup, parts: Vec<Vec<u32>>) -> io::Result<Self> {
        let mut all = Self { parts: Vec::new(), sets: Vec::new(), shift: 0, exchanges: 0 };
        for part in parts {
            all.sets.push(Arc::new(ProcessorSet::within(own, part.clone())?));
            all.parts.push(part);
        }
        Ok(all)
    }

    /// The sets; all have as many processors.
    pub fn sets(&self) -> &[Arc<ProcessorSet>] {
        &self.sets
    }

    /// Gives each set the processors that the one so many places further on had at the beginning. For the
    /// moment that this takes two sets have the same ones; which of them is earlier changes from call to
    /// call.
    ///
    /// # Errors
    /// `NotPermitted` where the kernel refuses it.
    pub fn exchange(&mut self, shift: usize) -> Result<(), Failure> {
        if shift == self.shift {
            return Ok(());
        }
        let moved = |place: usize| self.parts.get((place + shift) % self.parts.len().max(1));
        let mut moves: Vec<_> = self
            .sets
            .iter()
            .enumerate()
            .filter_map(|(place, set)| Some((set, moved(place)?, set.holding.change())))
            .collect();
        let stat = fs::read_to_string("/proc/stat").unwrap_or_default();
        if self.exchanges % 2 == 1 {
            moves.reverse();
        }
        for (set, processors, holding) in &mut moves {
            set.group
                .write("cpuset.cpus", &list(processors))
                .map_err(|error| not_exchanged(processors, &error))?;
            holding.has(&stat, processors);
        }
        (self.shift, self.exchanges) = (shift, self.exchanges + 1);
        Ok(())
    }
}

impl Drop for DividedProcessors {
    fn drop(&mut self) {
        while self.sets.pop().is_some() {}
    }
}

/// Processors of this machine for the processes that are moved to them. Dropping it moves these back to
/// where weighin is.
#[derive(Debug)]
pub struct ProcessorSet {
    holding: Arc<Holding>,
    /// Where its members were before.
    outside: PathBuf,
    group: Group,
    is_second: bool,
}

impl ProcessorSet {
    fn within(place: &OwnGroup, processors: Vec<u32>) -> io::Result<Self> {
        let (OwnGroup::First(own) | OwnGroup::Second(own)) = place;
        let mut group = Group::make(&[own])?;
        match place {
            // Without memory it takes no member.
            OwnGroup::First(own) => {
                let memory = fs::read_to_string(own.join("cpuset.mems"))?;
                group.write("cpuset.mems", memory.trim())?;
            }
            OwnGroup::Second(own) => group.pass_on(own, "cpuset")?,
        }
        group.write("cpuset.cpus", &list(&processors))?;
        let is_second = matches!(place, OwnGroup::Second(_));
        let holding = Arc::new(Holding::new(processors));
        Ok(Self { holding, outside: own.clone(), group, is_second })
    }

    /// Which processors it has, and had.
    pub fn holding(&self) -> &Arc<Holding> {
        &self.holding
    }

    /// Whether a process that is moved leaves other groups for it, such as one that limits what it does
    /// to its disks.
    pub fn takes_from_other_groups(&self) -> bool {
        self.is_second
    }

    /// Moves a process and those that it has started, with all that they will start.
    ///
    /// # Errors
    /// `NotPermitted` when one cannot be moved.
    pub fn add(&self, pid: u32) -> Result<(), Failure> {
        let mut moved = BTreeSet::new();
        // One that was started while its parent was moved may have been left behind.
        for _ in 0..LOOKS {
            let new: Vec<u32> =
                with_descendants(pid).into_iter().filter(|one| !moved.contains(one)).collect();
            if new.is_empty() {
                break;
            }
            for one in new {
                match self.group.write("cgroup.procs", &one.to_string()) {
                    // It has ended meanwhile.
                    Err(error) if error.raw_os_error() == Some(libc::ESRCH) && one != pid => {}
                    result => result.map_err(|error| self.not_moved(one, &error))?,
                }
                moved.insert(one);
            }
        }
        Ok(())
    }

    fn not_moved(&self, pid: u32, error: &io::Error) -> Failure {
        let processors = list(&self.holding.processors());
        refused(
            &format!("process {pid} cannot be moved to processors {processors}: {error}"),
            &DIVIDED.as_root(),
        )
    }
}

impl Drop for ProcessorSet {
    fn drop(&mut self) {
        // A server may go on after the load; without it there are none.
        let group = self.group.directory();
        for _ in 0..LOOKS {
            let members = members(group);
            if members.is_empty() {
                break;
            }
            for pid in members {
                let _ = fs::write(self.outside.join("cgroup.procs"), pid.to_string());
            }
        }
    }
}

/// The processes in a group. A group of threads of version 2 lists these alone: each is in
/// `/proc/<thread>` as well as its process.
fn members(group: &Path) -> BTreeSet<u32> {
    let read = |name: &str| fs::read_to_string(group.join(name)).ok();
    let text = read("cgroup.procs").or_else(|| read("cgroup.threads")).unwrap_or_default();
    text.lines().filter_map(|line| line.trim().parse().ok()).collect()
}

/// A process and those that it, and they, have started.
fn with_descendants(pid: u32) -> BTreeSet<u32> {
    let parents: Vec<(u32, u32)> =
        os::processes().filter_map(|one| Some((one, os::read_stat(one)?.parent))).collect();
    let mut all = BTreeSet::from([pid]);
    loop {
        let before = all.len();
        all.extend(
            parents
                .iter()
                .filter(|(_, parent)| all.contains(parent))
                .map(|(one, _)| *one)
                .collect::<Vec<_>>(),
        );
        if all.len() == before {
            return all;
        }
    }
}

/// What is said where a group could not be made or set up within that one.
fn not_made(place: &OwnGroup, error: &io::Error) -> Failure {
    let (within, remedy) = match place {
        OwnGroup::First(own) => (own, DIVIDED.as_root()),
        OwnGroup::Second(own) => (own, DIVIDED.own_scope()),
    };
    let message = format!(
        "no control group can be made in {} to give targets processors of their own: {error}",
        within.display()
    );
    refused(&message, &remedy)
}

fn too_few(cores: usize, count: usize) -> Failure {
    let message = format!(
        "this machine has too few processors to give {count} targets equal sets of their own: {cores} \
         of them are whole cores, and threads of one core cannot be kept apart"
    );
    let remedy = format!(
        "use a machine with a core for each target, and for the A/A control; leave `noise_floor` out; \
         or {}",
        DIVIDED.leave_out
    );
    refused(&message, &remedy)
}

fn not_exchanged(processors: &[u32], error: &io::Error) -> Failure {
    refused(
        &format!(
            "a target could not be given processors {} in the place of others: {error}",
            list(processors)
        ),
        &format!(
            "look whether a processor was taken offline, or another program changes groups of weighin; or {}",
            DIVIDED.leave_out
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::FailureKind;
    use std::process::{Child, Command, Stdio};

    /// A process that starts another, and both wait.
    struct Waiting(Child);

    impl Waiting {
        fn start() -> Self {
            let mut command = Command::new("sh");
            command.args(["-c", "sleep 1000 & echo started; wait"]).stdout(Stdio::piped());
            let mut child = command.spawn().unwrap();
            let mut said = [0; 8];
            io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut said).unwrap();
            Self(child)
        }

        /// The processors that it and its child may use.
        fn allowed(&self) -> Vec<Vec<u32>> {
            let all = with_descendants(self.0.id()).into_iter();
            let status = all.map(|pid| fs::read_to_string(format!("/proc/{pid}/status")).unwrap());
            status.map(|status| super::super::topology::allowed_in(&status).unwrap()).collect()
        }
    }

    impl Drop for Waiting {
        fn drop(&mut self) {
            with_descendants(self.0.id()).into_iter().for_each(|pid| drop(os::kill(pid)));
            let _ = self.0.wait();
        }
    }

    #[test]
    fn processes_are_moved_with_those_they_started_and_go_back_where_it_is_permitted() {
        let divided = match DividedProcessors::hold(1) {
            Ok(divided) => divided,
            Err(failure) => {
                assert_eq!(failure.kind, FailureKind::NotPermitted, "{failure:?}");
                eprintln!("not tested: {}", failure.message);
                return;
            }
        };
        let set = &divided.sets()[0];
        let (group, own) = (set.group.directory().to_owned(), set.holding().processors());
        let process = Waiting::start();
        let before = process.allowed();
        set.add(process.0.id()).unwrap();
        assert_eq!(members(&group).len(), 2);
        assert_eq!(process.allowed(), [own.clone(), own]);
        drop(divided);
        assert!(!group.exists());
        assert_eq!(process.allowed(), before);
    }

    #[test]
    fn members_are_moved_when_sets_are_exchanged() {
        let Ok(mut divided) = DividedProcessors::hold(2) else {
            eprintln!("not tested: this machine cannot divide its processors");
            return;
        };
        let own = [0, 1].map(|place| divided.sets()[place].holding().processors());
        assert_ne!(own[0], own[1]);
        let processes = [Waiting::start(), Waiting::start()];
        for (set, process) in divided.sets().iter().zip(&processes) {
            set.add(process.0.id()).unwrap();
        }
        for shift in [0, 1, 1, 2, 3] {
            divided.exchange(shift).unwrap();
            for (place, process) in processes.iter().enumerate() {
                let now = &own[(place + shift) % 2];
                assert_eq!(process.allowed(), [now.clone(), now.clone()], "{place} {shift}");
                assert_eq!(divided.sets()[place].holding().processors(), *now);
            }
        }
    }

    #[test]
    fn version_1_and_2_have_groups_of_their_own_kind() {
        let own = tempfile::tempdir().unwrap();
        fs::write(own.path().join("cpuset.mems"), "0-1\n").unwrap();
        let read = |set: &ProcessorSet, name| {
            fs::read_to_string(set.group.directory().join(name)).unwrap()
        };
        let set = ProcessorSet::within(&OwnGroup::First(own.path().into()), vec![0, 2]).unwrap();
        assert_eq!(
            (read(&set, "cpuset.cpus").as_str(), read(&set, "cpuset.mems").as_str()),
            ("0,2", "0-1")
        );
        assert!(!set.takes_from_other_groups());
        fs::write(own.path().join("cgroup.subtree_control"), "").unwrap();
        let set = ProcessorSet::within(&OwnGroup::Second(own.path().into()), vec![1]).unwrap();
        assert_eq!(
            (read(&set, "cpuset.cpus").as_str(), read(&set, "cgroup.type").as_str()),
            ("1", "threaded")
        );
        assert!(set.takes_from_other_groups());
        let control = fs::read_to_string(own.path().join("cgroup.subtree_control")).unwrap();
        assert_eq!(control, "+cpuset");
    }

    #[test]
    fn a_machine_that_cannot_divide_its_processors_says_why() {
        let refusal = |mounts: &str, cgroup: &str| {
            let failure = DIVIDED.own_group(mounts, cgroup).unwrap_err();
            assert!(failure.remedy.contains("leave `duet` out"), "{failure:?}");
            failure.message
        };
        assert!(refusal("", "").contains("no control groups that divide"));
        let first = "32 31 0:29 /docker/ab /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n";
        assert!(refusal(first, "2:cpuset:/\n").contains("this container"));
        let seen = first.replace("/docker/ab", "/");
        let place = OwnGroup::First("/sys/fs/cgroup/cpuset/a".into());
        assert_eq!(DIVIDED.own_group(&seen, "2:cpuset:/a\n0::/\n"), Ok(place));
        let root = tempfile::tempdir().unwrap();
        let mounts = format!("36 25 0:31 / {} rw - cgroup2 cgroup2 rw\n", root.path().display());
        fs::create_dir(root.path().join("a")).unwrap();
        fs::write(root.path().join("cgroup.controllers"), "cpuset cpu\n").unwrap();
        assert!(refusal(&mounts, "0::/a\n").contains("does not have the controller cpuset"));
        let failure = DividedProcessors::hold(100_000).unwrap_err();
        assert!(failure.message.contains("too few processors"), "{failure:?}");
    }
}
