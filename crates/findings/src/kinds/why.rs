//! What decides that a target is slower than another, and what ends the rise of a curve.

use crate::kind::{FindingKind, Group};
use crate::names::target_name;
use crate::numbers::{figure, list, percent, percents};
use crate::place::{at_levels, levels};
use model::Level;
use serde::Serialize;
use std::mem::discriminant;
use stats::Estimate;

/// Where the time of an operation goes, or what is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Resource {
    /// The processor time that a control group gives the server.
    ServerLimit,
    /// What a volume that weighin built is limited to.
    VolumeLimit,
    /// Connections, of which the server allows no more.
    Connections,
    /// Processor time that the hypervisor took.
    StolenTime,
    /// The load generator: its processors, or the time from a reply to the next request.
    LoadGenerator,
    /// The way of requests and answers between load generator and server.
    Network,
    /// Waits for locks of rows and tables.
    Locks,
    /// Waits for locks of the server's own memory.
    Latches,
    /// Syncs of the log, which commits wait for.
    LogSync,
    /// Reads that were not answered from memory.
    DiskReads,
    /// The disks under the data.
    Disk,
    /// Processors, in use and waited for.
    Processors,
}

impl Resource {
    /// All of them; of several that are at their limit the first says more than those after it.
    pub const ALL: [Self; 12] = [
        Self::ServerLimit,
        Self::VolumeLimit,
        Self::Connections,
        Self::StolenTime,
        Self::LoadGenerator,
        Self::Network,
        Self::Locks,
        Self::Latches,
        Self::LogSync,
        Self::DiskReads,
        Self::Disk,
        Self::Processors,
    ];

    /// As the heading of a column.
    pub fn name(self) -> &'static str {
        match self {
            Self::ServerLimit => "limit of processor time",
            Self::VolumeLimit => "limit of the volume",
            Self::Connections => "connections",
            Self::StolenTime => "stolen processor time",
            Self::LoadGenerator => "load generator",
            Self::Network => "network",
            Self::Locks => "locks",
            Self::Latches => "latches",
            Self::LogSync => "log syncs",
            Self::DiskReads => "disk reads",
            Self::Disk => "disk",
            Self::Processors => "processors",
        }
    }

    /// What takes time, within a sentence.
    fn what(self) -> &'static str {
        match self {
            Self::ServerLimit => "the limit of its processor time",
            Self::VolumeLimit => "the limit of its volume",
            Self::Connections => "the limit of its connections",
            Self::StolenTime => "processor time that the hypervisor took",
            Self::LoadGenerator => "the think time and pauses of the load",
            Self::Network => "the round trips of its requests",
            Self::Locks => "waits for locks",
            Self::Latches => "waits for latches, the locks of the server’s own memory",
            Self::LogSync => "the syncs of its log that commits wait for",
            Self::DiskReads => "reads from disk",
            Self::Disk => "its disks",
            Self::Processors => "processor time, used and waited for",
        }
    }

    /// That it is used up, of a target.
    fn is_used_up(self, use_of_it: f64) -> String {
        let share = percent(use_of_it);
        match self {
            Self::ServerLimit => format!(
                "its control group has no more processor time: it was throttled in {share} of the periods"
            ),
            Self::VolumeLimit => {
                format!("its volume is at its limit: it did {share} of the IO that it may do")
            }
            Self::Connections => format!(
                "it allows no more connections: {share} of the operations failed because it refused one"
            ),
            Self::StolenTime => {
                format!("the hypervisor took {share} of the processor time of its machine")
            }
            Self::Network => format!("its requests spend {share} of the time on the network"),
            Self::LoadGenerator => {
                format!("the load generator has no processor time left: it was at {share}")
            }
            Self::Locks => format!("{share} of its clients wait for locks at any time"),
            Self::Latches => format!("{share} of its clients wait for latches at any time"),
            Self::LogSync => format!("a sync of its log was under way {share} of the time"),
            Self::DiskReads | Self::Disk => format!("its disks had work {share} of the time"),
            Self::Processors => {
                format!("the processors have no time left: they were {share} busy")
            }
        }
    }
}

/// What of the time of an operation a resource takes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PartOfTime {
    pub resource: Resource,
    /// At the slower target, in milliseconds for an operation.
    pub slower_ms: f64,
    pub faster_ms: f64,
    /// Its share of the difference between the two.
    pub share: Estimate,
}

/// A resource of which nothing was left.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AtLimit {
    pub resource: Resource,
    /// How much of it was in use, 1 being all.
    pub slower: f64,
    pub faster: Option<f64>,
}

/// What decides that a target is slower.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "by")]
pub enum Cause {
    /// It explains most of the difference.
    Time(PartOfTime),
    /// Only at the slower target it takes time that clients wait for, more than was seen of it; nothing else
    /// can be most of the difference.
    AtLeast(PartOfTime),
    /// The study makes the two differ in nothing but this, and nothing else takes more of the difference:
    /// what it takes of processors is a part of theirs.
    OnlyDifference(PartOfTime),
    /// It is at its limit at the slower target, and not at the faster one.
    Limit(AtLimit),
}

impl Cause {
    pub fn resource(&self) -> Resource {
        match self {
            Self::Limit(limit) => limit.resource,
            Self::Time(part) | Self::AtLeast(part) | Self::OnlyDifference(part) => part.resource,
        }
    }

    /// The part of the time that decides; `None` of a limit.
    pub fn part(&self) -> Option<PartOfTime> {
        match self {
            Self::Limit(_) => None,
            Self::Time(part) | Self::AtLeast(part) | Self::OnlyDifference(part) => Some(*part),
        }
    }
}

/// Why a target is slower than another.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WhySlower {
    pub slower: String,
    pub faster: String,
    /// Where, in order.
    pub levels: Vec<Level>,
    /// Whether it is said of these levels together.
    pub together: bool,
    /// How much more time an operation takes at the slower one, in milliseconds.
    pub difference_ms: f64,
    /// What decides; absent where that is not known.
    pub cause: Option<Cause>,
    /// What is known of where the time goes, the largest share of the difference first.
    pub parts: Vec<PartOfTime>,
}

impl WhySlower {
    /// What decides, in few words and without a full stop: `a is slower because of reads from disk`; `None` where
    /// that is not known.
    pub fn in_short(&self) -> Option<String> {
        let slower = target_name(&self.slower);
        Some(match self.cause? {
            Cause::Limit(limit) => {
                format!("{slower} is slower because {}", limit.resource.is_used_up(limit.slower))
            }
            cause => format!("{slower} is slower because of {}", cause.resource().what()),
        })
    }

    /// Whether it names the same cause of the same, or none of either.
    pub fn says(&self, other: &Self) -> bool {
        let resource = |why: &Self| why.cause.map(|cause| cause.resource());
        self.slower == other.slower && resource(self) == resource(other)
    }
}

/// Shares of the difference that are worth a word where nothing decides.
const WORTH_A_WORD: f64 = 0.1;

impl FindingKind for WhySlower {
    const HEADING: &'static str = "Why";
    const TOGETHER: bool = true;
    const NAMES_LEVEL: bool = true;

    fn is_like(&self, other: &Self) -> bool {
        let kind = |why: &Self| why.cause.map(|cause| (cause.resource(), discriminant(&cause)));
        self.slower == other.slower
            && self.faster == other.faster
            && self.together == other.together
            && kind(self) == kind(other)
    }

    fn say(found: &Group<'_, Self>) -> String {
        let first = found.first;
        let (slower, faster) = (target_name(&first.slower), target_name(&first.faster));
        let all: Vec<Level> = found.iter().flat_map(|why| why.levels.iter().copied()).collect();
        let place = match first.together {
            true => format!(" over {} together", levels(&all)),
            false => at_levels(&all),
        };
        let operation = found.counted.one;
        match &first.cause {
            Some(Cause::Time(part)) => format!(
                "{slower} is slower than {faster}{place} because of {}: {}",
                part.resource.what(),
                by_share(found, operation),
            ),
            Some(Cause::AtLeast(part)) => format!(
                "{slower} is slower than {faster}{place} because of {}: the disks alone take {}. Clients \
                 wait longer than the disks take, and nothing else that was seen accounts for most of it",
                part.resource.what(),
                by_share(found, operation),
            ),
            Some(Cause::OnlyDifference(part)) => format!(
                "{slower} is slower than {faster}{place} because of {}, as the study makes the two differ in \
                 nothing else: the disks alone take {}. Clients wait longer than the disks take, and syncs \
                 take processor time as well",
                part.resource.what(),
                by_share(found, operation),
            ),
            Some(Cause::Limit(limit)) => {
                let other = limit.faster.map_or(String::new(), |used| {
                    format!(" ({}: {})", faster, percent(used))
                });
                format!(
                    "{slower} is slower than {faster}{place} because {}{other}",
                    limit.resource.is_used_up(mean_limit(found)),
                )
            }
            None => format!(
                "what makes {slower} slower than {faster}{place} is not known: {}",
                unexplained(found, &slower, operation)
            ),
        }
    }
}

fn time_of(why: &WhySlower) -> Option<PartOfTime> {
    why.cause?.part()
}

fn milliseconds((low, high): (f64, f64)) -> String {
    let (low, high) = (figure(low), figure(high));
    if low == high { format!("{low} ms") } else { format!("{low} to {high} ms") }
}

/// `1.2 ms of each transaction against 0.1 ms on b, which is 85 % (90 % interval 80–90 %) of the 1.3 ms that a
/// transaction takes longer`; of a part that is larger than the whole difference: `1.5 ms of each transaction
/// against 0.1 ms on b, more than the 1.3 ms that a transaction takes longer, as the rest of it takes less time
/// there`.
fn by_share(found: &Group<'_, WhySlower>, operation: &str) -> String {
    let of = |figure: fn(&PartOfTime) -> f64| {
        milliseconds(found.range(|why| time_of(why).map_or(0.0, |part| figure(&part))))
    };
    let (there, here) = (of(|part| part.slower_ms), of(|part| part.faster_ms));
    let faster = target_name(&found.first.faster);
    let against = format!("{there} of each {operation} against {here} on {faster}");
    let (article, whole) =
        (article(operation), milliseconds(found.range(|why| why.difference_ms)));
    let longer = format!("{whole} that {article} {operation} takes longer");
    let is_more = |part: PartOfTime| part.share.point > 1.0;
    if found.iter().filter_map(time_of).all(is_more) {
        return format!("{against}, more than the {longer}, as the rest of it takes less time there");
    }
    let share = match time_of(found.first).filter(|_| found.is_one()) {
        Some(part) => share(&part.share),
        None => percents(found.range(|why| time_of(why).map_or(0.0, |part| part.share.point))),
    };
    format!("{against}, which is {share} of the {longer}")
}

/// `85 % (90 % interval 80–90 %)`.
fn share(share: &Estimate) -> String {
    let ends = share.interval.map_or(String::new(), |ends| {
        format!(" ({} interval {})", percent(ends.confidence), percents((ends.low, ends.high)))
    });
    format!("{}{ends}", percent(share.point))
}

fn mean_limit(found: &Group<'_, WhySlower>) -> f64 {
    let used = |why: &WhySlower| match why.cause {
        Some(Cause::Limit(limit)) => limit.slower,
        _ => 0.0,
    };
    found.total::<f64>(used) / found.iter().count() as f64
}

fn unexplained(found: &Group<'_, WhySlower>, slower: &str, operation: &str) -> String {
    let difference = milliseconds(found.range(|why| why.difference_ms));
    let worth = |part: &&PartOfTime| part.share.point >= WORTH_A_WORD;
    let known: Vec<String> = match found.is_one() {
        true => found.first.parts.iter().filter(worth).map(told).collect(),
        false => Vec::new(),
    };
    let known = match known.as_slice() {
        [] => "; nothing that was seen".to_owned(),
        known => format!(" (seen of it: {}); nothing certainly", list(known)),
    };
    let article = article(operation);
    format!(
        "{article} {operation} takes {difference} longer there{known} accounts for most of it, and nothing is \
         at its limit on {slower} alone"
    )
}

fn article(noun: &str) -> &'static str {
    if noun.starts_with(['a', 'e', 'i', 'o', 'u', 'I']) { "an" } else { "a" }
}

fn told(part: &PartOfTime) -> String {
    format!("{} {}", part.resource.name(), percent(part.share.point))
}

/// What is at its limit where throughput stops rising.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EndOfRise {
    pub level: Level,
    pub rise: Rise,
    /// What was at its limit there in every trial, with how much of it was in use; the first says most.
    pub at_limit: Vec<UsedUp>,
}

/// What is known of the rise of throughput beyond a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rise {
    /// There is none: the level is the lowest that is not clearly below the peak.
    Ends,
    /// It is surely less than half of what clients do: the level is the lowest of this kind at which
    /// something is at its limit.
    Slows,
    /// Trials scatter too much to tell. What is at its limit is so in every trial of all levels above
    /// too: the level is the lowest of this kind.
    Unresolved,
}

/// A resource and how much of it was in use, 1 being all.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct UsedUp {
    pub resource: Resource,
    pub used: f64,
}

impl FindingKind for EndOfRise {
    const HEADING: &'static str = "What ends the rise";
    const NAMES_LEVEL: bool = true;

    fn say(found: &Group<'_, Self>) -> String {
        let Self { level, rise, at_limit } = found.first;
        let (from, because) = match rise {
            Rise::Ends => (format!("throughput stops rising at {level}"), "because"),
            Rise::Slows => {
                (format!("beyond {level}, throughput grows less than half as fast as the load"), "because")
            }
            Rise::Unresolved => (
                format!("trials scatter too much to tell whether throughput rises beyond {level}"),
                "but in all of them, there and above,",
            ),
        };
        match at_limit.as_slice() {
            [] => format!(
                "{from}; what limits it is not known: nothing that was observed was at its limit there"
            ),
            [first, others @ ..] => {
                let others: Vec<String> = others
                    .iter()
                    .map(|one| format!("{} ({})", one.resource.name(), percent(one.used)))
                    .collect();
                let others = match others.is_empty() {
                    true => String::new(),
                    false => format!("; also at its limit: {}", list(&others)),
                };
                format!("{from}, {because} {}{others}", first.resource.is_used_up(first.used))
            }
        }
    }
}
