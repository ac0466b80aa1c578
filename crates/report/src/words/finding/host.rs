//! Processor time that the load had to share or did not get.

use super::{Group, Words};
use crate::numbers::{count, list, percents};
use analyse::{
    HostSaturated, OtherProcesses, OthersNotSeen, Overheated, Steal, Throttled, ThrottledProcess,
};

/// A machine within a sentence.
fn named(host: &Option<String>) -> &str {
    host.as_deref().unwrap_or("the host that weighin ran on")
}

impl Words for Steal {
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

impl Words for OtherProcesses {
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

impl Words for OthersNotSeen {
    const HEADING: &'static str = "Other processes not checked";
    const TOGETHER: bool = true;

    fn say(_found: &Group<'_, Self>) -> String {
        "the processor time of the server’s process was not seen, so whether other processes disturbed \
         the trial was not checked; with `ssh` in the target, or with weighin on the server’s machine, \
         it is"
            .to_owned()
    }
}

impl Words for HostSaturated {
    const HEADING: &'static str = "Saturated host";
    const TOGETHER: bool = true;

    fn say(found: &Group<'_, Self>) -> String {
        let busy = percents(found.range(|host| host.busy));
        format!(
            "client and server shared the processors of one host, which were {busy} busy: each \
             slowed the other"
        )
    }
}

impl Words for Throttled {
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

impl Words for Overheated {
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
