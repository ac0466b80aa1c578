//! Processor time that the load had to share or did not get.

use crate::Evidence;
use serde::Serialize;
use crate::kind::{FindingKind, Group};
use crate::numbers::{count, list, percents};

/// A machine within a sentence.
fn named(host: &Option<String>) -> &str {
    host.as_deref().unwrap_or("the host that weighin ran on")
}

/// The hypervisor took processor time from a host during a trial.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Steal {
    /// The target's own host, or one that makes the load, by its name in the study; absent for the one
    /// that weighin ran on.
    pub host: Option<String>,
    /// Mean share of all processors' time, 0 to 1.
    pub share: f64,
}

impl FindingKind for Steal {
    const HEADING: &'static str = "Stolen processor time";
    const TOGETHER: bool = true;

    fn is_like(&self, other: &Self) -> bool {
        self.host == other.host
    }

    fn say(found: &Group<'_, Self>) -> String {
        let share = percents(found.range(|steal| steal.share));
        format!("the hypervisor took {share} of the processor time of {}", named(&found.first.host))
    }
}

/// What processes of one name took.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NamedShare {
    /// As they call themselves, as it may be shown.
    pub name: String,
    /// As [`OtherProcesses::share`].
    pub share: f64,
}

/// Whose processor time was limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ThrottledProcess {
    Server,
    /// The load generator.
    Client,
}

/// Check 6: processes that are neither server nor client took processor time of their host.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OtherProcesses {
    /// As [`Steal::host`].
    pub host: Option<String>,
    /// Mean share of all processors' time, 0 to 1.
    pub share: f64,
    /// Those that took most of it, the first of them most; empty where they were not seen.
    pub most: Vec<NamedShare>,
}

impl FindingKind for OtherProcesses {
    const HEADING: &'static str = "Other processes";
    const TOGETHER: bool = true;

    fn is_like(&self, other: &Self) -> bool {
        self.host == other.host
    }

    fn say(found: &Group<'_, Self>) -> String {
        let share = percents(found.range(|others| others.share));
        format!(
            "processes other than the server and weighin took {share} of the processor time of {}{}",
            named(&found.first.host),
            above_all(found)
        )
    }
}

/// Which processes are named at most.
const NAMED: usize = 3;

/// `, above all rustc (12–82 %), cc1 (3.1 %) and kworker (0.8 %)`; nothing where none was seen.
fn above_all(found: &Group<'_, OtherProcesses>) -> String {
    let mut shares: Vec<(&str, Vec<f64>)> = Vec::new();
    for process in found.iter().flat_map(|others| &others.most) {
        match shares.iter_mut().find(|(name, _)| *name == process.name) {
            Some((_, known)) => known.push(process.share),
            None => shares.push((&process.name, vec![process.share])),
        }
    }
    let total = |shares: &[f64]| shares.iter().sum::<f64>();
    shares.sort_by(|(_, a), (_, b)| total(b).total_cmp(&total(a)));
    let said = shares.iter().take(NAMED).map(|(name, shares)| {
        let least = shares.iter().copied().fold(f64::INFINITY, f64::min);
        let most = shares.iter().copied().fold(0.0, f64::max);
        format!("{name} ({})", percents((least, most)))
    });
    let said: Vec<String> = said.collect();
    if said.is_empty() { String::new() } else { format!(", above all {}", list(&said)) }
}

/// Check 6 could not be made: the processor time of the server's process was not seen, or that of no
/// machine at all.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OthersNotSeen;

impl FindingKind for OthersNotSeen {
    const HEADING: &'static str = "Other processes not checked";
    const TOGETHER: bool = true;

    fn of_cell(&self, _trials: &[&Evidence]) -> Option<Evidence> {
        Some(self.clone().into())
    }

    fn say(_found: &Group<'_, Self>) -> String {
        "weighin could not see the processor time of the server’s process, so it did not check \
         whether other processes disturbed the trial; to check that, add `ssh` to the target, or \
         run weighin on the server’s machine"
            .to_owned()
    }
}

/// Client and server shared processors, which were nearly all in use.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HostSaturated {
    /// Mean share of all processors' time in use, 0 to 1.
    pub busy: f64,
}

impl FindingKind for HostSaturated {
    const HEADING: &'static str = "Saturated host";
    const TOGETHER: bool = true;

    fn of_cell(&self, trials: &[&Evidence]) -> Option<Evidence> {
        let shares = || trials.iter().filter_map(|trial| Some(trial.get::<Self>()?.busy));
        Some(Self { busy: shares().sum::<f64>() / shares().count().max(1) as f64 }.into())
    }

    fn say(found: &Group<'_, Self>) -> String {
        let busy = percents(found.range(|host| host.busy));
        format!(
            "client and server shared processors, which were {busy} busy: each slowed the other"
        )
    }
}

/// Check 6: a control group's limit of processor time held a process back.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Throttled {
    pub process: ThrottledProcess,
    /// Share of the periods of accounting in which it was, 0 to 1.
    pub share: f64,
}

impl FindingKind for Throttled {
    const HEADING: &'static str = "Throttling";

    fn is_like(&self, other: &Self) -> bool {
        self.process == other.process
    }

    fn say(found: &Group<'_, Self>) -> String {
        let process = match found.first.process {
            ThrottledProcess::Server => "the server",
            ThrottledProcess::Client => "the load generator",
        };
        let share = percents(found.range(|throttled| throttled.share));
        format!(
            "{process} used up the processor time that its control group allows and was throttled \
             in {share} of the periods"
        )
    }
}

/// Check 6: processors lowered their frequency because of heat.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Overheated {
    /// As [`Steal::host`].
    pub host: Option<String>,
    /// How often, all of them together.
    pub events: u64,
}

impl FindingKind for Overheated {
    const HEADING: &'static str = "Overheating";
    const TOGETHER: bool = true;

    fn is_like(&self, other: &Self) -> bool {
        self.host == other.host
    }

    fn say(found: &Group<'_, Self>) -> String {
        let times = match found.total(|overheated| overheated.events) {
            1 => "once".to_owned(),
            events => format!("{} times", count(events)),
        };
        format!(
            "processors of {} lowered their frequency {times} because they were too hot",
            named(&found.first.host)
        )
    }
}
