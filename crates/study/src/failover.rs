//! The task `failover`: the loss or the handing over of a primary.

use crate::intervention::{THIS_HOST, check_command};
use crate::problem::Problems;
use crate::test::{TestTable, length};
use crate::validate::{one_of, whole};
use crate::wire::FailoverKeys;
use model::bounds::{MAX_PROBE_CONNECTIONS, MAX_PROBE_RATE, MAX_PROBE_WRITES};
use model::{CacheState, Failover, FailoverCause, Task};
use std::time::Duration;
use toml::Spanned;

/// Values that `switch` takes.
pub(crate) const SWITCHES: [(&str, FailoverCause); 1] = [("planned", FailoverCause::Switchover)];
/// Values that `loss` takes.
pub(crate) const LOSSES: [(&str, FailoverCause); 3] = [
    ("kill", FailoverCause::Kill),
    ("hang", FailoverCause::Hang),
    ("network", FailoverCause::Network),
];

/// Writes per second where the study names no rate: a resolution of 5 ms.
const DEFAULT_RATE: u32 = 200;
/// Connections to each member where the study names no number.
const DEFAULT_CONNECTIONS: u32 = 4;
/// How long the probe writes before anything happens, where the study does not say.
const DEFAULT_AT: Duration = Duration::from_secs(5);
/// How long a trial takes at most, where the study does not say.
const DEFAULT_DURATION: Duration = Duration::from_secs(60);
/// How long the probe waits for an answer, where the study does not say.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(1);
/// Less than that before is no reference.
const SHORTEST_BEFORE: Duration = Duration::from_secs(1);

/// What the keys of a test ask for.
pub(crate) fn task(
    table: &TestTable,
    keys: &FailoverKeys,
    cache: CacheState,
    problems: &mut Problems,
) -> Option<Task> {
    if let (Some(at), CacheState::Cold) = (table.place("cache"), cache) {
        problems
            .add(at, "a failover does not start cold: the probe would wait for the disk first")
            .help("leave `cache` out");
    }
    let cause = cause(table, keys, problems);
    let duration = length("duration", &keys.duration, DEFAULT_DURATION, problems);
    let at = length("at", &keys.at, DEFAULT_AT, problems);
    if at < SHORTEST_BEFORE || at >= duration {
        let place = table.place("at").or_else(|| table.place("duration"));
        problems
            .add(
                place.unwrap_or_else(|| table.at.clone()),
                "`at` must be 1s or more, and earlier than `duration` ends",
            )
            .help("what the probe writes before is the reference: `at` is 5s when absent");
    }
    let rate = whole("rate", &keys.rate, DEFAULT_RATE, 1..=MAX_PROBE_RATE, problems);
    let most = 1..=MAX_PROBE_CONNECTIONS;
    let connections = whole("connections", &keys.connections, DEFAULT_CONNECTIONS, most, problems);
    let timeout = length("timeout", &keys.timeout, DEFAULT_TIMEOUT, problems);
    if let (Some(at), true) = (table.place("timeout"), timeout.is_zero()) {
        problems.add(at, "`timeout` must be more than zero: no write would ever be acknowledged");
    }
    let restore = keys.restore.as_ref().map(|words| {
        check_command("restore", words, is_trusted(keys), THIS_HOST, problems);
        words.get_ref().clone()
    });
    let failover = Failover { cause: cause?, at, duration, rate, connections, timeout, restore };
    if failover.writes() > MAX_PROBE_WRITES {
        let place = table.place("duration").or_else(|| table.place("rate"));
        let writes = failover.writes();
        problems
            .add(
                place.unwrap_or_else(|| table.at.clone()),
                format!("{writes} writes in a trial are more than {MAX_PROBE_WRITES}"),
            )
            .help("lower `rate` or `duration`: every write is kept until it has been looked for");
    }
    Some(Task::Failover(failover))
}

fn is_trusted(keys: &FailoverKeys) -> bool {
    keys.trusted.as_ref().is_some_and(|trusted| *trusted.get_ref())
}

/// What takes the primary away: one of the three keys.
fn cause(table: &TestTable, keys: &FailoverKeys, problems: &mut Problems) -> Option<FailoverCause> {
    let places = [
        keys.switch.as_ref().map(Spanned::span),
        keys.loss.as_ref().map(Spanned::span),
        keys.command.as_ref().map(Spanned::span),
    ];
    let mut places = places.into_iter().flatten();
    let Some(first) = places.next() else {
        let help = "add loss = \"kill\" or switch = \"planned\" for private servers, or command = [\"./switch.sh\"] for any";
        problems.missing(table.at.clone(), "nothing takes the primary away in this test", help);
        return None;
    };
    if let Some(second) = places.next() {
        problems
            .add(second, "the primary is taken away in one way")
            .other(first, "this is another")
            .help("write a [[test]] for each");
        return None;
    }
    if keys.switch.is_some() {
        return one_of("switch", &keys.switch, SWITCHES, problems);
    }
    if keys.loss.is_some() {
        return one_of("loss", &keys.loss, LOSSES, problems);
    }
    let command = keys.command.as_ref()?;
    check_command("command", command, is_trusted(keys), THIS_HOST, problems);
    Some(FailoverCause::Command(command.get_ref().clone()))
}
