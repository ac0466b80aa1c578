//! What is killed, and how to find it.

use crate::support::{Started, Workplace, processes_with};
use host::local::os::ProcessIdentity;
use std::collections::BTreeSet;
use std::process::Command;

/// Who gets SIGKILL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Blow {
    /// Weighin alone.
    Weighin,
    /// Weighin, and one of the processes that it has started to help it.
    WithHelper,
    /// All processes of its session, as when a terminal is torn down by force.
    Session,
}

impl Blow {
    /// Starts weighin as one that can be hit in that way.
    pub(super) fn start(self, place: &Workplace, arguments: &[&str]) -> Started {
        let command = match self {
            Self::Weighin | Self::WithHelper => place.command(arguments),
            Self::Session => {
                let mut command = place.surround(Command::new("setsid"));
                command.arg(env!("CARGO_BIN_EXE_weighin")).args(arguments);
                command
            }
        };
        Started::new(command)
    }

    /// Whether a run of that number has what is to be killed.
    pub(super) fn can_strike(self, place: &Workplace, pid: u32) -> bool {
        self != Self::WithHelper || !helpers(place, pid).is_empty()
    }

    /// Kills; says whom, and which processes there were. `random` chooses among the helpers.
    pub(super) fn strike(
        self,
        place: &Workplace,
        run: Started,
        random: u32,
    ) -> (String, Vec<ProcessIdentity>) {
        let all = all_of(place, run.pid()).into_iter();
        let all = all.filter_map(ProcessIdentity::for_pid).collect();
        (self.kill(place, run, random), all)
    }

    fn kill(self, place: &Workplace, run: Started, random: u32) -> String {
        let pid = run.pid();
        match self {
            Self::Weighin => {
                run.kill();
                "weighin".to_owned()
            }
            Self::WithHelper => {
                let helpers = helpers(place, pid);
                let place = random as usize % helpers.len().max(1);
                let Some((helper, line)) = helpers.get(place) else {
                    run.kill();
                    return "weighin without helpers".to_owned();
                };
                // Either may be the first to go.
                if random & 0x8000_0000 == 0 {
                    kill(*helper);
                    run.kill();
                } else {
                    run.kill();
                    kill(*helper);
                }
                let words: Vec<&str> = line.split_whitespace().collect();
                let told = words.iter().rev().take(3).rev().copied().collect::<Vec<_>>().join(" ");
                format!("weighin with {helper}: … {told}")
            }
            Self::Session => {
                let mut killed = 0;
                // Whoever is forked meanwhile is found by the next look.
                loop {
                    let members: Vec<u32> =
                        processes().filter(|&one| stat(one, 3) == Some(pid)).collect();
                    let alive = members.into_iter().filter(|&one| !is_zombie(one));
                    let alive: Vec<u32> = alive.collect();
                    if alive.is_empty() {
                        break;
                    }
                    killed += alive.len();
                    alive.into_iter().for_each(kill);
                }
                run.kill();
                format!("a session of {killed}")
            }
        }
    }
}

/// Guardians, keepers, generators and all else that a weighin has started but for its servers.
fn helpers(place: &Workplace, pid: u32) -> Vec<(u32, String)> {
    let line = |one: u32| {
        let words = std::fs::read(format!("/proc/{one}/cmdline")).unwrap_or_default();
        (one, String::from_utf8_lossy(&words).replace('\0', " "))
    };
    let is_server = |line: &str| line.contains("--datadir=") || line.contains("redis-server");
    let all = all_of(place, pid).into_iter().map(line);
    all.filter(|(_, line)| !line.is_empty() && !is_server(line)).collect()
}

/// All processes that a weighin has started, and those that these have.
fn all_of(place: &Workplace, pid: u32) -> BTreeSet<u32> {
    let mut all = BTreeSet::new();
    let mut parents = vec![pid];
    while let Some(parent) = parents.pop() {
        for child in processes().filter(|&one| stat(one, 1) == Some(parent)) {
            if all.insert(child) {
                parents.push(child);
            }
        }
    }
    let sandboxes = place.sandboxes().to_str().unwrap();
    all.extend(processes_with(sandboxes).into_iter().map(|(one, _)| one));
    all.remove(&pid);
    all
}

fn processes() -> impl Iterator<Item = u32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// A field of a process's line of facts that follows its state: its parent is 1, its session 3.
fn stat(pid: u32, field: usize) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name before it may hold anything.
    stat.rsplit_once(')')?.1.split_whitespace().nth(field)?.parse().ok()
}

fn is_zombie(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_none_or(|(_, rest)| rest.trim_start().starts_with('Z'))
}

fn kill(pid: u32) {
    // It may have ended just now.
    let _ = host::local::os::kill(pid);
}
